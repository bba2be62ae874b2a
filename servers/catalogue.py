"""The apps that are there: every folder below `servers/` with a `tools.json` is one."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, get_args

import orjson

from soundstage import app_roots
from soundstage.app_roots import NotAccepted, root_of
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.apps import app_names as table_names
from soundstage.contexts.apps import tables_of
from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.servers.reply import Dialect, StateDialect
from soundstage.servers.tool import LONGEST_STRING, MOST_LONGEST_STRING, Effect, Tool
from soundstage.servers.version import version_of

if TYPE_CHECKING:
    from soundstage.servers.declared import DeclaredFaults

_FOLDER = Path(__file__).parent
_KERNELS = _FOLDER.parent / "kernels"
_MEMBERS = ("title", "category", "description", "server", "tools")
_TOOL_NEEDS = ("name", "description", "input_schema", "effect")
_TOOL_MEMBERS = tuple(f.name for f in fields(Tool) if f.name != "app")
PREFIXED_NAME_LIMIT = 64  # longer tool names break clients


class UnknownApp(ValueError):
    """There is no app of that name."""


@dataclass(frozen=True, slots=True)
class App:
    """A simulated product: its tools by name, its dialect, and its real server's self-description.

    Attributes:
        unfinished: Tools that `tools.json` declares but no kernel implements; they are neither listed nor callable.
        aliases: Words for the kind of product; only search uses them.
        called: Names of the product; only search uses them.
        checks_by_state: Whether the dialect is a `StateDialect`.
        older: Tools of a former generation, which are callable at the app's own address but not listed.
        any_name: The tool that answers calls of any name, if the real server ignores the name.
        unanswered: Tools whose simulation was not accepted; they are not listed, and a call returns that they are not available.
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
    called: tuple[str, ...] = ()
    checks_by_state: bool = False
    older: Mapping[str, Tool] = field(default_factory=dict)
    any_name: Tool | None = None
    unanswered: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def silent(self) -> dict[str, Literal["engine", "none"]]:
        """The tools without a kernel, each with its call handler."""
        return {name: t.answered_by for name, t in self.unanswered.items() if t.answered_by != "kernel"}

    @property
    def version(self) -> str:
        """A hash over everything that decides what the app answers."""
        return version_of(self.name)

    def check(self, tool: Tool, arguments: Arguments | None, context: AppContext) -> Arguments:
        """The arguments as the kernel gets them, checked as the server of this state checks them.

        Raises:
            AppError: kind `invalid_arguments`; the dialect's `failure` words it.
        """
        if self.checks_by_state:
            return cast(StateDialect, self.dialect).check_in(context, tool, arguments)
        return self.dialect.check(tool, arguments)

    def prefixed(self, tool: str) -> str:
        """A tool's name where several apps share an address: `app_tool`, unless it starts so already."""
        name = tool if tool.startswith((f"{self.name}_", f"{self.name}-")) else f"{self.name}_{tool}"
        return name if len(name) <= PREFIXED_NAME_LIMIT else name[:PREFIXED_NAME_LIMIT]


@cache
def app_names() -> tuple[str, ...]:
    """The apps' names in alphabetical order, those of app roots among them that are as they were accepted."""
    whole = (name for name in app_roots.app_names() if _not_served(name) is None)
    return tuple(sorted({*(p.parent.name for p in _FOLDER.glob("*/tools.json")), *whole}))


def broken_apps() -> dict[str, str]:
    """The apps of roots that are not served, and why: the others do not suffer from them."""
    return {name: why for name in app_roots.app_names() if (why := _not_served(name)) is not None}


@cache
def _not_served(name: str) -> str | None:
    """Why an app of a root cannot be served; None where it can."""
    if root_of(name) is None or (why := _not_whole(name)) is not None:
        return why if root_of(name) is not None else None
    try:
        tables_of(name)
        _dialect(name)
        declared_faults(name)
    except BrokenApp as error:
        return str(error)
    if (shared := _shared_tables(name)) is not None:
        return shared
    from soundstage.servers.confined import host  # starts a process, so only where there is such an app

    why = host.problem()
    return None if why is None else f"{name} is not served: {why}"


