"""The version of an app: a hash over everything that decides what the app answers."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from soundstage import app_roots
from soundstage.code_hash import code_of

_PACKAGE = Path(__file__).parent.parent
_SHARED = re.compile(
    rb"^[ \t]*(?:from|import) soundstage\.((?:kernels\.engines|servers\.wording)[\w.]*)(?: import (\([^)]*\)|.*))?",
    re.MULTILINE,
)
_NAME = re.compile(rb"\w+")
_OF_DATA = ("servers/declared.py", "servers/families.py")
"""The modules that make a dialect of the data of an app of a root."""


@cache
def version_of(app: str) -> str:
    """Return twelve hex digits over the app's kernels, rules, dialect, faults, `tools.json` and tables.

    Shared engines and wordings that these files import are included. Contexts, gateway and views are not: they are the same for
    every app. Comments and docstrings do not count.
    """
    files = _files(app)
    trusted = app_roots.root_of(app) is None  # sources that are not are hashed as they are: parsing could crash
    content = hashlib.blake2b(digest_size=6)
    for path in sorted(files, key=lambda path: path.split("/")):
        code = code_of(files[path]) if trusted and path.endswith(".py") else files[path]
        content.update(path.encode() + b"\x00" + code + b"\x00")
    return content.hexdigest()


def _files(app: str) -> dict[str, bytes]:
    """Return file contents by path below the package, or below the app's root."""
    result = _own_files(app)
    waiting = [path for name, content in result.items() if _may_import(app, name) for path in _imported(content)]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(_PACKAGE).as_posix()
        if name not in result and path.exists():
            result[name] = path.read_bytes()
            waiting += _imported(result[name])
            if path.name == "__init__.py":
                waiting += path.parent.glob("*.js")
    return result


def _may_import(app: str, name: str) -> bool:
    """Whether a file may import what apps share; kernels of apps of roots cannot."""
    return app_roots.root_of(app) is None or name in _OF_DATA


def _own_files(app: str) -> dict[str, bytes]:
    if (root := app_roots.root_of(app)) is not None:
        own = {path: root.read(app, path) for path in root.accepted(app) if root.has(app, path)}
        return own | {path: (_PACKAGE / path).read_bytes() for path in _OF_DATA}
    server = _PACKAGE / "servers" / app
    paths = [*(_PACKAGE / "kernels" / app).rglob("*.py"), _PACKAGE / "contexts" / "apps" / f"{app}.py"]
    paths += [server / "dialect.py", server / "faults.py", server / "tools.json"]
    return {path.relative_to(_PACKAGE).as_posix(): path.read_bytes() for path in paths if path.exists()}


def _imported(source: bytes) -> list[Path]:
    """Return the possible locations of a module's imports from shared packages: packages, modules, and names as modules."""
    results: list[Path] = []
    for module, names in _SHARED.findall(source):
        steps = module.decode().split(".")
        places = [_PACKAGE.joinpath(*steps[:end]) for end in range(2, len(steps) + 1)]
        places += [places[-1] / name.decode() for name in _NAME.findall(names)]
        results += [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return results


app_roots.forgets(version_of.cache_clear)
