"""Which package, and of which version, the command that starts a server is installed from: servers rarely say so themselves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path


def package_of(command: Sequence[str]) -> str | None:
    """The package as `name@version`, of npm or of Python; None where the files of the command do not tell."""
    for word in (*command[1:], *command[:1]):
        path = Path(shutil.which(word) or word)
        if path.is_file() and (found := _of_npm(path.resolve()) or _of_python(path)) is not None:
            return found
    return None


def _of_npm(path: Path) -> str | None:
    for folder in path.parents:
        try:
            told = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(told, dict) and told.get("name") and told.get("version"):
            return f"{told['name']}@{told['version']}"
    return None


def _of_python(path: Path) -> str | None:
    """By a script's environment: `bin/mcp-server-git` beside `lib/python3.11/site-packages/mcp_server_git-1.0.dist-info`."""
    name = path.stem.replace("-", "_").lower()
    for folder in sorted(path.parent.parent.glob("[Ll]ib/**/site-packages")):
        for info in sorted(folder.glob("*.dist-info")):
            package, _, version = info.name.removesuffix(".dist-info").partition("-")
            if package.lower() == name:
                return f"{package.replace('_', '-')}@{version}"
    return None
