"""What commands print: text for people through rich, JSON with --json, and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, TextIO

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

FAILED = 1
"""Exit code of a command that could not do what was asked; wrong usage exits with 2."""

AT_TERMINAL = sys.stdout.isatty()
UNBOUND = 1_000_000
"""Columns where no terminal sets them: what a program reads is one line a row, however long."""


def _console(stream: TextIO, *, stderr: bool = False) -> Console:
    return Console(stderr=stderr, width=None if stream.isatty() else UNBOUND)


console = _console(sys.stdout)
_errors = _console(sys.stderr, stderr=True)


def print_json(value: Any) -> None:
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns for people; where no terminal is, each row is one line, whole, for `grep` and the like."""
    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        cells = row if AT_TERMINAL else (" ".join(cell.split("\n")) for cell in row)
        table.add_row(*(Text(cell) for cell in cells))  # Text: what comes from a context is no markup
    if AT_TERMINAL:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def shortened(text: str, most: int) -> str:
    """A long text as a person at a terminal wants it; whole where what reads it is no person."""
    return f"{text[:most]}…" if AT_TERMINAL and len(text) > most else text


def print_text(text: str) -> None:
    """Text that may come from a context: printed as it is, without markup."""
    console.print(Text(text), soft_wrap=True)


def print_title(text: str) -> None:
    """A heading within what a command prints."""
    console.print(Text(text, "bold"), soft_wrap=True)


def print_note(message: str) -> None:
    """What the person should know besides; it goes to stderr."""
    _errors.print(Text.assemble(("note: ", "bold yellow"), message), soft_wrap=True)


def fail(message: str) -> NoReturn:
    """End the command: the message goes to stderr."""
    _errors.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    raise typer.Exit(FAILED)
