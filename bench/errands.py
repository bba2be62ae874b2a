"""The writing calls that are measured: Lark's, into whatever chats and calendars the session's world has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Object

APP = "lark"
MESSAGE = "im_v1_message_create"
EVENT = "calendar_v4_calendarEvent_create"
Arguments = Callable[[int], Mapping[str, Any]]
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class Errand:
    """A tool, the arguments of its n-th call, and the text that every reply contains."""

    tool: str
    arguments: Arguments
    expect: bytes


def errands(state: Mapping[str, Any], epoch_s: int) -> dict[str, Errand]:
    """A message into the first chat the bot is in, and an event of an hour in the user's own calendar."""
    chat_id = _chat_of_bot(state)

    def message(number: int) -> Mapping[str, Any]:
        content = orjson.dumps(
            {"text": f"Call sheet {number} is in the folder, please have a look before lunch."}
        ).decode()
        data = {"receive_id": chat_id, "msg_type": "text", "content": content}
        return {"params": {"receive_id_type": "chat_id"}, "data": data}

    def event(number: int) -> Mapping[str, Any]:
        start = epoch_s + _HOUR_S * (24 + number)
        data = {
            "summary": f"Rehearsal {number}",
            "start_time": {"timestamp": str(start)},
            "end_time": {"timestamp": str(start + _HOUR_S)},
        }
        return {"data": data, "path": {"calendar_id": "primary"}, "useUAT": True}

    return {MESSAGE: Errand(MESSAGE, message, b"message_id"), EVENT: Errand(EVENT, event, b"event_id")}


def _chat_of_bot(state: Mapping[str, Any]) -> str:
    bot = state["app"][0]["app_id"]
    members: list[Object] = state.get("chat_member", [])
    inside = {m["chat_id"] for m in members if m["member_id"] == bot}
    for chat in state["chat"]:
        if chat.get("chat_mode") != "p2p" and (bot in chat.get("bot_ids", ()) or chat["chat_id"] in inside):
            return str(chat["chat_id"])
    raise LookupError(f"the bot {bot} is in no chat of this world")
