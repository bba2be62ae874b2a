"""The apps that are there: every folder below `servers/` with a `tools.json` is one."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import orjson

from soundstage.servers.reply import Dialect
from soundstage.servers.tool import Tool
from soundstage.servers.version import version_of

_FOLDER = Path(__file__).parent
_KERNELS = _FOLDER.parent / "kernels"
PREFIXED_NAME_LIMIT = 64  # longer tool names break clients


class UnknownApp(ValueError):
    """There is no app of that name."""


@dataclass(frozen=True, slots=True)
class App:
    """A simulated product: its tools by name, its dialect, and how its real server introduces itself.

    `unfinished` are the tools that `tools.json` declares and no kernel stands behind: nobody can see or call them.
    `aliases` are other names that people have for the product; only search goes by them.
    """

    name: str
    title: str
    category: str
    description: str
    server: dict[str, Any]
    tools: dict[str, Tool]
    dialect: Dialect
    unfinished: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """A hash over everything that decides what the app answers."""
        return version_of(self.name)

    def prefixed(self, tool: str) -> str:
        """A tool's name where several apps share an address: `app_tool`, unless it starts so already."""
        name = tool if tool.startswith((f"{self.name}_", f"{self.name}-")) else f"{self.name}_{tool}"
        return name if len(name) <= PREFIXED_NAME_LIMIT else name[:PREFIXED_NAME_LIMIT]


@cache
def app_names() -> tuple[str, ...]:
    """The apps' names in alphabetical order."""
    return tuple(sorted(p.parent.name for p in _FOLDER.glob("*/tools.json")))


@cache
def load_app(name: str) -> App:
    """An app by name.

    Raises:
        UnknownApp: naming those there are.
    """
    if name not in app_names():
        raise UnknownApp(f"there is no app {name!r}; known: {', '.join(app_names())}")
    declared = orjson.loads((_FOLDER / name / "tools.json").read_bytes())
    own_aliases, aliases = _aliases(name)
    tools = [Tool(app=name, aliases=aliases.get(t["name"], ()), **t) for t in declared["tools"]]
    kernels = {p.stem for p in (_KERNELS / name).glob("*.py")}  # by name: to import them all would cost every start
    # A dialect is a module whose functions are the protocol's; nothing else can stand in for it here.
    dialect = cast(Dialect, importlib.import_module(f"soundstage.servers.{name}.dialect"))
    return App(
        name=name,
        title=declared["title"],
        category=declared["category"],
        description=declared["description"],
        server=declared["server"],
        tools={t.name: t for t in tools if t.module in kernels},
        dialect=dialect,
        unfinished=tuple(t.name for t in tools if t.module not in kernels),
        aliases=own_aliases,
    )


def _aliases(name: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """What people call an app, and what each of its tools does. They decide no answer, so they are no part of its version."""
    file = _FOLDER / name / "aliases.json"
    if not file.exists():
        return (), {}
    declared = orjson.loads(file.read_bytes())
    return tuple(declared["app"]), {tool: tuple(said) for tool, said in declared["tools"].items()}


def load_apps(names: tuple[str, ...] | None = None) -> dict[str, App]:
    """All apps, or these, in alphabetical order.

    Raises:
        UnknownApp: for a name that is no app.
    """
    return {name: load_app(name) for name in sorted(names if names is not None else app_names())}
