"""Calendars, lists and documents of a world are worded like those of an office, and the check reports exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from soundstage.worlds.builder.build import build
from soundstage.worlds.builder.draw import Draw
from soundstage.worlds.builder.papers import Papers, papers, unlike_an_office
from soundstage.worlds.builder.spec import Voice
from soundstage.worlds.builder.voices import described, titled
from tests.worlds.builder.shipped_worlds import checked

WriteSpec = Callable[..., Path]

_PLAIN = Papers("tasks", 40, title=20, titles_closed=0, described=50, text=25, sentence=20, contractions=0)


def test_wording_statistics_cover_calendars_lists_and_documents(write_spec: WriteSpec) -> None:
    only = {
        "calendar_event: 12, task: 10": "calendar_event: 1, task: 1",
        '"First we look."': '"First we look. Then we don\'t.\\n好的"',
    }
    statistics = {one.kind: one for one in papers(build(write_spec(only)).plan)}
    assert statistics["tasks"] == Papers("tasks", 1, 10, 0, 0, 0, 0, 0)
    assert statistics["events"] == Papers("events", 1, 4, 0, 0, 0, 0, 0)
    assert statistics["documents"] == Papers("documents", 1, 4, 0, 100, 36, 14, 100)


@pytest.mark.parametrize(
    ("worded", "remark"),
    [
        (replace(_PLAIN, titles_closed=30), "30 of 100 titles of tasks end with a full stop"),
        (replace(_PLAIN, described=90), "90 of 100 tasks have a description; most people leave it out"),
        (replace(_PLAIN, sentence=120), "tasks are written in sentences of 120 letters"),
    ],
)
def test_wording_unlike_an_office_is_reported_if_there_is_enough_of_it(worded: Papers, remark: str) -> None:
    assert list(unlike_an_office([_PLAIN, worded])) == [remark]
    assert list(unlike_an_office([replace(worded, number=3)])) == []


def test_titles_and_descriptions_are_typed_in_the_authors_letters() -> None:
    hasty = Voice(lower=True, stops=0, slips=100, contractions=100)
    assert titled("Book the Court", Voice(), Draw(1, "t")) == "Book the Court"
    typed = {titled("Move the Printer downstairs", hasty, Draw(n, "t")) for n in range(20)}
    assert "move the printer downstairs" in typed
    assert len(typed) > 5
    assert described("It is not here.", hasty, Draw(1, "t")) == "it isn't here"
    assert described("It is not here.\nAsk me.", hasty, Draw(1, "t")) == "it isn't here.\nask me."


@pytest.mark.parametrize("name", ["campus", "studio"])
def test_the_shipped_worlds_are_worded_like_an_office(name: str) -> None:
    statistics = papers(checked(name).plan)
    assert {"events", "tasks", "documents"} <= {one.kind for one in statistics}
    assert list(unlike_an_office(statistics)) == []
