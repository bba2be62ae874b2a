"""Reading trace files: every unusable line is reported, and the others are read."""

from __future__ import annotations

from pathlib import Path

import orjson

from soundstage.synthesis.fidelity.replay import state_of
from soundstage.synthesis.fidelity.traces import Trace, read_traces
from tests.conftest import shared_file

LIGHTHOUSE = Path(__file__).with_name("lighthouse.jsonl")


def test_unusable_lines_are_reported_and_the_others_are_read() -> None:
    lines, problems = read_traces(LIGHTHOUSE)
    assert [(line.number, line.trace.id) for line in lines] == [
        (1, "keeper-login"),
        (2, "keeper-message"),
        (3, "keeper-find"),
        (4, "keeper-search"),
        (5, "keeper-delete"),
        (6, "keeper-false-positive"),
        (7, "keeper-false-negative"),
        (8, "keeper-crash"),
        (16, "keeper-flags"),
        (17, "keeper-lamp"),
        (18, "keeper-login"),
        (19, "keeper-signed-out"),
    ]
    reasons = {p.number: p.text for p in problems}
    assert {p.file for p in problems} == {str(LIGHTHOUSE)}
    assert reasons.keys() == {9, 10, 12, 13, 14, 15}
    assert "not valid JSON" in reasons[9]
    assert "not a JSON object" in reasons[10]
    assert "given.chat: input should be a valid list" in reasons[12]
    assert "expect: field required" in reasons[12]
    assert "expect.ok is true" in reasons[13]
    assert "'bell' does not occur" in reasons[14]
    assert "'half past nine' is not a moment" in reasons[15]


def test_invalid_bytes_affect_only_their_line(tmp_path: Path) -> None:
    first, *_ = LIGHTHOUSE.read_bytes().splitlines()
    file = tmp_path / "mixed.jsonl"
    file.write_bytes(b"\xff\xfe{}\r\n" + first + b"\r\n\r\n")
    lines, problems = read_traces(file)
    assert [line.number for line in lines] == [2]
    assert [p.number for p in problems] == [1]


def test_an_unreadable_file_is_a_single_problem(tmp_path: Path) -> None:
    lines, (problem,) = read_traces(tmp_path)
    assert lines == []
    assert (problem.file, problem.number) == (str(tmp_path), None)
    assert "cannot be read" in problem.text


def test_no_recorded_trace_is_reported_as_unusable() -> None:
    for file in sorted(shared_file("traces").glob("*.jsonl")):
        lines, problems = read_traces(file)
        assert lines
        assert problems == []


def test_the_generation_of_a_server_is_a_hint_in_its_state() -> None:
    first, *_ = LIGHTHOUSE.read_bytes().splitlines()
    line = orjson.loads(first)
    assert state_of(Trace.model_validate(line)) == line["given"]
    recorded = Trace.model_validate({**line, "server_generation": "1.0.x"})
    assert state_of(recorded) == {**line["given"], "_server": [{"generation": "1.0.x"}]}
