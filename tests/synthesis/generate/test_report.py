"""The page of a synthesised app: its metrics as bars, its mismatches as diffs, and no recorded text as markup."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from soundstage.synthesis.generate.accept import Thresholds
from soundstage.synthesis.generate.bench import score
from soundstage.synthesis.generate.lock import Lock
from soundstage.synthesis.generate.report import LAYERS, page
from soundstage.synthesis.generate.upkeep import FileState

MARKUP = '<script>alert("of a stranger")</script>'
NOTHING = score([]).as_json()
SOME = NOTHING | {"cases": 40, "exact": {"count": 30, "of": 40, "rate": 0.75, "low": 0.6, "high": 0.86}}


class Read(HTMLParser):
    """The tags with their attributes and the text of a page, as a browser parses it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of_class(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.tags if name in (attributes.get("class") or "").split()]


@pytest.fixture
def read() -> Read:
    tool = {"rounds": 2, "tokens_in": 900, "tokens_out": 80, "seconds": 1.5, "thin": False, "chosen_round": 2}
    worst = f"shop-e0001-03 ({MARKUP}; 2 of this kind)\n  arguments: {{}}\n  --- expected\n  +++ got\n  -sold {MARKUP}\n  +bought"
    lock = Lock("shop", {"name": MARKUP, "version": "1"}, "blake2:0", f"scripted: {MARKUP}", looks=3)
    lock.tools = {
        "buy": tool | {"answered_by": "none", "why": [f"exact: 30 of 40 {MARKUP}"], "held_out": SOME, "worst": [worst]},
        "look": tool | {"answered_by": "kernel", "why": [], "held_out": NOTHING, "worst": []},
    }
    lock.whole = {"held_out": SOME, "episodes": {"agree": 3, "of": 4}, "enough": False, "thresholds": Thresholds().as_json(),
                  "sandbox": ["limits", "audit"]}  # fmt: skip
    files = [FileState(file=f"kernels/{MARKUP}.py", origin="edited", accepted="another version")]
    return Read(page(lock, files))


def test_recorded_text_is_escaped(read: Read) -> None:
    assert "script" not in {tag for tag, _ in read.tags}
    assert read.text.count(MARKUP) == 6


def test_metrics_are_bars_with_interval_and_threshold(read: Read) -> None:
    assert [one["style"] for one in read.of_class("missed")] == ["width:75.0%"] * 2  # the threshold is 80 %
    assert {one["style"] for one in read.of_class("interval")} == {"left:60.0%;width:26.0%"}
    assert "30 of 40 (60–86 %)" in read.text
    assert "no such call" in read.text


def test_mismatches_are_shown_as_diffs(read: Read) -> None:
    assert len(read.of_class("gone")) == len(read.of_class("new")) == 2
    assert f"sold {MARKUP}" in read.text


def test_missing_parts_are_reported(read: Read) -> None:
    for text in (
        "nothing is served until a person accepts",
        "are used up",
        "3 of\n4 agree to their end",
        "another version",
    ):
        assert text in read.text
    assert read.text.count("not available on the machine that measured") == len(LAYERS) - 2
