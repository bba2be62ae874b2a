"""The page's list of direct conversations, which two tools return in two envelopes."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules.conversations import mine
from soundstage.kernels.instagram.rules.fields import parse
from soundstage.kernels.instagram.rules.nodes import CONVERSATION, project_all
from soundstage.kernels.instagram.rules.pages import page
from soundstage.kernels.types import Arguments

_FIELDS = "id,participants,updated_time"


def list_conversations(context: AppContext, page_id: str, arguments: Arguments) -> tuple[list[Object], Object]:
    """Return a page of the account's conversations and its `paging`."""
    rows, paging = page(mine(context), f"{page_id}/conversations", arguments, _FIELDS)
    return project_all(context, CONVERSATION, rows, parse(_FIELDS)), paging
