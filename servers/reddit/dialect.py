"""Replies and errors of the Reddit MCP server.

It uses the TypeScript FastMCP 4 with zod 4: invalid arguments and unknown tools are JSON-RPC errors, errors thrown by a
tool have isError. A success is one Markdown text. Unknown members are dropped, although the listed schemas forbid them.
Sources: recorded replies; `src/index.ts` in https://github.com/jordanburke/reddit-mcp-server and `src/FastMCP.ts` in
https://github.com/punkpeye/fastmcp.
"""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.errors import AppError
from soundstage.kernels.reddit.rules.errors import RedditError, ServerError, Unfinished
from soundstage.kernels.types import Arguments, Reply
from soundstage.servers.reply import Answer, ProtocolFailure, Result, failed, text_block
from soundstage.servers.tool import Tool
from soundstage.servers.wording import INVALID_PARAMS, InvalidArguments, zod, zod4
from soundstage.servers.wording.typescript_sdk import mcp_error

_METHOD_NOT_FOUND = -32601
_SENTENCES = {
    "get_user_info": "Failed to get user info",
    "get_me": "Failed to get authenticated user",
    "get_my_overview": "Failed to get your overview",
    "get_my_saved": "Failed to get saved content",
    "get_user_posts": "Failed to get user posts",
    "get_user_comments": "Failed to get user comments",
    "get_reddit_post": "Failed to get post",
    "get_top_posts": "Failed to get top posts",
    "browse_subreddit": "Failed to browse subreddit",
    "get_subreddit_info": "Failed to get subreddit info",
    "get_subreddit_rules": "Failed to get subreddit rules",
    "get_post_flairs": "Failed to get post flairs",
    "get_trending_subreddits": "Failed to get trending subreddits",
    "search_reddit": "Failed to search",
    "create_post": "Failed to create post",
    "reply_to_post": "Failed to reply",
    "delete_post": "Failed to delete post",
    "delete_comment": "Failed to delete comment",
    "edit_post": "Failed to edit post",
    "edit_comment": "Failed to edit comment",
    "get_post_comments": "Failed to get comments",
    "get_more_comments": "Failed to expand comments",
}
"""The sentence that each tool puts in front of its client's error."""


def check(tool: Tool, arguments: Arguments | None) -> Arguments:
    """Validate the arguments like zod 4."""
    return zod.check(tool, arguments, zod4, zod.by_paths_from_root, strict=False)


def success(tool: Tool, reply: Reply) -> Answer:
    """Word a successful reply, or a write that Reddit refused."""
    if isinstance(reply, Unfinished):
        return _failed(tool, reply.error)
    return Result([text_block(reply)], ok=True)


def failure(tool: Tool, error: AppError, context: AppContext) -> Answer:
    """Word an error of the kernel."""
    if isinstance(error, InvalidArguments):
        message = (
            f"Tool '{tool.name}' parameter validation failed: {error.message}. Please check the parameter types and "
            "values according to the tool's schema."
        )
        return ProtocolFailure(INVALID_PARAMS, mcp_error(message), error.kind)
    return _failed(tool, error)


def internal_error(tool: Tool, call_id: str) -> Answer:
    """Word an unexpected error."""
    return failed(f"Tool '{tool.name}' execution failed: Internal server error", "internal")


def unknown_tool(name: str) -> Answer:
    """Word a call of an unknown tool."""
    return ProtocolFailure(_METHOD_NOT_FOUND, mcp_error(f"Unknown tool: {name}", _METHOD_NOT_FOUND), "unknown_tool")


def _failed(tool: Tool, error: AppError) -> Answer:
    sentence = _SENTENCES.get(tool.name)
    text = (
        f"{sentence}: {error.message}"
        if isinstance(error, RedditError) and not isinstance(error, ServerError)
        else error.message
    )
    return failed(f"Tool '{tool.name}' execution failed: {text}", error.kind)
