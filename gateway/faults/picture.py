"""The report as an image (SVG): bars of recovery, flexibility and doubled effects for each kind of fault."""

from __future__ import annotations

from html import escape

from soundstage.gateway.faults.report import Line, Rate, Report

_WIDTH, _LEFT, _TOP = 860, 190, 64
_SCALE = 560
_BAR, _GAP = 12, 14
_SERIES = (
    ("recovery", "recovered", "#2f7d5b"),
    ("flexibility", "changed plan", "#3b6ea8"),
    ("doubled", "doubled", "#b5482f"),
)


def picture(report: Report) -> str:
    """Draw horizontal bars with 95 % intervals as whiskers."""
    lines = [*report["kinds"], report["all"]]
    row = len(_SERIES) * _BAR + _GAP
    height = _TOP + row * len(lines) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12">',
        f"<title>How {report['runs']} runs shows_recovery with faults</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="24" font-size="15" fill="#222">Faults in {report["runs"]} run(s): shares with 95 % intervals</text>',
    ]
    parts += [_legend(i, label, colour) for i, (_, label, colour) in enumerate(_SERIES)]
    parts += [_grid(share, height) for share in (0, 0.25, 0.5, 0.75, 1)]
    for i, line in enumerate(lines):
        parts += _bars(line, _TOP + i * row)
    return "\n".join([*parts, "</svg>\n"])


def _legend(i: int, label: str, colour: str) -> str:
    x = _LEFT + i * 130
    return f'<rect x="{x}" y="38" width="10" height="10" fill="{colour}"/><text x="{x + 15}" y="47" fill="#444">{label}</text>'


def _grid(share: float, height: int) -> str:
    x = _LEFT + share * _SCALE
    return (
        f'<line x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{height - 30}" stroke="#ddd"/>'
        f'<text x="{x}" y="{height - 14}" text-anchor="middle" fill="#666">{share:.0%}</text>'
    )


def _bars(line: Line, top: float) -> list[str]:
    name = f"{line['fault']} ({line['landed']})"
    parts = [f'<text x="{_LEFT - 10}" y="{top + 22}" text-anchor="end" fill="#222">{escape(name)}</text>']
    rates: list[Rate] = [line["recovery"], line["flexibility"], line["doubled"]]
    for i, ((_, label, colour), value) in enumerate(zip(_SERIES, rates, strict=True)):
        y = top + i * _BAR
        if value["rate"] is None or value["low"] is None or value["high"] is None:
            parts.append(f'<text x="{_LEFT + 4}" y="{y + 10}" fill="#999" font-size="10">{label}: no case</text>')
            continue
        middle, low, high = y + _BAR / 2, _LEFT + value["low"] * _SCALE, _LEFT + value["high"] * _SCALE
        label_text = f"{label}: {value['count']} of {value['of']} ({value['low']:.0%} to {value['high']:.0%})"
        parts.append(
            f'<rect x="{_LEFT}" y="{y + 1}" width="{value["rate"] * _SCALE:.1f}" height="{_BAR - 2}" fill="{colour}">'
            f"<title>{label_text}</title></rect>"
            f'<path d="M{low:.1f} {middle}H{high:.1f}M{low:.1f} {y + 3}v{_BAR - 6}M{high:.1f} {y + 3}v{_BAR - 6}" '
            f'stroke="#222" fill="none"/>'
        )
    return parts
