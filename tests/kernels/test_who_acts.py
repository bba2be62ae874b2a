"""Several accounts in one context: each acts as itself and sees only its own data.

The world is `studio`, whose main account is Lin Yue; Sofia Duarte and Priya Raman act as well.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine import journal, state
from soundstage.contexts.engine.journal import Caller
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app, load_apps
from tests.gateway.calls import ArgumentMaker, texts_of

LIN, SOFIA, PRIYA = None, "sofia_duarte", "priya_raman"
SECRET = "the quince is ripe"
MORNING = {
    "start_time": {"timestamp": "1795420800", "timezone": "Asia/Shanghai"},
    "end_time": {"timestamp": "1795424400", "timezone": "Asia/Shanghai"},
}


class Studio:
    """A session of world `studio` in which any account can act."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.context = session.context

    def call(self, user: str | None, app: str, tool: str, arguments: dict[str, Any] | None = None) -> str:
        """Return the first text of the reply to an account's call."""
        made = dispatch(self.session, load_app(app), tool, arguments or {}, caller=Caller(user))
        assert made.reply is not None
        return str(made.reply["content"][0]["text"]) if "content" in made.reply else json.dumps(made.reply)

    def account(self, person: str, app: str) -> str:
        return self.context.accounts.of(person)[app]

    def direct(self, *people: str) -> str:
        """Return the direct message channel of Slack accounts."""
        members = {self.account(person, "slack") for person in people}
        return next(
            str(c["id"])
            for c in self.context.app("slack").list("channel", {"is_im": True})
            if set(c["members"]) == members
        )

    def channel(self, name: str) -> str:
        channel_row = self.context.app("slack").first("channel", {"name": name})
        assert channel_row is not None
        return str(channel_row["id"])


@pytest.fixture
def studio(new_session: Callable[..., Session]) -> Studio:
    return Studio(new_session(world="studio"))


def test_the_worlds_own_person_acts_the_same_by_name(studio: Studio, new_session: Callable[..., Session]) -> None:
    by_name = Studio(new_session(world="studio"))
    maker = ArgumentMaker(5, sorted({t for t in texts_of(state.dump(studio.context)) if len(t) < 100})[:300])
    for _ in range(150):
        app = maker.random.choice(list(load_apps()))
        tool = maker.random.choice(list(load_app(app).tools.values()))
        arguments = maker.fitting(tool)
        mine = dispatch(studio.session, load_app(app), tool.name, arguments)
        named = dispatch(by_name.session, load_app(app), tool.name, arguments, caller=Caller("lin_yue"))
        assert named.reply == mine.reply, (app, tool.name, arguments)
    assert digest(by_name.context) == digest(studio.context)


# -- Slack ----------------------------------------------------------------------------------------------------------


def test_slack_messages_have_the_acting_person_as_author(studio: Studio) -> None:
    where = studio.channel("general")
    for user in (LIN, SOFIA, PRIYA):
        studio.call(user, "slack", "conversations_add_message", {"channel_id": where, "text": f"hello from {user}"})
    posted = studio.context.app("slack").list("message", {"channel": where}, order="-ts", limit=3)
    people = ("priya_raman", "sofia_duarte", "lin_yue")
    assert [m["user"] for m in posted] == [studio.account(person, "slack") for person in people]


def test_slacks_direct_messages_are_visible_to_their_two_people_only(studio: Studio) -> None:
    where = studio.direct("lin_yue", "priya_raman")
    studio.call(LIN, "slack", "conversations_add_message", {"channel_id": where, "text": SECRET})
    for user, sees in ((LIN, True), (PRIYA, True), (SOFIA, False)):
        history = studio.call(user, "slack", "conversations_history", {"channel_id": where, "limit": "1d"})
        matches = studio.call(user, "slack", "conversations_search_messages", {"search_query": "quince"})
        listed = studio.call(user, "slack", "channels_list", {"channel_types": "im"})
        assert [SECRET in history, SECRET in matches, where in listed] == [sees] * 3, user
    assert "channel_not_found" in studio.call(SOFIA, "slack", "conversations_history", {"channel_id": where})
    refused = {"channel_id": where, "text": "may I?"}
    assert "channel_not_found" in studio.call(SOFIA, "slack", "conversations_add_message", refused)


