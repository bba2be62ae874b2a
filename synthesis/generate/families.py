"""How a server checks arguments and words what it refuses: chosen from the families of `soundstage.servers.wording` by what a
pool shows, never written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from soundstage.kernels.types import Arguments
from soundstage.servers.reply import Answer, compact_json, indented_json
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
from soundstage.synthesis.traverse.pool import Call
from soundstage.synthesis.traverse.replies import said

_ZODS = {"zod4": zod4, "zod3": zod3}
_LAYOUTS = {
    "at_paths": zod.at_paths,
    "as_json": zod.as_json,
    "by_paths": zod.by_paths,
    "by_paths_from_root": zod.by_paths_from_root,
}
_TYPESCRIPT: Mapping[str, tuple[Callable[[Tool, InvalidArguments], Answer], str]] = {
    "invalid_arguments": (typescript_sdk.invalid_arguments, "unknown_tool"),
    "invalid_arguments_before_1_21": (typescript_sdk.invalid_arguments_before_1_21, "unknown_tool_before_1_21"),
    "invalid_arguments_since_2": (typescript_sdk.invalid_arguments_since_2, "unknown_tool_since_2"),
}
_PYDANTIC = ("2.14", "2.11")


@dataclass(frozen=True, slots=True)
class Family:
    """One way to check arguments, and its source text in a dialect: what is imported of the wordings, and the expressions that
    stand in `check`, in `failure` for arguments that break the schema, and in `unknown_tool`.
    """

    name: str
    imports: tuple[str, ...]
    check: Callable[[Tool, Arguments | None], Arguments]
    fails: Callable[[Tool, InvalidArguments], Answer]
    check_text: str
    fails_text: str
    unknown_text: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The family that fits a pool best: of `of` calls about which families say something, `right` are answered as recorded."""

    family: Family
    right: int
    of: int

    @property
    def fits(self) -> bool:
        return self.of == 0 or self.right >= 0.9 * self.of


def families() -> Iterator[Family]:
    """Every way that the wordings know, the newest first."""
    for version, words in _ZODS.items():
        for layout, laid_out in _LAYOUTS.items():
            for absent, none in (("arguments or {}", False), ("arguments", True)):
                for envelope, (fails, unknown) in _TYPESCRIPT.items():
                    yield Family(
                        f"{version} {layout} {envelope}{' undefined' if none else ''}",
                        ("InvalidArguments", "typescript_sdk", "zod", version),
                        _zod(words, laid_out, none),
                        fails,
                        f"zod.check(tool, {absent}, {version}, zod.{layout})",
                        f"typescript_sdk.{envelope}(tool, error)",
                        f"typescript_sdk.{unknown}(name)",
                    )
    yield Family(
        "jsonschema", ("InvalidArguments", "jsonschema", "python_sdk"), jsonschema.check,
        lambda tool, error: python_sdk.invalid_arguments(error),
        "jsonschema.check(tool, arguments)", "python_sdk.invalid_arguments(error)", "python_sdk.unknown_tool(name)",
    )  # fmt: skip
    for version in _PYDANTIC:
        yield Family(
            f"pydantic {version}", ("InvalidArguments", "pydantic", "python_sdk"), _pydantic(version),
            python_sdk.invalid_arguments_of_function,
            f'pydantic.check_model(tool, arguments, "{version}")',
            "python_sdk.invalid_arguments_of_function(tool, error)", "python_sdk.unknown_tool(name)",
        )  # fmt: skip
    yield Family(
        "go", ("InvalidArguments", "go"), go.check, lambda tool, error: go.invalid_arguments(error),
        "go.check(tool, arguments)", "go.invalid_arguments(error)", "go.unknown_tool(name)",
    )  # fmt: skip


NONE = Family(
    "none", ("InvalidArguments", "python_sdk"), lambda tool, arguments: arguments or {},
    lambda tool, error: python_sdk.invalid_arguments(error),
    "arguments or {}", "python_sdk.invalid_arguments(error)", "python_sdk.unknown_tool(name)",
)  # fmt: skip
"""Nothing is checked before a kernel sees it."""


