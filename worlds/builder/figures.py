"""Figures of a world: how much is said, how deep and how fast people answer, who meets how often."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from soundstage.contexts.engine.state import State
from soundstage.worlds.builder.reading import facts
from soundstage.worlds.builder.wording import Wording

_DAY = 86_400_000


def figures(state: State, wording: Wording, zone: str) -> dict[str, float]:
    """Return the figures over all apps that the spec's bounds refer to."""
    messages = _messages(state, wording)
    at = {m["id"]: m["at"] for m in messages}
    local = [datetime.fromtimestamp(m["at"] / 1000, UTC).astimezone(ZoneInfo(zone)) for m in messages]
    days = Counter(moment.date() for moment in local if moment.weekday() < 5)
    replies = [m for m in messages if m.get("answers") in at]
    waits = sorted((m["at"] - at[m["answers"]]) / 60_000 for m in replies)
    depth = Counter(m["root"] for m in messages if m.get("root") in at)
    authors = Counter(m["author"] for m in messages if "author" in m)
    texts = Counter(m["text"] for m in messages if len(m.get("text", "")) > 25)
    total = max(1, len(messages))
    return {
        "messages": float(len(messages)),
        "messages_per_working_day": _mean([float(n) for n in days.values()]),
        "messages_on_busiest_day": float(max(days.values(), default=0)),
        "weekend_percent": 100 * sum(m.weekday() >= 5 for m in local) / total,
        "night_percent": 100 * sum(m.hour < 7 or m.hour >= 23 for m in local) / total,
        "reply_percent": 100 * len(replies) / total,
        "thread_depth_mean": _mean([float(n) for n in depth.values()]),
        "thread_depth_max": float(max(depth.values(), default=0)),
        "reply_minutes_median": _at(waits, 50),
        "reply_minutes_p90": _at(waits, 90),
        "busiest_author_percent": 100 * max(authors.values(), default=0) / total,
        "authors": float(len(authors)),
        "repeated_text_percent": 100 * sum(n - 1 for n in texts.values()) / total,
        "rows": float(sum(len(rows) for entities in state.values() for rows in entities.values())),
    }


def _messages(state: State, wording: Wording) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for app, entities in state.items():
        for name, rows in entities.items():
            entity = wording[app][name]
            if "message" not in entity.made_from:
                continue
            for row in rows:
                message: dict[str, Any] = {"id": row.get(entity.key[-1])}
                for fact in facts(entity, row):
                    message.setdefault(fact.name, fact.value)
                if "at" in message:
                    messages.append(message)
    return messages


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _at(values: list[float], percent: int) -> float:
    return values[min(len(values) - 1, len(values) * percent // 100)] if values else 0.0