def test_slack_files_in_a_private_channel_are_found_by_its_members_only(studio: Studio) -> None:
    slack = studio.context.app("slack")
    place = studio.channel("vip-northbank")
    with studio.context.transaction():
        owner = studio.account("lin_yue", "slack")
        file = {"id": "F0QUINCE001", "user": owner, "name": "plan.txt", "mimetype": "text/plain", "size": 5}
        address = {"url_private": "https://files.slack.com/x", "channels": [place], "content": SECRET}
        slack.create("file", {**file, **address})
    for user, sees in ((LIN, True), (PRIYA, True), (SOFIA, False)):
        assert (SECRET in studio.call(user, "slack", "attachment_get_data", {"file_id": "F0QUINCE001"})) is sees, user


def test_slack_counts_unread_messages_per_person(studio: Studio) -> None:
    where = studio.channel("random")
    studio.call(LIN, "slack", "conversations_mark", {"channel_id": where})
    for user in (LIN, SOFIA):
        studio.call(user, "slack", "conversations_mark", {"channel_id": where})
        assert where not in studio.call(user, "slack", "conversations_unreads", {"include_messages": False})
    studio.call(LIN, "slack", "conversations_add_message", {"channel_id": where, "text": "anybody for noodles?"})
    studio.call(LIN, "slack", "conversations_mark", {"channel_id": where})
    assert where not in studio.call(LIN, "slack", "conversations_unreads", {"include_messages": False})
    assert where in studio.call(SOFIA, "slack", "conversations_unreads", {"include_messages": False})
    assert "noodles" in studio.call(SOFIA, "slack", "conversations_unreads", {})


def test_opening_a_direct_message_leaves_it_unread_for_the_other_person(studio: Studio) -> None:
    lin, sofia = studio.account("lin_yue", "slack"), studio.account("sofia_duarte", "slack")
    studio.call(SOFIA, "slack", "conversations_add_message", {"channel_id": lin, "text": "are you in?"})
    where = studio.direct("lin_yue", "sofia_duarte")
    assert where in studio.call(
        LIN, "slack", "conversations_unreads", {"channel_types": "dm", "include_messages": False}
    )
    studio.call(LIN, "slack", "conversations_add_message", {"channel_id": sofia, "text": "at my desk"})
    assert "at my desk" in studio.call(SOFIA, "slack", "conversations_unreads", {"channel_types": "dm"})


def test_a_person_leaves_and_joins_slack_channels_independently(studio: Studio) -> None:
    where = studio.channel("random")
    studio.call(SOFIA, "slack", "conversations_leave", {"channel_id": where})
    assert "#random" not in studio.call(SOFIA, "slack", "channels_me", {"channel_types": "public_channel"})
    assert "#random" in studio.call(LIN, "slack", "channels_me", {"channel_types": "public_channel"})


def test_slack_refuses_a_deactivated_account(studio: Studio) -> None:
    refusal_text = studio.call(
        "oskar_nyman", "slack", "conversations_history", {"channel_id": studio.channel("general")}
    )
    assert "account_inactive" in refusal_text


# -- Lark -----------------------------------------------------------------------------------------------------------


def test_larks_signed_in_user_is_the_acting_person_and_the_app_is_shared(studio: Studio) -> None:
    chats = {
        user: studio.call(user, "lark", "im_v1_chat_list", {"params": {"page_size": 100}, "useUAT": True})
        for user in (LIN, SOFIA, PRIYA)
    }
    members = studio.context.app("lark")
    for user, shown in chats.items():
        open_id = studio.account(user or "lin_yue", "lark")
        listed = {chat["chat_id"] for chat in json.loads(shown)["items"]}
        assert listed
        assert all(members.get("chat_member", (chat, open_id)) for chat in listed), user
    assert chats[LIN] != chats[SOFIA] != chats[PRIYA]
    as_app = {studio.call(user, "lark", "im_v1_chat_list", {"params": {"page_size": 100}}) for user in (LIN, SOFIA)}
    assert len(as_app) == 1


def test_each_person_has_a_primary_calendar_in_lark_with_private_events(studio: Studio) -> None:
    shown = {u: studio.call(u, "lark", "calendar_v4_calendar_primary", {"useUAT": True}) for u in (LIN, SOFIA)}
    ids = {u: json.loads(text)["calendars"][0]["calendar"]["calendar_id"] for u, text in shown.items()}
    owners = {u: json.loads(text)["calendars"][0]["user_id"] for u, text in shown.items()}
    assert owners == {u: studio.account(u or "lin_yue", "lark") for u in (LIN, SOFIA)}
    data = {"summary": SECRET, "visibility": "private", **MORNING}
    made = studio.call(
        LIN,
        "lark",
        "calendar_v4_calendarEvent_create",
        {"path": {"calendar_id": "primary"}, "data": data, "useUAT": True},
    )
    path = {"calendar_id": ids[LIN], "event_id": json.loads(made)["event"]["event_id"]}
    assert SECRET in studio.call(LIN, "lark", "calendar_v4_calendarEvent_get", {"path": path, "useUAT": True})
    assert SECRET not in studio.call(SOFIA, "lark", "calendar_v4_calendarEvent_get", {"path": path, "useUAT": True})
    change = {"path": path, "data": {"summary": "mine now"}, "useUAT": True}
    studio.call(SOFIA, "lark", "calendar_v4_calendarEvent_patch", change)
    event = studio.context.app("lark").get("calendar_event", path["event_id"])
    assert event is not None
    assert event["summary"] == SECRET


