"""Endpoints for forms and scripts: `rule` states the expected fields, the stored fields and the response.

Kinds: `echo` returns the request, `search` lists a site's pages or items, `signup`, `login` and `logout` manage accounts, and
`order` computes a total. Every other kind (`comment`, `contact`, `booking` …) is stored under its own name.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from html import escape
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.web_requests.messages import Request, Response, filled_path
from soundstage.kernels.engines.web_requests.pages import SESSION, account, fields_of, filled

_REFUSAL = (
    "<!doctype html><html><head><title>Please check</title></head><body><h1>Please check what you "
    "sent</h1><p>{message}</p></body></html>"
)
_DONE = (
    "<!doctype html><html><head><title>Thank you</title></head><body><h1>Thank you</h1><p>We have received it: "
    "{id}</p></body></html>"
)
_RESULTS = (
    "<!doctype html><html><head><title>Search</title></head><body><h1>Search</h1>"
    "<p>{count} found for {q}</p>{results}</body></html>"
)
_MOST_RESULTS = 20


class Refused(Exception):
    """A site rejects a submission with a status and a message for the visitor."""

    def __init__(self, status: int, message: str) -> None:
        """Create a rejection."""
        super().__init__(message)
        self.status = status
        self.message = message


def answer(context: AppContext, endpoint: Object, request: Request) -> Response:
    """Handle a request to an endpoint: store what its rule says and return the response."""
    rule: dict[str, Any] = endpoint.get("rule") or {}
    kind = str(endpoint.get("kind") or "echo")
    if kind == "echo":
        return echo(request)
    if kind == "search":
        return _search(context, rule, request)
    if kind == "logout":
        context.web.set_item(request.host, "cookie", SESSION, None)
        return _redirect(rule.get("then") or "/", {}, request)
    if rule.get("login") and (not request.cookies or account(context, request.host) is None):
        if request.is_json:
            return _refusal(rule, request, Refused(401, "Sign in first."))
        return _redirect(rule.get("login_page") or "/login", {}, request)
    try:
        values = _login(context, rule, request) if kind == "login" else _record_fields(context, kind, rule, request)
    except Refused as refused:
        return _refusal(rule, request, refused)
    if request.is_json:
        return _json(200 if kind == "login" else 201, values, request)
    if rule.get("then"):
        return _redirect(rule["then"], values, request)
    return Response(200, filled(rule.get("page") or _DONE, values), request.url)


def echo(request: Request) -> Response:
    """Return the request's method, path and body as JSON."""
    path = request.url.partition("//")[2].partition("/")[2].partition("#")[0]
    fields = {"method": request.method, "path": f"/{path}", "body": request.sent}
    return Response(201 if request.method == "POST" else 200, json.dumps(fields), request.url, "application/json")


def _record_fields(context: AppContext, kind: str, rule: dict[str, Any], request: Request) -> dict[str, str]:
    """Store a record of a submitted form with the fields that the site adds."""
    collection = str(rule.get("collection") or {"signup": "account"}.get(kind, kind))
    fields = _fields(rule, request)
    if kind == "signup":
        name = str(rule.get("name") or "email")
        if any(r["fields"].get(name) == fields.get(name) for r in context.web.records(request.host, collection)):
            raise Refused(409, f"There is an account with this {name} already.")
    if kind == "order":
        fields |= _total(rule, fields)
        buyer = account(context, request.host) if request.cookies else None
        fields |= {} if buyer is None else {"account": str(buyer["id"])}
    template = str(rule.get("id") or f"{kind}-{{digits:8}}")
    record = context.web.add(request.host, collection, request.path, fields, template)
    if kind == "signup" and request.cookies:
        context.web.set_item(request.host, "cookie", SESSION, str(record["id"]))
    return {name: value for name, value in fields_of(record).items() if name != str(rule.get("secret") or "password")}


