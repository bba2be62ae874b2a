"""A bundle's trials graded again, as `soundstage runs grade` does it, against its lines read as JSON and left alone."""

from __future__ import annotations

import subprocess
import time

import orjson

from bench.control import Control
from bench.figures import Bound, Line, Plan, Series, Unit, compare
from bench.processes import ROOT, SOUNDSTAGE, gateway
from bench.wire import HOST
from soundstage.runs.bundle import Bundle, read_bundle
from soundstage.runs.regrading import regrade

_UNIT: Unit = "ms"
_TASKS = ["studio/errand", "studio/move-the-dry-run", "studio/friday-summary", "campus/fa-cai-to-the-vet"]
_TRIALS = 3  # of each
_BOUND = Bound(20)
_TOKEN = "of the bench alone"


async def measure(plan: Plan) -> list[Line]:
    """Measure grading of a whole bundle."""
    data = _sealed(plan)
    bundle = read_bundle(data)
    trials = len(bundle.trials)
    read, graded, parsed = [], [], []
    for _ in range(plan.rounds):
        began = time.process_time()
        bundle = read_bundle(data)
        read.append(_ms(began, trials))
        began = time.process_time()
        verdicts = regrade(bundle)
        graded.append(_ms(began, trials) + read[-1])
        assert len(verdicts) == trials, verdicts
        began = time.process_time()
        _parse(bundle)
        parsed.append(_ms(began, trials))
    opened = sorted(read)[len(read) // 2]
    return [
        compare(
            "grade",
            Series(f"a trial, {trials} of {len(_TASKS)} tasks in {len(data) // 1024} KB", graded),
            Series("its lines as JSON", parsed),
            unit=_UNIT,
            bound=_BOUND,
            note=f"CPU per trial; {opened:.2g} ms of it read the bundle",
        )
    ]


def _ms(began: float, trials: int) -> float:
    return (time.process_time() - began) / trials * 1e3


def _parse(bundle: Bundle) -> None:
    for member in bundle.members:
        if member.name.endswith(".jsonl"):
            for line in member.data.splitlines():
                orjson.loads(line)


def _sealed(plan: Plan) -> bytes:
    """The bundle of a run in which the oracle has worked."""
    plan.folder.mkdir(parents=True, exist_ok=True)
    (plan.folder / "token").write_text(_TOKEN)
    with gateway(plan.folder, "--token-file", str(plan.folder / "token")) as server:
        control = Control(server, _TOKEN)
        run: str = control.request("POST", "/api/runs", {"tasks": _TASKS, "k": _TRIALS, "durability": "memory"})["id"]
        where = ["--url", f"http://{HOST}:{server.port}", "--token", _TOKEN]
        drive = [*SOUNDSTAGE, "runs", "drive", run, "--agent", "oracle", *where]
        subprocess.run(drive, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        return control.bundle(run)
