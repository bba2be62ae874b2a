"""The publication time of a note: at once, or between one hour and fourteen days ahead."""

from __future__ import annotations

from datetime import datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.gotime import parse_rfc3339

_SOONEST = timedelta(hours=1)
_LATEST = timedelta(days=14)


def check(context: AppContext, schedule_at: str) -> int | None:
    """Return the scheduled time in milliseconds since 1970, or None for the empty text, which means at once.

    Raises:
        RednoteError: The text is not RFC 3339, or the time is too soon or too late. The message shows the time in its
            own
            offset and the bound in the server's, which is UTC.
    """
    if not schedule_at:
        return None
    try:
        time = parse_rfc3339(schedule_at)
    except ValueError as error:
        raise failure("发布", f"定时发布时间格式错误，请使用 ISO8601 格式: {error}", "invalid") from None
    soonest, latest = context.now() + _SOONEST, context.now() + _LATEST
    if time.nanoseconds < to_ms(soonest) * 10**6:
        reason = f"定时发布时间必须至少在1小时后，当前设置: {time.shown}，最早可选: {_shown(soonest)}"
        raise failure("发布", reason, "invalid")
    if time.nanoseconds > to_ms(latest) * 10**6:
        reason = f"定时发布时间不能超过14天，当前设置: {time.shown}，最晚可选: {_shown(latest)}"
        raise failure("发布", reason, "invalid")
    return time.nanoseconds // 10**6


def _shown(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"
