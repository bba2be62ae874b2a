"""The task service's error codes; the texts of 1470400 name the wrong field and the problem.

Source: https://open.feishu.cn/document/task-v2/overview and the error lists of the pages below it.
"""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.lark.rules.errors import LarkError


def invalid(message: str, *, kind: ErrorKind = "invalid") -> LarkError:
    """Return 1470400."""
    return LarkError(1470400, message, kind=kind)


def invalid_param(field: str, problem: str) -> LarkError:
    """Return 1470400 for a field."""
    return invalid(f"Invalid Param '{field}', {problem}")


def no_permission(message: str = "no permission to edit the task.") -> LarkError:
    """Return 1470403."""
    return LarkError(1470403, message, http=403, kind="permission")


def not_found(message: str = "task does not exist or has been deleted.") -> LarkError:
    """Return 1470404."""
    return LarkError(1470404, message, http=404, kind="not_found")


def server_failure(message: str, *, kind: ErrorKind = "invalid") -> LarkError:
    """Return 1470500, which the real service sends with HTTP 500 although the caller is at fault."""
    return LarkError(1470500, message, http=500, kind=kind)


def too_many(role: str) -> LarkError:
    """Return 1470610 or 1470611."""
    code = 1470610 if role == "assignee" else 1470611
    return LarkError(code, f"the number of {role}s exceeds the limit.", kind="limit")


def reminder_exists() -> LarkError:
    """Return 1470613."""
    return LarkError(1470613, "the task already has a reminder.", kind="conflict")
