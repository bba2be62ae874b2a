"""A synthesised app later: what of its files was edited, what somebody accepts, and its way into a source tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

from soundstage.roots import digest
from soundstage.synthesis.generate.brief import kernel_path
from soundstage.synthesis.generate.gate import check, part_of
from soundstage.synthesis.generate.lock import Lock, LockError, origin_now, read_lock, write, write_lock


class FileState(TypedDict):
    """A file of an app: where it comes from as it lies there now, and whether just this is accepted (yes, no, another
    version).
    """

    file: str
    origin: str
    accepted: str


def file_states(root: Path, app: str) -> list[FileState]:
    """Every file of an app.

    Raises:
        LockError
    """
    lock = read_lock(root, app)
    found: list[FileState] = []
    for path in _paths(root, lock):
        origin = origin_now(root, lock, path) or "missing"
        wanted = lock.accepted.get(path)
        same = origin != "missing" and wanted == digest((root / path).read_bytes())
        accepted = "yes" if same else "no" if wanted is None else "another version"
        found.append(FileState(file=path, origin=origin, accepted=accepted))
    return found


def accept_files(root: Path, app: str, tools: tuple[str, ...], by: str) -> list[str]:
    """Accept an app's files as they lie there now, those of some tools or all, and have these tools answered by their kernels.

    Raises:
        LockError: a tool is not known, or the gate does not let a file through.
    """
    lock = read_lock(root, app)
    for tool in tools:
        if tool not in lock.tools:
            raise LockError(f"{app} has no tool {tool!r}; it has: {', '.join(lock.tools)}")
    wanted = [tool for tool in (tools or tuple(lock.tools)) if (root / kernel_path(app, tool)).is_file()]
    if missing := [tool for tool in tools if tool not in wanted]:
        raise LockError(f"{missing[0]} has no file {kernel_path(app, missing[0])}")
    shared = [
        p for p in _paths(root, lock) if part_of(p, app) != "kernel" and not p.endswith(("tools.json", "facts.json"))
    ]
    paths = {*(kernel_path(app, tool) for tool in wanted), *shared}
    content = {path: (root / path).read_bytes() for path in sorted(paths) if (root / path).is_file()}
    if found := check({p: c for p, c in content.items() if part_of(p, app) is not None}, app):
        raise LockError("; ".join(str(finding) for finding in found[:5]))
    done: list[str] = []
    for path, held in content.items():
        if lock.accepted.get(path) != digest(held):
            lock.accepted[path] = digest(held)
            lock.files[path] = {
                **lock.files.get(path, {"origin": "written", "digest": digest(held)}),
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
    """Copy an app's accepted files into a source tree.

    Raises:
        LockError: it is none, it has such an app, or a file is not what was accepted.
    """
    if not (checkout / "servers" / "catalogue.py").is_file():
        raise LockError(f"{checkout} is no checkout of Soundstage")
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
    content[f"servers/{app}/synthesis.json"] = json.dumps(lock.plain(), ensure_ascii=False, indent=1).encode() + b"\n"
    for path, held in content.items():
        write(checkout / path, held)
    return sorted(content)


def _list_tools(root: Path, lock: Lock) -> None:
    """Have `tools.json` say what answers each tool now."""
    path = f"servers/{lock.app}/tools.json"
    told = json.loads((root / path).read_bytes())
    for tool in told["tools"]:
        tool["answered_by"] = lock.tools[tool["name"]]["answered_by"]
    content = json.dumps(told, ensure_ascii=False, indent=1).encode() + b"\n"
    write(root / path, content)
    lock.accepted[path] = digest(content)
    lock.files[path] = {"origin": "rule", "digest": digest(content)}


def _paths(root: Path, lock: Lock) -> list[str]:
    below = [p.relative_to(root).as_posix() for p in (root / "kernels" / lock.app).rglob("*.py")]
    return sorted({*lock.files, *below})
