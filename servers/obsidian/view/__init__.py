"""The view of a vault: its folder tree, a rendered note with its properties, and the notes that link to it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.obsidian.rules.notes import front_matter, front_matter_text
from soundstage.kernels.obsidian.rules.vault import is_note, text_of
from soundstage.servers.obsidian.view.links import Links
from soundstage.servers.obsidian.view.markdown import rendered, value_text
from soundstage.servers.view import Query, View

_MOST_FILES = 2000
_MOST_LINKING = 40
_LONGEST = 60_000
_DEEPEST = 30


def show(context: AppContext, query: Query, now: datetime) -> View:
    """Show the vault; the query's `file` is the open note, and `vault` another account's vault."""
    vault = query.get("vault") or None
    files = _files(context, vault)
    links = Links(files)
    file = files.get(query.get("file", "")) or _newest(files.values())
    settings = context.first("settings") if vault is None else context.get("other_vault", vault)
    others = {file["vault"] for file in context.list("other_file", limit=_MOST_FILES)}
    data: dict[str, Any] = {
        "name": (settings or {}).get("name") or "Vault",
        "vault": vault,
        "vaults": [
            (v["vault"], v.get("name") or v["vault"]) for v in context.list("other_vault") if v["vault"] in others
        ],
        "tree": _tree(files.values(), "" if file is None else file["path"]),
        "file": file,
        "entity": "file" if vault is None else "other_file",
    }
    zone = _zone(settings or {})
    if file is not None:
        data |= _note(file, links, zone)
    return View("vault.html.jinja", data, zone)


def place(context: AppContext, entity: str, value: Object) -> Query | None:
    """Return the query for a file of any vault."""
    if entity == "file":
        return {"file": str(value.get("path"))}
    return {"file": str(value.get("path")), "vault": str(value.get("vault"))} if entity == "other_file" else None


def _files(context: AppContext, vault: str | None) -> dict[str, Object]:
    rows = (
        context.list("file", order="path", limit=_MOST_FILES)
        if vault is None
        else context.list("other_file", {"vault": vault}, order="path", limit=_MOST_FILES)
    )
    return {file["path"]: file for file in rows}


def _newest(files: Iterable[Object]) -> Object | None:
    return max(files, key=lambda file: _changed_at(file) or 0, default=None)


def _changed_at(file: Object) -> float | None:
    stat = file.get("stat") or {}
    return stat.get("mtime")


def _note(file: Object, links: Links, zone: tzinfo) -> dict[str, Any]:
    """Return the displayed data of a file: its properties, its text, and the notes that link to it."""
    text = text_of(file)
    matter = front_matter_text(text) if is_note(file["path"]) else None
    body = text[matter.end() if matter else 0 :]
    changed = _changed_at(file)
    return {
        "title": file["path"].rsplit("/", 1)[-1].removesuffix(".md"),
        "folders": file["path"].split("/")[:-1],
        "properties": [(name, value_text(value)) for name, value in front_matter(text).items()] if matter else [],
        "body": rendered(body[:_LONGEST], links) if is_note(file["path"]) else None,
        "plain": "" if is_note(file["path"]) else text[:_LONGEST],
        "cut": max(len(body) - _LONGEST, 0),
        "linking": links.to(file["path"])[:_MOST_LINKING],
        "changed_at": _moment(changed, zone),
        "words": len(body.split()),
    }


def _moment(milliseconds: float | None, zone: tzinfo) -> datetime | None:
    try:
        return None if milliseconds is None else from_ms(int(milliseconds)).astimezone(zone)
    except (OverflowError, ValueError):
        return None


def _tree(files: Iterable[Object], current: str) -> list[dict[str, Any]]:
    """Return the tree, folders first, sorted by name; folders on the path to the open file are expanded."""
    root: dict[str, Any] = {"folders": {}, "files": []}
    for file in files:
        *folders, name = file["path"].split("/")
        at = root
        for folder in folders[:_DEEPEST]:
            at = at["folders"].setdefault(folder, {"folders": {}, "files": []})
        at["files"].append((name.removesuffix(".md"), file["path"]))
    return _level(root, "", current)


def _level(at: dict[str, Any], path: str, current: str) -> list[dict[str, Any]]:
    below = [
        {"name": name, "open": current.startswith(f"{path}{name}/"), "below": _level(inner, f"{path}{name}/", current)}
        for name, inner in sorted(at["folders"].items())
    ]
    return below + [{"name": name, "path": full, "below": None} for name, full in sorted(at["files"])]


def _zone(settings: Object) -> tzinfo:
    try:
        return ZoneInfo(settings.get("zone") or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
