"""Apps that did not come with the package: the folders that hold them, and which of their files are accepted.

An **app root** has the folders of the source tree: `contexts/apps/<app>.json`, `kernels/<app>/`, `servers/<app>/`.
`servers/<app>/synthesis.json`, the app's lock, holds the digest of each accepted file. A file whose digest differs counts as
missing. Names of the package's own apps cannot be used.

This process imports no Python file of a root. Tables, dialect and fault words are JSON; the kernels run in the confined process
of `soundstage.servers.confined`, which gets their source text.

`SOUNDSTAGE_APPS` names the roots, so that every process that this one starts has them too.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from soundstage.bounded_input import JSON_LIMITS, Refused, read_json

VARIABLE = "SOUNDSTAGE_APPS"
ALLOW_UNCONFINED = "SOUNDSTAGE_ALLOW_UNCONFINED_KERNELS"
"""The environment variable by which an operator accepts that kernels of roots run where the system does not confine them."""
LOCK = "synthesis.json"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HOUSE = Path(__file__).parent


class NotAccepted(Exception):
    """A file of an app that is not what was accepted; the message says which."""


def digest(content: bytes) -> str:
    """Return the digest of a file's content as locks write it."""
    return f"blake2:{hashlib.blake2b(content, digest_size=16).hexdigest()}"


class Root:
    """A folder with apps. It gives access to accepted files only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def apps(self) -> tuple[str, ...]:
        """Return the apps that have a lock, in alphabetical order."""
        locks = self.folder.glob(f"servers/*/{LOCK}")
        return tuple(sorted(p.parent.name for p in locks if NAME.fullmatch(p.parent.name)))

    def accepted(self, app: str) -> Mapping[str, str]:
        """Return the accepted digests of an app's lock, by path below the root.

        Raises:
            NotAccepted: The lock cannot be read.
        """
        path = self.folder / "servers" / app / LOCK
        try:
            lock = read_json(path.read_bytes(), JSON_LIMITS)
            digests = lock["accepted"]
        except (OSError, Refused, KeyError, TypeError) as error:
            raise NotAccepted(f"{path} is not an app lock ({error})") from None
        if not isinstance(digests, dict):
            raise NotAccepted(f"{path} is not an app lock (`accepted` is not an object)")
        return {str(name): str(value) for name, value in digests.items()}

    def read(self, app: str, path: str) -> bytes:
        """Return the content of an accepted file.

        Raises:
            NotAccepted: Nothing was accepted at this path, or other content was.
            FileNotFoundError: There is no such file.
        """
        return _compared(self.folder / path, path, (self.folder / path).read_bytes(), self.accepted(app))

    def has(self, app: str, path: str) -> bool:
        """Return whether there is an accepted file at this path."""
        try:
            self.read(app, path)
        except (NotAccepted, OSError):
            return False
        return True


class Files(Root):
    """One app's files in memory, all of them accepted: for measuring an app that is not written yet."""

    def __init__(self, app: str, files: Mapping[str, bytes]) -> None:
        super().__init__(Path(os.devnull))
        self._app = app
        self._files = files

    def apps(self) -> tuple[str, ...]:
        """Return the names of the apps."""
        return (self._app,)

    def accepted(self, app: str) -> Mapping[str, str]:
        """Return the digest of every file."""
        return {path: digest(content) for path, content in self._files.items()}

    def read(self, app: str, path: str) -> bytes:
        """Return the content of a file."""
        try:
            return self._files[path]
        except KeyError:
            raise FileNotFoundError(path) from None


def _compared(shown: Path, path: str, content: bytes, accepted: Mapping[str, str]) -> bytes:
    if path not in accepted:
        raise NotAccepted(f"{shown} has not been accepted; see `soundstage synthesise status`")
    if digest(content) != accepted[path]:
        raise NotAccepted(f"{shown} was changed after it had been accepted; see `soundstage synthesise accept`")
    return content


_roots: dict[str, Root] = {}
_first: list[Root] = []
_forgetters: list[Callable[[], object]] = []


def roots() -> tuple[Root, ...]:
    """Return the current roots, in the order in which they were added."""
    return (*reversed(_first), *_roots.values())


def add(folder: Path) -> None:
    """Add a folder's apps, for this process and the processes that it starts."""
    key = str(folder.resolve())
    if key not in _roots:
        named = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
        os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*named, key]))
        use(Root(folder.resolve()))


def use(root: Root) -> None:
    """Add a root's apps, for this process only."""
    _roots[str(root.folder)] = root
    changed()


@contextmanager
def before_others(root: Root) -> Iterator[None]:
    """Use a root's apps in place of others of the same name, inside the block and in this process."""
    _first.append(root)
    changed()
    try:
        yield
    finally:
        _first.remove(root)
        changed()


def remove(folder: Path) -> None:
    """Remove a folder's apps."""
    key = str(folder.resolve())
    named = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part not in ("", key)]
    os.environ[VARIABLE] = os.pathsep.join(named)
    changed()
    _roots.pop(key, None)
    changed()


def changed() -> None:
    """Clear everything that was cached from roots, because their content has changed."""
    for forget in _forgetters:
        forget()


def forgets(forget: Callable[[], object]) -> None:
    """Register a function that is called whenever the content of roots changes."""
    _forgetters.append(forget)


def app_names() -> tuple[str, ...]:
    """Return the apps of all roots in alphabetical order, without names that the package's own apps have."""
    return tuple(sorted({app for root in roots() for app in root.apps() if not _is_house(app)}))


def root_of(app: str) -> Root | None:
    """Return the root of an app; None for the package's own apps and for unknown ones."""
    if not (_roots or _first) or _is_house(app):
        return None
    return next((root for root in roots() if app in root.apps()), None)


@cache
def _is_house(app: str) -> bool:
    return (_HOUSE / "servers" / app).is_dir()


def _named() -> Iterator[Path]:
    for part in os.environ.get(VARIABLE, "").split(os.pathsep):
        if part:
            yield Path(part)


for _folder in _named():
    _roots[str(_folder.resolve())] = Root(_folder.resolve())
