"""Commands in separate modules that are imported on use, so that `--help` and `soundstage stdio` start without them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

_ELSEWHERE = {
    "sessions": ("sessions", "Create, inspect, copy, restore and end sessions."),
    "faults": ("faults", "Let sessions fail like the real apps, and see how agents cope."),
    "library": ("library", "Look at and check the library: places, web pages, companies and medicines."),
    "worlds": ("worlds", "List, build, look at, check, export and import worlds."),
    "tasks": ("tasks", "List tasks, look at them, try them, and prove their graders."),
    "runs": ("runs", "Let agents work on tasks, and grade what they did."),
    "models": ("models", "Models for search."),
    "connect": (
        "connect",
        "Connect a client: add Soundstage to its configuration file.",
    ),
    "doctor": ("doctor", "Check clients, commands, data folder and port."),
    "search": ("search", "Search for tools by a description of the action."),
    "search-eval": (
        "search",
        "Measure search over a file of tools, or over Soundstage's own apps with persona or user queries.",
    ),
    "traverse": ("traverse", "Record how a real MCP server behaves, within what its plan allows."),
    "synthesise": ("synthesise", "Make a simulated app of a recording, and serve what of it is measured well."),
    "drift": ("drift", "List a real server's tools and repeat recorded calls of every kind."),
    "parity": (
        "parity",
        "Generate docs/parity.md from stored comparisons with real servers, and from synthesised apps.",
    ),
    "fidelity": (
        "fidelity",
        "Measure how closely the apps match real servers: replay recorded calls and compare the replies.",
    ),
}
"""A command's module, and its text in the list of commands.

A module with several commands has them as `app`; other modules have a function with the command's name.
"""

_SPELLED = {"synthesize": "synthesise"}
"""Other accepted spellings of a command."""


class Commands(TyperGroup):
    """The commands of `soundstage`. Commands in separate modules have only a name and a summary until one runs."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands.update((name, TyperCommand(name, help=text)) for name, (_, text) in _ELSEWHERE.items())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command by its name or another spelling of it, and import its module."""
        args = [_SPELLED.get(args[0], args[0]), *args[1:]]
        name, command, rest = super().resolve_command(ctx, args)
        return name, self._imported(name) if name in _ELSEWHERE else command, rest

    def _imported(self, name: str) -> Any:
        module = import_module(f"soundstage.cli.{_ELSEWHERE[name][0]}")
        if hasattr(module, "app"):
            module.app.rich_markup_mode = self.rich_markup_mode
            return get_group(module.app)
        alone = typer.Typer(add_completion=False, rich_markup_mode=self.rich_markup_mode)
        alone.command(name)(getattr(module, name.replace("-", "_")))
        return get_command(alone)
