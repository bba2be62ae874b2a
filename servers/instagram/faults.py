"""Instagram's faults: errors of the Graph API, and drifts caused by other people.

The server preserves only the message of the Graph API's error, neither its code nor its headers, so the retry delay is
unknown.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.account import login
from soundstage.kernels.instagram.rules.errors import GraphError
from soundstage.kernels.instagram.rules.times import format_time
from soundstage.servers.faults import Hit, any_row, worded
from soundstage.servers.reply import Answer

_CODES = "https://developers.facebook.com/docs/graph-api/guides/error-handling"
SOURCES = {
    "rate_limit": f"{_CODES} (code 4)",
    "unavailable": f"{_CODES} (code 2)",
    "server_error": f"{_CODES} (code 1)",
    "auth_expired": f"{_CODES} (code 190, subcode 463)",
    "timeout": "the message of the Python package requests, which the server asks the Graph API with",
}
_META_ZONE = ZoneInfo("America/Los_Angeles")
_AN_HOUR = timedelta(hours=1)
_COMMENTS = ("Love this!", "Where is that?", "🔥🔥", "Is it still to be had?", "好看！")
_MESSAGES = ("Hi! One more question?", "Are you open tomorrow?", "Thanks, that helped.")


def rate_limit(hit: Hit) -> Answer:
    """Word a rate limit."""
    return worded(hit, GraphError("rate_limited", "(#4) Application request limit reached"))


def unavailable(hit: Hit) -> Answer:
    """Word an unavailable service."""
    return worded(hit, GraphError("unavailable", "Service temporarily unavailable"))


def server_error(hit: Hit) -> Answer:
    """Word an internal error."""
    return worded(hit, GraphError("internal", "An unknown error occurred"))


def auth_expired(hit: Hit) -> Answer:
    """Word an expired token."""
    if hit.context is None:
        return worded(hit, GraphError("unauthorized", "Invalid OAuth access token."))
    now = hit.context.now()
    message = f"Session has expired on {_token_time(now - _AN_HOUR)}. The current time is {_token_time(now)}."
    return worded(hit, GraphError("unauthorized", f"Error validating access token: {message}"))


def timeout(hit: Hit) -> Answer:
    """Word a timeout."""
    pool = "HTTPSConnectionPool(host='graph.facebook.com', port=443)"
    return worded(hit, GraphError("unavailable", f"{pool}: Read timed out. (read timeout={hit.seconds})"))


def comment_arrives(context: AppContext, random: Random) -> bool:
    """Add a comment of an earlier commenter to a post."""
    post, earlier = any_row(context, "media", random), any_row(context, "comment", random)
    if post is None or earlier is None or "from" not in earlier:
        return False
    author = earlier["from"]
    comment: Object = {
        "media_id": post["id"],
        "media": {"id": post["id"]},
        "text": random.choice(_COMMENTS),
        "from": author,
    }
    if "username" in author:
        comment["username"] = author["username"]
    context.create("comment", {**comment, "timestamp": format_time(context.now()), "like_count": 0, "hidden": False})
    context.update("media", post["id"], {"comments_count": (post.get("comments_count") or 0) + 1})
    return True


def message_arrives(context: AppContext, random: Random) -> bool:
    """Add a message of the other side to a conversation, which opens its messaging window."""
    conversation = any_row(context, "conversation", random)
    people = ((conversation or {}).get("participants") or {}).get("data") or []
    own = login(context).get("ig_user_id") or (context.first("ig_user") or {}).get("id")
    others = [person for person in people if person.get("id") != own]
    if conversation is None or not others:
        return False
    now, serial = format_time(context.now()), context.next_number("serial")
    fields = {"conversation_id": conversation["id"], "from": others[0], "created_time": now, "serial": serial}
    context.create("message", {**fields, "message": random.choice(_MESSAGES)})
    changed = {"updated_time": now, "serial": serial, "window_closed": False}
    context.update("conversation", conversation["id"], changed)
    return True


def likes_rise(context: AppContext, random: Random) -> bool:
    """Add a like to a post."""
    post = any_row(context, "media", random)
    if post is None:
        return False
    context.update("media", post["id"], {"like_count": (post.get("like_count") or 0) + 1})
    return True


DRIFTS = {"comment_arrives": comment_arrives, "message_arrives": message_arrives, "likes_rise": likes_rise}


def _token_time(time: datetime) -> str:
    """Format a time as Meta's token errors do: Tuesday, 10-Mar-26 02:00:00 PDT."""
    return f"{time.astimezone(_META_ZONE):%A, %d-%b-%y %H:%M:%S %Z}"
