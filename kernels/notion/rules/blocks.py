"""The API's block endpoints: retrieve, append, update and trash.

Source: https://developers.notion.com/reference/patch-block-children and its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.notion.rules import access, block_content, children, ids, times, trash
from soundstage.kernels.notion.rules.children import Node
from soundstage.kernels.notion.rules.errors import invalid
from soundstage.kernels.notion.rules.validation import (
    OR_UNDEFINED,
    array,
    boolean,
    choice,
    json_object,
    member,
    need_one,
    only,
    refuse,
)

CHILDREN_LIMIT = 100
REQUEST_LIMIT = 1000
_CHILD_TYPES = {"table": "table_row", "column_list": "column"}
_DEEPEST_WITH_CHILDREN = 1  # the third level of new blocks has no children


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A validated block of a request, with the blocks inside it."""

    type: str
    content: Object
    children: list[NewBlock] = field(default_factory=list)

    def count(self) -> int:
        """Count the block and the blocks inside it."""
        return 1 + sum(child.count() for child in self.children)


def find(context: AppContext, identifier: str) -> Node:
    """Return the block, page or database with an id.

    Raises:
        NotionError: 404 for an unknown one.
    """
    node = children.find(context, identifier)
    if node is None:
        raise access.not_found(context, "block", identifier)
    return node


def retrieve(context: AppContext, raw: str) -> Object:
    """Perform GET /v1/blocks/{id}."""
    access.check(context, "read_content")
    return children.to_reply(context, find(context, ids.path_id(raw, "block_id")))


def append(context: AppContext, raw: str, sent: list[Any], position: Object | None) -> list[Object]:
    """Perform PATCH /v1/blocks/{id}/children and return the new top-level blocks.

    Raises:
        NotionError: The body is invalid, or the parent is unknown, in the trash or does not accept such children.
    """
    access.check(context, "insert_content")
    identifier = ids.path_id(raw, "block_id", last=False)
    new = _parse_children(context, sent, "body.children", 0)
    if (total := sum(block.count() for block in new)) > REQUEST_LIMIT:
        raise invalid(f"body failed validation: body.children should have at most {REQUEST_LIMIT} blocks, has {total}.")
    anchor_id = _parse_position(position)
    above = find(context, identifier)
    trash.need_editable(context, above.record)
    _check_fits(above, new)
    anchor = _anchor(context, above, position, anchor_id)
    made: list[Object] = []
    for block in new:
        made.append(_create(context, above, block, anchor))
        anchor = made[-1]["id"] if anchor is not None else None
    if new:
        _mark_children(context, above, True)
    return [children.to_reply(context, Node("block", block)) for block in made]


def update(context: AppContext, raw: str, body: Object) -> Object:
    """Perform PATCH /v1/blocks/{id}.

    Raises:
        NotionError: The body is invalid, the block is unknown or in the trash, or the content has another type.
    """
    access.check(context, "update_content")
    identifier = ids.path_id(raw, "block_id")
    kind, changes = _parse_update(context, body)
    node = find(context, identifier)
    if kind is not None and kind != node.type:
        raise invalid(f"Expected block type {node.type} in request body")
    if body.get("in_trash") is False:
        node = _set_trash(context, node, False)
    if kind is None and "in_trash" in body:
        return children.to_reply(context, _set_trash(context, node, True) if body["in_trash"] else node)
    trash.need_editable(context, node.record)
    if kind is not None:
        node = _write(context, node, {kind: _merged(context, node, changes)})
    return children.to_reply(context, _set_trash(context, node, True) if body.get("in_trash") else node)


def delete(context: AppContext, raw: str) -> Object:
    """Perform DELETE /v1/blocks/{id}, which moves the block to the trash.

    Raises:
        NotionError: The block is unknown or already in the trash, or is a page at the top of the workspace.
    """
    access.check(context, "update_content")
    node = find(context, ids.path_id(raw, "block_id"))
    return children.to_reply(context, _set_trash(context, node, True))


def _parse_children(context: AppContext, value: Any, path: str, level: int) -> list[NewBlock]:
    sent = array(value, path, limit=CHILDREN_LIMIT)
    return [_parse_child(context, child, f"{path}[{i}]", level) for i, child in enumerate(sent)]


def _parse_child(context: AppContext, value: Any, path: str, level: int) -> NewBlock:
    sent = json_object(value, path)
    kind = next((name for name in block_content.LISTED if name in sent and name in block_content.WRITABLE), None)
    if kind is None:
        need_one(path, block_content.LISTED)
    only(sent, ("object", "type", kind), path)
    if "object" in sent:
        choice(sent["object"], ("block",), f"{path}.object")
    if "type" in sent:
        choice(sent["type"], (kind,), f"{path}.type")
    content = json_object(sent[kind], f"{path}.{kind}")
    if level > _DEEPEST_WITH_CHILDREN and "children" in content:
        refuse(f"{path}.{kind}.children", "not present", content["children"])
    stored = block_content.parse_new(context, kind, content, f"{path}.{kind}")
    inner = _parse_children(context, content.get("children", []), f"{path}.{kind}.children", level + 1)
    new = NewBlock(kind, stored, inner)
    _check_inner(new, f"{path}.{kind}.children")
    return new


