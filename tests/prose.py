"""Count words and patterns that our style guide replaces, in documentation, docstrings, comments, messages and names of tests.

`python -m tests.prose` prints a table per package; `python -m tests.prose PATH …` prints each place below the paths.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
_LISTS = Path(__file__).with_suffix(".yaml")
# Their strings are replies of real servers, content of worlds or test data.
_STRINGS_ARE_DATA = {"kernels", "servers", "tests", "worlds", "tasks"}
_MESSAGE = re.compile(r"\w+(?:[ ,.;:'’{}()-]+\w+){3,}")
_FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"\{[%{#].*?[%}#]\}|<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)
_CODE = re.compile(r"``[^`]*``|`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of prose: a docstring, a block of comments, a message, a page or the name of a test."""

    path: str
    line: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A place at which a pattern matches."""

    path: str
    line: int
    kind: str
    words: str
    text: str


def package_of(path: str) -> str:
    """Return the top-level folder of a path, or `.` for a file of the root."""
    first, slash, _ = path.partition("/")
    return first if slash else "."


@cache
def lists() -> dict[str, Any]:
    """Return the content of `prose.yaml`."""
    result: dict[str, Any] = yaml.safe_load(_LISTS.read_text("utf-8"))
    return result


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in lists()["patterns"]), re.IGNORECASE)


def files() -> list[str]:
    """Return the files with prose that git tracks, by their path below the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.md", "*.html", "*.jinja"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    return sorted({f for f in listed if f and _is_ours(f) and (ROOT / f).is_file() and not (ROOT / f).is_symlink()})


def _is_ours(path: str) -> bool:
    """Return whether a file is prose of the project and not content of a world, a task, a page of the library or a test."""
    if path.startswith("tests/") and not path.endswith(".py"):
        return False
    if path in ("tests/prose.py", "CHANGELOG.md", "CODE_OF_CONDUCT.md"):
        return False
    return not (path.startswith(("worlds/", "tasks/", "datasets/", "generated/")) and not path.endswith(".py"))


def passages(path: str, content: str) -> Iterator[Passage]:
    """Yield the passages of a file."""
    if path.endswith(".py"):
        yield from _of_python(path, content)
    elif path.endswith((".html", ".jinja")):
        yield from _of_paragraphs(path, _TAG.sub(_blank, content), "page")
    else:
        yield from _of_paragraphs(path, _FENCE.sub(_blank, content), "page")


def hits(passage: Passage) -> Iterator[Hit]:
    """Yield the places of a passage at which a pattern matches."""
    text = passage.text if passage.kind == "name" else _CODE.sub("x", passage.text)
    flat = " ".join(text.split())
    for match in _pattern().finditer(flat):
        around = flat[max(0, match.start() - 50) : match.end() + 50]
        yield Hit(passage.path, passage.line, passage.kind, match[0].strip(" .;:!?"), around)


def counts() -> Counter[str]:
    """Return the number of hits per package."""
    result: Counter[str] = Counter()
    for path in files():
        for passage in passages(path, (ROOT / path).read_text("utf-8")):
            result[package_of(path)] += sum(1 for _ in hits(passage))
    return result


def name_counts() -> Counter[str]:
    """Return per package how many names of functions, classes, parameters, variables and attributes are participles."""
    result: Counter[str] = Counter()
    for path in files():
        if path.endswith(".py"):
            result[package_of(path)] += sum(1 for _ in participles((ROOT / path).read_text("utf-8")))
    return result


def participles(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and name of each definition or assignment whose name is a participle."""
    words = frozenset(lists()["names"])
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case _:
                continue
        if name.strip("_").lower() in words:
            yield node.lineno, name


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _of_paragraphs(path: str, text: str, kind: str) -> Iterator[Passage]:
    line = 1
    for paragraph in re.split(r"\n(?=[ \t]*\n|[ \t]*[*|#-])", text):
        if paragraph.strip():
            yield Passage(path, line + len(paragraph) - len(paragraph.lstrip("\n")), kind, paragraph.strip())
        line += paragraph.count("\n") + 1


def _of_python(path: str, source: str) -> Iterator[Passage]:
    seen: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            seen.add(id(node.value))
            yield Passage(path, node.lineno, "docstring", node.value.value)
        elif isinstance(node, (ast.Constant, ast.JoinedStr)) and package_of(path) not in _STRINGS_ARE_DATA:
            if isinstance(node, ast.JoinedStr):
                seen.update(map(id, node.values))
            if id(node) not in seen and (text := _message(node)):
                yield Passage(path, node.lineno, "message", text)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            yield Passage(path, node.lineno, "name", node.name.replace("_", " "))
    yield from _comments(path, source)


def _message(node: ast.Constant | ast.JoinedStr) -> str:
    """Return the text of a literal that reads like a sentence, else an empty text."""
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
    else:
        parts = (str(v.value) if isinstance(v, ast.Constant) else "x" for v in node.values)
        text = "".join(parts)
    return text if _MESSAGE.search(text) and not text.lstrip().startswith(("SELECT", "INSERT", "CREATE", "<")) else ""


def _comments(path: str, source: str) -> Iterator[Passage]:
    """Yield each block of comment lines as one passage."""
    block: list[str] = []
    first = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.lstrip("#").strip()
        if token.string.startswith(("#!", "# noqa", "# type:", "# fmt:")):
            continue
        if block and token.start[0] == last + 1 and not token.line[: token.start[1]].strip():
            block.append(text)
        else:
            if block:
                yield Passage(path, first, "comment", " ".join(block))
            block, first = [text], token.start[0]
        last = token.start[0]
    if block:
        yield Passage(path, first, "comment", " ".join(block))


def main(paths: list[str]) -> None:
    """Print the table, or each place below `paths`."""
    if not paths:
        prose, names = counts(), name_counts()
        print(f"{'package':12} {'prose':>6} {'names':>6}")
        for package in sorted(prose):
            print(f"{package:12} {prose[package]:6} {names[package]:6}")
        print(f"{'total':12} {sum(prose.values()):6} {sum(names.values()):6}")
        return
    for path in files():
        if not any(path == p.rstrip("/") or path.startswith(p.rstrip("/") + "/") for p in paths):
            continue
        for passage in passages(path, (ROOT / path).read_text("utf-8")):
            for hit in hits(passage):
                print(f"{hit.path}:{hit.line}: {hit.kind}: [{hit.words}] {hit.text}")
        if path.endswith(".py"):
            for line, name in participles((ROOT / path).read_text("utf-8")):
                print(f"{path}:{line}: identifier: [{name}]")


if __name__ == "__main__":
    main(sys.argv[1:])
