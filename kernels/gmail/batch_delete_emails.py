"""The `batch_delete_emails` tool."""

from __future__ import annotations

from functools import partial

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.batches import Batch, process, report
from soundstage.kernels.gmail.rules.changes import delete
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Batch:
    """Delete many messages permanently."""
    done, failures = process(context, arguments["messageIds"], arguments["batchSize"], partial(delete, acting(context)))
    return report("Batch delete operation complete.", "deleted", "delete", done, failures)
