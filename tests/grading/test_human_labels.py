"""Texts are judged as people judge them: two hundred messages and answers, written and labelled before the matchers existed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from soundstage.grading.matcher_parser import parse_matcher
from soundstage.grading.matchers import Reading, Says

LABELLED_TEXTS = Path(__file__).parent / "data" / "said.yaml"
ZONE = ZoneInfo("Asia/Shanghai")
NOW = int(datetime(2026, 11, 20, 10, 5, tzinfo=ZONE).timestamp())  # a Friday, as in the tasks
READING = Reading(ZONE, NOW, ids=lambda app, name: frozenset())


@dataclass(frozen=True)
class LabelledText:
    """A text, whether it is right, and the slots that the matchers do not find in it."""

    task: str
    text: str
    right: bool
    missing: list[str]

    @property
    def accepted(self) -> bool:
        return not self.missing


def _read() -> Iterator[LabelledText]:
    groups: list[dict[str, Any]] = yaml.safe_load(LABELLED_TEXTS.read_text(encoding="utf-8"))
    for group in groups:
        matcher = parse_matcher({"says": group["asked"]})
        assert isinstance(matcher, Says)
        for label in ("right", "wrong"):
            for text in group[label]:
                yield LabelledText(group["task"], text, label == "right", matcher.missing(text, READING))


def test_matchers_agree_with_people_on_two_hundred_texts() -> None:
    texts = list(_read())
    assert [sum(s.right is right for s in texts) for right in (True, False)] == [100, 100]
    differing = [s for s in texts if s.right != s.accepted]
    summary = "\n".join(
        f"{s.task}: {'misses ' + ', '.join(s.missing) if s.right else 'accepts what is wrong'}: {s.text}"
        for s in differing
    )
    assert len(differing) <= 0.03 * len(texts), summary
    assert sum(s.accepted for s in differing) <= 0.01 * 100, summary
