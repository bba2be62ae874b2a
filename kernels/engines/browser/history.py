"""The joint session history of a tab and its frames, as in HTML and Chromium.

An entry is stored as JSON:

| member | meaning |
|---|---|
| `url` | the page's URL |
| `document` | the document's number; moving between entries of the same document loads nothing |
| `state` | the state that a script set, as JSON; missing if none was set |
| `since` | the entry at which the page itself was entered, if only a frame has navigated since |
| `frames` | the number of the content that each frame shows, by the frame's number |
| `shown` | frame contents by number, for this and other entries: `html`, `url`, `plain`, field values in `held` |
| `log` | the page's source and its field values when it was left from this entry |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from soundstage.contexts.engine.schema import Object

BLANK = "about:blank"

Content = dict[str, Any]
"""The content of a frame: `html`, `url`, `plain`, and the values of edited fields in `held`."""
Entering = Literal["new", "replace", "again"]
"""How a page enters the history: as a new entry, replacing the current one, or reloading the same document."""
_Entry = dict[str, Any]
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Numbers of frames and contents; a recorded state may contain other names, which are ignored."""


class History:
    """The history of a tab; changes are written to the tab's row."""

    def __init__(self, tab: Object) -> None:
        """Read the history from a tab's row."""
        self._tab = tab
        self._entries: list[_Entry] = [dict(one) for one in tab.get("history") or [{"url": BLANK}]]

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    @property
    def position(self) -> int:
        """Return the index of the current entry."""
        return min(max(int(self._tab.get("position") or 0), 0), len(self) - 1)

    @property
    def urls(self) -> list[str]:
        """Return the URLs of all entries."""
        return [self.url(at) for at in range(len(self))]

    def url(self, at: int) -> str:
        """Return the URL of an entry."""
        return str(self._entries[at].get("url") or BLANK)

    def is_same_document(self, at: int) -> bool:
        """Return whether an entry belongs to the current document."""
        document = self._entries[at].get("document")
        return document is not None and document == self._now.get("document")

    def is_same_page(self, at: int) -> bool:
        """Return whether an entry differs from the current one only in its frames."""
        return self._since(at) == self._since(self.position)

    def state(self, at: int) -> str | None:
        """Return the state that a script set for an entry, as JSON."""
        state: str | None = self._entries[at].get("state")
        return state

    def frames(self, at: int) -> dict[int, Content]:
        """Return the recorded frame contents of an entry by frame number."""
        shown, there = self._shown(), self._entries[at].get("frames") or {}
        return {
            int(frame): shown[item]
            for frame, item in sorted(there.items())
            if _NUMBER.fullmatch(frame) and shown.get(item, {}).keys() >= {"html", "url"}
        }

    def led(self, at: int) -> dict[int, Content]:
        """Return the frame contents of an entry that differ from the current ones."""
        here, there = self._now.get("frames") or {}, self._entries[at].get("frames") or {}
        return {frame: shows for frame, shows in self.frames(at).items() if here.get(str(frame)) != there[str(frame)]}

    def go_to(self, at: int) -> None:
        """Make an entry the current one."""
        self._tab["position"] = at

    def visit(self, url: str, how: Entering) -> None:
        """Record a page load."""
        stored = _only(self._now, "document", "state", "since") if how == "again" else {}
        self._enter({"url": url, "document": self._next_document(), **stored}, replace=how != "new")

    def move(self, url: str, state: str | None, *, replace: bool) -> None:
        """Record a URL change within the same document, with the state that a script set.

        A replacement applies to all entries that show the same page.
        """
        moved = {"url": url} if state is None else {"url": url, "state": state}
        if not replace:
            self._enter({**moved, **_only(self._now, "document", "frames")}, replace=False)
            return
        since = self._since(self.position)
        document = self._now.get("document")  # missing for the blank page of a new tab
        for at, entry in enumerate(self._entries):
            if self._since(at) == since and entry.get("document") == document:
                entry.pop("state", None)
                entry.update(moved)
        self._keep()

    def enter_frame(self, frame: int, content: Content) -> None:
        """Record a frame navigation as a new entry. The previous content of the frame must have been recorded."""
        now, item = self._now, self._next_item()
        frames = {**(now.get("frames") or {}), str(frame): item}
        own = {"since": self._since(self.position), "frames": frames, "shown": {item: content}}
        self._enter({**_only(now, "url", "document", "state"), **own}, replace=False)

    def replace_frame(self, frame: int, content: Content, *, everywhere: bool) -> None:
        """Replace a frame's recorded content in this entry, or in all entries that share it."""
        item = (self._now.get("frames") or {}).get(str(frame))
        holder = self._holder(item)
        if holder is not None:
            if not everywhere:
                item, holder = self._next_item(), self._now
                self._now["frames"] = {**self._now["frames"], str(frame): item}
            holder["shown"] = {**(holder.get("shown") or {}), item: content}
            self._keep()

    def note_frames(self, showing: dict[int, Content]) -> None:
        """Record the contents of the frames before one of them or the page navigates."""
        for frame, content in showing.items():
            of_document = [entry for _, entry in self._of_document()]
            noted = (self._now.get("frames") or {}).get(str(frame))
            item, holder = noted, self._holder(noted)
            if holder is None:
                item, holder = self._next_item(), of_document[0]
                for entry in of_document:
                    frames = entry.get("frames") or {}
                    if frames.get(str(frame)) in (None, noted):
                        entry["frames"] = {**frames, str(frame): item}
            holder["shown"] = {**(holder.get("shown") or {}), item: content}
        self._keep()

    def keep_left(self, log: str) -> None:
        """Store the source of the page that is being left, for a later return."""
        self._now["log"] = log
        self._keep()

    def take_left(self) -> str | None:
        """Return and remove the stored source of the page that was left from the current entry."""
        log = self._now.pop("log", None)
        self._keep()
        return None if log is None else str(log)

    @property
    def _now(self) -> _Entry:
        return self._entries[self.position]

    def _of_document(self) -> Iterator[tuple[int, _Entry]]:
        return ((at, one) for at, one in enumerate(self._entries) if at == self.position or self.is_same_document(at))

    def _since(self, at: int) -> int:
        return int(self._entries[at].get("since", at))

    def _shown(self) -> dict[str, Content]:
        return {item: content for entry in self._entries for item, content in (entry.get("shown") or {}).items()}

    def _holder(self, item: str | None) -> _Entry | None:
        return next((one for one in self._entries if item in (one.get("shown") or {})), None)

    def _next_document(self) -> int:
        return 1 + max((int(entry.get("document") or 0) for entry in self._entries), default=0)

    def _next_item(self) -> str:
        return str(1 + max((int(item) for item in self._shown() if _NUMBER.fullmatch(item)), default=0))

    def _enter(self, entry: _Entry, *, replace: bool) -> None:
        at = self.position
        if replace:
            if "shown" in self._now:  # other entries may refer to these contents
                entry["shown"] = self._now["shown"]
            self._entries[at] = entry
        else:
            self._entries[at + 1 :] = [entry]
            self._tab["position"] = at + 1
        self._keep()

    def _keep(self) -> None:
        self._tab["history"] = self._entries


def _only(entry: _Entry, *names: str) -> _Entry:
    return {name: entry[name] for name in names if name in entry}
