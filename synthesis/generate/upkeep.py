"""Maintain a synthesised app: edited files, acceptance, and adoption into a source tree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from soundstage.app_roots import digest
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.table_files import read_tables
from soundstage.servers.declared import read_dialect, read_faults
from soundstage.synthesis.generate.lock import Lock, LockError, origin_now, read_lock, write, write_lock
from soundstage.synthesis.generate.package import dialect_path, faults_path, tables_path
from soundstage.synthesis.generate.prompt import kernel_path
from soundstage.synthesis.generate.static_check import check, part_of

_TABLES_MODULE = '''"""The entities of {app}: `{app}.json` declares them."""

from __future__ import annotations

from soundstage.contexts.engine.table_files import tables_of_module

TABLES = tables_of_module(__file__)
'''
_DIALECT_MODULE = '''"""How {app} checks arguments and words replies: `dialect.json` declares it."""

from __future__ import annotations

from soundstage.servers.declared import dialect_of_module

_DIALECT = dialect_of_module(__file__)
check = _DIALECT.check
success = _DIALECT.success
failure = _DIALECT.failure
internal_error = _DIALECT.internal_error
unknown_tool = _DIALECT.unknown_tool
'''


class FileState(TypedDict):
    """A file of an app: its present origin, and whether its present content is accepted (yes, no, another version)."""

    file: str
    origin: str
    accepted: str


def file_states(root: Path, app: str) -> list[FileState]:
    """Return the state of every file of an app.

    Raises:
        LockError
    """
    lock = read_lock(root, app)
    result: list[FileState] = []
    for path in _paths(root, lock):
        origin = origin_now(root, lock, path) or "missing"
        wanted = lock.accepted.get(path)
        same = origin != "missing" and wanted == digest((root / path).read_bytes())
        accepted = "yes" if same else "no" if wanted is None else "another version"
        result.append(FileState(file=path, origin=origin, accepted=accepted))
    return result


def accept_files(root: Path, app: str, tools: tuple[str, ...], by: str) -> list[str]:
    """Accept the present files of some or all tools of an app, and let their kernels answer these tools.

    Raises:
        LockError: A tool is unknown, or the static check rejects a file.
    """
    lock = read_lock(root, app)
    for tool in tools:
        if tool not in lock.tools:
            raise LockError(f"{app} has no tool {tool!r}; it has: {', '.join(lock.tools)}")
    wanted = [tool for tool in (tools or tuple(lock.tools)) if (root / kernel_path(app, tool)).is_file()]
    if missing := [tool for tool in tools if tool not in wanted]:
        raise LockError(f"{missing[0]} has no file {kernel_path(app, missing[0])}")
    shared = [path for path in _paths(root, lock) if part_of(path, app) == "rules" or path in _data_of(app)]
    paths = {*(kernel_path(app, tool) for tool in wanted), *shared}
    content = {path: (root / path).read_bytes() for path in sorted(paths) if (root / path).is_file()}
    if findings := check({p: c for p, c in content.items() if part_of(p, app) is not None}, app):
        raise LockError("; ".join(str(finding) for finding in findings[:5]))
    _check_data(app, content)
    done: list[str] = []
    for path, data in content.items():
        if lock.accepted.get(path) != digest(data):
            lock.accepted[path] = digest(data)
            lock.files[path] = {
                **lock.files.get(path, {"origin": "written", "digest": digest(data)}),
                "accepted_by": by,
            }
            done.append(path)
    for tool in wanted:
        if lock.tools[tool]["answered_by"] != "kernel":
            lock.tools[tool] |= {"answered_by": "kernel", "accepted_by": by}
            done.append(tool)
    _list_tools(root, lock)
    write_lock(root, lock)
    return done


def adopt_into(root: Path, app: str, checkout: Path) -> list[str]:
    """Copy an app's accepted files into a source tree, with modules that read its tables and dialect.

    Raises:
        LockError: The folder is not a source tree, it has such an app, or a file differs from the accepted one.
    """
    if not (checkout / "servers" / "catalogue.py").is_file():
        raise LockError(f"{checkout} is not a checkout of Soundstage")
    if (checkout / "servers" / app).exists():
        raise LockError(f"{checkout} has an app {app} already")
    lock = read_lock(root, app)
    content: dict[str, bytes] = {}
    for path, accepted in lock.accepted.items():
        content[path] = (root / path).read_bytes() if (root / path).is_file() else b""
        if digest(content[path]) != accepted:
            raise LockError(f"{path} is not what was accepted; see `soundstage synthesise status {app}`")
    for folder in (f"kernels/{app}", f"servers/{app}", f"kernels/{app}/rules"):
        content.setdefault(f"{folder}/__init__.py", b"")
    content[f"contexts/apps/{app}.py"] = _TABLES_MODULE.format(app=app).encode()
    content[f"servers/{app}/dialect.py"] = _DIALECT_MODULE.format(app=app).encode()
    content[f"servers/{app}/synthesis.json"] = json.dumps(lock.as_json(), ensure_ascii=False, indent=1).encode() + b"\n"
    for path, data in content.items():
        write(checkout / path, data)
    return sorted(content)


def _data_of(app: str) -> tuple[str, ...]:
    """Return the data files of an app that a person may edit."""
    return (tables_path(app), dialect_path(app), faults_path(app))


def _check_data(app: str, content: Mapping[str, bytes]) -> None:
    """Check an app's data files as the gateway will.

    Raises:
        LockError: The message names the file, the place and the valid form.
    """
    tables, dialect, faults = _data_of(app)
    try:
        if tables in content:
            read_tables(app, content[tables], tables)
        if dialect in content:
            read_dialect(content[dialect], dialect)
        if faults in content:
            read_faults(content[faults], faults)
    except BrokenApp as error:
        raise LockError(str(error)) from None


def _list_tools(root: Path, lock: Lock) -> None:
    """Write the present call handler of each tool into `tools.json`."""
    path = f"servers/{lock.app}/tools.json"
    listing = json.loads((root / path).read_bytes())
    for tool in listing["tools"]:
        tool["answered_by"] = lock.tools[tool["name"]]["answered_by"]
    content = json.dumps(listing, ensure_ascii=False, indent=1).encode() + b"\n"
    write(root / path, content)
    lock.accepted[path] = digest(content)
    lock.files[path] = {"origin": "rule", "digest": digest(content)}


def _paths(root: Path, lock: Lock) -> list[str]:
    below = [p.relative_to(root).as_posix() for p in (root / "kernels" / lock.app).rglob("*.py")]
    data = [path for path in _data_of(lock.app) if (root / path).is_file()]
    return sorted({*lock.files, *below, *data})
