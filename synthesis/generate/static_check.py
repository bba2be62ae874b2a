"""Check generated code statically before it runs: allow-lists of syntax, names, imports and attributes.

The gate catches honest mistakes and the known escapes from Python. It is the first of several layers and not a sandbox; see
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
"""A tool's kernel file, or a rules file that the kernels of an app share."""

_NODES: tuple[type[ast.AST], ...] = (
    ast.Module, ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For,
    ast.While, ast.If, ast.Raise, ast.Try, ast.Assert, ast.ImportFrom, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Match,
    ast.match_case, ast.MatchValue, ast.MatchSingleton, ast.MatchSequence, ast.MatchMapping, ast.MatchStar, ast.MatchAs,
    ast.MatchOr, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Yield, ast.Compare, ast.Call, ast.FormattedValue, ast.JoinedStr,
    ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice, ast.comprehension,
    ast.ExceptHandler, ast.arguments, ast.arg, ast.keyword, ast.alias, ast.expr_context, ast.boolop, ast.operator, ast.unaryop,
    ast.cmpop,
)  # fmt: skip
_AT_THE_TOP = (ast.FunctionDef, ast.ClassDef, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)
_CALLED_AT_THE_TOP = frozenset({"compile", "frozenset", "dict", "tuple", "set", "field", "timedelta"})
_SIZED = frozenset({"center", "ljust", "rjust", "zfill", "expandtabs"})
_IN_A_CLASS = (ast.FunctionDef, ast.Assign, ast.AnnAssign, ast.Pass)
_OUTSIDE = frozenset({"dataclass", *_CALLED_AT_THE_TOP})
"""Names that run when a file is imported and therefore must not be rebound."""
_ONLY_CALLED = frozenset({"range", "iter"})
_WRAPS_RANGE = frozenset({"enumerate", "reversed", "zip"})
_CHANGES = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "move_to_end", "pop", "popitem", "popleft", "remove",
    "reverse", "setdefault", "sort", "subtract", "update",
})  # fmt: skip
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LAZY = frozenset({
    "map", "filter", "zip", "enumerate", "reversed", "iter", "accumulate", "chain", "groupby", "islice", "pairwise",
    "zip_longest", "partial",
})  # fmt: skip
"""Callables that store their arguments for later; nested many times they overflow the C stack."""
_READS = frozenset({
    "all", "any", "dict", "enumerate", "frozenset", "isinstance", "len", "list", "max", "min", "reversed", "set", "sorted",
    "sum", "tuple", "zip",
})  # fmt: skip
"""Callables that may receive a mutable module-level value, because none of them returns the value itself."""
_ARGUMENTS_OF = {"remove": 1, "clear": 0}
"""Methods of lists and dictionaries with their number of arguments; the methods of a context have more."""
_CATCHES_ALL = frozenset({"BaseException"})
_HIDDEN = frozenset(dir(builtins)) - BUILTINS
_WIDTH = re.compile(r"\d+")
_WIDE = re.compile(r"%[-+ #0]*(?:\*|\d{4,})[.\d*]*[diouxXeEfFgGcrsa]|%[-+ #0]*\d*\.(?:\*|\d{4,})[eEfFgGs]")
_MANY_TIMES = 8
"""A regular expression repeat with a higher maximum counts as unbounded."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A forbidden construct in generated code; `line`: None if it concerns the whole file."""

    path: str
    line: int | None
    problem: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.problem}"


def check(files: Mapping[str, bytes], app: str) -> list[Finding]:
    """Return the findings of generated files, by their paths below an app root, without running them.

    A path that is neither a kernel of the app nor one of its rules is itself a finding.
    """
    result: list[Finding] = []
    for path, content in sorted(files.items()):
        part = part_of(path, app)
        if part is None:
            result.append(
                Finding(path, None, f"only kernels/{app}/<tool>.py and kernels/{app}/rules/<name>.py are accepted")
            )
        else:
            result += _FileCheck(path, app, part).check(content)
    return result


