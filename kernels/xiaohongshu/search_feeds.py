"""The `search_feeds` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes, search
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import signed_in

_ACTION = "搜索Feeds"


def run(context: AppContext, arguments: Arguments) -> Object:
    """Search notes by keyword; filter values are validated before any page is opened."""
    keyword, filters = arguments["keyword"], arguments.get("filters", {})
    if not keyword:
        raise failure(_ACTION, "缺少关键词参数", "invalid")
    search.check_filters(_ACTION, filters)
    session = signed_in(context)
    if session is None:
        raise failure(_ACTION, "没有捕获到 feeds 数据", "unauthorized")
    feeds = notes.cards(search.results(context, session, notes.list_public(context), keyword, filters))
    return {"feeds": feeds, "count": len(feeds)}
