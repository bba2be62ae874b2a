"""Output of commands: text for people through rich, JSON with --json, and errors on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import IO, TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

# rich and orjson are imported on use: help in a pipe and `soundstage stdio` need neither.

FAILED = 1
"""Exit code of a command that failed; wrong usage exits with 2."""

AT_TERMINAL = sys.stdout.isatty()
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that change what a terminal shows elsewhere: control characters except line feed and tab, and text directions."""
UNBOUND = 1_000_000
"""Width without a terminal: programs that read the output get one line per row, whatever its length."""


@cache
def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else UNBOUND)


def harmless(text: str, stream: IO[str]) -> str:
    r"""Escape control characters as `\u001b` if the text is written to a terminal; other programs receive it unchanged.

    Texts come from contexts, upstreams and models, and a terminal would execute the escape sequences in them.
    """
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text) if stream.isatty() else text


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    import orjson

    sys.stdout.write(harmless(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode(), sys.stdout) + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print columns for people. Without a terminal each row is one complete line, for `grep` and similar programs."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        cells = row if AT_TERMINAL else (" ".join(cell.split("\n")) for cell in row)
        table.add_row(
            *(Text(harmless(cell, sys.stdout)) for cell in cells)
        )  # Text, because values from a context are not markup
    console = _console()
    if AT_TERMINAL:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def shortened(text: str, most: int) -> str:
    """Shorten a long text for a terminal; return it whole if the output is not a terminal."""
    return f"{text[:most]}…" if AT_TERMINAL and len(text) > most else text


def reply_text(reply: Any) -> str:
    """Return the text of an MCP result or error, one line per block; other replies, which real servers may send, as JSON."""
    match reply:
        case {"error": {"message": str(message)}}:
            return message
        case {"content": [*blocks]}:
            return "\n".join(_block_text(block) for block in blocks)
        case _:
            return _as_json(reply)


def _block_text(block: Any) -> str:
    match block:
        case {"text": str(text)}:
            return text
        case {"type": str(kind)}:
            return f"[{kind}]"
        case _:
            return _as_json(block)


def _as_json(value: Any) -> str:
    import orjson

    return orjson.dumps(value).decode()


def print_text(*parts: str | tuple[str, str]) -> None:
    """Print text without interpreting markup, because it may come from a context. A part may have a style."""
    _print(_console(), parts)


def print_title(text: str) -> None:
    """Print a heading."""
    print_text((text, "bold"))


def print_note(message: str) -> None:
    """Print additional information for the user on stderr."""
    _print(_console(stderr=True), (("note: ", "bold yellow"), message))


def tell_error(message: str) -> None:
    """Print an error message on stderr."""
    _print(_console(stderr=True), (("error: ", "bold red"), message))


def fail(message: str) -> NoReturn:
    """Print an error message on stderr and exit."""
    tell_error(message)
    raise typer.Exit(FAILED)


def _print(console: Console, parts: Sequence[str | tuple[str, str]]) -> None:
    from rich.text import Text

    shown = (_harmless_part(part, console.file) for part in parts)
    console.print(Text.assemble(*shown), soft_wrap=True)


def _harmless_part(part: str | tuple[str, str], stream: IO[str]) -> str | tuple[str, str]:
    return harmless(part, stream) if isinstance(part, str) else (harmless(part[0], stream), part[1])
