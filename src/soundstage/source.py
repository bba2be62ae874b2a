"""YAML files with the place of everything in them, so that a mistake can be named by file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, is_typeddict

from soundstage.untrusted import SPEC_LIMITS, Place, Refused, file_bytes, read_yaml, show_place

if TYPE_CHECKING:
    from pydantic import BaseModel

M = TypeVar("M", bound="BaseModel")


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """Something wrong in a source: where it stands and what would be right."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class SourceError(ValueError):
    """Sources that cannot be used. Every mistake that was found is in it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = list(dict.fromkeys(mistakes))
        super().__init__("\n".join(str(m) for m in self.mistakes))


@dataclass(frozen=True, slots=True)
class Source:
    """One file's content, and the line of each value by its path inside."""

    name: str
    value: Any
    lines: dict[Place, int] = field(repr=False)

    def place(self, path: Place = ()) -> str:
        """`file:line path` of a value; of the nearest one around it where it is missing."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.name}:{self.lines.get(known, 1)}{' ' if path else ''}{show_place(path)}"


def read(path: Path, name: str | None = None) -> Source:
    """A YAML file.

    Raises:
        SourceError: it cannot be read, is no YAML, is larger or deeper than such a file needs to be, or has a key twice.
    """
    shown = name or path.name
    try:
        return parse(file_bytes(path, SPEC_LIMITS), shown)
    except OSError as error:
        raise SourceError([Mistake(shown, f"cannot be read ({error.strerror})")]) from None
    except Refused as refused:
        raise SourceError([Mistake(shown, refused.problem)]) from None


def parse(text: bytes | str, name: str) -> Source:
    """YAML text; see `read`."""
    try:
        document = read_yaml(text, SPEC_LIMITS)
    except Refused as refused:
        place = name if refused.line is None else f"{name}:{refused.line}"
        raise SourceError([Mistake(place, refused.problem)]) from None
    if document.repeated:
        raise SourceError([Mistake(f"{name}:{ln} {show_place(p)}", "is given twice") for p, ln in document.repeated])
    return Source(name, document.value if document.lines else {}, document.lines)


def checked(model: type[M], value: object, source: Source, path: Place = ()) -> M:
    """Part of a source as a model.

    Raises:
        SourceError: naming what is wrong and where.
    """
    from pydantic import ValidationError  # whoever reads no source needs no models

    try:
        return model.model_validate(value)
    except ValidationError as error:
        mistakes = [Mistake(source.place((*path, *e["loc"])), wording(dict(e), model)) for e in error.errors()]
        raise SourceError(mistakes) from None


def wording(error: dict[str, Any], model: type[BaseModel]) -> str:
    """What a model said of a value, as it goes on after the place."""
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
    """The members of what stands at a path of a model; none where the model leaves open what that is."""
    shape: Any = model
    for part in path:
        if fields := getattr(shape, "model_fields", None):
            shape = fields[part].annotation if part in fields else None
        else:
            shape = next(reversed(get_args(shape)), None)  # of lists and mappings
        if get_origin(shape) in (Union, UnionType):
            shapes = [one for one in get_args(shape) if one is not type(None)]
            shape = shapes[0] if len(shapes) == 1 else None
    return [*getattr(shape, "__annotations__" if _is_typed_dict(shape) else "model_fields", ())]


def _is_typed_dict(shape: Any) -> bool:
    return is_typeddict(shape) or hasattr(shape, "__required_keys__")  # of `typing` and of `typing_extensions`
