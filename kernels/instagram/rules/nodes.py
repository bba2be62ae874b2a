"""The Graph API's nodes: the objects of ids, and their readable fields.

Any id can be requested with any fields; a field that the node's type lacks is an error that names the type.

Source: https://developers.facebook.com/docs/instagram-platform/reference (IG Media, IG Comment, IG Container, IG User)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.instagram.rules import comments, containers, conversations
from soundstage.kernels.instagram.rules.account import authorize, me
from soundstage.kernels.instagram.rules.errors import nonexisting_field, unsupported
from soundstage.kernels.instagram.rules.fields import Field

Read = Callable[[AppContext, Object, Field], Any]

_LONGEST_LIMIT = 9  # digits; Python refuses to parse numbers with thousands of them


@dataclass(frozen=True, slots=True)
class NodeType:
    """A type of node: its name in errors, its fields that are read from the row, and its computed fields."""

    name: str
    plain: frozenset[str]
    made: dict[str, Read]


@dataclass(frozen=True, slots=True)
class Node:
    """An object of the Graph API: its type and its row."""

    type: NodeType
    row: Object


def find(context: AppContext, object_id: str, method: str = "get") -> Node:
    """Return the node with an id, if the acting account can see it.

    Raises:
        GraphError: The token is invalid, or there is no such node.
    """
    authorize(context)
    for entity, node_type in _BY_ENTITY.items():
        row = context.get(entity, object_id)
        if row is not None and _is_visible(context, entity, row):
            return Node(node_type, row)
    for album in context.list("media", {"children_objs !=": None}):
        for child in album["children_objs"]:
            if child.get("id") == object_id:
                return Node(MEDIA, child)
    raise unsupported(method, object_id)


def find_typed(context: AppContext, object_id: str, node_type: NodeType, field: str) -> Object:
    """Return the row of a node of one type, before a field or edge of it is read.

    Raises:
        GraphError: See `find`, or the node has another type.
    """
    node = find(context, object_id)
    if node.type is not node_type:
        raise nonexisting_field(field, node.type.name)
    return node.row


def find_with_edge(context: AppContext, object_id: str, node_type: NodeType, edge: str) -> Object:
    """Return the row of a node before an edge of it is read.

    With an empty id the address contains only the edge, which then counts as the id.

    Raises:
        GraphError: See `find_typed`.
    """
    return find_typed(context, object_id or edge, node_type, edge)


def project(context: AppContext, node: Node, fields: list[Field]) -> Object:
    """Return the requested fields that have a value, in their order; an id that was not requested comes last.

    Raises:
        GraphError: Nodes of this type do not have a field.
    """
    shown: Object = {}
    for wanted in fields:
        if wanted.name in node.type.made:
            value = node.type.made[wanted.name](context, node.row, wanted)
        elif wanted.name in node.type.plain:
            value = node.row.get(wanted.name)
        else:
            raise nonexisting_field(wanted.name, node.type.name)
        if value is not None:
            shown[wanted.name] = value
    if "id" in node.row:
        shown.setdefault("id", node.row["id"])
    return shown


def project_all(context: AppContext, node_type: NodeType, rows: list[Object], fields: list[Field]) -> list[Object]:
    """Return rows of one type as an edge shows them; fields are validated even without rows.

    Raises:
        GraphError: Nodes of this type do not have a field.
    """
    for wanted in fields:
        if wanted.name not in node_type.made and wanted.name not in node_type.plain:
            raise nonexisting_field(wanted.name, node_type.name)
    return [project(context, Node(node_type, row), fields) for row in rows]


def person(user: Object) -> Object:
    """Return a user as comments and messages show them."""
    return {name: user[name] for name in ("username", "id") if name in user}


def _is_visible(context: AppContext, entity: str, row: Object) -> bool:
    match entity:
        case "ig_user":
            return bool(row["id"] == me(context))
        case "container":
            return row.get("owner") in (None, me(context))
        case "conversation":
            return conversations.is_mine(context, row)
        case "message":
            conversation = context.get("conversation", row.get("conversation_id"))
            return conversation is not None and conversations.is_mine(context, conversation)
        case _:
            return True


def _owner(context: AppContext, row: Object, wanted: Field) -> Object | None:
    return {"id": row["owner"]} if row.get("owner") else None


def _children(context: AppContext, row: Object, wanted: Field) -> Object | None:
    children = row.get("children_objs")
    if not children:
        return None
    return {"data": project_all(context, MEDIA, children, wanted.inner or [Field("id")])}


def _comments(context: AppContext, row: Object, wanted: Field) -> Object | None:
    return _edge(context, comments.below(context, row["id"]), wanted)


def _replies(context: AppContext, row: Object, wanted: Field) -> Object | None:
    return _edge(context, comments.answers_to(context, row["id"]), wanted)


def _edge(context: AppContext, rows: list[Object], wanted: Field) -> Object | None:
    limit = wanted.modifiers.get("limit", "")
    if limit.isdecimal() and len(limit) <= _LONGEST_LIMIT:
        rows = rows[: int(limit)]
    shown = project_all(context, COMMENT, rows, wanted.inner or comments.SHORT)
    return {"data": shown} if shown else None


def _author(context: AppContext, row: Object, wanted: Field) -> Object | None:
    return person(row["from"]) if "from" in row else None


def _user(context: AppContext, row: Object, wanted: Field) -> Object | None:
    """Return the author's id, only for the account's own comments."""
    author = (row.get("from") or {}).get("id")
    return {"id": author} if author == me(context) else None


def _status_code(context: AppContext, row: Object, wanted: Field) -> str:
    return containers.status(row, context.now())


def _updated_time(context: AppContext, row: Object, wanted: Field) -> str | None:
    return conversations.updated_time(context, row) or None


def _participants(context: AppContext, row: Object, wanted: Field) -> Object | None:
    users = (row.get("participants") or {}).get("data")
    return {"data": [person(user) for user in users]} if users is not None else None


MEDIA = NodeType(
    "ShadowIGMedia",
    frozenset(
        {
            "id", "alt_text", "boost_ads_list", "boost_eligibility_info", "caption", "comments_count",
            "copyright_check_information", "ig_id", "is_comment_enabled", "is_shared_to_feed", "legacy_instagram_media_id",
            "like_count", "media_product_type", "media_type", "media_url", "permalink", "shortcode", "thumbnail_url",
            "timestamp", "username",
        }
    ),
    {"owner": _owner, "children": _children, "comments": _comments},
)  # fmt: skip
COMMENT = NodeType(
    "ShadowIGComment",
    frozenset(
        {
            "id", "hidden", "legacy_instagram_comment_id", "like_count", "media", "parent_id", "text", "timestamp",
            "username",
        }
    ),
    {"from": _author, "user": _user, "replies": _replies},
)  # fmt: skip
USER = NodeType(
    "ShadowIGUser",
    frozenset(
        {
            "id", "biography", "followers_count", "follows_count", "has_profile_pic", "ig_id", "is_published",
            "legacy_instagram_user_id", "media_count", "name", "profile_picture_url", "shopping_product_tag_eligibility",
            "username", "website",
        }
    ),
    {},
)  # fmt: skip
CONTAINER = NodeType(
    "ShadowIGMediaBuilder", frozenset({"id", "status", "copyright_check_status"}), {"status_code": _status_code}
)
CONVERSATION = NodeType(
    "UnifiedThread", frozenset({"id", "name"}), {"participants": _participants, "updated_time": _updated_time}
)
MESSAGE = NodeType(
    "Message",
    frozenset({"id", "created_time", "message", "attachments", "reply_to", "reactions", "shares", "story", "tags"}),
    {"from": _author},
)

_BY_ENTITY = {
    "media": MEDIA,
    "comment": COMMENT,
    "container": CONTAINER,
    "conversation": CONVERSATION,
    "message": MESSAGE,
    "ig_user": USER,
}
