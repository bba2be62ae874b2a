"""Property values as text."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.notion.rules import rich_text


def value_text(context: AppContext, value: dict[str, Any]) -> str:
    """Return a property value as a cell shows it."""
    kind = str(value.get("type"))
    inner = value.get(kind)
    match kind:
        case "title" | "rich_text":
            return rich_text.plain(inner) if isinstance(inner, list) else ""
        case "select" | "status":
            return str((inner or {}).get("name") or "") if isinstance(inner, dict) else ""
        case "multi_select":
            return ", ".join(str(o.get("name")) for o in inner or [] if isinstance(o, dict))
        case "date":
            return (
                " → ".join(str(inner[k]) for k in ("start", "end") if inner.get(k)) if isinstance(inner, dict) else ""
            )
        case "people":
            return ", ".join(_person(context, p) for p in inner or [])
        case "created_by" | "last_edited_by":
            return _person(context, inner)
        case "checkbox":
            return "☑" if inner else "☐"
        case "relation":
            return ", ".join(_page(context, r) for r in inner or [])
        case "files":
            return ", ".join(str(f.get("name")) for f in inner or [] if isinstance(f, dict))
        case "formula" | "rollup":
            return value_text(context, inner) if isinstance(inner, dict) and inner.get("type") != kind else ""
        case "unique_id":
            prefix = (inner or {}).get("prefix") if isinstance(inner, dict) else None
            return (
                f"{prefix + '-' if prefix else ''}{(inner or {}).get('number', '')}" if isinstance(inner, dict) else ""
            )
        case _:
            return "" if inner is None or isinstance(inner, dict | list) else str(inner)


def _person(context: AppContext, reference: object) -> str:
    if not isinstance(reference, dict):
        return ""
    user = context.get("user", str(reference.get("id"))) or reference
    return str(user.get("name") or user.get("id") or "")


def _page(context: AppContext, reference: object) -> str:
    page = context.get("page", str(reference.get("id"))) if isinstance(reference, dict) else None
    return "(a page)" if page is None else rich_text.title(page) or "Untitled"
