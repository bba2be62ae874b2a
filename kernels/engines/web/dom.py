"""A page as a tree, and what can be read off it: title, description, text, links, pictures."""

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
"""Elements whose content a parser with scripting takes for text, tags and all (HTML, 13.2.6.4.7)."""
_HEAD = re.compile(
    r"(?:\s+|<!--.*?-->|<!doctype[^>]*>|</?html[^>]*>|<head\b[^>]*>.*?</head\s*>|<(title|style|script|noscript|template)\b[^>]*>.*?</\1\s*>"
    r"|<(?:meta|link|base)\b[^>]*>)*",
    re.IGNORECASE | re.DOTALL,
)
_BODY = re.compile(r"<(?:body|frameset)\b", re.IGNORECASE)


def parse(html: str) -> Node:
    """The document's root element. Any text is a document; an empty one has an empty body.

    The tree is the caller's own, to be changed at will.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8")
    text = html.replace("\x00", "�")
    for raw in _RAW_TEXT:
        text = raw.sub(lambda found: found[1] + escape(found[2], quote=False) + found[3], text)
    if _BODY.search(text) is None and (head := _HEAD.match(text)) is not None:
        text = f"{head[0]}<body>{text[head.end() :]}"  # libxml2 leaves in the head what it does not know for the body's
    try:
        root = lxml.html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # nothing but white space, comments, a doctype
        root = lxml.html.document_fromstring("<html><body></body></html>")
    if root.find("body") is None:
        etree.SubElement(root, "body")
    return root


@lru_cache(maxsize=64)
def parsed(html: str) -> Node:
    """`parse` for those who only read: the same tree for the same text."""
    return parse(html)


def folded(text: str) -> str:
    """White space as JavaScript's `\\s` has it folded to blanks, and none at the ends."""
    return _SPACE.sub(" ", text).strip(SPACES)


def body(root: Node) -> Node:
    found = root.find("body")
    assert found is not None  # parse makes one
    return found


def text_of(node: Node) -> str:
    """`textContent`: every text below a node, comments left out, nothing put between elements."""
    return "".join(_texts(node))


def _texts(node: Node) -> Iterator[str]:
    if not isinstance(node.tag, str):
        return
    yield node.text or ""
    for child in node:
        yield from _texts(child)
        yield child.tail or ""


def without(root: Node, *tags: str) -> Node:
    """Drop elements of these names, keeping what follows them; the same root."""
    for node in list(root.iter(*tags)):
        if node.getparent() is not None:
            node.drop_tree()
    return root


def title(root: Node) -> str | None:
    """The text of the first `title` element, folded; None without one, or with an empty one."""
    found = next(root.iter("title"), None)
    return (folded(text_of(found)) or None) if found is not None else None


def meta(root: Node, name: str) -> str | None:
    """The content of a `meta` of this name or property."""
    for node in root.iter("meta"):
        if name in (node.get("name"), node.get("property")) and (content := folded(node.get("content") or "")):
            return content
    return None


def paragraphs(root: Node) -> list[str]:
    """The texts of the `p` elements, folded, without empty ones."""
    return [text for node in root.iter("p") if (text := folded(text_of(node)))]


def links(root: Node, base: str) -> list[Address]:
    """Where the `a` elements lead, in order, each page once; fragments do not count."""
    found: dict[str, Address] = {}
    for node in root.iter("a"):
        if (href := node.get("href")) is not None and (to := joined(base, href)) is not None:
            found.setdefault(to.page, to)
    return list(found.values())


def pictures(root: Node, base: str) -> list[tuple[str, str]]:
    """The addresses of the `img` elements, each once, with their alternative texts."""
    found: dict[str, str] = {}
    for node in root.iter("img"):
        if (src := node.get("src")) and (at := joined(base, src)) is not None:
            found.setdefault(at.href, folded(node.get("alt") or ""))
    return list(found.items())
