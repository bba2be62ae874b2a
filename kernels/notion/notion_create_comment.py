"""The `notion_create_comment` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, blocks, ids, pages, rich_text, times, trash
from soundstage.kernels.notion.rules.errors import server_error
from soundstage.kernels.notion.rules.replies import Shown, of_object
from soundstage.kernels.notion.rules.validation import choice, need_one, only, refuse
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> Shown:
    """Comment on a page or block, or reply in a discussion."""
    parent, discussion_id = arguments.get("parent"), arguments.get("discussion_id")
    if parent is None and not discussion_id:
        raise server_error("Either parent.page_id or discussion_id must be provided")
    access.check(context, "insert_comment")
    if parent is not None and discussion_id:
        refuse("body.discussion_id", "not present", discussion_id)
    target = _parse_parent(parent) if parent is not None else {}
    thread = None if parent is not None else ids.need_uuid(discussion_id, "body.discussion_id")
    text = rich_text.parse(context, arguments["rich_text"], "body.rich_text")
    if thread is None:
        _need_commentable(context, target)
        thread = context.new_id("discussion", "{uuid4}")
    else:
        first = context.first("comment", {"discussion_id": thread})
        if first is None:
            raise access.not_found(context, "discussion", thread)
        target = first["parent"]
    now, bot = times.this_second(context), access.bot(context)
    comment: Object = {
        "object": "comment",
        "id": context.new_id("comment"),
        "parent": target,
        "discussion_id": thread,
        "created_time": now,
        "last_edited_time": now,
        "created_by": access.bot_reference(context),
        "rich_text": text,
        "display_name": {"type": "integration", "resolved_name": bot.get("name")},
    }
    return of_object(context, arguments, context.create("comment", comment))


def _parse_parent(parent: Object) -> Object:
    kind = next((kind for kind in ("page_id", "block_id") if kind in parent), None)
    if kind is None:
        need_one("body.parent", ("page_id", "block_id"))
    only(parent, ("type", kind), "body.parent")
    if "type" in parent:
        choice(parent["type"], (kind,), "body.parent.type")
    return {"type": kind, kind: ids.need_uuid(parent[kind], f"body.parent.{kind}")}


def _need_commentable(context: AppContext, target: Object) -> None:
    if target["type"] == "page_id":
        trash.need_editable(context, pages.find(context, target["page_id"]))
    else:
        trash.need_editable(context, blocks.find(context, target["block_id"]).record)
