"""Patches of a note (`applyPatch` of markdown-patch 0.2.2): text is inserted verbatim and everything outside the target stays.

Only front matter is rewritten as a whole, in the format of `yaml_writer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from soundstage.kernels.engines import javascript
from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.obsidian.rules import yaml_reader, yaml_writer
from soundstage.kernels.obsidian.rules.blocks import blocks
from soundstage.kernels.obsidian.rules.notes import front_matter_text
from soundstage.kernels.obsidian.rules.targets import Span, headings, marked_blocks
from soundstage.kernels.obsidian.rules.yaml_source import YamlError

DELIMITER = "::"
_INHERITED = (
    "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of one part of a note. A heading's target joins the names of its ancestors and its own with `::`."""

    operation: Literal["append", "prepend", "replace"]
    target_type: Literal["heading", "block", "frontmatter"]
    target: str
    content: str


class PatchFailed(Exception):
    """The library refuses a patch; the reason is its code."""

    def __init__(self, reason: str) -> None:
        """Create the exception."""
        super().__init__(reason)
        self.reason = reason


class PatchError(Exception):
    """The library crashes; the message is its exception's."""


def patched(note: str, patch: Patch) -> str:
    """Return the patched note.

    Raises:
        PatchFailed: The library refuses the patch.
        PatchError: The library crashes, which it also does if the front matter is not valid YAML.
    """
    result = front_matter_text(note)
    offset = result.end() if result else 0
    try:
        matter = yaml_reader.read(result[1].strip(SPACES)) if result else {}
    except YamlError as error:
        raise PatchError(str(error)) from None
    if patch.target_type == "frontmatter":
        return _with_field(note, offset, matter, patch)
    span = _target(note[offset:], offset, patch)
    if patch.content.strip(SPACES) in note[span.start : span.end]:
        raise PatchFailed("content-already-preexists-in-target")
    if patch.operation == "replace":
        return note[: span.start] + patch.content + note[max(span.end, 0) :]
    place = span.end if patch.operation == "append" else span.start
    return note[:place] + patch.content + note[place:]


def _target(body: str, offset: int, patch: Patch) -> Span:
    if patch.target in _INHERITED or patch.target == "__proto__":  # members that every JavaScript object has
        raise PatchError("Cannot read properties of undefined (reading 'start')")
    result = blocks(body)
    span = (
        headings(body, result, offset).get(tuple(patch.target.split(DELIMITER)))
        if patch.target_type == "heading"
        else marked_blocks(body, result, offset).get(patch.target)
    )
    if span is None:
        raise PatchFailed("invalid-target")
    return span


def _with_field(note: str, offset: int, matter: Any, patch: Patch) -> str:
    """Return the note with a changed value of an existing field and its front matter rewritten."""
    if matter is None:
        raise PatchError(f"Cannot read properties of null (reading '{patch.target}')")
    fields = _members(matter)
    inherited = patch.target in _INHERITED and patch.target not in fields
    if patch.target not in fields and not inherited and patch.target != "__proto__":
        raise PatchFailed("invalid-target")
    if patch.operation == "replace":
        if patch.target != "__proto__":
            fields[patch.target] = patch.content
    else:
        kind = "function" if inherited else javascript.type_of(fields.get(patch.target))
        if kind != "string":
            kinds = (kind, "string") if patch.operation == "append" else ("string", kind)
            raise PatchError(f"Cannot merge objects of different types or unsupported types: {' and '.join(kinds)}")
        parts = (fields[patch.target], patch.content)
        fields[patch.target] = "".join(parts if patch.operation == "append" else reversed(parts))
    text = f"---\n{yaml_writer.written(fields).rstrip(SPACES)}\n---\n" if fields else ""
    return (text.replace("\n", "\r\n") if "\r\n" in note else text) + note[offset:]


def _members(value: Any) -> dict[str, Any]:
    """Return `{...value}`: the characters of a string, the items of a list, nothing for a number."""
    if isinstance(value, dict):
        return dict(value)
    return {str(i): item for i, item in enumerate(value)} if isinstance(value, str | list) else {}
