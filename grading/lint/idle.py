"""Runs that do nothing, only read, refuse, or act at random: they score nothing, or at least never succeed."""

from __future__ import annotations

from collections.abc import Iterator

from soundstage.grading.lint.mutant import Expected, Mutant
from soundstage.grading.lint.oracle_run import OracleRun
from soundstage.grading.oracle import Script, oracle, references
from soundstage.grading.task import OracleCall

STOCK_ANSWERS = (
    "Done.", "Done!", "I have done that.", "All set.", "OK", "I'm not able to do that.", "Sorry, something went wrong.",
    "好的，已完成。", "已经处理好了。", "无法完成。", "没有找到相关信息。", "Could you tell me more?",
)  # fmt: skip
REFUSALS = (
    "I can't do that: it is not allowed, and I have no tool for it.",
    "抱歉，这件事我做不了，也没有权限。",
)
QUESTIONS = ("Could you tell me more about what you want?", "请问具体要怎么做？")


def idle_runs(oracle_run: OracleRun) -> Iterator[Mutant]:
    """Yield all idle runs."""
    task, whole = oracle_run.task, oracle(oracle_run.task)
    yield Mutant("null", Script("null", (), "", "gave_up"), "nothing")
    for answer in STOCK_ANSWERS:
        yield Mutant("stock answer", Script(f"null: {answer}", (), answer), "nothing")
    if task.kind == "operate" and whole.answer:
        yield Mutant("answer only", Script("the oracle's answer, no calls", (), whole.answer), "nothing")
    yield Mutant("reads only", Script("reads only", _looking(oracle_run), "I have looked at everything."), "nothing")
    for outcome, answers in (("declined", REFUSALS), ("asked", QUESTIONS)):
        rightly = task.oracle_outcome == outcome
        expected: Expected = "no success" if rightly else "nothing"
        for answer in answers:
            yield Mutant("refuser", Script(f"{outcome} at once: {answer}", (), answer, outcome), expected)
    for number, calls in enumerate(oracle_run.writes, start=1):
        if len(calls) > 1:
            name = f"{len(calls)} random writes, draw {number}"
            yield Mutant("random writes", oracle_run.script(name, calls), "no success", strict=False)


def _looking(oracle_run: OracleRun) -> tuple[OracleCall, ...]:
    """Return the oracle's reads that need no write, and every other read."""
    reads: list[OracleCall] = []
    reading = {m.label.partition("[")[0] for m in oracle_run.made if not m.writes}
    for call in oracle_run.task.oracle:
        if call.as_ in reading and references(call) <= {c.as_ for c in reads}:
            reads.append(call)
    return (*reads, *oracle_run.reads)
