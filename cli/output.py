"""What commands print: text for people through rich, JSON with --json, and errors on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import orjson
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

FAILED = 1
"""Exit code of a command that could not do what was asked; wrong usage exits with 2."""

console = Console()
_errors = Console(stderr=True)


def print_json(value: Any) -> None:
    sys.stdout.write(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode() + "\n")


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: what comes from a context is no markup
    console.print(table)


def print_text(text: str) -> None:
    """Text that may come from a context: printed as it is, without markup."""
    console.print(Text(text), soft_wrap=True)


def tell_error(message: str) -> None:
    """Say on stderr what is wrong."""
    _errors.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)


def fail(message: str) -> NoReturn:
    """End the command: the message goes to stderr."""
    tell_error(message)
    raise typer.Exit(FAILED)
