"""The `chat_completion` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.calls import Result, chat_completion, request_of, with_raw
from soundstage.kernels.deepseek.rules.conversations import history, remember
from soundstage.kernels.deepseek.rules.errors import ApiRefusal
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.engines.javascript import indented
from soundstage.kernels.types import Arguments

ASKS_A_MODEL = True

_PASSED_ON = (
    *("frequency_penalty", "max_tokens", "max_completion_tokens", "presence_penalty", "response_format", "stop"),
    *("stream", "stream_options", "temperature", "top_p", "tools", "tool_choice", "logprobs", "top_logprobs"),
    *("thinking", "modalities", "audio"),
)


def run(context: AppContext, arguments: Arguments) -> TextReply | ApiRefusal:
    """Have a model answer in a chat; store the turn if a conversation is named."""
    conversation_id = arguments.get("conversation_id")
    if conversation_id and arguments["clear_conversation"]:
        context.delete("conversation", conversation_id)
    sent = arguments.get("messages") or [{"role": "user", "content": arguments["message"]}]
    if conversation_id:
        sent = [*history(context, conversation_id), *sent]
    try:
        result = chat_completion(context, request_of(arguments, _request(arguments, sent), _PASSED_ON))
    except ApiRefusal as refusal:
        return refusal  # a cleared conversation stays cleared
    if conversation_id:
        remember(context, conversation_id, [*sent, result.choice["message"]])
    return _details(result, arguments)


def _request(arguments: Arguments, messages: list[Object]) -> Object:
    return {"model": arguments["model"], "messages": messages}


def _details(result: Result, arguments: Arguments) -> TextReply:
    message, fallback = result.choice["message"], result.fallback
    reasoning, calls = message.get("reasoning_content"), message.get("tool_calls", [])
    lines = [
        f"Fallback used: {fallback['fromModel']} -> {fallback['toModel']}" if fallback else "",
        message["content"] or "(no assistant content returned)",
        f"\nReasoning:\n{reasoning}" if reasoning else "",
        f"\nTool calls returned by model: {indented(calls)}" if calls else "",
    ]
    fields = {
        "model": result.response["model"],
        "conversation_id": arguments.get("conversation_id"),
        "response_text": message["content"],
        "reasoning_content": reasoning,
        "tool_calls": calls,
        "finish_reason": result.choice["finish_reason"],
        "usage": result.response["usage"],
        "fallback": fallback,
        "stream_chunk_count": result.chunks,
    }
    return TextReply("\n".join(line for line in lines if line), with_raw(fields, result, arguments))
