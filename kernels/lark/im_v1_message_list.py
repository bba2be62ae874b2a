"""The `im_v1_message_list` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.errors import field_violation
from soundstage.kernels.lark.rules.identity import as_app
from soundstage.kernels.lark.rules.im import history, messages
from soundstage.kernels.lark.rules.paging import position, token_for
from soundstage.kernels.types import Arguments

_PAGE_SIZE, _PAGE_LIMIT = 20, 50
_LONGEST_TIME = 13  # digits; milliseconds count as seconds far in the future


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the messages of a chat or a thread, oldest first by default."""
    params = arguments["params"]
    bot = as_app(context, "im:message", "im:message:readonly", "im:message.history:readonly")
    for field in ("container_id_type", "container_id"):
        if not params[field]:
            raise field_violation(field, f"{field} is required")
    messages.check_bot(context)

    container_type, container_id = params["container_id_type"], params["container_id"]
    if container_type not in ("chat", "thread"):
        raise messages.invalid_parameter("invalid container_id_type")
    size = params.get("page_size", _PAGE_SIZE)
    if not 1 <= size <= _PAGE_LIMIT or size != int(size):
        raise messages.invalid_parameter("The page_size exceeds the limit")
    start, end = _seconds(params, "start_time"), _seconds(params, "end_time")
    if start is not None and end is not None and end < start:
        raise messages.invalid_parameter("The end_time is earlier than the start_time")

    if container_type == "chat":
        chat = history.chat_to_read(context, bot, container_id)
        where = {"chat_id": container_id, **history.between(start, end)}
        with_replies = messages.holds_threads(chat)
    else:  # the real server ignores a time range here
        history.check_thread(context, bot, container_id)
        where = {"thread_id": container_id}
        with_replies = True

    order = "-create_time" if params.get("sort_type") == "ByCreateTimeDesc" else "create_time"
    query = {"tool": "im_v1_message_list", "order": order, **where}
    token = params.get("page_token")
    offset = 0
    if token:
        changed = messages.invalid_parameter("the request parameters have changed, page_token is invalid")
        offset = position(token, query, invalid=messages.invalid_parameter("invalid page_token"), changed=changed)
    shown_messages, following = history.read(context, where, order, offset, int(size), with_replies=with_replies)
    more = {} if following is None else {"page_token": token_for(following, query)}
    return {
        "has_more": following is not None,
        **more,
        "items": [messages.to_reply(message) for message in shown_messages],
    }


def _seconds(params: Arguments, field: str) -> int | None:
    """Parse a time in seconds since 1970; return None if it is absent."""
    text: str = params.get(field, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _LONGEST_TIME):
        raise messages.invalid_parameter(f"invalid {field}")
    return int(text)
