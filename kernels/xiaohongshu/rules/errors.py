"""Rednote's refusals. The server words them all alike: what was tried, 失败 (failed), and why."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.types import Arguments


class RednoteError(AppError):
    """A refusal; `message` is the whole text that the client reads."""


def failed(action: str, reason: str, kind: ErrorKind) -> RednoteError:
    """`<action>失败: <reason>`."""
    return RednoteError(kind, f"{action}失败: {reason}")


def panicked(tool: str, reason: str, kind: ErrorKind) -> RednoteError:
    """What the server says when its browser code panicked, mostly because a page never showed an element."""
    return RednoteError(kind, f"工具 {tool} 执行时发生内部错误: {reason}\n\n请查看服务端日志获取详细信息。")


def require(arguments: Arguments, action: str, *names: str) -> tuple[str, ...]:
    """The text arguments `names`, none of which may be empty.

    Raises:
        RednoteError: naming the first empty one.
    """
    for name in names:
        if not arguments[name]:
            raise failed(action, f"缺少{name}参数", "invalid")
    return tuple(arguments[name] for name in names)
