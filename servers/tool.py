"""A tool declared in its app's `tools.json`, with its compiled schema and its kernel."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import jsonschema_rs

from soundstage.app_roots import root_of
from soundstage.contexts.app_errors import BrokenApp
from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply

LONGEST_STRING = 64 * 1024
"""Characters that a string in arguments may have if neither the tool nor its app declares a limit."""
MOST_LONGEST_STRING = 8 * 1024 * 1024
"""The largest limit that can be declared; the body of a request is limited, too."""
Effect = Literal["read", "create", "update", "delete", "other"]
Kernel = Callable[[AppContext, Arguments], Reply]
AnsweredBy = Literal["kernel", "engine", "none"]
"""The implementation of a tool: code, the engine of apps without code, or none because measurements did not suffice."""


@dataclass(frozen=True, eq=False)
class Tool:
    """A tool of an app.

    `name` and `input_schema` are exactly the real server's; the texts are written for this project. `parameters` documents
    arguments by path (`data.summary`). These texts are part of the displayed description, because the schema must stay
    unchanged. `effect` is read, create, update, delete or other. `aliases` are English and Chinese phrases for the tool's
    function, which only the tool search uses. `generation` names an earlier generation of the server that alone has the tool:
    no list shows it, and its kernel runs if the session's state selects that generation. `answered_by` is the implementation
    that a synthesised app's lock measured; tools without one are not listed. `longest_string` is the number of characters that
    a string in the arguments may have, as the real service limits them.
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
    longest_string: int = LONGEST_STRING

    @property
    def module(self) -> str:
        """Return the name of the kernel's module: the tool's name with `_` for `-`."""
        return self.name.replace("-", "_")

    @cached_property
    def validator(self) -> jsonschema_rs.Validator:
        """Return the compiled validator of the input schema."""
        return jsonschema_rs.validator_for(self.input_schema)

    @cached_property
    def kernel(self) -> Kernel:
        """Return `run` of `kernels/<app>/<tool>.py`; an app's `tools` contain only tools with a kernel.

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
        """Return whether the kernel may query a language model (`AppContext.ask_model`)."""
        if root_of(self.app) is not None:
            return False
        return bool(getattr(sys.modules[self.kernel.__module__], "ASKS_A_MODEL", False))

    def has_argument(self, path: str) -> bool:
        """Return whether the schema allows an argument at this path (`data.summary`)."""
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
        """Return the description including the documentation of arguments, as agents see it."""
        if not self.parameters:
            return self.description
        lines = "\n".join(f"- {path}: {text}" for path, text in self.parameters.items())
        return f"{self.description}\n\nArguments:\n{lines}"

    def listed(self, name: str | None = None) -> dict[str, Any]:
        """Return the tool's entry in `tools/list`, under its own or a prefixed name."""
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
