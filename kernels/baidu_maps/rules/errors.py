"""What Baidu's web services refuse, and the sentences that the server makes of it.

Source: `mcp_server_baidu_maps/map.py` of baidu-maps/mcp dfbd774.
"""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

KEY = "demo"
"""What stands for the key in an address that an error shows."""


class BaiduError(AppError):
    """The message of an exception, which the client sees bare."""


class Refused(Exception):
    """A service answers with a status other than 0; `message` is None where the answer has only a `msg`, which nobody reads."""

    def __init__(self, kind: ErrorKind, message: str | None) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message


def invalid() -> Refused:
    return Refused("invalid", "Parameter Invalid")


def api_error(refused: Refused) -> BaiduError:
    """A refusal as most tools pass it on."""
    return BaiduError(refused.kind, f"API response error: {refused.message or 'unknown error'}")


def not_found_page(address: str) -> BaiduError:
    """An address of the service that it does not have, in httpx's words."""
    message = (
        f"HTTP request failed: Client error '404 Not Found' for url '{address}'\n"
        "For more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404"
    )
    return BaiduError("not_found", message)