def test_lark_tasks_are_changed_only_by_their_members(studio: Studio) -> None:
    made = json.loads(
        studio.call(LIN, "lark", "task_v2_task_create", {"data": {"summary": "Order gels"}, "useUAT": True})
    )
    change = {
        "path": {"task_guid": made["task"]["guid"]},
        "data": {"task": {"summary": "Order more gels"}, "update_fields": ["summary"]},
        "useUAT": True,
    }
    assert "1470403" in studio.call(SOFIA, "lark", "task_v2_task_patch", change)
    assert "Order more gels" in studio.call(LIN, "lark", "task_v2_task_patch", change)
    assert json.loads(studio.call(SOFIA, "lark", "task_v2_task_create", {"data": {"summary": "Call"}, "useUAT": True}))[
        "task"
    ]["creator"]["id"] == studio.account("sofia_duarte", "lark")


def test_larks_document_that_is_shared_with_one_is_not_found_by_another(studio: Studio) -> None:
    lark = studio.context.app("lark")
    with studio.context.transaction():
        made = lark.create(
            "document",
            {"title": SECRET, "content": SECRET, "docs_type": "doc", "owner_id": studio.account("lin_yue", "lark")},
        )
        token, reader = made["document_id"], studio.account("priya_raman", "lark")
        lark.create(
            "permission_member",
            {"token": token, "member_type": "openid", "member_id": reader, "token_type": "docx", "perm": "view"},
        )
    for user, sees in ((LIN, True), (PRIYA, True), (SOFIA, False)):
        search = {"data": {"search_key": "quince"}, "useUAT": True}
        read = {"path": {"document_id": token}, "params": {}, "useUAT": True}
        assert (token in studio.call(user, "lark", "docx_builtin_search", search)) is sees, user
        assert (SECRET in studio.call(user, "lark", "docx_v1_document_rawContent", read)) is sees, user


# -- Rednote --------------------------------------------------------------------------------------------------------


def _public_note(studio: Studio) -> dict[str, Any]:
    notes = studio.context.app("xiaohongshu").list("note", {"visibility": "公开可见"}, limit=20)
    return next(n for n in notes if not n["interactInfo"].get("liked"))


def _pair(note: dict[str, Any]) -> dict[str, Any]:
    return {"feed_id": note["noteId"], "xsec_token": note["xsecToken"]}


def _liked(studio: Studio, user: str | None, note: dict[str, Any]) -> tuple[bool, str]:
    shown = json.loads(studio.call(user, "xiaohongshu", "get_feed_detail", _pair(note)))
    info = shown["data"]["note"]["interactInfo"]
    return info["liked"], info["likedCount"]


def test_a_rednote_like_belongs_to_a_person_and_counts_for_all(studio: Studio) -> None:
    note = _public_note(studio)
    count = int(note["interactInfo"]["likedCount"])
    studio.call(SOFIA, "xiaohongshu", "like_feed", _pair(note))
    assert _liked(studio, SOFIA, note) == (True, str(count + 1))
    assert _liked(studio, LIN, note) == (False, str(count + 1))
    studio.call(LIN, "xiaohongshu", "like_feed", _pair(note))
    studio.call(SOFIA, "xiaohongshu", "like_feed", {**_pair(note), "unlike": True})
    assert _liked(studio, LIN, note) == (True, str(count + 1))
    assert _liked(studio, SOFIA, note) == (False, str(count + 1))
    liked = json.loads(studio.call(SOFIA, "xiaohongshu", "get_my_profile", {"tab": "liked"}))
    assert liked["feeds"] is None


