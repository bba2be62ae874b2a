"""Rednote's errors, all worded alike: the action, 失败 (failed), and the reason."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments


class RednoteError(AppError):
    """A failed call; `message` is the whole text for the client."""


def failure(action: str, reason: str, kind: ErrorKind) -> RednoteError:
    """Return the error `<action>失败: <reason>`."""
    return RednoteError(kind, f"{action}失败: {reason}")


def panic_error(tool: str, reason: str, kind: ErrorKind) -> RednoteError:
    """Return the error for a panic in the server's browser code, usually because an element never appeared."""
    return RednoteError(kind, f"工具 {tool} 执行时发生内部错误: {reason}\n\n请查看服务端日志获取详细信息。")


def require(arguments: Arguments, action: str, *names: str) -> tuple[str, ...]:
    """Return the text arguments `names`, none of which may be empty.

    Raises:
        RednoteError: For the first empty one.
    """
    for name in names:
        if not arguments[name]:
            raise failure(action, f"缺少{name}参数", "invalid")
    return tuple(arguments[name] for name in names)
