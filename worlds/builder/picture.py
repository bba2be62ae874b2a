"""A world as a picture: the timeline of its storylines, and the graph of its conversations."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from html import escape
from zoneinfo import ZoneInfo

from soundstage.worlds.builder.build import Built

_WIDTH, _LEFT, _LANE = 1280, 190, 74
_SHOWN = 44  # people in the graph
_COLOURS = ("#2f6f8f", "#b3532f", "#5b7f3a", "#7a4f9a", "#a8862a", "#3a6a6a", "#a04468", "#555555")


def storyline_lines(built: Built) -> list[str]:
    """The storylines as lines of text."""
    zone = ZoneInfo(built.sources.spec.zone)
    lines: list[str] = []
    for arc in built.arcs:
        lines += ["", f"{arc.title}: {arc.about}"]
        for at, what in arc.beats:
            lines.append(f"  {datetime.fromtimestamp(at / 1000, UTC).astimezone(zone):%d %b %H:%M}  {what}")
    return lines


def draw(built: Built) -> str:
    """The picture as an SVG document."""
    timeline_height = 70 + _LANE * len(built.arcs)
    height = timeline_height + 820
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#fbfaf7"/>',
        f'<text x="24" y="32" font-size="20" font-weight="bold">{escape(built.sources.spec.title)}</text>',
        *_timeline(built),
        *_graph(built, timeline_height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _timeline(built: Built) -> list[str]:
    spec = built.sources.spec
    begin, end = spec.begin_ms, spec.epoch_ms
    zone = ZoneInfo(spec.zone)

    def x(at: int) -> int:
        return _LEFT + (max(begin, min(at, end)) - begin) * (_WIDTH - _LEFT - 40) // (end - begin)

    parts: list[str] = []
    for week in range(0, spec.days + 1, 7):
        at = begin + week * 86_400_000
        label = f"{datetime.fromtimestamp(at / 1000, UTC).astimezone(zone):%d %b}"
        parts.append(f'<line x1="{x(at)}" x2="{x(at)}" y1="56" y2="{66 + _LANE * len(built.arcs)}" stroke="#e2ded4"/>')
        parts.append(f'<text x="{x(at)}" y="50" fill="#888" text-anchor="middle">{label}</text>')
    for lane, arc in enumerate(built.arcs):
        y = 92 + lane * _LANE
        colour = _COLOURS[lane % len(_COLOURS)]
        parts.append(f'<text x="24" y="{y + 4}" font-weight="bold" fill="{colour}">{escape(arc.title[:26])}</text>')
        if arc.beats:
            ends = x(arc.beats[0][0]), x(arc.beats[-1][0])
            parts.append(f'<line x1="{ends[0]}" x2="{ends[1]}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>')
        for number, (at, what) in enumerate(arc.beats):
            parts.append(f'<circle cx="{x(at)}" cy="{y}" r="5" fill="{colour}"><title>{escape(what)}</title></circle>')
            if number % 3 == 0 or len(arc.beats) < 8:
                parts.append(
                    f'<text x="{x(at)}" y="{y + 16 + 12 * (number % 2)}" font-size="9" fill="#555">{escape(what[:30])}</text>'
                )
    return parts


def _graph(built: Built, top: int) -> list[str]:
    """People on a circle by team; the thicker a line, the more they answer or mention each other."""
    pairs: Counter[tuple[str, str]] = Counter()
    messages: Counter[str] = Counter()
    for message in built.plan.of_kind("message"):
        author = message.values["author"]
        messages[author.key] += 1
        others = {m.key for m in message.values.get("mentions", [])}
        if message.values.get("answers") is not None:
            others.add(message.values["answers"].values["author"].key)
        for other in others - {author.key}:
            pairs[min(author.key, other), max(author.key, other)] += 1
    talking = [p for p in built.plan.of_kind("person") if messages[p.key]]
    shown = sorted(sorted(talking, key=lambda p: -messages[p.key])[:_SHOWN], key=lambda p: (p.values["team"], p.key))
    teams = sorted({p.values["team"] for p in shown})
    places = {p.key: _point(i, len(shown)) for i, p in enumerate(shown)}
    middle = (_WIDTH // 2, top + 420)
    parts = [f'<text x="24" y="{top + 30}" font-size="16" font-weight="bold">Who talks with whom</text>']
    most = max(pairs.values(), default=1)
    for (one, other), number in sorted(pairs.items()):
        if one in places and other in places:
            (x1, y1), (x2, y2) = places[one], places[other]
            width = 1 + 7 * number // most
            parts.append(
                f'<line x1="{middle[0] + x1 * 330 // 1000}" y1="{middle[1] + y1 * 330 // 1000}" '
                f'x2="{middle[0] + x2 * 330 // 1000}" y2="{middle[1] + y2 * 330 // 1000}" stroke="#8a8578" '
                f'stroke-width="{width}" opacity="0.35"/>'
            )
    for person in shown:
        px, py = places[person.key]
        cx, cy = middle[0] + px * 330 // 1000, middle[1] + py * 330 // 1000
        colour = _COLOURS[teams.index(person.values["team"]) % len(_COLOURS)]
        radius = 5 + min(11, messages[person.key] // 8)
        anchor = "start" if px >= 0 else "end"
        name_x = middle[0] + px * 356 // 1000
        parts.append(f'<circle cx="{cx}" cy="{cy}" r="{radius}" fill="{colour}"/>')
        parts.append(
            f'<text x="{name_x}" y="{middle[1] + py * 356 // 1000 + 4}" text-anchor="{anchor}">'
            f"{escape(person.values['name'])}</text>"
        )
    return parts


def _point(number: int, of: int) -> tuple[int, int]:
    """A point on a circle of radius 1000, by a parabola that is near enough to the sine."""
    turn = number * 4000 // max(1, of)
    return _wave(turn + 1000), _wave(turn)


def _wave(turn: int) -> int:
    turn %= 4000
    sign = 1 if turn < 2000 else -1
    half = turn % 2000
    return sign * (4 * half * (2000 - half)) // 4000
