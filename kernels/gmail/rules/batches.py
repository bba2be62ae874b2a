"""Work on many messages, chunk by chunk, as the server does it.

The calls of a chunk go out together. If one of them fails, every message of the chunk is tried again by itself, those too that
were done the first time: what was deleted is not found any more, and counts as a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.gmail.rules.errors import Hang

_SHOWN = 16
_PATIENCE_MS = 60_000  # how long clients of MCP wait for an answer, unless told otherwise
_DEFAULT = 50


def process(
    context: AppContext, message_ids: list[str], size: float, work: Callable[[str], None]
) -> tuple[int, list[str]]:
    """Do `work` on each message: how many succeeded, and a line for each that did not.

    Raises:
        Hang: for chunks of a negative size, with which the server goes on for ever.
    """
    size = size or _DEFAULT
    if size < 0 and message_ids:
        context.wait(_PATIENCE_MS)
        raise Hang
    size = max(size, 1)  # slices of less than one message have none or one, just as these
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
    """What the server tells of a batch; `ok` is whether every message was done."""

    text: str
    ok: bool


def report(title: str, verb: str, to_verb: str, done: int, failures: list[str]) -> Batch:
    """A batch in the server's words."""
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
