"""HTML as Markdown in the format of Firecrawl.

Firecrawl converts with html-to-markdown v1 (github.com/JohannesKaufmann/html-to-markdown at v1.6.0, `commonmark.go` and
`plugin/table.go`): `#` headings, `-` items, `_emphasis_`, `**strong**`, fenced code, GitHub tables, line breaks as new
paragraphs. That library also escapes `|`, `_` and brackets in text, but the recorded pages are not escaped, so this module does
not escape them either.
"""

from __future__ import annotations

import re
from typing import Any

from bs4 import Comment
from markdownify import ATX, MarkdownConverter

from soundstage.kernels.engines.web.dom import folded

_LINE_ENDS = re.compile(r"[ \t]+\n")
_GAPS = re.compile(r"\n{3,}")
_NO_HEADER = re.compile(r"^\|(?:  \|)+ *$", re.MULTILINE)
_PUNCTUATION = frozenset("!\"#%&'()*,-./:;?@[\\]_{}，。！？；：、）】」』》’”…")
_INLINE = frozenset(
    ("a", "abbr", "b", "cite", "code", "del", "em", "i", "s", "small", "span", "strong", "sub", "sup", "u")
)
_LANGUAGE = re.compile(r"\blanguage-(\S+)")


class _Firecrawl(MarkdownConverter):
    def convert_hr(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return "\n\n* * *\n\n"

    def convert_br(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return "<br>" if "td" in parent_tags or "th" in parent_tags else "\n\n"

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Convert a link.

        Without an address, or with a bare `#`, only its text is written. Without text, its title or label is used.
        """
        href = (el.get("href") or "").strip()
        text = folded(text) or el.get("title") or el.get("aria-label") or ""
        if not text or not href or href == "#":
            return str(text)
        title = f' "{el["title"]}"' if el.get("title") else ""
        return _apart(el, f"[{text}]({href}{title})")

    def convert_strong(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return _marked(el, text, "**", parent_tags & {"strong", "b"})

    convert_b = convert_strong

    def convert_em(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return _marked(el, text, "_", parent_tags & {"em", "i"})

    convert_i = convert_em

    def convert_dt(self, el: Any, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{text.strip()}\n\n"

    convert_dd = convert_dt

    def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:
        src = (el.get("src") or "").strip()
        return f"![{folded(el.get('alt') or '')}]({src})" if src else ""


def _marked(el: Any, text: str, mark: str, within: set[str]) -> str:
    """Wrap text in emphasis markers, only once if nested and separated from adjacent letters."""
    inner = text.strip()
    return _apart(el, f"{mark}{inner}{mark}") if inner and not within else inner


def _apart(el: Any, text: str) -> str:
    """Add a space on each side on which text touches the element (`AddSpaceIfNessesary`)."""
    before, after = _beside(el, -1), _beside(el, 1)
    if before and not before[-1].isspace():
        text = f" {text}"
    if after and not after[0].isspace() and after[0] not in _PUNCTUATION:
        text = f"{text} "
    return text


def _beside(el: Any, step: int) -> str:
    """Return the text next to an element in its line.

    The result is empty next to a block, and a space next to an inline element that follows.
    """
    beside = el.previous_sibling if step < 0 else el.next_sibling
    while beside is not None and beside.name is None and not str(beside).strip():
        if str(beside):
            return " "
        beside = beside.previous_sibling if step < 0 else beside.next_sibling
    if beside is None or isinstance(beside, Comment):
        return ""
    if beside.name is None:
        return str(beside)
    if beside.name not in _INLINE:
        return ""
    return str(beside.get_text().strip()) if step < 0 else " "


def _language(pre: Any) -> str | None:
    classes = " ".join(pre.get("class") or (pre.code.get("class") if pre.code else None) or ())
    match = _LANGUAGE.search(classes)
    return match[1] if match else None


def markdown(html: str) -> str:
    """Convert HTML to Markdown with one blank line between blocks, trimmed."""
    text = _Firecrawl(
        heading_style=ATX,
        bullets="-",
        autolinks=False,
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        strong_em_symbol="*",
        table_infer_header=False,
        code_language_callback=_language,
        strip=["script", "style", "noscript", "meta", "head", "title"],
    ).convert(html)
    text = _NO_HEADER.sub(lambda row: row[0].replace("  ", "     "), str(text))
    return _GAPS.sub("\n\n", _LINE_ENDS.sub("\n", text)).strip()
