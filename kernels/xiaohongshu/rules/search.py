"""The search page: its five filters, and matching of notes with a keyword."""

from __future__ import annotations

import re
from datetime import timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.gotext import quote
from soundstage.kernels.xiaohongshu.rules.errors import failure
from soundstage.kernels.xiaohongshu.rules.session import basic_info

_FIRST_LOAD = 20
_HALF_A_YEAR = timedelta(days=182)
_COUNTS = {"最多点赞": "likedCount", "最多评论": "commentCount", "最多收藏": "collectedCount"}
_TYPES = {"视频": "video", "图文": "normal"}
_AGES = {"一天内": timedelta(days=1), "一周内": timedelta(days=7), "半年内": _HALF_A_YEAR}
_UNITS = {"千": 10**3, "万": 10**4, "亿": 10**8}

# Argument, the panel's label, and the available values in the panel's order.
_FILTERS = (
    ("sort_by", "排序依据", ("综合", "最新", *_COUNTS)),
    ("note_type", "笔记类型", ("不限", *_TYPES)),
    ("publish_time", "发布时间", ("不限", *_AGES)),
    ("search_scope", "搜索范围", ("不限", "已看过", "未看过", "已关注")),
    ("location", "位置距离", ("不限", "同城", "附近")),
)


def check_filters(action: str, filters: dict[str, str]) -> None:
    """Reject a filter value that the panel does not offer; an empty value is ignored.

    Raises:
        RednoteError: For the first such filter in the panel's order.
    """
    for name, label, offered in _FILTERS:
        value = filters.get(name, "")
        if value and value not in offered:
            raise failure(action, f"{label} 不支持 {quote(value)}，可选：{'、'.join(offered)}", "invalid")


def results(
    context: AppContext, session: Object, candidates: list[Object], keyword: str, filters: dict[str, str]
) -> list[Object]:
    """Return the notes of the first result page, in its order."""
    scored = [(_relevance(note, keyword), note) for note in candidates]
    hits = [note for score, note in sorted(scored, key=lambda hit: -hit[0]) if score >= 0.5]
    hits = [note for note in hits if _passes(context, session, note, filters)]
    order = filters.get("sort_by", "")
    if order == "最新":
        hits.sort(key=lambda note: -note.get("time", 0))
    elif field := _COUNTS.get(order):
        hits.sort(key=lambda note: -_number((note.get("interactInfo") or {}).get(field, "")))
    return hits[:_FIRST_LOAD]


def _relevance(note: Object, keyword: str) -> float:
    """Return how much of the keyword a note covers, from 0 to 1.

    Whole words count, or pairs of characters in a Chinese word.
    """
    tags = [tag.get("name", "") for tag in note.get("tagList") or ()]
    nickname = (note.get("user") or {}).get("nickname", "")
    text = "\n".join((note.get("title", ""), note.get("desc", ""), nickname, *tags)).lower()
    words = keyword.lower().split()
    return sum(_coverage(word, text) for word in words) / len(words) if words else 0.0


def _coverage(word: str, text: str) -> float:
    if word in text:
        return 1.0
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    if word.isascii() or not pairs:
        return 0.0
    return sum(pair in text for pair in pairs) / len(pairs)


def _passes(context: AppContext, session: Object, note: Object, filters: dict[str, str]) -> bool:
    kind = _TYPES.get(filters.get("note_type", ""))
    if kind is not None and note.get("type") != kind:
        return False
    age = _AGES.get(filters.get("publish_time", ""))
    if age is not None and note.get("time", 0) < to_ms(context.now() - age):
        return False
    if filters.get("location", "") in ("同城", "附近") and not _is_near(context, session, note):
        return False
    match filters.get("search_scope", ""):
        case "已看过":
            return _seen(note)
        case "未看过":
            return not _seen(note)
        case "已关注":
            if context.account is not None:
                return False  # the state has only the default account's follows
            author = context.get("user", (note.get("user") or {}).get("userId", "")) or {}
            return (author.get("extraInfo") or {}).get("fstatus") in ("follows", "both")
        case _:
            return True


def _is_near(context: AppContext, session: Object, note: Object) -> bool:
    """Return whether a note is from the account's region.

    The state locates accounts only by the province of an address, so "same city" and "nearby" both mean the province.
    """
    here = basic_info(context, session).get("ipLocation")
    return bool(here) and note.get("ipLocation") == here


def _seen(note: Object) -> bool:
    """Return whether the account must have seen a note, because it liked or favourited it; reading leaves no trace."""
    info = note.get("interactInfo") or {}
    return bool(info.get("liked") or info.get("collected"))


def _number(count: str) -> float:
    """Parse a displayed count such as 1234 or 1.2万."""
    parts = re.match(r"([0-9]+(?:\.[0-9]+)?)([千万亿]?)", str(count))
    return float(parts[1]) * _UNITS.get(parts[2], 1) if parts else 0.0
