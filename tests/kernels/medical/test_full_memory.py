"""The cache is full at a thousand results: before another one is stored, the least recently used tenth is removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from soundstage.contexts.engine.storage import MemoryStorage
from tests.kernels.cases import Case, Outcome, run_case

_LATER = "2026-03-10T08:30:00Z"
_EARLIER = "2026-03-10T08:00:00Z"


def _asked_with(number: int, folder: Path) -> Outcome:
    """Return the outcome of one more query when `number` results are cached, every other one of which was used again."""
    entries: list[dict[str, Any]] = [
        {
            "id": f"{i:04}",
            "source": "FDA",
            "operation": "get-drug-details",
            "params": {"ndc": str(i)},
            "timestamp": _EARLIER,
            "expiresAt": "2026-03-11T08:00:00Z",
            **({"lastAccessed": _LATER} if i % 2 else {}),
            "data": None,
        }
        for i in range(number)
    ]
    given = {"drug_label": [], "cache_entry": entries, "cache": [{"hits": 0, "misses": number, "swept": _LATER}]}
    case = Case("medical", "get-drug-details", 0, {"case": "full", "given": given, "arguments": {"ndc": "x"}})
    return run_case(case, MemoryStorage(), folder)


def _forgotten(outcome: Outcome) -> list[int]:
    return [int(str(c["id"])) for c in outcome.changes if c["entity"] == "cache_entry" and c["op"] == "delete"]


def test_the_least_recently_used_tenth_is_removed(worlds_folder: Path) -> None:
    assert sorted(_forgotten(_asked_with(1000, worlds_folder))) == list(range(0, 200, 2))


def test_more_than_a_thousand_are_reduced_to_it(worlds_folder: Path) -> None:
    assert len(_forgotten(_asked_with(1300, worlds_folder))) == 301


def test_one_less_is_not_full(worlds_folder: Path) -> None:
    assert _forgotten(_asked_with(999, worlds_folder)) == []
