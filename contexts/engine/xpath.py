"""Evaluates XPath expressions of callers within the CPU budget of a call.

libxml2 cannot be interrupted, and a short expression can run for hours: the time of `//*[count(//*[count(//*) > 1]) > 1]` grows
with the third power of the page. So only an expression that searches the tree a few times, and never once per element, is
evaluated in this process. All others go to a worker process, whose CPU time the operating system limits to the rest of the
call's budget. The worker serves one expression after another. A worker that exceeds its time is replaced.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from math import inf
from typing import IO, Any

from lxml import etree

from soundstage.contexts.engine import budget
from soundstage.contexts.engine.budget import CALL_CPU_S, BudgetExceeded

Tree = list[Any]
"""An element: its name, its attributes as pairs, its number, and its children (texts and elements)."""

_NUMBER = "soundstage-number"
_MOST_SEARCHES = 8
"""Searches of the whole tree that an expression may make in this process."""
_MOST_CHARACTERS = 1000
_MOST_ELEMENTS = 2000
_SEARCHES = re.compile(r"//|\.\.|following|preceding|ancestor|descendant|parent")
_ABSOLUTE = re.compile(r"(?:^|[\[(,=<>|+*-]|\b(?:and|or|div|mod))\s*/")
_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_NOT_PRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BOOT = (
    "import sys; sys.path[:] = sys.argv[1].split(sys.argv[2]); "
    "from soundstage.contexts.engine.xpath import serve; serve(sys.stdin.buffer, sys.stdout.buffer)"
)


class InvalidXPath(Exception):
    """An expression is not valid XPath."""


def evaluate_xpath(source: str, tree: Tree) -> list[int]:
    """Return the numbers of the elements that an expression selects; an empty list if it selects anything else.

    Raises:
        InvalidXPath: the expression is not valid.
        BudgetExceeded: the evaluation used the CPU time that the call had left.
    """
    if is_cheap(source) and _count(tree, _MOST_ELEMENTS) <= _MOST_ELEMENTS:
        return _evaluate(source, tree)
    return _worker.evaluate(source, tree)


def is_cheap(source: str) -> bool:
    """Return whether an expression searches the tree at most `_MOST_SEARCHES` times, and never within a predicate."""
    if len(source) > _MOST_CHARACTERS:
        return False
    bare = _LITERAL.sub("''", source)
    if len(_SEARCHES.findall(bare)) > _MOST_SEARCHES:
        return False
    return not any(_SEARCHES.search(part) or _ABSOLUTE.search(part) for part in _predicates(bare))


def _predicates(source: str) -> Iterator[str]:
    """Yield the outermost predicates of an expression without literals."""
    depth = start = 0
    for i, character in enumerate(source):
        if character == "[":
            depth += 1
            if depth == 1:
                start = i
        elif character == "]" and depth:
            depth -= 1
            if not depth:
                yield source[start:i]
    if depth:
        yield source[start:]


def _count(tree: Tree, most: int) -> int:
    """Return the number of elements in a tree; counting ends above `most`."""
    count, waiting = 0, [tree]
    while waiting and count <= most:
        count += 1
        waiting += [kid for kid in waiting.pop()[3] if not isinstance(kid, str)]
    return count


def _evaluate(source: str, tree: Tree) -> list[int]:
    root = _element(tree)
    try:
        nodes = root.getroottree().xpath(source)
    except (etree.XPathError, ValueError):  # ValueError: a character that XML does not allow
        raise InvalidXPath(source) from None
    if not isinstance(nodes, list):
        return []
    return [int(node.get(_NUMBER)) for node in nodes if hasattr(node, "tag")]


def _element(tree: Tree) -> Any:
    """Return the tree as lxml's elements; a reserved attribute holds each element's number."""
    name, attributes, number, kids = tree
    made = etree.Element(name if _NAME.fullmatch(name) else "unknown")
    for key, value in attributes:
        if _NAME.fullmatch(key):
            made.set(key, _NOT_PRINTABLE.sub("", value))
    made.set(_NUMBER, str(number))
    last = None
    for kid in kids:
        if isinstance(kid, str):
            text = _NOT_PRINTABLE.sub("", kid)
            if last is None:
                made.text = (made.text or "") + text
            else:
                last.tail = (last.tail or "") + text
        else:
            last = _element(kid)
            made.append(last)
    return made


class _Worker:
    """A process that evaluates expressions. It is started by the first use, and again after it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def evaluate(self, source: str, tree: Tree) -> list[int]:
        budget.check()
        left = budget.left()
        seconds = CALL_CPU_S if left == inf else max(left, 0.001)
        with self._lock:
            answer = self._ask(source, tree, seconds)
        if answer is None:
            raise BudgetExceeded("the XPath expression used more CPU time than the call had left")
        if answer == "invalid":
            raise InvalidXPath(source)
        numbers: list[int] = answer
        return numbers

    def _ask(self, source: str, tree: Tree, seconds: float) -> Any:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        # Other threads cannot end the wait, so a process that uses no CPU time must not last forever either.
        timer = threading.Timer(20 * seconds + 10, process.kill)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(json.dumps([source, tree, seconds]).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        except BaseException:  # the rest of the answer would be taken for the next one
            self._end()
            raise
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            self._end()
            return None
        return json.loads(line)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            with budget.paused():
                self._process = subprocess.Popen(  # noqa: S603 this Python, and code of our own
                    [sys.executable, "-I", "-S", "-c", _BOOT, os.pathsep.join(sys.path), os.pathsep],
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
                self._owner = os.getpid()
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_worker = _Worker()


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests in a worker process until the other side is gone."""
    for line in requests:
        source, tree, seconds = json.loads(line)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
        try:
            answer: list[int] | str = _evaluate(source, tree)
        except InvalidXPath:
            answer = "invalid"
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
