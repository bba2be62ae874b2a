"""A line of the journal as the command line shows it: who did what, what came of it, and what nobody saw of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from soundstage.gateway.journal.lines import Line, actor

_LABEL = 9  # characters of the longest label, with a space


def step_text(line: Line, *, most: int | None) -> Iterator[str]:
    """A step's texts: a head, then arguments, reply and what was lost, each on a line of its own.

    `most` is how many characters of each are shown; None shows all.
    """
    parts = [
        f"{line['step']:>5}",
        line["at"],
        f"{line['app'] or actor(line)} {line['tool']}",
        "ok" if line["ok"] else line["error_kind"] or "failed",
        *([f"fault: {line['fault']}"] if line["fault"] else []),
        f"{line['duration_us']} µs",
        *([f"as {line['user']}"] if line["user"] else []),
        *([f"by {line['client']}"] if line["client"] else []),
    ]
    yield "  ".join(parts)
    if line["arguments"] is not None:
        yield _labelled("arguments", orjson.dumps(line["arguments"]).decode(), most)
    if line["reply"] is not None:
        yield _labelled("reply", reply_text(line["reply"]), most)
    elif line["app"] is not None:
        yield _labelled("reply", "none: nothing reached the client", None)
    if line["lost"] is not None:
        yield _labelled("lost", reply_text(line["lost"]), most)


def reply_text(reply: Any) -> str:
    """What an MCP result, or an error, says, a line for each of its blocks; what is neither, as a real server may send it, as
    JSON.
    """
    match reply:
        case {"error": {"message": str(message)}}:
            return message
        case {"content": [*blocks]}:
            return "\n".join(_block_text(block) for block in blocks)
        case _:
            return orjson.dumps(reply).decode()


def _block_text(block: Any) -> str:
    match block:
        case {"text": str(text)}:
            return text
        case {"type": str(kind)}:
            return f"[{kind}]"
        case _:
            return orjson.dumps(block).decode()


def _labelled(label: str, text: str, most: int | None) -> str:
    shown = " ".join(text.splitlines())
    cut = shown if most is None or len(shown) <= most else f"{shown[:most]}…"
    return f"       {label:<{_LABEL}} {cut}"
