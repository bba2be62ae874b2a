"""The `search_aap_guidelines` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules import aap
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search both sites of the American Academy of Pediatrics."""
    return aap.both(context, arguments["query"])
