"""Errors: the Graph API's, the server's own, and the few that come with data.

The dialect puts a tool's phrase before them ("Failed to get user media: …").
"""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind


class GraphError(AppError):
    """An error of the Graph API; `message` is its `error.message`, the only part that the server preserves."""


class ServerError(AppError):
    """An error that the server raises before it calls the Graph API."""


class UnprefixedError(AppError):
    """An error that the server words without its phrase; `data` replaces the default data of the tool's failures."""

    def __init__(self, kind: ErrorKind, message: str, data: dict[str, Any] | None = None) -> None:
        """Set the kind, the message and the data of the reply."""
        super().__init__(kind, message)
        self.data = data


def unsupported(method: str, object_id: str) -> GraphError:
    """Return the Graph API's error for an object that does not exist or is not accessible.

    `method` is get, post or delete.
    """
    return GraphError(
        "not_found",
        f"Unsupported {method} request. Object with ID '{object_id}' does not exist, cannot be loaded due to missing "
        "permissions, or does not support this operation. Please read the Graph API documentation at "
        "https://developers.facebook.com/docs/graph-api",
    )


def nonexisting_field(name: str, node_type: str) -> GraphError:
    """Return the error for a field that the node type does not have."""
    return GraphError("invalid", f"(#100) Tried accessing nonexisting field ({name}) on node type ({node_type})")


def missing_parameter(parameter: str) -> GraphError:
    """Return the error for a missing parameter."""
    return GraphError("invalid", f"(#100) The parameter {parameter} is required")


def no_permission() -> GraphError:
    """Return the error for a missing permission."""
    return GraphError("permission", "(#10) Application does not have permission for this action")
