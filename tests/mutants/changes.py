"""The possible changes of a module, one at a time."""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_KEY = re.compile(r"[A-Za-z_][\w.:-]*", re.ASCII)  # a text that is a name, and not a sentence
_ORDERLESS = {"max", "min"}  # the order of their arguments does not matter
_CONTEXT = "context"  # in another argument's place it crashes every call, so that any case fails
_UNSEEN = {"annotation", "returns", "decorator_list", "type_params"}  # used only by the type checker, or once at import

Step = tuple[str, int | None]
"""From a node of the tree to a child: the field, and the index if the field is a list."""


@dataclass(frozen=True, slots=True)
class Change:
    """One possible change of one file. `text` is the source line; `place` identifies the spot by definitions, not by lines."""

    file: str
    line: int
    text: str
    before: str
    after: str
    place: str
    steps: tuple[Step, ...] = field(repr=False)
    node: ast.AST = field(repr=False, compare=False)

    def applied(self, source: str) -> ast.Module:
        """Return the module's tree with the change applied."""
        tree = ast.parse(source)
        holder: ast.AST = tree
        for name, index in self.steps[:-1]:
            value = getattr(holder, name)
            holder = value if index is None else value[index]
        name, index = self.steps[-1]
        node = ast.copy_location(copy.deepcopy(self.node), _child(holder, name, index))
        if index is None:
            setattr(holder, name, node)
        else:
            getattr(holder, name)[index] = node
        return ast.fix_missing_locations(tree)


def possible_changes(source: str, file: str) -> list[Change]:
    """Return every single change of a module, in the order of the tree."""
    lines = source.splitlines()
    changes: list[Change] = []
    for node, where in _spots(ast.parse(source), _Spot((), (), False, False)):
        for old, new, steps in _changes_of(node, where):
            line: int = getattr(old, "lineno", 1)
            place = "/".join([*where.names, *(_label(step) for step in steps)])
            texts = (lines[line - 1].strip(), ast.unparse(old), ast.unparse(new))
            changes.append(Change(file, line, *texts, place, (*where.steps, *steps), new))
    return changes


def sample(changes: list[Change], count: int, seed: int) -> list[Change]:
    """Return `count` of the changes, the same on every machine. A change elsewhere in the code hardly affects the sample."""

    def rank(change: Change) -> bytes:
        drawn = f"{seed}\n{change.file}\n{change.place}\n{change.after}"
        return hashlib.blake2b(drawn.encode(), digest_size=16).digest()

    return sorted(sorted(changes, key=rank)[:count], key=lambda c: (c.file, c.line, c.place, c.after))


@dataclass(frozen=True, slots=True)
class _Spot:
    steps: tuple[Step, ...]
    names: tuple[str, ...]
    in_function: bool
    in_branch: bool

    def below(self, child: ast.AST, name: str, index: int | None) -> _Spot:
        steps, label = (*self.steps, (name, index)), _label((name, index))
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            in_function = self.in_function or isinstance(child, ast.FunctionDef)
            return _Spot(steps, (*self.names, child.name), in_function, in_branch=False)
        in_branch = self.in_branch or isinstance(child, ast.If | ast.For | ast.While | ast.Match | ast.Try)
        return _Spot(steps, (*self.names, label), self.in_function, in_branch)


def _label(step: Step) -> str:
    name, index = step
    return name if index is None else f"{name}{index}"


def _spots(node: ast.AST, where: _Spot) -> Iterator[tuple[ast.AST, _Spot]]:
    """Yield every node that affects the module's behaviour, with its place."""
    yield node, where
    for name, value in ast.iter_fields(node):
        if name in _UNSEEN:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST) and not _is_unseen(child):
                yield from _spots(child, where.below(child, name, index))


def _is_unseen(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id == "Literal"
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


Made = tuple[ast.AST, ast.AST, tuple[Step, ...]]
"""The old node, the new one, and the path to it below the visited node."""


def _changes_of(node: ast.AST, where: _Spot) -> Iterator[Made]:
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BoolOp():
            swapped = ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            yield from _replaced(node, swapped, where)
        case ast.UnaryOp(op=ast.Not()):
            yield from _replaced(node, node.operand, where)
        case ast.Constant(value=bool()):
            yield from _replaced(node, ast.Constant(not node.value), where)
        case ast.Constant(value=int() | float() as number):
            yield from _replaced(node, ast.Constant(number + 1), where)
        case ast.Subscript():
            yield from _renamed(node.slice, ("slice", None))
        case ast.Dict():
            for index, key in enumerate(node.keys):
                yield from _renamed(key, ("keys", index))
        case ast.MatchValue():
            yield from _renamed(node.value, ("value", None))
        case ast.Call():
            yield from _called(node, where)
        case ast.Return() if where.in_branch:
            yield from _replaced(node, ast.Pass(), where)
    if isinstance(node, ast.If | ast.IfExp | ast.While) and _is_plain(node.test):
        yield node.test, ast.UnaryOp(ast.Not(), node.test), (("test", None),)
    if isinstance(node, ast.comprehension):
        for index, condition in enumerate(node.ifs):
            if _is_plain(condition):
                yield condition, ast.UnaryOp(ast.Not(), condition), (("ifs", index),)


def _replaced(node: ast.AST, new: ast.AST, where: _Spot) -> Iterator[Made]:
    """Replace the node itself."""
    if where.steps:
        yield node, new, ()


def _is_plain(test: ast.expr) -> bool:
    """Return whether a condition contains no other possible change: no comparison, `and`, `or` or `not`."""
    return not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant)


def _compared(node: ast.Compare) -> Iterator[Made]:
    for index, op in enumerate(node.ops):
        for other in _COMPARISONS[type(op)]:
            ops = [other() if i == index else o for i, o in enumerate(node.ops)]
            yield node, ast.Compare(node.left, ops, node.comparators), ()
    yield from _operand(node.left, ("left", None))
    for index, operand in enumerate(node.comparators):
        yield from _operand(operand, ("comparators", index))


def _operand(node: ast.expr, step: Step) -> Iterator[Made]:
    yield from _renamed(node, step, compared=True)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for index, element in enumerate(node.elts):
            yield from (
                (old, new, (step, *more)) for old, new, more in _renamed(element, ("elts", index), compared=True)
            )


def _called(node: ast.Call, where: _Spot) -> Iterator[Made]:
    for index, argument in enumerate(node.args):
        yield from _renamed(argument, ("args", index))
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if not where.in_function or name == "zip":  # calls that declare something; `strict` of zip is only a safeguard
        return
    for index in range(len(node.args) - 1):
        pair = node.args[index : index + 2]
        if name in _ORDERLESS or any(isinstance(a, ast.Starred) or _is_context(a) for a in pair):
            continue
        if ast.unparse(pair[0]) != ast.unparse(pair[1]):
            args = [*node.args[:index], pair[1], pair[0], *node.args[index + 2 :]]
            yield node, ast.Call(node.func, args, node.keywords), ()
    for index, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            others = [*node.keywords[:index], *node.keywords[index + 1 :]]
            yield node, ast.Call(node.func, node.args, others), ()


def _is_context(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Name) and argument.id == _CONTEXT


def _renamed(node: ast.expr | None, step: Step, *, compared: bool = False) -> Iterator[Made]:
    """Change a text. Texts other than names are changed only if they are compared with (`compared`)."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and (compared or _KEY.fullmatch(node.value)):
        yield node, ast.Constant(f"{node.value}_"), (step,)


def _child(holder: ast.AST, name: str, index: int | None) -> ast.AST:
    value = getattr(holder, name)
    child: ast.AST = value if index is None else value[index]
    return child
