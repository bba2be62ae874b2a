"""Errors of the Telegram server.

There are two kinds: a text of the server's own (`Refusal`), and a generic text for every error of Telegram or the client
library that a tool does not name (`Failed`). For an unclear reference to a person, the agent is asked to question its
user (`AskUser`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from soundstage.kernels.errors import AppError, ErrorKind

_CATEGORIES = ("CHAT", "MSG", "CONTACT", "GROUP", "MEDIA", "PROFILE", "AUTH", "ADMIN", "FOLDER")
_KINDS: dict[str, ErrorKind] = {
    "BROADCAST_FORBIDDEN": "permission",
    "CHANNEL_PRIVATE": "permission",
    "CHAT_ADMIN_REQUIRED": "permission",
    "CHAT_ID_INVALID": "not_found",
    "CHAT_SEND_MEDIA_FORBIDDEN": "permission",
    "CHAT_WRITE_FORBIDDEN": "permission",
    "MEDIA_CAPTION_TOO_LONG": "limit",
    "MESSAGE_AUTHOR_REQUIRED": "permission",
    "MESSAGE_DELETE_FORBIDDEN": "permission",
    "MESSAGE_ID_INVALID": "not_found",
    "MESSAGE_TOO_LONG": "limit",
    "NO_USER": "unauthorized",
    "PEER_ID_INVALID": "not_found",
    "RIGHT_FORBIDDEN": "permission",
    "SCHEDULE_DATE_TOO_LATE": "limit",
    "SCHEDULE_TOO_MUCH": "limit",
    "TOPIC_CLOSED": "permission",
    "USERNAME_NOT_OCCUPIED": "not_found",
    "USER_ADMIN_INVALID": "permission",
    "USER_NOT_PARTICIPANT": "not_found",
    "YOU_BLOCKED_USER": "permission",
}
_UNRESOLVED = frozenset({"CHAT_ID_INVALID", "PEER_ID_INVALID", "CHANNEL_PRIVATE", "CHANNEL_INVALID", "ValueError"})


class Refusal(AppError):
    """A failure in the server's own words; `message` is the complete text."""


class AskUser(Refusal):
    """The JSON that asks the user about a reference.

    Tools that wrap errors in their own text let it pass unchanged.
    """

    def __init__(self, payload: str) -> None:
        """Store the JSON that is returned as the message."""
        super().__init__("not_found", payload)


class Failed(AppError):
    """An error of Telegram or of the library.

    `code` is Telegram's (such as CHAT_WRITE_FORBIDDEN) or the name of a Python class. Clients see only the generic text
    unless a tool names the error. `message` is Python's `str` of the error.
    """

    def __init__(self, code: str, message: str = "") -> None:
        """Set the code and derive the kind from it."""
        super().__init__(_KINDS.get(code, "invalid"), message or code)
        self.code = code

    @property
    def is_unresolved(self) -> bool:
        """Whether the error means that a reference matches no peer, so that a nickname leads to a question."""
        return self.code in _UNRESOLVED


def cannot_cast(kind: str) -> Failed:
    """Return the error for a peer of a kind that the request does not accept (`InputUser`, `InputChannel`)."""
    return Failed("TypeError", f"Cannot cast to any kind of {kind}.")


@contextmanager
def word_errors(sentences: Mapping[str, str]) -> Iterator[None]:
    """Replace errors by a tool's own texts, selected by the error's code.

    Raises:
        Refusal: Instead of a `Failed` with one of the codes.
    """
    try:
        yield
    except Failed as failure:
        if failure.code not in sentences:
            raise
        raise Refusal(failure.kind, sentences[failure.code]) from None


def error_text(tool: str, error: AppError) -> str:
    """Return the text of an error for the client."""
    return generic_text(tool) if isinstance(error, Failed) else error.message


def generic_text(tool: str) -> str:
    """Return the generic text for errors that a tool does not name.

    The digits of the real server are Python's hash of the tool's name, which differs in each process.
    """
    digits = int.from_bytes(hashlib.blake2b(tool.encode(), key=b"telegram-mcp", digest_size=8).digest(), "big") % 1000
    return f"An error occurred (code: {_category(tool)}-ERR-{digits:03d}). Check mcp_errors.log for details."


def _category(tool: str) -> str:
    """Return the first category whose name is part of the tool's name; the tools for folders set theirs."""
    if "folder" in tool:
        return "FOLDER"
    return next((name for name in _CATEGORIES if name.lower() in tool), "GEN")
