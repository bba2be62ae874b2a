"""The `conversations_add_message` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.slack.rules import identity
from soundstage.kernels.slack.rules.directory import resolve
from soundstage.kernels.slack.rules.errors import Refusal
from soundstage.kernels.slack.rules.given_blocks import given_blocks
from soundstage.kernels.slack.rules.markdown import to_blocks
from soundstage.kernels.slack.rules.posting import post
from soundstage.kernels.slack.rules.settings import channel_allowed, setting
from soundstage.kernels.slack.rules.values import go_quote, go_text
from soundstage.kernels.types import Arguments

_POLICY = "SLACK_MCP_ADD_MESSAGE_TOOL"


def run(context: AppContext, arguments: Arguments) -> str:
    """Post a message as the caller (chat.postMessage).

    Markdown, the default, is posted as Block Kit blocks; see `rules/markdown.py` for the losses. The undocumented
    argument `payload` replaces `text`, as in earlier versions of the server.
    """
    who = identity.person(context)
    channel = go_text(arguments, "channel_id")
    if not channel:
        raise Refusal("channel_id must be a string")
    channel = resolve(context, who, channel)
    policy = setting(context, _POLICY)
    if not channel_allowed(policy, channel):
        refused = f"conversations_add_message tool is not allowed for channel {go_quote(channel)}"
        raise Refusal(f"{refused}, applied policy: {policy}", "permission")
    thread_ts = go_text(arguments, "thread_ts")
    if thread_ts and "." not in thread_ts:
        raise Refusal("thread_ts must be a valid timestamp in format 1234567890.123456")
    text = go_text(arguments, "text") or go_text(arguments, "payload")
    content_type = go_text(arguments, "content_type", "text/markdown")
    if content_type not in ("text/plain", "text/markdown"):
        raise Refusal("content_type must be either 'text/plain' or 'text/markdown'")
    blocks = given_blocks(arguments.get("blocks"))
    if not text and blocks is None:
        raise Refusal("either text or blocks must be provided")
    if blocks is None and content_type == "text/markdown":
        text, blocks = "", to_blocks(text)
    message = post(context, who, channel, text=text, blocks=blocks, thread_ts=thread_ts)
    thread = f" in thread {thread_ts}" if thread_ts else ""
    return f"Successfully posted message to channel {message['channel']}{thread} (ts={message['ts']})"
