"""Direct conversations: their participants, the messaging window, and sending."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.account import me
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.instagram.rules.times import format_time, newest_first, older_than


def is_mine(context: AppContext, conversation: Object) -> bool:
    """Return whether the acting account takes part in a conversation."""
    people = _people(conversation)
    return not people or me(context) in people


def mine(context: AppContext) -> list[Object]:
    """Return the account's conversations, most recent first."""
    rows = context.list("conversation")
    conversations = [{**row, "updated_time": updated_time(context, row)} for row in rows if is_mine(context, row)]
    return newest_first(conversations, "updated_time")


def updated_time(context: AppContext, conversation: Object) -> str:
    """Return when a conversation was last updated, by default the time of its last message."""
    if "updated_time" in conversation:
        return str(conversation["updated_time"])
    return next((str(m["created_time"]) for m in messages(context, conversation["id"]) if "created_time" in m), "")


def with_recipient(context: AppContext, recipient_id: str) -> Object:
    """Return the account's conversation with a recipient, who must have started it.

    Raises:
        GraphError: There is no such conversation.
    """
    for conversation in mine(context):
        if recipient_id in _people(conversation) and recipient_id != me(context):
            return conversation
    raise GraphError("not_found", "(#100) No matching user found")


def check_window(context: AppContext, conversation: Object, recipient_id: str) -> None:
    """Require that the recipient's last message is recent enough for a reply.

    Source: https://developers.facebook.com/docs/messenger-platform/policy/policy-overview (24 hours)

    Raises:
        GraphError: (#10) This message is sent outside of allowed window.
    """
    hours = (context.first("settings") or {}).get("messaging_window_hours")
    closed = bool(conversation.get("window_closed"))
    if hours is not None and not closed:
        theirs = [m for m in messages(context, conversation["id"]) if (m.get("from") or {}).get("id") == recipient_id]
        closed = not theirs or older_than(theirs[0].get("created_time"), hours, context.now())
    if closed:
        raise GraphError(
            "permission",
            "(#10) This message is sent outside of allowed window. Learn more about the new policy here: "
            "https://developers.facebook.com/docs/messenger-platform/policy-overview",
        )


def messages(context: AppContext, conversation_id: str) -> list[Object]:
    """Return a conversation's messages, most recent first."""
    return newest_first(context.list("message", {"conversation_id": conversation_id}), "created_time")


def send(context: AppContext, conversation: Object, recipient_id: str, content: Object) -> Object:
    """Send a message and return the ids of the recipient and the message."""
    user = context.get("ig_user", me(context)) or {}
    author = {"id": me(context), **({"username": user["username"]} if "username" in user else {})}
    now, serial = format_time(context.now()), context.next_number("serial")
    fields = {"conversation_id": conversation["id"], "from": author, "created_time": now, "serial": serial}
    message = context.create("message", {**fields, **content})
    context.update("conversation", conversation["id"], {"updated_time": now, "serial": serial})
    return {"recipient_id": recipient_id, "message_id": message["id"]}


def _people(conversation: Object) -> list[str]:
    users = (conversation.get("participants") or {}).get("data") or []
    return [str(user.get("id")) for user in users]
