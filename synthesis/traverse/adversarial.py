"""Derive arguments that should be rejected, each by one change of accepted arguments.

The server's reaction, above all its leniency, is not described by schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from soundstage.synthesis.traverse.arguments import (
    Schema,
    all_places,
    allows,
    kind_of,
    list_places,
    required_places,
    schema_of,
)
from soundstage.synthesis.traverse.goals import Goal
from soundstage.synthesis.traverse.places import at_path, put_at, remove_at
from soundstage.synthesis.traverse.recording import Reference
from soundstage.synthesis.traverse.values import Bank, words

_WRONG: Mapping[str, Any] = {
    "string": "harbour", "number": 7, "boolean": True, "null": None, "array": ["harbour"], "object": {"harbour": 1}
}  # fmt: skip
_LONG = 10_000
_MANY = 120
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ID_LIKE = frozenset(("id", "name", "key", "path", "uri", "number", "hash", "slug", "ref"))


@dataclass(frozen=True, slots=True)
class AdversarialCall:
    """A call that is meant to fail.

    Attributes:
        arguments: None if no arguments are sent.
        tool: The wrong tool name; None if the name is right.
    """

    kind: str
    target: str
    arguments: Any
    refs: Mapping[str, Reference] = field(default_factory=dict)
    tool: str | None = None

    @property
    def goal(self) -> Goal:
        """The demonstrated behaviour."""
        return Goal(self.kind, self.target)


def adversarial_calls(
    tool: Mapping[str, Any], taken: dict[str, Any], refs: Mapping[str, Reference], bank: Bank
) -> Iterator[AdversarialCall]:
    """Yield every change of accepted arguments, in the order of the kinds.

    Changes that violate no schema are left out of the schema kinds, except unknown members, whose treatment schemas rarely
    define.
    """
    root = schema_of(tool)
    name = str(tool["name"])
    for kind, target, arguments in _against_schema(root, taken):
        always = arguments is None or target.endswith("unknown member")
        if always or not allows(tool, arguments):
            yield AdversarialCall(kind, target, arguments, _left(refs, taken, arguments))
    for kind, target, arguments in _at_bounds(root, taken):
        yield AdversarialCall(kind, target, arguments, _left(refs, taken, arguments))
    yield from _meaning(root, taken, refs, bank)
    yield AdversarialCall("protocol", "unknown tool", taken, refs, f"{name}_x")
    if name.upper() != name:
        yield AdversarialCall("protocol", "case of the name", taken, refs, name.upper())


def _left(refs: Mapping[str, Reference], taken: Any, arguments: Any) -> dict[str, Reference]:
    """Return the references of unchanged values."""
    left: dict[str, Reference] = {}
    for place, reference in refs.items():
        try:
            now, before = at_path(arguments, place), at_path(taken, place)
            if now == before and type(now) is type(before):  # true equals 1 here, and is another value in JSON
                left[place] = reference
        except (LookupError, TypeError):
            continue
    return left


def _against_schema(root: Schema, taken: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for place, schema in all_places(root, taken):
        right = kind_of(schema)
        for kind, value in _WRONG.items():
            if kind == right or (kind == "number" and right == "integer"):
                continue
            yield "type_mismatch", f"{place}={kind}", put_at(taken, place, value)
        if right in ("integer", "number"):
            yield "type_mismatch", f"{place}=digits", put_at(taken, place, str(at_path(taken, place)))
        if right == "integer":
            yield "type_mismatch", f"{place}=fraction", put_at(taken, place, 1.5)
    for place in required_places(root, taken):
        yield "schema_violation", f"{place} missing", remove_at(taken, place)
    yield "schema_violation", "unknown member", {**taken, "harbour_x": "lantern"}
    for place, schema in all_places(root, taken):
        if isinstance(at_path(taken, place), dict):
            yield "schema_violation", f"{place}: unknown member", put_at(taken, f"{place}.harbour_x", "lantern")
        if schema.get("enum"):
            yield "schema_violation", f"{place}: no such choice", put_at(taken, place, "harbour_x")
            if isinstance(first := schema["enum"][0], str) and first.swapcase() != first:
                yield "schema_violation", f"{place}: case", put_at(taken, place, first.swapcase())
        if schema.get("pattern") or schema.get("format"):
            yield "schema_violation", f"{place}: form", put_at(taken, place, "not of this form")
    if taken:
        yield "schema_violation", "{}", {}
    yield "schema_violation", "arguments", None


def _at_bounds(root: Schema, taken: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for place, schema in all_places(root, taken):
        kind = kind_of(schema)
        if kind in ("integer", "number"):
            bounds = {"0": 0, "-1": -1, "2^63": 2**63}
            if "minimum" in schema:
                bounds["min-1"] = schema["minimum"] - 1
            if "maximum" in schema:
                bounds["max+1"] = schema["maximum"] + 1
            for label, number in bounds.items():
                yield "boundary", f"{place}={label}", put_at(taken, place, number)
        elif kind == "string" and not schema.get("enum"):
            texts = {
                "empty": "",
                "blank": "   ",
                "long": "harbour " * (_LONG // 8),
                "emoji": "⛵ 港口 🏮",
                "rtl": "ميناء",
            }
            for label, text in texts.items():
                yield "boundary", f"{place}={label}", put_at(taken, place, text)
            if _DATE.match(str(at_path(taken, place))):
                yield "boundary", f"{place}=no such day", put_at(taken, place, "2026-02-30")
    for place, _ in list_places(root, taken):
        items = at_path(taken, place)
        yield "boundary", f"{place}=no items", put_at(taken, place, [])
        if items:
            yield "boundary", f"{place}=many items", put_at(taken, place, [items[0]] * _MANY)


def _meaning(
    root: Schema, taken: dict[str, Any], refs: Mapping[str, Reference], bank: Bank
) -> Iterator[AdversarialCall]:
    for place, _ in all_places(root, taken):
        value = at_path(taken, place)
        if not isinstance(value, str) or not value:
            continue
        reference = refs.get(place)
        names = place.rpartition(".")[2]
        if reference is None and not words(names) & _ID_LIKE:
            continue
        near = value[:-1] + ("y" if value[-1] != "y" else "z")
        changed = Reference(reference.step, reference.path, "last_character") if reference is not None else None
        other_refs = {p: r for p, r in refs.items() if p != place}
        yield AdversarialCall(
            "semantic.not_found",
            place,
            put_at(taken, place, near),
            {**other_refs, place: changed} if changed else other_refs,
        )
        yield AdversarialCall("semantic.malformed_id", place, put_at(taken, place, f"!{value} ?"), other_refs)
        if value.swapcase() != value:
            yield AdversarialCall("semantic.case", place, put_at(taken, place, value.swapcase()), other_refs)
        if (other := bank.other(value)) is not None:
            yield AdversarialCall(
                "semantic.wrong_kind_id", place, put_at(taken, place, other[0]), {**other_refs, place: other[1]}
            )
    for place, _ in list_places(root, taken):
        items = at_path(taken, place)
        if items:
            yield AdversarialCall("semantic.repeated_item", place, put_at(taken, place, [items[0], items[0]]), refs)
