"""A built world: linked, in order, and with the same bytes everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from sqlalchemy import Column, Integer, Text

from soundstage.contexts.engine.schema import AppTables, Json, id_format
from soundstage.contexts.engine.state import State
from soundstage.worlds.apps import all_wording
from soundstage.worlds.builder import build as build_module
from soundstage.worlds.builder import fill
from soundstage.worlds.builder.build import build, build_checked
from soundstage.worlds.builder.wording import Rows, word

WriteSpec = Callable[..., Path]


def _hash(state: State) -> str:
    return hashlib.blake2b(orjson.dumps(state)).hexdigest()


def test_a_story_leaves_traces_that_name_each_other(write_spec: WriteSpec) -> None:
    lark = build_checked(write_spec()).state["lark"]
    people = {u["name"]: u["open_id"] for u in lark["user"]}
    (document,) = [d for d in lark["document"] if d["title"] == "Plan"]
    opener, answer = [m for m in lark["message"] if m["create_time"] >= "0"][:2]
    message = next(m for m in lark["message"] if document["document_id"] in m["body"]["content"])
    assert message["mentions"][0]["id"] == people["薄文"]
    assert "@_user_1" in message["body"]["content"]
    replies = [m for m in lark["message"] if m.get("parent_id") == message["message_id"]]
    assert [orjson.loads(r["body"]["content"])["text"] for r in replies] == ["好", "Thanks, 薄文"]
    assert int(replies[0]["create_time"]) - int(message["create_time"]) == 180_000
    event = next(e for e in lark["calendar_event"] if e["summary"] == "Look")
    assert {a["user_id"] for a in event["attendees"]} == {people["Ann Lee"], people["薄文"]}
    rights = [p["perm"] for p in lark["permission_member"] if p["token"] == document["document_id"]]
    assert set(rights) == {
        "full_access",
        "view",
        "edit",
    }
    assert opener["chat_id"] == answer["chat_id"]


def test_generated_rows_fill_up_to_the_sizes_and_follow_their_causes(write_spec: WriteSpec) -> None:
    lark = build_checked(write_spec()).state["lark"]
    assert len(lark["message"]) >= 40
    assert len(lark["calendar_event"]) >= 12
    times = {m["message_id"]: int(m["create_time"]) for m in lark["message"]}
    created = int(lark["chat"][0]["create_time"])
    for message in lark["message"]:
        assert int(message["create_time"]) > created
        assert times.get(message.get("parent_id"), 0) < int(message["create_time"])
    assert [int(m["create_time"]) for m in lark["message"]] == sorted(times.values())


def test_a_spec_gives_the_same_bytes_in_another_process_zone_and_locale(write_spec: WriteSpec) -> None:
    path = write_spec()
    program = (
        "import sys, hashlib, orjson; from pathlib import Path; from soundstage.worlds.builder.build import build; "
        "print(hashlib.blake2b(orjson.dumps(build(Path(sys.argv[1])).state)).hexdigest())"
    )
    hashes = {_hash(build(path).state)}
    for seed, zone in (("1", "America/Caracas"), ("77", "Asia/Kolkata")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, env=environment, check=True
        )
        hashes.add(done.stdout.strip())
    assert len(hashes) == 1


def test_another_seed_is_another_world(write_spec: WriteSpec) -> None:
    one = _hash(build(write_spec()).state)
    assert one != _hash(build(write_spec({"seed: 3": "seed: 4"})).state)


def test_generated_people_have_unassigned_numbers(write_spec: WriteSpec) -> None:
    path = write_spec({"sizes: {": "sizes: {people: 40, "})
    users = build_checked(path).state["lark"]["user"]
    assert len(users) == 40
    assert len({u["email"] for u in users}) == len({u["mobile"] for u in users}) == 40
    assert all(u["email"].endswith("@tiny.example") and u["mobile"][5:10] == "55501" for u in users)


def test_a_new_app_needs_only_its_entities_and_their_wording(
    write_spec: WriteSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    pens = AppTables("pens")
    pens.entity("owner", Column("id", Text, primary_key=True, info=id_format("own_{hex:8}")), Column("nick", Text))
    pens.entity(
        "pen",
        Column("id", Text, primary_key=True, info=id_format("pen_{digits:6}")),
        Column("owner", Text),
        Column("colour", Text),
        Column("length", Integer),
        Column("number", Integer),
        Column("remark", Text),
        Column("quote", Text),
        Column("detail", Json),
        parents={"owner": "owner"},
    )
    rows = {
        "owner": Rows(made_from="person", columns={"nick": fill.of("account.handle")}),
        "pen": Rows(
            columns={
                "owner": fill.key("holder", "person"),
                "colour": fill.enumerate(weights={"blue": 9, "red": 1}),
                "length": fill.random(low=100, high=180, step=5),
                "number": fill.ordinal(7),
                "remark": fill.free_form("task", part="title"),
                "quote": fill.authentic("ticket", part="title"),
                "detail": fill.shape(bought=fill.moment("at", "iso"), new=True),
            }
        ),
    }
    worded = {**all_wording(), "pens": word(pens, rows)}
    monkeypatch.setattr(build_module, "all_wording", lambda: worded)
    path = write_spec(
        {
            "accounts: {lark": 'accounts: {pens: {handle: "{key}-pen"}, lark',
            "sizes: {rows: {": "sizes: {rows: {pens: {pen: 25}, ",
        }
    )
    state = build_checked(path).state["pens"]
    assert [o["nick"] for o in state["owner"]] == ["ann-pen", "bo-pen", "cy-pen"]
    assert len(state["pen"]) == 25
    assert {p["owner"] for p in state["pen"]} <= {o["id"] for o in state["owner"]}
    assert {p["colour"] for p in state["pen"]} == {"blue", "red"}
    assert all(100 <= p["length"] <= 180 and p["length"] % 5 == 0 for p in state["pen"])
    assert [p["number"] for p in state["pen"]] == list(range(7, 32))
    assert len({p["remark"] for p in state["pen"]}) == 25
    assert all(p["detail"]["bought"].endswith("Z") and p["detail"]["new"] is True for p in state["pen"])
