"""Markdown as the korotovsky server converts it to Block Kit blocks before posting (its default content type).

The losses of its converter (https://github.com/takara2314/slack-go-util) are preserved, as seen on the real server:
line breaks inside a paragraph vanish, and so do rules, indented code, HTML tags and autolinks; images become their
label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from soundstage.kernels.slack.rules.blocks import MAX_SECTION, Blocks

_LONGEST = 2 * MAX_SECTION  # longer text is not parsed; Slack rejects a section of that length
_BLANKS = " \t"
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_QUOTE = re.compile(r" {0,3}> ?")
_ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|$)")
_HTML = re.compile(r" {0,3}<(?:!--|/?[A-Za-z][^>]*>[ \t]*$)")
# Bounded, so that matching takes little time for any text.
_INLINE = re.compile(
    r"(?P<mark>`+)(?P<code>.{1,999}?)(?P=mark)(?!`)"
    r"|!\[(?P<alt>[^\]]{0,999})\]\([^)]{0,999}\)"
    r'|\[(?P<label>[^\]]{1,999})\]\(<?(?P<url>[^)>"]{1,999}?)>?(?:\s+"[^"]{0,999}")?\)'
    r"|<(?:/?[A-Za-z][^>]{0,999}|!--.{0,999}?--)>"
    r"|(?P<verbatim><[@#!][^>]{0,999}>)"
    r"|\*\*\*(?P<both>\S(?:.{0,999}?\S)??)\*\*\*"
    r"|\*\*(?P<bold>\S(?:.{0,999}?\S)??)\*\*"
    r"|(?<!\w)__(?P<bold_>\S(?:.{0,999}?\S)??)__(?!\w)"
    r"|\*(?P<italic>[^\s*](?:[^*]{0,999}?[^\s*])??)\*"
    r"|(?<!\w)_(?P<italic_>[^\s_](?:.{0,999}?[^\s_])??)_(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line: its text, its styles, and the target of a link."""

    text: str
    styles: tuple[str, ...] = ()
    url: str = ""


def to_blocks(markdown: str) -> Blocks:
    """Convert a Markdown text to blocks; a text without visible content gives none."""
    lines = markdown.replace("\r\n", "\n").split("\n")
    blocks: Blocks = []
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.strip() or _RULE.match(line) or line.startswith(("    ", "\t")):
            position += 1
        elif _HTML.match(line):
            position, _ = _until_blank(lines, position)
        elif fence := _FENCE.match(line):
            position, code = _until_fence(lines, position + 1, fence[1])
            blocks.append(_rich_text({"type": "rich_text_preformatted", "elements": [_text(code)], "border": 0}))
        elif heading := _HEADING.match(line):
            blocks.append(_header(heading[1] or ""))
            position += 1
        elif _QUOTE.match(line):
            position, quoted = _until_blank(lines, position)
            text = "\n".join(_QUOTE.sub("", q, count=1).strip() for q in quoted)
            blocks.append(_rich_text({"type": "rich_text_quote", "elements": [_text(text)]}))
        elif _ITEM.match(line):
            position, block = _list(lines, position)
            blocks.append(block)
        else:
            position, block = _paragraph(lines, position)
            blocks.append(block)
    return blocks


def _until_fence(lines: list[str], position: int, fence: str) -> tuple[int, str]:
    code: list[str] = []
    while position < len(lines) and not lines[position].strip().startswith(fence):
        code.append(lines[position])
        position += 1
    return position + 1, "".join(f"{line}\n" for line in code)


def _until_blank(lines: list[str], position: int) -> tuple[int, list[str]]:
    start = position
    while position < len(lines) and lines[position].strip():
        position += 1
    return position, lines[start:position]


def _paragraph(lines: list[str], position: int) -> tuple[int, dict[str, Any]]:
    words = [lines[position].strip(_BLANKS).removesuffix("\\")]
    position += 1
    while position < len(lines) and lines[position].strip():
        line = lines[position]
        if _UNDERLINE.match(line):
            return position + 1, _header(" ".join(words))
        item = _ITEM.match(line)
        starts_list = item and item[3] and (item[2] in "-*+" or item[2][:-1] == "1")
        if starts_list or _starts_block(line):
            break
        words.append(line.strip(_BLANKS).removesuffix("\\"))
        position += 1
    return position, {"type": "section", "text": {"type": "mrkdwn", "text": _mrkdwn(_spans("".join(words)))}}


