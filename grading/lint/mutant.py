"""A run of the lint, and a record that no run has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from soundstage.grading.evidence import Evidence
from soundstage.grading.oracle import Script

Expected = Literal["success", "nothing", "no success", "caught"]
"""The required result: score 1 and success; score 0; no success; no success and less than the full score."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A run: its operator, the script, the required result, and optionally the checks that must fail.

    `faults` is a preset under which the run is played, with each call retried until it succeeds. `durable` stores its session
    on disk. A `strict` run has to complete; in others a call may lack its inputs.
    """

    operator: str
    script: Script
    expected: Expected
    fails: tuple[str, ...] = ()
    seed: int = 0
    faults: str | None = None
    durable: bool = False
    strict: bool = True

    @property
    def name(self) -> str:
        """The name of the run, by which a task can accept it."""
        return self.script.name


@dataclass(frozen=True, slots=True)
class ForgedRecord:
    """A record that a run could have left, possibly by no existing tool: it is judged, not played."""

    operator: str
    name: str
    evidence: Evidence
    expected: Expected
    fails: tuple[str, ...] = ()
