"""A branch is made. Which there are lies in a repository, which no tool lists and no table holds: each name is new."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments, Reply


def run(context: AppContext, arguments: Arguments) -> Reply:
    return f"Created branch '{arguments['branch_name']}' from '{arguments.get('base_branch') or 'main'}'"
