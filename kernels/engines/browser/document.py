"""A live document for the duration of one call: rebuilt from its log, queried, and changed by logged operations.

Limits protect the machine: 64 MB of memory, 20 ms of CPU time per script and 200 ms per operation with everything that it
triggers in the page. A script that exceeds a limit is undone: the page is rebuilt from its log, which does not contain the
script. Every logged script has therefore run within its limit once, and rerunning it is allowed fifty times as long. The speed
of the machine decides whether a script is accepted, but never the result of an accepted one. The journal records the rejected
scripts, and a replay rejects exactly the same ones. All runs together stay within the CPU budget of
the call (`contexts/engine/budget.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NoReturn

import quickjs

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.budget import BudgetExceeded
from soundstage.contexts.engine.execution_limits import Executions
from soundstage.contexts.engine.xpath import InvalidXPath, evaluate_xpath
from soundstage.kernels.engines.browser.errors import PAGE_LINE, Frame, ScriptError, thrown, worded
from soundstage.kernels.engines.browser.page import SOURCE

Entry = list[Any]
"""A log entry: the name of an operation and its argument."""

Mode = Literal["playwright", "puppeteer"]

_MEMORY = 64 * 1024 * 1024
_STACK = 512 * 1024
_SCRIPT_S, _OPERATION_S, _LOOK_S, _AGAIN_S = 0.02, 0.2, 1.0, 10.0
_LEAST_S = 0.001
_JOBS = 10_000
_TRIES = 2  # CPU time is measured for the whole process, which may have been busy with other work
_LEXICAL = re.compile(r"(?:\A|[;}]|(?<!\s)[^\S\n]*\n)\s*+(?:let|const|class)\s")
"""A declaration at the beginning of a statement. Each run of blanks is looked at once, from its first."""


class Stopped(Exception):
    """A script exceeded its time or memory limit."""


class Document:
    """A page that is live for one call."""

    def __init__(self, log: list[Entry], executions: Executions) -> None:
        """Rebuild a page by running its log."""
        self._executions = executions
        self.log: list[Entry] = []
        self.effects: list[dict[str, Any]] = []
        self._start()
        for name, argument in log:
            if name == "ticks":
                for _ in range(argument["times"]):
                    self._run("tick", argument, _AGAIN_S)
            else:
                self._run(name, argument, _AGAIN_S)
        self.log = list(log)
        self._ask("effects", None)  # the effects of the log are already in the rows
        self.effects = []

    def do(self, name: str, argument: Any, within: float = _OPERATION_S) -> Any:
        """Change the page; its side effects are appended to `effects`.

        Raises:
            Stopped: The operation exceeded a limit; the page is unchanged.
        """
        number, within = self._begin(within)
        for left in reversed(range(_TRIES)):
            try:
                answer = self._run(name, argument, within)
                break
            except Stopped:
                self._make_again(self.log, self.effects)
                if not left:
                    self._executions.stopped.append(number)
                    raise
        if name == "tick" and self.log and self.log[-1][0] == "ticks" and self.log[-1][1]["until"] == argument["until"]:
            self.log[-1] = ["ticks", {**argument, "times": self.log[-1][1]["times"] + 1}]
        else:
            self.log.append(["ticks", {**argument, "times": 1}] if name == "tick" else [name, argument])
        self.effects += self._ask("effects", None)
        return answer

    def run_script(self, code: str, url: str) -> None:
        """Run a script of the page; exceptions become effects, and a script that exceeds a limit has no effect."""
        try:
            self.do("script", {"code": code, "url": url}, _SCRIPT_S)
        except Stopped:
            self.effects.append(
                {"kind": "exception", "name": "Error", "message": "Script stopped", "stack": "", "own": True}
            )

    def evaluate(self, script: str, mode: Mode) -> None:
        """Evaluate a script of the caller; `outcome` returns its result.

        Raises:
            Stopped: The script exceeded a limit; the page is unchanged.
        """
        log, stored = list(self.log), list(self.effects)
        keeps_names = mode == "puppeteer" and _LEXICAL.search(script) is not None
        self.do("evaluate_in" if keeps_names else "evaluate", {"script": script, "mode": mode}, _SCRIPT_S)
        error = (self._ask("outcome", None) or {}).get("error") or {}
        if error.get("name") == "InternalError" and error.get("message") == "out of memory":
            self._make_again(log, stored)
            self._executions.stopped.append(self._executions.made)
            raise Stopped

    def outcome(self, script: str) -> str | ScriptError | None:
        """Return the result of an evaluation as the server shows it, or None while a promise is pending."""
        result = self._ask("outcome", None)
        if result is None or result.get("waiting"):
            return None
        if "error" not in result:
            return str(result["value"])
        return _error(result["error"], script)

    def ask(self, name: str, argument: Any = None) -> Any:
        """Query the page without changing it.

        Raises:
            Stopped: The query exceeded its time limit, which only a caller's pattern can cause.
        """
        number, within = self._begin(_LOOK_S)
        try:
            return self._ask(name, argument, within)
        except Stopped:
            self._executions.stopped.append(number)
            raise

    def find(self, selector: str, how: str, frame: int | None = None) -> list[dict[str, Any]]:
        """Return the first fifty elements that match a selector, described by `about` in `page.driving`.

        Raises:
            BadXPath: The selector contains an invalid XPath expression.
            Stopped: A pattern in the selector exceeded the time limit.
        """
        argument = {"selector": selector, "how": how, "frame": frame, "xpath": self._by_xpath(selector, how)}
        return list(self.ask("find", argument))

    def _by_xpath(self, selector: str, how: str) -> list[int]:
        source = None if how == "css" else _xpath_in(selector)
        if source is None:
            return []
        tree = self._ask("tree", None)
        if tree is None:
            return []
        try:
            return evaluate_xpath(source, tree)
        except InvalidXPath:
            raise BadXPath(source) from None

    def _start(self) -> None:
        self._js = quickjs.Context()
        self._js.set_memory_limit(_MEMORY)
        self._js.set_max_stack_size(_STACK)
        self._driver: Callable[..., Any] = self._js.eval("\n" * PAGE_LINE + SOURCE)

    def _begin(self, within: float) -> tuple[int, float]:
        """Return the number of the new run and its time limit; raise `Stopped` if the replayed run was stopped."""
        number = self._executions.begin()
        if self._executions.was_stopped(number):
            raise Stopped
        return number, within if self._executions.known is None else _AGAIN_S

    def _make_again(self, log: list[Entry], effects: list[dict[str, Any]]) -> None:
        self.__init__(log, self._executions)  # type: ignore[misc]
        self.effects = effects

    def _ask(self, name: str, argument: Any, within: float = _LOOK_S) -> Any:
        with self._limited(within):
            return json.loads(self._driver(name, json.dumps(argument)))

    @contextmanager
    def _limited(self, within: float) -> Iterator[None]:
        """Give the block `within` seconds, and no more than the call has left.

        Raises:
            Stopped: it took too long. A script can hide that: QuickJS drops what a page's `Error.prepareStackTrace` throws, the
                interruption of it included. So the time counts, not the exception alone.
            BudgetExceeded: the call has nothing left.
        """
        budget.check()
        left = budget.left()
        limit = max(min(within, left), _LEAST_S)
        began = budget.process_seconds()  # the clock that QuickJS's limit goes by
        self._js.set_time_limit(limit)
        try:
            yield
            if budget.process_seconds() - began > limit:
                raise Stopped
        except quickjs.JSException as error:
            if budget.process_seconds() - began > limit or _was_stopped(error):
                self._stop(within, left)
            raise
        except Stopped:
            self._stop(within, left)

    def _stop(self, within: float, left: float) -> NoReturn:
        if left < within:
            raise BudgetExceeded("the page's scripts used what was left of the call's CPU time") from None
        raise Stopped from None

    def _run(self, name: str, argument: Any, within: float) -> Any:
        answer: Any = None
        with self._limited(within):
            if name == "script":
                self._script(argument["code"])
            elif name == "evaluate_in":
                self._in_scope(argument["script"], argument["mode"])
            else:
                answer = json.loads(self._driver(name, json.dumps(argument)))
            for _ in range(_JOBS):
                if not self._js.execute_pending_job():
                    break
        return answer

    def _script(self, code: str) -> None:
        try:
            self._js.eval(code)
        except quickjs.JSException as error:
            _raise_when_stopped(error)
            name, message, stack = thrown(str(error))
            text = worded(name, message, stack, code) if name is not None else ScriptError(None, message)
            fields = {
                "name": text.name,
                "message": text.message,
                "stack": "",
                "own": text.name is not None,
                "text": message,
            }
            self._driver("report", json.dumps(fields))

    def _in_scope(self, script: str, mode: str) -> None:
        """Run a script in the global scope, so that its declarations persist. A null result reads as undefined."""
        try:
            value = self._js.eval(script)
        except quickjs.JSException as error:
            _raise_when_stopped(error)
            name, message, stack = thrown(str(error))
            fields = {"name": name, "message": message, "stack": stack, "own": name is not None, "text": message}
            self._driver("failed", json.dumps(fields))
            return
        if value is None:
            self._driver("settled", mode)
        else:
            self._driver("settled", mode, value)


class BadXPath(Exception):
    """An XPath expression is invalid; the first argument is the expression."""


def _error(result: dict[str, Any], script: str) -> ScriptError:
    if not result["own"]:
        return ScriptError(
            None,
            str(result["text"]) if result.get("message") != "Object" else "Object",
            rejected=bool(result.get("rejected")),
        )
    text = worded(str(result["name"]), str(result["message"]), str(result.get("stack") or ""), script)
    if result.get("rejected") and not text.frames and (call := script.find("fetch(")) >= 0:
        line = script.count("\n", 0, call)
        text = ScriptError(text.name, text.message, (Frame(None, line + 1, call - script.rfind("\n", 0, call)),))
    return ScriptError(text.name, text.message, text.frames, bool(result.get("rejected")))


def _raise_when_stopped(error: quickjs.JSException) -> None:
    if _was_stopped(error):
        raise Stopped from None


def _was_stopped(error: quickjs.JSException) -> bool:
    text = str(error)
    return text.startswith("InternalError: interrupted") or "out of memory" in text[:60] or text.strip() in ("null", "")


def _xpath_in(selector: str) -> str | None:
    """Return the first XPath expression in a selector; None if there is none."""
    for number, part in enumerate(selector.split(">>")):
        text = (part.removeprefix(">") if number else part).lstrip()
        bare = text[6:] if text.startswith(("xpath=", "xpath/")) else text
        if bare.startswith(("(", "..", "//", ".//")):
            return bare.rstrip()
        if bare is not text:
            return bare.rstrip()
    return None
