"""YAML files with the line of every value, so that errors can name file and line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin, is_typeddict

from soundstage.bounded_input import SPEC_LIMITS, Place, Refused, file_bytes, read_yaml, show_place

if TYPE_CHECKING:
    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """An error in a source, with its place and the valid form."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class SourceError(ValueError):
    """The sources are invalid; the error lists every mistake."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = list(dict.fromkeys(mistakes))
        super().__init__("\n".join(str(m) for m in self.mistakes))


@dataclass(frozen=True, slots=True)
class Source:
    """The content of a file, and the line of each value by its path inside."""

    name: str
    value: Any
    lines: dict[Place, int] = field(repr=False)

    def place(self, path: Place = ()) -> str:
        """Return `file:line path` of a value; for a missing value, the line of the nearest one around it."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.name}:{self.lines.get(known, 1)}{' ' if path else ''}{show_place(path)}"


def read(path: Path, name: str | None = None) -> Source:
    """Read a YAML file.

    Raises:
        SourceError: The file cannot be read, is not valid YAML, exceeds the limits of size or depth, or has a duplicate key.
    """
    shown = name or path.name
    try:
        return parse(file_bytes(path, SPEC_LIMITS), shown)
    except OSError as error:
        raise SourceError([Mistake(shown, f"cannot be read ({error.strerror})")]) from None
    except Refused as refused:
        raise SourceError([Mistake(shown, refused.problem)]) from None


def parse(text: bytes | str, name: str) -> Source:
    """Parse YAML text; see `read`."""
    try:
        document = read_yaml(text, SPEC_LIMITS)
    except Refused as refused:
        place = name if refused.line is None else f"{name}:{refused.line}"
        raise SourceError([Mistake(place, refused.problem)]) from None
    if document.repeated:
        raise SourceError([Mistake(f"{name}:{ln} {show_place(p)}", "is given twice") for p, ln in document.repeated])
    return Source(name, document.value if document.lines else {}, document.lines)


def checked(model: type[M], value: object, source: Source, path: Place = ()) -> M:
    """Validate part of a source with a model.

    Raises:
        SourceError: The value is invalid; each mistake is listed with its place.
    """
    from pydantic import ValidationError  # only processes that read sources need models

    try:
        return model.model_validate(value)
    except ValidationError as error:
        errors: list[dict[str, Any]] = [dict(e) for e in error.errors()]
        mistakes = [
            Mistake(source.place((*path, *_without_tags(e["loc"], model))), wording(e, model))
            for e in errors
            if not (e["type"] == "too_short" and _has_error_inside(e["loc"], errors))
        ]
        raise SourceError(mistakes) from None


def _has_error_inside(path: Place, errors: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether an item of a collection is invalid; pydantic then reports the collection as too short, too."""
    return any(len(e["loc"]) > len(path) and e["loc"][: len(path)] == path for e in errors)


def wording(error: dict[str, Any], model: type[BaseModel]) -> str:
    """Return the text of a validation error as it continues after the place."""
    match error["type"]:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            known = _members(model, error["loc"][:-1])
            return "is not known here" + (f"; known: {', '.join(known)}" if known else "")
        case "value_error":
            return str(error["ctx"]["error"])
        case _:
            shown = repr(error["input"])
            return f"{error['msg'][0].lower()}{error['msg'][1:]} (got {shown[:60]}{'…' if len(shown) > 60 else ''})"


def _members(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """Return the member names of the model at a path, or none if the model leaves its type open."""
    shape: Any = model
    for part in path:
        shape = _shape_at(shape, part)
    if _is_typed_dict(shape):
        return [*shape.__annotations__]
    return [field.alias or name for name, field in getattr(shape, "model_fields", {}).items()]


def _without_tags(path: Place, model: type[BaseModel]) -> Place:
    """Return the path of an error in the source: pydantic adds the tag of a discriminated union's variant."""
    shape: Any = model
    result: list[str | int] = []
    for part in path:
        if part not in _variants(shape):
            result.append(part)
        shape = _shape_at(shape, part)
    return tuple(result)


def _shape_at(shape: Any, part: str | int) -> Any:
    """Return the type of a member or an item of a type, or of a variant of a discriminated union; None if it is open."""
    if part in (variants := _variants(shape)):
        return variants[part]
    if get_origin(shape) is Annotated:
        shape = get_args(shape)[0]
    if fields := getattr(shape, "model_fields", None):
        by_alias = {field.alias or name: field for name, field in fields.items()}
        shape = by_alias[part].annotation if part in by_alias else None
    else:
        items = [one for one in get_args(shape) if one is not Ellipsis]
        shape = items[-1] if items else None  # the values of a mapping or the items of a list
    if get_origin(shape) in (Union, UnionType) and not _variants(shape):
        shapes = [one for one in get_args(shape) if one is not type(None)]
        shape = shapes[0] if len(shapes) == 1 else None
    return shape


def _variants(shape: Any) -> dict[str | int, Any]:
    """Return the variants of a discriminated union by tag; empty for any other type."""
    from pydantic import Tag

    if get_origin(shape) is Annotated:
        shape = get_args(shape)[0]
    result: dict[str | int, Any] = {}
    for one in get_args(shape) if get_origin(shape) in (Union, UnionType) else ():
        variant, *metadata = get_args(one) if get_origin(one) is Annotated else (one,)
        result |= {tag.tag: variant for tag in metadata if isinstance(tag, Tag)}
    return result


def _is_typed_dict(shape: Any) -> bool:
    return is_typeddict(shape) or hasattr(shape, "__required_keys__")  # `typing` and `typing_extensions`
