"""Replies and errors of Instagram's MCP server, which uses the Python package fastmcp.

Success and failure of the Graph API have one envelope, `{data, error, successful}`, never isError; invalid arguments
are isError in pydantic's words. Tool names here have a prefix that the server's own functions lack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError, ErrorKind
from soundstage.kernels.instagram.rules.errors import ServerError, UnprefixedError
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, Result, compact_json, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import InvalidArguments, pydantic, python_sdk

_PREFIX = "INSTAGRAM_"
_OBJECT: dict[str, Any] = {"data": {}}
_LIST: dict[str, Any] = {"data": []}
_PAGE: dict[str, Any] = {"data": [], "paging": {}}


def _user_info_hint(error: str) -> str:
    if "nonexisting field" in error.lower() or "#100" in error:
        return " Note: Some fields may not be available for all account types."
    return ""


def _no_insights(error: str) -> str:
    # "#10" is also part of "(#100)", and "permission" of "missing permissions".
    if "permission" in error.lower() or "#10" in error:
        return " Generate a new token with 'instagram_manage_insights' permission."
    return ""


def _impressions(error: str) -> str:
    if "impressions" in error.lower() and "no longer supported" in error.lower():
        return " Remove 'impressions' from metrics. Use 'reach' instead."
    return ""


def _user_insights_hint(error: str) -> str:
    if "must be one of the following values" in error.lower():
        return (
            " Valid metrics: reach, follower_count, website_clicks, profile_views, online_followers, accounts_engaged, "
            "total_interactions, likes, comments, shares, saves, replies, views."
        )
    if "should be specified with parameter metric_type" in error.lower():
        return " Solution: Some metrics require metric_type='total_value'. Make separate requests for different metric types."
    return _no_insights(error)


def _post_insights_hint(error: str) -> str:
    return _impressions(error) or _no_insights(error)


def _media_insights_hint(error: str) -> str:
    if hint := _impressions(error):
        return hint
    if "metric" in error.lower() and "must be one of" in error.lower():
        return " Common valid metrics: reach, likes, comments, shares, saved, video_views, plays, total_interactions."
    return _no_insights(error)


def _conversations_hint(error: str) -> str:
    if "permission" in error.lower() or "access" in error.lower():
        return " Ensure your access token has 'pages_messaging' permission."
    return ""


def _text_message_hint(error: str) -> str:
    if "(#3)" in error or "does not have the capability" in error.lower():
        return " The recipient must message you first."
    if "(#100)" in error:
        return " The recipient hasn't messaged you first or recipient_id is incorrect."
    if "permission" in error.lower():
        return " Ensure 'pages_messaging' and 'instagram_manage_messages' permissions."
    return ""


def _seen_hint(error: str) -> str:
    if "500" in error or "internal server error" in error.lower():
        return " The sender_action feature may not be supported for this account."
    if "permission" in error.lower():
        return " Generate a token with 'instagram_manage_messages' permission."
    return ""


@dataclass(frozen=True, slots=True)
class ToolWording:
    """How the server wraps one tool: phrase, data and hint of a failure, and arguments missing in the schema."""

    phrase: str
    empty: dict[str, Any]
    unlisted: tuple[str, ...]
    hint: Callable[[str], str] = lambda error: ""


_VERSION = ("graph_api_version",)
_USER = ("graph_api_version", "ig_user_id")
_USER_FIRST = ("ig_user_id", "graph_api_version")
_WORDINGS = {
    "CREATE_MEDIA_CONTAINER": ToolWording("Failed to create media container", _OBJECT, _USER),
    "POST_IG_USER_MEDIA": ToolWording("Failed to create media container", _OBJECT, _USER),
    "CREATE_CAROUSEL_CONTAINER": ToolWording("Failed to create carousel container", _OBJECT, _USER),
    "GET_POST_STATUS": ToolWording("Failed to get post status", _OBJECT, _VERSION),
    "CREATE_POST": ToolWording("Failed to create post", _OBJECT, _USER),
    "POST_IG_USER_MEDIA_PUBLISH": ToolWording("Failed to publish media", _OBJECT, _USER),
    "GET_USER_INFO": ToolWording("Failed to get user info", _OBJECT, _USER, _user_info_hint),
    "GET_USER_INSIGHTS": ToolWording("Failed to get user insights", _PAGE, _USER, _user_insights_hint),
    "GET_USER_MEDIA": ToolWording("Failed to get user media", _PAGE, _USER),
    "GET_IG_USER_MEDIA": ToolWording("Failed to get user media", _PAGE, _USER),
    "GET_IG_USER_STORIES": ToolWording("Failed to get user stories", _PAGE, _USER),
    "GET_IG_USER_TAGS": ToolWording("Failed to get user tags", _PAGE, _USER),
    "GET_IG_USER_CONTENT_PUBLISHING_LIMIT": ToolWording("Failed to get content publishing limit", _LIST, _USER),
    "GET_IG_USER_LIVE_MEDIA": ToolWording("Failed to get live media", _PAGE, _USER),
    "GET_USER_BY_USERNAME": ToolWording("Failed to get user by username", _OBJECT, _USER_FIRST),
    "GET_IG_MEDIA": ToolWording("Failed to get IG media", _OBJECT, _VERSION),
    "GET_IG_MEDIA_CHILDREN": ToolWording("Failed to get media children", _LIST, _VERSION),
    "GET_IG_MEDIA_COMMENTS": ToolWording("Failed to get media comments", _PAGE, _VERSION),
    "GET_POST_COMMENTS": ToolWording("Failed to get post comments", _PAGE, _VERSION),
    "GET_POST_INSIGHTS": ToolWording("Failed to get post insights", _PAGE, _VERSION, _post_insights_hint),
    "POST_IG_MEDIA_COMMENTS": ToolWording("Failed to post media comment", _OBJECT, _VERSION),
    "POST_IG_COMMENT_REPLIES": ToolWording("Failed to post comment reply", _OBJECT, _VERSION),
    "POST_IG_USER_MENTIONS": ToolWording("Failed to reply to mention", _OBJECT, _USER),
    "REPLY_TO_COMMENT": ToolWording("Failed to reply to comment", _OBJECT, _VERSION),
    "GET_IG_COMMENT_REPLIES": ToolWording("Failed to get comment replies", _PAGE, _VERSION),
    "DELETE_COMMENT": ToolWording("Failed to delete comment", _OBJECT, _VERSION),
    "GET_IG_MEDIA_INSIGHTS": ToolWording("Failed to get IG media insights", _PAGE, _VERSION, _media_insights_hint),
    "GET_CONVERSATION": ToolWording("Failed to get conversation", _OBJECT, _VERSION),
    "GET_CONVERSATIONS": ToolWording("Failed to get conversations", _OBJECT, _VERSION),
    "LIST_ALL_CONVERSATIONS": ToolWording("Failed to list conversations", _PAGE, _USER, _conversations_hint),
    "LIST_ALL_MESSAGES": ToolWording("Failed to list messages", _PAGE, _VERSION),
    "SEND_TEXT_MESSAGE": ToolWording("Failed to send text message", _OBJECT, _USER_FIRST, _text_message_hint),
    "SEND_IMAGE": ToolWording("Failed to send image", _OBJECT, _USER_FIRST),
    "MARK_SEEN": ToolWording("Failed to mark messages as seen", _OBJECT, _USER_FIRST, _seen_hint),
}


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like pydantic."""
    return pydantic.check_call(_function(tool), arguments, "2.14", function=tool.name.removeprefix(_PREFIX))


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply."""
    return _enveloped(reply, None)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        return failed(error.message, error.kind)
    face = _wording(tool)
    if isinstance(error, UnprefixedError):
        carried = face.empty if error.data is None else {"data": error.data}
        return _enveloped({**carried, "error": error.message, "successful": False}, error.kind)
    message = error.message if isinstance(error, ServerError) else f"API request failed: {error.message}"
    text = f"{face.phrase}: {message}{face.hint(message)}"
    if face.phrase == "Failed to get post status" and "timeout" in message.lower():
        text = f"Request timed out while checking post status. Try again in a few moments. Error: {message}"
    return _enveloped({**face.empty, "error": text, "successful": False}, error.kind)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    face = _wording(tool)
    message = f"API request failed: An unknown error has occurred. ({call_id})"
    return _enveloped({**face.empty, "error": f"{face.phrase}: {message}", "successful": False}, "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return python_sdk.unknown_tool(name)


def _wording(tool: Tool) -> ToolWording:
    return _WORDINGS[tool.name.removeprefix(_PREFIX)]


def _enveloped(reply: dict[str, Any], kind: ErrorKind | None) -> Result:
    return Result([text_block(compact_json(reply))], bool(reply["successful"]), False, reply, kind)


@cache
def _function(tool: Tool) -> Tool:
    """Return the tool as its function is declared.

    The function has arguments that the schema does not list, and accepts null for most arguments without a default.
    """
    listed = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", ())
    properties = {
        name: schema if name in required or "default" in schema else _nullable(schema)
        for name, schema in listed.items()
    }
    if tool.name == f"{_PREFIX}CREATE_MEDIA_CONTAINER":
        properties["is_carousel_item"] = {"type": "boolean", "default": False}
    if "user_tags" in properties:
        properties["user_tags"] = _nullable({"type": "array", "items": {"type": "object"}})
    for name in _wording(tool).unlisted:
        properties[name] = _nullable({"type": "string"})
    return replace(tool, input_schema={**tool.input_schema, "properties": properties})


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], "default": None}
