"""CSV holds no formulas, and numbers stay numbers."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import soundstage
from soundstage.gateway.inspection.csv_files import csv_lines, neutralize
from soundstage.runs.export import as_csv

_BEGINS = ("=", "+", "-", "@", "\t", "\r")


@pytest.mark.parametrize(
    "text", ["=1", "=cmd|calc!A0", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n-x", "-", "- 3"]
)
def test_a_cell_that_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert neutralize(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["-3.5", "+7", "1e-5", "-1e5", "plain", "", "一=1", "'=1", -3.5, 7, None, True])
def test_other_cells_are_unchanged(cell: object) -> None:
    assert neutralize(cell) == cell


@given(
    st.lists(st.lists(st.text(st.sampled_from("=+-@\t\r\n \"',1.5ex"), max_size=6), min_size=2, max_size=2), max_size=5)
)
def test_no_cell_of_a_file_is_a_formula_and_no_content_is_lost(rows: list[list[str]]) -> None:
    text = "".join(csv_lines(["=a", "b"], rows))
    names, *read = csv.reader(io.StringIO(text, newline=""))
    assert names == ["'=a", "b"]
    for row, cells in zip(rows, read, strict=True):
        for before, cell in zip(row, cells, strict=True):
            assert cell in (before, f"'{before}")
            is_number = cell.lstrip("+-").replace("e", "").replace(".", "").replace("-", "").replace("+", "").isdigit()
            assert not cell.lstrip(" \n").startswith(_BEGINS) or is_number


def test_the_tables_of_a_run_contain_no_formulas() -> None:
    row = {"tool": "=cmd|calc!A0", "agent": "@evil", "calls": 3, "score": -0.5}
    assert as_csv([row]) == "tool,agent,calls,score\n'=cmd|calc!A0,'@evil,3,-0.5\n"


def test_no_other_module_writes_csv() -> None:
    # Kernels are exempt: Slack's tools return the CSV of the real server.
    root = Path(soundstage.__file__).parent
    writers = set()
    for package in (
        "cli",
        "client",
        "contexts",
        "gateway",
        "grading",
        "models",
        "runs",
        "servers",
        "synthesis",
        "worlds",
    ):
        for file in (root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import) and any(name.name == "csv" for name in node.names):
                    writers.add(file.name)
    assert writers == {"csv_files.py"}
