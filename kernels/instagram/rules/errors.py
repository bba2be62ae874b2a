"""Instagram's refusals: the Graph API's, the server's own, and the few that come with data.

The dialect puts a tool's phrase before them ("Failed to get user media: …").
"""

from __future__ import annotations

from typing import Any

from soundstage.kernels.errors import AppError, ErrorKind


class GraphError(AppError):
    """The Graph API answers an error; `message` is its `error.message`, all that the server keeps of it."""


class ServerError(AppError):
    """The server itself refuses, before it asks the Graph API; `message` is the sentence."""


class Refused(AppError):
    """A refusal that the server words without its phrase; `data` is what the reply carries, None what its failures carry."""

    def __init__(self, kind: ErrorKind, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(kind, message)
        self.data = data


def unsupported(method: str, object_id: str) -> GraphError:
    """The Graph API's answer about an object that is not there, or not for whoever asks. `method` is get, post or delete."""
    return GraphError(
        "not_found",
        f"Unsupported {method} request. Object with ID '{object_id}' does not exist, cannot be loaded due to missing "
        "permissions, or does not support this operation. Please read the Graph API documentation at "
        "https://developers.facebook.com/docs/graph-api",
    )


def nonexisting_field(name: str, node_type: str) -> GraphError:
    return GraphError("invalid", f"(#100) Tried accessing nonexisting field ({name}) on node type ({node_type})")


def required(parameter: str) -> GraphError:
    return GraphError("invalid", f"(#100) The parameter {parameter} is required")


def no_permission() -> GraphError:
    return GraphError("permission", "(#10) Application does not have permission for this action")
