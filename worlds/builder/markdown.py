"""Text with a little markdown in it: blocks (headings, lists, to-dos, callouts, code, tables …) and looks within a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from soundstage.worlds.builder.drafts import Draft
from soundstage.worlds.builder.text import Reference, Words

_ITEM = re.compile(
    r"(?P<todo>- \[(?P<tick>[ x])\] )|(?P<bulleted>- )|(?P<numbered>\d+\. )|(?P<toggle>\+ )"
    r"|(?P<heading>#{1,3} )|(?P<callout>> \[!(?P<icon>[^\]\s]+)(?: (?P<color>\w+))?\] )|(?P<quote>> )"
)
_LOOK = re.compile(
    r"\*\*(?P<bold>[^*]+)\*\*|`(?P<code>[^`]+)`|~~(?P<strike>[^~]+)~~|(?<![\w*])\*(?P<italic>[^*\s][^*]*)\*(?![\w*])"
    r"|\[(?P<text>[^\]]+)\]\((?P<url>https?://[^)\s]+)\)"
)
_RULE = re.compile(r"\|[\s:|-]+\|")


@dataclass(slots=True)
class Block:
    """One block of a page, with those inside it."""

    form: str
    text: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    cells: list[str] | None = None
    inside: list[Block] = field(default_factory=list)


def blocks(text: str) -> list[Block]:
    """A text's blocks: a line each, two spaces deeper inside the one above; code and tables are several lines."""
    top: list[Block] = []
    open_at: list[tuple[int, Block]] = []  # blocks that a deeper line would go into, with their depth
    lines = iter(text.splitlines())
    for line in lines:
        bare = line.strip()
        if not bare:
            continue
        depth = len(line) - len(line.lstrip())
        while open_at and open_at[-1][0] >= depth:
            open_at.pop()
        into = open_at[-1][1].inside if open_at else top
        if bare.startswith("```"):
            into.append(_code(bare[3:], lines, depth))
        elif bare.startswith("|"):
            if not (into and into[-1].form == "table"):
                into.append(Block("table", values={"header": False}))
            _row(into[-1], bare)
        elif bare == "---":
            into.append(Block("divider"))
        else:
            into.append(_line(bare))
            open_at.append((depth, into[-1]))
    return top


def _code(language: str, lines: Iterator[str], depth: int) -> Block:
    code_lines: list[str] = []
    for line in lines:
        if line.strip() == "```":
            break
        code_lines.append(line[depth:])
    return Block("code", "\n".join(code_lines), {"language": language or "plain text"})


def _row(table: Block, line: str) -> None:
    if _RULE.fullmatch(line):
        table.values["header"] = True
        return
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    table.values["width"] = max(table.values.get("width", 0), len(cells))
    table.inside.append(Block("row", cells=cells))


def _line(line: str) -> Block:
    match = _ITEM.match(line)
    if match is None:
        return Block("paragraph", line)
    text = line[match.end() :]
    form = next(
        name for name in ("todo", "bulleted", "numbered", "toggle", "heading", "callout", "quote") if match[name]
    )
    match form:
        case "todo":
            return Block(form, text, {"checked": match["tick"] == "x"})
        case "heading":
            return Block(f"heading_{len(match['heading']) - 1}", text)
        case "callout":
            return Block(form, text, {"icon": match["icon"], "color": match["color"]})
        case _:
            return Block(form, text)


def pieces(words: Words | str) -> list[dict[str, Any]]:
    """A text as pieces of one look each; see `soundstage.worlds.builder.fill.Pieces`."""
    parts: list[dict[str, Any]] = []
    for part in (words,) if isinstance(words, str) else words:
        if isinstance(part, Reference):
            parts.append({"form": part.form, "text": _called(part.target), "target": part.target})
            continue
        end = 0
        for look in _LOOK.finditer(part):
            if look.start() > end:
                parts.append({"form": "plain", "text": part[end : look.start()]})
            end = look.end()
            if look["url"]:
                parts.append({"form": "link", "text": look["text"], "url": look["url"]})
            else:
                name = look.lastgroup or "bold"
                parts.append({"form": "plain", "text": look[name], name: True})
        if end < len(part):
            parts.append({"form": "plain", "text": part[end:]})
    return parts


def _called(target: Draft) -> str:
    return str(target.values.get("title") or target.values.get("name") or target.key)
