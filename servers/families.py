"""The ways in which real servers check arguments, by name: an MCP SDK, its validation library, and their versions.

An app whose dialect is data (`servers/<app>/dialect.json`) names one of these families. Synthesis chooses it by comparing the
words of recorded refusals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from soundstage.kernels.types import Arguments
from soundstage.servers.reply import Answer
from soundstage.servers.tool import Tool
from soundstage.servers.wording import (
    InvalidArguments,
    go,
    jsonschema,
    pydantic,
    python_sdk,
    typescript_sdk,
    zod,
    zod3,
    zod4,
)

_ZODS = {"zod4": zod4, "zod3": zod3}
_LAYOUTS = {
    "at_paths": zod.at_paths,
    "as_json": zod.as_json,
    "by_paths": zod.by_paths,
    "by_paths_from_root": zod.by_paths_from_root,
}
Fails = Callable[[Tool, InvalidArguments], Answer]
_TYPESCRIPT: Mapping[str, tuple[Fails, Callable[[str], Answer]]] = {
    "invalid_arguments": (typescript_sdk.invalid_arguments, typescript_sdk.unknown_tool),
    "invalid_arguments_before_1_21": (
        typescript_sdk.invalid_arguments_before_1_21,
        typescript_sdk.unknown_tool_before_1_21,
    ),
    "invalid_arguments_since_2": (typescript_sdk.invalid_arguments_since_2, typescript_sdk.unknown_tool_since_2),
}
_PYDANTIC = ("2.14", "2.11")
NO_CHECK = "none"
"""The family that checks nothing before a kernel sees the arguments."""


@dataclass(frozen=True, slots=True)
class Family:
    """How one kind of server checks arguments, words what it refuses, and answers an unknown tool's name."""

    name: str
    check: Callable[[Tool, Arguments | None], Arguments]
    fails: Fails
    unknown: Callable[[str], Answer]


@cache
def families() -> Mapping[str, Family]:
    """Every family by name, the newest first; `NO_CHECK` is the last."""
    return {family.name: family for family in (*_of_zod(), *_of_other_libraries())}


def _of_zod() -> list[Family]:
    return [
        Family(
            f"{version} {layout} {envelope}{' undefined' if none else ''}", _zod(words, laid_out, none), fails, unknown
        )
        for version, words in _ZODS.items()
        for layout, laid_out in _LAYOUTS.items()
        for none in (False, True)
        for envelope, (fails, unknown) in _TYPESCRIPT.items()
    ]


def _of_other_libraries() -> list[Family]:
    def python(tool: Tool, error: InvalidArguments) -> Answer:
        return python_sdk.invalid_arguments(error)

    def in_go(tool: Tool, error: InvalidArguments) -> Answer:
        return go.invalid_arguments(error)

    return [
        Family("jsonschema", jsonschema.check, python, python_sdk.unknown_tool),
        *(
            Family(
                f"pydantic {version}",
                _pydantic(version),
                python_sdk.invalid_arguments_of_function,
                python_sdk.unknown_tool,
            )
            for version in _PYDANTIC
        ),
        Family("go", go.check, in_go, go.unknown_tool),
        Family(NO_CHECK, lambda tool, arguments: arguments or {}, python, python_sdk.unknown_tool),
    ]


def _zod(words: Any, layout: zod.Layout, none: bool) -> Callable[[Tool, Arguments | None], Arguments]:
    return lambda tool, arguments: zod.check(tool, arguments if none else arguments or {}, words, layout)


def _pydantic(version: str) -> Callable[[Tool, Arguments | None], Arguments]:
    return lambda tool, arguments: pydantic.check_model(tool, arguments, version)
