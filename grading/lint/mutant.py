"""One run of the lint, and one record that no run has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from soundstage.grading.evidence import Evidence
from soundstage.grading.oracle import Script

Expected = Literal["success", "nothing", "no success", "caught"]
"""What a run must come to: score 1 and success; score 0; no success; no success, and less than the whole score."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A run: which operator made it, the script, what it must come to, and the checks that must fail, if that is said.

    `faults` is a preset under which it is played, each call repeated until it goes well; `durable` says that its session is kept
    on disk. `strict` runs are played to the end; of others a call may lack what it needs.
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
        return self.script.name


@dataclass(frozen=True, slots=True)
class Forged:
    """What a run would have left behind that no tool of the session may be able to do: judged, not played."""

    operator: str
    name: str
    evidence: Evidence
    expected: Expected
    fails: tuple[str, ...] = ()
