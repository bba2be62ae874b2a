"""Worlds: named starting states from which contexts are copied.

A world is a folder. With `spec.yaml` it is built by `soundstage.worlds.builder`; with `world.json` (title, description, epoch)
and `state/<app>.json` its objects are given directly. Either becomes a database once, stored under a hash of all its sources.
Worlds that come with Soundstage are here; a user's own worlds are below the data folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import orjson

from soundstage.bounded_input import JSON_LIMITS, Refused, file_bytes, read_json
from soundstage.code_hash import hashed_part
from soundstage.contexts.apps import shipped_names, shipped_tables, tables_for
from soundstage.contexts.engine import state
from soundstage.contexts.engine.accounts import People
from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.store import FORMAT, create_tables, open_context
from soundstage.source import SourceError, read
from soundstage.worlds import library
from soundstage.worlds.partial import partial
from soundstage.worlds.parts import part

_FOLDER = Path(__file__).parent
_PACKAGE = _FOLDER.parent
_FORMAT = 3  # counts up when a built world would no longer be what this code builds
_SOURCES = (".json", ".jsonl", ".yaml")
Progress = Callable[[str, int, int], None]
Names = dict[str, dict[str, dict[str, Any]]]
"""App → entity → what the world's sources call a row → its key: a value, or for keys of several columns their list."""


class UnknownWorld(ValueError):
    """There is no world of that name."""


class BrokenWorld(SourceError):
    """A world that cannot be built from its sources, or does not hold; the message names everything by its place."""

    def __init__(self, name: str, problem: object) -> None:
        super().__init__(problem.mistakes if isinstance(problem, SourceError) else [])
        self.args = (f"the world {name!r} cannot be built: {problem}",)


@dataclass(frozen=True, slots=True)
class World:
    """A world's description.

    `epoch_ms` is the time at which its sessions start. `user` is the default user of its sessions, or None in a world without
    people. `zone` is the time zone in which its people write times.
    """

    name: str
    title: str
    description: str
    epoch_ms: int
    folder: Path
    user: str | None = None
    zone: str = "UTC"

    @property
    def spec(self) -> Path | None:
        """The spec that the world is built from; None where its objects are given."""
        path = self.folder / "spec.yaml"
        return path if path.exists() else None

    def sources(self) -> list[Path]:
        """Return the files that the world is built from, sorted by path."""
        return sorted(p for p in self.folder.rglob("*") if p.suffix in _SOURCES and p.is_file())


MAX_NAME = 100
"""Characters of a world's name; folders and files are called after it."""


def is_name(name: str) -> bool:
    """Whether a world could have this name."""
    return name.isidentifier() and len(name) <= MAX_NAME


def shipped(name: str) -> bool:
    """Whether a world of this name comes with Soundstage."""
    return name in {p.parent.name for p in _described(_FOLDER)}


def own_folder(worlds: Path) -> Path:
    """Return the folder of a user's own worlds, below the folder of built ones."""
    return worlds / "sources"


def list_worlds(own: Path | None = None) -> list[World]:
    """Every world, by name. One whose description cannot be read says so in its place."""
    folders = {p.parent.name: p.parent for folder in reversed(_folders(own)) for p in _described(folder)}
    worlds: list[World] = []
    for name in sorted(folders):
        try:
            worlds.append(_load(folders[name]))
        except BrokenWorld as error:
            worlds.append(World(name, name, str(error), 0, folders[name]))
    return worlds


def load_world(name: str, own: Path | None = None) -> World:
    """Load a world by name: first from the worlds that come with Soundstage, then from the folder `own`.

    Raises:
        UnknownWorld: names the existing worlds.
        BrokenWorld: its description cannot be read.
    """
    for folder in _folders(own):
        if is_name(name) and any((folder / name / file).exists() for file in ("spec.yaml", "world.json")):
            return _load(folder / name)
    known = ", ".join(sorted({p.parent.name for folder in _folders(own) for p in _described(folder)}))
    raise UnknownWorld(f"there is no world {name[:MAX_NAME]!r}; known: {known}")


def built(world: World, folder: Path, progress: Progress | None = None) -> Path:
    """Return the world's database below `folder`, building it if it does not exist yet.

    Raises:
        StateError: the world's objects do not match the declared tables.
        BrokenWorld: its spec is invalid, or the built world fails its checks.
    """
    library.serve(folder)
    path = database(world, folder)
    if not (path.exists() and _names_of(path).exists()):
        keep(world, content(world, progress), folder)
    return path


@contextmanager
def start_for(world: World, folder: Path, apps: tuple[str, ...]) -> Iterator[Path]:
    """Yield the file from which contexts with exactly these apps start; it exists while the block runs.

    Raises:
        StateError, BrokenWorld: see `built`.
    """
    whole = built(world, folder)
    if set(apps) == set(shipped_names()):
        yield whole
    else:
        with part(whole, tables_for(apps)) as path:
            yield path


def names(world: World, folder: Path) -> Names:
    """Return the names that the world's sources give to its rows; empty if its objects are given directly.

    The names are stored next to the database that `built` creates below `folder`, and never in a context, where an agent could
    read them.

    Raises:
        StateError, BrokenWorld: see `built`.
    """
    names: Names = orjson.loads(_names_of(built(world, folder)).read_bytes())
    return names