def _not_whole(name: str) -> str | None:
    """Return the reason if a file that all tools of a root's app need differs from the accepted one, else None."""
    root = root_of(name)
    assert root is not None
    needed = (f"contexts/apps/{name}.json", f"servers/{name}/dialect.json", f"servers/{name}/tools.json")
    try:
        accepted = root.accepted(name)
        if older := [path for path in (f"contexts/apps/{name}.py", f"servers/{name}/dialect.py") if path in accepted]:
            return (
                f"{root.folder / older[0]} is Python, which is not loaded for apps of app roots; tables and dialect are JSON "
                f"now: run `soundstage synthesise run` for {name} again"
            )
        if missing := [path for path in needed if path not in accepted]:
            return f"{root.folder / missing[0]} has not been accepted; see `soundstage synthesise report {name}`"
        for path in accepted:
            if PurePosixPath(path).parent != PurePosixPath("kernels", name):
                root.read(name, path)
    except NotAccepted as error:
        return str(error)
    except OSError as error:
        return f"{root.folder / path} was accepted, and is not there ({error.strerror})"
    return None


def _shared_tables(name: str) -> str | None:
    """Why an app's tables could be those of another app: `shop_goods` is `goods` of shop, and could be that of a longer name."""
    own = [str(entity.table.name) for entity in tables_of(name).entities.values()]
    for other in table_names():
        if other != name and (same := [table for table in own if table.startswith(f"{other}_")]):
            return f"{name} would have a table {same[0]}, which is a name for the tables of {other}; rename the app or the entity"
    return None


@cache
def load_app(name: str) -> App:
    """An app by name.

    Raises:
        UnknownApp: naming those there are.
        BrokenApp: when its files do not make an app.
    """
    if root_of(name) is not None and (why := _not_served(name)) is not None:
        raise BrokenApp(why)
    if name not in app_names():
        raise UnknownApp(f"there is no app {name!r}; known: {', '.join(app_names())}")
    if name not in table_names():
        raise BrokenApp(f"contexts/apps/{name}.py is missing: its TABLES declare the entities of {name}")
    declared = _declared(name)
    spoken = _aliases(name)
    aliases = spoken.get("tools", {})
    of_app = {"longest_string": declared.get("longest_string", LONGEST_STRING)}
    declared_tools = [
        Tool(app=name, aliases=tuple(aliases.get(t["name"], ())), **{**of_app, **t}) for t in declared["tools"]
    ]
    older = {t.name: t for t in declared_tools if t.generation is not None}
    tools = [t for t in declared_tools if t.generation is None]
    kernels = _kernels(name)
    listed = {t.name: t for t in tools if t.module in kernels and t.answered_by == "kernel"}
    dialect = _dialect(name)
    lost = [replace(t, answered_by="none") for t in tools if t.module not in kernels and root_of(name) is not None]
    return App(
        name=name,
        title=declared["title"],
        category=declared["category"],
        description=declared["description"],
        server=declared["server"],
        tools=listed,
        dialect=dialect,
        checks_by_state=isinstance(dialect, StateDialect),
        unfinished=tuple(
            t.name for t in tools if t.module not in kernels and t.answered_by == "kernel" and root_of(name) is None
        ),
        aliases=tuple(spoken.get("app", ())),
        called=tuple(spoken.get("called", ())),
        older=older,
        any_name=listed.get(getattr(dialect, "ANY_NAME", "")),
        unanswered={t.name: t for t in [*lost, *(t for t in tools if t.answered_by != "kernel")]},
    )


def _kernels(name: str) -> set[str]:
    """The modules of an app's kernels, by name: to import them all would cost every start."""
    root = root_of(name)
    if root is None:
        return {p.stem for p in (_KERNELS / name).glob("*.py")}
    paths = (PurePosixPath(path) for path in root.accepted(name))
    return {p.stem for p in paths if p.parent == PurePosixPath("kernels", name) and root.has(name, str(p))}


def _file(name: str, file: str) -> bytes | None:
    """Return the content of a file in an app's folder; None if it does not exist.

    Raises:
        BrokenApp: The file differs from the accepted one.
    """
    root = root_of(name)
    try:
        return (_FOLDER / name / file).read_bytes() if root is None else root.read(name, f"servers/{name}/{file}")
    except FileNotFoundError:
        return None
    except NotAccepted as error:
        raise BrokenApp(str(error)) from None


