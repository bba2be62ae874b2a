"""Links between notes: `[[Name]]`, `[[Folder/Name#Heading|shown]]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.obsidian.rules.vault import text_of

LINK = re.compile(r"!?\[\[([^\[\]|\n]{1,400})(?:\|([^\[\]\n]{1,400}))?\]\]")


class Link(NamedTuple):
    """The target of a link (None if no such note exists) and its displayed text."""

    path: str | None
    label: str


class Links:
    """The links of a vault."""

    def __init__(self, files: Mapping[str, Object]) -> None:
        """Index the links of the given files."""
        self._files = files
        self._by_name: dict[str, str] = {}
        for path in sorted(files, key=lambda path: (-path.count("/"), path), reverse=True):
            self._by_name.setdefault(path.rsplit("/", 1)[-1].removesuffix(".md").lower(), path)

    def read(self, target: str, label: str | None) -> Link:
        """Resolve `[[target|label]]`."""
        name = re.split(r"[#^]", target, maxsplit=1)[0].strip()
        return Link(self.find(name), (label or target).strip())

    def find(self, name: str) -> str | None:
        """Find a note by its path, with or without `.md`, or by its name."""
        for path in (name, f"{name}.md"):
            if path in self._files:
                return path
        return self._by_name.get(name.removesuffix(".md").rsplit("/", 1)[-1].lower())

    def to(self, path: str) -> list[str]:
        """Return the notes that link to a note."""
        return [
            other
            for other, file in self._files.items()
            if other != path and any(self.read(result[1], None).path == path for result in LINK.finditer(text_of(file)))
        ]
