"""The `add_contact` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import ABSENT
from soundstage.kernels.telegram.rules import peers, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.types import Arguments


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Add a person to the contacts, by username or by phone."""
    client = server.client()
    first, last = arguments["first_name"], arguments["last_name"]
    if arguments["username"]:
        username = arguments["username"].lstrip("@")
        _add_by_username(client, username, first, last)
        return f"Contact {first} {last} (@{username}) added successfully."
    if arguments["phone"]:
        _add_by_phone(client, arguments["phone"], first, last)
        return f"Contact {first} {last} added successfully."
    raise Refusal("invalid", "Error: Either phone or username must be provided.")


def _add_by_username(client: Client, username: str, first: str, last: str) -> None:
    if not username:
        raise Refusal("invalid", "Error: Username cannot be empty.")
    person = resolve.by_username(client, username)
    if person is None:
        raise Failed("USERNAME_NOT_OCCUPIED")
    if not peers.is_user(person):
        raise Refusal("not_found", f"Error: User with username @{username} not found.")
    if person["id"] == client.id:
        raise Failed("CONTACT_ID_INVALID")
    if not first.strip():
        raise Failed("CONTACT_NAME_EMPTY")
    _keep(client, person["id"], first, last)


def _add_by_phone(client: Client, phone: str, first: str, last: str) -> None:
    digits = resolve.parse_phone(phone)
    person = next((u for u in peers.users(client) if digits and u.get("phone") == digits), None)
    if person is None:
        nobody = "ImportedContacts(imported=[], popular_invites=[], retry_contacts=[], users=[])"
        raise Refusal("not_found", f"Contact not added. Response: {nobody}")
    _keep(client, person["id"], first, last)


def _keep(client: Client, user_id: int, first: str, last: str) -> None:
    """Make a user a contact under the given name."""
    names = {"first_name": first.strip() or ABSENT, "last_name": last.strip() or ABSENT}
    peers.relate(client, user_id, {"contact": True, **names})
