"""The shipped worlds pass their checks, are built quickly, and survive export and import as trees unchanged."""

from __future__ import annotations

import time
from pathlib import Path

import apsw
import pytest

from soundstage.contexts.apps import shipped_tables
from soundstage.contexts.engine import state, tree
from soundstage.contexts.engine.clock import Clock
from soundstage.contexts.engine.store import create_tables, digest, open_context
from soundstage.worlds import built, list_worlds, load_world
from soundstage.worlds.builder.build import build
from soundstage.worlds.builder.corpora import local_topics
from soundstage.worlds.builder.picture import draw
from soundstage.worlds.builder.speech import sound_alike, speeches
from tests.worlds.builder.shipped_worlds import checked


def _spec(name: str) -> Path:
    path = load_world(name).spec
    assert path is not None
    return path


def test_four_worlds_are_there() -> None:
    assert {"campus", "empty", "large", "studio"} <= {w.name for w in list_worlds()}


def test_studio_passes_its_check_and_its_people_are_in_every_app() -> None:
    world = checked("studio")
    lark = world.state["lark"]
    assert sum(len(rows) for rows in lark.values()) > 2500
    assert len(lark["user"]) >= 40
    assert len(world.arcs) >= 5
    assert "chen.rui@lanternstudio.example" in {u["email"] for u in lark["user"]}
    assert "Wick 3.0 launch" in {c["name"] for c in lark["chat"]}
    (signed_in,) = [u for u in lark["user"] if u["open_id"] == lark["authorization"][0]["open_id"]]
    assert signed_in["name"] == "Lin Yue"
    assert {c["user_id"] for c in lark["calendar"] if c["type"] == "primary"} == {u["open_id"] for u in lark["user"]}
    for person in world.plan.of_kind("person", "lark"):
        assert {"lark", "slack", "xiaohongshu", "notion", "gmail"} <= person.values["accounts"].keys()
    assert draw(world).count("<circle") > 60


@pytest.mark.parametrize("name", ["campus", "studio"])
def test_feeds_have_posts_with_comments_and_figures_that_fit(name: str) -> None:
    feed = checked(name).state["xiaohongshu"]
    assert len(feed["note"]) >= 140
    assert len(feed["comment"]) >= 250
    assert len({note["user"]["userId"] for note in feed["note"]}) >= 45
    below: dict[str, int] = {}
    for comment in feed["comment"]:
        below[comment["noteId"]] = below.get(comment["noteId"], 0) + 1
    for note in feed["note"]:
        assert note["interactInfo"]["commentCount"] == str(below.get(note["noteId"], 0))
    assert {notice["tab"] for notice in feed["notification"]} == {"mentions", "likes", "connections"}
    (unread,) = feed["unread"]
    for tab in ("mentions", "likes", "connections"):
        assert unread[tab] <= sum(notice["tab"] == tab for notice in feed["notification"])


def test_studios_people_write_like_an_office_and_each_in_a_personal_way() -> None:
    plan = checked("studio").plan
    people = speeches(plan)
    messages = sum(person.messages for person in people)

    def share(figure: str) -> float:
        return sum(person.messages * getattr(person, figure) for person in people) / messages

    assert share("closing") < 50
    assert share("acknowledgements") > 8
    assert 5 < share("emoji") < 15
    assert sum(person.median for person in people) / len(people) < 40  # comments and posts are longer than chats
    assert len(list(sound_alike(people))) <= 1  # of 62; mails, notes and comments are included
    for comment in plan.of_kind("comment", "xiaohongshu"):
        local = comment.values["post"].values.get("topic") in local_topics()
        assert comment.values["author"].values["here"] or not local
    assert sum(place.values["form"] == "direct" and place.app == "lark" for place in plan.of_kind("place")) >= 25


def test_studio_talks_in_slack_with_threads_that_add_up() -> None:
    slack = checked("studio").state["slack"]
    assert len(slack["message"]) > 450
    assert sorted("bot_id" in token for token in slack["auth"]) == [False, True]
    members = {channel["id"]: set(channel["members"]) for channel in slack["channel"]}
    named = {channel["id"] for channel in slack["channel"] if channel["is_im"] or channel["is_mpim"]}
    assert all(("name" in c) == (not c["is_im"]) for c in slack["channel"])
    assert len(named) == 3
    below: dict[tuple[str, str], list[str]] = {}
    for message in slack["message"]:
        if message.get("thread_ts", message["ts"]) != message["ts"]:
            below.setdefault((message["channel"], message["thread_ts"]), []).append(message["ts"])
        for reaction in message.get("reactions", []):
            assert reaction["count"] == len(set(reaction["users"])) == len(reaction["users"])
            assert set(reaction["users"]) <= members[message["channel"]] | {message["user"]}
    for message in slack["message"]:
        replies = below.get((message["channel"], message["ts"]), [])
        assert message.get("reply_count", 0) == len(replies)
        assert message.get("latest_reply", "") == max(replies, default="")


@pytest.mark.timed
@pytest.mark.long
def test_studio_is_built_in_ten_seconds(tmp_path: Path) -> None:
    began = time.process_time()  # processor time, because the machine may be busy
    path = built(load_world("studio"), tmp_path)
    assert time.process_time() - began < 10
    assert built(load_world("studio"), tmp_path) == path


def test_a_world_exported_as_trees_and_imported_has_an_equal_hash(tmp_path: Path) -> None:
    database = built(load_world("studio"), tmp_path)
    source = open_context(apsw.Connection(str(database)))
    trees = {app: tree.export_tree(source, app) for app in shipped_tables()}
    connection = apsw.Connection(str(tmp_path / "again.db"))
    create_tables(connection, shipped_tables(), world="empty", seed=0, clock=Clock("tick", 0))
    target = open_context(connection)
    with target.transaction():
        for app, exported in trees.items():
            state.load(target, tree.flatten(shipped_tables()[app], exported))
    assert digest(target) == digest(source)
    source.close()
    target.close()


@pytest.mark.timed
@pytest.mark.long
def test_large_has_a_hundred_thousand_rows_in_two_minutes() -> None:
    began = time.monotonic()
    rows = build(_spec("large")).state["lark"]
    assert time.monotonic() - began < 120
    assert sum(len(r) for r in rows.values()) >= 100_000