def _check_inner(block: NewBlock, path: str) -> None:
    """Require that tables contain rows and column lists columns, at least one each."""
    child_type = _CHILD_TYPES.get(block.type)
    if child_type is None:
        for i, child in enumerate(block.children):
            if child.type in _CHILD_TYPES.values():
                refuse(f"{path}[{i}].{child.type}", "not present", child.content)
        return
    if not block.children:
        refuse(f"{path}.length", "≥ `1`", 0)
    for i, child in enumerate(block.children):
        if child.type != child_type:
            refuse(f"{path}[{i}].{child_type}", "defined")
        if child_type == "table_row":
            block_content.check_row(child.content, block.content["table_width"])


def _check_fits(above: Node, new: list[NewBlock]) -> None:
    if above.kind == "database" or (above.kind == "block" and not block_content.can_have_children(above.type)):
        raise invalid("Block does not support children")
    child_type = _CHILD_TYPES.get(above.type)
    for i, block in enumerate(new):
        if child_type is not None and block.type != child_type:
            refuse(f"body.children[{i}].{child_type}", "defined")
        if child_type is None and block.type in _CHILD_TYPES.values():
            refuse(f"body.children[{i}].{block.type}", "not present", block.content)
        if block.type == "table_row":
            block_content.check_row(block.content, (above.record.get("table") or {}).get("table_width"))


def _parse_position(position: Object | None) -> str | None:
    if position is None:
        return None
    if position["type"] != "after_block":
        only(position, ("type",), "body.position")
        return None
    only(position, ("type", "after_block"), "body.position")
    target = json_object(position["after_block"], "body.position.after_block")
    only(target, ("id",), "body.position.after_block")
    return ids.need_uuid(member(target, "id", "body.position.after_block"), "body.position.after_block.id")


def _anchor(context: AppContext, above: Node, position: Object | None, anchor_id: str | None) -> str | None:
    if position is None or position["type"] == "end":
        return children.end_anchor(context, above)
    if position["type"] == "start":
        return above.id
    sibling = find(context, str(anchor_id))
    if (sibling.record.get("parent") or {}).get(above.link) != above.id:
        # The API's message for a block with another parent is not on record.
        raise invalid(f"Block {sibling.id} is not a child of {above.id}.")
    return sibling.id


def _create(context: AppContext, above: Node, block: NewBlock, anchor: str | None) -> Object:
    now, by = times.this_minute(context), access.bot_reference(context)
    record: Object = {
        "object": "block",
        "id": context.new_id("block"),
        "parent": {"type": above.link, above.link: above.id},
        "created_time": now,
        "last_edited_time": now,
        "created_by": by,
        "last_edited_by": by,
        "has_children": bool(block.children),
        "in_trash": False,
        "type": block.type,
        block.type: block.content,
    }
    made = context.create("block", record if anchor is None else {**record, "after": anchor})
    for child in block.children:
        _create(context, Node("block", made), child, None)
    return made


def _parse_update(context: AppContext, body: Object) -> tuple[str | None, Object]:
    kind = next((name for name in body if name in block_content.CHANGEABLE), None)
    only(body, ("type", "in_trash") if kind is None else ("type", "in_trash", kind), "body")
    if "in_trash" in body:
        boolean(body["in_trash"], "body.in_trash", OR_UNDEFINED)
    if kind is None:
        if "type" in body:
            refuse("body.type", "not present", body["type"])
        return None, {}
    if "type" in body:
        choice(body["type"], (kind,), "body.type")
    return kind, block_content.parse_changes(context, kind, body[kind], f"body.{kind}")


def _merged(context: AppContext, node: Node, changes: Object) -> Object:
    if node.type == "table_row":
        table = context.get("block", str((node.record.get("parent") or {}).get("block_id")))
        if table is not None:
            block_content.check_row(changes, (table.get("table") or {}).get("table_width"))
    if node.type == "link_to_page":  # it has a single target
        return changes
    before: Object = node.record.get(node.type) or {}
    if node.type in block_content.MEDIA and "external" in changes:  # replaces a file that Notion hosts
        before = {**{name: value for name, value in before.items() if name != "file"}, "type": "external"}
    return {**before, **changes}


def _set_trash(context: AppContext, node: Node, in_trash: bool) -> Node:
    if in_trash:
        trash.need_editable(context, node.record)
        if (node.record.get("parent") or {}).get("type") == "workspace":
            raise invalid("Archiving workspace level pages via API not supported.")
    elif not node.record.get("in_trash"):
        return node
    changed = _write(context, node, {"in_trash": in_trash})
    if node.kind == "database":
        for source in context.list("data_source", {"parent_database_id": node.id}):
            context.update("data_source", source["id"], {"in_trash": in_trash})
    above = trash.holder(context, node.record)
    if above is not None and (holder := children.find(context, above["id"])) is not None:
        _mark_children(context, holder, children.has_live(context, holder))
    return changed


def _write(context: AppContext, node: Node, changes: Object) -> Node:
    edited: Object = {"last_edited_time": times.this_minute(context)}
    if node.kind != "database":
        edited["last_edited_by"] = access.bot_reference(context)
    return Node(node.kind, context.update(node.kind, node.id, {**edited, **changes}))


def _mark_children(context: AppContext, above: Node, has_children: bool) -> None:
    if above.kind == "block" and above.record.get("has_children") != has_children:
        context.update("block", above.id, {"has_children": has_children})
