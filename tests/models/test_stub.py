"""The scripted model and its HTTP answers."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from soundstage.models.asking import ModelError, Question, Unusable, ask_for
from soundstage.models.chat import Chat
from soundstage.models.reading import fenced, json_in
from soundstage.models.stub import Call, StubModel, Troubles, Turn

SCRIPT = [
    Turn("Let me look.", (Call("find", {"query": "lantern", "最多": 3}), Call("find", {"query": "灯"}))),
    Turn(calls=(Call("tick", {"id": "t_1"}),)),
    Turn("Ticked."),
]
TOOLS = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in ("find", "tick")]


def ask(model: StubModel, messages: list[dict[str, Any]], **more: Any) -> httpx2.Response:
    body = {"model": "any", "messages": messages, "tools": TOOLS, **more}
    return httpx2.post(f"{model.base_url}/chat/completions", json=body)


def converse(model: StubModel, instruction: str, tries: int = 1) -> list[dict[str, Any]]:
    """Return the whole conversation of an agent that repeats each request up to `tries` times."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": instruction}]
    while True:
        for _ in range(tries):
            answered = ask(model, messages)
            if answered.status_code == 200:
                break
        message = answered.json()["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        for call in message["tool_calls"]:
            json.loads(call["function"]["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "found"})


def test_turns_follow_the_conversation_and_their_tokens_add_up() -> None:
    with StubModel({"lantern": SCRIPT}) as model:
        messages = converse(model, "Tick the lantern off.")
        assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
        assert json.loads(messages[1]["tool_calls"][0]["function"]["arguments"]) == {"query": "lantern", "最多": 3}
        assert messages[-1]["content"] == "Ticked."
        again = ask(model, messages[:1]).json()
        assert again["choices"][0]["message"] == messages[1]
        assert again["usage"]["total_tokens"] == again["usage"]["prompt_tokens"] + again["usage"]["completion_tokens"]
        assert [a.turn for a in model.requests] == [0, 1, 2, 0]
        assert model.requests[0].input_tokens == again["usage"]["prompt_tokens"]


def test_each_conversation_gets_its_script() -> None:
    with StubModel({"lantern": SCRIPT, "": [Turn("I know nothing of that.")]}) as model:
        assert converse(model, "Whose is the gaffer tape?")[-1]["content"] == "I know nothing of that."


@pytest.mark.parametrize(
    ("messages", "more", "message"),
    [
        ([{"role": "user", "content": "what?"}], {}, "no script fits this conversation"),
        ([{"role": "user", "content": "lantern"}], {"tools": []}, "calls find, which is not among the tools"),
        ([{"role": "user", "content": "lantern"}], {"stream": True}, "answers in one piece"),
        ("lantern", {}, "a list of messages is needed"),
    ],
)
def test_requests_outside_the_script_are_refused_with_a_message(
    messages: Any, more: dict[str, Any], message: str
) -> None:
    with StubModel({"lantern": SCRIPT}) as model:
        refused = ask(model, messages, **more)
    assert refused.status_code == 400
    assert message in refused.json()["error"]["message"]


def test_a_rate_limit_has_a_retry_after_and_ends_then() -> None:
    with StubModel({"": SCRIPT}, troubles=Troubles(rate_limit=1.0, in_a_row=2)) as model:
        limited = ask(model, [{"role": "user", "content": "x"}])
        assert (limited.status_code, limited.headers["retry-after-ms"]) == (429, "50")
        assert converse(model, "x", tries=3)[-1]["content"] == "Ticked."
        assert [a.trouble for a in model.requests].count("rate_limit") == 6


def test_arguments_can_be_cut_off() -> None:
    with StubModel({"": SCRIPT}, troubles=Troubles(broken_json=1.0)) as model:
        message = ask(model, [{"role": "user", "content": "x"}]).json()["choices"][0]["message"]
        with pytest.raises(json.JSONDecodeError):
            json.loads(message["tool_calls"][0]["function"]["arguments"])


def test_a_text_can_be_cut_off_and_is_marked_as_such() -> None:
    with StubModel({"": [Turn("The dry run is on Tuesday.")]}, troubles=Troubles(length_stop=1.0)) as model:
        choice = ask(model, [{"role": "user", "content": "x"}]).json()["choices"][0]
        assert (choice["finish_reason"], choice["message"]["content"]) == ("length", "The dry run is ")


CODE = "kernels/shop/add.py\n```python\ndef run(context, arguments):\n    return {}\n```"
JSON = '{"texts": ["Bring the long cables."]}'


def says(script_text: str, troubles: Troubles, seed: int = 0) -> str | None:
    with StubModel({"": [Turn(script_text)]}, troubles=troubles, seed=seed) as model:
        content: str | None = ask(model, [{"role": "user", "content": "x"}]).json()["choices"][0]["message"]["content"]
    return content


def texts(answer: str) -> list[str]:
    parsed = json_in(answer)
    if not isinstance(parsed, dict) or "texts" not in parsed:
        raise Unusable("it has no texts")
    return list(parsed["texts"])


def test_prose_may_surround_json_and_code() -> None:
    wrapped = [says(JSON, Troubles(prose=1.0), seed) for seed in range(8)]
    assert len(set(wrapped)) > 1
    for answer in wrapped:
        assert answer is not None
        with pytest.raises(json.JSONDecodeError):
            json.loads(answer)
        assert json_in(answer) == json.loads(JSON)
    around = says(CODE, Troubles(prose=1.0))
    assert around is not None
    assert fenced(around) == fenced(CODE)
    assert not around.startswith(CODE[:5])
    assert says("Ticked.", Troubles(prose=1.0)) == "Ticked."


def test_json_may_be_missing_and_answers_may_be_empty() -> None:
    for seed in range(8):
        with pytest.raises(Unusable):
            texts(says(JSON, Troubles(no_json=1.0), seed) or "")
    assert says("Ticked.", Troubles(no_json=1.0)) == "Ticked."
    assert says(CODE, Troubles(empty=1.0)) is None


@pytest.mark.long
def test_the_seed_determines_the_troubles() -> None:
    def troubles(seed: int) -> list[str | None]:
        with StubModel({"": [Turn("Yes.")]}, seed=seed, troubles=Troubles(rate_limit=0.3, length_stop=0.3)) as model:
            for i in range(40):
                ask(model, [{"role": "user", "content": str(i)}])
            return [a.trouble for a in model.requests]

    first = troubles(1)
    assert first == troubles(1)
    assert first != troubles(2)
    assert {None, "rate_limit", "length_stop"} == set(first)


def test_our_client_copes_with_all_troubles() -> None:
    every = dict.fromkeys(("empty", "no_json", "broken_json", "length_stop", "prose"), 0.15)
    troubles = Troubles(rate_limit=0.5, in_a_row=4, **every)
    with StubModel({"": [Turn(JSON)]}, seed=3, troubles=troubles) as model:
        asking = Chat(model.base_url, pause=lambda s: None)
        for i in range(16):
            question = Question.of(str(i), seed=i, wants_json=True)
            assert ask_for(asking, question, texts, tries=8) == ["Bring the long cables."]
        assert {a.trouble for a in model.requests} == {None, "rate_limit", *every}
        with pytest.raises(ModelError, match="gave no usable answer"):
            ask_for(asking, Question.of("x"), lambda text: texts('{"title": ""}'), tries=2)
