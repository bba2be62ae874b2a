"""The `list_feeds` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import signed_in

_FIRST_LOAD = 30


def run(context: AppContext, arguments: Arguments) -> Object:
    """Return the notes that Rednote's home page recommends."""
    if signed_in(context) is None:
        raise failure("获取Feeds列表", "没有捕获到 feeds 数据", "unauthorized")
    feeds = notes.cards(notes.list_public(context)[:_FIRST_LOAD])
    return {"feeds": feeds, "count": len(feeds)}
