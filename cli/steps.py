"""Format a line of the journal: caller, action, result, and any part that the client did not receive."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from soundstage.cli.output import reply_text, shortened
from soundstage.gateway.journal.lines import Line, actor

_LABEL = 9  # characters of the longest label
_USUAL = ("kernel", "gateway")
"""The usual sources of answers, which are not shown."""
_AT_A_GLANCE = 200  # characters of arguments and replies that a terminal shows


def step_text(line: Line) -> Iterator[str]:
    """Yield a step's texts: a heading, then arguments, reply and lost parts, each on a separate line."""
    parts = [
        f"{line['step']:>5}",
        line["at"],
        f"{line['app'] or actor(line)} {line['tool']}",
        "ok" if line["ok"] else line["error_kind"] or "failed",
        *([f"fault: {line['fault']}"] if line["fault"] else []),
        *([f"answered by {line['answered_by']}"] if line["answered_by"] not in (None, *_USUAL) else []),
        f"{line['duration_us']} µs",
        *([f"as {line['user']}"] if line["user"] else []),
        *([f"by {line['client']}"] if line["client"] else []),
    ]
    yield "  ".join(parts)
    if line["arguments"] is not None:
        yield _labelled("arguments", orjson.dumps(line["arguments"]).decode())
    if line["reply"] is not None:
        yield _labelled("reply", reply_text(line["reply"]))
    elif line["app"] is not None:
        yield _labelled("reply", "none: nothing reached the client")
    if line["lost"] is not None:
        yield _labelled("lost", reply_text(line["lost"]))


def _labelled(label: str, text: str) -> str:
    return f"       {label:<{_LABEL}} {shortened(' '.join(text.splitlines()), _AT_A_GLANCE)}"
