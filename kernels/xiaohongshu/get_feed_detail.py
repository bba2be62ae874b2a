"""The `get_feed_detail` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import comments, notes
from soundstage.kernels.xiaohongshu.rules.comments import Loading
from soundstage.kernels.xiaohongshu.rules.errors import failure, require

_ACTION = "获取Feed详情"
_DEFAULT_LIMIT = 20
_DEFAULT_REPLY_LIMIT = 10


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return a note with its comments.

    Without `load_all_comments` the other options are ignored, and the reply contains the comments that the page shows
    at once.
    """
    feed_id, xsec_token = require(arguments, _ACTION, "feed_id", "xsec_token")
    note = notes.find(context, feed_id, xsec_token)
    if note is None:
        raise failure(_ACTION, notes.UNREACHABLE, "not_found")
    loaded = comments.load_comments(context, feed_id, _loading(arguments))
    return {"feed_id": feed_id, "data": {"note": notes.detail(note), "comments": loaded}}


def _loading(arguments: Arguments) -> Loading:
    if not arguments.get("load_all_comments"):
        return Loading()
    limit = _positive(arguments.get("limit", 0), _DEFAULT_LIMIT)
    reply_limit = _positive(arguments.get("reply_limit", 0), _DEFAULT_REPLY_LIMIT)
    return Loading(limit, reply_limit if arguments.get("click_more_replies") else None)


def _positive(number: int, default: int) -> int:
    return number if number > 0 else default
