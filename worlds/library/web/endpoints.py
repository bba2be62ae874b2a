"""The handlers of forms: one endpoint for each address that a form submits to or that `site.yaml` names under `answers`.

`soundstage.kernels.engines.web` documents the members of a rule. This module derives them from the form and the site: the
fields, the prices of the site's products, the page that shows results or a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from soundstage.worlds.library.web.written import Form, Page, Site

Render = Callable[[Page], str]
"""A page of the site, as a document."""

_RESULTS = '\n<p><span id="count">{count}</span> for “{q}”</p>\n\n<div id="results">\n{results}\n</div>\n'
_RESULTS_ZH = '\n<p>“{q}”：共 <span id="count">{count}</span> 条</p>\n\n<div id="results">\n{results}\n</div>\n'


def endpoints(site: Site, pages: Sequence[Page], render: Render) -> Iterator[dict[str, Any]]:
    """One row for each address; the first page by path that has the form gives the rule."""
    seen: set[str] = set()
    for page in sorted((page for page in pages if page.form is not None), key=lambda page: page.path):
        form = page.form
        if form is not None and form.action not in seen:
            seen.add(form.action)
            yield _row(site, form, _rule(form, page, pages, render))
    for form in site.answers:
        yield _row(site, form, form.rule)


def _row(site: Site, form: Form, rule: dict[str, Any]) -> dict[str, Any]:
    return {"url": site.origin + form.action, "method": form.method.upper(), "kind": form.kind, "rule": rule}


def _rule(form: Form, page: Page, pages: Sequence[Page], render: Render) -> dict[str, Any]:
    if form.kind == "search":
        return _search(form, page, pages, render)
    rule: dict[str, Any] = {"fields": {field.name: _demand(field.type, field.required) for field in form.fields}}
    if form.collection:
        rule["collection"] = form.collection
    if form.reply:
        rule["page"] = render(replace(page, text=form.reply, form=None, price="", stock=""))
    elif form.then:
        rule["then"] = form.then
    if form.kind == "order":
        rule |= _sale(form, pages)
    return rule | form.rule


def _demand(kind: str, required: bool) -> str:
    if not required:
        return "optional"
    return kind if kind in ("email", "number") else "required"


def _sale(form: Form, pages: Sequence[Page]) -> dict[str, Any]:
    """Return the products for sale, if the form offers the site's products, and the field with the quantity."""
    names = {field.name: field for field in form.fields}
    sale: dict[str, Any] = {}
    if "item" in names:
        prices = {page.title: page.price.lstrip("¥").replace(",", "") for page in pages if page.price}
        sale |= {"item": "item", "currency": "CNY", "prices": {name: prices[name] for name in names["item"].options}}
    if "quantity" in names:
        sale["quantity"] = "quantity"
    return sale


def _search(form: Form, page: Page, pages: Sequence[Page], render: Render) -> dict[str, Any]:
    """The page of the form with the results below; `items: /path/` in the form's rule searches the products below that path."""
    results = _RESULTS_ZH if page.lang == "zh" else _RESULTS
    rule = {"param": form.fields[0].name} | form.rule
    if "items" in rule:
        sold = [other for other in sorted(pages, key=lambda other: other.path) if other.path.startswith(rule["items"])]
        rule["items"] = [{"title": sold_one.title, "text": sold_one.price, "url": sold_one.path} for sold_one in sold]
    return rule | {"page": render(replace(page, text="[[form]]\n" + results))}
