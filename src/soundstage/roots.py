"""Apps that did not come with the package: folders of them, and what of each may be imported.

An **app root** has the folders of the source tree: `contexts/apps/<app>.py`, `kernels/<app>/`, `servers/<app>/`. In
`servers/<app>/synthesis.json`, the app's lock, stands for each of its files the digest that was accepted. A file with another one
is not there: what is imported is read, compared and compiled from the same bytes. Names of the package's own apps are not to be
had here.

`SOUNDSTAGE_APPS` names the roots, so that every process that this one starts has them too.
"""

from __future__ import annotations

import hashlib
import importlib.abc
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path, PurePosixPath
from types import CodeType, ModuleType

from soundstage.untrusted import JSON_LIMITS, Refused, read_json

VARIABLE = "SOUNDSTAGE_APPS"
LOCK = "synthesis.json"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PACKAGE = "soundstage"
_HOUSE = Path(__file__).parent
_MODULE = re.compile(rf"{_PACKAGE}\.(?:(contexts\.apps)|kernels|servers)\.(?P<app>\w+)(?P<below>(?:\.\w+)*)")


class NotAccepted(ImportError):
    """A file of an app that is not what was accepted; the message says which."""


def digest(content: bytes) -> str:
    """How locks name a file's content."""
    return f"blake2:{hashlib.blake2b(content, digest_size=16).hexdigest()}"


class Root:
    """A folder with apps. What it gives of an app's files is what was accepted of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def apps(self) -> tuple[str, ...]:
        """The apps that have a lock, in alphabetical order."""
        locks = self.folder.glob(f"servers/*/{LOCK}")
        return tuple(sorted(p.parent.name for p in locks if NAME.fullmatch(p.parent.name)))

    def accepted(self, app: str) -> Mapping[str, str]:
        """The digests of an app's lock, by the path of the file below the root.

        Raises:
            NotAccepted: the lock cannot be read.
        """
        path = self.folder / "servers" / app / LOCK
        try:
            lock = read_json(path.read_bytes(), JSON_LIMITS)
            found = lock["accepted"]
        except (OSError, Refused, KeyError, TypeError) as error:
            raise NotAccepted(f"{path} is no lock of an app ({error})") from None
        return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}

    def read(self, app: str, path: str) -> bytes:
        """An accepted file's content.

        Raises:
            NotAccepted: nothing was accepted at this path, or something else.
            FileNotFoundError
        """
        return _compared(self.folder / path, path, (self.folder / path).read_bytes(), self.accepted(app))

    def has(self, app: str, path: str) -> bool:
        """Whether an accepted file is there."""
        try:
            self.read(app, path)
        except (NotAccepted, OSError):
            return False
        return True


class Files(Root):
    """One app's files, given as they are: for trying them where nothing else of this machine can be reached."""

    def __init__(self, app: str, files: Mapping[str, bytes]) -> None:
        super().__init__(Path(os.devnull))
        self._app = app
        self._files = files

    def apps(self) -> tuple[str, ...]:
        return (self._app,)

    def accepted(self, app: str) -> Mapping[str, str]:
        return {path: digest(content) for path, content in self._files.items()}

    def read(self, app: str, path: str) -> bytes:
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
_forgetters: list[Callable[[], object]] = []


def roots() -> tuple[Root, ...]:
    """The roots there are, in the order in which they were added."""
    return tuple(_roots.values())


def add(folder: Path) -> None:
    """Have the apps of a folder from now on, in this process and those that it starts."""
    key = str(folder.resolve())
    if key not in _roots:
        named = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
        os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys([*named, key]))
        use(Root(folder.resolve()))


def use(root: Root) -> None:
    """Have a root's apps in this process alone."""
    _roots[str(root.folder)] = root
    changed()


def remove(folder: Path) -> None:
    """Do without a folder's apps again."""
    key = str(folder.resolve())
    named = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part not in ("", key)]
    os.environ[VARIABLE] = os.pathsep.join(named)
    changed()
    _roots.pop(key, None)
    changed()


def changed() -> None:
    """What roots hold has changed: forget what was read of it."""
    for app in app_names():
        for module in [name for name in sys.modules if (found := _MODULE.fullmatch(name)) and found["app"] == app]:
            del sys.modules[module]
    for forget in _forgetters:
        forget()


def forgets(forget: Callable[[], object]) -> None:
    """Have something called whenever what roots hold changes."""
    _forgetters.append(forget)


def app_names() -> tuple[str, ...]:
    """The apps of all roots, in alphabetical order, but for names that the package's own apps have."""
    return tuple(sorted({app for root in roots() for app in root.apps() if not _is_house(app)}))


def root_of(app: str) -> Root | None:
    """Where an app lies; None for the package's own, and for one that is nowhere."""
    if not _roots or _is_house(app):
        return None
    return next((root for root in roots() if app in root.apps()), None)


@cache
def _is_house(app: str) -> bool:
    return (_HOUSE / "servers" / app).is_dir()


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of apps in roots."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = _MODULE.fullmatch(fullname) if _roots else None
        root = root_of(found["app"]) if found is not None else None
        if found is None or root is None:
            return None
        app = found["app"]
        place = PurePosixPath(*fullname.split(".")[1:])
        for file, package in ((f"{place}.py", False), (f"{place}/__init__.py", True)):
            try:
                content = root.read(app, file)
            except OSError:
                continue
            loader = _Accepted(file, content, package)
            return importlib.util.spec_from_loader(fullname, loader, origin=file, is_package=package)
        if any(name.startswith(f"{place}/") for name in root.accepted(app)):
            return importlib.util.spec_from_loader(fullname, _Accepted(str(place), b"", package=True), is_package=True)
        return None


class _Accepted(importlib.abc.InspectLoader):
    """Loads a module from bytes that have been compared; nothing of it is kept on disk."""

    def __init__(self, file: str, content: bytes, package: bool) -> None:
        self._file = file
        self._content = content
        self._package = package

    def get_source(self, fullname: str) -> str:
        return self._content.decode()

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_source(fullname), self._file)  # so that tracebacks say which file it was

    def is_package(self, fullname: str) -> bool:
        return self._package


def _named() -> Iterator[Path]:
    for part in os.environ.get(VARIABLE, "").split(os.pathsep):
        if part:
            yield Path(part)


sys.meta_path.insert(0, _Finder())
for _folder in _named():
    _roots[str(_folder.resolve())] = Root(_folder.resolve())
