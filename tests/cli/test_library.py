"""`soundstage library`: overview, one fact, search, and check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import run_here


@pytest.fixture
def data(tmp_path: Path, worlds_folder: Path) -> str:
    (tmp_path / "worlds").symlink_to(worlds_folder)
    return str(tmp_path)


def test_the_overview_counts_the_facts(data: str) -> None:
    overview = json.loads(run_here("library", "--json", "--data", data).output)
    assert overview["realms"].keys() >= {"places", "web", "market", "docs", "medicine", "answers"}
    assert overview["realms"]["places"]["venue"] > 600
    assert len(overview["digest"]) == 32


def test_a_fact_is_shown_by_key_and_found_by_words(data: str) -> None:
    matches = json.loads(run_here("library", "find", "seagull cafe", "--json", "--data", data).output)
    venue = next(one for one in matches if one["entity"] == "venue")
    assert venue["fact"]["zh"] == "海鸥咖啡馆"
    shown = json.loads(run_here("library", "show", "places", "venue", venue["key"], "--data", data).output)
    assert shown == venue["fact"]
    assert "海鸥咖啡馆" in run_here("library", "find", "海鸥咖啡馆", "--data", data).output
    assert (
        len(json.loads(run_here("library", "show", "web", "page", "--limit", "3", "--json", "--data", data).output))
        == 3
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "placs", "venue"), "known: "),
        (("show", "places", "venu"), "places venue"),
        (("show", "places", "venue", "nobody"), "there is no places venue 'nobody'; its key is id"),
    ],
)
def test_an_unknown_fact_is_reported(data: str, arguments: tuple[str, ...], message: str) -> None:
    refused = run_here("library", *arguments, "--data", data)
    assert refused.exit_code == 1
    assert message in refused.output


def test_the_library_passes_its_check(data: str) -> None:
    checked = run_here("library", "check", "--data", data)
    assert (checked.exit_code, checked.output) == (0, "the library holds together\n")
