"""Liking and favouriting a note: the server clicks only if the page shows a different state."""

from __future__ import annotations

from dataclasses import dataclass

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import notes, viewer
from soundstage.kernels.xiaohongshu.rules.errors import failure, require
from soundstage.kernels.xiaohongshu.rules.session import signed_in


@dataclass(frozen=True, slots=True)
class Mark:
    """One of the two buttons below a note: its word, its fields in `interactInfo`, and its selector in the page."""

    verb: str
    field: str
    count: str
    button: str


LIKE = Mark("点赞", "liked", "likedCount", ".interact-container .left .like-lottie")
FAVORITE = Mark("收藏", "collected", "collectedCount", ".interact-container .left .reds-icon.collect-icon")


def set_mark(context: AppContext, arguments: Arguments, mark: Mark, wanted: bool) -> str:
    """Bring a note's mark into the wanted state.

    Raises:
        RednoteError: An argument is empty, the page lacks the button, or the click has no effect (signed out or
            restricted).
    """
    action = mark.verb if wanted else f"取消{mark.verb}"
    feed_id, xsec_token = require(arguments, "操作", "feed_id", "xsec_token")
    note = notes.find(context, feed_id, xsec_token)
    if note is None:
        reason = f"{action}点击失败: 未找到交互元素 {mark.button}: context deadline exceeded"
        raise failure(action, reason, "not_found")
    session = signed_in(context)
    info = note.get("interactInfo") or {}
    marked = session is not None and bool(info.get(mark.field))
    if marked != wanted:
        if session is None or session.get("restricted"):
            kind: ErrorKind = "permission" if session else "unauthorized"
            raise failure(action, f"feed {feed_id} {action}失败：点击后状态始终未变为预期", kind)
        count = notes.adjust_count(info.get(mark.count), 1 if wanted else -1)
        viewer.mark_note(context, feed_id, mark.field, wanted, {mark.count: count})
    return f"{action}成功 - Feed ID: {feed_id}"
