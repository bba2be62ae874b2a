"""Routes on the street graph: fastest by car, shortest by bicycle and on foot."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from soundstage.contexts.engine.geometry import Point, along, heading, metres, nearest_part
from soundstage.kernels.engines.places.atlas import Atlas, Edge

Mode = Literal["car", "bicycle", "foot"]

SECONDS_PER_METRE: dict[Mode, float] = {"bicycle": 0.24, "foot": 0.8}
"""15 km/h by bicycle and 4.5 km/h on foot."""
_NEAR_WAY = 5000
"""Maximum distance in metres between the nearest street and the start or end of a route."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a route along one street."""

    street: str | None
    metres: int
    seconds: int
    points: tuple[Point, ...]

    @property
    def heading(self) -> float:
        """Return the compass bearing from the first to the last point."""
        return heading(self.points[0], self.points[-1])

    def turn_to(self, other: Part) -> float:
        """Return the turn in degrees from this part to the next, from -180 to 180; positive turns go right."""
        before = heading(self.points[-2], self.points[-1])
        after = heading(other.points[0], other.points[1])
        return (after - before + 180) % 360 - 180


@dataclass(frozen=True, slots=True)
class Way:
    """A route between two points. The `seconds` of its parts add up to its own."""

    mode: Mode
    parts: tuple[Part, ...]

    @property
    def turns(self) -> Iterator[tuple[Part, Part | None]]:
        """Yield each part with its successor, or None after the last part."""
        return zip(self.parts, [*self.parts[1:], None], strict=False)

    @property
    def metres(self) -> int:
        """Return the length in metres."""
        return sum(part.metres for part in self.parts)

    @property
    def seconds(self) -> int:
        """Return the travel time in seconds."""
        return sum(part.seconds for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Entry:
    """The position of a point on an edge, as a fraction from the edge's start."""

    edge: Edge
    part: float
    point: Point


class Reach:
    """Everything that can be reached from a point in one mode, as a shortest-path tree."""

    def __init__(self, atlas: Atlas, mode: Mode, start: Point) -> None:
        """Prepare the search from `start`; it runs when a cost or a route is first needed."""
        self._atlas, self._mode, self.start = atlas, mode, start
        self.entries = entries(atlas, mode, start)

    @cached_property
    def costs(self) -> dict[int, float]:
        """Return the cost of each reachable node: seconds by car, otherwise metres."""
        return self._searched[0]

    @cached_property
    def _searched(self) -> tuple[dict[int, float], dict[int, tuple[Edge, float]]]:
        """Return costs by node, and for each node the edge that leads to it with the fraction of it that is used."""
        costs: dict[int, float] = {}
        came: dict[int, tuple[Edge, float]] = {}
        queue: list[tuple[float, int, int]] = []
        waiting: list[tuple[Edge, float]] = []

        def push(cost: float, edge: Edge, used: float) -> None:
            waiting.append((edge, used))
            heapq.heappush(queue, (cost, edge.end, len(waiting) - 1))

        for entry in self.entries:
            push(cost_of(entry.edge, self._mode) * (1 - entry.part), entry.edge, 1 - entry.part)
        while queue:
            cost, node, arrival = heapq.heappop(queue)
            if node in costs:
                continue
            costs[node], came[node] = cost, waiting[arrival]
            for edge in self._atlas.ways[node]:
                if edge.end not in costs and usable(edge, self._mode):
                    push(cost + cost_of(edge, self._mode), edge, 1.0)
        return costs, came

    def way_to(self, goal: Point) -> Way | None:
        """Return the best route to a point, or None if there is none."""
        costs, came = self._searched
        best: tuple[float, list[tuple[Edge, float, tuple[Point, Point]]]] | None = None
        for entry in entries(self._atlas, self._mode, goal):
            for begun in self.entries:
                if begun.edge == entry.edge and entry.part >= begun.part:
                    used = entry.part - begun.part
                    straight = cost_of(entry.edge, self._mode) * used
                    if best is None or straight < best[0]:
                        best = (straight, [(entry.edge, used, (begun.point, entry.point))])
            cost = costs.get(entry.edge.start)
            if cost is not None:
                cost += cost_of(entry.edge, self._mode) * entry.part
                if best is None or cost < best[0] - 1e-9:
                    legs = self._legs(entry.edge.start, came)
                    start = self._atlas.nodes[entry.edge.start]
                    best = (cost, [*legs, (entry.edge, entry.part, (start, entry.point))])
        return self._joined(best[1]) if best else None

    def _legs(self, node: int, came: dict[int, tuple[Edge, float]]) -> list[tuple[Edge, float, tuple[Point, Point]]]:
        nodes = self._atlas.nodes
        legs: list[tuple[Edge, float, tuple[Point, Point]]] = []
        while True:
            edge, used = came[node]
            first = used < 1.0 or any(entry.edge == edge and entry.part == 0 for entry in self.entries)
            point = next((entry.point for entry in self.entries if entry.edge == edge), nodes[edge.start])
            legs.append((edge, used, (point if first else nodes[edge.start], nodes[edge.end])))
            if first:
                return legs[::-1]
            node = edge.start

    def _joined(self, legs: list[tuple[Edge, float, tuple[Point, Point]]]) -> Way | None:
        """Merge legs along the same street into parts; lengths are rounded and add up."""
        parts: list[tuple[str | None, float, float, list[Point]]] = []
        for edge, used, (start, end) in legs:
            length = (length_of(edge, self._mode) or 0) * used
            seconds = edge.car_seconds * used if self._mode == "car" else length * SECONDS_PER_METRE[self._mode]
            if used == 0 or start == end:
                continue
            if parts and parts[-1][0] == edge.street:
                street, before, time, points = parts[-1]
                parts[-1] = (street, before + length, time + seconds, [*points, end])
            else:
                parts.append((edge.street, length, seconds, [start, end]))
        made: list[Part] = []
        for street, length, seconds, points in parts:
            if round(length) > 0:
                made.append(Part(street, round(length), round(seconds), tuple(points)))
        return Way(self._mode, tuple(made))


def route(atlas: Atlas, mode: Mode, start: Point, goal: Point) -> Way | None:
    """Return the best route between two points, or None if there is none; equal points yield a route without parts."""
    if start == goal:
        return Way(mode, ()) if entries(atlas, mode, start) else None
    return Reach(atlas, mode, start).way_to(goal)


def usable(edge: Edge, mode: Mode) -> bool:
    """Return whether a mode may use an edge."""
    return length_of(edge, mode) is not None


def length_of(edge: Edge, mode: Mode) -> int | None:
    """Return the length of an edge in metres for a mode, or None if the mode may not use it."""
    return edge.car if mode == "car" else edge.bicycle if mode == "bicycle" else edge.foot


def cost_of(edge: Edge, mode: Mode) -> float:
    """Return the cost of an edge: seconds by car, otherwise metres."""
    return edge.car_seconds if mode == "car" else length_of(edge, mode) or 0


def entries(atlas: Atlas, mode: Mode, point: Point) -> list[_Entry]:
    """Return where a point meets the edges of a mode, in each direction; empty if it is far from all of them.

    A node's own edges take precedence over the nearest point of the nearest edge.
    """
    node = next((node for node, place in atlas.nodes.items() if place == point and atlas.ways[node]), None)
    if node is not None:
        leaving = [_Entry(edge, 0.0, point) for edge in atlas.ways[node] if usable(edge, mode)]
        arriving = [_Entry(edge, 1.0, point) for edge in _arriving(atlas, node) if usable(edge, mode)]
        if leaving or arriving:
            return [*leaving, *arriving]
    best: tuple[float, Edge, float] | None = None
    for edges in atlas.ways.values():
        for edge in edges:
            if not usable(edge, mode) or edge.street is None or edge.street.startswith("link"):
                continue
            a, b = atlas.nodes[edge.start], atlas.nodes[edge.end]
            if abs(a.lat - point.lat) > 0.06 or abs(a.lng - point.lng) > 0.06:
                continue
            part = nearest_part(point, a, b)
            away = metres(point, along(a, b, part))
            if best is None or away < best[0] - 0.01:
                best = (away, edge, part)
    if best is None or best[0] > _NEAR_WAY:
        return []
    _, edge, part = best
    place = along(atlas.nodes[edge.start], atlas.nodes[edge.end], part)
    back = [e for e in atlas.ways[edge.end] if (e.end, e.street) == (edge.start, edge.street) and usable(e, mode)]
    return [_Entry(edge, part, place), *(_Entry(e, 1 - part, place) for e in back)]


def _arriving(atlas: Atlas, node: int) -> Iterable[Edge]:
    neighbours = {edge.end for edge in atlas.ways[node]}
    return [edge for other in sorted(neighbours) for edge in atlas.ways[other] if edge.end == node]
