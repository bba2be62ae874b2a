"""Dynamic pages: `{user}`, records of a collection, and parts for signed-in or signed-out visitors."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import from_ms
from soundstage.contexts.engine.schema import Object

SESSION = "session"
"""The cookie with the record id of the signed-in account."""

_WORD = re.compile(r"\{(\w+)\}")
_RECORDS = re.compile(r"(<(\w+)\b[^>]*\bdata-records=\"(\w+)\"[^>]*>\s*<template>)(.*?)(</template>)", re.S)
_SIGNED = re.compile(r"<(\w+)\b[^>]*\bdata-signed=\"(in|out)\"[^>]*>.*?</\1>", re.S)


def account(context: AppContext, host: str) -> Object | None:
    """Return the account with which the browser is signed in, or None."""
    key = context.web.storage(host, "cookie").get(SESSION)
    return None if key is None else context.web.record(host, key)


def shown(context: AppContext, host: str, path: str, text: str, signed_in: Object | None) -> str:
    """Render a page for the session."""
    if "data-records=" in text:
        text = _RECORDS.sub(lambda match: _with_records(context, host, path, match), text)
    if "data-signed=" in text:
        stored = "in" if signed_in is not None else "out"
        text = _SIGNED.sub(lambda match: match[0] if match[2] == stored else "", text)
    if "{user}" in text:
        fields = (signed_in or {}).get("fields") or {}
        text = text.replace("{user}", escape(fields.get("name") or fields.get("email") or ""))
    return text


def filled(template: str, values: dict[str, Any]) -> str:
    """Fill `{field}` placeholders of a template, escaped; `results` is already HTML. Other braces stay."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            return match[0]
        return str(values[name]) if name == "results" else escape(str(values[name]))

    return _WORD.sub(value, template)


def fields_of(record: Object) -> dict[str, str]:
    """Return a record's fields with its id and its date."""
    day = from_ms(int(record.get("at") or 0)).strftime("%Y-%m-%d")
    return {**(record.get("fields") or {}), "id": str(record["id"]), "at": day}


def _with_records(context: AppContext, host: str, path: str, match: re.Match[str]) -> str:
    opening, _, kind, template, closing = match.groups()
    here = re.search(r"\bdata-here\b", opening) is not None
    records = [r for r in context.web.records(host, kind) if not here or r.get("path") == path]
    return opening + template + closing + "".join(filled(template, fields_of(record)) for record in records)
