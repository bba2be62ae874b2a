"""Change a client's configuration file: first compute the change, then show or write it atomically."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from soundstage.bounded_input import Limits, Refused, file_bytes
from soundstage.gateway.connect import jsonc
from soundstage.gateway.connect.clients import ClientKind

Entry = Mapping[str, Any]
_MARK = "\ufeff"
_LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)
_BROKEN = (jsonc.BrokenJson, TOMLKitError)


class CannotChange(Exception):
    """The file is unchanged; the message explains the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None means no file.

    `keep` means that the current file must be backed up next to it, because no existing copy leads back to it.
    """

    path: Path
    before: str | None
    after: str | None
    keep: bool = False

    @property
    def nothing(self) -> bool:
        """Whether the file stays as it is."""
        return self.before == self.after

    def difference(self) -> str:
        """Return the change as a unified diff; a removed file is marked as such."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(),
            (self.after or "").splitlines(),
            str(self.path),
            str(self.path) if self.after is not None else "(no file)",
            lineterm="",
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Origin:
    """The history of a file that only Soundstage has changed.

    `before` is the original (None: there was none), `added` the servers added since, in order.
    """

    before: str | None
    added: dict[str, Entry]


def entries(kind: ClientKind, path: Path) -> dict[str, Any]:
    """Return the servers in a client's file.

    Raises:
        CannotChange: the file cannot be read.
    """
    try:
        return _servers(kind, _read(path) or "")
    except _BROKEN as error:
        raise CannotChange(_broken(path, error)) from None


def with_server(kind: ClientKind, path: Path, name: str, entry: Entry) -> Change:
    """Compute the file with a server set.

    Raises:
        CannotChange: the file is broken or has another structure.
    """
    text = _read(path)
    try:
        origin = _origin(kind, path, text)
        if origin is None:
            return Change(path, text, _put(kind, text, name, entry), keep=text is not None)
        return Change(path, text, _put_all(kind, origin.before, {**origin.added, name: dict(entry)}))
    except _BROKEN as error:
        raise CannotChange(_broken(path, error)) from None
    except jsonc.WrongShape as error:
        raise CannotChange(f"{path}: {error}; it is left as it is") from None


def without_server(kind: ClientKind, path: Path, name: str) -> Change:
    """Compute the file without a server.

    If only Soundstage has changed it, the result is byte for byte the original, or no file if there was none.

    Raises:
        CannotChange: the file is broken.
    """
    text = _read(path)
    if text is None:
        return Change(path, None, None)
    try:
        if name not in _servers(kind, text):
            return Change(path, text, text)
        origin = _origin(kind, path, text)
        if origin is not None and name in origin.added:
            rest = {n: e for n, e in origin.added.items() if n != name}
            return Change(path, text, _put_all(kind, origin.before, rest))
        return Change(path, text, _without(kind, text, name, _read(kept_copy(path))), keep=True)
    except _BROKEN as error:
        raise CannotChange(_broken(path, error)) from None


def snippet(kind: ClientKind, name: str, entry: Entry) -> str:
    """Return a client's file with this server alone."""
    return _put(kind, None, name, entry)


def kept_copy(path: Path) -> Path:
    """Return the path of the backup of the original file, next to it."""
    path = path.resolve()  # a symbolic link, as in settings under version control, stays one
    return path.with_name(f"{path.name}.soundstage-backup")


def write(change: Change) -> Path | None:
    """Write the file atomically, or remove it.

    Returns:
        The path of the backup; None if there was no file, or if it is equal to the original again.

    Raises:
        CannotChange: the file cannot be written.
    """
    path, copy = change.path.resolve(), kept_copy(change.path)
    try:
        if change.after is None:
            path.unlink()
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        if change.keep:
            shutil.copy2(path, copy)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(change.after.encode())
        if path.exists():
            shutil.copymode(path, name)
        Path(name).replace(path)
        if copy.exists() and copy.read_bytes() == change.after.encode():
            copy.unlink()
    except OSError as error:
        raise CannotChange(f"{path} cannot be written ({error.strerror or error})") from None
    return copy if copy.exists() else None


def _origin(kind: ClientKind, path: Path, text: str | None) -> _Origin | None:
    """Return the file's history; None if another program or person has changed it since its backup."""
    if text is None:
        return _Origin(None, {})
    there = _servers(kind, text)
    for before in dict.fromkeys((_read(kept_copy(path)), None)):
        try:
            known = _servers(kind, before or "")
            added = {name: entry for name, entry in there.items() if name not in known}
            if added and _put_all(kind, before, added) == text:
                return _Origin(before, added)
        except (*_BROKEN, jsonc.WrongShape):
            continue  # the backup itself was edited
    return None


def _servers(kind: ClientKind, text: str) -> dict[str, Any]:
    if kind.form == "toml":
        servers = _toml(text).unwrap().get(kind.member[0])
    else:
        servers = jsonc.get(text if text.strip() else "{}", kind.member)
    return dict(servers) if isinstance(servers, dict) else {}


def _put(kind: ClientKind, text: str | None, name: str, entry: Entry) -> str:
    text = text or ""
    if kind.form == "toml":
        return _toml_with(text, kind.member[0], name, entry)
    return jsonc.put(text if text.strip() else "{}\n", (*kind.member, name), dict(entry))


def _put_all(kind: ClientKind, text: str | None, added: Mapping[str, Entry]) -> str | None:
    for name, entry in added.items():
        text = _put(kind, text, name, entry)
    return text


def _without(kind: ClientKind, text: str, name: str, before: str | None) -> str:
    """Remove one server from the text; with the last one, also remove the members that were added to hold it."""
    if kind.form == "toml":
        document = _toml(text)
        del document[kind.member[0]][name]
        return tomlkit.dumps(document)
    left = jsonc.drop(text, (*kind.member, name))
    made = before is not None and jsonc.get(before if before.strip() else "{}", kind.member) is None
    return jsonc.drop(left, kind.member) if made and not _servers(kind, left) else left


def _read(path: Path) -> str | None:
    """Return the file's text, or None; a byte order mark becomes a blank, which both readers skip."""
    try:
        return file_bytes(path, _LIMITS).decode()
    except FileNotFoundError:
        return None
    except Refused as refused:
        raise CannotChange(f"{path} {refused}; it is left as it is") from None
    except UnicodeDecodeError:
        raise CannotChange(f"{path} is not UTF-8 text; it is left as it is") from None
    except OSError as error:
        raise CannotChange(f"{path} cannot be read ({error.strerror or error})") from None


def _toml(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text.removeprefix(_MARK))
    except RecursionError:
        raise TOMLKitError("it is nested too deeply") from None


def _toml_with(text: str, member: str, name: str, entry: Entry) -> str:
    document = _toml(text)
    if member not in document:
        document[member] = tomlkit.table(is_super_table=True)
    servers = document[member]
    if not isinstance(servers, dict):
        raise CannotChange(f"{member} is not a table; the file is left as it is")
    table = tomlkit.table()
    for key, value in entry.items():
        table[key] = value
    servers[name] = table
    return tomlkit.dumps(document)


def _broken(path: Path, error: Exception) -> str:
    return f"{path} is broken ({error}); it is left as it is. Mend it and run this again"
