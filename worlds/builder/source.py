"""YAML files with the place of everything in them, so that a mistake can be named by file and line.

Scalars are strings, numbers, true, false and null and nothing else: no dates, no `yes`, no 10:30 that means 630.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """Something wrong in a source: where it stands and what would be right."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"


class SpecError(ValueError):
    """Sources that cannot become a world. Every mistake that was found is in it."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = list(dict.fromkeys(mistakes))
        super().__init__("\n".join(str(m) for m in self.mistakes))


@dataclass(frozen=True, slots=True)
class Source:
    """One file's content, and the line of each value by its path inside."""

    name: str
    value: Any
    lines: dict[Path_, int] = field(repr=False)

    def place(self, path: Path_ = ()) -> str:
        """`file:line path` of a value; of the nearest one around it where it is missing."""
        known = path
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.name}:{self.lines.get(known, 1)}{' ' if path else ''}{show_path(path)}"


def show_path(path: Path_) -> str:
    """`beats[2].at`"""
    shown = ""
    for part in path:
        shown += f"[{part}]" if isinstance(part, int) else f".{part}" if shown else part
    return shown


def read(path: Path, name: str | None = None) -> Source:
    """A YAML file.

    Raises:
        SpecError: it cannot be read, is no YAML, or has a key twice.
    """
    shown = name or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError([Mistake(shown, f"cannot be read ({error.strerror})")]) from None
    except UnicodeDecodeError:
        raise SpecError([Mistake(shown, "is not UTF-8 text")]) from None
    return parse(text, shown)


def parse(text: str, name: str) -> Source:
    """YAML text; see `read`."""
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = mark.line + 1 if mark else 1
        raise SpecError([Mistake(f"{name}:{line}", f"is no YAML: {error.problem}")]) from None
    except yaml.YAMLError as error:
        raise SpecError([Mistake(name, f"is no YAML: {error}")]) from None
    lines: dict[Path_, int] = {}
    mistakes: list[Mistake] = []
    value = _value(node, (), lines, mistakes, name) if node is not None else {}
    if mistakes:
        raise SpecError(mistakes)
    return Source(name, value, lines)


def _value(node: yaml.Node, path: Path_, lines: dict[Path_, int], mistakes: list[Mistake], name: str) -> Any:
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in found:
                mistakes.append(
                    Mistake(f"{name}:{key_node.start_mark.line + 1} {show_path((*path, key))}", "is given twice")
                )
            found[key] = _value(value_node, (*path, key), lines, mistakes, name)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, (*path, i), lines, mistakes, name) for i, item in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> str | int | float | bool | None:
    text: str = node.value
    match node.tag:
        case "tag:yaml.org,2002:null":
            return None
        case "tag:yaml.org,2002:bool":
            return text == "true"
        case "tag:yaml.org,2002:int":
            return int(text)
        case "tag:yaml.org,2002:float":
            return float(text)
        case _:
            return text


# In place of YAML 1.1's guesses about what a plain scalar may mean.
_RESOLVERS: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


def _resolvers() -> Iterator[tuple[str, str, str]]:
    yield "null", r"^(?:null|~|)$", "n~"
    yield "bool", r"^(?:true|false)$", "tf"
    yield "int", r"^-?(?:0|[1-9][0-9]*)$", "-0123456789"
    yield "float", r"^-?(?:0|[1-9][0-9]*)\.[0-9]+$", "-0123456789"


for _kind, _pattern, _first in _resolvers():
    for _character in (*_first, *([""] if _kind == "null" else [])):
        _RESOLVERS.setdefault(_character, []).append((f"tag:yaml.org,2002:{_kind}", re.compile(_pattern)))

# The C parser is ten times as fast and gives the same nodes; where PyYAML was built without it, its own does.
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_LOADER: Any = type("_Loader", (_BASE,), {"yaml_implicit_resolvers": _RESOLVERS})
