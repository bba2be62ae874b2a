"""Export results as tables for other programs, and trials as conversations for training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import orjson
from typing_extensions import TypedDict

from soundstage.gateway.inspection.csv_files import csv_lines
from soundstage.grading.task import Task
from soundstage.runs.judges import questions_of
from soundstage.runs.results import ResultLine
from soundstage.runs.sealed import Line, Sealed
from soundstage.servers.catalogue import app_names, load_app

Table = Literal["results", "trials", "checks", "calls", "faults", "questions"]
"""`results` are the lines of results.jsonl, `questions` the input of judges; the others have flat rows."""

FLAT: frozenset[Table] = frozenset({"trials", "checks", "calls", "faults"})
"""The tables that can be exported as CSV."""

Row = dict[str, object]


class Message(TypedDict, total=False):
    """A turn in the format of chat completions."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: list[dict[str, Any]]
    tool_call_id: str


class Conversation(TypedDict):
    """A trial as training data: messages, the tools with their schemas, and the score."""

    trial: str
    task: str
    score: float
    success: bool
    messages: list[Message]
    tools: list[dict[str, Any]]


def trials(lines: Iterable[ResultLine]) -> Iterator[Row]:
    """Yield one row per trial."""
    for line in lines:
        agent, usage, failure = line["agent"], line["usage"], line["figures"].get("failure")
        yield {
            **{name: line[name] for name in ("run", "trial", "task", "task_version", "kind", "language")},
            "tags": " ".join(line["tags"]),
            "apps": " ".join(line["apps"]),
            "agent": agent["name"],
            "agent_version": agent["version"],
            "model": agent["model"],
            **{
                name: line[name]
                for name in (
                    "oracle_calls", "world", "k", "seed", "faults", "variant", "tools", "ended", "outcome", "success", "score",
                    "acc", "exec_acc", "calls", "failed_calls", "searches", "reply_bytes", "faults_landed", "recovered",
                    "doubled", "wall_s", "grader", "head",
                )
            },
            "breaches": len(line["breaches"]),
            "failure": None if failure is None else failure["error"],
            "failed_because": None if failure is None else failure["because"],
            "input_tokens": usage["input_tokens"] if usage else None,
            "output_tokens": usage["output_tokens"] if usage else None,
            "cost_usd": usage["cost_usd"] if usage else None,
            "turns": usage.get("turns") if usage else None,
        }  # fmt: skip


def checks(lines: Iterable[ResultLine]) -> Iterator[Row]:
    """Yield one row per check of a trial."""
    for line in lines:
        for check, outcome in line["checks"].items():
            yield {"run": line["run"], "trial": line["trial"], "task": line["task"], "check": check, **outcome}


def faults(lines: Iterable[ResultLine]) -> Iterator[Row]:
    """Yield one row per injected fault."""
    for line in lines:
        for landed in line["landed"]:
            yield {"run": line["run"], "trial": line["trial"], "task": line["task"], **landed}


def calls(sealed: Iterable[Sealed]) -> Iterator[Row]:
    """Yield one row per step of a trial, with arguments as JSON."""
    for one in sealed:
        for line in one.journal:
            yield {
                "run": one.header.run,
                "trial": one.header.trial,
                "task": one.header.task,
                "step": line.step,
                "kind": line.kind,
                "app": line.app,
                "tool": line.tool,
                "answered_by": line.answered_by or _usual(line),
                "arguments": orjson.dumps(line.arguments).decode(),
                "ok": line.ok,
                "error_kind": line.error_kind,
                "fault": None if not line.fault or not line.fault.get("landed") else str(line.fault["fault"]),
                "changed_rows": len(line.changes),
                "reply_bytes": 0 if line.reply is None else len(orjson.dumps(line.reply)),
                "duration_us": line.duration_us,
            }


def _usual(line: Line) -> str | None:
    """Return the default call handler of a step without an explicit one."""
    if line.kind == "search":
        return "gateway"
    called = line.kind in ("call", "duplicate") and line.error_kind != "unknown_tool"
    return "kernel" if called else "upstream" if line.kind == "upstream" else None


def rows_of(
    table: Table, lines: Iterable[ResultLine], sealed: Iterable[Sealed], task_of: Callable[[str], Task]
) -> Iterator[Row]:
    """Yield the rows of a table; `calls` and `questions` read the sealed trials, the others the results."""
    if table == "calls":
        return calls(sealed)
    if table == "questions":
        return (dict(one) for trial in sealed for one in questions_of(trial, task_of(trial.header.task)))
    if table == "results":
        return (dict(line) for line in lines)
    return {"trials": trials, "checks": checks, "faults": faults}[table](lines)


def as_csv(rows: Iterable[Mapping[str, object]]) -> str:
    """Format rows as CSV with a header; empty without rows."""
    table = list(rows)
    if not table:
        return ""
    names = list(table[0])
    return "".join(csv_lines(names, ([row[name] for name in names] for row in table), end="\n"))


def as_jsonl(rows: Iterable[Mapping[str, Any] | Conversation]) -> str:
    """Serialize rows as JSON lines."""
    return "".join(orjson.dumps(row).decode() + "\n" for row in rows)


def conversations(
    lines: Sequence[ResultLine],
    sealed_of: Callable[[str], Sealed],
    task_of: Callable[[str], Task],
    *,
    failed: bool = False,
) -> Iterator[Conversation]:
    """Yield successful trials as training data; all trials if `failed` is true."""
    for line in lines:
        if line["success"] or failed:
            sealed = sealed_of(line["trial"])
            task = task_of(line["task"])
            text = task.instruction if line["variant"] == "default" else task.variants[line["variant"]]
            yield Conversation(
                trial=line["trial"],
                task=line["task"],
                score=line["score"],
                success=line["success"],
                messages=list(_messages(text, sealed)),
                tools=_tools(sealed),
            )


def _messages(instruction: str, sealed: Sealed) -> Iterator[Message]:
    yield Message(role="user", content=instruction)
    for line in sealed.journal:
        if line.kind not in ("call", "search", "upstream"):
            continue
        name, call = _name(line), f"call_{line.step}"
        function = {"name": name, "arguments": orjson.dumps(line.arguments or {}).decode()}
        yield Message(role="assistant", content="", tool_calls=[{"id": call, "type": "function", "function": function}])
        yield Message(role="tool", tool_call_id=call, content=_reply_text(line.reply))
    yield Message(role="assistant", content=sealed.header.answer)


def _name(line: Line) -> str:
    return load_app(line.app).prefixed(line.tool) if line.app in app_names() else line.tool


def _reply_text(reply: Any) -> str:
    """Return the text of a reply; "" if the reply was lost."""
    content = reply.get("content", []) if isinstance(reply, dict) else []
    texts = [block["text"] for block in content if isinstance(block, dict) and "text" in block]
    return "\n".join(texts) if texts or reply is None else orjson.dumps(reply).decode()


def _tools(sealed: Sealed) -> list[dict[str, Any]]:
    """Return the present schemas of the tools that were called."""
    called = sorted(
        {(line.app, line.tool) for line in sealed.journal if line.kind == "call" and line.app in app_names()}
    )
    result: list[dict[str, Any]] = []
    for app, name in called:
        tool = load_app(app or "").tools.get(name)
        if tool is not None:
            function = {"name": load_app(app or "").prefixed(name), "description": tool.shown_description}
            result.append({"type": "function", "function": function | {"parameters": tool.input_schema}})
    return result
