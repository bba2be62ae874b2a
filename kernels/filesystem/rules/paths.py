"""Path validation: `validatePath` of the server's `lib.js`, check by check.

A path is normalized as text, then symlinks are resolved, and missing files are looked up under another Unicode normalization.
"""

from __future__ import annotations

import re
import unicodedata
from posixpath import dirname, join, normpath

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.filesystem.rules.errors import Refusal, SystemRefusal
from soundstage.kernels.filesystem.rules.roots import allowed, setting
from soundstage.kernels.filesystem.rules.system import readdir, realpath

_OF_WINDOWS = re.compile(r"[A-Za-z]:(?:[\\/]|$)")


def valid_path(context: AppContext, requested: str) -> str:
    """Return the real path of an argument, which need not exist.

    Raises:
        Refusal: The path is outside the allowed folders (as text or through a symlink), a Windows path, or a broken symlink.
        SystemRefusal: ENOTDIR, ELOOP or ENAMETOOLONG.
    """
    roots = allowed(context)
    expanded = _without_tilde(context, requested)
    if _OF_WINDOWS.match(expanded):
        raise Refusal("permission", f"Access denied - Windows-style path received on a POSIX host: {requested}")
    absolute = _absolute(expanded, roots)
    listed = ", ".join(roots)
    if not _within(_normal(absolute), roots):
        raise Refusal("permission", f"Access denied - path outside allowed directories: {absolute} not in {listed}")
    try:
        real = realpath(context, absolute)
    except SystemRefusal as refusal:
        if refusal.code != "ENOENT":
            raise
        return _in_another_form(context, absolute, roots)
    return _let_in(real, roots)


def _let_in(real: str, roots: list[str]) -> str:
    if not _within(_normal(real), roots):
        message = f"Access denied - symlink target outside allowed directories: {real} not in {', '.join(roots)}"
        raise Refusal("permission", message)
    return real


def _without_tilde(context: AppContext, path: str) -> str:
    if path == "~" or path.startswith("~/"):
        return normpath(setting(context, "home") + path[1:])
    return path


def _steps(root: str, path: str) -> list[str]:
    """Return Node's `path.relative` as names: up from a folder and down to a path."""
    above, names = ([name for name in place.split("/") if name] for place in (root, path))
    while above and names and above[0] == names[0]:
        above.pop(0)
        names.pop(0)
    return [".."] * len(above) + names


def _absolute(path: str, roots: list[str]) -> str:
    """Resolve a relative path against the first allowed folder in which it stays."""
    if path.startswith("/"):
        return resolved("/", path)
    candidates = [resolved(root, path) for root in roots]
    return next((place for place in candidates if _within(_normal(place), roots)), candidates[0])


def resolved(base: str, path: str) -> str:
    """Return Node's `path.resolve`."""
    return normpath("/" + join(base, path).lstrip("/"))


def _normal(path: str) -> str:
    """Return a path as the server compares it: trimmed, and without a quote at either end."""
    bare = path.strip(SPACES)
    bare = re.sub(r"^[\"']|[\"']\Z", "", bare)
    shortened = re.sub(r"/+", "/", bare)
    return shortened[:-1] if shortened.endswith("/") and shortened != "/" else shortened


def _within(path: str, roots: list[str]) -> bool:
    if "\0" in path:
        return False
    place = resolved(roots[0], path)  # the server's working directory is its first folder
    return any(place == root or place.startswith(root.rstrip("/") + "/") for root in map(normpath, roots))


def _in_another_form(context: AppContext, absolute: str, roots: list[str]) -> str:
    """Return the path of an existing file whose names differ only in Unicode normalization; missing names stay as given.

    Raises:
        Refusal: Two names match, a symlink leads outside, or a symlink is broken.
    """
    root = next((r for r in sorted(roots, key=len, reverse=True) if _within(_normal(absolute), [r])), None)
    if root is None:
        return absolute
    place = realpath(context, root)
    names = _steps(root, absolute)
    for i, name in enumerate(names):
        entries = list(readdir(context, place))
        form = unicodedata.normalize("NFC", name)
        same = [name] if name in entries else [e for e in entries if unicodedata.normalize("NFC", e) == form]
        if len(same) > 1:
            raise Refusal("invalid", f"Ambiguous Unicode path component: {name}")
        if not same:
            return normpath(join(place, *names[i:]))
        try:
            place = _let_in(realpath(context, join(place, same[0])), roots)
        except SystemRefusal as refusal:
            if refusal.code != "ENOENT":
                raise
            missing = f"Parent directory does not exist: {dirname(absolute)}"
            raise Refusal("not_found", missing) from None
    return place
