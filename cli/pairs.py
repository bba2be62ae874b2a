"""`soundstage fidelity --pairs`: compare a simulated app with the real server on new calls."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from soundstage.cli.fidelity_text import disagreement_text, share_rows, write_page
from soundstage.cli.output import fail, print_json, print_table, print_text

if TYPE_CHECKING:
    from soundstage.synthesis.fidelity.live import PlannedTarget
    from soundstage.synthesis.fidelity.pairs import Pairs
    from soundstage.synthesis.targets.target import State

_MATRIX = ("true_positives", "true_negatives", "false_positives", "false_negatives")


def side_by_side(
    real: PlannedTarget,
    app: str,
    given: State,
    new: int,
    seed: int,
    keep: Path | None,
    html: Path | None,
    *,
    json: bool,
) -> None:
    """Make new calls on both servers and print the differences. `keep` is a file for the results, `html` one for a page."""
    import asyncio

    from soundstage.servers.catalogue import load_app
    from soundstage.synthesis.fidelity.html import render
    from soundstage.synthesis.fidelity.pairs import run_pairs
    from soundstage.synthesis.fidelity.parity import stored_form
    from soundstage.synthesis.fidelity.report import reported
    from soundstage.synthesis.targets.sim import SimTarget, gateway_here
    from soundstage.synthesis.targets.target import NotPossible, Unreachable

    async def run() -> Pairs:
        async with gateway_here() as http:
            return await run_pairs(SimTarget(http, app, given), real, new=new, seed=seed)

    try:
        pairs = asyncio.run(run())
    except (NotPossible, Unreachable, ValueError) as error:
        fail(str(error))
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    result = stored_form(pairs, app=app, version=load_app(app).version, server=real.planned.server, at=at, seed=seed)
    report = reported([], [(one.line, one.comparison) for one in pairs.all], [])
    if keep is not None:
        _keep(keep, result)
    if json:
        print_json(result | {"disagreements": report.as_json()["disagreements"]})
    else:
        _show(result)
        for judged in report.disagreements():
            print_text(f"\n{disagreement_text(judged)}")
        for one in pairs.all:
            if not all(one.probes):
                print_text(f"\nanother state after {one.line.trace.id} {one.line.trace.tool}")
    if html is not None:
        write_page(html, render(report, _lines(result)))


def _keep(path: Path, result: dict[str, Any]) -> None:
    from soundstage.synthesis.fidelity.parity import as_text

    try:
        path.write_text(as_text(result), encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be written ({error.strerror or error})")


def _show(result: dict[str, Any]) -> None:
    for line in _lines(result):
        print_text(line)
    sides = {**result["directions"], "both": result["overall"]}
    print_text("")
    print_table(
        ["", "calls", "TP", "TN", "FP", "FN"],
        [[n, str(side["figures"]["calls"]), *(str(side[m]) for m in _MATRIX)] for n, side in sides.items()],
    )
    for name, side in sides.items():
        print_text(f"\n{name}:")
        print_table(["", "share", "n", "95 %"], share_rows(side["figures"]))
    print_text("")
    print_table(
        ["tool", "calls", "TP", "TN", "FP", "FN", "exact", "probes"],
        [
            [
                name,
                str(tool["figures"]["calls"]),
                *(str(tool[m]) for m in _MATRIX),
                *(_of(tool["figures"][s]) for s in ("exact", "probes")),
            ]
            for name, tool in result["tools"].items()
        ],
    )


def _of(share: dict[str, Any]) -> str:
    return "–" if share["share"] is None else f"{share['share']:.3f} of {share['n']}"


def _lines(result: dict[str, Any]) -> list[str]:
    from soundstage.synthesis.fidelity.parity import named

    server = named(result["server"])
    details = f"{result['calls']} new calls, seed {result['seed']}, {result['at']}"
    return [f"{result['app']} {result['version']} against {server}: {details}"]
