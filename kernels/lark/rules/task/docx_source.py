"""A task that belongs to a document (`docx_source`)."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.lark.rules import document_rights
from soundstage.kernels.lark.rules.field_sizes import check_size
from soundstage.kernels.lark.rules.identity import Caller
from soundstage.kernels.lark.rules.task import refusals
from soundstage.kernels.types import Arguments

ID_SIZE = 27
EXCLUDED = ("extra", "origin", "custom_complete")
"""Fields that such a task cannot have."""


def check(context: AppContext, caller: Caller, data: Arguments) -> None:
    """Reject a document that does not exist or that the caller may not edit.

    Raises:
        LarkError: 99992402, 1470400, 1470404, 1470403.
    """
    source = data["docx_source"]
    for name in ("token", "block_id"):
        check_size(f"docx_source.{name}", source[name], ID_SIZE, ID_SIZE)
    for name in EXCLUDED:
        if name in data:
            raise refusals.invalid_param("docx_source", f"cannot be set together with {name}.")
    document = context.get("document", source["token"])
    if document is None:
        raise refusals.not_found("document does not exist or has been deleted.")
    if document_rights.right_of(context, caller, document.get("owner_id"), [source["token"]]) < document_rights.EDIT:
        raise refusals.no_permission("no permission to edit the document.")
