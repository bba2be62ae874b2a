"""Stored results of synthesised apps for the parity page: `docs/parity/synthesised/*.json`, one file per app.

A result describes the extent of the recording, the state of each tool, and the scores on held-out calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from soundstage.synthesis.fidelity.parity import InvalidResult
from soundstage.synthesis.generate.ablation import FIGURES, LevelResult
from soundstage.synthesis.generate.accept import reasons
from soundstage.synthesis.generate.lock import Lock, LockError
from soundstage.synthesis.generate.prompt_level import LEVELS, PromptLevel
from soundstage.synthesis.traverse.derive import Derived
from soundstage.synthesis.traverse.plan import Planned

FOLDER = "synthesised"
"""The folder of the files, below the results of comparisons with real servers."""
_HEAD = """## Synthesised from recordings

The results of [`soundstage synthesise`](synthesis.md) on recordings of real servers, measured on held-out calls that no
generator received. *Goals* are the planned situations of the tools that were reached, *branches* the share of the
server's own code for them that the recording executed. A tool is answered by a *kernel* if it met the thresholds,
otherwise it is not served (*none*). The first table has the scores of all kernels of an app; *FP* is the share of
rejections that the kernel accepted. *Episodes* are whole scenarios, in which each call runs on the state that the
preceding simulated calls produced. `make servers` repeats the recordings and the results.
"""
_SHARES = ("outcome", "false_positives", "exact", "state")


def result_of(
    lock: Lock,
    planned: Planned,
    levels: Mapping[PromptLevel, LevelResult],
    *,
    at: str,
    reached: tuple[int, int] | None,
    judged: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Build an app's stored result.

    `reached` is the number of covered branches of the server's code and their total; `judged` the scores on recordings made by
    others.

    Raises:
        LockError: The app was generated from another recording.
    """
    if lock.recording != planned.plan.server:
        raise LockError(f"{lock.app} was made of a recording of {lock.recording}; this one is of {planned.plan.server}")
    coverage, info = Derived(planned).coverage, planned.server["serverInfo"]
    return {
        "app": lock.app,
        "server": {
            "name": info.get("name", ""), "version": info.get("version", ""), "package": planned.server.get("package"),
            "id": planned.server["id"],
        },
        "at": at,
        "generator": lock.generator,
        "calls": sum(one.calls for one in coverage.values()),
        "goals": [sum(one.covered for one in coverage.values()), sum(one.applicable for one in coverage.values())],
        "branches": None if reached is None else list(reached),
        "looks": lock.looks,
        "whole": {name: lock.whole[name] for name in ("held_out", "episodes", "enough")},
        "judged": judged,
        "tools": {
            name: {
                "calls": coverage[name].calls,
                "goals": [coverage[name].covered, coverage[name].applicable],
                **{part: tool[part] for part in ("answered_by", "why", "thin", "rounds", "held_out")},
            }
            for name, tool in sorted(lock.tools.items())
        },
        "levels": {name: {"generator": one["generator"], "figures": one["figures"]} for name, one in levels.items()},
    }  # fmt: skip


def read_results(folder: Path) -> list[dict[str, Any]]:
    """Read the stored results, sorted by name.

    Raises:
        InvalidResult: A file was not written by `--keep`.
    """
    results: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")):
        try:
            result = json.loads(path.read_text(encoding="utf-8"))
            list(_section(result))
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InvalidResult(
                f"{path} is not a result that `soundstage synthesise report … --keep` wrote ({error})"
            ) from None
        results.append(result)
    return results


def section(results: Sequence[Mapping[str, Any]]) -> str:
    """Render the parity page's section on synthesised apps; empty if there are none."""
    if not results:
        return ""
    lines = [
        _HEAD,
        "| server | tools | recorded calls | goals | branches | kernel | none | held-out calls | outcome | FP | exact | state "
        "| episodes |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|---|---|---|--:|",
        *(_row(one) for one in results),
        "",
        *(line for one in results for line in _section(one)),
        *_levels([one for one in results if len(one["levels"]) > 1]),
    ]
    return "\n".join(lines)


def _row(one: Mapping[str, Any]) -> str:
    kernels = sum(tool["answered_by"] == "kernel" for tool in one["tools"].values())
    whole = one["whole"]
    branches = "–" if one["branches"] is None else _part(one["branches"])
    return _line(
        one["app"], len(one["tools"]), one["calls"], _part(one["goals"]), branches, kernels, len(one["tools"]) - kernels,
        whole["held_out"]["cases"], *(_bounds(whole["held_out"][share]) for share in _SHARES),
        f"{whole['episodes']['agree']} of {whole['episodes']['of']}",
    )  # fmt: skip


def _section(one: Mapping[str, Any]) -> Iterator[str]:
    server = one["server"]
    says = f"{server['name']} {server['version']}".strip()
    of = says if server["package"] is None else f"{server['package']} ({says})"
    yield f"### {one['app']}, synthesised"
    yield ""
    yield f"Recorded from {of}, {one['at'][:10]}. Candidates: {one['generator']}."
    if not one["whole"]["enough"]:
        yield ""
        yield "Too few held-out episodes agree to their end, so nothing is served until a person accepts it."
    if one["judged"] is not None:
        yield ""
        others = one["judged"]
        yield (
            f"Judged by {others['traces']} recordings of the same server by other people: outcome "
            f"{_bounds(others['outcome'])}, exact {_bounds(others['exact'])}."
        )
    yield ""
    yield "| tool | recorded calls | goals | answered by | held-out calls | outcome | FP | exact | state | why not |"
    yield "|---|--:|--:|---|--:|---|---|---|---|---|"
    for name, tool in one["tools"].items():
        score = tool["held_out"]
        thin = ", thin" if tool["thin"] else ""
        yield _line(
            f"`{name}`", tool["calls"], _part(tool["goals"]), tool["answered_by"] + thin, score["cases"],
            *(_bounds(score[share]) for share in _SHARES), reasons(tool["why"]),
        )  # fmt: skip
    yield ""


def _levels(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if not results:
        return
    yield "## What recorded calls are worth"
    yield ""
    levels = "[levels](synthesis.md#what-recorded-calls-are-worth)"
    yield f"The same held-out calls, answered by candidates whose generator received less information ({levels})."
    for one in results:
        yield ""
        yield f"| {one['app']}: knowing | calls | {' | '.join(FIGURES.values())} |"
        yield f"|---|--:|{'---|' * len(FIGURES)}"
        for name in LEVELS:
            if name in one["levels"]:
                figures = one["levels"][name]["figures"]
                yield _line(f"`{name}`", figures["cases"], *(_bounds(figures[figure]) for figure in FIGURES))
        yield ""
        writers = dict.fromkeys(level["generator"] for level in one["levels"].values())
        for writer in writers:
            whose = ", ".join(f"`{name}`" for name, level in one["levels"].items() if level["generator"] == writer)
            yield f"* {whose}: {writer}"
    yield ""


def _line(*cells: object) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _part(share: Sequence[int]) -> str:
    return f"{share[0]} of {share[1]}"


def _bounds(rate: Mapping[str, Any]) -> str:
    if rate["rate"] is None:
        return "–"
    return f"{rate['rate']:.3f} ({rate['low']:.3f} to {rate['high']:.3f}, n = {rate['of']})"
