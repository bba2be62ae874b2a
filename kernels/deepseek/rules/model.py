"""Model responses: from a configured language model, or simulated in the ways that a caller can observe.

The simulation answers a greeting with the number of the turn, completes code of one line, and answers everything else from the
library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.model_questions import Message, Question
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.answers import Answer, answer, is_greeting, topic
from soundstage.kernels.engines.javascript import text as js_text

_GREETED = "Hello! (turn "
_FEW_WORDS = 2
_MESSAGE_TOKENS = 4
_CHARACTERS_A_TOKEN = 4
_MOST_TOKENS = 2000
_GO_ON = "Go on with the text that you are given. Say nothing but what follows it."
_JSON_ALONE = "Answer with one JSON object and nothing else."
_ROLES: Mapping[str, Literal["system", "user", "assistant"]] = {"system": "system", "assistant": "assistant"}
_FUNCTION = re.compile(r"def (\w{1,40})\((\w{1,40}), ?(\w{1,40})\): return$", re.ASCII)
_SIGNS = {
    "+": ("add", "plus", "sum"),
    "-": ("sub", "subtract", "minus", "difference"),
    "*": ("mul", "multiply", "times", "product"),
    "/": ("div", "divide", "quotient"),
}
_THOUGHTS = {
    "pattern": "This is a question with a settled answer, so I give that answer and nothing beside it.",
    "sentence": "The user asks about {topic}. One source says it in a sentence, which I quote as it stands.",
    "model": "The user asks about {topic}. I answer from what I know.",
    "nothing": "The user asks about {topic}. I have no source for that, so I say so instead of guessing.",
}


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's response: text, preceding reasoning, or function calls."""

    text: str
    reasoning: str | None = None
    finish_reason: str = "stop"
    tool_calls: list[Object] = field(default_factory=list)


def chat(context: AppContext, request: Object, *, thinks: bool) -> Completion:
    """Answer a conversation, mainly the last message of the user."""
    messages = [m for m in request.get("messages") or [] if isinstance(m, dict)]
    if (calls := _forced_calls(context, request)) is not None:
        return Completion("", finish_reason="tool_calls", tool_calls=calls)
    requested = [content_text(m.get("content")) for m in messages if m.get("role") == "user"]
    question = requested[-1] if requested else ""
    if (model_answer := context.ask_model(_question(request, messages))) is not None:
        return _within(request, Completion(model_answer, _thought("model", question) if thinks else None))
    if is_greeting(question) or _goes_on_greeting(question, messages):
        return Completion(f"{_GREETED}{len(requested)})", "The user greets." if thinks else None)
    result = _answered(context, question, f"{js_text(request.get('model'))}.{len(requested)}")
    reasoning = _thought(result.basis, question) if thinks else None
    text = result.text
    if isinstance(form := request.get("response_format"), dict) and form.get("type") == "json_object":
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        text = f'{{"answer": "{quoted}"}}'
    return _within(request, Completion(text, reasoning))


def complete(context: AppContext, request: Object) -> Completion:
    """Continue a prompt."""
    prompt = js_text(request.get("prompt"))
    model_answer = context.ask_model(
        _question(request, [{"role": "system", "content": _GO_ON}, {"role": "user", "content": prompt}])
    )
    match = _FUNCTION.search(prompt.rstrip())
    sign = next((s for s, names in _SIGNS.items() if match is not None and match[1].lower() in names), None)
    if model_answer is not None:
        text = model_answer
    elif match is not None and sign is not None:
        text = f" {match[2]} {sign} {match[3]}"
    else:
        text = " " + _answered(context, prompt, js_text(request.get("model"))).text
    message = _within(request, Completion(text))
    return (
        Completion(prompt + message.text, finish_reason=message.finish_reason)
        if request.get("echo") is True
        else message
    )


def tokens(text: str) -> int:
    """Estimate the number of tokens: one per Chinese character, one per four other characters."""
    wide = sum("\u2e80" <= character <= "\uffef" for character in text)
    return wide + -(-(len(text) - wide) // _CHARACTERS_A_TOKEN)


def prompt_tokens(request: Object) -> int:
    """Estimate the number of prompt tokens."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return max(1, tokens(js_text(request.get("prompt"))))
    return sum(_MESSAGE_TOKENS + tokens(content_text(m.get("content"))) for m in messages if isinstance(m, dict))


def content_text(content: Any) -> str:
    """Return the text of a message, which may consist of parts."""
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _question(request: Object, messages: list[Object]) -> Question:
    """Return the question for a language model: messages as texts, tool results as messages of the user."""
    form = request.get("response_format")
    entries = [
        Message(role=_ROLES.get(str(m.get("role")), "user"), content=content_text(m.get("content"))) for m in messages
    ]
    if isinstance(form, dict) and form.get("type") == "json_object":
        entries.append({"role": "system", "content": _JSON_ALONE})
    return {"messages": entries, "most_tokens": min(_limit(request) or _MOST_TOKENS, _MOST_TOKENS)}


def _thought(basis: str, question: str) -> str:
    return _THOUGHTS[basis].replace("{topic}", f"“{topic(question)}”")


def _answered(context: AppContext, question: str, draw: str) -> Answer:
    return answer(context.library, question, draw=draw, now=context.now())


def _goes_on_greeting(question: str, messages: list[Object]) -> bool:
    """Return whether a message continues a greeting: one or two words such as `again` are small talk."""
    before = next((m for m in reversed(messages) if m.get("role") == "assistant"), {})
    few = len(question.split()) <= _FEW_WORDS and not question.rstrip().endswith(("?", "？"))
    return few and content_text(before.get("content")).startswith(_GREETED)


def _forced_calls(context: AppContext, request: Object) -> list[Object] | None:
    """Return the function call that a request forces, or None."""
    tools = [t for t in request.get("tools") or [] if isinstance(t, dict) and isinstance(t.get("function"), dict)]
    choice = request.get("tool_choice")
    if isinstance(choice, dict) and isinstance(choice.get("function"), dict):
        name = choice["function"].get("name")
    elif choice == "required" and tools:
        name = tools[0]["function"].get("name")
    else:
        return None
    call_id = context.new_id("tool_call", "call_00_{alnum:24}")
    return [{"index": 0, "id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}]


def _within(request: Object, message: Completion) -> Completion:
    """Truncate a response at the first stop sequence and at the token limit."""
    text, reason = message.text, message.finish_reason
    stop = request.get("stop")
    for end in [stop] if isinstance(stop, str) else stop if isinstance(stop, list) else []:
        if isinstance(end, str) and end and end in text:
            text = text.partition(end)[0]
    limit = _limit(request)
    if limit is not None and tokens(text) > limit:
        text, reason = _cut(text, limit), "length"
    return Completion(text, message.reasoning, reason, message.tool_calls)


def _limit(request: Object) -> int | None:
    """Return the token limit of a request, or None."""
    limit = request.get("max_tokens") or request.get("max_completion_tokens")
    return limit if isinstance(limit, int) and not isinstance(limit, bool) and limit > 0 else None


def _cut(text: str, limit: int) -> str:
    end = min(len(text), limit * _CHARACTERS_A_TOKEN)
    while tokens(text[:end]) > limit:
        end -= 1
    return text[:end]