def choose(tools: Mapping[str, Tool], calls: Sequence[Call], refused: Mapping[str, bool]) -> Chosen:
    """The family whose words the pool's refusals have. `refused` tells of each call whether it was; where no family fits, the one
    that checks nothing: kernels check then.
    """
    asked = [call for call in calls if call.tool in tools and call.id in refused]
    found = [_fit(family, tools, asked, refused) for family in families()]
    best = max(found, key=lambda one: one.right / one.of if one.of else 0.0, default=Chosen(NONE, 0, 0))
    return best if best.of and best.fits else Chosen(NONE, 0, 0)


def _fit(family: Family, tools: Mapping[str, Tool], calls: Sequence[Call], refused: Mapping[str, bool]) -> Chosen:
    right = of = 0
    for call in calls:
        try:
            family.check(tools[call.tool], call.arguments)
        except InvalidArguments as error:
            of += 1
            worded = _words_of(family.fails(tools[call.tool], error).wire())
            right += refused[call.id] and worded == _words_of(call.reply or {})
        except Exception:
            of += 1  # a schema that the family cannot read
    return Chosen(family, right, of)


def _words_of(reply: Mapping[str, Any]) -> tuple[str, str]:
    """A reply's channel, and what it says."""
    return ("error" if "error" in reply else "result", said(reply))


def _zod(words: Any, layout: zod.Layout, none: bool) -> Callable[[Tool, Arguments | None], Arguments]:
    return lambda tool, arguments: zod.check(tool, arguments if none else arguments or {}, words, layout)


def _pydantic(version: str) -> Callable[[Tool, Arguments | None], Arguments]:
    return lambda tool, arguments: pydantic.check_model(tool, arguments, version)


_JSON: Mapping[str, tuple[Callable[[Any], str], str]] = {
    "indented": (indented_json, "indented_json(said)"),
    "compact": (compact_json, "compact_json(said)"),
    "python": (json.dumps, "json.dumps(said)"),
    "python unicode": (lambda value: json.dumps(value, ensure_ascii=False), "json.dumps(said, ensure_ascii=False)"),
    "python indented": (lambda value: json.dumps(value, indent=2), "json.dumps(said, indent=2)"),
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around replies: how JSON is laid out in a text, whether tools tell structured content as well, and how refusals
    come: as JSON-RPC errors of a code, or as results with this flag.
    """

    json_text: str = "indented_json(said)"
    structured: frozenset[str] = field(default_factory=frozenset)
    error_code: int | None = None
    is_error: bool = True
    unknown: tuple[int | None, bool, str] | None = None
    """How unknown names are refused: a JSON-RPC code or none, the flag, the words with `{}` for the name."""


def _manner(reply: Mapping[str, Any]) -> tuple[int | None, bool]:
    """How a refusal comes: as a JSON-RPC error of this code, or as a result with this flag."""
    error = reply.get("error")
    return (error["code"], True) if error else (None, bool(reply.get("isError")))


def unknown_words(calls: Sequence[Call], tools: Collection[str]) -> tuple[int | None, bool, str] | None:
    """How calls of tools that there are not were all refused; None where nothing shows it, or not one way."""
    found: set[tuple[int | None, bool, str]] = set()
    for call in calls:
        if call.tool not in tools and call.reply is not None and "{}" not in said(call.reply):
            found.add((*_manner(call.reply), said(call.reply).replace(call.tool, "{}")))
    return found.pop() if len(found) == 1 else None


def envelope(
    calls: Sequence[Call], done: Mapping[str, bool], worded: frozenset[str], tools: Collection[str]
) -> Envelope:
    """What most of a pool's replies show; `worded` are the calls whose refusal is the checking family's."""
    votes: dict[str, int] = {}
    structured: set[str] = set()
    codes: dict[tuple[int | None, bool], int] = {}
    for call in calls:
        if call.reply is None or call.id not in done:
            continue
        if done[call.id]:
            if "structuredContent" in call.reply:
                structured.add(call.tool)
            text = said(call.reply)
            try:
                value = json.loads(text)
            except ValueError:
                continue
            if isinstance(value, dict | list):
                for name, (write, _) in _JSON.items():
                    votes[name] = votes.get(name, 0) + (write(value) == text)
        elif call.id not in worded:
            shown = _manner(call.reply)
            codes[shown] = codes.get(shown, 0) + 1
    layout = max(votes, key=lambda name: votes[name]) if votes else "indented"
    code, flag = max(codes, key=lambda shown: codes[shown]) if codes else (None, True)
    return Envelope(_JSON[layout][1], frozenset(structured), code, flag, unknown_words(calls, tools))
