"""Two people of the world `studio` in one context: the data of one is hidden from the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from soundstage.contexts.engine.journal import Caller
from soundstage.gateway.calls.dispatch import dispatch
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import load_app

LIN, SOFIA, EMILY = None, "sofia_duarte", "emily_hart"
SECRET = "the quince is ripe"


class Studio:
    """The world `studio`, called on behalf of its people."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def call(self, user: str | None, tool: str, arguments: dict[str, Any] | None = None) -> str:
        made = dispatch(self.session, load_app("telegram"), tool, arguments or {}, caller=Caller(user))
        assert made.reply is not None
        return str(made.reply["content"][0]["text"])

    def chats(self, user: str | None) -> dict[int, dict[str, Any]]:
        listed = json.loads(self.call(user, "list_chats", {"limit": 100}))["results"]
        return {chat["chat_id"]: chat for chat in listed}

    def id_of(self, person: str) -> int:
        return int(self.session.context.accounts.of(person)["telegram"])

    def group(self, title: str) -> int:
        chat = self.session.context.app("telegram").first("chat", {"title": title})
        assert chat is not None
        return int(chat["id"])


@pytest.fixture
def studio(new_session: Callable[..., Session]) -> Studio:
    return Studio(new_session(world="studio"))


def test_each_person_has_a_separate_account_and_list_of_chats(studio: Studio) -> None:
    for user, name in ((LIN, "Lin Yue"), (SOFIA, "Sofia Duarte"), (EMILY, "Emily Hart")):
        assert json.loads(studio.call(user, "get_me"))["name"] == name
    press, reads = studio.group("Wick 3.0 press"), studio.group("Lantern reads, far away")
    assert {press, reads} <= studio.chats(LIN).keys()
    assert press in studio.chats(SOFIA).keys() - studio.chats(EMILY).keys()
    assert reads in studio.chats(EMILY).keys() - studio.chats(SOFIA).keys()


def test_a_private_chat_is_there_for_its_two_people_under_each_others_id(studio: Studio) -> None:
    lin, sofia = studio.id_of("lin_yue"), studio.id_of("sofia_duarte")
    studio.call(LIN, "send_message", {"chat_id": sofia, "message": SECRET})
    assert SECRET in studio.call(LIN, "get_messages", {"chat_id": sofia})
    assert SECRET in studio.call(SOFIA, "get_messages", {"chat_id": lin})
    assert SECRET not in studio.call(EMILY, "get_messages", {"chat_id": lin})
    assert SECRET not in studio.call(EMILY, "get_messages", {"chat_id": sofia})


def test_messages_between_others_are_hidden_from_the_default_account(studio: Studio) -> None:
    before = studio.chats(LIN)
    studio.call(SOFIA, "send_message", {"chat_id": studio.id_of("emily_hart"), "message": SECRET})
    assert SECRET in studio.call(EMILY, "get_messages", {"chat_id": studio.id_of("sofia_duarte")})
    assert SECRET not in studio.call(LIN, "get_messages", {"chat_id": studio.id_of("emily_hart")})
    assert SECRET not in studio.call(LIN, "get_messages", {"chat_id": studio.id_of("sofia_duarte")})
    assert studio.chats(LIN) == before


def test_unread_is_counted_for_each_and_read_by_each(studio: Studio) -> None:
    where = studio.group("Lisbon ↔ Shanghai")
    for user in (LIN, SOFIA):
        studio.call(user, "mark_as_read", {"chat_id": where})
    studio.call(EMILY, "send_message", {"chat_id": where, "message": "Morning!"})
    assert [studio.chats(user)[where]["unread"] for user in (LIN, SOFIA, EMILY)] == [1, 1, 0]
    studio.call(SOFIA, "mark_as_read", {"chat_id": where})
    assert [studio.chats(user)[where]["unread"] for user in (LIN, SOFIA)] == [1, 0]


def test_contacts_blocks_and_nicknames_belong_to_one_person(studio: Studio) -> None:
    assert "Ilse Brandt" in studio.call(LIN, "list_contacts")
    assert studio.call(SOFIA, "list_contacts") == "No contacts found."
    studio.call(SOFIA, "block_user", {"user_id": studio.id_of("oskar_nyman")})
    assert studio.call(LIN, "send_message", {"chat_id": "mr release", "message": "hi"}) == "Message sent successfully."
    assert "unknown_contact" in studio.call(SOFIA, "send_message", {"chat_id": "mr release", "message": "hi"})
    blocked = {"chat_id": studio.id_of("oskar_nyman"), "message": "hi"}
    assert "An error occurred" in studio.call(SOFIA, "send_message", blocked)


def test_a_private_group_is_closed_to_people_outside_it(studio: Studio) -> None:
    press = studio.group("Wick 3.0 press")
    assert "All eleven" in studio.call(LIN, "get_history", {"chat_id": press})
    assert "An error occurred" in studio.call(EMILY, "get_history", {"chat_id": press})
    assert "An error occurred" in studio.call(EMILY, "send_message", {"chat_id": press, "message": SECRET})
