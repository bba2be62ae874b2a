"""Saving pictures under unused names on the session's disk, with Node's errors."""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.disk import DiskError
from soundstage.kernels.engines.javascript import is_true, text, utf16_slice
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.mcpollinations.rules.errors import Refusal, no_function, no_path

_WORKING_FOLDER = "/srv/workspace"
_FORMATS = ("png", "jpeg", "jpg", "webp")
_WORDS = {
    "ENOENT": "no such file or directory",
    "EISDIR": "illegal operation on a directory",
    "ENOTDIR": "not a directory",
    "EEXIST": "file already exists",
    "ENAMETOOLONG": "name too long",
    "ELOOP": "too many symbolic links encountered",
    "EFBIG": "file too large",
}


def save_generated(context: AppContext, prompt: str, folder: Any, file_name: Any, kind: Any, data: bytes) -> str:
    """Save a new picture and return its path.

    A name in use gets the suffix `_1`, `_2` …, and an unknown format becomes png.

    Raises:
        Refusal: The file cannot be written.
    """
    _make_folder(context, folder)
    ending = kind if kind in _FORMATS else "png"
    base = text(file_name) if is_true(file_name) else _new_name(context, prompt)
    place = normpath(join(folder, f"{base}.{ending}"))
    count = 1
    while _exists(context, place):
        place = normpath(join(folder, f"{base}_{count}.{ending}"))
        count += 1
    return _write(context, place, data)


def save_changed(
    context: AppContext, prefix: str, prompt: str, folder: Any, file_name: Any, kind: Any, data: bytes
) -> str:
    """Save a picture that was made from another one; its format is not validated, and its name may include the extension.

    Raises:
        Refusal: The file cannot be written, or its name or format is not a string.
        BudgetExceeded: every name that the server tries is taken, so it never answers.
    """
    _make_folder(context, folder)
    name = file_name
    if not is_true(name):
        safe = utf16_slice(re.sub(r"[^a-zA-Z0-9]", "_", prompt), 0, 20)
        name = f"{prefix}_{safe}_{to_ms(context.now())}_{context.random.randrange(1000)}"
    if not isinstance(kind, str):
        raise no_function("format.toLowerCase")
    if not isinstance(name, str):
        raise no_function("finalFileName.endsWith")
    ending = f".{kind.lower()}"
    name = name if name.endswith(ending) else name + ending
    place = normpath(join(folder, name))
    count = 1
    while _exists(context, place):
        before, place = place, normpath(join(folder, f"{name.replace(ending, '', 1)}_{count}{ending}"))
        if count > 1 and place == before:
            # A kind such as "/.." takes the number out of the path again: the server tries the same folder without end.
            raise BudgetExceeded("the real server never answers: every name that it tries is the same folder")
        count += 1
    return _write(context, place, data)


def _new_name(context: AppContext, prompt: str) -> str:
    safe = re.sub(r"[^a-z0-9]", "_", utf16_slice(prompt, 0, 20), flags=re.IGNORECASE | re.ASCII).lower()
    return f"{safe}_{to_ms(context.now())}_{context.random.randrange(10000):04}"


def _make_folder(context: AppContext, folder: Any) -> None:
    if not isinstance(folder, str):
        raise no_path(folder)
    if not folder:
        raise _refused("ENOENT", "mkdir", folder)
    if _exists(context, folder):
        return
    try:
        context.disk.make_directory(_absolute(folder))
    except DiskError as error:
        raise _refused(error.code, "mkdir", folder) from None


def _exists(context: AppContext, place: str) -> bool:
    try:
        return _absolute(place) == _WORKING_FOLDER or context.disk.stat(_absolute(place)) is not None
    except DiskError:
        return False


def _write(context: AppContext, place: str, data: bytes) -> str:
    above = dirname(_absolute(place))
    try:
        if not _exists(context, above):
            raise _refused("ENOENT", "open", place)
        context.disk.write(_absolute(place), data)
    except DiskError as error:
        raise _refused(error.code, "open", place) from None
    return place


def _absolute(place: str) -> str:
    return normpath(join(_WORKING_FOLDER, place))


def _refused(code: str, call: str, place: str) -> Refusal:
    kind: ErrorKind = "not_found" if code == "ENOENT" else "invalid"
    return Refusal(kind, f"{code}: {_WORDS.get(code, 'invalid argument')}, {call} '{place}'")
