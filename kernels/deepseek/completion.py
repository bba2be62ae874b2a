"""The `completion` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deepseek.rules.calls import completion, request_of, with_raw
from soundstage.kernels.deepseek.rules.reply import TextReply
from soundstage.kernels.types import Arguments

ASKS_A_MODEL = True

_PASSED_ON = (
    *("suffix", "max_tokens", "temperature", "top_p", "n", "stream", "logprobs", "echo", "stop"),
    *("presence_penalty", "frequency_penalty", "best_of"),
)


def run(context: AppContext, arguments: Arguments) -> TextReply:
    """Have a model continue a text."""
    first = {"model": arguments["model"], "prompt": arguments["prompt"]}
    result = completion(context, request_of(arguments, first, _PASSED_ON))
    fields = {
        "model": result.response["model"],
        "text": result.choice["text"],
        "finish_reason": result.choice["finish_reason"],
        "usage": result.response["usage"],
        "stream_chunk_count": result.chunks,
    }
    return TextReply(result.choice["text"] or "(no completion text returned)", with_raw(fields, result, arguments))
