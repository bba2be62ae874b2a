"""The history of a tab compared with a simple model: entries with their page and the content of their frames."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from soundstage.kernels.engines.browser.history import BLANK, History


@dataclass(eq=False)
class _Page:
    """The page of an entry. Entries that differ only in their frames share it."""

    url: str
    state: str | None


@dataclass(eq=False)
class _Shown:
    html: str


@dataclass
class _Entry:
    page: _Page
    document: object
    frames: dict[int, _Shown] = field(default_factory=dict)
    left: str | None = None


class _Model:
    """The history of a browser: a list of entries, and the present content of their frames."""

    def __init__(self) -> None:
        self.entries = [_Entry(_Page(BLANK, None), None)]
        self.position = 0

    @property
    def now(self) -> _Entry:
        return self.entries[self.position]

    def push(self, entry: _Entry) -> None:
        self.entries[self.position + 1 :] = [entry]
        self.position += 1

    def is_same_document(self, at: int) -> bool:
        return self.now.document is not None and self.entries[at].document is self.now.document

    def note(self, frame: int, html: str) -> None:
        if frame in self.now.frames:
            self.now.frames[frame].html = html
            return
        shown = _Shown(html)
        for at, entry in enumerate(self.entries):
            if at == self.position or self.is_same_document(at):
                entry.frames.setdefault(frame, shown)


_TEXT = st.sampled_from("abc")
_STATE = st.none() | _TEXT
_FRAME = st.integers(0, 2)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("visit"), _TEXT, st.sampled_from(("new", "replace", "again"))),
        st.tuples(st.just("move"), _TEXT, _STATE, st.booleans()),
        st.tuples(st.just("lead"), _FRAME, _TEXT, st.sampled_from(("new", "replace", "same"))),
        st.tuples(st.just("leave"), _TEXT),
        st.tuples(st.just("go"), st.integers(0, 8)),
    ),
    max_size=14,
)


def _step(tab: dict[str, Any], model: _Model, step: tuple[Any, ...]) -> None:
    past = History(tab)
    match step:
        case ("visit", url, how):
            past.visit(past.urls[past.position] if how == "again" else url, how)
            if how == "again":
                model.now.document = model.now.document or object()
                model.now.frames, model.now.left = {}, None
            elif how == "replace":
                model.entries[model.position] = _Entry(_Page(url, None), object())
            else:
                model.push(_Entry(_Page(url, None), object()))
        case ("move", url, state, replace):
            past.move(url, state, replace=replace)
            if replace:
                model.now.page.url, model.now.page.state = url, state
            else:
                model.push(_Entry(_Page(url, state), model.now.document, dict(model.now.frames)))
        case ("lead", frame, html, "new"):
            past.note_frames({frame: _content("before")})
            model.note(frame, "before")
            past.enter_frame(frame, _content(html))
            led = {**model.now.frames, frame: _Shown(html)}
            model.push(_Entry(model.now.page, model.now.document, led))
        case ("lead", frame, html, how):
            past.replace_frame(frame, _content(html), everywhere=how == "same")
            if frame in model.now.frames and how == "same":
                model.now.frames[frame].html = html
            elif frame in model.now.frames:
                model.now.frames[frame] = _Shown(html)
        case ("leave", log):
            past.keep_left(log)
            model.now.left = log
        case ("go", to):
            at = to % len(past)
            past.go_to(at)
            assert past.take_left() == model.entries[at].left
            model.position, model.entries[at].left = at, None


def _content(html: str) -> dict[str, Any]:
    return {"html": html, "url": f"http://{html}.test/", "plain": False}


@given(steps=_STEPS)
def test_every_entry_has_its_former_content(steps: list[tuple[Any, ...]]) -> None:
    tab: dict[str, Any] = {}
    model = _Model()
    for step in steps:
        _step(tab, model, step)
        tab = json.loads(json.dumps(tab))  # the form in which the context stores it
        past = History(tab)
        assert past.position == model.position
        assert past.urls == [entry.page.url for entry in model.entries]
        for at, entry in enumerate(model.entries):
            assert past.state(at) == entry.page.state
            assert past.is_same_document(at) == model.is_same_document(at)
            assert {f: c["html"] for f, c in past.frames(at).items()} == {f: s.html for f, s in entry.frames.items()}
            if model.is_same_document(at):
                assert past.is_same_page(at) == (entry.page is model.now.page)
                assert set(past.led(at)) == {f for f, s in entry.frames.items() if model.now.frames.get(f) is not s}


def test_the_valid_part_of_an_invalid_history_is_read() -> None:
    frames = {"x": "1", "2": "9", "01": "3", "9" * 5000: "3", "4": "8"}
    shown = {"y": _content("a"), "3": _content("a"), "8": {}, "8" * 5000: _content("a")}
    past = History({"history": [{"frames": frames, "shown": shown}], "position": 7})
    assert (past.position, past.urls, past.frames(0), past.led(0)) == (0, [BLANK], {}, {})
    past.note_frames({2: _content("b")})
    past.enter_frame(2, _content("c"))
    assert [past.frames(at)[2]["html"] for at in (0, 1)] == ["b", "c"]
