"""Worlds: named starting states from which contexts are copied.

A world is a folder `contexts/worlds/<name>/` with `world.json` (title, description, epoch) and `state/<app>.json` (the
app's objects in state form). It is built once into a database, kept by a hash of its content and of the apps' tables.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import apsw
import orjson

from contexts.apps import all_tables
from contexts.engine import state
from contexts.engine.clock import Clock, parse_moment, to_ms
from contexts.engine.store import create_tables, open_context

_FOLDER = Path(__file__).parent
_FORMAT = 2  # counts up when a built world would no longer be what this code builds


class UnknownWorld(ValueError):
    """There is no world of that name."""


@dataclass(frozen=True, slots=True)
class World:
    """A world's description. `epoch_ms` is the moment at which its sessions start."""

    name: str
    title: str
    description: str
    epoch_ms: int
    folder: Path

    def sources(self) -> list[Path]:
        return sorted(p for p in self.folder.rglob("*.json") if p.is_file())


def list_worlds() -> list[World]:
    """Every world, by name."""
    return [load_world(p.parent.name) for p in sorted(_FOLDER.glob("*/world.json"))]


@cache
def load_world(name: str) -> World:
    """A world by name.

    Raises:
        UnknownWorld: naming those there are.
    """
    path = _FOLDER / name / "world.json"
    if not name.isidentifier() or not path.exists():
        known = ", ".join(p.parent.name for p in sorted(_FOLDER.glob("*/world.json")))
        raise UnknownWorld(f"there is no world {name!r}; known: {known}")
    described = orjson.loads(path.read_bytes())
    epoch = to_ms(parse_moment(described["epoch"]))
    return World(name, described["title"], described["description"], epoch, path.parent)


def built(world: World, folder: Path) -> Path:
    """The world's database below `folder`, built now if it is not there yet.

    Raises:
        StateError: when the world's sources do not fit the declared tables.
    """
    content = hashlib.blake2b(str(_FORMAT).encode(), digest_size=8)
    for tables in all_tables().values():
        content.update(tables.fingerprint().encode())
    for source in world.sources():
        content.update(source.relative_to(world.folder).as_posix().encode() + b"\x00" + source.read_bytes())
    path = folder / f"{world.name}-{content.hexdigest()}.db"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.unlink(missing_ok=True)
        _build(world, partial)
        partial.replace(path)
    return path


def _build(world: World, path: Path) -> None:
    connection = apsw.Connection(str(path))
    create_tables(connection, world=world.name, seed=0, clock=Clock("tick", world.epoch_ms))
    context = open_context(connection)
    with context.transaction():
        for source in sorted((world.folder / "state").glob("*.json")):
            state.load(context, {source.stem: orjson.loads(source.read_bytes())})
    # WAL is kept in the file's header: copies start in it and need not switch.
    connection.pragma("journal_mode", "wal")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    context.close()
