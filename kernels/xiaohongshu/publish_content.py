"""The `publish_content` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.types import Arguments
from soundstage.kernels.xiaohongshu.rules import downloads, publishing, schedule
from soundstage.kernels.xiaohongshu.rules.errors import failure

_MOST_PICTURES = 18


def run(context: AppContext, arguments: Arguments) -> str:
    """Publish a note with pictures; the reply, a printed Go struct, does not contain the note's id.

    Like the real server, it silently ignores paths that do not exist, but counts them in the reply.
    """
    title, content, images = arguments["title"], arguments["content"], arguments["images"] or []
    publishing.check_title(title)
    for image in filter(downloads.is_address, images):
        downloads.check(context, image)
    if not images:
        raise failure("发布", "no valid images found", "invalid")
    scheduled = schedule.check(context, arguments.get("schedule_at", ""))
    session = publishing.open_form(context, "publish_content")
    uploads = [image for image in images if downloads.is_address(image) or context.get("file", image)]
    if len(uploads) > _MOST_PICTURES:
        late = f"第{_MOST_PICTURES + 1}张图片上传超时"
        raise failure("发布", f"小红书上传图片失败: {late}: {late}(60s)，请检查网络连接和图片大小", "limit")
    publishing.check_body(content, publishing.tags_of(arguments))
    publishing.submit(context, session, arguments, scheduled=scheduled, uploads=uploads, video=False)
    return f"内容发布成功: &{{Title:{title} Content:{content} Images:{len(images)} Status:发布完成}}"
