"""Errors behind the tools: Discord's API, or Python inside the server.

The server lets every exception through, so a client reads `str(exception)`. Discord's codes and messages:
https://github.com/discord/discord-api-docs (Opcodes and Status Codes) and recorded errors; the text around them is
discord.py's HTTPException.
"""

from __future__ import annotations

from typing import Literal

from soundstage.kernels.errors import AppError, ErrorKind

Thing = Literal["Channel", "Guild", "Member", "Message", "Role", "User"]

_REASONS = {400: "Bad Request", 403: "Forbidden", 404: "Not Found"}
_UNKNOWN: dict[Thing, int] = {
    "Channel": 10003,
    "Guild": 10004,
    "Member": 10007,
    "Message": 10008,
    "Role": 10011,
    "User": 10013,
}


class DiscordError(AppError):
    """An error of Discord's API as discord.py words it: `404 Not Found (error code: 10003): Unknown Channel`."""

    def __init__(self, kind: ErrorKind, status: int, code: int, text: str) -> None:
        """Word the error from the HTTP status, Discord's code and its text."""
        super().__init__(kind, f"{status} {_REASONS[status]} (error code: {code}): {text}")
        self.code = code


class PythonError(AppError):
    """A Python exception inside the server, such as `'NoneType' object has no attribute 'id'`."""

    def __init__(self, message: str) -> None:
        """Set the text of the exception."""
        super().__init__("invalid", message)


def unknown(thing: Thing) -> DiscordError:
    """Return the error for an object that does not exist."""
    return DiscordError("not_found", 404, _UNKNOWN[thing], f"Unknown {thing}")


def missing_access() -> DiscordError:
    """Return the error for missing access to a channel."""
    return DiscordError("permission", 403, 50001, "Missing Access")


def missing_permissions() -> DiscordError:
    """Return the error for missing permissions."""
    return DiscordError("permission", 403, 50013, "Missing Permissions")


def invalid_form(field: str, problem: str) -> DiscordError:
    """Return the error for an invalid value, with the field and the problem."""
    return DiscordError("invalid", 400, 50035, f"Invalid Form Body\nIn {field}: {problem}")
