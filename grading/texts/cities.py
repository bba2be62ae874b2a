"""Recognize cities next to clock times: "08:00 in London", 伦敦时间 8 点."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

_CITIES = {
    city: zone
    for zone, cities in {
        "Asia/Shanghai": "shanghai beijing china 上海 北京",
        "Asia/Tokyo": "tokyo 东京",
        "Asia/Kolkata": "mumbai delhi 孟买 德里",
        "Europe/London": "london 伦敦",
        "Europe/Berlin": "berlin 柏林",
        "Europe/Paris": "paris 巴黎",
        "Europe/Lisbon": "lisbon 里斯本",
        "America/New_York": "new-york 纽约",
        "America/Los_Angeles": "los-angeles 洛杉矶",
    }.items()
    for city in (c.replace("-", " ") for c in cities.split())
}
_CITY = "(?P<city>" + "|".join(_CITIES) + ")"
_CITY_AFTER = re.compile(
    rf" ?\(?(?:for (?:her|him|them) )?(?P<in>in |at )?{_CITY}(?P<time>(?:'s)? time|时间)?(?![a-z])"
    r"(?(in)|(?(time)|(?= ?(?:[,.;:!?/()-]|and |$))))"
)
_CITY_BEFORE = re.compile(
    rf"(?<![a-z]){_CITY}(?:(?:'s)? time|时间|那边|那里|这边|当地(?:时间)?)?(?::| (?:it )?is|,? it's|是)? ?$"
)
_HAS_ITS_TIME = re.compile(r"(?::|(?: it)? is|,? it's|是)? ?(?:凌晨|早上|上午|早|中午|下午|傍晚|晚上|晚)?\d")
_LONGEST_CITY_BEFORE = 30


def zone_beside(text: str, start: int, end: int) -> ZoneInfo | None:
    """Return the zone of a city directly after or before a clock time of a plain text, or None."""
    after = _CITY_AFTER.match(text, end)
    if after and _HAS_ITS_TIME.match(text, after.end()):  # 14:30 (London: 06:30)
        after = None
    beside = after or _CITY_BEFORE.search(text[max(0, start - _LONGEST_CITY_BEFORE) : start])
    return ZoneInfo(_CITIES[beside["city"]]) if beside else None