def _list(lines: list[str], position: int) -> tuple[int, dict[str, Any]]:
    """Convert one list with all its levels; a different marker on the first level starts another list."""
    marker = ""
    margins: list[int] = []
    lists: list[dict[str, Any]] = []
    after_blank = False
    while position < len(lines):
        line = lines[position]
        item = _ITEM.match(line)
        if item:
            margins = [m for m in margins if m < len(item[1])]
            if not margins and marker not in ("", item[2][-1]):
                break
            marker = marker or item[2][-1]
            style = "bullet" if item[2] in "-*+" else "ordered"
            _add_item(lists, style, len(margins), item[3] or "")
            margins.append(len(item[1]))
        elif line.startswith("  ") and (fence := _FENCE.match(line.strip())):
            position = _until_fence(lines, position + 1, fence[1])[0] - 1  # code inside a list is lost
        elif line.startswith("  ") and lists and (after_blank or _starts_block(line.strip())):
            _add_item(lists, lists[-1]["style"], lists[-1]["indent"], re.sub(r"^\s*(#{1,6}|>) ?", "", line))
        elif line.strip():
            if after_blank or _starts_block(line):
                break
            if lists:
                lists[-1]["elements"][-1]["elements"] += _rich_elements(_spans(line.strip()))
        after_blank = not line.strip()
        position += 1
    return position, {"type": "rich_text", "elements": lists}


def _add_item(lists: list[dict[str, Any]], style: str, indent: int, text: str) -> None:
    elements = _rich_elements(_spans(text.strip()))
    if not elements:
        return
    if not lists or (lists[-1]["indent"], lists[-1]["style"]) != (indent, style):
        level = {"style": style, "indent": indent, "border": 0, "offset": 0}
        lists.append({"type": "rich_text_list", "elements": [], **level})
    lists[-1]["elements"].append({"type": "rich_text_section", "elements": elements})


def _starts_block(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_HEADING, _FENCE, _QUOTE, _RULE))


def _spans(text: str, styles: tuple[str, ...] = ()) -> list[Span]:
    if len(text) > _LONGEST:
        return [Span(text, styles)]
    spans: list[Span] = []
    position = 0
    for match in _INLINE.finditer(text):
        spans += [Span(text[position : match.start()], styles)]
        position = match.end()
        if match["code"]:
            spans.append(Span(match["code"], (*styles, "code")))
        elif match["url"]:
            spans.append(Span(match["label"], styles, match["url"]))
        elif both := match["both"]:
            spans += _spans(both, (*styles, "bold", "italic"))
        elif bold := match["bold"] or match["bold_"]:
            spans += _spans(bold, (*styles, "bold"))
        elif italic := match["italic"] or match["italic_"]:
            spans += _spans(italic, (*styles, "italic"))
        else:
            spans.append(Span(match["verbatim"] or match["alt"] or "", styles))
    return [span for span in [*spans, Span(text[position:], styles)] if span.text]


def _mrkdwn(spans: list[Span]) -> str:
    """Format spans in Slack's markup; neighbours share the marks of their common styles."""
    marks = {"bold": "*", "italic": "_", "code": "`"}
    written = ""
    open_styles: tuple[str, ...] = ()
    for span in [*spans, Span("")]:
        common = [a for a, b in zip(open_styles, span.styles, strict=False) if a == b]
        written += "".join(marks[s] for s in reversed(open_styles[len(common) :]))
        written += "".join(marks[s] for s in span.styles[len(common) :])
        written += f"<{span.url}|{span.text}>" if span.url else span.text
        open_styles = span.styles
    return written


def _rich_elements(spans: list[Span]) -> list[dict[str, Any]]:
    elements: list[dict[str, Any]] = []
    for span in spans:
        element: dict[str, Any] = _text(span.text)
        if span.url:
            element = {"type": "link", "url": span.url, "text": span.text}
        elif span.styles:
            element["style"] = dict.fromkeys(span.styles, True)
        elements.append(element)
    return elements


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _rich_text(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "rich_text", "elements": [element]}


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": text.strip(), "emoji": True}}
