"""Front matter as npm's `yaml` 2.8 writes it by default, and as a patched field leaves it.

Indentation is two columns, lists are indented below their key, strings are quoted only if they would otherwise be read
differently, and lines are folded after column 80. Comments and unnecessary quotes are lost; only values and their order remain.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from soundstage.kernels.engines import javascript
from soundstage.kernels.obsidian.rules.yaml_scalars import resolved

_WIDTH = 80
_LEAST_CONTENT = 20
_LONGEST_KEY = 1024
_LONGEST_FOLDED = 20_000  # longer texts stay literal, because folding many long lines would take too long
_DOUBLE_IN_LINES = 40  # JSON from this length on contains literal line breaks
_NEVER_PLAIN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_PLAIN = re.compile(r"""^[\n\t ,\[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$""")
_MARKER = re.compile(r"^(?:%|---|\.\.\.)", re.MULTILINE)
_SHORT = {"0000": "0", "0007": "a", "000b": "v", "001b": "e", "0085": "N", "00a0": "_", "2028": "L", "2029": "P"}


def written(value: Any) -> str:
    """Return `yaml.stringify(value)`: text that ends with a line break."""
    return _node(value, "") + "\n"


def _node(value: Any, indent: str, *, at: int | None = None) -> str:
    """Return a value at this indentation; collections lack the leading line break.

    `at` is the column after a key for values that start on the key's line.
    """
    if not isinstance(value, dict | list):
        return _scalar(value, indent, at=at)
    if not value:
        return "[]" if isinstance(value, list) else "{}"
    if isinstance(value, list):
        lines = [f"- {_node(item, indent + '  ')}" for item in value]
    else:
        lines = [_pair(name, item, indent) for name, item in javascript.members(value).items()]
    return f"\n{indent}".join(lines)


def _pair(name: str, value: Any, indent: str) -> str:
    inner = indent + "  "
    key = _scalar(name, inner, is_key=True)
    explicit = len(key) > _LONGEST_KEY
    head = f"? {key}\n{indent}:" if explicit else f"{key}:"
    if isinstance(value, dict | list):
        text = _node(value, inner)
        return f"{head} {text}" if explicit or not value else f"{head}\n{inner}{text}"
    text = _node(value, inner, at=None if explicit else len(head) + 1)
    return head + ("" if text.startswith("\n") else " ") + text


def _scalar(value: Any, indent: str, *, is_key: bool = False, at: int | None = None) -> str:
    if isinstance(value, str):
        return _string(value, indent, is_key=is_key, at=at)
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return javascript.text(value)


def _string(value: str, indent: str, *, is_key: bool, at: int | None) -> str:
    def quoted() -> str:
        return _quoted(value, indent, is_key=is_key, at=at)

    if _NEVER_PLAIN.search(value):
        return _double(value, indent, is_key=is_key, at=at)
    breaks = "\n" in value
    if is_key and breaks:
        return quoted()
    if _NOT_PLAIN.search(value):
        return _block(value, indent, quoted) if breaks and not is_key else quoted()
    if breaks:
        return _block(value, indent, quoted)
    if _MARKER.search(value):
        if indent == "":
            return _block(value, indent, quoted)
        if is_key and indent == "  ":
            return quoted()
    if not isinstance(resolved(value), str):
        return quoted()
    return value if is_key else _fold_flow(value, indent, at)


def _quoted(value: str, indent: str, *, is_key: bool, at: int | None) -> str:
    if '"' in value and "'" not in value:
        return _single(value, indent, is_key=is_key, at=at)
    return _double(value, indent, is_key=is_key, at=at)


def _single(value: str, indent: str, *, is_key: bool, at: int | None) -> str:
    if (is_key and "\n" in value) or re.search(r"[ \t]\n|\n[ \t]", value):
        return _double(value, indent, is_key=is_key, at=at)
    indent = indent or ("  " if _MARKER.search(value) else "")
    text = "'" + re.sub(r"\n+", lambda breaks: breaks[0] + "\n" + indent, value.replace("'", "''")) + "'"
    return text if is_key else _fold_flow(text, indent, at)


def _double(value: str, indent: str, *, is_key: bool, at: int | None) -> str:
    indent = indent or ("  " if _MARKER.search(value) else "")
    source = re.sub("[\ud800-\udfff]", lambda c: f"\\u{ord(c[0]):x}", json.dumps(value, ensure_ascii=False))
    in_lines = not is_key and javascript.utf16_length(source) >= _DOUBLE_IN_LINES
    text, i = "", 0
    while i < len(source):
        if source.startswith(" \\n", i):
            text, i = text + "\\ ", i + 1
        if source[i] != "\\":
            text, i = text + source[i], i + 1
        elif source[i + 1] == "u":
            code = source[i + 2 : i + 6]
            short = _SHORT.get(code)
            text += f"\\{short}" if short else f"\\x{code[2:]}" if code.startswith("00") else f"\\u{code}"
            i += 6
        elif source[i + 1] == "n" and in_lines and source[i + 2] != '"':
            text, i = text + "\n\n", i + 2
            while source.startswith("\\n", i) and source[i + 2] != '"':
                text, i = text + "\n", i + 2
            text += indent + ("\\" if source[i] == " " else "")
        else:
            text, i = text + source[i : i + 2], i + 2
    return text if is_key else _fold_quoted(text, indent, at)


def _block(value: str, indent: str, quoted: Callable[[], str]) -> str:
    """Return a multi-line text as a block scalar: literal, or folded if a line is too long."""
    if re.search(r"\n[\t ]+$", value) or not value.strip(javascript.SPACES):
        return quoted()
    indent = indent or ("  " if _MARKER.search(value) else "")
    body = value.rstrip("\n\t ")
    end = value[len(body) :]
    first_break = end.find("\n")
    chomp = "-" if first_break < 0 else "+" if first_break != len(end) - 1 else ""
    if end.endswith("\n"):
        end = end[:-1]
    end = re.sub(r"(?<!\n)\n+(?!\n|$)", lambda breaks: breaks[0] + indent, end)
    lead = re.match(r"[ \n]*", body)
    leading = lead[0] if lead else ""
    start = leading[: leading.rfind("\n") + 1] if "\n" in leading else leading
    header = (("2" if indent else "1") if " " in leading else "") + chomp
    body = body[len(start) :]
    start = re.sub(r"\n+", lambda breaks: breaks[0] + indent, start)
    if len(value) <= _LONGEST_FOLDED and _is_long(value, len(indent)):
        folded = re.sub(r"\n+", lambda breaks: "\n" + breaks[0], body)
        folded = re.sub(r"(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?", r"\1\2", folded)
        folded = re.sub(r"\n+", lambda breaks: breaks[0] + indent, folded)
        text = _fold_block(start + folded + end, indent)
        if text is not None:
            return f">{header}\n{indent}{text}"
    body = re.sub(r"\n+", lambda breaks: breaks[0] + indent, body)
    return f"|{header}\n{indent}{start}{body}{end}"


def _is_long(value: str, indent: int) -> bool:
    limit = _WIDTH - indent
    return any(len(line) > limit for line in value.split("\n"))


def _fold_flow(text: str, indent: str, at: int | None) -> str:
    """Fold a plain or single-quoted text at single spaces after column 80."""
    return _folded_at(text, indent, _first_end(indent, at), at, quoted=False, block=False)[0]


def _fold_quoted(text: str, indent: str, at: int | None) -> str:
    """Fold a double-quoted text, at any position if there is no space."""
    return _folded_at(text, indent, _first_end(indent, at), at, quoted=True, block=False)[0]


def _fold_block(text: str, indent: str) -> str | None:
    """Return a folded block, or None if a word is too long for a line."""
    folded, overflow = _folded_at(text, indent, _WIDTH - len(indent), len(indent), quoted=False, block=True)
    return None if overflow else folded


def _first_end(indent: str, at: int | None) -> int:
    return _WIDTH - (len(indent) if at is None else at)


def _folded_at(text: str, indent: str, end: int, at: int | None, *, quoted: bool, block: bool) -> tuple[str, bool]:
    """Return a folded text, and whether a line is still too long."""
    step = max(1 + _LEAST_CONTENT, 1 + _WIDTH - len(indent))
    if len(text) <= step:
        return text, False
    folds: list[int] = []
    escaped: set[int] = set()
    if at is not None and at > _WIDTH - max(2, _LEAST_CONTENT):
        folds.append(0)
        end = _WIDTH - len(indent)
    split, previous, overflow = 0, "", False
    i, escape_start, escape_end = -1, -1, -1
    if block:
        i = _past_indented(text, i, len(indent))
        if i != -1:
            end = i + step
    while (i := i + 1) < len(text):
        character = text[i]
        if quoted and character == "\\":
            escape_start = i
            i += {"x": 3, "u": 5, "U": 9}.get(text[i + 1 : i + 2], 1)
            escape_end = i
        if character == "\n":
            if block:
                i = _past_indented(text, i, len(indent))
            end, split = i + len(indent) + step, 0
        else:
            if (
                character == " "
                and previous not in ("", " ", "\n", "\t")
                and text[i + 1 : i + 2] not in ("", " ", "\n", "\t")
            ):
                split = i
            if i >= end:
                if split:
                    folds.append(split)
                    end, split = split + step, 0
                elif quoted:
                    while previous in (" ", "\t"):
                        previous = character
                        i += 1
                        character = text[i : i + 1]
                        overflow = True
                    place = i - 2 if i > escape_end + 1 else escape_start - 1
                    if place in escaped:
                        return text, overflow
                    folds.append(place)
                    escaped.add(place)
                    end, split = place + step, 0
                else:
                    overflow = True
        previous = character
    return _with_folds(text, folds, escaped, indent), overflow


def _with_folds(text: str, folds: list[int], escaped: set[int], indent: str) -> str:
    if not folds:
        return text
    result = text[: folds[0]]
    for fold, end in zip(folds, [*folds[1:], len(text)], strict=True):
        if fold == 0:
            result = f"\n{indent}{text[: end or len(text)]}"
            continue
        if fold in escaped:
            result += f"{text[fold]}\\"
        result += f"\n{indent}{text[fold + 1 : end]}"
    return result


def _past_indented(text: str, i: int, indent: int) -> int:
    """Return the last line break of the more-indented lines after `i`, which are not folded."""
    end, start = i, i + 1
    character = text[start : start + 1]
    while character in (" ", "\t"):
        if i < start + indent:
            i += 1
            character = text[i : i + 1]
        else:
            i = text.find("\n", i + 1)
            i = len(text) if i < 0 else i
            end, start = i, i + 1
            character = text[start : start + 1]
    return end
