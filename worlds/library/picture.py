"""Maps of the library's cities as SVG: ways, lines with their stops, venues. The same library gives the same picture."""

from __future__ import annotations

from html import escape

from soundstage.contexts.engine.library import Library

_WIDE = 1200.0
_LINES = ("#c0392b", "#1971c2", "#2f9e44", "#e67700", "#7048e8", "#0c8599", "#d6336c", "#5c940d")


def cities(library: Library) -> dict[str, str]:
    """Cities that have streets: code → name in English."""
    if library.declared("places", "area") is None:
        return {}
    return {a["adcode"]: a["en"] for a in library.list("places", "area", {"level": "city"}) if a.get("bounds")}


def draw(library: Library, city: str) -> str:
    """A city with streets, as an SVG document."""
    nodes = {n["id"]: n for n in library.list("places", "node", {"city": city})}
    edges = [e for e in library.list("places", "edge") if e["a"] in nodes and e["b"] in nodes]
    west, east = min(n["lng"] for n in nodes.values()), max(n["lng"] for n in nodes.values())
    south, north = min(n["lat"] for n in nodes.values()), max(n["lat"] for n in nodes.values())
    scale = _WIDE / max(east - west, 1e-6)
    high = (north - south) * scale * 1.15  # a degree of latitude is longer than one of longitude here

    def at(place: dict[str, float]) -> tuple[str, str]:
        return f"{(place['lng'] - west) * scale + 20:.1f}", f"{(north - place['lat']) * scale * 1.15 + 20:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE + 40:.0f} {high + 40:.0f}">',
        '<rect width="100%" height="100%" fill="#faf8f2"/>',
    ]
    for edge in edges:
        (x1, y1), (x2, y2) = at(nodes[edge["a"]]), at(nodes[edge["b"]])
        colour, width = ("#b9b2a3", 4) if edge.get("car") else ("#d9d4c7", 2)
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"/>')
    for number, line in enumerate(library.list("places", "line", {"city": city})):
        stops = [s for s in library.list("places", "stop", {"line": line["id"]}, order="place") if s["node"] in nodes]
        points = " ".join(",".join(at(nodes[stop["node"]])) for stop in stops)
        colour = _LINES[number % len(_LINES)]
        title = f"<title>{escape(line['zh'])} {escape(line['en'])}</title>"
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3" opacity="0.7">{title}</polyline>'
        )
        for stop in stops:
            x, y = at(nodes[stop["node"]])
            title = f"<title>{escape(stop['zh'])} {escape(stop['en'])}</title>"
            parts.append(
                f'<circle cx="{x}" cy="{y}" r="4" fill="#fff" stroke="{colour}" stroke-width="2">{title}</circle>'
            )
    for venue in library.list("places", "venue"):
        if west <= venue["lng"] <= east and south <= venue["lat"] <= north:
            x, y = at(venue)
            title = f"<title>{escape(venue['zh'])} {escape(venue.get('en') or '')}</title>"
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="#364fc7" opacity="0.75">{title}</circle>')
    return "\n".join((*parts, "</svg>\n"))
