"""A vault's files as Obsidian sees them: by exact path in its index, and by path on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from soundstage.contexts.engine.app_context import AppContext, Key
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.obsidian.rules.errors import ObsidianError

_TIMEOUT_SECONDS = 6
_LONGEST_NAME = 255  # bytes, on the file systems on which Obsidian runs


class Vault:
    """The vault of the acting account."""

    def __init__(self, context: AppContext) -> None:
        """Open the vault of the session's account."""
        self._context = context
        self._account = context.account
        settings = context.first("settings") if self._account is None else context.get("other_vault", self._account)
        self.settings: Object = settings or {}

    def may_enter(self) -> bool:
        """Return whether the plugin accepts the server's API key."""
        key = self._context.first("api_key") if self._account is None else None
        return key is None or key.get("valid", True)

    def files(self) -> list[Object]:
        """Return all files of the index, grouped by folder and sorted by name."""
        rows = (
            self._context.list("file")
            if self._account is None
            else self._context.list("other_file", {"vault": self._account})
        )
        return sorted(
            (file for file in rows if not _is_outside(file["path"])),
            key=lambda file: file["path"].encode().split(b"/"),
        )

    def notes(self) -> Iterator[Object]:
        """Yield the Markdown notes."""
        return (file for file in self.files() if is_note(file["path"]))

    def get(self, path: str) -> Object | None:
        """Return the file with exactly this path in the index, or None."""
        return None if _is_outside(path) else self._row(path)

    def on_disk(self, path: str) -> Object | None:
        """Return the file at a path on the disk: `a//b` and `/a/b` mean `a/b`, and `../a` is outside the vault."""
        return self._row(_place(path))

    def is_folder(self, path: str) -> bool:
        """Return whether the disk has a folder at this path, that is, any file below it."""
        place = _place(path)
        return place == "" or any(file["path"].startswith(f"{place}/") for file in self.files())

    def write(self, path: str, content: str) -> None:
        """Write a file and create its folders.

        Raises:
            ObsidianError: The disk refuses: the path is a folder, a parent is a file, or a name is too long.
        """
        place = _place(path)
        if self.is_folder(place) or not self._has_room(place):
            raise self.silence()
        now = to_ms(self._context.now())
        stored = self._row(place)
        if stored is None:
            owner = {} if self._account is None else {"vault": self._account}
            stat: dict[str, Any] = {"ctime": now, "mtime": now}
            self._context.create(self._entity, {**owner, "path": place, "content": content, "stat": stat})
        else:
            stat = {"ctime": times(self._context, stored)[0], "mtime": now}
            self._context.update(self._entity, self._key(place), {"content": content, "stat": stat})

    def delete(self, file: Object) -> None:
        """Delete a file."""
        self._context.delete(self._entity, self._key(file["path"]))

    def silence(self) -> ObsidianError:
        """Return the client's timeout error after a crashed handler, and advance the clock by six seconds."""
        self._context.wait(_TIMEOUT_SECONDS * 1000)
        protocol = "HTTP" if self.settings.get("protocol") == "http" else "HTTPS"
        where = f"host='{self.settings.get('host', '127.0.0.1')}', port={self.settings.get('port', 27124)}"
        text = f"{protocol}ConnectionPool({where}): Read timed out. (read timeout={_TIMEOUT_SECONDS})"
        return ObsidianError("unavailable", f"Request failed: {text}")

    def _has_room(self, place: str) -> bool:
        names = place.split("/")
        above = ("/".join(names[:i]) for i in range(1, len(names)))
        too_long = any(len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for name in names)
        return not too_long and "\0" not in place and all(self._row(folder) is None for folder in above)

    def _row(self, path: str) -> Object | None:
        return self._context.get(self._entity, self._key(path))

    @property
    def _entity(self) -> str:
        return "file" if self._account is None else "other_file"

    def _key(self, path: str) -> Key:
        return path if self._account is None else (self._account, path)


def is_note(path: str) -> bool:
    """Return whether a path is a Markdown note."""
    return path.endswith(".md")


def text_of(file: Object) -> str:
    """Return a file's text."""
    return file.get("content") or ""


def times(context: AppContext, file: Object) -> tuple[int, int]:
    """Return when a file was created and last changed, in milliseconds; defaults to the current time."""
    stat = file.get("stat") or {}
    now = to_ms(context.now())
    changed = stat.get("mtime", now)
    return int(stat.get("ctime", changed)), int(changed)


def _is_outside(path: str) -> bool:
    """Return whether a path leads out of the vault; such files may exist, but Obsidian does not index them."""
    return path.startswith("../")


def _place(path: str) -> str:
    """Return a normalized path relative to the vault's root, which is ""."""
    names: list[str] = []
    for name in path.split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)
