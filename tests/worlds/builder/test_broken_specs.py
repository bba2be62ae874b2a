"""Each mistake in a spec is reported with its place, and nothing is built in part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Column, Text

from soundstage.contexts.engine.schema import AppTables
from soundstage.source import SourceError
from soundstage.worlds import World, built
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder import build as build_module
from soundstage.worlds.builder.build import CheckFailed, build, build_checked
from soundstage.worlds.builder.wording import Rows, word

BROKEN = [
    ({"lark: {message: 40,": "lark: {letter: 40,"}, "spec.yaml:18 sizes.rows.lark.letter", "unknown entity 'letter'; lark has:"),
    ({"rows: {lark: {message: 40": "rows: {fax: {message: 40"}, "spec.yaml:18", "unknown app 'fax'"),
    ({"room: {app: lark": "room: {app: fax"}, "places.room.app", "unknown app 'fax'"),
    ({"user: ann": "user: zoe"}, "spec.yaml:8 user", "'zoe' is nobody of the cast"),
    ({"owner: ann": "owner: zoe"}, "places.room.owner", "'zoe' is nobody of the cast"),
    ({"team: qa, lang": "team: crew, lang"}, "spec.yaml:13 cast.bo", "team 'crew' is none of the organisation's"),
    ({'joined: "2025-01-01 09:00"': "joined: yesterday"}, "cast.ann.joined", "is not a moment; write it like"),
    ({"seed: 3": "seed: three"}, "spec.yaml:4 seed", "should be a valid integer"),
    ({"days: 30": "dayz: 30"}, "dayz", "is not known here"),
    ({"days: 30\n": ""}, "days", "is missing"),
    ({"home: lark": "home: lark\nhome: slack"}, "spec.yaml:8 home", "is given twice"),
    ({"seed: 3": "seed: [3"}, "spec.yaml:", "is not valid YAML"),
    ({"include: [story.yaml]": "include: [stories.yaml]"}, "include[0]", "no file fits 'stories.yaml'"),
    ({"role: Tester,": "role: Tester, accounts: {lark: null},"}, "spec.yaml:", "bo has no account in lark"),
    ({"- bo +3m": "- bob +3m"}, "story.yaml:15 beats[0].traces[3].turns[1]", "'bob' is nobody of the cast and no bot"),
    ({"- bo +3m": "- bo +soon"}, "turns[1]", "is no `who +delay flags`"),
    ({"{@bo}": "{@bob}"}, "turns[0]", "{@bob} names nobody"),
    ({"{link:plan}": "{link:plane}"}, "turns[0]", "{link:plane} leads to nothing"),
    ({"thread: room": "thread: hall"}, "traces[3]", "'hall' is no place"),
    ({"- document:": "- telegram:"}, "story.yaml:9 beats[0].traces[0]", "unknown kind of trace 'telegram'"),
    ({'at: "2026-11-05 10:00"': 'at: "2026-12-05 10:00"'}, "story.yaml:6 beats[0].at", "it has not happened yet"),
    ({"minutes: 30": 'end: "2026-11-06 09:00"'}, "traces[1]", "before it starts"),
    ({"title: Look twice": 'done: "2026-11-01 10:00", title: Look twice'}, "traces[2]", "before it was made"),
    ({"title: Look twice": "under: t1, title: Look twice"}, "traces[2]", "circular parents t1 → t1"),
    ({"share: {room: view": "share: {room: own"}, "traces[0]", "expected view, edit or full_access"),
    ({"cy: {name": "ann: {name"}, "cast.ann", "is given twice"),
    ({"seed: 3": "seed: &a [*a]"}, "spec.yaml:4", "inside its own value"),
    ({"seed: 3": f"seed: {'[' * 90}"}, "spec.yaml:4", "is nested too deeply"),
    ({"seed: 3": f"seed: {'9' * 100_000}"}, "spec.yaml:4", "a number of 100000 characters"),
    ({"include: [story.yaml]": "include: [/etc/hosts]"}, "include[0]", "is no file or glob below the spec's folder"),
    ({"include: [story.yaml]": "include: [../*.yaml]"}, "include[0]", "is no file or glob below the spec's folder"),
    ({"include: [story.yaml]": "include: ['']"}, "include[0]", "is no glob"),
    ({"include: [story.yaml]": "include: [spec.yaml]"}, "include[0]", "cannot include itself"),
    ({"include: [story.yaml]": "include: 5"}, "include", "expected a list of files"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "place", "problem"), BROKEN, ids=lambda v: str(v)[:40])
def test_a_mistake_is_named_with_its_place(
    write_spec: Callable[..., Path], changes: dict[str, str], place: str, problem: str
) -> None:
    path = write_spec(changes)
    with pytest.raises(SourceError) as refused:
        build(path)
    assert any(place in m.place and problem in m.problem for m in refused.value.mistakes), str(refused.value)


def test_all_mistakes_are_reported_at_once(write_spec: Callable[..., Path]) -> None:
    with pytest.raises(SourceError) as refused:
        build(write_spec({"thread: room": "thread: hall", "with: [bo]": "with: [bob]"}))
    assert len(refused.value.mistakes) == 2


def test_a_failed_build_leaves_no_files(write_spec: Callable[..., Path], tmp_path: Path) -> None:
    path = write_spec({"thread: room": "thread: hall"})
    world = World("tiny", "Tiny", "", 0, path.parent)
    folder = tmp_path / "worlds"
    with pytest.raises(SourceError):
        built(world, folder)
    assert not folder.exists()


def test_an_event_before_its_guest_joined_is_found(write_spec: Callable[..., Path]) -> None:
    early = 'at: "2026-10-28 10:00"'
    later = 'thread: room\n        at: "2026-11-05 10:00"\n'
    path = write_spec({'at: "2026-11-05 10:00"': early, "with: [bo]": "with: [cy]", "thread: room\n": later})
    with pytest.raises(CheckFailed, match=r"cy.* which came later"):
        build_checked(path)


def test_an_unknown_filler_is_named_with_its_column(
    write_spec: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = AppTables("odd")
    odd.entity("thing", Column("id", Text, primary_key=True))
    magic = {"thing": Rows(made_from="person", columns={"id": "magic"})}  # type: ignore[dict-item]
    monkeypatch.setattr(build_module, "all_wording", lambda: {**all_wording(), "odd": word(odd, magic)})
    with pytest.raises(SourceError, match=r"odd\.thing\.id: unknown filler 'magic'"):
        build(write_spec({"accounts: {lark": "accounts: {odd: {}, lark"}))
