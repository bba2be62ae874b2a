"""Reports of failing cases: all failures of a tool, each with its location and its differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from soundstage.contexts.engine.storage import MemoryStorage
from tests.kernels.cases import Case, failures, read_cases

TOOL = "channels_list"


def changed(case: Case, **changes: Any) -> Case:
    return replace(case, line={**case.line, **changes})


def test_each_failing_case_is_named_by_its_line_with_its_differences(worlds_folder: Path) -> None:
    first, second, third, *others = read_cases("slack", tool=TOOL)
    wrong_reply = changed(first, expect={**first.line["expect"], "must_contain": ["no such text"]})
    wrong_outcome = changed(third, expect={**third.line["expect"], "ok": not third.line["expect"]["ok"]})
    texts = failures([wrong_reply, second, wrong_outcome, *others], MemoryStorage(), worlds_folder)
    assert [text.splitlines()[0] for text in texts] == [f"{first.where}: {first.name}", f"{third.where}: {third.name}"]
    assert "the reply lacks 'no such text'" in texts[0]
    assert "ok is" in texts[1]
    assert first.where == f"tests/kernels/slack/{TOOL}.jsonl:1"


def test_a_case_that_raises_is_reported_and_the_others_run(worlds_folder: Path) -> None:
    first, second, *_ = read_cases("slack", tool=TOOL)
    broken = changed(first, given={"no_such_entity": [{}]})
    wrong = changed(second, expect={**second.line["expect"], "must_contain": ["no such text"]})
    texts = failures([broken, wrong], MemoryStorage(), worlds_folder)
    assert len(texts) == 2
    assert "Traceback" in texts[0]
    assert "no_such_entity" in texts[0]
