"""Another branch is looked at. Which there are lies in a repository, which no tool lists and no table holds: any name will do."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    return f"Switched to branch '{arguments['branch_name']}'"