def part_of(path: str, app: str) -> Part | None:
    """Classify a path; return None for a path that generated code may not write."""
    if re.fullmatch(rf"kernels/{re.escape(app)}/rules/[A-Za-z_]\w*\.py", path, re.ASCII):
        return "rules"
    if re.fullmatch(rf"kernels/{re.escape(app)}/[A-Za-z]\w*\.py", path, re.ASCII):
        return "kernel"
    return None


class _FileCheck:
    def __init__(self, path: str, app: str, part: Part) -> None:
        self._path = path
        self._app = app
        self._part = part
        self._findings: list[Finding] = []
        self._from_re: frozenset[str] = frozenset()
        self._parents: dict[ast.AST, ast.AST] = {}
        self._shared: frozenset[str] = frozenset()
        self._mutable: frozenset[str] = frozenset()

    def check(self, content: bytes) -> list[Finding]:
        if len(content) > MOST_BYTES:
            return [Finding(self._path, None, f"{len(content)} bytes; the maximum is {MOST_BYTES}")]
        try:
            source = content.decode()
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            return [Finding(self._path, line, f"is not valid Python: {error}")]
        if (lines := len(source.splitlines())) > MOST_LINES:
            self._add(None, f"{lines} lines; the maximum is {MOST_LINES}")
        self._top(tree)
        if self._part == "kernel":
            self._has_run(tree)
        self._parents = {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}
        imported = {
            alias.name for n in tree.body if isinstance(n, ast.ImportFrom) and n.module == "re" for alias in n.names
        }
        self._from_re = frozenset(imported & LANGUAGE["re"] - {"escape", "ASCII", "DOTALL", "IGNORECASE", "MULTILINE"})
        self._shared = _module_values(tree)
        self._mutable = _mutable_values(tree)
        bound = _bound(tree)
        hidden = _HIDDEN - self._from_re
        for name in sorted(bound & hidden):
            self._add(None, f"the name {name} is not available here; use another name")
        for name in sorted(_made(tree) & (_OUTSIDE | self._from_re)):
            self._add(None, f"the name {name} is already in use here; use another name")
        known = BUILTINS | bound - hidden
        for node in ast.walk(tree):
            if not isinstance(node, _NODES):
                self._add(node, f"{type(node).__name__} is not allowed")
            self._look(node, known)
        return sorted(set(self._findings), key=lambda f: (f.line or 0, f.problem))

    def _add(self, node: ast.AST | None, problem: str) -> None:
        self._findings.append(Finding(self._path, getattr(node, "lineno", None), problem))

    def _top(self, tree: ast.Module) -> None:
        for node in tree.body:
            if not isinstance(node, _AT_THE_TOP):
                self._add(node, f"{type(node).__name__} outside of a function")
            elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                self._add(node, "a statement that runs when the file is imported")
            else:
                for inner in _run_at_import(node):
                    self._at_import(inner)

    def _at_import(self, node: ast.AST) -> None:
        """Reject costly expressions at import time, which has no timeout."""
        if isinstance(node, ast.Call) and _name(node.func) not in _OUTSIDE:
            self._add(node, "a call that runs when the file is imported")
        elif isinstance(node, _COMPREHENSIONS) and (
            len(node.generators) > 1 or any(isinstance(n, _COMPREHENSIONS) for n in ast.walk(node) if n is not node)
        ):
            self._add(node, "loops within loops that run when the file is imported")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and not _numeric(node):
            self._add(node, "a product of anything but numbers when the file is imported")

    def _has_run(self, tree: ast.Module) -> None:
        runs = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "run"]
        if len(runs) != 1 or len(runs[0].args.args) != 2 or runs[0].args.vararg or runs[0].args.kwonlyargs:
            self._add(None, "needs one function `run(context: AppContext, arguments: Arguments) -> …`")

    def _look(self, node: ast.AST, known: frozenset[str]) -> None:
        match node:
            case ast.ImportFrom():
                self._import(node)
            case ast.Name():
                self._named(node, known)
            case ast.Attribute():
                self._attribute(node)
            case ast.Subscript(value=of, ctx=ast.Store() | ast.Del()) if (name := _owner(of)) in self._shared:
                self._add(node, f"{name} is shared by all sessions and must not be changed")
            case ast.FunctionDef(name=name):
                if name.startswith("__"):
                    self._add(node, f"{name} is reserved by Python")
                for decorator in node.decorator_list:
                    self._add(decorator, "functions may not have decorators")
            case ast.arguments():
                for default in [*node.defaults, *node.kw_defaults]:
                    if isinstance(default, _MUTABLE):
                        self._add(default, "a default value that all calls would share")
            case ast.Try(finalbody=[_, *_] as last):
                if any(isinstance(n, ast.Return | ast.Break | ast.Continue) for part in last for n in ast.walk(part)):
                    self._add(node, "a `finally` that suppresses an exception")
            case ast.ClassDef():
                self._class(node)
            case ast.Assign() | ast.NamedExpr() | ast.AugAssign() | ast.AnnAssign():
                self._assigned(node)
            case ast.While(test=ast.Constant(value=value)):
                if value and not any(_leaves(inner, own=True) for inner in node.body):
                    self._add(node, "an endless loop")
            case ast.ExceptHandler(type=caught):
                if caught is None or any(_name(n) in _CATCHES_ALL for n in ast.walk(caught)):
                    self._add(node, "name the exceptions to catch")
            case ast.BinOp():
                self._operator(node)
            case ast.Constant(value=str(said)) if _WIDE.search(said):
                self._add(node, f"a width that is not a constant of at most {MOST_WIDTH}")
            case ast.Call():
                self._call(node)
            case ast.FormattedValue(format_spec=ast.JoinedStr(values=values)):
                for part in values:
                    text = part.value if isinstance(part, ast.Constant) else None
                    if not isinstance(text, str) or any(int(n) > MOST_WIDTH for n in _WIDTH.findall(text)):
                        self._add(node, f"a width that is not a constant of at most {MOST_WIDTH}")
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                if name.startswith("__"):
                    self._add(node, f"{name} is reserved by Python")
        for annotation in _annotations(node):
            self._annotation(annotation)

    def _named(self, node: ast.Name, known: frozenset[str]) -> None:
        name, parent = node.id, self._parents[node]
        if isinstance(node.ctx, ast.Store) and _is_member(node, self._parents) and not name.startswith("__"):
            return  # a member name of a TypedDict or dataclass is not visible in functions
        if name.startswith("__") or name not in known:
            self._add(node, f"the name {name} is not allowed")
        elif isinstance(node.ctx, ast.Load) and name in self._from_re | _ONLY_CALLED and not _called(node, parent):
            self._add(node, f"{name} may only be called, not passed on")
        elif name == "context" and not isinstance(node.ctx, ast.Load):
            self._add(node, "the name context is reserved for the parameter")
        elif name == "dataclass" and not _decorates(node, self._parents):
            self._add(node, "dataclass may only be used as a decorator")
        elif isinstance(node.ctx, ast.Load) and name in self._mutable and not _only_reads(node, self._parents):
            self._add(node, f"{name} is shared by all sessions; under another name it could be changed")

    def _assigned(self, node: ast.Assign | ast.NamedExpr | ast.AugAssign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {name for target in targets if (name := _owner(target)) is not None}
        if isinstance(node, ast.AugAssign):
            if isinstance(node.op, ast.Pow | ast.LShift):
                self._add(node, "a value that may grow without bound")
            for name in sorted(names & self._shared):
                self._add(node, f"{name} is shared by all sessions and must not be changed")
        for inner in ast.walk(node.value) if node.value is not None else ():
            lazy = isinstance(inner, ast.GeneratorExp) or (isinstance(inner, ast.Call) and _name(inner.func) in _LAZY)
            if lazy and any(_name(part) in names for part in ast.walk(inner)):
                self._add(node, "an iterator over itself: nested iterators overflow the stack")

    def _annotation(self, annotation: ast.expr) -> None:
        """Reject string annotations, which Python turns into references that can be evaluated."""
        literal = {
            id(inner)
            for part in ast.walk(annotation)
            if isinstance(part, ast.Subscript) and _name(part.value) == "Literal"
            for inner in ast.walk(part.slice)
        }
        for part in ast.walk(annotation):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and id(part) not in literal:
                self._add(part, "an annotation must not be a string")

    def _import(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if not isinstance(self._parents[node], ast.Module):
            self._add(node, "imports must be at the top of the file")
        for alias in node.names:
            if (alias.asname or alias.name) == "context":
                self._add(node, "the name context is reserved for the parameter")
            if (alias.asname or alias.name) in _OUTSIDE | LANGUAGE["re"] and (alias.asname or module not in LANGUAGE):
                self._add(node, f"the name {alias.asname or alias.name} is used by Python; use another name")
        rules = f"soundstage.kernels.{self._app}.rules"
        if node.level == 0 and (module == rules or module.startswith(f"{rules}.")):
            for alias in node.names:
                if alias.name.startswith("_") or alias.name == "*":
                    self._add(node, f"{alias.name} is not a public name of {module}")
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
                    node, f"{alias.name} may not be imported from {module}; allowed are: {', '.join(sorted(names))}"
                )
            elif module == "re" and alias.asname:
                self._add(node, f"{alias.name} must not be renamed")

    def _attribute(self, node: ast.Attribute) -> None:
        name, owner, parent = node.attr, _name(node.value), self._parents[node]
        if owner == "context":
            if name not in CONTEXT:
                self._add(node, f"context.{name} is not available to kernels")
        elif name.startswith("_") or name in FORBIDDEN_ATTRIBUTES:
            self._add(node, f"the attribute {name} is not allowed")
        if not isinstance(node.ctx, ast.Load):
            self._add(node, f"the attribute {name} is set, which could change a value that all sessions share")
        if name in _SIZED and not _called(node, parent):
            self._add(node, f"{name} may only be called, not passed on")
        if name in _ARGUMENTS_OF:
            call = parent if isinstance(parent, ast.Call) and parent.func is node else None
            stars = call is not None and any(isinstance(one, ast.Starred) for one in call.args)
            if call is None or stars or call.keywords or len(call.args) != _ARGUMENTS_OF[name]:
                self._add(node, f"{name} must be called with {_ARGUMENTS_OF[name]} arguments and may not be passed on")
        if name in _CHANGES and (owner := _owner(node.value)) in self._shared:
            self._add(node, f"{owner} is shared by all sessions and must not be changed")

    def _class(self, node: ast.ClassDef) -> None:
        if node.keywords and any(k.arg != "total" for k in node.keywords):
            self._add(node, "a class may have no keyword except total")
        for base in node.bases:
            if not isinstance(base, ast.Name):
                self._add(base, "a base class must be a name")
        for inner in node.body:
            if not isinstance(inner, _IN_A_CLASS) and not (
                isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant)
            ):
                self._add(inner, f"{type(inner).__name__} in a class, outside of a function")
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _name(called) != "dataclass":
                self._add(decorator, "the only decorator is dataclass")

    def _operator(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Pow | ast.LShift):
            bound = _number(node.right)
            if bound is None or bound > MOST_EXPONENT or isinstance(node.left, ast.BinOp):
                self._add(node, f"an exponent that is not a constant of at most {MOST_EXPONENT}")
        elif isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if _sequence(one):
                    bound = None if isinstance(one, ast.BinOp) else _number(other)
                    if bound is None or bound > MOST_REPEATED:
                        self._add(node, f"a repetition that is not a constant of at most {MOST_REPEATED}")
        elif isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            self._add(node, "write texts with f-strings")

    def _call(self, node: ast.Call) -> None:
        name = _name(node.func)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SIZED:
            given = [*node.args[:1], *(k.value for k in node.keywords)]
            bound = _number(given[0]) if given else 0
            if bound is None or bound > MOST_REPEATED:
                self._add(node, f"a length that is not a constant of at most {MOST_REPEATED}")
        elif name in self._from_re:
            named = [k.value for k in node.keywords if k.arg == "pattern"]
            if any(k.arg is None for k in node.keywords) or not (node.args or named):
                self._add(node, "a regular expression must be a literal")
            else:
                self._pattern(node, (node.args or named)[0])
        elif name == "range" and not self._counts(node):
            self._add(node, "a range may only be used in a `for`, because its iteration cannot be stopped elsewhere")
        elif name == "iter" and (len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred)):
            self._add(node, "iter may have only one argument")

    def _counts(self, node: ast.Call) -> bool:
        """Whether a range is iterated by a loop of the file itself."""
        inner: ast.AST = node
        parent = self._parents[node]
        while isinstance(parent, ast.Call) and _name(parent.func) in _WRAPS_RANGE:
            inner, parent = parent, self._parents[parent]
        return (isinstance(parent, ast.For | ast.comprehension) and parent.iter is inner) or (
            isinstance(parent, ast.Compare) and inner in parent.comparators
        )

    def _pattern(self, node: ast.Call, pattern: ast.expr) -> None:
        if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str | bytes):
            self._add(node, "a regular expression must be a literal")
            return
        try:
            parsed = patterns.parse(pattern.value)
        except (re.error, RecursionError, OverflowError) as error:
            self._add(node, f"is not a valid regular expression: {error}")
            return
        if _runs_wild(parsed, inside=False):
            self._add(node, "a regular expression that repeats an ambiguous pattern may never end")


