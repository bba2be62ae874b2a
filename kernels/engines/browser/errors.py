"""Translate QuickJS's error messages and stack traces to V8's wording."""

from __future__ import annotations

import re
from dataclasses import dataclass

PAGE_LINE = 20_000
"""First line number of the page's own JavaScript, which separates its frames from those of scripts."""

_FRAME = re.compile(r"    at (?:(\S+) )?\(?(?:(native)|<input>:(\d+):(\d+))\)?")
_LITERAL = re.compile(r"^\(\{(.*)\}\)(?=\.)", re.S)
_NATIVE = {
    "parse": "JSON.parse",
    "map": "Array.map",
    "forEach": "Array.forEach",
    "filter": "Array.filter",
    "reduce": "Array.reduce",
    "Promise": "new Promise",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A stack frame: function name (None for the top level) and position; `line` is 0 for a built-in function."""

    name: str | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ScriptError:
    """The exception of a script.

    `name` and `message` describe an Error; for other values `name` is unset and the message is their text. `frames` lists the
    innermost frame first; it is empty if the script could not be parsed.
    """

    name: str | None
    message: str
    frames: tuple[Frame, ...] = ()
    rejected: bool = False

    @property
    def text(self) -> str:
        """Return the error as `Name: message`."""
        return self.message if self.name is None else f"{self.name}: {self.message}" if self.message else self.name


def worded(name: str, message: str, stack: str, script: str) -> ScriptError:
    """Translate an Error of QuickJS to V8's wording. `script` is the source, parts of which V8 quotes."""
    frames = _frames(stack, script)
    if name == "SyntaxError" and not message.startswith("Failed to execute") and "at parse (native)" not in stack:
        line, column = (
            (int(n) for n in match.groups()) if (match := re.search(r"<input>:(\d+):(\d+)", stack)) else (0, 0)
        )
        return ScriptError(name, _syntax(message, _line(script, line), column))
    if name == "InternalError" and "stack overflow" in message:
        return ScriptError("RangeError", "Maximum call stack size exceeded", frames)
    first = next((frame for frame in frames if frame.line), None)
    if first is None:
        return ScriptError(name, message, frames)
    text, column = _runtime(message, _line(script, first.line), _raw(stack))
    moved = tuple(Frame(f.name, f.line, column) if f is first and column else f for f in frames)
    return ScriptError(name, text, moved)


def in_words(message: str) -> str:
    """Translate a message without the source; the name of a called non-function stays unknown."""
    return message if message == "not a function" else _runtime(message, "", 0)[0]


def thrown(text: str) -> tuple[str | None, str, str]:
    """Split the binding's text of an exception into name (None unless it is an Error), message and stack."""
    head, _, stack = text.partition("\n    at ")
    if not stack:
        return None, text.removesuffix("\nundefined").removesuffix("\nnull"), ""
    name, colon, message = head.partition(": ")
    return (name, message, "    at " + stack) if colon else (head.strip() or "Error", "", "    at " + stack)


def _line(script: str, line: int) -> str:
    rows = script.split("\n")
    return rows[line - 1] if 0 < line <= len(rows) else ""


def _raw(stack: str) -> int:
    """Return the first column that QuickJS reports for the script itself."""
    return next((int(f[4]) for f in _FRAME.finditer(stack) if f[3] and int(f[3]) < PAGE_LINE), 0)


def _frames(stack: str, script: str) -> tuple[Frame, ...]:
    """Return the frames of a script without those of the page's own JavaScript and its callers."""
    results: list[Frame] = []
    for row in _FRAME.finditer(stack):
        name, native, line, column = row.groups()
        if "(" not in row[0]:
            continue  # a position in source text that was parsed
        if native:
            if name == "eval":
                break
            if name != "Array":
                results.append(Frame(_NATIVE.get(name, name), 0, 0))
        elif int(line) < PAGE_LINE:
            own = None if name in (None, "<eval>", "<anonymous>") else name
            results.append(Frame(own, int(line), _moved(_line(script, int(line)), int(column))))
    return tuple(results)


def _moved(source: str, column: int) -> int:
    """Return V8's column of a call: the start of the called name, or of the `new` before it."""
    at = column - 1
    if source[at : at + 1] == "(" and (name := re.search(r"[\w$]+$", source[:at])) is not None:
        return name.start() + 1
    while at < len(source) and source[at] in " .{};(=>":
        at += 1
    if source[at : at + 2] == ")(":
        return at + 2
    before = source[:at]
    return at - 3 if before.endswith("new ") else at + 1


def _runtime(message: str, source: str, column: int) -> tuple[str, int]:
    """Return the message and the column that V8 reports: that of a member, not of the dot before it."""
    if (match := re.fullmatch(r"cannot (read|set) property '(.*)' of (null|undefined)", message)) is not None:
        verb, member, what = match.groups()
        doing = "reading" if verb == "read" else "setting"
        spot = source.find(f".{member}", max(column - 1, 0))
        moved = column if spot < 0 else spot + 1 if source[:spot].endswith(")") else spot + 2
        if verb == "set" and (sign := source.find("=", max(spot, 0))) >= 0:
            moved = sign + 1
        return f"Cannot {verb if verb == 'read' else 'set'} properties of {what} ({doing} '{member}')", moved
    if message == "not a function":
        called, moved = _called(source, column)
        return f"{called} is not a function", moved
    if (match := re.fullmatch(r"'(.*)' is read-only", message)) is not None:
        sign = source.find("=", max(column - 1, 0))
        return "Assignment to constant variable.", sign + 1
    if message in ("value is not iterable", "object is not iterable"):
        return "object is not iterable (cannot read property Symbol(Symbol.iterator))", 0
    if message == "invalid array length":
        return "Invalid array length", 0
    return message, 0


def _called(source: str, column: int) -> tuple[str, int]:
    """Return a called non-function in V8's format.

    Arguments of calls in the chain become `(...)`, and values of object literals `(intermediate value)`.
    """
    if not column:
        return "(intermediate value)", 0
    start, end = column - 1, column - 1
    if end < len(source) and source[end] == ".":
        end += 1
    while end < len(source) and re.match(r"[\w$]", source[end]):
        end += 1
    depth = 0
    while start > 0:
        before = source[start - 1]
        if before in ")]":
            depth += 1
        elif before in "([":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and not re.match(r"[\w$.]", before):
            break
        start -= 1
    text = source[start:end]
    folded = _LITERAL.sub(lambda match: "{" + "(intermediate value)" * _values(match[1]) + "}", text)
    while (next_ := re.sub(r"\((?!\.\.\.\)|intermediate value\))[^()]*\)", "(...)", folded)) != folded:
        folded = next_
    last = text.rfind(".")
    return folded or "(intermediate value)", (start + last + 2) if last >= 0 else start + 1


def _values(members: str) -> int:
    """Return the number of members of an object literal."""
    if not members.strip():
        return 0
    depth = count = 0
    for c in members:
        depth += (c in "([{") - (c in ")]}")
        count += c == "," and depth == 0
    return count + (not members.rstrip().endswith(","))


def _syntax(message: str, source: str, column: int) -> str:
    rest = source[column - 1 :] if column else ""
    if (match := re.fullmatch(r"unexpected token in expression: '(.*)'", message)) is not None:
        return _unexpected(match[1], rest)
    if message in ("Unexpected end of input", "unexpected end of input"):
        return "Unexpected end of input"
    if message == "return not in a function":
        return "Illegal return statement"
    if message.startswith(("unexpected end of string", "invalid character", "unexpected character")):
        return "Invalid or unexpected token"
    if (again := re.fullmatch(r"redeclaration of '(.*)'", message)) is not None:
        return f"Identifier '{again[1]}' has already been declared"
    if "redefinition" in message:
        names = re.findall(r"[\w$]+", source[:column])
        return f"Identifier '{names[-1] if names else ''}' has already been declared"
    if message.startswith("expecting"):
        before = source[: column - 1].rstrip() if column else ""
        if re.search(r"\bawait$", before):
            return "await is only valid in async functions and the top level bodies of modules"
        if message == "expecting ')'" and rest.strip() != "" and not rest.startswith(";"):
            return "missing ) after argument list"
        return _unexpected(re.match(r"[\w$]+|.|$", rest)[0] if rest else "", rest)  # type: ignore[index]
    return message


def _unexpected(token: str, rest: str) -> str:
    if token in ("", "\0"):
        return "Unexpected end of input"
    if re.fullmatch(r"[A-Za-z_$][\w$]*", token):
        reserved = {
            "if",
            "else",
            "for",
            "while",
            "return",
            "var",
            "function",
            "class",
            "const",
            "new",
            "in",
            "of",
            "do",
            "switch",
            "case",
        }
        return f"Unexpected token '{token}'" if token in reserved else f"Unexpected identifier '{token}'"
    if re.fullmatch(r"[\d.]+", token):
        return "Unexpected number"
    if token[0] in "\"'`":
        return "Unexpected string"
    return f"Unexpected token '{token}'"
