"""Find the package and version that a server's command is installed from; servers rarely report it themselves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path


def package_of(command: Sequence[str]) -> str | None:
    """Return the npm or Python package as `name@version`; None if the command's files do not reveal it."""
    if "-m" in command[:-1]:  # a module of the environment whose interpreter, or runner, is named before it
        at = command.index("-m")
        runners = (Path(shutil.which(word) or word) for word in command[:at])
        return next((package for path in runners if (package := _of_python(path, command[at + 1])) is not None), None)
    for word in (*command[1:], *command[:1]):
        path = Path(shutil.which(word) or word)
        if path.is_file() and (package := _of_npm(path.resolve()) or _of_python(path, path.stem)) is not None:
            return package
    return None


def _of_npm(path: Path) -> str | None:
    for folder in path.parents:
        try:
            manifest = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and manifest.get("name") and manifest.get("version"):
            return f"{manifest['name']}@{manifest['version']}"
    return None


def _of_python(path: Path, module: str) -> str | None:
    """Find the package of a script: `bin/mcp-server-git` and `lib/python3.11/site-packages/mcp_server_git-1.0.dist-info`."""
    name = module.replace("-", "_").lower()
    for folder in sorted(path.parent.parent.glob("[Ll]ib/**/site-packages")):
        for info in sorted(folder.glob("*.dist-info")):
            package, _, version = info.name.removesuffix(".dist-info").partition("-")
            if package.lower() == name:
                return f"{package.replace('_', '-')}@{version}"
    return None