class _Spoken(TypedDict, total=False):
    called: list[str]
    app: list[str]
    tools: dict[str, list[str]]


def _aliases(name: str) -> _Spoken:
    """Return the names of an app and of the actions of its tools; its version excludes them, because no reply depends on them."""
    content = _file(name, "aliases.json")
    return {} if content is None else cast(_Spoken, orjson.loads(content))


def _declared(name: str) -> dict[str, Any]:
    """An app's `tools.json`."""
    place = f"servers/{name}/tools.json"
    try:
        declared = orjson.loads(_file(name, "tools.json") or b"")
    except orjson.JSONDecodeError as error:
        raise BrokenApp(f"{place} is not valid JSON ({error})") from None
    if not isinstance(declared, dict):
        raise BrokenApp(f"{place} is no object {{{', '.join(_MEMBERS)}}}")
    _check_members(place, declared, declared.keys(), _MEMBERS)
    _check_limit(place, declared)
    if not isinstance(declared["tools"], list):
        raise BrokenApp(f"{place}: `tools` is no list")
    for i, tool in enumerate(declared["tools"]):
        _check_members(f"{place}: tools[{i}]", tool, _TOOL_MEMBERS, _TOOL_NEEDS)
        if tool["effect"] not in get_args(Effect):
            raise BrokenApp(f"{place}: tools[{i}]: effect {tool['effect']!r} is none of {', '.join(get_args(Effect))}")
        _check_limit(f"{place}: tools[{i}]", tool)
    return declared


def _check_limit(place: str, declared: Mapping[str, Any]) -> None:
    limit = declared.get("longest_string", LONGEST_STRING)
    if type(limit) is not int or not 1 <= limit <= MOST_LONGEST_STRING:
        raise BrokenApp(
            f"{place}: longest_string {limit!r} is not a number of characters between 1 and {MOST_LONGEST_STRING}"
        )


def _check_members(place: str, value: Any, known: Collection[str], needed: Collection[str]) -> None:
    if not isinstance(value, dict):
        raise BrokenApp(f"{place} is no object {{{', '.join(needed)}, …}}")
    for name in value.keys() - known:
        raise BrokenApp(f"{place}: {name!r} is not known here; known: {', '.join(known)}")
    for name in needed:
        if name not in value:
            raise BrokenApp(f"{place} needs {name!r}")


def _dialect(name: str) -> Dialect:
    """Return an app's dialect: a module with the functions of the protocol."""
    if (root := root_of(name)) is not None:
        return _declared_dialect(name, root)
    place = f"servers/{name}/dialect.py"
    wanted = [w for w in vars(Dialect) if not w.startswith("_")]
    if _file(name, "dialect.py") is None:
        raise BrokenApp(f"{place} is missing: it words what {name} answers, in the functions {', '.join(wanted)}")
    module = importlib.import_module(f"soundstage.servers.{name}.dialect")
    for function in wanted:
        if not hasattr(module, function):
            raise BrokenApp(f"{place} has no function {function}; see Dialect in servers/reply.py")
    return cast(Dialect, module)


def _declared_dialect(name: str, root: app_roots.Root) -> Dialect:
    from soundstage.servers.declared import read_dialect  # all wordings: only apps of roots need them

    place = str(root.folder / "servers" / name / "dialect.json")
    content = _file(name, "dialect.json")
    if content is None:
        raise BrokenApp(f"{place} is missing: it says how {name} checks arguments and words replies")
    return read_dialect(content, place)


def declared_faults(name: str) -> DeclaredFaults | None:
    """The fault words of an app of a root; None for the package's own apps, and where there are none.

    Raises:
        BrokenApp: the file cannot be used.
    """
    if (root := root_of(name)) is None or (content := _file(name, "faults.json")) is None:
        return None
    from soundstage.servers.declared import read_faults

    return read_faults(content, str(root.folder / "servers" / name / "faults.json"))


def load_apps(names: tuple[str, ...] | None = None) -> dict[str, App]:
    """Return all apps, or these, in alphabetical order.

    Raises:
        UnknownApp: A name is not an app.
    """
    return {name: load_app(name) for name in sorted(names if names is not None else app_names())}


for _cached in (app_names, load_app, _not_served):
    app_roots.forgets(_cached.cache_clear)
