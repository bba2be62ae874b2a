"""Changing a client's configuration file: worked out first, shown or written afterwards, never half."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from soundstage.gateway.connect import jsonc
from soundstage.gateway.connect.clients import ClientKind
from soundstage.untrusted import Limits, Refused, file_bytes

Entry = Mapping[str, Any]
_MARK = "\ufeff"
_LIMITS = Limits(size=8 * 2**20, values=100_000, depth=60)


class CannotChange(Exception):
    """The file is left as it is; the message says why and what would help."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after."""

    path: Path
    before: str
    after: str

    @property
    def nothing(self) -> bool:
        return self.before == self.after

    def difference(self) -> str:
        """Both as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), str(self.path), str(self.path), lineterm=""
        )
        return "\n".join(lines)


def entries(kind: ClientKind, path: Path) -> dict[str, Any]:
    """The servers that a client's file has.

    Raises:
        CannotChange: when it cannot be read.
    """
    text = _read(path)
    try:
        found = _toml(text).get(kind.member[0]) if kind.form == "toml" else jsonc.get(text or "{}", kind.member)
    except (jsonc.BrokenJson, TOMLKitError) as error:
        raise CannotChange(_broken(path, error)) from None
    return dict(found) if isinstance(found, dict) else {}


def with_server(kind: ClientKind, path: Path, name: str, entry: Entry) -> Change:
    """The file with a server set.

    Raises:
        CannotChange: when the file is broken or of another shape.
    """
    text = _read(path)
    try:
        if kind.form == "toml":
            after = _toml_with(text, kind.member[0], name, entry)
        else:
            after = jsonc.put(text if text.strip() else "{}\n", (*kind.member, name), dict(entry))
    except (jsonc.BrokenJson, TOMLKitError) as error:
        raise CannotChange(_broken(path, error)) from None
    except jsonc.WrongShape as error:
        raise CannotChange(f"{path}: {error}; it is left as it is") from None
    return Change(path, text, after)


def without_server(kind: ClientKind, path: Path, name: str) -> Change:
    """The file without a server.

    Raises:
        CannotChange: when the file is broken.
    """
    text = _read(path)
    try:
        if kind.form == "toml":
            document = _toml(text)
            servers = document.get(kind.member[0])
            if not isinstance(servers, dict) or name not in servers:
                return Change(path, text, text)
            del servers[name]
            after = tomlkit.dumps(document)
        else:
            after = jsonc.drop(text, (*kind.member, name)) if text.strip() else text
    except (jsonc.BrokenJson, TOMLKitError) as error:
        raise CannotChange(_broken(path, error)) from None
    return Change(path, text, after)


def write(change: Change) -> Path | None:
    """Write the file whole.

    Returns:
        Where the copy of the old one is; None where there was none.

    Raises:
        CannotChange: when it cannot be written.
    """
    path = change.path.resolve()  # a link, as people who keep their settings in git have it, stays one
    copy = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            copy = _free(path)
            shutil.copy2(path, copy)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(change.after.encode())
        if copy is not None:
            shutil.copymode(path, name)
        Path(name).replace(path)
    except OSError as error:
        raise CannotChange(f"{path} cannot be written ({error.strerror or error})") from None
    return copy


def _free(path: Path) -> Path:
    """A name for the copy that is not taken."""
    stem = f"{path.name}.{datetime.now():%Y%m%d-%H%M%S}"
    for number in range(1000):
        copy = path.with_name(f"{stem}{f'-{number}' if number else ''}.backup")
        if not copy.exists():
            return copy
    raise CannotChange(f"{path.parent} is full of backups")


def _read(path: Path) -> str:
    """The file's text; a byte order mark stays in it as a blank that both readers skip."""
    try:
        return file_bytes(path, _LIMITS).decode()
    except FileNotFoundError:
        return ""
    except Refused as refused:
        raise CannotChange(f"{path} {refused}; it is left as it is") from None
    except UnicodeDecodeError:
        raise CannotChange(f"{path} is no UTF-8 text; it is left as it is") from None
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
        raise CannotChange(f"{member} is no table; the file is left as it is")
    table = tomlkit.table()
    for key, value in entry.items():
        table[key] = value
    servers[name] = table
    return tomlkit.dumps(document)


def _broken(path: Path, error: Exception) -> str:
    return f"{path} is broken ({error}); it is left as it is. Mend it and run this again"
