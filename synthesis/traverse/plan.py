"""`plan.yaml`: where a person consents, tool by tool, to what a run may call.

What a server says of its own tools (`readOnlyHint` and the like) is a claim: it decides what is proposed, and the person what is
done. A tool that says nothing is taken for the worst: it writes, destroys, and reaches other people.
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
from soundstage.synthesis.target.live import LiveTarget
from soundstage.synthesis.traverse.places import steps_of, wheres
from soundstage.synthesis.traverse.pool import PLAN, Pool, PoolError
from soundstage.synthesis.traverse.scrub import SCRATCH as SHOWN_SCRATCH

Class = Literal["read", "write", "destructive", "open_world"]
"""`read`: changes nothing. `write`: adds or changes. `destructive`: may take away. `open_world`: reaches people or places
outside of the account (sends, publishes, pays), or nobody says what it does.
"""

_ADDRESSING = re.compile(
    r"(^|_)(to|cc|bcc|recipients?|e?mails?|phones?|address|channels?|chats?|rooms?|users?|members?|urls?|uri|webhook|payees?)"
    r"(_|$)|(recipient|email|phone|channel|chat|room|user|member|url|webhook|payee)(s|ids?)?$",
    re.IGNORECASE,
)
"""Names of parameters that say who or what outside is reached."""
_ADDRESS = re.compile(r"@\w|\b(?:https?|ftp|mailto|tel):|\bwww\.|\+\d[\d ()-]{5,}")
"""What in a text may reach somebody: addresses, mentions, links, telephone numbers."""
_HOME = re.compile(r"~[\w.-]*(?:/|$)")
_LONGEST_PATH = 4096
_RATE = re.compile(r"(\d+(?:\.\d+)?)/(s|min)")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class TargetSource(_Strict):
    """How the server is reached: a command, a URL, or an entry of an `mcpServers` file, whose secrets stay there."""

    command: str | None = None
    args: list[str] = []
    cwd: str | None = None
    url: str | None = None
    config: str | None = None
    name: str | None = None


class Account(_Strict):
    """Whether what the server works on is there for this alone, and who said so."""

    sandbox: bool = False
    confirmed_by: str | None = None
    at: str | None = None


class Reset(_Strict):
    """How the server gets into its first state: a new process whose `scratch` variables name a new folder; {} means it cannot."""

    fresh_process: bool = False
    scratch: dict[str, str] = {}


class ToolPlan(_Strict):
    """What may be done with a tool. `allow` is a person's word, over everything that follows from its class. `sentinels` are the
    values that addressing parameters get, and no others; `budget` is how often the tool is called at most.
    """

    class_: Class = Field(alias="class")
    allow: bool | None = None
    sentinels: dict[str, Any] = {}
    budget: int = Field(default=120, ge=0)
    skip: str | None = None


class Plan(_Strict):
    """The whole file."""

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
        """The same with another rate.

        Raises:
            ValueError: it is none.
        """
        return self.model_copy(update={"rate": self._is_rate(rate)})

    @property
    def resets(self) -> bool:
        """Whether each episode starts from a known state."""
        return self.reset.fresh_process

    def refusal(self, tool: Mapping[str, Any]) -> str | None:
        """Why a tool is not called; None where it may be."""
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
        """Why arguments that somebody thought of are not sent to a tool that may be called; None where they may be.

        They name no file of this machine, keep to the sentinels, and where a tool reaches people or places, nothing else in them
        says whom or what: neither a member that is called so, though the schema may not know it, nor an address in a text.
        """
        planned = self.tools[str(tool["name"])]
        for parameter, value in planned.sentinels.items():
            if parameter in arguments and arguments[parameter] != value:
                return f"{parameter} has another value than its sentinel"
        for place, value in wheres(arguments):
            if isinstance(value, str) and _is_file_here(value):
                return f"{place} names a file of this machine"
            names = [step for step in steps_of(place) if isinstance(step, str)]
            if planned.class_ != "open_world" or (names and names[0] in planned.sentinels):
                continue
            if any(_ADDRESSING.search(name) for name in names) or (isinstance(value, str) and _ADDRESS.search(value)):
                return f"{place} may reach somebody whom no sentinel names"
        return None


@dataclass(frozen=True, slots=True)
class Planned:
    """A pool whose plan fits its server."""

    pool: Pool
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


def read_plan(pool: Pool) -> Planned:
    """The plan of a pool.

    Raises:
        PoolError: the folder is no pool, or its server is another than the one that was planned for.
        SourceError: naming what is wrong in the plan, by line.
    """
    server = pool.server
    if not (pool.folder / PLAN).exists():
        raise PoolError(f"{pool.folder} has no {PLAN}; make one with `soundstage traverse plan`")
    source = read(pool.folder / PLAN, str(pool.folder / PLAN))
    plan = checked(Plan, source.value, source)
    if plan.server != server["id"]:
        raise PoolError(
            f"{pool.folder / PLAN} was made for another version of the server; make a new plan, or a new pool"
        )
    if unknown := [name for name in plan.tools if name not in pool.tools]:
        raise PoolError(f"{source.place(('tools', unknown[0]))}: the server has no such tool")
    return Planned(pool, plan, server)


def class_of(tool: Mapping[str, Any]) -> Class:
    """What a tool says that it does, the worst where it says nothing: MCP's own defaults."""
    hints = tool.get("annotations") or {}
    if hints.get("readOnlyHint") is True:
        return "read"
    if hints.get("openWorldHint") is not False:
        return "open_world"
    return "write" if hints.get("destructiveHint") is False else "destructive"


