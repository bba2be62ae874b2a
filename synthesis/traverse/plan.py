"""`plan.yaml`: a person's consent, tool by tool, to the calls that a run may make.

A server's hints about its tools (`readOnlyHint` etc.) are unverified: they determine the proposed plan, and a person decides
what is done. A tool without hints is treated as the worst case: it writes, destroys, and reaches other people.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from soundstage.gateway.upstream.config import (
    CommandServer,
    Declaration,
    UrlServer,
    parse_declarations,
    read_declarations,
)
from soundstage.source import checked, read
from soundstage.synthesis.targets.live import LiveTarget
from soundstage.synthesis.traverse.places import steps_of, walk_scalars
from soundstage.synthesis.traverse.recording import PLAN, Recording, RecordingError
from soundstage.synthesis.traverse.scrub import SCRATCH as SHOWN_SCRATCH

ToolClass = Literal["read", "write", "destructive", "open_world"]
"""`read`: changes nothing. `write`: adds or changes. `destructive`: may delete. `open_world`: reaches people or places outside of
the account (sends, publishes, pays), or has an unknown effect.
"""

_ADDRESSING = re.compile(
    r"(^|_)(to|cc|bcc|recipients?|e?mails?|phones?|address|channels?|chats?|rooms?|users?|members?|urls?|uri|webhook|payees?)"
    r"(_|$)|(recipient|email|phone|channel|chat|room|user|member|url|webhook|payee)(s|ids?)?$",
    re.IGNORECASE,
)
"""Names of parameters that address external people or places."""
_ADDRESS = re.compile(r"@\w|\b(?:https?|ftp|mailto|tel):|\bwww\.|\+\d[\d ()-]{5,}")
"""Patterns of text that may reach people: addresses, mentions, links, telephone numbers."""
_HOME = re.compile(r"~[\w.-]*(?:/|$)")
_LONGEST_PATH = 4096
_RATE = re.compile(r"(\d+(?:\.\d+)?)/(s|min)")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class TargetSource(_Strict):
    """How the server is reached: a command, a URL, or an entry of an `mcpServers` file, which contains its secrets."""

    command: str | None = None
    args: list[str] = []
    cwd: str | None = None
    url: str | None = None
    config: str | None = None
    name: str | None = None


class Account(_Strict):
    """Whether the server's data exists only for this purpose, and who confirmed it."""

    sandbox: bool = False
    confirmed_by: str | None = None
    at: str | None = None


class Reset(_Strict):
    """How the server is reset: a new process whose `scratch` variables name a new folder; {} if it cannot be."""

    fresh_process: bool = False
    scratch: dict[str, str] = {}


class ToolPlan(_Strict):
    """The permissions of a tool.

    Attributes:
        allow: A person's decision, which overrides the consequences of the class.
        sentinels: The only values that addressing parameters may have.
        budget: Maximum number of calls.
    """

    class_: ToolClass = Field(alias="class")
    allow: bool | None = None
    sentinels: dict[str, Any] = {}
    budget: int = Field(default=120, ge=0)
    skip: str | None = None


