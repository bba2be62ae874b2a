"""Describe the sources of a call's values by their places, which are equal at every start, unlike ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from soundstage.synthesis.traverse.places import at_path, put_at, without_indices
from soundstage.synthesis.traverse.recording import Call


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a tool's reply."""

    tool: str
    path: str


def sources_of(call: Call, by_step: Mapping[tuple[str, int], str]) -> dict[str, Source]:
    """Return the sources of a recorded call's unchanged values; `by_step` maps each step to its tool."""
    return {
        place: Source(by_step[call.episode, ref.step], without_indices(ref.path))
        for place, ref in call.refs.items()
        if ref.change is None and (call.episode, ref.step) in by_step
    }


def fill(arguments: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any] | None:
    """Put values into arguments; return None if a place does not exist."""
    made: Any = arguments
    for place, value in values.items():
        try:
            made = put_at(made, place, value)
            if at_path(made, place) != value:
                return None
        except (LookupError, TypeError, AssertionError):
            return None
    return made if isinstance(made, dict) else None
