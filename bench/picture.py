"""Draws a profile: `python -m bench.picture [PROFILE [SVG]]`. The same profile gives the same bytes.

A box is a package or module, as wide as the time spent in it; the boxes below it are its callees.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import orjson

from bench.processes import ROOT
from bench.profile import FILE, Node, Profile

PICTURE = ROOT / "docs" / "pictures" / "call.svg"
_WIDTH, _ROW, _TOP, _MARGIN = 1000.0, 24.0, 64.0, 12.0
_LETTER = 6.6  # how wide one is, about
_WIRE = ("uvicorn", "uvloop", "httptools", "gateway/serving/protocol")
_STEP = "gateway/calls/dispatch"
_COLOURS = {"wire": "#b9cfe4", "protocol": "#f2d9a6", "step": "#bfdcb4"}


@dataclass(frozen=True, slots=True)
class _Box:
    """A room where it is drawn: `left` and `us` in µs, `depth` in rows."""

    name: str
    part: str
    left: float
    us: float
    depth: int


def drawn(profile: Profile) -> str:
    """The picture, as SVG."""
    boxes = list(_boxes(profile["rooms"], "wire", 0.0, 0))
    height = _TOP + _ROW * (1 + max(box.depth for box in boxes)) + _MARGIN
    scale = (_WIDTH - 2 * _MARGIN) / profile["us"]
    parts = {part: sum(_own(profile["rooms"], part)) for part in _COLOURS}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{_WIDTH:.0f}" height="{height:.0f}" fill="#ffffff"/>',
        f'<text x="{_MARGIN:.0f}" y="24" font-size="15">{profile["us"]:.0f} µs of CPU: {escape(profile["what"])}</text>',
        *_legend(parts),
        *(_drawn_box(box, scale) for box in boxes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _boxes(nodes: Sequence[Node], part: str, left: float, depth: int) -> Iterator[_Box]:
    for node in nodes:
        here = _part(node["name"], part)
        yield _Box(node["name"], here, left, node["us"], depth)
        yield from _boxes(node["calls"], here, left, depth + 1)
        left += node["us"]


def _part(name: str, around: str) -> str:
    """Return the part of a call that a node belongs to: callees of the step are part of the step."""
    if around == "step" or name == _STEP:
        return "step"
    return "wire" if name in _WIRE else "protocol"


def _own(nodes: Sequence[Node], part: str, around: str = "wire") -> Iterator[float]:
    """The µs that rooms of a part spend themselves."""
    for node in nodes:
        here = _part(node["name"], around)
        if here == part:
            yield node["us"] - sum(below["us"] for below in node["calls"])
        yield from _own(node["calls"], part, here)


def _legend(parts: dict[str, float]) -> Iterator[str]:
    left = _MARGIN
    for part, us in parts.items():
        text = f"{part} {us:.0f} µs"
        yield f'<rect x="{left:.1f}" y="36" width="14" height="14" fill="{_COLOURS[part]}"/>'
        yield f'<text x="{left + 20:.1f}" y="48">{text}</text>'
        left += 60 + _LETTER * len(text)


def _drawn_box(box: _Box, scale: float) -> str:
    x, y, width = _MARGIN + box.left * scale, _TOP + _ROW * box.depth, box.us * scale
    room = int((width - 8) / _LETTER)
    text = box.name if len(box.name) <= room else box.name.rpartition("/")[2]
    shown = f'<text x="{x + 4:.1f}" y="{y + 16:.1f}">{escape(text)}</text>' if len(text) <= room else ""
    return (
        f'<g><title>{escape(box.name)}: {box.us:.1f} µs</title><rect x="{x:.1f}" y="{y:.1f}" width="{max(width - 1, 0.5):.1f}" '
        f'height="{_ROW - 1:.1f}" fill="{_COLOURS[box.part]}"/>{shown}</g>'
    )


def main() -> None:
    """Draw a profile."""
    parser = argparse.ArgumentParser(prog="python -m bench.picture", description="Draw where a call's time goes.")
    parser.add_argument("profile", nargs="?", type=Path, default=FILE, help="default %(default)s")
    parser.add_argument("picture", nargs="?", type=Path, default=PICTURE, help="default %(default)s")
    given = parser.parse_args()
    given.picture.write_text(drawn(orjson.loads(given.profile.read_bytes())), encoding="utf-8")


if __name__ == "__main__":
    main()
