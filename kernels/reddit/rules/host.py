"""The machine of the MCP server: environment, time zone, and the formats of its locale.

Rows of `setting` are environment variables; this module names the ones that are read. Some tools print times in UTC and
ISO order (`formatTimestamp` in `src/utils/formatters.ts`), others as `Date.toLocaleString` does on this host.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.errors import reading_of_undefined

_AS_RECORDED: dict[str, str] = {
    "REDDIT_USERNAME": "curious_capybara",
    "REDDIT_PASSWORD": "set",
    "REDDIT_SAFE_MODE": "off",
    "TZ": "UTC",
    "LC_ALL": "en-US",
}


def variable(context: AppContext, name: str) -> str | None:
    """Return a variable of the server's environment, or None if it is not set."""
    row = context.get("setting", name)
    return _AS_RECORDED.get(name) if row is None else row.get("value")


@dataclass(frozen=True, slots=True)
class Host:
    """The formats of the host; an unknown locale counts as en-US."""

    zone: ZoneInfo
    locale: str

    def local(self, seconds: float | None) -> datetime | None:
        """Return a time in the host's zone, to the millisecond."""
        return None if seconds is None else _moment(seconds).astimezone(self.zone)

    def moment(self, seconds: float | None) -> str:
        """Return `new Date(…).toLocaleString()`, with a plain space before AM or PM, as recorded."""
        at = self.local(seconds)
        if at is None:
            return "Invalid Date"
        match self.locale:
            case "en-GB":
                return f"{at:%d/%m/%Y, %H:%M:%S}"
            case "de-DE":
                return f"{at.day}.{at.month}.{at.year}, {at:%H:%M:%S}"
            case "zh-CN":
                return f"{at.year}/{at.month}/{at.day} {at:%H:%M:%S}"
            case _:
                half = "AM" if at.hour < 12 else "PM"
                return f"{at.month}/{at.day}/{at.year}, {at.hour % 12 or 12}:{at:%M:%S} {half}"

    def number(self, value: int | None) -> str:
        """Return `Number.prototype.toLocaleString` of a whole number: digits in groups of three.

        Raises:
            Thrown: The value is absent.
        """
        if value is None:
            raise reading_of_undefined("toLocaleString")
        return f"{value:,}".replace(",", "." if self.locale == "de-DE" else ",")


def host_of(context: AppContext) -> Host:
    """Return the host of the acting account's server."""
    return Host(_zone(variable(context, "TZ") or "UTC"), variable(context, "LC_ALL") or "en-US")


def iso(seconds: float | None) -> str:
    """Format a time in UTC as the formatters do; an absent one becomes "undefined"."""
    return "undefined" if seconds is None else f"{_moment(seconds):%Y-%m-%d %H:%M:%S} UTC"


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds * 1000) / 1000, UTC)


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    """Return a time zone by name; Node.js uses UTC for unknown names."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
