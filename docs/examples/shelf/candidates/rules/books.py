"""What the shelf asks of arguments, and how it looks a book up."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments


def integer(arguments: Arguments, name: str) -> None:
    """That a member, where it is there, is a whole number."""
    if name in arguments and (not isinstance(arguments[name], int) or isinstance(arguments[name], bool)):
        raise AppError("invalid", f"{name} is no integer")


def text(arguments: Arguments, name: str) -> None:
    """That a member is there, and a text."""
    required(arguments, name)
    if not isinstance(arguments[name], str):
        raise AppError("invalid", f"{name} is no string")


def required(arguments: Arguments, name: str) -> None:
    if name not in arguments:
        raise AppError("invalid", f"{name} is missing")


def number(arguments: Arguments) -> None:
    """That a book's number is there."""
    required(arguments, "number")
    integer(arguments, "number")


def book(context: AppContext, arguments: Arguments) -> Object:
    # A number may be greater than what can be asked for, so it is compared here.
    found = next((one for one in context.list("book") if one["number"] == arguments["number"]), None)
    if found is None:
        raise AppError("not_found", f"no book has the number {arguments['number']}")
    return found
