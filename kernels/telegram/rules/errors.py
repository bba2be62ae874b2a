"""What the Telegram server answers when something fails.

It has two ways: a sentence of its own (`Said`), and one generic sentence for every error of Telegram or the client library that a
tool does not name (`Failed`). An unclear reference to a person is neither: the agent is told to ask its user (`AskUser`).
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


class Said(AppError):
    """A refusal in the server's own words; `message` is all of them."""


class AskUser(Said):
    """The JSON that asks who is meant by a reference. Tools that put what fails into a sentence of theirs let it pass."""

    def __init__(self, payload: str) -> None:
        super().__init__("not_found", payload)


class Failed(AppError):
    """An error of Telegram (`code` as in its API, such as CHAT_WRITE_FORBIDDEN) or of the library (`code` is Python's class).

    The client reads the generic sentence alone, unless a tool names the error. `message` is what Python's `str` says of it.
    """

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(_KINDS.get(code, "invalid"), message or code)
        self.code = code

    @property
    def is_unresolved(self) -> bool:
        """Whether it means that nobody is found by a reference, so that a nickname is worth a question."""
        return self.code in _UNRESOLVED


def cannot_cast(kind: str) -> Failed:
    """The library cannot make what the request wants (`InputUser`, `InputChannel`) of a peer of another kind."""
    return Failed("TypeError", f"Cannot cast to any kind of {kind}.")


@contextmanager
def named(sentences: Mapping[str, str]) -> Iterator[None]:
    """Say the sentence that a tool has for an error, by the error's code; others stay as they are.

    Raises:
        Said: instead of a `Failed` that is named.
    """
    try:
        yield
    except Failed as failure:
        if failure.code not in sentences:
            raise
        raise Said(failure.kind, sentences[failure.code]) from None


def worded(tool: str, error: AppError) -> str:
    """What a client reads of an error."""
    return generic(tool) if isinstance(error, Failed) else error.message


def generic(tool: str) -> str:
    """The sentence for errors that a tool does not name.

    The real server's digits are Python's hash of the tool's name, another one in each process.
    """
    digits = int.from_bytes(hashlib.blake2b(tool.encode(), key=b"telegram-mcp", digest_size=8).digest(), "big") % 1000
    return f"An error occurred (code: {_category(tool)}-ERR-{digits:03d}). Check mcp_errors.log for details."


def _category(tool: str) -> str:
    """The first category whose name is part of the tool's; the tools for folders say theirs themselves."""
    if "folder" in tool:
        return "FOLDER"
    return next((name for name in _CATEGORIES if name.lower() in tool), "GEN")
