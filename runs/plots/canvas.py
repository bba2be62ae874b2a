"""Hand-written SVG for byte-identical output: a drawing area with axes, and marks in the units of its axes.

A picture contains no scripts or external resources; every mark has its figures as its title.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

COLOURS = ("#2f7d5b", "#3b6ea8", "#b5482f", "#8a6d1f", "#6b4c9a", "#1f7a86", "#a23b72", "#555555")
_WIDTH = 800
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 230, 44, 52
_KEY_CHARACTERS, _LABEL_CHARACTERS = 32, 44
INK, FAINT = "#222", "#ddd"


class Canvas:
    """A picture of `height` pixels; its drawing area ranges from `low` to `high` on each axis, y upwards."""

    def __init__(
        self, title: str, x: tuple[float, float], y: tuple[float, float], *, height: int = 380, left: int = _LEFT
    ) -> None:
        self._title, self._x, self._y = title, x, y
        self._height, self._left = height, left
        self._parts: list[str] = []
        self._keys = 0

    def across(self, x: float) -> float:
        """Convert a horizontal value to pixels."""
        return self._left + (x - self._x[0]) / (self._x[1] - self._x[0]) * (_WIDTH - self._left - _RIGHT)

    def down(self, y: float) -> float:
        """Convert a vertical value to pixels."""
        return self._height - _BOTTOM - (y - self._y[0]) / (self._y[1] - self._y[0]) * (self._height - _TOP - _BOTTOM)

    def x_axis(self, label: str, ticks: Sequence[tuple[float, str]]) -> None:
        """Draw the horizontal axis with its label and ticks (value, text)."""
        bottom = self._height - _BOTTOM
        for at, text in ticks:
            self._text(self.across(at), bottom + 18, text, anchor="middle")
        self._text((self.across(self._x[0]) + self.across(self._x[1])) / 2, bottom + 38, label, anchor="middle")
        self._parts.append(f'<path d="M{self._left} {bottom}H{_WIDTH - _RIGHT}" stroke="{INK}"/>')

    def y_axis(self, ticks: Sequence[tuple[float, str]]) -> None:
        """Draw the vertical axis with its ticks (value, text)."""
        for at, text in ticks:
            y = self.down(at)
            self._parts.append(f'<path d="M{self._left} {y:.1f}H{_WIDTH - _RIGHT}" stroke="{FAINT}"/>')
            self._text(self._left - 8, y + 4, text, anchor="end")

    def line(self, points: Sequence[tuple[float, float]], colour: str, title: str = "", dashed: bool = False) -> None:
        """Draw a line through points, with a tooltip."""
        path = "L".join(f"{self.across(x):.1f} {self.down(y):.1f}" for x, y in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"{dash}>{_title(title)}</path>'
        )

    def dot(self, x: float, y: float, colour: str, title: str) -> None:
        """Draw a dot with a tooltip."""
        place = f'cx="{self.across(x):.1f}" cy="{self.down(y):.1f}"'
        self._parts.append(f'<circle {place} r="5" fill="{colour}">{_title(title)}</circle>')

    def whisker(self, x: float, low: float, high: float) -> None:
        """Draw a vertical interval."""
        at, top, foot = self.across(x), self.down(high), self.down(low)
        ends = "".join(f"M{at - 4:.1f} {y:.1f}h8" for y in (top, foot))
        self._parts.append(f'<path d="M{at:.1f} {top:.1f}V{foot:.1f}{ends}" stroke="{INK}" fill="none"/>')

    def bar(self, x: float, y: float, width: float, colour: str, title: str) -> None:
        """Draw a vertical bar around x, with `width` in units of the axis."""
        left, right, top, foot = self.across(x - width / 2), self.across(x + width / 2), self.down(y), self.down(0)
        self._box(left, top, right - left, foot - top, colour, title)

    def cell(self, x: float, y: float, colour: str, title: str) -> None:
        """Draw a square, given by its centre, of a grid with cells one unit wide."""
        left, top = self.across(x - 0.5), self.down(y + 0.5)
        self._box(left, top, self.across(x + 0.5) - left - 1, self.down(y - 0.5) - top - 1, colour, title)

    def label(self, x: float, y: float, text: str, *, anchor: str = "start", beside: float = 0.0) -> None:
        """Write a text at a point."""
        self._text(self.across(x) + beside, self.down(y) + 4, text, anchor=anchor)

    def key(self, text: str, colour: str) -> None:
        """Add a line to the legend."""
        y = _TOP + 8 + self._keys * 18
        self._parts.append(f'<rect x="{_WIDTH - _RIGHT + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        self._text(_WIDTH - _RIGHT + 30, y, text, most=_KEY_CHARACTERS)
        self._keys += 1

    def note(self, text: str) -> None:
        """Add a line below the legend."""
        self.key(text, "none")

    def svg(self) -> str:
        """Return the drawing as an SVG document."""
        height = max(self._height, _TOP + self._keys * 18 + 16)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="12">'
        )
        title = f'<text x="16" y="24" font-size="15" fill="{INK}">{escape(self._title)}</text>'
        paper = f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>'
        return "\n".join([head, f"<title>{escape(self._title)}</title>", paper, title, *self._parts, "</svg>\n"])

    def _box(self, x: float, y: float, width: float, height: float, colour: str, title: str) -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        self._parts.append(f'<rect {place} fill="{colour}">{_title(title)}</rect>')

    def _text(self, x: float, y: float, text: str, *, anchor: str = "start", most: int = _LABEL_CHARACTERS) -> None:
        """Draw a text; a long one is truncated and has its full text as its title."""
        shown = escape(text) if len(text) <= most else f"{escape(text[: most - 1])}…{_title(text)}"
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{INK}">{shown}</text>')


def _title(title: str) -> str:
    return f"<title>{escape(title)}</title>" if title else ""


def percents() -> list[tuple[float, str]]:
    """Return ticks for shares."""
    return [(n / 4, f"{n * 25} %") for n in range(5)]


def colour_of(i: int) -> str:
    """Return the colour of the series with this index."""
    return COLOURS[i % len(COLOURS)]
