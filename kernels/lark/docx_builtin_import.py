"""The `docx_builtin_import` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.lark.rules.documents.markdown import plain_text
from soundstage.kernels.lark.rules.errors import LarkError, LarkServerError
from soundstage.kernels.lark.rules.identity import caller
from soundstage.kernels.types import Arguments

_MOST_BYTES = 20 * 1024 * 1024
_UPLOADED_AS = "docx"  # the server uploads "docx.md", the default title without a file_name


def run(context: AppContext, arguments: Arguments) -> Object:
    """Create a document from Markdown.

    The real server uploads the file, starts an import and polls it; in this simulation it is complete at once.
    """
    markdown, title = arguments["data"]["markdown"], arguments["data"].get("file_name") or _UPLOADED_AS
    who = caller(context, arguments, "docs:document.media:upload", "docs:document:import")
    if not markdown:
        message = "Document import failed, please check the markdown file content"
        raise LarkServerError({"msg": message}, kind="invalid")
    if len(markdown.encode()) > _MOST_BYTES:
        raise LarkError(1061043, "file size beyond limit.", kind="limit")
    now = str(to_s(context.now()))
    document = context.create(
        "document",
        {
            "title": title,
            "content": f"{title}\n{plain_text(markdown)}",
            "owner_id": who.id or None,
            "docs_type": "doc",
            "create_time": now,
            "update_time": now,
        },
    )
    token = document["document_id"]
    result = {
        "ticket": context.new_id("import_ticket", "7{digits:18}"),
        "type": "docx",
        "job_status": 0,
        "job_error_msg": "success",
        "token": token,
        "url": f"https://example.feishu.cn/docx/{token}",
        "extra": [],
    }
    return {"result": result}
