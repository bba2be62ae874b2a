"""The checks of `soundstage doctor`. Each finding describes the state and, if necessary, the remedy."""

from __future__ import annotations

import platform
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import apsw

import soundstage
from soundstage.gateway.connect.clients import CLIENTS, ClientKind, Machine
from soundstage.gateway.connect.files import CannotChange, entries
from soundstage.gateway.connect.trial import Failed, Trial, try_entry
from soundstage.gateway.connect.weight import Weight
from soundstage.gateway.settings import DEFAULT_PORT, DataFolderError, prepare_data_folder

Verdict = Literal["ok", "note", "bad"]
_LITTLE_DISK = 500 * 1024 * 1024
_LONG_REPLY = 100_000


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. `advice` is the remedy, empty if none is necessary."""

    about: str
    verdict: Verdict
    what: str
    advice: str = ""


def examine(data: Path, running: str | None, machine: Machine) -> Iterator[Finding]:
    """Run all checks, one finding after the other. `running` is the address of the gateway on this data folder."""
    yield Finding(
        "versions",
        "ok",
        f"soundstage {soundstage.__version__}, Python {platform.python_version()}, mcp {version('mcp')}, "
        f"SQLite {apsw.sqlitelibversion()}",
    )
    yield from _data_folder(data)
    yield _port(running)
    yield from _replies(data)
    for kind in CLIENTS.values():
        yield from _client(kind, machine)


def _data_folder(data: Path) -> Iterator[Finding]:
    try:
        prepare_data_folder(data)
    except DataFolderError as error:
        yield Finding("data folder", "bad", str(error), "give a folder that can be written with --data")
        return
    free = shutil.disk_usage(data).free
    sessions = len(list((data / "sessions").glob("*.db"))) if (data / "sessions").exists() else 0
    what = f"{data}: {sessions} sessions, {free // 2**20:,} MiB free"
    if free < _LITTLE_DISK:
        yield Finding("data folder", "bad", what, "free disk space: a full disk refuses every call that writes")
    else:
        yield Finding("data folder", "ok", what)


def _port(running: str | None) -> Finding:
    if running is not None:
        return Finding("gateway", "ok", f"runs at {running}")
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            return Finding(
                "gateway",
                "bad",
                f"port {DEFAULT_PORT} is taken by another program",
                "serve on another: soundstage serve --port 8701; clients that use an address have to name it too",
            )
    return Finding(
        "gateway",
        "note",
        f"does not run; port {DEFAULT_PORT} is free",
        "clients with a command need none; for --http: soundstage serve",
    )


def _replies(data: Path) -> Iterator[Finding]:
    """Check the longest replies of all sessions so far."""
    longest = 0
    for path in sorted((data / "sessions").glob("*.db"), key=lambda p: -p.stat().st_mtime)[:20]:
        try:
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
                largest = connection.execute("SELECT max(length(reply)) FROM _journal").fetchone()[0]
        except sqlite3.Error:
            continue
        longest = max(longest, largest or 0)
    if not longest:
        return
    what = f"the longest reply of the last sessions has {longest:,} characters"
    if longest > _LONG_REPLY:
        yield Finding("reply sizes", "note", what, "clients cut or refuse such; let the agent ask for smaller pages")
    else:
        yield Finding("reply sizes", "ok", what)


def _client(kind: ClientKind, machine: Machine) -> Iterator[Finding]:
    path = kind.path(machine)
    if not kind.installed(machine):
        yield Finding(kind.title, "note", f"not here (no {path})")
        return
    try:
        configured = entries(kind, path)
    except CannotChange as error:
        yield Finding(kind.title, "bad", str(error), "it loads no server from a broken file; mend it")
        return
    ours = {name: entry for name, entry in configured.items() if isinstance(entry, dict) and _is_ours(name, entry)}
    if not ours:
        yield Finding(kind.title, "note", f"is here, without Soundstage ({path})", f"soundstage connect {kind.name}")
    for name, entry in ours.items():
        yield from _server(kind, name, entry)


def _is_ours(name: str, entry: dict[str, Any]) -> bool:
    return "soundstage" in name or "soundstage" in str(entry.get("command", ""))


def _server(kind: ClientKind, name: str, entry: dict[str, Any]) -> Iterator[Finding]:
    about = f"{kind.title}: {name}"
    try:
        trial = try_entry(entry)
    except Failed as error:
        again = f"rewrite the entry: soundstage connect {kind.name}"
        advice = f"start the gateway (soundstage serve), or {again}" if "command" not in entry else again
        yield Finding(about, "bad", f"does not start: {error}", advice)
        return
    yield Finding(
        about,
        "ok",
        f"answers: {len(trial.names)} tools after {trial.seconds:.1f} s, a call of {trial.called} came back",
    )
    yield from limits(kind, name, about, trial)


def limits(kind: ClientKind, server: str, about: str, trial: Trial) -> Iterator[Finding]:
    """Check a server's tools against its client's limits."""
    prefix = kind.prefix.format(server=server)
    long = [n for n in trial.names if len(prefix + n) > kind.longest_name]
    if long:
        yield Finding(
            about,
            "bad",
            f"{len(long)} tool names are over {kind.longest_name} characters as the client calls them, such as {prefix}{long[0]}",
            "choose a shorter server name with --name, or list the search tools alone with --tools search",
        )
    weight = Weight(len(trial.names), trial.list_bytes)
    fewer = f"soundstage connect {kind.name} --tools search, or --apps with fewer apps"
    if weight.too_many(kind):
        yield Finding(
            about, "bad", f"{weight.tools} tools, and {kind.title} gives its model at most {kind.most_tools}", fewer
        )
    if kind.longest_reply is not None and trial.reply_bytes > kind.longest_reply:
        yield Finding(
            about, "note", f"the call's reply has {trial.reply_bytes:,} bytes", "the client cuts replies of this size"
        )
    size = f"the list of tools has {weight.list_bytes:,} bytes, about {weight.tokens:,} tokens"
    if weight.heavy(kind):
        yield Finding(about, "note", f"{size}, which its model reads with every request", fewer)
    else:
        yield Finding(about, "ok", size)
