"""Requests to DeepSeek as the server's client makes them, and responses in DeepSeek's format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_s
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.deepseek.rules.api import check_key, check_model, is_set, setting
from soundstage.kernels.deepseek.rules.errors import ApiRefusal
from soundstage.kernels.deepseek.rules.model import Completion, chat, complete, prompt_tokens, tokens
from soundstage.kernels.engines.javascript import is_true, text
from soundstage.kernels.types import Arguments

_REASONER, _CHAT = "deepseek-reasoner", "deepseek-chat"
_STREAM_ENDS = 2  # the chunk that names the role, and the chunk with the end and the usage


@dataclass(frozen=True, slots=True)
class Result:
    """A response, its relevant choice, and how it was delivered."""

    response: Object
    choice: Object
    chunks: int | None
    fallback: Object | None = None


def request_of(arguments: Arguments, first: Object, others: Sequence[str]) -> Object:
    """Return a request's body: the arguments, overridden by `extra_body`."""
    fields = {name: arguments[name] for name in others if name in arguments}
    return {**first, **fields, **(arguments.get("extra_body") or {})}


def chat_completion(context: AppContext, request: Object) -> Result:
    """Answer a chat; if the reasoner fails, fall back to another model.

    Raises:
        ApiRefusal: The request failed.
    """
    try:
        return _chat(context, request)
    except ApiRefusal as refusal:
        instead = setting(context, "DEEPSEEK_FALLBACK_MODEL", _CHAT)
        switched_on = is_set(context, "DEEPSEEK_ENABLE_REASONER_FALLBACK", usual=True)
        if not switched_on or text(request["model"]) != _REASONER or instead == _REASONER or not refusal.retryable:
            raise
        result = _chat(context, {**request, "model": instead})
        # The server reads the reason from the error as if it were a response body.
        fallback = {"fromModel": _REASONER, "toModel": instead, "reason": refusal.words}
        return Result(result.response, result.choice, result.chunks, fallback)


def completion(context: AppContext, request: Object) -> Result:
    """Continue a prompt.

    Raises:
        ApiRefusal: The request failed.
    """
    model = _checked(context, request)
    message = complete(context, request)
    used = prompt_tokens(request), tokens(message.text)
    choice = {"index": 0, "text": message.text, "finish_reason": message.finish_reason}
    answer = _response(context, "text_completion", "cmpl-{hex:24}", model, choice, _usage(*used))
    return Result(answer, choice, _chunks(request, used[1]))


def _chat(context: AppContext, request: Object) -> Result:
    model = _checked(context, request)
    thinking = request.get("thinking")
    thinks = model == _REASONER or (isinstance(thinking, dict) and thinking.get("type") == "enabled")
    message = chat(context, request, thinks=thinks)
    sent, written = prompt_tokens(request), tokens(message.text) + tokens(message.reasoning or "")
    cache = {"prompt_cache_hit_tokens": 0, "prompt_cache_miss_tokens": sent}
    choice = {"index": 0, "message": _message(message), "finish_reason": message.finish_reason}
    usage = {**_usage(sent, written), **cache}
    answer = _response(context, "chat.completion", "{uuid4}", model, choice, usage)
    return Result(answer, choice, _chunks(request, written))


def _checked(context: AppContext, request: Object) -> str:
    check_key(context)
    model = text(request["model"])
    check_model(context, model)
    return model


def _message(wording: Completion) -> Object:
    message: Object = {"role": "assistant", "content": wording.text}
    if wording.reasoning is not None:
        message["reasoning_content"] = wording.reasoning
    return message | ({"tool_calls": wording.tool_calls} if wording.tool_calls else {})


def _response(context: AppContext, kind: str, id_form: str, model: str, choice: Object, usage: Object) -> Object:
    made = {"id": context.new_id(kind, id_form), "object": kind, "created": to_s(context.now())}
    return {**made, "model": model, "choices": [choice], "usage": usage}


def _usage(sent: int, written: int) -> Object:
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}


def _chunks(request: Object, written: int) -> int | None:
    """Return the number of chunks of a streamed response, one per token, or None without streaming."""
    return written + _STREAM_ENDS if is_true(request.get("stream", False)) else None


def with_raw(fields: dict[str, Any], result: Result, arguments: Arguments) -> dict[str, Any]:
    """Add the raw response to structured content if the caller requested it."""
    return {**fields, "raw_response": result.response} if arguments["include_raw_response"] else fields
