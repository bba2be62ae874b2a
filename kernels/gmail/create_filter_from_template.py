"""The `create_filter_from_template` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules import filters
from soundstage.kernels.gmail.rules.errors import Refusal
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments

_NEEDS = {
    "fromSender": "senderEmail",
    "withSubject": "subjectText",
    "largeEmails": "sizeInBytes",
    "containingText": "searchText",
    "mailingList": "listIdentifier",
}


def run(context: AppContext, arguments: Arguments) -> str:
    """Create a filter from a template; parameters that the template does not use are ignored."""
    template, parameters = arguments["template"], arguments["parameters"]
    needed = _NEEDS.get(template)
    if needed is not None and not parameters.get(needed):
        raise Refusal("invalid", f"{needed} is required for {template} template")
    made = filters.create(acting(context), _criteria(template, parameters), _action(template, parameters))
    return f"Filter created from template '{template}':\nID: {made['id']}\nTemplate used: {template}"


def _criteria(template: str, parameters: dict[str, Any]) -> dict[str, Any]:
    match template:
        case "fromSender":
            return {"from": parameters["senderEmail"]}
        case "withSubject":
            return {"subject": parameters["subjectText"]}
        case "withAttachments":
            return {"hasAttachment": True}
        case "largeEmails":
            return {"size": parameters["sizeInBytes"], "sizeComparison": "larger"}
        case "containingText":
            return {"query": f'"{parameters["searchText"]}"'}
        case _:
            name = parameters["listIdentifier"]
            return {"query": f"list:{name} OR subject:[{name}]"}


def _action(template: str, parameters: dict[str, Any]) -> dict[str, Any]:
    added, removed = list(parameters.get("labelIds", [])), []
    if template == "containingText" and parameters.get("markImportant"):
        added.append("IMPORTANT")
    if (template == "fromSender" and parameters.get("archive")) or (
        template == "mailingList" and parameters.get("archive", True)
    ):
        removed.append("INBOX")
    if template == "withSubject" and parameters.get("markAsRead"):
        removed.append("UNREAD")
    return {"addLabelIds": added, **({"removeLabelIds": removed} if removed else {})}
