"""Copies of the project with made apps or a made world in them, so that the real gateway can be measured with either.

The copy is served as it is: nothing in it is patched, there are just other folders to find.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import apsw
import orjson

from bench.errands import APP
from bench.processes import ROOT
from soundstage.contexts.apps import shipped_tables
from soundstage.contexts.engine import state
from soundstage.contexts.engine.clock import Clock, iso
from soundstage.contexts.engine.ids import make_id
from soundstage.contexts.engine.schema import Object
from soundstage.contexts.engine.store import create_tables, open_context
from soundstage.worlds import World, content, load_world

_SOURCE = ROOT / "src" / "soundstage"
SIZED = "sized"
NOTES = "notes00"
NOTE_TOOL = "note_add"
_TOOLS_PER_APP = 20
_FIRST_MESSAGES = 100
_WORDS = ("draft", "release", "window", "room", "invoice", "lighting", "review", "render", "budget", "catering")

_TABLES = """\
from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables, id_format

TABLES = AppTables("{app}")
TABLES.entity(
    "note",
    Column("id", Text, primary_key=True, info=id_format("nt_{{hex:16}}")),
    Column("title", Text),
    Column("body", Text),
)
"""
_DIALECT = """\
from soundstage.kernels.errors import AppError
from soundstage.servers.reply import Result, compact_json, text_block


def check(tool, arguments):
    if not tool.validator.is_valid(arguments):
        raise AppError("invalid_arguments", "the arguments break the schema")
    return arguments


def success(tool, reply):
    return Result([text_block(compact_json(reply))], ok=True)


def failure(tool, error: AppError, context):
    return Result([text_block(error.message)], ok=False, is_error=True, error_kind=error.kind)


def internal_error(tool, call_id):
    return Result([text_block(call_id)], ok=False, is_error=True, error_kind="internal")


def unknown_tool(name):
    return Result([text_block(name)], ok=False, is_error=True, error_kind="unknown_tool")
"""
_ADD = """\
def run(context, arguments):
    note = {"title": arguments["title"], "body": arguments["body"]}
    made = context.create("note", note)
    return context.get("note", made["id"])
"""
_FIND = """\
def run(context, arguments):
    return {"notes": context.list("note", {"title": arguments["query"]}, limit=int(arguments.get("limit", 20)))}
"""
_TEXT = {"type": "string"}
_ADD_SCHEMA = {"type": "object", "properties": {"title": _TEXT, "body": _TEXT}, "required": ["title", "body"]}
_FIND_SCHEMA = {
    "type": "object",
    "properties": {"query": _TEXT, "limit": {"type": "number"}, "page_token": _TEXT},
    "required": ["query"],
}


def copy_project(target: Path, *, apps: bool = True) -> Path:
    """Copy the project's packages into a folder, complete or without apps and their worlds."""
    package = target / "soundstage"
    shutil.copytree(_SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    if not apps:
        for declared in package.glob("servers/*/tools.json"):
            shutil.rmtree(declared.parent)
        for folder in ("contexts", "worlds"):
            for module in package.glob(f"{folder}/apps/[!_]*.py"):
                module.unlink()
        _empty_worlds(package / "worlds")
    return target


def _empty_worlds(worlds: Path) -> None:
    """Remove the contents of all worlds, which belong to the removed apps. The gateway still needs its default world."""
    for described in [*worlds.glob("*/spec.yaml"), *worlds.glob("*/world.json")]:
        if described.parent.name != "empty":
            shutil.rmtree(described.parent)
            shutil.copytree(worlds / "empty", described.parent)


def copy_with_made_apps(target: Path, tools: int) -> Path:
    """Copy the project with a catalogue of generated apps that have `tools` tools in total.

    `notes00` has `note_add`, which inserts one row and reads it back, like the tool of that name in the yardstick.
    """
    copy_project(target, apps=False)
    for first in range(0, tools, _TOOLS_PER_APP):
        _add_app(target / "soundstage", f"notes{first // _TOOLS_PER_APP:02}", min(_TOOLS_PER_APP, tools - first))
    return target


def _add_app(root: Path, name: str, tools: int) -> None:
    declared: list[dict[str, Any]] = [
        {"name": NOTE_TOOL, "description": "Add a note and return it.", "effect": "create", "input_schema": _ADD_SCHEMA}
    ]
    for number in range(1, tools):
        description = "Find the notes with this title, a page at a time."
        declared.append(
            {"name": f"find_{number}", "description": description, "effect": "read", "input_schema": _FIND_SCHEMA}
        )
    described = {"title": name, "category": "made", "description": "Notes.", "server": {"name": name, "version": "1"}}
    server, kernels = root / "servers" / name, root / "kernels" / name
    for folder in (server, kernels):
        folder.mkdir()
        (folder / "__init__.py").touch()
    (server / "tools.json").write_bytes(orjson.dumps({**described, "tools": declared}))
    (server / "dialect.py").write_text(_DIALECT)
    (root / "contexts" / "apps" / f"{name}.py").write_text(_TABLES.format(app=name))
    for tool in declared:
        (kernels / f"{tool['name']}.py").write_text(_ADD if tool["name"] == NOTE_TOOL else _FIND)


def sized_world(root: Path, *, megabytes: float, name: str = SIZED) -> World:
    """Write a world into a copy of the project whose database has about this size.

    It has Lark of the world `studio` with further messages and no other app's objects, because all of `studio` is larger.
    """
    studio = load_world("studio")
    folder = root / "soundstage" / "worlds" / name
    world = World(name, "Sized", "Lark of the world studio with many messages.", studio.epoch_ms, folder)
    wanted = {APP: content(studio).objects[APP]}
    originals: list[Object] = wanted[APP]["message"]
    messages = wanted[APP]["message"] = originals[:_FIRST_MESSAGES]
    target = int(megabytes * 2**20)
    while (missing := target - _size(wanted)) > 0:
        more = max(1, missing * len(messages) // len(orjson.dumps(messages)))
        messages += [_another(originals[i % len(originals)], len(messages) + i) for i in range(more)]
    (folder / "state").mkdir(parents=True)
    described = {"title": world.title, "description": world.description, "epoch": iso(world.epoch_ms)}
    (folder / "world.json").write_bytes(orjson.dumps(described))
    for app, entities in wanted.items():
        (folder / "state" / f"{app}.json").write_bytes(orjson.dumps(entities))
    return world


def _size(wanted: state.State) -> int:
    """The bytes of a context that holds these objects."""
    connection = apsw.Connection(":memory:")
    create_tables(connection, shipped_tables(), world=SIZED, seed=0, clock=Clock("frozen", 0))
    context = open_context(connection)
    with context.transaction():
        state.load(context, wanted)
    pages, page_size = connection.pragma("page_count"), connection.pragma("page_size")
    context.close()
    return int(pages) * int(page_size)


def _another(message: Object, number: int) -> Object:
    """Return a copy of this message with a different id and text."""
    text = " ".join(_WORDS[(number * step) % len(_WORDS)] for step in range(1, 12))
    content = orjson.dumps({"text": f"{number} {text}"}).decode()
    fresh = {"message_id": make_id("om_{hex:32}", 0, "bench.message", number), "body": {"content": content}}
    copied = ("msg_type", "create_time", "update_time", "deleted", "updated", "chat_id", "sender")
    return {**{name: message[name] for name in copied if name in message}, **fresh}
