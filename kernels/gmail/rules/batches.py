"""Batch operations on messages, in chunks like the server's.

The calls of a chunk are sent together. If one fails, every message of the chunk is retried individually, including successful
ones: messages that were deleted are then not found and count as failures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules.errors import Hang

_SHOWN = 16
_PATIENCE_MS = 60_000  # default timeout of MCP clients
_DEFAULT = 50


def process(
    context: AppContext, message_ids: list[str], size: float, work: Callable[[str], None]
) -> tuple[int, list[str]]:
    """Apply `work` to each message; return the number of successes and a line per failure.

    Raises:
        Hang: The chunk size is negative, which makes the server loop forever.
    """
    size = size or _DEFAULT
    if size < 0 and message_ids:
        context.wait(_PATIENCE_MS)
        raise Hang
    size = max(size, 1)  # chunk sizes below one yield chunks of no or one message, like size 1
    done, failures, at = 0, [], 0.0
    while at < len(message_ids):
        chunk = message_ids[int(at) : int(at + size)]
        problems = [_tried(work, message_id) for message_id in chunk]
        if not any(problems):
            done += len(chunk)
        else:
            for message_id in chunk:
                if (problem := _tried(work, message_id)) is None:
                    done += 1
                else:
                    failures.append(f"- {message_id[:_SHOWN]}... ({problem})")
        at += size
    return done, failures


@dataclass(frozen=True, slots=True)
class Batch:
    """The server's report of a batch; `ok` is true if every message was processed."""

    text: str
    ok: bool


def report(title: str, verb: str, to_verb: str, done: int, failures: list[str]) -> Batch:
    """Format the report of a batch in the server's words."""
    text = f"{title}\nSuccessfully {verb}: {done} messages\n"
    if failures:
        text += f"Failed to {to_verb}: {len(failures)} messages\n\nFailed message IDs:\n" + "\n".join(failures)
    return Batch(text, ok=not failures)


def _tried(work: Callable[[str], None], message_id: str) -> str | None:
    try:
        work(message_id)
    except AppError as error:
        return error.message
    return None