def _login(context: AppContext, rule: dict[str, Any], request: Request) -> dict[str, str]:
    name, secret = str(rule.get("name") or "email"), str(rule.get("secret") or "password")
    given = request.fields
    for record in context.web.records(request.host, str(rule.get("collection") or "account")):
        known = record["fields"]
        if known.get(name) == given.get(name) and known.get(secret) == given.get(secret):
            if request.cookies:
                context.web.set_item(request.host, "cookie", SESSION, str(record["id"]))
            return {key: value for key, value in fields_of(record).items() if key != secret}
    raise Refused(401, f"Wrong {name} or {secret}.")


def _fields(rule: dict[str, Any], request: Request) -> dict[str, str]:
    """Validate the submitted fields and drop unknown ones; a rule without fields accepts all."""
    given, wanted = request.fields, rule.get("fields")
    if not isinstance(wanted, dict):
        return given
    values: dict[str, str] = {}
    for name, need in wanted.items():
        value = given.get(name, "").strip()
        if not value:
            if need != "optional":
                raise Refused(422, f"{name} is missing.")
            continue
        if need == "email" and re.fullmatch(r"[^@\s]+@[^@\s]+", value) is None:
            raise Refused(422, f"{name} is no e-mail address.")
        if need == "number" and _number(value) is None:
            raise Refused(422, f"{name} is no number.")
        values[name] = value
    return values


def _total(rule: dict[str, Any], fields: dict[str, str]) -> dict[str, str]:
    """Return the total of an order."""
    prices = rule.get("prices")
    if not isinstance(prices, dict):
        return {}
    item = fields.get(str(rule.get("item") or "item"), "")
    if item not in prices:
        raise Refused(422, f"There is no {item or 'such item'} here.")
    count = _number(fields.get(str(rule.get("quantity") or "quantity"), "1"))
    if count is None or count < 1 or count != count.to_integral_value():
        raise Refused(422, "The quantity has to be a whole number from 1 on.")
    total = Decimal(str(prices[item])) * count
    return (
        {"total": f"{total:.2f}", "currency": str(rule["currency"])}
        if rule.get("currency")
        else {"total": f"{total:.2f}"}
    )


def _number(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value) < 10**9 else None


def _search(context: AppContext, rule: dict[str, Any], request: Request) -> Response:
    """List the items that contain all words of the query, in their original order."""
    requested = request.query.get(str(rule.get("param") or "q"), "").strip()
    words = requested.lower().split()
    items = rule.get("items") if isinstance(rule.get("items"), list) else _pages(context, request)
    results = [
        item
        for item in items or []
        if all(w in f"{item.get('title', '')} {item.get('text', '')}".lower() for w in words)
    ]
    if request.is_json:
        return Response(
            200,
            json.dumps({"query": requested, "results": results[:_MOST_RESULTS]}, ensure_ascii=False),
            request.url,
            "application/json",
        )
    rows = "".join(_row(item) for item in results[:_MOST_RESULTS])
    page = rule.get("page") or _RESULTS
    return Response(
        200, filled(page, {"q": requested, "count": len(results), "results": f"<ul>{rows}</ul>"}), request.url
    )


def _pages(context: AppContext, request: Request) -> list[dict[str, str]]:
    start = f"{request.scheme}://{request.host}/"
    rows = context.list("page", {"url >=": start, "url <": start[:-1] + "0"})
    return [
        {"title": str(r.get("title") or r["url"]), "text": str(r.get("description") or ""), "url": str(r["url"])}
        for r in rows
    ]


def _row(item: dict[str, Any]) -> str:
    title, text = escape(str(item.get("title", ""))), escape(str(item.get("text", "")))
    link = f'<a href="{escape(str(item["url"]))}">{title}</a>' if item.get("url") else title
    return f"<li>{link} {text}</li>" if text else f"<li>{link}</li>"


def _refusal(rule: dict[str, Any], request: Request, refused: Refused) -> Response:
    if request.is_json:
        return _json(refused.status, {"error": refused.message}, request)
    return Response(refused.status, filled(rule.get("error") or _REFUSAL, {"message": refused.message}), request.url)


def _json(status: int, value: dict[str, str], request: Request) -> Response:
    return Response(status, json.dumps(value, ensure_ascii=False), request.url, "application/json")


def _redirect(goal: str, values: dict[str, str], request: Request) -> Response:
    return Response(303, "", request.url, location=filled_path(goal, values))
