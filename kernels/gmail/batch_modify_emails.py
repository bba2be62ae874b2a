"""The `batch_modify_emails` tool."""

from __future__ import annotations

from functools import partial

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.gmail.rules.batches import Batch, process, report
from soundstage.kernels.gmail.rules.changes import modify
from soundstage.kernels.gmail.rules.mailbox import acting
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Batch:
    """Add and remove labels on many messages."""
    add, remove = arguments.get("addLabelIds", []), arguments.get("removeLabelIds", [])
    work = partial(modify, acting(context), add=add, remove=remove)
    done, failures = process(context, arguments["messageIds"], arguments["batchSize"], work)
    return report("Batch label modification complete.", "processed", "process", done, failures)