class Plan(_Strict):
    """The content of `plan.yaml`."""

    app: str
    server: str
    target: TargetSource
    account: Account = Account()
    writes: bool = False
    reset: Reset = Reset()
    rate: str = "2/s"
    tools: dict[str, ToolPlan]

    @field_validator("rate")
    @classmethod
    def _is_rate(cls, rate: str) -> str:
        if _RATE.fullmatch(rate) is None:
            raise ValueError(f"expected calls a second or minute such as 2/s or 30/min, got {rate!r}")
        return rate

    @property
    def pause_s(self) -> float:
        """Seconds between the starts of two calls."""
        match = _RATE.fullmatch(self.rate)
        assert match is not None
        return (1.0 if match[2] == "s" else 60.0) / float(match[1])

    def at_rate(self, rate: str) -> Plan:
        """Return the plan with another rate.

        Raises:
            ValueError: The rate is invalid.
        """
        return self.model_copy(update={"rate": self._is_rate(rate)})

    @property
    def resets(self) -> bool:
        """Whether each episode starts from a known state."""
        return self.reset.fresh_process

    def refusal(self, tool: Mapping[str, Any]) -> str | None:
        """Return the reason for which a tool may not be called, or None if it may."""
        name = str(tool["name"])
        planned = self.tools.get(name)
        if planned is None:
            return "the plan does not name it"
        if planned.skip is not None:
            return f"skipped: {planned.skip}"
        if planned.allow is False:
            return "not allowed: the plan says `allow: false`"
        if planned.class_ == "open_world":
            if not planned.allow:
                return "it may reach people or places outside: needs `allow: true` in the plan"
            if missing := [p for p in addressing(tool) if p not in planned.sentinels]:
                return f"`sentinels` must say which value {', '.join(missing)} may have"
            return None
        if planned.class_ == "read" or planned.allow:
            return None
        if not (self.account.sandbox and self.writes):
            return f"it is {planned.class_}: needs `account.sandbox: true` and `writes: true`"
        if planned.class_ == "destructive" and not self.resets:
            return "it is destructive, and the server cannot be reset: needs `allow: true`"
        return None

    def forbids(self, tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
        """Return the reason for which proposed arguments of a callable tool may not be sent, or None.

        Arguments may not name files of this machine and have to respect the sentinels. If the tool reaches people or places,
        nothing else in the arguments may address anyone: neither a member with an addressing name, even outside the schema, nor
        an address in a text.
        """
        planned = self.tools[str(tool["name"])]
        for parameter, value in planned.sentinels.items():
            if parameter in arguments and arguments[parameter] != value:
                return f"{parameter} has another value than its sentinel"
        for place, value in walk_scalars(arguments):
            if isinstance(value, str) and _is_file_here(value):
                return f"{place} names a file of this machine"
            names = [step for step in steps_of(place) if isinstance(step, str)]
            if planned.class_ != "open_world" or (names and names[0] in planned.sentinels):
                continue
            if any(_ADDRESSING.search(name) for name in names) or (isinstance(value, str) and _ADDRESS.search(value)):
                return f"{place} may reach a person or place that no sentinel names"
        return None


@dataclass(frozen=True, slots=True)
class Planned:
    """A recording with a plan that fits its server."""

    recording: Recording
    plan: Plan
    server: dict[str, Any]

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """All tools by name."""
        return {tool["name"]: tool for tool in self.server["tools"]}

    @property
    def allowed(self) -> dict[str, dict[str, Any]]:
        """The tools that may be called."""
        return {name: tool for name, tool in self.tools.items() if self.plan.refusal(tool) is None}


def read_plan(recording: Recording) -> Planned:
    """Read the plan of a recording.

    Raises:
        RecordingError: The folder is not a recording, or its plan was written for another server.
        SourceError: The plan is invalid; the message names the line.
    """
    server = recording.server
    if not (recording.folder / PLAN).exists():
        raise RecordingError(f"{recording.folder} has no {PLAN}; make one with `soundstage traverse plan`")
    source = read(recording.folder / PLAN, str(recording.folder / PLAN))
    plan = checked(Plan, source.value, source)
    if plan.server != server["id"]:
        raise RecordingError(
            f"{recording.folder / PLAN} was made for another version of the server; make a new plan, or a new pool"
        )
    if unknown := [name for name in plan.tools if name not in recording.tools]:
        raise RecordingError(f"{source.place(('tools', unknown[0]))}: the server has no such tool")
    return Planned(recording, plan, server)


def class_of(tool: Mapping[str, Any]) -> ToolClass:
    """Return the effect that a tool declares, the worst without a declaration: MCP's own defaults."""
    hints = tool.get("annotations") or {}
    if hints.get("readOnlyHint") is True:
        return "read"
    if hints.get("openWorldHint") is not False:
        return "open_world"
    return "write" if hints.get("destructiveHint") is False else "destructive"


def _is_file_here(text: str) -> bool:
    """Whether a text is the path of an existing file on this machine outside of the run's own folder."""
    path = text.removeprefix("file://")
    if len(path) > _LONGEST_PATH or "\0" in path:
        return False
    if ".." in path.split("/") or _HOME.match(path):
        return True
    own = path == SHOWN_SCRATCH or path.startswith(f"{SHOWN_SCRATCH}/")
    return path.startswith("/") and not own and os.path.lexists(path)


def addressing(tool: Mapping[str, Any]) -> list[str]:
    """Return the parameters that address external people or places."""
    return [name for name in (tool.get("inputSchema") or {}).get("properties", {}) if _ADDRESSING.search(name)]


def write_plan(server: Mapping[str, Any], app: str, target: TargetSource, scratch: Mapping[str, str], at: str) -> str:
    """Write a plan for a person to review and edit.

    `scratch` names the environment variables that place the server's data in a folder of the run. By passing them, the caller
    confirms that the server writes nowhere else.
    """
    sandboxed = bool(scratch)
    info = server["serverInfo"]
    shown = {name: value for name, value in target.model_dump().items() if value not in (None, [])}
    lines = [
        "# What `soundstage traverse run` may do. What a tool's class forbids is not called until the tool says `allow: true`.",
        "#   read         changes nothing, as the server says: called",
        "#   write        called where `account.sandbox` and `writes` are true",
        "#   destructive  as write, where the server can be reset; otherwise needs `allow: true`",
        "#   open_world   reaches people or places outside, or says nothing: needs `allow: true`, and `sentinels` that say",
        "#                which value each addressing parameter may have, such as your own address",
        "# `budget` is how often a tool is called at most; `skip: <why>` leaves one out.",
        f"app: {_value(app)}",
        f"server: {_value(server['id'])} # {info.get('name', '')} {info.get('version', '')}".rstrip(),
        f"target: {_value(shown)}",
        "account:",
        f"  sandbox: {_value(sandboxed)}",
        f"  confirmed_by: {_value('--reset-scratch' if sandboxed else None)}",
        f"  at: {_value(at if sandboxed else None)}",
        f"writes: {_value(sandboxed)}",
        f"reset: {_value({'fresh_process': sandboxed, 'scratch': dict(scratch)})}",
        f"rate: {'50/s' if target.url is None and target.config is None else '2/s'}",
        "tools:",
    ]
    for tool in server["tools"]:
        lines.append(f"  {_value(tool['name'])}:")
        lines.append(f"    class: {class_of(tool)}{'' if tool.get('annotations') else ' # it declares nothing'}")
        if class_of(tool) == "open_world" and (parameters := addressing(tool)):
            lines.append(f"    # sentinels: {_value(dict.fromkeys(parameters, '…'))}")
    return "\n".join(lines) + "\n"


def declaration_of(target: TargetSource, environment: Mapping[str, str]) -> Declaration:
    """Return the declaration of the server that a plan names.

    Raises:
        RecordingError, UpstreamConfigError: The declaration is missing or unusable.
    """
    if target.config is not None:
        result = {d.name: d for d in read_declarations(Path(target.config), environment)}
        if target.name not in result:
            raise RecordingError(
                f"{target.config} has no server {target.name!r}; it has: {', '.join(result) or 'none'}"
            )
        return result[target.name]
    if target.url is not None:
        (declaration,) = parse_declarations({"mcpServers": {"target": {"url": target.url}}}, environment)
        return declaration
    if target.command is None:
        raise RecordingError("the plan's `target` names neither a command nor a url nor a config file")
    server = CommandServer(target.command, tuple(target.args), {}, target.cwd)
    return Declaration("target", server, target.command)


def live(plan: Plan, environment: Mapping[str, str]) -> LiveTarget:
    """Return the live target of a plan; see `declaration_of`."""
    declaration = declaration_of(plan.target, environment)
    if isinstance(declaration.server, UrlServer) and plan.resets:
        raise RecordingError("`reset.fresh_process` is for servers that are started by a command; this one has a URL")
    return LiveTarget(declaration, plan.reset.scratch)


def estimate(planned: Planned) -> int:
    """Estimate the calls of a complete run: the places that can be changed, in five ways each, and as many successes."""
    total = 0
    for name, tool in planned.allowed.items():
        schema = tool.get("inputSchema") or {}
        places = sum(1 for path, value in walk_scalars(schema) if path.endswith(".type") and value != "object")
        total += min(planned.plan.tools[name].budget, 6 + 7 * places)
    return total


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
