"""The `publish_with_video` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import publishing, schedule
from soundstage.kernels.xiaohongshu.rules.errors import failure


def run(context: AppContext, arguments: Arguments) -> str:
    """Publish a note with a video from the server's disk.

    The reply, a printed Go struct, does not contain the note's id.
    """
    title, content, video = arguments["title"], arguments["content"], arguments["video"]
    if not video:
        raise failure("发布", "缺少本地视频文件路径", "invalid")
    publishing.check_title(title)
    if context.get("file", video) is None:
        raise failure("发布", f"视频文件不存在或不可访问: stat {video}: no such file or directory", "not_found")
    scheduled = schedule.check(context, arguments.get("schedule_at", ""))
    session = publishing.open_form(context, "publish_with_video")
    publishing.submit(context, session, arguments, scheduled=scheduled, uploads=[video], video=True)
    return f"视频发布成功: &{{Title:{title} Content:{content} Video:{video} Status:发布完成}}"
