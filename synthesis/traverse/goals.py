"""Goals of recorded calls: the behaviour that a call demonstrates. A later run never repeats a goal of a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_ATTEMPT = re.compile(r"(seed(?: [0-9]+)?|nominal:\w+) again ([1-9][0-9]*)")
_SEED = re.compile(r"seed ([0-9]+)")


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, such as `enum:$.sort=price` or `nominal:existing again 1`, which is its form in files.

    Attributes:
        kind: The kind of call, such as `nominal`, `optional`, `sequence`, or an adversarial kind such as `type_mismatch`.
        subject: The variant, or the place and value in the arguments; None if the kind alone says everything.
        attempt: How often the goal was tried before.
    """

    kind: str
    subject: str | None = None
    attempt: int = 0

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Read a goal from its form in files; any text is a goal, because agents and other recorders choose theirs."""
        if (again := _ATTEMPT.fullmatch(text)) is not None:
            return replace(cls.parse(again[1]), attempt=int(again[2]))
        if (seed := _SEED.fullmatch(text)) is not None:
            return cls("seed", seed[1])
        kind, colon, subject = text.partition(":")
        return cls(kind, subject) if colon and kind != "seed" else cls(text)

    @classmethod
    def seed(cls, index: int) -> Goal:
        """Return the goal of a seed call by its index from 0."""
        return cls("seed", str(index + 1) if index else None)

    @classmethod
    def after(cls, tool: str) -> Goal:
        """Return the goal of a call that refers to a thing which `tool` has deleted."""
        return cls("sequence", f"after {tool}")

    def again(self, attempt: int) -> Goal:
        """Return the same goal for a later attempt."""
        return replace(self, attempt=attempt)

    def __str__(self) -> str:
        name = self.kind if self.subject is None else f"{self.kind}{' ' if self.kind == 'seed' else ':'}{self.subject}"
        return f"{name} again {self.attempt}" if self.attempt else name


PRECONDITION, READS, SETUP, PROBE = (Goal(kind) for kind in ("precondition", "reads", "setup", "probe"))
EXISTING, NEW, OTHER, ALL = (Goal("nominal", variant) for variant in ("existing", "new", "other", "all"))
ONCE, TWICE = Goal("sequence", "once"), Goal("sequence", "twice")
SUCCESS = Goal("success")
"""The only goal of a tool that never succeeded, because without a successful call no others can be derived."""
