"""Measure the value of each kind of recorded call: candidates of different prompt levels answer the same held-out calls.

`servers/<app>/ablation.json` stores the results for each level of `soundstage.synthesis.generate.prompt_level`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from soundstage.bounded_input import JSON_LIMITS, Refused, read_json
from soundstage.gateway.faults.report import Rate
from soundstage.synthesis.generate.bench import JudgedCase, mismatches, score
from soundstage.synthesis.generate.cases import Case
from soundstage.synthesis.generate.lock import LockError, read_lock, write
from soundstage.synthesis.generate.prompt_level import LEVELS, PromptLevel
from soundstage.synthesis.generate.report import bar, template, worst

FILE = "ablation.json"
FORMAT = 1
FIGURES: Mapping[str, str] = {
    "outcome": "done or refused as recorded",
    "exact": "the same reply",
    "false_positives": "refusals taken for successes",
    "false_negatives": "successes refused, or not answered",
    "state": "the same state after",
}
"""The rates of a level with their labels."""
_WORST = 3


class LevelResult(TypedDict):
    """The results of a level.

    They contain the generator, a digest of the held-out calls (equal for all levels), scores of all calls and of each tool, and
    the worst mismatches.
    """

    generator: str
    held_out: str
    figures: dict[str, Any]
    tools: dict[str, dict[str, Any]]
    worst: list[str]


def level_result(generator: str, cases: Sequence[Case], answers: Sequence[JudgedCase]) -> LevelResult:
    """Compute a level's results from all held-out calls."""
    calls = sorted(json.dumps([case.id, case.arguments, case.expect.response], sort_keys=True) for case in cases)
    tools = sorted({case.tool for case in cases})
    return LevelResult(
        generator=generator,
        held_out=hashlib.blake2b("\n".join(calls).encode(), digest_size=16).hexdigest(),
        figures=score(answers).as_json(),
        tools={tool: score([one for one in answers if one.case.tool == tool]).as_json() for tool in tools},
        worst=mismatches(answers, _WORST),
    )


def store_level(root: Path, app: str, knowing: PromptLevel, measured: LevelResult) -> None:
    """Store a level's results; results on other held-out calls are dropped, because they are not comparable."""
    levels = {name: one for name, one in stored_levels(root, app).items() if one["held_out"] == measured["held_out"]}
    levels[knowing] = measured
    content = {"format": FORMAT, "app": app, "levels": {name: levels[name] for name in LEVELS if name in levels}}
    write(_path(root, app), json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")


def read_levels(root: Path, app: str) -> dict[PromptLevel, LevelResult]:
    """Return the measured levels, the lowest first.

    Raises:
        LockError: The app does not exist, or no level was measured.
    """
    levels = stored_levels(root, app)
    if not levels:
        read_lock(root, app)
        raise LockError(
            f"{app} has no {FILE}; make it with `soundstage synthesise run POOL --knowing {'|'.join(LEVELS)} …`"
        )
    return levels


def rows(levels: Mapping[PromptLevel, LevelResult]) -> list[list[str]]:
    """Return a table row for each level: its name, the number of calls, the rates."""
    return [
        [name, str(one["figures"]["cases"]), *(shown_rate(one["figures"][figure]) for figure in FIGURES)]
        for name, one in levels.items()
    ]


def shown_rate(rate: Rate) -> str:
    """Format a rate with its n and Wilson's 95 % bounds."""
    if rate["rate"] is None or rate["low"] is None or rate["high"] is None:
        return "-"
    return f"{rate['count']}/{rate['of']} ({rate['low']:.0%}-{rate['high']:.0%})"


def page(app: str, levels: Mapping[PromptLevel, LevelResult]) -> str:
    """Render the levels as a self-contained HTML page: each rate by level, for the app and for each tool."""
    tools = sorted({tool for one in levels.values() for tool in one["tools"]})
    made: str = template("ablation.html.jinja").render(
        app=app,
        levels=levels,
        says=LEVELS,
        calls=max(one["figures"]["cases"] for one in levels.values()),
        figures=[
            (title, [bar(name, one["figures"][figure]) for name, one in levels.items()])
            for figure, title in FIGURES.items()
        ],
        tools=[(tool, [shown_rate(one["tools"][tool]["exact"]) for one in levels.values()]) for tool in tools],
        wrong=[(name, worst(one["worst"])) for name, one in levels.items()],
    )
    return made


def stored_levels(root: Path, app: str) -> dict[PromptLevel, LevelResult]:
    """Return the stored levels; empty if none was measured.

    Raises:
        LockError: The file cannot be used.
    """
    try:
        content = read_json(_path(root, app).read_bytes(), JSON_LIMITS)
    except FileNotFoundError:
        return {}
    except (OSError, Refused) as error:
        raise LockError(f"{_path(root, app)}: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise LockError(
            f"{_path(root, app)} is not an ablation of format {FORMAT}; delete it and measure the levels again"
        )
    levels: dict[PromptLevel, LevelResult] = content["levels"]
    return levels


def _path(root: Path, app: str) -> Path:
    return root / "servers" / app / FILE