@dataclass(frozen=True, slots=True)
class Content:
    """The contents of a world's database, and the names of its rows. Objects that are given directly name no people."""

    objects: state.State
    names: Names
    people: People


def content(world: World, progress: Progress | None = None) -> Content:
    """Return the world's objects, built from its spec or as given.

    Worlds that come with Soundstage were checked before the release; a user's own world may have changed since its last build.

    Raises:
        BrokenWorld: its spec is invalid, or the built world fails its checks.
    """
    if world.spec is not None:
        from soundstage.worlds.builder.build import (
            CheckFailed,
            build,
            build_checked,
            quiet,
        )  # only building needs these

        try:
            made = (build if world.folder.parent == _FOLDER else build_checked)(world.spec, progress or quiet)
        except (SourceError, CheckFailed) as error:
            raise BrokenWorld(world.name, error) from None
        return Content(made.state, made.names, made.people)
    given = {p.stem: read_json(file_bytes(p, JSON_LIMITS)) for p in sorted((world.folder / "state").glob("*.json"))}
    return Content(given, {}, People())


def keep(world: World, made: Content, folder: Path) -> Path:
    """Write a world's database below `folder`, and the names of its rows next to it. Each exists only with the other.

    Raises:
        StateError: the objects do not match the declared tables.
    """
    path = database(world, folder)
    folder.mkdir(parents=True, exist_ok=True)
    with partial(_names_of(path)) as partial_names, partial(path) as partial_database:
        write_database(world, made.objects, made.people, partial_database)
        partial_names.write_bytes(orjson.dumps(made.names) + b"\n")
        partial_names.replace(_names_of(path))
        partial_database.replace(path)
    return path


def write_database(world: World, wanted: state.State, people: People, path: Path) -> None:
    """Put a world's objects and people into a new database."""
    connection = apsw.Connection(str(path))
    create_tables(connection, shipped_tables(), world=world.name, seed=0, clock=Clock("tick", world.epoch_ms))
    context = open_context(connection)
    with context.transaction():
        state.load(context, wanted)
        context.accounts.put(people)
    # WAL mode is stored in the file's header, so copies start in it without switching.
    connection.pragma("journal_mode", "wal")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    context.close()


def fingerprint(world: World) -> str:
    """Return a hash of everything that the world's database is made from; comments and docstrings do not count.

    A world that is shipped with Soundstage only changes with a new version, so its hash is computed once per process.
    """
    return _shipped_fingerprint(world) if world.folder.parent == _FOLDER else _fingerprint(world)


@cache
def _shipped_fingerprint(world: World) -> str:
    return _fingerprint(world)


def _fingerprint(world: World) -> str:
    content = hashlib.blake2b(f"{_FORMAT} {FORMAT}".encode(), digest_size=8)
    content.update(_tables_fingerprint())
    if world.spec is not None:
        content.update(_builder_fingerprint())
    for source in world.sources():
        content.update(source.relative_to(world.folder).as_posix().encode() + b"\x00" + source.read_bytes())
    return content.hexdigest()


@cache
def _tables_fingerprint() -> bytes:
    """Return a hash of the apps' declarations as source. Loading them all would slow down every process that makes a session."""
    contexts = _PACKAGE / "contexts"
    return _of_files([contexts / "engine" / "schema.py", *(contexts / "apps").glob("*.py")])


@cache
def _builder_fingerprint() -> bytes:
    """Return a hash of the builder, its corpora and the apps' wordings."""
    files = [_PACKAGE / "contexts" / "engine" / "ids.py", *(_FOLDER / "apps").glob("*.py")]
    return _of_files(files + [p for p in (_FOLDER / "builder").rglob("*") if p.suffix in (".py", ".yaml")])


def _of_files(files: list[Path]) -> bytes:
    content = hashlib.blake2b(digest_size=16)
    for file in sorted(files):
        content.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\x00" + hashed_part(file))
    return content.digest()


def database(world: World, folder: Path) -> Path:
    """Return the path of the world's database below `folder`; it exists after a build."""
    return folder / f"{world.name}-{fingerprint(world)}.db"


def _names_of(database: Path) -> Path:
    return database.with_suffix(".names.json")


def _folders(own: Path | None) -> list[Path]:
    return [_FOLDER] if own is None else [_FOLDER, own]


def _described(folder: Path) -> list[Path]:
    return [*folder.glob("*/spec.yaml"), *folder.glob("*/world.json")]


def _load(folder: Path) -> World:
    spec = folder / "spec.yaml"
    described = spec if spec.exists() else folder / "world.json"
    return _read(described, described.stat().st_mtime_ns)


@cache
def _read(path: Path, _changed: int) -> World:
    name = path.parent.name
    try:
        if path.suffix == ".yaml":
            described = {"zone": "Asia/Shanghai", **read(path).value}  # as a spec has it that names none
        else:
            described = {"zone": "UTC", **read_json(file_bytes(path, JSON_LIMITS))}
        epoch = to_ms(parse_moment(described["epoch"]))
        user = described.get("user")
        return World(name, described["title"], described["description"], epoch, path.parent, user, described["zone"])
    except (KeyError, TypeError, AttributeError):
        problem = f"{path.name} needs `title`, `description` and `epoch`"
    except (Refused, ValueError) as error:
        problem = str(error)
    raise BrokenWorld(name, problem)
