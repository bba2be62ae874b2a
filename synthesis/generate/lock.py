"""`servers/<app>/synthesis.json`: the origin, measurements and acceptance of each file of a synthesised app.

Only the files listed under `accepted` may be imported (`soundstage.app_roots`). A file whose digest differs from the
generated one was edited by hand and is never overwritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from soundstage.app_roots import LOCK, NAME, digest
from soundstage.bounded_input import JSON_LIMITS, Refused, read_json

FORMAT = 1
CANDIDATES = ".candidates"
"""The folder in a root for newly generated versions of edited files and for stored model answers."""
Verdict = Literal["kernel", "none"]
Origin = Literal["rule", "generated", "edited", "written"]
"""Derived by rule; from a generator; generated and then edited by hand; written by hand."""


class LockError(RuntimeError):
    """The app does not exist, or its lock cannot be used; the message contains the reason."""


@dataclass(slots=True)
class Lock:
    """An app's lock.

    Attributes:
        files: The origin of each file, by path below the root.
        tools: The measurements of each tool's kernel.
        accepted: The digest that may be imported, by path.
        looks: How often the held-out calls have been used for a measurement.
    """

    app: str
    server: Mapping[str, Any]
    recording: str
    generator: str
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    tools: dict[str, dict[str, Any]] = field(default_factory=dict)
    whole: dict[str, Any] = field(default_factory=dict)
    accepted: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    private: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the lock as JSON data."""
        return {
            "format": FORMAT, "app": self.app, "server": dict(self.server), "pool": self.recording, "generator": self.generator,
            "private": self.private, "heldout_looks": self.looks, "whole": self.whole, "tools": self.tools, "files": self.files,
            "accepted": dict(sorted(self.accepted.items())),
        }  # fmt: skip


def lock_path(root: Path, app: str) -> Path:
    """Return the path of an app's lock."""
    return root / "servers" / app / LOCK


def read_lock(root: Path, app: str) -> Lock:
    """Read an app's lock.

    Raises:
        LockError
    """
    if not NAME.fullmatch(app):
        raise LockError(
            f"{app!r} is not a valid app name: use lower-case letters, digits and _, beginning with a letter"
        )
    path = lock_path(root, app)
    try:
        data = read_json(path.read_bytes(), JSON_LIMITS)
    except FileNotFoundError:
        known = ", ".join(sorted(p.parent.name for p in root.glob(f"servers/*/{LOCK}"))) or "none"
        raise LockError(f"{root} has no app {app!r}; it has: {known}") from None
    except (OSError, Refused) as error:
        raise LockError(f"{path}: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LockError(f"{path} is not a lock of format {FORMAT}; create it again with `soundstage synthesise run`")
    return Lock(
        data["app"], data["server"], data["pool"], data["generator"], data["files"], data["tools"], data["whole"],
        data["accepted"], data["heldout_looks"], data["private"],
    )  # fmt: skip


def write_lock(root: Path, lock: Lock) -> None:
    """Write an app's lock."""
    write(
        lock_path(root, lock.app),
        json.dumps(lock.as_json(), ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n",
    )


def write(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def origin_now(root: Path, lock: Lock, path: str) -> Origin | None:
    """Return the origin of a file in its present state; None if it does not exist."""
    if not (root / path).is_file():
        return None
    entry = lock.files.get(path)
    if entry is None:
        return "written"
    same = digest((root / path).read_bytes()) == entry["digest"]
    origin: Origin = entry["origin"]
    return origin if same else "edited"
