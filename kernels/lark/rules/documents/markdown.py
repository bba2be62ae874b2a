"""Plain text of Markdown: one line per block, without markup."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_TASK_MARKS = ("[ ] ", "[x] ", "[X] ")


def plain_text(markdown: str) -> str:
    """Return the text of every heading, paragraph, list item, table cell and code block, each ended by a newline."""
    lines: list[str] = []
    for token in _PARSER.parse(markdown):
        if token.type == "inline" and (text := _inline_text(token)):
            lines.append(text)
        elif token.type in ("fence", "code_block"):
            lines.append(token.content.removesuffix("\n"))
    return "".join(f"{line}\n" for line in lines)


def _inline_text(block: Token) -> str:
    """Return words, code and link texts; an image is a separate block without text."""
    text = ""
    for token in block.children or []:
        if token.type in ("text", "code_inline"):
            text += token.content
        elif token.type in ("softbreak", "hardbreak"):
            text += "\n"
    return text[4:] if text.startswith(_TASK_MARKS) else text
