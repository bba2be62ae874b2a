"""The machine that the MCP server runs on: its environment, its zone, and how its locale writes moments and numbers.

Rows of `setting` are variables of that environment; those that are read are named here. Some tools print moments in UTC and the
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
    """A variable of the server's environment; None where it is not set."""
    row = context.get("setting", name)
    return _AS_RECORDED.get(name) if row is None else row.get("value")


@dataclass(frozen=True, slots=True)
class Host:
    """How the host writes. A locale that is not among the known ones is as good as en-US."""

    zone: ZoneInfo
    locale: str

    def local(self, seconds: float | None) -> datetime | None:
        """A moment in the host's zone, to the millisecond."""
        return None if seconds is None else _moment(seconds).astimezone(self.zone)

    def moment(self, seconds: float | None) -> str:
        """`new Date(…).toLocaleString()`. Between the time and AM or PM a plain blank, as it was recorded."""
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
        """`Number.prototype.toLocaleString` of a whole number: digits in groups of three.

        Raises:
            Thrown: for what is absent.
        """
        if value is None:
            raise reading_of_undefined("toLocaleString")
        return f"{value:,}".replace(",", "." if self.locale == "de-DE" else ",")


def host_of(context: AppContext) -> Host:
    """The host of the server that acts."""
    return Host(_zone(variable(context, "TZ") or "UTC"), variable(context, "LC_ALL") or "en-US")


def iso(seconds: float | None) -> str:
    """A moment as the formatters print it, in UTC; what is no moment is printed as it is."""
    return "undefined" if seconds is None else f"{_moment(seconds):%Y-%m-%d %H:%M:%S} UTC"


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(int(seconds * 1000) / 1000, UTC)


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    """A zone by name; Node.js takes one that it does not know for UTC."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")
