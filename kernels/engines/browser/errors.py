"""What goes wrong in a page's scripts, in V8's words. QuickJS says the same things otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass

PAGE_LINE = 20_000
"""From here on the lines of the page's own JavaScript are counted, which tells its frames from those of scripts."""

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
    """A line of a stack: a function's name (None: the script itself), where it was; `line` 0 for a built-in function."""

    name: str | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ScriptError:
    """What a script threw: `name` and `message` of an Error; the name is None for anything else, whose text is the message.
    `frames` has the innermost first; a script that cannot be parsed has none.
    """

    name: str | None
    message: str
    frames: tuple[Frame, ...] = ()
    rejected: bool = False

    @property
    def text(self) -> str:
        return self.message if self.name is None else f"{self.name}: {self.message}" if self.message else self.name


def worded(name: str, message: str, stack: str, script: str) -> ScriptError:
    """An Error of QuickJS as V8 says it. `script` is the text that was run, whose own words V8 repeats."""
    frames = _frames(stack, script)
    if name == "SyntaxError" and not message.startswith("Failed to execute") and "at parse (native)" not in stack:
        line, column = (
            (int(n) for n in found.groups()) if (found := re.search(r"<input>:(\d+):(\d+)", stack)) else (0, 0)
        )
        return ScriptError(name, _syntax(message, _line(script, line), column))
    if name == "InternalError" and "stack overflow" in message:
        return ScriptError("RangeError", "Maximum call stack size exceeded", frames)
    first = next((frame for frame in frames if frame.line), None)
    if first is None:
        return ScriptError(name, message, frames)
    said, column = _runtime(message, _line(script, first.line), _raw(stack))
    moved = tuple(Frame(f.name, f.line, column) if f is first and column else f for f in frames)
    return ScriptError(name, said, moved)


def in_words(message: str) -> str:
    """What can be said as V8 does without the script: which function was none cannot."""
    return message if message == "not a function" else _runtime(message, "", 0)[0]


def thrown(text: str) -> tuple[str | None, str, str]:
    """What the binding makes of what a script threw, as (name, message, stack); the name is None for what is no Error."""
    head, _, stack = text.partition("\n    at ")
    if not stack:
        return None, text.removesuffix("\nundefined").removesuffix("\nnull"), ""
    name, colon, message = head.partition(": ")
    return (name, message, "    at " + stack) if colon else (head.strip() or "Error", "", "    at " + stack)


def _line(script: str, line: int) -> str:
    rows = script.split("\n")
    return rows[line - 1] if 0 < line <= len(rows) else ""


def _raw(stack: str) -> int:
    """The column that QuickJS names first of a script's own."""
    return next((int(f[4]) for f in _FRAME.finditer(stack) if f[3] and int(f[3]) < PAGE_LINE), 0)


def _frames(stack: str, script: str) -> tuple[Frame, ...]:
    """The frames of a script, without those of the page's own JavaScript and what called it."""
    found: list[Frame] = []
    for row in _FRAME.finditer(stack):
        name, native, line, column = row.groups()
        if "(" not in row[0]:
            continue  # where in a text that was parsed
        if native:
            if name == "eval":
                break
            if name != "Array":
                found.append(Frame(_NATIVE.get(name, name), 0, 0))
        elif int(line) < PAGE_LINE:
            own = None if name in (None, "<eval>", "<anonymous>") else name
            found.append(Frame(own, int(line), _moved(_line(script, int(line)), int(column))))
    return tuple(found)


def _moved(source: str, column: int) -> int:
    """V8's column of a call: where the name begins that is called, or the `new` before it."""
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
    """The message, and the column that V8 names: that of a member, not of the dot before it."""
    if (found := re.fullmatch(r"cannot (read|set) property '(.*)' of (null|undefined)", message)) is not None:
        verb, member, what = found.groups()
        doing = "reading" if verb == "read" else "setting"
        spot = source.find(f".{member}", max(column - 1, 0))
        moved = column if spot < 0 else spot + 1 if source[:spot].endswith(")") else spot + 2
        if verb == "set" and (sign := source.find("=", max(spot, 0))) >= 0:
            moved = sign + 1
        return f"Cannot {verb if verb == 'read' else 'set'} properties of {what} ({doing} '{member}')", moved
    if message == "not a function":
        called, moved = _called(source, column)
        return f"{called} is not a function", moved
    if (found := re.fullmatch(r"'(.*)' is read-only", message)) is not None:
        sign = source.find("=", max(column - 1, 0))
        return "Assignment to constant variable.", sign + 1
    if message in ("value is not iterable", "object is not iterable"):
        return "object is not iterable (cannot read property Symbol(Symbol.iterator))", 0
    if message == "invalid array length":
        return "Invalid array length", 0
    return message, 0


def _called(source: str, column: int) -> tuple[str, int]:
    """What was called that is no function, as V8 prints it: arguments of calls on the way are `(...)`, values of an object that
    is written down there `(intermediate value)`.
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
    folded = _LITERAL.sub(lambda found: "{" + "(intermediate value)" * _values(found[1]) + "}", text)
    while (next_ := re.sub(r"\((?!\.\.\.\)|intermediate value\))[^()]*\)", "(...)", folded)) != folded:
        folded = next_
    last = text.rfind(".")
    return folded or "(intermediate value)", (start + last + 2) if last >= 0 else start + 1


def _values(members: str) -> int:
    """How many members an object has that is written down."""
    if not members.strip():
        return 0
    depth = count = 0
    for c in members:
        depth += (c in "([{") - (c in ")]}")
        count += c == "," and depth == 0
    return count + (not members.rstrip().endswith(","))


def _syntax(message: str, source: str, column: int) -> str:
    rest = source[column - 1 :] if column else ""
    if (found := re.fullmatch(r"unexpected token in expression: '(.*)'", message)) is not None:
        return _unexpected(found[1], rest)
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
