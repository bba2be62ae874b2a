"""Generate new calls from a seed, using the tools' schemas, values of the recording, and values from replies."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from soundstage.synthesis.fidelity.canonical import canonical
from soundstage.synthesis.traverse.adversarial import adversarial_calls
from soundstage.synthesis.traverse.arguments import Draft, drafts, kind_of, scalar_places, schema_of
from soundstage.synthesis.traverse.places import put_at, walk_scalars, without_indices
from soundstage.synthesis.traverse.plan import Planned
from soundstage.synthesis.traverse.recording import Call, Reference
from soundstage.synthesis.traverse.run import keeps_value
from soundstage.synthesis.traverse.values import Bank, creates

_ADVERSE = 0.35
"""The share of calls that have one thing wrong with them."""
_VARIED = 0.4
_KNOWN = 0.5
_TRIES = 40
_WORDS = (
    "lantern", "harbour", "winter", "ledger", "copper", "meadow", "signal", "orchard", "ferry", "granite", "plum", "atlas",
    "kettle", "tide", "archive", "saddle", "beacon", "willow", "quarry", "ribbon",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]{4,}")
_FIXED = re.compile(r"^/scratch|\.[A-Za-z0-9]{1,5}$")


@dataclass(frozen=True, slots=True)
class GeneratedCall:
    """A generated call, with the sources of its values and the kind of its fault (None: valid)."""

    tool: str
    arguments: dict[str, Any] | None
    refs: Mapping[str, Reference]
    fault: str | None = None


@dataclass(slots=True)
class CallGenerator:
    """A generator of calls to the tools that a recording's plan allows; calls in `held` are not generated again."""

    planned: Planned
    tools: Sequence[str]
    random: random.Random
    signatures: set[str]
    values: Mapping[tuple[str, str], Sequence[Any]]

    @classmethod
    def of(cls, planned: Planned, tools: Sequence[str], calls: Sequence[Call], seed: int) -> CallGenerator:
        """Create a generator for a recording with these calls."""
        values: dict[tuple[str, str], list[Any]] = {}
        for call in calls:
            for place, value in walk_scalars(call.arguments or {}):
                if value is not None:
                    values.setdefault((call.tool, without_indices(place)), []).append(value)
        signatures = {signature(call.tool, call.arguments) for call in calls}
        return cls(planned, tools, random.Random(seed), signatures, values)  # noqa: S311 to be the same again

    def next(self, bank: Bank, *, first: bool) -> GeneratedCall:
        """Return a new call; the `first` of an episode creates something if a tool can."""
        makers = [name for name in self.tools if creates(name)]
        for _ in range(_TRIES):
            name = self.random.choice(makers if first and makers else [*self.tools, *makers])
            drawn = self._drawn(name, bank)
            key = signature(drawn.tool, drawn.arguments)
            if key not in self.signatures:
                self.signatures.add(key)
                return drawn
        raise ValueError(f"nothing is left to ask of {', '.join(self.tools)} that has not been asked")

    def probe(self, tool: str, arguments: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]] | None:
        """Return a read that shows a call's effect, without arguments or with those of the call.

        None if no such tool exists, or if the call itself only reads.
        """
        if self.planned.plan.tools[tool].class_ == "read":
            return None
        result: list[tuple[str, dict[str, Any]]] = []
        for name in self.tools:
            if self.planned.plan.tools[name].class_ == "read":
                wanted = schema_of(self.planned.tools[name]).get("required", ())
                given = {w: (arguments or {}).get(w) for w in wanted}
                if all(isinstance(value, str) and value for value in given.values()):
                    result.append((name, given))
        return self.random.choice(result) if result else None

    def _drawn(self, name: str, bank: Bank) -> GeneratedCall:
        tool, sentinels = self.planned.tools[name], self.planned.plan.tools[name].sentinels
        draft = self._varied(name, self.random.choice(list(drafts(tool, bank, sentinels))), bank)
        if self.random.random() < _ADVERSE:
            faulty = [
                one
                for one in adversarial_calls(tool, draft.arguments, draft.refs, bank)
                if (one.tool is None and all(keeps_value(draft.arguments, one.arguments, p) for p in sentinels))
                or (one.tool is not None and one.tool not in self.planned.tools)
            ]
            kind = self.random.choice(sorted({one.kind for one in faulty}))
            one = self.random.choice([one for one in faulty if one.kind == kind])
            return GeneratedCall(one.tool or name, one.arguments, one.refs, one.kind)
        return GeneratedCall(name, draft.arguments, draft.refs)

    def _varied(self, name: str, draft: Draft, bank: Bank) -> Draft:
        """Return a draft with other values in some of its places."""
        root, sentinels = schema_of(self.planned.tools[name]), self.planned.plan.tools[name].sentinels
        for place, schema in list(scalar_places(root, draft.arguments)):
            fixed = schema.get("enum") or "const" in schema or any(place.startswith(f"$.{s}") for s in sentinels)
            if fixed or self.random.random() > _VARIED:
                continue
            kind = kind_of(schema)
            if kind == "string":
                known = bank.fitting(name, place, str)
                if known and self.random.random() < _KNOWN:
                    value, reference = (chosen := self.random.choice(known)).value, chosen.reference
                else:
                    value, reference = self._text(name, place, draft.arguments), None
            elif kind in ("integer", "number"):
                low, high = int(schema.get("minimum", 0)), int(schema.get("maximum", 12))
                value, reference = self.random.randint(low, max(low, min(high, low + 12))), None
            else:
                continue
            refs = {p: r for p, r in draft.refs.items() if p != place}
            draft = replace(
                draft,
                arguments=put_at(draft.arguments, place, value),
                refs=refs | ({place: reference} if reference else {}),
            )
        return draft

    def _text(self, name: str, place: str, arguments: Any) -> str:
        """Return a recorded text for a place, with one word replaced."""
        known = [
            v for v in self.values.get((name, without_indices(place)), ()) if isinstance(v, str) and 0 < len(v) <= 200
        ]
        text = self.random.choice(known or list(_WORDS))
        fixed = [match.span() for match in _FIXED.finditer(text)]
        words = [w for w in _WORD.finditer(text) if not any(a <= w.start() < b for a, b in fixed)]
        other = self.random.choice(_WORDS)
        if not words:
            return f"{text}{other}"
        word = self.random.choice(words)
        return text[: word.start()] + other + text[word.end() :]


def signature(tool: str, arguments: Any) -> str:
    """Return a key that identifies a call."""
    return f"{tool} {canonical(arguments)}"
