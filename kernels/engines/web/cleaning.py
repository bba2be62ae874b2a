"""Clean a page before conversion: remove scripts, selected elements and everything around the main content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from cssselect import SelectorError
from lxml import etree

from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.addresses import joined
from soundstage.kernels.engines.web.dom import Node

_NEVER = ("script", "style", "noscript", "meta", "head")
# Firecrawl's list of elements outside the main content (`removeUnwantedElements.ts`); an element that contains `#main` stays.
_AROUND = (
    "header, footer, nav, aside, .header, .top, .navbar, #header, .footer, .bottom, #footer, .sidebar, .side, .aside, "
    "#sidebar, .modal, .popup, #modal, .overlay, .ad, .ads, .advert, #ad, .lang-selector, .language, #language-selector, "
    ".social, .social-media, .social-links, #social, .menu, .navigation, #nav, .breadcrumbs, #breadcrumbs, .share, #share, "
    ".widget, #widget, .cookie, #cookie"
)


def cleaned(
    html: str, base: str, *, main: bool = True, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> str:
    """Return the cleaned HTML of a page's body, with absolute URLs in links and images.

    Args:
        html: The page.
        base: The page's URL, against which relative URLs are resolved.
        main: Remove navigation, header, footer, aside and elements with such names.
        include: CSS selectors; if given, all other elements are removed.
        exclude: CSS selectors of elements to remove; `*word*` matches any element whose tag or attributes contain the word.
    """
    root = dom.parse(html)
    if any(selector.strip() for selector in include):
        result = [
            etree.tostring(node, encoding="unicode", method="html", with_tail=False) for node in _matches(root, include)
        ]
        root = dom.parse(f"<html><body>{''.join(result)}</body></html>")
    dom.without(dom.body(root), *_NEVER)
    gone = _matches(root, exclude)
    if main:
        gone += [node for node in _matches(root, [_AROUND]) if not node.cssselect("#main")]
    for node in gone:
        if node.getparent() is not None and node.tag != "body":
            node.drop_tree()
    for tag, name in (("a", "href"), ("img", "src")):
        for node in root.iter(tag):
            if (value := node.get(name)) is not None and (to := joined(base, value)) is not None:
                node.set(name, to.href)
    return _inside(dom.body(root))


_LONGEST_SELECTOR = 2000
"""Characters. A longer selector describes more nested elements than a page has, and parsing takes long."""


def _matches(root: Node, selectors: Sequence[str]) -> list[Node]:
    """Return the elements that match any selector; invalid selectors match nothing."""
    results: list[Node] = []
    for selector in (s.strip() for s in selectors):
        if len(selector) > 2 and selector.startswith("*") and selector.endswith("*"):
            word = selector.strip("*.").lower()
            results += [node for node in root.iter() if isinstance(node.tag, str) and word in _described(node)]
            continue
        if len(selector) > _LONGEST_SELECTOR:
            continue
        try:
            results += root.cssselect(selector) if selector else []
        except (SelectorError, etree.XPathError, re.error, RecursionError):
            continue
    return results


def _described(node: Node) -> str:
    return " ".join([str(node.tag), *(f"{name!s}={value!s}" for name, value in node.attrib.items())]).lower()


def _inside(body: Node) -> str:
    parts = [escape(body.text or "", quote=False)]
    parts += [etree.tostring(child, encoding="unicode", method="html") for child in body]
    return "".join(parts).strip()
