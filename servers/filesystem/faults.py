"""Failures of the machine's disk in Node's words, and concurrent changes of files."""

from __future__ import annotations

from random import Random

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.disk import Entry
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.filesystem.rules.roots import started_with
from soundstage.servers.faults import Hit, said
from soundstage.servers.reply import Answer

SOURCES = {
    "rate_limit": "libuv's EMFILE: the process has as many files open as it may",
    "unavailable": "libuv's ENODEV: the volume has gone",
    "server_error": "libuv's EIO: the disk cannot be read",
    "auth_expired": "libuv's EACCES: the account that the server runs under has lost its right",
    "timeout": "libuv's ETIMEDOUT, as network volumes answer",
}


def rate_limit(hit: Hit) -> Answer:
    """Return the reply to a call that exceeds the rate limit."""
    return _refused(hit, "rate_limited", "EMFILE: too many open files")


def unavailable(hit: Hit) -> Answer:
    """Return the reply while the service is unavailable."""
    return _refused(hit, "unavailable", "ENODEV: no such device")


def server_error(hit: Hit) -> Answer:
    """Return the reply to a call that fails with a server error."""
    return _refused(hit, "internal", "EIO: i/o error")


def auth_expired(hit: Hit) -> Answer:
    """Return the reply after the login has expired."""
    return _refused(hit, "unauthorized", "EACCES: permission denied")


def timeout(hit: Hit) -> Answer:
    """Return the reply to a call that times out."""
    return _refused(hit, "unavailable", "ETIMEDOUT: connection timed out")


def file_vanishes(context: AppContext, random: Random) -> bool:
    """Another program deletes a file."""
    files = _files(context)
    if files:
        context.disk.remove(random.choice(files).path)
    return bool(files)


def file_grows(context: AppContext, random: Random) -> bool:
    """Another program appends a line to a text file."""
    files = [file for file in _files(context) if file.name.endswith((".txt", ".md", ".csv", ".log"))]
    if files:
        path = random.choice(files).path
        context.disk.write(path, context.disk.read(path) + b"# checked\n")
    return bool(files)


DRIFTS = {"file_vanishes": file_vanishes, "file_grows": file_grows}


def _refused(hit: Hit, kind: ErrorKind, words: str) -> Answer:
    path = next((hit.arguments[n] for n in ("path", "source") if isinstance(hit.arguments.get(n), str)), None)
    call = "scandir" if hit.tool.name.startswith(("list", "directory", "search")) else "open"
    return said(hit, f"{words}, {call}" + ("" if path is None else f" '{path}'"), kind)


def _files(context: AppContext) -> list[Entry]:
    """Return the files below the folders of the command line."""
    results: list[Entry] = []
    folders = [root for root in started_with(context) if (at := context.disk.stat(root)) and at.kind == "directory"]
    while folders:
        for entry in context.disk.list(folders.pop()):
            if entry.kind == "directory":
                folders.append(entry.path)
            elif entry.kind == "file":
                results.append(entry)
    return results
