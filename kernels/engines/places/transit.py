"""Journeys by bus, metro and train: walks to and from stops, rides and changes."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from soundstage.contexts.engine.geometry import Point, metres
from soundstage.kernels.engines.places.atlas import Atlas, Line, Stop
from soundstage.kernels.engines.places.routes import SECONDS_PER_METRE, Reach, Way

_WALK = 1800
"""Maximum walk to a stop, in metres."""
_CHANGE = 400
"""Maximum walk between two stops, in metres."""
_CHANGE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Ride:
    """A ride on one line between two of its stops, with the stops between them."""

    line: Line
    board: Stop
    alight: Stop
    between: tuple[Stop, ...]
    metres: int
    seconds: int

    @property
    def towards(self) -> Stop:
        """Return the line's last stop in the direction of the ride."""
        return self.line.stops[-1] if self.alight.place > self.board.place else self.line.stops[0]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk to or from a stop. `within` is true if it stays at the place that the last stop is named after."""

    metres: int
    start: Point
    end: Point
    street: str | None
    to: Stop | None
    within: bool = False

    @property
    def seconds(self) -> int:
        """Return the walking time in seconds."""
        return round(self.metres * SECONDS_PER_METRE["foot"])


@dataclass(frozen=True, slots=True)
class Journey:
    """A journey by public transport: alternating walks and rides; `seconds` includes waiting times."""

    legs: tuple[Walk | Ride, ...]
    seconds: int

    @property
    def walked(self) -> int:
        """Return the total walking distance in metres."""
        return sum(leg.metres for leg in self.legs if isinstance(leg, Walk))

    @property
    def metres(self) -> int:
        """Return the total distance in metres."""
        return sum(leg.metres for leg in self.legs)

    @property
    def price(self) -> int:
        """Return the fare in hundredths of a yuan."""
        return sum(leg.line.price for leg in self.legs if isinstance(leg, Ride))


_State = tuple[str, int]
"""The line and position of a stop; positions on board count from 1000."""
_ABOARD = 1000


def journey(atlas: Atlas, start: Point, goal: Point) -> Journey | None:
    """Return the fastest journey by public transport, or None if no ride leads there."""
    going, coming = Reach(atlas, "foot", start), Reach(atlas, "foot", goal)
    lines = {line.id: line for line in atlas.lines}
    stops = [stop for line in atlas.lines for stop in line.stops]
    near = {_key(s): c for s in stops if (c := going.costs.get(s.node)) is not None and c <= _WALK}
    leave = {_key(s): c for s in stops if (c := coming.costs.get(s.node)) is not None and c <= _WALK}
    seconds: dict[_State, float] = {}
    came: dict[_State, _State | None] = {}
    queue: list[tuple[float, _State, _State | None]] = []
    for key, walked in near.items():
        heapq.heappush(queue, (walked * SECONDS_PER_METRE["foot"], key, None))
    best: tuple[float, _State] | None = None
    while queue:
        time, state, before = heapq.heappop(queue)
        if state in seconds:
            continue
        seconds[state], came[state] = time, before
        line, place = lines[state[0]], state[1] % _ABOARD
        if state[1] >= _ABOARD:
            if place + 1 < len(line.stops):
                heapq.heappush(queue, (time + line.stops[place + 1].seconds, (line.id, _ABOARD + place + 1), state))
            if place:
                heapq.heappush(queue, (time + line.stops[place].seconds, (line.id, _ABOARD + place - 1), state))
            if before is not None and before[1] >= _ABOARD:
                total = time + leave.get((line.id, place), float("inf")) * SECONDS_PER_METRE["foot"]
                if total < float("inf") and (best is None or total < best[0]):
                    best = (total, state)
                for other in stops:
                    if other.line != line.id and _changes(atlas, line.stops[place], other):
                        heapq.heappush(queue, (time + _CHANGE_SECONDS, _key(other), state))
        else:
            heapq.heappush(queue, (time + line.wait, (line.id, _ABOARD + place), state))
    if best is None:
        return None
    return _journey(atlas, lines, _states(came, best[1]), going, coming, round(best[0]))


def _key(stop: Stop) -> _State:
    return stop.line, stop.place


def _changes(atlas: Atlas, a: Stop, b: Stop) -> bool:
    here, there = atlas.nodes[a.node], atlas.nodes[b.node]
    near = abs(here.lat - there.lat) < 0.01 and abs(here.lng - there.lng) < 0.01
    return near and metres(here, there) <= _CHANGE


def _states(came: dict[_State, _State | None], last: _State) -> list[_State]:
    states: list[_State] = []
    state: _State | None = last
    while state is not None:
        states.append(state)
        state = came[state]
    return states[::-1]


def _journey(
    atlas: Atlas, lines: dict[str, Line], states: list[_State], going: Reach, coming: Reach, seconds: int
) -> Journey:
    rides: list[Ride] = []
    boarded: Stop | None = None
    for state, after in zip(states, [*states[1:], None], strict=True):
        line = lines[state[0]]
        stop = line.stops[state[1] % _ABOARD]
        if state[1] < _ABOARD:
            boarded = stop
        elif boarded is not None and (after is None or after[1] < _ABOARD):
            rides.append(_ride(line, boarded, stop))
            boarded = None
    first, last = rides[0].board, rides[-1].alight
    legs: list[Walk | Ride] = [_walk(atlas, going, first, there=True)]
    for ride, then in zip(rides, [*rides[1:], None], strict=True):
        legs.append(ride)
        if then is not None:
            here, there = atlas.nodes[ride.alight.node], atlas.nodes[then.board.node]
            legs.append(Walk(round(metres(here, there)), here, there, None, then.board))
    legs.append(_walk(atlas, coming, last, there=False))
    return Journey(tuple(leg for leg in legs if leg.metres), seconds)


def _ride(line: Line, board: Stop, alight: Stop) -> Ride:
    low, high = sorted((board.place, alight.place))
    ridden = line.stops[low + 1 : high + 1]
    between = line.stops[low + 1 : high]
    if board.place > alight.place:
        between = between[::-1]
    return Ride(line, board, alight, between, sum(s.metres for s in ridden), sum(s.seconds for s in ridden))


def _walk(atlas: Atlas, reach: Reach, stop: Stop, *, there: bool) -> Walk:
    """Return the walk between an end and a stop; `within` is set if the stop is named after the end."""
    node = atlas.nodes[stop.node]
    length = round(reach.costs[stop.node])
    street = _only_street(reach.way_to(node))
    if there:
        return Walk(length, reach.start, node, street, stop)
    named = any(v.zh == stop.zh and v.point == reach.start for v in atlas.venues.values())
    return Walk(length, node, reach.start, street, None, named)


def _only_street(way: Way | None) -> str | None:
    return way.parts[0].street if way is not None and len(way.parts) == 1 else None
