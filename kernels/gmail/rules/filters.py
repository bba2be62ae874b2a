"""Filters: formatting, creation, and their effect on incoming messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines import javascript
from soundstage.kernels.gmail.rules import labels, search
from soundstage.kernels.gmail.rules.errors import ApiError, Refusal, not_found, wrapped
from soundstage.kernels.gmail.rules.mailbox import Mailbox
from soundstage.kernels.gmail.rules.query import All, Node, Not, Operator, parse

_MOST = 1_000
_SETS_BY_LABEL = ("addLabelIds", "removeLabelIds")


@dataclass(frozen=True, slots=True)
class Missed:
    """A text that lacks the requested information."""

    text: str


def create(mailbox: Mailbox, criteria: Mapping[str, Any], action: Mapping[str, Any]) -> Object:
    """Create a filter.

    Raises:
        Refusal: The API refuses it; the words depend on the API's status.
    """
    try:
        mailbox.needs("edit_filters")
        return mailbox.context.create("filter", mailbox.owned(_checked(mailbox, criteria, action)))
    except ApiError as error:
        before = "Invalid filter criteria or action" if error.code == 400 else "Failed to create filter"
        raise wrapped(error, before) from None


def get(mailbox: Mailbox, filter_id: str, doing: str) -> Object:
    """Return a filter by id; `doing` names the operation in errors.

    Raises:
        Refusal: The filter does not exist, or the login does not allow the operation.
    """
    try:
        mailbox.needs("filters" if doing == "get" else "edit_filters")
        row = mailbox.context.get("filter", filter_id)
        if row is None or row.get("mailbox") != mailbox.owner:
            raise not_found()
        return row
    except ApiError as error:
        if error.code == 404:
            raise Refusal("not_found", f'Filter with ID "{filter_id}" not found.') from None
        raise wrapped(error, f"Failed to {doing} filter") from None


def criteria_text(criteria: Mapping[str, Any]) -> str:
    """Format criteria like the server."""
    return ", ".join(f"{name}: {javascript.text(value)}" for name, value in criteria.items())


def action_text(action: Mapping[str, Any]) -> str:
    """Format actions like the server, without empty lists."""
    fields = {name: value for name, value in action.items() if value != []}
    return ", ".join(f"{n}: {', '.join(v) if isinstance(v, list) else javascript.text(v)}" for n, v in fields.items())


def apply(mailbox: Mailbox, message: Object) -> None:
    """Apply the mailbox's filters to an incoming message."""
    label_ids = message["labelIds"]
    for rule in mailbox.rows("filter"):
        if search.fits(mailbox, _tree(rule.get("criteria") or {}), message):
            action = rule.get("action") or {}
            label_ids = labels.with_changes(
                label_ids, action.get("addLabelIds") or [], action.get("removeLabelIds") or []
            )
    if label_ids != message["labelIds"]:
        mailbox.context.update("message", message["id"], {"labelIds": label_ids})


def _checked(mailbox: Mailbox, criteria: Mapping[str, Any], action: Mapping[str, Any]) -> Object:
    """Return the filter as the API stores it. Empty strings count as missing."""
    values = {
        name: {n: v for n, v in stated.items() if v != ""}
        for name, stated in (("criteria", criteria), ("action", action))
    }
    for name in _SETS_BY_LABEL:
        labels.check_ids(mailbox, values["action"].get(name, []))
    confirmed, forward = mailbox.account.get("forwardingAddresses"), values["action"].get("forward")
    if forward is not None and confirmed is not None and forward not in confirmed:
        raise ApiError(400, "invalid", "Unrecognized forwarding address")
    if not any(values["action"].values()):
        raise ApiError(400, "invalid", "Precondition check failed.")
    there = mailbox.rows("filter")
    if any({"criteria": f.get("criteria"), "action": f.get("action")} == values for f in there):
        raise ApiError(400, "conflict", "Filter already exists")
    if len(there) >= _MOST:
        raise ApiError(400, "limit", "Too many filters")
    return values


def _tree(criteria: Mapping[str, Any]) -> Node:
    """Return criteria as an equivalent search."""
    nodes: list[Node] = [
        parse(f"{name}:({criteria[name]})") for name in ("from", "to", "subject") if criteria.get(name)
    ]
    if criteria.get("query"):
        nodes.append(parse(criteria["query"]))
    if criteria.get("negatedQuery"):
        nodes.append(Not(parse(criteria["negatedQuery"])))
    if criteria.get("hasAttachment"):
        nodes.append(Operator("has", "attachment"))
    if criteria.get("sizeComparison") in ("larger", "smaller"):
        nodes.append(Operator(criteria["sizeComparison"], str(int(criteria.get("size") or 0))))
    return All(tuple(nodes))
