"""Paths, and what is there: one folder that may be looked into, and all below it."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.errors import AppError

ROOT = "/scratch"
MOST_BYTES = 255


def valid(path: str) -> str:
    """A path as it is looked up: whole, without `.` and `..`, in the folder that may be looked into."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{ROOT}/{path}").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    whole = "/" + "/".join(parts)
    if whole != ROOT and not whole.startswith(f"{ROOT}/"):
        raise AppError("denied", f"Access denied - path outside allowed directories: {whole} not in {ROOT}")
    if any(len(part.encode()) > MOST_BYTES for part in parts):
        raise AppError("invalid", f"ENAMETOOLONG: name too long, realpath '{whole}'")
    return whole


def parent(path: str) -> str:
    """The folder that a path is in."""
    return path.rpartition("/")[0]


def kind(context: AppContext, path: str) -> str | None:
    """What is at a path: a file, a directory, or nothing."""
    if path == ROOT:
        return "directory"
    entry = context.get("entry", path)
    return None if entry is None else str(entry["kind"])


def missing(context: AppContext, path: str, deed: str) -> AppError:
    """What is said of a path at which nothing is."""
    if kind(context, parent(path)) == "file":
        return AppError("invalid", f"ENOTDIR: not a directory, {deed} '{path}'")
    return AppError("not_found", f"ENOENT: no such file or directory, {deed} '{path}'")


def text(context: AppContext, path: str) -> str:
    """What a file has in it."""
    whole = valid(path)
    found = kind(context, whole)
    if found is None:
        raise missing(context, whole, "open")
    if found == "directory":
        raise AppError("invalid", "EISDIR: illegal operation on a directory, read")
    return str(context.get("entry", whole)["text"])


def folder(context: AppContext, path: str) -> str:
    """A folder's whole path."""
    whole = valid(path)
    found = kind(context, whole)
    if found is None:
        raise missing(context, whole, "scandir")
    if found == "file":
        raise AppError("invalid", f"ENOTDIR: not a directory, scandir '{whole}'")
    return whole


def inside(context: AppContext, whole: str) -> list[Object]:
    """What lies in a folder, by name."""
    return sorted(
        (one for one in context.list("entry") if parent(one["path"]) == whole), key=lambda one: str(one["path"])
    )


def name(entry: Object) -> str:
    """The last part of an entry's path."""
    return str(entry["path"]).rpartition("/")[2]
