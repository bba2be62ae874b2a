"""The thirty lines of Python in docs/results.md count the same results as the report, the CSV and the plots."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from soundstage.runs import export
from soundstage.runs.bundle import Finished
from soundstage.runs.plots import PLOTS
from soundstage.runs.report import report
from soundstage.runs.results import ResultLine, written
from tests.conftest import REPOSITORY
from tests.runs.results.lines import landed, result

PROGRAM = re.findall(r"^```py\n(.*?)^```", (REPOSITORY / "docs" / "results.md").read_text(), re.MULTILINE | re.DOTALL)[
    -1
]


def recount(lines: list[ResultLine], folder: Path) -> list[dict[str, Any]]:
    file, program = folder / "results.jsonl", folder / "recount.py"
    file.write_bytes(written(lines))
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(program), str(file)], capture_output=True, text=True, check=True)
    return [json.loads(text) for text in done.stdout.splitlines()]


def many() -> list[ResultLine]:
    lines: list[ResultLine] = []
    for agent in ("acme", "other"):
        for i in range(12):
            for k in range(1, 5 - i % 2):
                won = (i * 7 + k * 3 + len(agent)) % 5 > 1
                more: dict[str, Any] = {"score": 1.0 if won else i / 24, "acc": 0.8 if i % 3 else 1.0, "calls": i + k}
                breaches = [] if won else [{"app": "jotter"}]
                lines.append(result(f"task{i}", won, agent=agent, k=k, breaches=breaches, **more))
                took = {"calls_to_recover": i + k, "seconds_to_recover": i / 2 + k}
                faults = [
                    landed(3, "timeout", **took),
                    landed(4, "timeout", outage=3),
                    landed(9, "lost_ack", i % 2 == 0),
                ]
                if k == 2:
                    faults.append(landed(12, "drift", None, calls_to_recover=None, seconds_to_recover=None))
                lines.append(result(f"task{i}", won and k != 2, agent=agent, k=k, faults="adversarial", landed=faults))
    return lines


def test_the_recount_is_thirty_lines_of_python() -> None:
    assert len([text for text in PROGRAM.splitlines() if text.strip()]) <= 30
    assert set(re.findall(r"^(?:import|from) (\w+)", PROGRAM, re.MULTILINE)) == {
        "json",
        "sys",
        "collections",
        "math",
        "statistics",
    }


def test_the_recount_equals_the_report(tmp_path: Path) -> None:
    lines = many()
    counted = {(c["agent"], c["faults"]): c for c in recount(lines, tmp_path)}
    rows = report(lines)["rows"]
    assert len(rows) == len(counted) == 4
    for row in rows:
        again = counted[row["agent"], row["faults"]]
        for figure in ("success", "score", "acc", "exec_acc"):
            assert again[figure] == pytest.approx(row[figure]["value"], abs=1e-12), figure  # type: ignore[literal-required]
        most = str(max(map(int, row["pass_all"])))
        reported = (row["pass_all"][most], row["sr_08"]["count"], row["collateral"]["count"], row["calls"])
        assert (again["pass_all"], again["sr_08"], again["collateral"], again["calls"]) == pytest.approx(reported)
        assert (again["tasks"], again["trials"], again["faults_landed"]) == (
            row["tasks"],
            row["trials"],
            row["faults_landed"],
        )
        coping = {one["fault"]: one for one in row["coping"]}
        for figure in ("calls_to_recover", "seconds_to_recover"):
            medians = {kind: one[figure]["median"] for kind, one in coping.items()}  # type: ignore[literal-required]
            assert again[figure] == {kind: value for kind, value in medians.items() if value is not None}
        name = row["agent"] if row["faults"] == "off" else f"{row['agent']} faults {row['faults']}"
        assert f"{name}: {again['success']:.0%} of {again['tasks']} tasks" in PLOTS["success"](lines)


def test_the_recount_equals_the_csv(finished: list[Finished], tmp_path: Path) -> None:
    lines = [f.result for f in finished]
    trials = list(csv.DictReader(io.StringIO(export.as_csv(export.trials(lines)))))
    for counted in recount(lines, tmp_path):
        of_setting = [t for t in trials if t["faults"] == counted["faults"]]
        assert counted["score"] == pytest.approx(sum(float(t["score"]) for t in of_setting) / len(of_setting))
        assert counted["collateral"] == sum(t["breaches"] != "0" for t in of_setting)
