"""Where a tab has been: the joint session history of a page and its frames, as HTML and Chromium have it.

An entry is JSON, as the context keeps it:

| member | what it is |
|---|---|
| `url` | the page's address |
| `document` | the number of the document that is there: entries of one document are moved between without loading anything |
| `state` | what a script gave the entry, as JSON; nothing where it gave none |
| `since` | the entry that the page itself has been at since, where only a frame was led elsewhere |
| `frames` | which of the contents below each frame shows, by the frame's number |
| `shown` | contents of frames by their numbers, for this entry and others: `html`, `url`, `plain`, what fields `held` |
| `log` | what the page was made of, and what its fields held, when it was left from here |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from soundstage.contexts.engine.schema import Object

BLANK = "about:blank"

Content = dict[str, Any]
"""What a frame shows: `html`, `url`, `plain` and, where somebody was in its fields, `held`."""
Entering = Literal["new", "replace", "again"]
"""How a page comes into the history: behind what is there, in its place, or in its place as the same document loaded again."""
_Entry = dict[str, Any]
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
"""Numbers of frames and contents; a state may have other names there, which mean nothing."""


class History:
    """The history of a tab; what is changed is changed in the tab's row."""

    def __init__(self, tab: Object) -> None:
        self._tab = tab
        self._entries: list[_Entry] = [dict(one) for one in tab.get("history") or [{"url": BLANK}]]

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def position(self) -> int:
        return min(max(int(self._tab.get("position") or 0), 0), len(self) - 1)

    @property
    def urls(self) -> list[str]:
        return [self.url(at) for at in range(len(self))]

    def url(self, at: int) -> str:
        return str(self._entries[at].get("url") or BLANK)

    def is_same_document(self, at: int) -> bool:
        """Whether what is there is the document that is here."""
        document = self._entries[at].get("document")
        return document is not None and document == self._now.get("document")

    def is_same_page(self, at: int) -> bool:
        """Whether the page itself is there as it is here, and only frames are not."""
        return self._since(at) == self._since(self.position)

    def state(self, at: int) -> str | None:
        """What a script gave the entry, as JSON."""
        state: str | None = self._entries[at].get("state")
        return state

    def frames(self, at: int) -> dict[int, Content]:
        """What the frames show there, by their numbers, as far as it is noted."""
        shown, there = self._shown(), self._entries[at].get("frames") or {}
        return {
            int(frame): shown[item]
            for frame, item in sorted(there.items())
            if _NUMBER.fullmatch(frame) and shown.get(item, {}).keys() >= {"html", "url"}
        }

    def led(self, at: int) -> dict[int, Content]:
        """What frames show there that show something else here."""
        here, there = self._now.get("frames") or {}, self._entries[at].get("frames") or {}
        return {frame: shows for frame, shows in self.frames(at).items() if here.get(str(frame)) != there[str(frame)]}

    def go_to(self, at: int) -> None:
        self._tab["position"] = at

    def visit(self, url: str, how: Entering) -> None:
        """Have a page that was loaded."""
        kept = _only(self._now, "document", "state", "since") if how == "again" else {}
        self._enter({"url": url, "document": self._next_document(), **kept}, replace=how != "new")

    def move(self, url: str, state: str | None, *, replace: bool) -> None:
        """Have another address of the same document, with the state that a script gave it.

        What is replaced is replaced in all entries at which the page is the same.
        """
        moved = {"url": url} if state is None else {"url": url, "state": state}
        if not replace:
            self._enter({**moved, **_only(self._now, "document", "frames")}, replace=False)
            return
        since = self._since(self.position)
        for at, entry in self._of_document():
            if self._since(at) == since:
                entry.pop("state", None)
                entry.update(moved)
        self._keep()

    def enter_frame(self, frame: int, content: Content) -> None:
        """Have what a frame was led to, while the page stays as it is. What it showed before is noted already."""
        now, item = self._now, self._next_item()
        frames = {**(now.get("frames") or {}), str(frame): item}
        own = {"since": self._since(self.position), "frames": frames, "shown": {item: content}}
        self._enter({**_only(now, "url", "document", "state"), **own}, replace=False)

    def replace_frame(self, frame: int, content: Content, *, everywhere: bool) -> None:
        """Have another content in the place of what a frame showed here, or in all entries that share it, if it is noted."""
        item = (self._now.get("frames") or {}).get(str(frame))
        holder = self._holder(item)
        if holder is not None:
            if not everywhere:
                item, holder = self._next_item(), self._now
                self._now["frames"] = {**self._now["frames"], str(frame): item}
            holder["shown"] = {**(holder.get("shown") or {}), item: content}
            self._keep()

    def note_frames(self, showing: dict[int, Content]) -> None:
        """Note what the frames show, before one of them or the page is led elsewhere."""
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
        """Keep what the page that is left was made of, for whoever comes back."""
        self._now["log"] = log
        self._keep()

    def take_left(self) -> str | None:
        """What was kept of the page that was left from here, once."""
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
            if "shown" in self._now:  # other entries may show it
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
