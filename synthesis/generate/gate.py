"""What is looked at in generated code before any of it runs: an allow-list of syntax, names, imports and attributes.

It keeps honest mistakes and the known ways out of Python away. It is the first of several layers and no sandbox by itself; see
`docs/synthesis.md`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from re import _parser as patterns  # type: ignore[attr-defined] # how `re` itself reads a pattern
from typing import Any, Literal

from soundstage.synthesis.generate.allowed import BUILTINS, CONTEXT, FORBIDDEN_ATTRIBUTES, LANGUAGE, OURS

MOST_LINES = 200
MOST_BYTES = 64 * 1024
MOST_REPEATED = 10_000
MOST_EXPONENT = 16
MOST_WIDTH = 999

Part = Literal["kernel", "rules"]
"""A tool's own file, or one of those that kernels of an app share."""

_NODES: tuple[type[ast.AST], ...] = (
    ast.Module, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For,
    ast.While, ast.If, ast.Raise, ast.Try, ast.Assert, ast.ImportFrom, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Match,
    ast.match_case, ast.MatchValue, ast.MatchSingleton, ast.MatchSequence, ast.MatchMapping, ast.MatchStar, ast.MatchAs,
    ast.MatchOr, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield, ast.Compare, ast.Call, ast.FormattedValue, ast.JoinedStr,
    ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.comprehension,
    ast.ExceptHandler, ast.arguments, ast.arg, ast.keyword, ast.alias, ast.expr_context, ast.boolop, ast.operator, ast.unaryop,
ast.cmpop, )  # fmt: skip
_AT_THE_TOP = (ast.FunctionDef, ast.ClassDef, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)
_CALLED_AT_THE_TOP = frozenset({"compile", "frozenset", "dict", "tuple", "set", "field", "timedelta"})
_SIZED = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs"})
_CATCHES_ALL = frozenset({"BaseException"})
_HIDDEN = frozenset(dir(builtins)) - BUILTINS
_WIDTH = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something that generated code must not have. `line` is None where it is about the whole file."""

    path: str
    line: int | None
    problem: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.problem}"


def check(files: Mapping[str, bytes], app: str) -> list[Finding]:
    """What is wrong with generated files, by their paths below an app root. Nothing of them is run.

    A path that is neither a kernel of the app nor one of its rules is itself a finding.
    """
    found: list[Finding] = []
    for path, content in sorted(files.items()):
        part = part_of(path, app)
        if part is None:
            found.append(
                Finding(path, None, f"only kernels/{app}/<tool>.py and kernels/{app}/rules/<name>.py are taken")
            )
        else:
            found += _Gate(path, app, part).check(content)
    return found


def part_of(path: str, app: str) -> Part | None:
    """What a path stands for; None for one that generated code has no business at."""
    if re.fullmatch(rf"kernels/{re.escape(app)}/rules/[A-Za-z_]\w*\.py", path, re.ASCII):
        return "rules"
    if re.fullmatch(rf"kernels/{re.escape(app)}/[A-Za-z]\w*\.py", path, re.ASCII):
        return "kernel"
    return None


class _Gate:
    def __init__(self, path: str, app: str, part: Part) -> None:
        self._path = path
        self._app = app
        self._part = part
        self._found: list[Finding] = []
        self._from_re: set[str] = set()

    def check(self, content: bytes) -> list[Finding]:
        if len(content) > MOST_BYTES:
            return [Finding(self._path, None, f"{len(content)} bytes; {MOST_BYTES} are the most")]
        try:
            source = content.decode()
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            return [Finding(self._path, line, f"is no Python: {error}")]
        if (lines := source.count("\n") + 1) > MOST_LINES:
            self._add(None, f"{lines} lines; {MOST_LINES} are the most")
        self._top(tree)
        if self._part == "kernel":
            self._has_run(tree)
        bound = _bound(tree)
        for name in sorted(bound & _HIDDEN):
            self._add(None, f"{name} is the name of something that is not to be had here; call yours otherwise")
        known = BUILTINS | bound - _HIDDEN
        for node in ast.walk(tree):
            if not isinstance(node, _NODES):
                self._add(node, f"{type(node).__name__} is not to be used here")
            self._look(node, known)
        return sorted(set(self._found), key=lambda f: (f.line or 0, f.problem))

    def _add(self, node: ast.AST | None, problem: str) -> None:
        self._found.append(Finding(self._path, getattr(node, "lineno", None), problem))

    def _top(self, tree: ast.Module) -> None:
        for node in tree.body:
            if not isinstance(node, _AT_THE_TOP):
                self._add(node, f"{type(node).__name__} outside of a function")
            elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                self._add(node, "a statement that runs when the file is imported")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Call) and _name(inner.func) not in _CALLED_AT_THE_TOP:
                        self._add(inner, "a call that runs when the file is imported")

    def _has_run(self, tree: ast.Module) -> None:
        runs = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "run"]
        if len(runs) != 1 or len(runs[0].args.args) != 2 or runs[0].args.vararg or runs[0].args.kwonlyargs:
            self._add(None, "needs one function `run(context: AppContext, arguments: Arguments) -> …`")

    def _look(self, node: ast.AST, known: frozenset[str]) -> None:
        match node:
            case ast.ImportFrom():
                self._import(node)
            case ast.Name(id=name):
                if name.startswith("__") or name not in known:
                    self._add(node, f"the name {name} is not to be had here")
            case ast.Attribute(value=value, attr=name):
                self._attribute(node, value, name)
            case ast.FunctionDef(name=name):
                if name.startswith("__"):
                    self._add(node, f"{name} is Python's own")
                for decorator in node.decorator_list:
                    self._add(decorator, "functions have no decorators here")
            case ast.ClassDef():
                self._class(node)
            case ast.While(test=ast.Constant(value=value)):
                if value and not any(isinstance(inner, ast.Break | ast.Return) for inner in ast.walk(node)):
                    self._add(node, "a loop without an end")
            case ast.ExceptHandler(type=caught):
                if caught is None or any(_name(n) in _CATCHES_ALL for n in ast.walk(caught)):
                    self._add(node, "name the exceptions that are meant")
            case ast.Try(finalbody=last):
                if any(isinstance(n, ast.Return | ast.Break | ast.Continue) for one in last for n in ast.walk(one)):
                    self._add(node, "a finally that goes on holds up what was to end the call")
            case ast.BinOp():
                self._operator(node)
            case ast.AugAssign(op=ast.Pow() | ast.LShift()):
                self._add(node, "what grows without a bound")
            case ast.Call():
                self._call(node)
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=values)):
                for value in values:
                    text = value.value if isinstance(value, ast.Constant) else None
                    if not isinstance(text, str) or any(int(n) > MOST_WIDTH for n in _WIDTH.findall(text)):
                        self._add(node, f"a width that is not told, or over {MOST_WIDTH}")
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                if name.startswith("__"):
                    self._add(node, f"{name} is Python's own")

    def _import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        rules = f"soundstage.kernels.{self._app}.rules"
        if node.level == 0 and (module == rules or module.startswith(f"{rules}.")):
            for alias in node.names:
                if alias.name.startswith("_") or alias.name == "*":
                    self._add(node, f"{alias.name} is no public name of {module}")
            if module == rules:
                self._add(node, f"import from the module, such as `from {rules}.checks import …`")
            return
        names = LANGUAGE.get(module, OURS.get(module)) if node.level == 0 else None
        if names is None:
            self._add(node, f"nothing may be imported from {'.' * node.level}{module}")
            return
        for alias in node.names:
            if alias.name not in names:
                self._add(
                    node, f"{alias.name} may not be imported from {module}; there may: {', '.join(sorted(names))}"
                )
            elif module == "re":
                self._from_re.add(alias.asname or alias.name)

    def _attribute(self, node: ast.AST, value: ast.expr, name: str) -> None:
        if _name(value) == "context":
            if name not in CONTEXT:
                self._add(node, f"context.{name} is no kernel's business")
        elif name.startswith("_") or name in FORBIDDEN_ATTRIBUTES:
            self._add(node, f"the attribute {name} is not to be had here")

    def _class(self, node: ast.ClassDef) -> None:
        if node.keywords and any(k.arg != "total" for k in node.keywords):
            self._add(node, "a class takes no keywords but total")
        for base in node.bases:
            if not isinstance(base, ast.Name):
                self._add(base, "a class derives from a named class")
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _name(called) != "dataclass":
                self._add(decorator, "the only decorator is dataclass")

    def _operator(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Pow | ast.LShift):
            bound = _number(node.right)
            if bound is None or bound > MOST_EXPONENT:
                self._add(node, f"an exponent that is not told, or over {MOST_EXPONENT}")
        elif isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, ast.JoinedStr | ast.List | ast.Tuple) or (
                    isinstance(one, ast.Constant) and isinstance(one.value, str | bytes)
                ):
                    bound = _number(other)
                    if bound is None or bound > MOST_REPEATED:
                        self._add(node, f"something repeated so often is not told, or over {MOST_REPEATED}")
        elif isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            self._add(node, "write texts with f-strings")

    def _call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SIZED:
            bound = _number(node.args[0]) if node.args else None
            if node.args and (bound is None or bound > MOST_REPEATED):
                self._add(node, f"a length that is not told, or over {MOST_REPEATED}")
        elif name in self._from_re - {"escape"} and node.args:
            self._pattern(node, node.args[0])

    def _pattern(self, node: ast.Call, pattern: ast.expr) -> None:
        if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str | bytes):
            self._add(node, "a regular expression is written out, not made")
            return
        try:
            parsed = patterns.parse(pattern.value)
        except re.error as error:
            self._add(node, f"is no regular expression: {error}")
            return
        if _runs_wild(parsed, inside=False):
            self._add(node, "a regular expression that repeats what repeats may never end")


def _bound(tree: ast.Module) -> frozenset[str]:
    """Every name that a file binds somewhere."""
    return frozenset(_binds(tree))


def _binds(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def _name(node: ast.AST | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _runs_wild(parsed: Any, *, inside: bool) -> bool:
    """Whether a repeat without an end stands inside another one."""
    for operation, argument in parsed:
        if operation in (patterns.MAX_REPEAT, patterns.MIN_REPEAT):
            endless = argument[1] == patterns.MAXREPEAT
            if (endless and inside) or _runs_wild(argument[2], inside=inside or endless):
                return True
        elif operation is patterns.SUBPATTERN:
            if _runs_wild(argument[3], inside=inside):
                return True
        elif operation is patterns.BRANCH:
            if any(_runs_wild(branch, inside=inside) for branch in argument[1]):
                return True
        elif operation in (patterns.ASSERT, patterns.ASSERT_NOT) and _runs_wild(argument[1], inside=inside):
            return True
    return False
