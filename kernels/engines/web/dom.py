"""Pages as trees, and functions that extract titles, descriptions, text, links and images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape

import lxml.html
import re2
from lxml import etree

from soundstage.kernels.engines.javascript import SPACES
from soundstage.kernels.engines.web.addresses import Address, joined

Node = lxml.html.HtmlElement

_SPACE = re.compile(f"[{re.escape(SPACES)}]+")
_RAW_TEXT = [re2.compile(rf"(?is)(<{tag}\b[^>]*>)(.*?)(</{tag}\s*>)") for tag in ("noscript", "iframe")]
"""Elements whose content is raw text for a parser with scripting (HTML, 13.2.6.4.7)."""
_HEAD = re.compile(
    r"(?:\s+|<!--.*?-->|<!doctype[^>]*>|</?html[^>]*>|<head\b[^>]*>.*?</head\s*>|<(title|style|script|noscript|template)\b[^>]*>.*?</\1\s*>"
    r"|<(?:meta|link|base)\b[^>]*>)*",
    re.IGNORECASE | re.DOTALL,
)
_BODY = re.compile(r"<(?:body|frameset)\b", re.IGNORECASE)


def parse(html: str) -> Node:
    """Return the root element of a document; any text is a document, and an empty one has an empty body.

    Each call returns a new tree, which the caller may modify.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8")
    text = html.replace("\x00", "�")
    for raw in _RAW_TEXT:
        text = raw.sub(lambda match: match[1] + escape(match[2], quote=False) + match[3], text)
    if _BODY.search(text) is None and (head := _HEAD.match(text)) is not None:
        text = f"{head[0]}<body>{text[head.end() :]}"  # libxml2 leaves unknown elements in the head
    try:
        root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # only white space, comments or a doctype
        root = lxml.html.document_fromstring("<html><body></body></html>")
    if root.find("body") is None:
        etree.SubElement(root, "body")
    return root


@lru_cache(maxsize=64)
def parsed(html: str) -> Node:
    """Return a shared tree of a document, for read-only use."""
    return parse(html)


def folded(text: str) -> str:
    r"""Collapse white space (JavaScript's `\s`) to single spaces and trim the text."""
    return _SPACE.sub(" ", text).strip(SPACES)


def body(root: Node) -> Node:
    """Return the body element of a parsed document."""
    index = root.find("body")
    assert index is not None  # parse() always creates one
    return index


def text_of(node: Node) -> str:
    """Return `textContent`: all text below a node without comments and separators."""
    return "".join(_texts(node))


def _texts(node: Node) -> Iterator[str]:
    if not isinstance(node.tag, str):
        return
    yield node.text or ""
    for child in node:
        yield from _texts(child)
        yield child.tail or ""


def without(root: Node, *tags: str) -> Node:
    """Remove elements with these names but keep the text after them; return the root."""
    for node in list(root.iter(*tags)):
        if node.getparent() is not None:
            node.drop_tree()
    return root


def title(root: Node) -> str | None:
    """Return the collapsed text of the first `title` element, or None if it is missing or empty."""
    result = next(root.iter("title"), None)
    return (folded(text_of(result)) or None) if result is not None else None


def meta(root: Node, name: str) -> str | None:
    """Return the content of the `meta` element with this name or property."""
    for node in root.iter("meta"):
        if name in (node.get("name"), node.get("property")) and (content := folded(node.get("content") or "")):
            return content
    return None


def paragraphs(root: Node) -> list[str]:
    """Return the collapsed texts of the `p` elements, without empty ones."""
    return [text for node in root.iter("p") if (text := folded(text_of(node)))]


def links(root: Node, base: str) -> list[Address]:
    """Return the targets of the `a` elements in order, each page once regardless of fragments."""
    result: dict[str, Address] = {}
    for node in root.iter("a"):
        if (href := node.get("href")) is not None and (to := joined(base, href)) is not None:
            result.setdefault(to.page, to)
    return list(result.values())


def pictures(root: Node, base: str) -> list[tuple[str, str]]:
    """Return the URLs of the `img` elements, each once, with their alternative texts."""
    result: dict[str, str] = {}
    for node in root.iter("img"):
        if (src := node.get("src")) and (at := joined(base, src)) is not None:
            result.setdefault(at.href, folded(node.get("alt") or ""))
    return list(result.items())
