"""Errors of Baidu's web services, and the server's messages for them.

Source: `mcp_server_baidu_maps/map.py` of baidu-maps/mcp dfbd774.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

KEY = "demo"
"""Placeholder of the key in URLs that an error shows."""


class BaiduError(AppError):
    """The message of an exception, without a prefix."""


class Refused(Exception):
    """A service returns a status other than 0; `message` is unset if the response has only a `msg`, which the server ignores."""

    def __init__(self, kind: ErrorKind, message: str | None) -> None:
        """Create the rejection."""
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message


def invalid() -> Refused:
    """Return the service's error for an invalid parameter."""
    return Refused("invalid", "Parameter Invalid")


def api_error(refused: Refused) -> BaiduError:
    """Return a rejection in the words of most tools."""
    return BaiduError(refused.kind, f"API response error: {refused.message or 'unknown error'}")


def not_found_page(address: str) -> BaiduError:
    """Return httpx's error for a URL that the service does not have."""
    message = (
        f"HTTP request failed: Client error '404 Not Found' for url '{address}'\n"
        "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404"
    )
    return BaiduError("not_found", message)
