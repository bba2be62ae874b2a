"""docs/worlds.md names exactly the members that a world's files may have."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel
from typing_extensions import is_typeddict

from soundstage.source import SourceError
from soundstage.worlds.builder import spec
from soundstage.worlds.builder.build import build
from tests.conftest import REPOSITORY
from tests.worlds.builder.conftest import write_spec  # noqa: F401 a fixture

WriteSpec = Callable[..., Path]
_MODELS: dict[str, type] = {
    "organisation": spec.Organisation, "cast": spec.Person, "voice": spec.Voice, "outsiders": spec.Outsider,
    "feeds": spec.Feed, "bots": spec.Bot, "places": spec.Place, "calendars": spec.Calendar, "bases": spec.Base,
    "table": spec.Table, "fill": spec.Fill, "spaces": spec.Space, "routines": spec.Routine, "sizes": spec.Sizes,
    "bounds": spec.Bound, "The spec": spec.Spec, "A storyline": spec.Storyline, "beat": spec.Beat,
}  # fmt: skip
_TABLE = re.compile(r"^(?:###? (.+)|.*\*\*(.+?)\*\*.*:)$|^\| (`.*?) \|", re.MULTILINE)
_NAME = re.compile(r"`(\w+)[^`]*`")

# A world in which every kind of object has an unknown member.
_BASE = (
    "bases: {stock: {app: lark, owner: ann, title: Stock, created: 2026-11-02 10:00, tables: {all: {title: All, "
    "columns: [{name: A}, {name: B, odd: 1}], records: [{odd: 1}]}}}}\n"
    "spaces: {wiki: {app: notion, owner: ann, title: Wiki, created: 2026-11-02 10:00, pages: [{odd: 1}, {of: plan, odd: 1}]}}\n"
)
_TRACES = """
      - event: {odd: 1}
      - task: {odd: 1}
      - document: {odd: 1}
      - post: {odd: 1}
      - {thread: room, odd: 1}
      - {thread: room, turns: [{ann odd: "a"}]}
      - {thread: room, turns: [{ann: {odd: 1}}]}
      - post: {app: xiaohongshu, by: ann, title: T, text: T, comments: [{bo odd: "a"}]}
"""
_PLACES = {
    "column": "columns[1]", "record": "records[0]", "page with separate text": "pages[0]",
    "page of a document or base": "pages[1]",
    "event": "traces[0]", "task": "traces[1]", "document": "traces[2]", "post": "traces[3]", "thread": "traces[4]",
    "flags of a turn": "traces[5].turns[0]", "content": "traces[6].turns[0]", "flags of a comment": "traces[7]",
}  # fmt: skip


def _documented() -> dict[str, set[str]]:
    """Return the members in the page's tables, by the subject of the table."""
    members: dict[str, set[str]] = {}
    about = ""
    for heading, bold, cell in _TABLE.findall((REPOSITORY / "docs" / "worlds.md").read_text()):
        if cell:
            members.setdefault(about, set()).update(_NAME.findall(cell))
        else:
            about = (heading or bold).strip("`")
    return members


def test_every_section_of_a_spec_has_a_table() -> None:
    declared = {
        value for value in vars(spec).values()
        if isinstance(value, type) and value.__module__ == spec.__name__ and value not in (spec._Model, spec.Sources)
        and (is_typeddict(value) or issubclass(value, BaseModel))
    }  # fmt: skip
    assert declared == set(_MODELS.values())


@pytest.mark.parametrize("name", _MODELS)
def test_a_section_s_members_are_on_the_page(name: str) -> None:
    model = _MODELS[name]
    members = set(model.__annotations__ if is_typeddict(model) else model.model_fields)  # type: ignore[attr-defined]
    assert _documented()[name] == members


def test_the_known_members_in_a_refusal_are_on_the_page(write_spec: WriteSpec) -> None:  # noqa: F811
    end_of_head = "include: [story.yaml]\n"
    accounts = {"accounts: {lark": "accounts: {notion: {}, xiaohongshu: {nickname: x}, lark"}
    start = "    traces:\n"
    path = write_spec({**accounts, end_of_head: _BASE + end_of_head, start: start + _TRACES.lstrip("\n")})
    with pytest.raises(SourceError) as refused:
        build(path)
    for name, place in _PLACES.items():
        (problem,) = [m.problem for m in refused.value.mistakes if m.place.endswith(place) and "known: " in m.problem]
        assert _documented()[name] == set(problem.partition("known: ")[2].split(", ")), name


@pytest.mark.parametrize("kind", ["thread", "text"])
def test_the_members_of_a_corpus_are_on_the_page(write_spec: WriteSpec, kind: str) -> None:  # noqa: F811
    path = write_spec({"include: [story.yaml]": "include: [story.yaml, more.yaml]"})
    has = "{id: a, topic: b, lang: en, turns: [], kind: note, odd: 1}"
    (path.parent / "more.yaml").write_text(f"{kind}s: [{has}]\n")
    with pytest.raises(SourceError) as refused:
        build(path)
    assert _documented()[f"corpus {kind}"] == set(str(refused.value).partition("known: ")[2].split(", "))
