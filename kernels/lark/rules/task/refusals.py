"""The task service's error codes. The texts of 1470400 tell which field is wrong, and how.

Source: https://open.feishu.cn/document/task-v2/overview and the error lists of the pages below it.
"""

from __future__ import annotations

from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.lark.rules.errors import LarkError


def invalid(message: str, *, kind: ErrorKind = "invalid") -> LarkError:
    return LarkError(1470400, message, kind=kind)


def invalid_param(field: str, problem: str) -> LarkError:
    return invalid(f"Invalid Param '{field}', {problem}")


def no_permission(message: str = "no permission to edit the task.") -> LarkError:
    return LarkError(1470403, message, http=403, kind="permission")


def not_found(message: str = "task does not exist or has been deleted.") -> LarkError:
    return LarkError(1470404, message, http=404, kind="not_found")


def failed(message: str, *, kind: ErrorKind = "invalid") -> LarkError:
    """What the real service answers with HTTP 500 although the caller is at fault."""
    return LarkError(1470500, message, http=500, kind=kind)


def too_many(role: str) -> LarkError:
    code = 1470610 if role == "assignee" else 1470611
    return LarkError(code, f"the number of {role}s exceeds the limit.", kind="limit")


def reminder_exists() -> LarkError:
    return LarkError(1470613, "the task already has a reminder.", kind="conflict")