def _is_file_here(text: str) -> bool:
    """Whether a text is the path of something on this machine that is not in the run's own folder."""
    path = text.removeprefix("file://")
    if len(path) > _LONGEST_PATH or "\0" in path:
        return False
    if ".." in path.split("/") or _HOME.match(path):
        return True
    own = path == SHOWN_SCRATCH or path.startswith(f"{SHOWN_SCRATCH}/")
    return path.startswith("/") and not own and os.path.lexists(path)


def addressing(tool: Mapping[str, Any]) -> list[str]:
    """The parameters that say who or what outside is reached."""
    return [name for name in (tool.get("inputSchema") or {}).get("properties", {}) if _ADDRESSING.search(name)]


def write_plan(server: Mapping[str, Any], app: str, target: TargetSource, scratch: Mapping[str, str], at: str) -> str:
    """A plan for a person to read and to change. `scratch` says which variables of its environment keep the server's data in a
    folder of the run's own; who gives them says that all it writes goes there.
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
        lines.append(f"    class: {class_of(tool)}{'' if tool.get('annotations') else ' # it says nothing of itself'}")
        if class_of(tool) == "open_world" and (asked := addressing(tool)):
            lines.append(f"    # sentinels: {_value(dict.fromkeys(asked, '…'))}")
    return "\n".join(lines) + "\n"


def declaration_of(target: TargetSource, environment: Mapping[str, str]) -> Declaration:
    """The server that a plan names.

    Raises:
        PoolError, UpstreamConfigError: it cannot be found, or its declaration cannot be used.
    """
    if target.config is not None:
        found = {d.name: d for d in read_declarations(Path(target.config), environment)}
        if target.name not in found:
            raise PoolError(f"{target.config} has no server {target.name!r}; it has: {', '.join(found) or 'none'}")
        return found[target.name]
    if target.url is not None:
        (declaration,) = parse_declarations({"mcpServers": {"target": {"url": target.url}}}, environment)
        return declaration
    if target.command is None:
        raise PoolError("the plan's `target` names neither a command nor a url nor a config file")
    server = CommandServer(target.command, tuple(target.args), {}, target.cwd)
    return Declaration("target", server, target.command)


def live(plan: Plan, environment: Mapping[str, str]) -> LiveTarget:
    """The server of a plan; see `declaration_of`."""
    declaration = declaration_of(plan.target, environment)
    if isinstance(declaration.server, UrlServer) and plan.resets:
        raise PoolError("`reset.fresh_process` is for servers that are started by a command; this one has a URL")
    return LiveTarget(declaration, plan.reset.scratch)


def estimate(planned: Planned) -> int:
    """About how many calls a whole run would make: places that can be changed, in five ways each, and as many successes."""
    total = 0
    for name, tool in planned.allowed.items():
        schema = tool.get("inputSchema") or {}
        places = sum(1 for path, value in wheres(schema) if path.endswith(".type") and value != "object")
        total += min(planned.plan.tools[name].budget, 6 + 7 * places)
    return total


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