def test_rednotes_profile_notes_and_comments_are_the_acting_persons(studio: Studio) -> None:
    files = studio.context.app("xiaohongshu").list("file", limit=1)
    publish = {"title": "夜里的灯", "content": SECRET, "images": [files[0]["path"]], "visibility": "仅自己可见"}
    studio.call(SOFIA, "xiaohongshu", "publish_content", publish)
    note = studio.context.app("xiaohongshu").list("note", order="-time", limit=1)[0]
    assert note["user"]["userId"] == studio.account("sofia_duarte", "xiaohongshu")
    assert "夜里的灯" in studio.call(SOFIA, "xiaohongshu", "get_my_profile", {})
    assert SECRET in studio.call(SOFIA, "xiaohongshu", "get_feed_detail", _pair(note))
    assert SECRET not in studio.call(LIN, "xiaohongshu", "get_feed_detail", _pair(note))
    profile = {"user_id": note["user"]["userId"], "xsec_token": "AB"}
    assert "夜里的灯" not in studio.call(LIN, "xiaohongshu", "user_profile", profile)


def test_rednotes_notifications_and_unread_counts_are_each_persons_own(studio: Studio) -> None:
    before = studio.call(LIN, "xiaohongshu", "get_unread_count", {})
    assert json.loads(before)["unread"] > 0
    assert json.loads(studio.call(SOFIA, "xiaohongshu", "get_unread_count", {}))["unread"] == 0
    assert json.loads(studio.call(LIN, "xiaohongshu", "list_notifications", {}))["items"]
    assert json.loads(studio.call(SOFIA, "xiaohongshu", "list_notifications", {}))["items"] == []


def test_signing_out_of_rednote_affects_only_the_acting_person(studio: Studio) -> None:
    studio.call(SOFIA, "xiaohongshu", "delete_cookies", {})
    assert "未登录" in studio.call(SOFIA, "xiaohongshu", "check_login_status", {})
    assert "已登录" in studio.call(LIN, "xiaohongshu", "check_login_status", {})
    assert "已登录" in studio.call(PRIYA, "xiaohongshu", "check_login_status", {})
    studio.call(LIN, "xiaohongshu", "delete_cookies", {})
    assert "未登录" in studio.call(LIN, "xiaohongshu", "check_login_status", {})
    assert "已登录" in studio.call(PRIYA, "xiaohongshu", "check_login_status", {})


# -- Notion ---------------------------------------------------------------------------------------------------------


def _bot(studio: Studio, user: str | None) -> str:
    bot_id: str = json.loads(studio.call(user, "notion", "notion_retrieve_bot_user", {}))["id"]
    return bot_id


def test_notions_connection_is_the_workspaces_unless_a_person_has_one(studio: Studio) -> None:
    notion = studio.context.app("notion")
    mine = _bot(studio, LIN)
    assert _bot(studio, SOFIA) == mine
    with studio.context.transaction():
        bot = notion.create("user", {"object": "user", "name": "Sofia's helper", "type": "bot", "bot": {}})
        own = {"token": "ntn_sofia", "bot_id": bot["id"], "capabilities": ["read_content"]}
        notion.create("integration", {**own, "user_id": studio.account("sofia_duarte", "notion")})
    assert _bot(studio, SOFIA) == bot["id"]
    assert _bot(studio, LIN) == _bot(studio, PRIYA) == mine
    assert "restricted_resource" in studio.call(SOFIA, "notion", "notion_list_all_users", {})


# -- all apps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_one_persons_private_data_is_in_no_reply_to_another(studio: Studio, seed: int) -> None:
    """Call every tool with ids from the state, including those of private places."""
    where = studio.direct("lin_yue", "priya_raman")
    studio.call(LIN, "slack", "conversations_add_message", {"channel_id": where, "text": SECRET})
    files = studio.context.app("xiaohongshu").list("file", limit=1)
    publish = {"title": "quince", "content": SECRET, "images": [files[0]["path"]], "visibility": "仅自己可见"}
    studio.call(LIN, "xiaohongshu", "publish_content", publish)
    event = {"summary": SECRET, "description": SECRET, "visibility": "private", **MORNING}
    create = {"path": {"calendar_id": "primary"}, "data": event, "useUAT": True}
    studio.call(LIN, "lark", "calendar_v4_calendarEvent_create", create)
    changes = [
        c for row in journal.read(studio.context) for c in journal.changes(studio.context, row.receipt.changeset)
    ]
    ids = sorted({t for c in changes for t in texts_of([c["id"], c["after"]]) if len(t) < 100 and "quince" not in t})
    maker = ArgumentMaker(seed, [*ids, where, "me", "true", "private"])
    tools = [(app, tool) for app, loaded in load_apps().items() for tool in loaded.tools.values()]
    for app, tool in tools * 6:
        arguments = maker.fitting(tool)
        made = dispatch(studio.session, load_app(app), tool.name, arguments, caller=Caller(SOFIA))
        assert "quince" not in json.dumps(made.reply), (app, tool.name, arguments)
