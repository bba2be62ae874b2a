"""The token that the server holds, and the capabilities of its connection.

The token belongs to an internal integration: people share the workspace's connection, and its bot is the author of
everything they write. A person with a separate connection in the state (`user_id`) acts through that. Without an
`integration` row the token is valid and has every capability. The connection's user is the one that `bot_id` names,
else the first bot among the users, else the bot of the recorded workspace.
"""

from __future__ import annotations

import re
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules.errors import NotionError, api_error

Capability = Literal["read_content", "update_content", "insert_content", "read_comment", "insert_comment", "read_user"]

_TOKEN = re.compile(r"(ntn_|secret_)\w+")
_DEFAULT_BOT: Object = {
    "object": "user",
    "id": "9e2f4c1a-7b3d-4e8a-9c11-2d5f6a7b8c90",
    "name": "Workspace Agent",
    "avatar_url": None,
    "type": "bot",
    "bot": {
        "owner": {"type": "workspace", "workspace": True},
        "workspace_name": "Acme",
        "workspace_id": "5f3c2b1a-0d4e-4f6a-8b7c-9d0e1f2a3b4c",
        "workspace_limits": {"max_file_upload_size_in_bytes": 5242880},
    },
}


def check(context: AppContext, *capabilities: Capability) -> None:
    """Reject a call that the connection may not make.

    Raises:
        NotionError: 401 for an invalid token, 403 for a missing capability.
    """
    integration = _connection(context)
    if not _TOKEN.fullmatch(integration.get("token", "ntn_valid")):
        raise api_error(401, "unauthorized", "API token is invalid.")
    granted = integration.get("capabilities")
    if isinstance(granted, list) and any(needed not in granted for needed in capabilities):
        raise api_error(403, "restricted_resource", "Insufficient permissions for this endpoint.")


def bot(context: AppContext) -> Object:
    """Return the connection's own user."""
    integration = _connection(context)
    named = context.get("user", integration["bot_id"]) if integration.get("bot_id") else None
    user = named or context.first("user", {"type": "bot"}) or _DEFAULT_BOT
    return {**user, "name": integration["name"]} if integration.get("name") else user


def _connection(context: AppContext) -> Object:
    own = None if context.account is None else context.first("integration", {"user_id": context.account})
    return own or context.first("integration", {"user_id": None}) or {}


def bot_reference(context: AppContext) -> Object:
    """Return the connection's user as `created_by` and `last_edited_by` show it."""
    return {"object": "user", "id": bot(context)["id"]}


def not_found(context: AppContext, kind: str, identifier: str) -> NotionError:
    """Return 404 for an object that does not exist or is not shared; the API does not distinguish the two."""
    return api_error(
        404,
        "object_not_found",
        f"Could not find {kind} with ID: {identifier}. Make sure the relevant pages and databases are shared with "
        f'your integration "{bot(context).get("name", "")}".',
    )
