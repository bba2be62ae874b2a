"""Data extraction without a language model.

The members of a schema are filled by their names and descriptions, and a prompt is answered with matching sentences. Nothing is
invented: the data contains only what the pages state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.contexts.engine.words import pieces
from soundstage.kernels.engines.answers import best_sentences
from soundstage.kernels.engines.web import dom
from soundstage.kernels.engines.web.content import blocks
from soundstage.kernels.firecrawl.rules.documents import description_of, markdown_of, raw_html, title_of

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_MOST = 5
_TITLES, _ADDRESSES, _ABOUT = ("title", "name", "heading"), ("url", "link", "source"), ("description", "summary")


def extracted(context: AppContext, pages: Sequence[Object], wanted: Mapping[str, Any]) -> Any:
    """Return the data that a schema or a prompt describes, as an object."""
    schema, prompt = wanted.get("schema"), wanted.get("prompt") or ""
    if isinstance(schema, dict):
        return _value(schema, "", prompt, pages)
    result = {"title": title_of(pages[0])} if len(pages) == 1 else {}
    fields: dict[str, Any] = {name: value for name, value in result.items() if value}
    if prompt and (sentences := best_sentences(prompt, _texts(pages), _MOST)):
        fields["answer"] = sentences[0]
        if len(sentences) > 1:
            fields["details"] = sentences[1:]
    elif not prompt:
        about = description_of(pages[0]) if pages else None
        fields |= {"description": about} if about else {}
    return fields


def _value(schema: Mapping[str, Any], name: str, prompt: str, pages: Sequence[Object]) -> Any:
    """Return the pages' value of a schema member, or None."""
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        members = schema.get("properties") or {}
        fields = {
            member: _value(of, member, prompt, pages) if isinstance(of, dict) else None
            for member, of in members.items()
        }
        required = schema.get("required") or ()
        return {member: value for member, value in fields.items() if value is not None or member in required}
    if kind == "array":
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {}
        if inner.get("type") == "object" or "properties" in inner:
            return [_value(inner, name, prompt, [page]) for page in pages]
        return _sentences(schema, name, pages, _MOST) or []
    if kind in ("number", "integer", "boolean"):
        return _plain_value(str(kind), schema, name, pages)
    return _text(schema, name, pages)


def _text(schema: Mapping[str, Any], name: str, pages: Sequence[Object]) -> str | None:
    words = pieces(name)
    last = words[-1] if words else ""
    for page in pages:
        if last in _TITLES and (title := title_of(page)):
            return title
        if last in _ADDRESSES:
            return str(page["url"])
        if last in _ABOUT and (about := description_of(page)):
            return about
    result = _sentences(schema, name, pages, 1)
    return result[0] if result else None


def _plain_value(kind: str, schema: Mapping[str, Any], name: str, pages: Sequence[Object]) -> Any:
    for sentence in _sentences(schema, name, pages, _MOST):
        if kind == "boolean":
            return True
        if (match := _NUMBER.search(sentence)) is not None:
            number = float(match[0].replace(",", ""))
            return int(number) if kind == "integer" or number.is_integer() else number
    return False if kind == "boolean" else None


def _sentences(schema: Mapping[str, Any], name: str, pages: Sequence[Object], limit: int) -> list[str]:
    question = f"{' '.join(pieces(name))} {schema.get('description') or ''}"
    return best_sentences(question, _texts(pages), limit)


def _texts(pages: Sequence[Object]) -> list[str]:
    results: list[str] = []
    for page in pages:
        html = raw_html(page)
        results += [block.text for block in blocks(html)] if html else dom.folded(markdown_of(page, {})).split("\n")
    return results