def _bound(tree: ast.Module) -> frozenset[str]:
    """Return every name that a file binds."""
    return frozenset(_binds(tree))


def _binds(tree: ast.Module) -> Iterator[str]:
    parents = {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if not _is_member(node, parents):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=asname):
                yield asname or name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name


def _made(tree: ast.Module) -> frozenset[str]:
    """Return the names that a file defines at module level."""
    named = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    values = [n for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign)]
    return frozenset(named) | _bound(ast.Module([*values], []))


def _is_member(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a name is a member that a class declares: `id: str`."""
    parent = parents[node]
    return (
        isinstance(parent, ast.AnnAssign)
        and parent.target is node
        and parent.value is None
        and isinstance(parents[parent], ast.ClassDef)
    )


def _module_values(tree: ast.Module) -> frozenset[str]:
    """Return the names that are assigned at module level and in no function."""
    tops = [n for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign)]
    top = frozenset(name for n in tops for name in _bound(ast.Module([n], [])))
    return top - frozenset(name for n in tree.body if n not in tops for name in _bound(ast.Module([n], [])))


def _mutable_values(tree: ast.Module) -> frozenset[str]:
    """Return the module-level names of a file whose values could be changed."""
    tops = [n for n in tree.body if isinstance(n, ast.Assign | ast.AnnAssign) and n.value is not None]
    mutable = [n for n in tops if any(_is_mutable(inner) for inner in ast.walk(n.value or n))]
    return frozenset(name for n in mutable for name in _bound(ast.Module([n], [])))


def _is_mutable(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return _name(node.func) not in ("compile", "frozenset", "timedelta")
    return isinstance(node, _MUTABLE)


def _owner(node: ast.AST | None) -> str | None:
    """Return the name at the beginning of `a`, `a[0]`, `a.b` or `a.get(0)`."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return _name(node)


def _decorates(node: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a name is a class decorator, called or not."""
    parent = parents[node]
    used: ast.AST = parent if isinstance(parent, ast.Call) and parent.func is node else node
    above = parents[used]
    return isinstance(above, ast.ClassDef) and used in above.decorator_list


def _only_reads(node: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether an expression reads from a value without passing on the value itself."""
    inner: ast.AST = node
    parent = parents[node]
    while isinstance(parent, ast.Starred):
        inner, parent = parent, parents[parent]
    match parent:
        case ast.Subscript(value=value) | ast.Attribute(value=value):
            return value is inner
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is inner
        case ast.Call(func=ast.Name(id=name)):
            return inner is parent.func or name in _READS
        case ast.Compare() | ast.BinOp() | ast.FormattedValue() | ast.List() | ast.Set() | ast.Tuple():
            return not isinstance(parent, ast.List | ast.Set | ast.Tuple) or inner is not node
        case ast.Dict(keys=keys, values=values):
            return any(key is None and value is inner for key, value in zip(keys, values, strict=True))
        case ast.UnaryOp(op=ast.Not()) | ast.If() | ast.While() | ast.IfExp(test=_):
            return not isinstance(parent, ast.IfExp) or parent.test is inner
    return False


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if isinstance(part, ast.expr):
            yield part


def _run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a top-level statement that run when its file is imported."""
    if isinstance(node, ast.Lambda):
        yield from _run_at_import(node.args)
        return
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(node, ast.FunctionDef) and inner in node.body):
            yield from _run_at_import(inner)


def _leaves(node: ast.AST, *, own: bool) -> bool:
    """Whether a statement leaves the loop that contains it; `own` means that a `break` would belong to that loop."""
    if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
        return False
    if isinstance(node, ast.Return | ast.Raise) or (own and isinstance(node, ast.Break)):
        return True
    inside = own and not isinstance(node, ast.For | ast.While)
    return any(_leaves(inner, own=inside) for inner in ast.iter_child_nodes(node))


def _sequence(node: ast.expr) -> bool:
    """Whether an expression is a text or list literal, or a product or sum with one."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Add):
        return _sequence(node.left) or _sequence(node.right)
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _called(node: ast.AST, parent: ast.AST) -> bool:
    return isinstance(parent, ast.Call) and parent.func is node


def _numeric(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _numeric(node.left) and _numeric(node.right)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _name(node: ast.AST | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _number(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _runs_wild(parsed: Any, *, inside: bool) -> bool:
    """Whether an unbounded repeat contains something ambiguous: another repeat or an ambiguous choice."""
    for operation, argument in parsed:
        if operation in (patterns.MAX_REPEAT, patterns.MIN_REPEAT):
            least, most, repeated = argument
            if (inside and most > 1 and least != most) or _runs_wild(repeated, inside=inside or most > _MANY_TIMES):
                return True
            if inside and most == 1 and least == 0 and len(parsed) == 1:
                return True  # an optional piece alone inside a repeat
        elif operation is patterns.BRANCH:
            if inside and not _told_apart(argument[1]):
                return True
            if any(_runs_wild(branch, inside=inside) for branch in argument[1]):
                return True
        elif any(_runs_wild(part, inside=inside) for part in _parts(argument)):
            return True
    return False


def _parts(argument: Any) -> Iterator[Any]:
    """Yield the sub-patterns of a pattern's argument."""
    if isinstance(argument, patterns.SubPattern):
        yield argument
    elif isinstance(argument, tuple):
        for part in argument:
            yield from _parts(part)


def _told_apart(branches: Any) -> bool:
    """Whether all alternatives begin with different letters."""
    first = [branch[0] if len(branch) else None for branch in branches]
    letters = [one[1] for one in first if one is not None and one[0] is patterns.LITERAL]
    return len(letters) == len(branches) == len(set(letters))
