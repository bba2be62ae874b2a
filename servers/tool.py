"""A tool as its app's `tools.json` declares it, with its compiled schema and its kernel."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import jsonschema_rs

from soundstage.contexts.broken import BrokenApp
from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply
from soundstage.roots import root_of

Effect = Literal["read", "create", "update", "delete", "other"]
Kernel = Callable[[AppContext, Arguments], Reply]
AnsweredBy = Literal["kernel", "engine", "none"]
"""What answers a tool: code, the engine of apps without it, or nothing that was measured well enough."""


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool. `name` and `input_schema` are the real server's, to the letter; the words are ours.

    `parameters` documents arguments by path (`data.summary`); the texts are part of the shown description, since the
    schema itself stays as the real server sends it. `effect` is read, create, update, delete or other. `aliases` are what
    people call what the tool does, in English and Chinese: search goes by them, nobody is shown them. `generation` names the
    former generation of the server that alone has the tool: no list shows it, and its kernel answers where the state says so.
    `answered_by` is what a synthesised app's lock has measured: a tool that no kernel answers is in no list.
    """

    app: str
    name: str
    description: str
    input_schema: dict[str, Any]
    effect: Effect
    entity: str | None = None
    title: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    aliases: tuple[str, ...] = ()
    generation: str | None = None
    answered_by: AnsweredBy = "kernel"

    @property
    def module(self) -> str:
        """The name of its kernel's file: a `-` in the tool's name is `_` there."""
        return self.name.replace("-", "_")

    @cached_property
    def validator(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(self.input_schema)

    @cached_property
    def kernel(self) -> Kernel:
        """`run` of `kernels/<app>/<tool>.py`; only tools that have one are an app's `tools`.

        Kernels of apps in app roots run in the confined process.
        """
        if root_of(self.app) is not None:
            from soundstage.servers.confined.host import Kernel as Confined

            return Confined(self.app, self.module)
        module = importlib.import_module(f"soundstage.kernels.{self.app}.{self.module}")
        if not hasattr(module, "run"):
            raise BrokenApp(f"kernels/{self.app}/{self.module}.py has no function `run(context, arguments)`")
        run: Kernel = module.run
        return run

    @cached_property
    def asks_a_model(self) -> bool:
        """Whether its kernel may want to know what a language model says (`AppContext.asked`)."""
        if root_of(self.app) is not None:
            return False
        return bool(getattr(sys.modules[self.kernel.__module__], "ASKS_A_MODEL", False))

    def has_argument(self, path: str) -> bool:
        """Whether the schema has room for an argument at this path (`data.summary`)."""
        schema = self.input_schema
        for name in path.split("."):
            properties = schema.get("properties")
            if not properties:  # free-form from here on
                return schema.get("type") != "object" or schema.get("additionalProperties") is not False
            if name not in properties:
                return False
            schema = properties[name]
        return True

    @cached_property
    def shown_description(self) -> str:
        """The description with its arguments' documentation, as an agent reads it."""
        if not self.parameters:
            return self.description
        lines = "\n".join(f"- {path}: {text}" for path, text in self.parameters.items())
        return f"{self.description}\n\nArguments:\n{lines}"

    def listed(self, name: str | None = None) -> dict[str, Any]:
        """The tool as `tools/list` shows it, under its own name or another (a prefixed one)."""
        shown: dict[str, Any] = {"name": name or self.name}
        if self.title is not None:
            shown["title"] = self.title
        shown["description"] = self.shown_description
        shown["inputSchema"] = self.input_schema
        if self.output_schema is not None:
            shown["outputSchema"] = self.output_schema
        if self.annotations is not None:
            shown["annotations"] = self.annotations
        return shown
