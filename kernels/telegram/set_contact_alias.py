"""The `set_contact_alias` tool."""

from __future__ import annotations

from typing import Any

from soundstage.kernels.telegram.rules import aliases, peers, resolve
from soundstage.kernels.telegram.rules.errors import Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.text import results_json
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Save a nickname for a person.

    The server does not validate the target text, so a number is read as the phone of a contact.
    """
    client = server.client()
    alias, target = arguments["alias"], arguments["chat_id"]
    key = aliases.key_of(alias)
    if not key:
        raise Refusal("invalid", "Alias must not be empty.")
    if aliases.is_handle_like(key):
        raise _not_saved("alias_shadows_real_identifier", _shadows(alias))
    meant = aliases.resolve_alias(client.own_rows, target)
    if isinstance(meant, str) and not aliases.is_handle_like(target):
        candidates = aliases.as_candidates(aliases.matches(client.own_rows, target))
        raise _not_saved("ambiguous_target", _unclear(target), candidates=candidates)
    person = resolve.entity(client, meant)
    shown = peers.format_entity(person)
    current = aliases.load_aliases(client.own_rows).get(key)
    if current is not None and current["id"] != person["id"] and not arguments["replace"]:
        detail = (
            f"'{key}' already points at {current['name'] or current['id']}. Confirm with the user, then call again with "
            "replace=True."
        )
        raise _not_saved("alias_already_used", detail, current=current)
    record = {"id": person["id"], "name": shown["name"], "account": arguments["account"] or "default"}
    client.own_rows.put("contact_alias", {"alias": key}, record)
    return results_json({"saved": True, "alias": key, "resolved": shown})


def _not_saved(reason: str, detail: str, **details: Any) -> Refusal:
    return Refusal("invalid", results_json({"saved": False, "reason": reason, "detail": detail, **details}))


def _shadows(alias: str) -> str:
    return (
        f"'{alias}' looks like a username, phone, numeric ID or self-reference and would shadow the real one. Use a distinct "
        "nickname, e.g. add a second word."
    )


def _unclear(target: str) -> str:
    return (
        f"'{target}' is not an exact identifier. Save the contact by @username, phone number, numeric ID, or an alias already "
        "saved for them — never by a name you have not confirmed with the user."
    )
