"""Markdown that the MCP server writes for texts, tables and values.

Source of the three `markdown` modules: `src/markdown/index.ts` in https://github.com/suekou/mcp-notion-server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import orjson

from soundstage.contexts.engine.schema import Object


def rich_text(items: Any) -> str:
    """Return rich text with its styles, colours and links."""
    if not isinstance(items, list):
        return ""
    return "".join(_item(item) for item in items if isinstance(item, dict))


def plain(items: Any) -> str:
    """Return rich text as plain text."""
    if not isinstance(items, list):
        return ""
    return "".join(
        item.get("plain_text") or record(item.get("text")).get("content") or _expression(item)
        for item in items
        if isinstance(item, dict)
    )


def _item(item: Object) -> str:
    raw = item.get("plain_text") or record(item.get("text")).get("content") or ""
    style = record(item.get("annotations"))
    if item.get("type") == "equation":
        text = f"${_expression(item) or raw}$"
    elif style.get("code"):
        text = f"`` {raw} ``" if "`" in raw else f"`{raw}`"
    else:
        text = re.sub(r"([*_~\[\]])", r"\\\1", raw.replace("\\", "\\\\"))
        for name, before, after in (
            ("bold", "**", "**"),
            ("italic", "*", "*"),
            ("strikethrough", "~~", "~~"),
            ("underline", "<u>", "</u>"),
        ):
            if style.get(name):
                text = f"{before}{text}{after}"
    color = style.get("color")
    if color and color != "default":
        escaped = color.replace("&", "&amp;").replace('"', "&quot;")
        text = f'<span data-notion-color="{escaped}">{text}</span>'
    href = item.get("href") or record(record(item.get("text")).get("link")).get("url")
    return f"[{link_label(without_tags(text))}]({href})" if href else text


def _expression(item: Object) -> str:
    return record(item.get("equation")).get("expression") or ""


def record(value: Any) -> Object:
    """Return an object, or an empty one for other values."""
    return value if isinstance(value, dict) else {}


def sections(*parts: str) -> str:
    """Join the non-empty parts by blank lines."""
    return "\n\n".join(part.strip() for part in parts if part.strip())


def link_label(text: str) -> str:
    """Escape the brackets in the label of a link."""
    return text.replace("[", "\\[").replace("]", "\\]")


def without_tags(text: str) -> str:
    """Remove HTML tags."""
    return re.sub(r"<[^>]+>", "", text)


def cell(value: Any) -> str:
    """Return a value as a table cell."""
    return text_of(value).replace("|", "\\|").replace("\n", " ")


def table(headers: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return a Markdown table."""
    names = list(headers)
    lines = [names, ["---"] * len(names), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text_of(value: Any) -> str:
    """Return a value as JavaScript's String() or compact JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json_text(value)


def json_text(value: Any) -> str:
    """Return compact JSON."""
    return orjson.dumps(value).decode()


def json_block(value: Any) -> str:
    """Return an object without a Markdown form as a JSON code block."""
    return f"```json\n{orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()}\n```"


def metadata(values: Object) -> str:
    """Return a list of the non-empty values."""
    present = {name: value for name, value in values.items() if value is not None and value != ""}
    return "\n".join(f"- {name}: {text_of(value)}" for name, value in present.items())


def parent(value: Any) -> str:
    """Return a parent as `type:id`."""
    fields = record(value)
    names = ("page_id", "data_source_id", "database_id", "block_id")
    identifier = next((fields[name] for name in names if fields.get(name)), "")
    kind = str(fields.get("type") or "")
    return f"{kind}:{identifier}" if identifier else kind


def file_url(value: Any) -> str | None:
    """Return the address of a file."""
    file = record(value)
    if file.get("type") in ("external", "file"):
        url = record(file.get(file["type"])).get("url")
    else:
        url = record(file.get("external")).get("url") or record(file.get("file")).get("url") or file.get("url")
    return url if isinstance(url, str) else None
