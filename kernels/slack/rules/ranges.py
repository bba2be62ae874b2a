"""The range of messages that conversations_history and conversations_replies request: `limit` and `cursor`.

`limit` is a number of messages, or a duration (1d, 2w, 3m) in whole days from midnight UTC, including today. The schema
names 1d as the default, but without a limit the real server requests 50 messages; with a `cursor` it ignores a number
without parsing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.timestamps import bound
from soundstage.kernels.slack.rules.values import go_atoi, go_quote, go_text
from soundstage.kernels.types import Arguments

_DEFAULT = "50"
_TIMED = "100"


@dataclass(frozen=True, slots=True)
class Range:
    """The parameters for the Web API; "" is not sent."""

    limit: str
    cursor: str
    oldest: str = ""
    latest: str = ""


def message_range(context: AppContext, arguments: Arguments) -> Range:
    """Return the range that the arguments request.

    Raises:
        Refusal: The limit is neither a number nor a duration.
    """
    limit, cursor = go_text(arguments, "limit"), go_text(arguments, "cursor")
    if limit.endswith(("d", "w", "m")):
        now = context.now()
        oldest = _oldest(limit, now)
        return Range(_TIMED, cursor, bound(oldest), bound(to_s(now)))
    if cursor:
        return Range("", cursor)
    if limit == "":
        return Range(_DEFAULT, "")
    count = go_atoi(limit)
    if count is None:
        raise Refusal(f"invalid numeric limit: {go_quote(limit)}")
    return Range(str(count) if count else "", "")


def _oldest(limit: str, now: datetime) -> int:
    """Return the start in seconds since 1970, at least 0."""
    if len(limit) < 2:
        raise Refusal(f"invalid duration limit {go_quote(limit)}: too short")
    count = go_atoi(limit[:-1])
    if count is None or count <= 0:
        problem = "must be a positive integer followed by 'd', 'w', or 'm'"
        raise Refusal(f"invalid duration limit {go_quote(limit)}: {problem}")
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if limit[-1] == "m":
        months = today.year * 12 + today.month - 1 - count
        if months < 1970 * 12:
            return 0
        # Like Go's AddDate, a day that the month lacks runs over into the next one.
        start = datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC) + timedelta(days=today.day - 1)
    else:
        days = count * 7 if limit[-1] == "w" else count
        if days > today.toordinal():
            return 0
        start = today - timedelta(days=days - 1)
    return max(to_s(start), 0)
