"""The `search_pediatric_guidelines` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules import aap
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.types import Arguments

_BY_SOURCE = {"bright-futures": aap.preventive_care, "aap-policy": aap.policy_statements, "all": aap.both}


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Search one site of the American Academy of Pediatrics, or both."""
    return _BY_SOURCE[arguments["source"]](context, arguments["query"])
