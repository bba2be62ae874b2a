"""The `send_template_card` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.types import Arguments
from soundstage.kernels.wecom.rules.errors import Panic
from soundstage.kernels.wecom.rules.process import handled


def run(context: AppContext, arguments: Arguments) -> str | AppError:
    """Crash the process, as every call does: the action's type is read as an int, but Go decodes JSON numbers as floats."""
    return handled(context, "send_template_card", _handle, arguments)


def _handle(context: AppContext, arguments: Arguments) -> str:
    raise Panic
