"""Apps that are language models, in a gateway that may query one: its replies are returned, recorded, and requested once."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from soundstage.contexts.engine import journal
from soundstage.contexts.engine.store import digest
from soundstage.gateway.calls.call import CallResult
from soundstage.gateway.calls.service import CallService
from soundstage.gateway.calls.toolset import app_toolset
from soundstage.gateway.journal.replay import replay
from soundstage.gateway.registry.records import Bounds
from soundstage.gateway.search.finder import ToolFinder
from soundstage.gateway.sessions.session import Session
from soundstage.gateway.sessions.sessions import Sessions
from soundstage.gateway.settings import Settings
from soundstage.models.asking import Answer, Model, ModelError, Question
from soundstage.models.stub import StubModel, Turn
from soundstage.servers.catalogue import load_apps
from tests import built_worlds
from tests.conftest import Gateway, run_here, start_gateway, stop_gateway

SKY = {"message": "Why is the sky blue?"}


class Echo:
    """A model that numbers its answers."""

    name = "echo"

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(f"Answer {len(self.asked)} to {question.messages[-1].content}", 1, 1, 0.0, "stop")


class Silent(Echo):
    """A model that does not answer."""

    def ask(self, question: Question) -> Answer:
        super().ask(question)
        raise ModelError("the model is asleep")


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(Settings(data=tmp_path, built=built_worlds.folder()))


async def made(session: Session, model: Model | None, app: str, tool: str, arguments: dict[str, Any]) -> CallResult:
    """Make a call through a gateway with this model."""
    calls = CallService(ToolFinder(Path("unused")), model)
    return await calls.make_call(session, app_toolset(app), tool, arguments)


def text_of(call: CallResult) -> str:
    return str(call.reply["content"][0]["text"])


async def test_a_model_gets_the_conversation_and_its_reply_is_the_apps(new_session: Callable[..., Session]) -> None:
    session, model = new_session(world="studio"), Echo()
    call = await made(
        session, model, "deepseek", "chat_completion", {**SKY, "conversation_id": "sky", "max_tokens": 50}
    )
    assert text_of(call) == "Answer 1 to Why is the sky blue?"
    call = await made(
        session, model, "deepseek", "chat_completion", {"message": "And at dusk?", "conversation_id": "sky"}
    )
    assert text_of(call) == "Answer 2 to And at dusk?"
    first, second = model.asked
    assert first.most_tokens == 50
    assert [(m.role, m.content) for m in second.messages] == [
        ("user", "Why is the sky blue?"),
        ("assistant", "Answer 1 to Why is the sky blue?"),
        ("user", "And at dusk?"),
    ]


@pytest.mark.parametrize(
    ("app", "tool", "arguments"),
    [
        ("deepseek", "chat_completion", SKY),
        ("deepseek", "completion", {"prompt": "The sky is"}),
        ("mcpollinations", "respondText", {"prompt": "Why is the sky blue?"}),
        ("firecrawl", "firecrawl_deep_research", {"query": "lantern festival harbour"}),
    ],
)
async def test_a_model_reply_is_a_step_before_the_call_and_a_replay_does_not_query_the_model(
    sessions: Sessions, new_session: Callable[..., Session], app: str, tool: str, arguments: dict[str, Any]
) -> None:
    session, model = new_session(world="studio"), Echo()
    call = await made(session, model, app, tool, arguments)
    assert "Answer 1 to" in text_of(call)
    question, answered = list(journal.read(session.context))
    assert (question.kind, question.app, question.tool, question.ok) == ("model", app, tool, True)
    assert question.reply == {
        "text": f"Answer 1 to {model.asked[0].messages[-1].content}",
        "error": None,
        "model": "echo",
    }
    assert (answered.kind, answered.step, question.receipt.changeset) == ("call", 2, b"")

    again = new_session(world="studio")
    assert replay(sessions, journal.read(session.context), again) == []
    assert digest(again.context) == digest(session.context)
    assert len(model.asked) == 1


async def test_a_repeated_question_has_one_answer_per_session(
    new_session: Callable[..., Session],
) -> None:
    model, session, other = Echo(), new_session(), new_session()
    ask = {"prompt": "What is a lantern?"}
    texts = [text_of(await made(s, model, "mcpollinations", "respondText", ask)) for s in (session, session, other)]
    assert texts == [f"Answer {n} to What is a lantern?" for n in (1, 1, 2)]
    # Without a model, the recorded answer is used.
    assert text_of(await made(session, None, "mcpollinations", "respondText", ask)) == texts[0]


async def test_the_library_answers_if_the_model_does_not_and_the_journal_has_the_reason(
    new_session: Callable[..., Session],
) -> None:
    session, other = new_session(), new_session()
    call = await made(session, Silent(), "mcpollinations", "respondText", {"prompt": "What is a lantern?"})
    without = await made(other, None, "mcpollinations", "respondText", {"prompt": "What is a lantern?"})
    assert call.reply == without.reply
    question, _ = journal.read(session.context)
    assert (question.ok, question.reply) == (False, {"text": None, "error": "the model is asleep", "model": "echo"})


async def test_refused_calls_and_other_apps_do_not_query_the_model(
    new_session: Callable[..., Session],
) -> None:
    session, model = new_session(world="studio"), Echo()
    refused = await made(session, model, "deepseek", "chat_completion", {"temperature": 1})
    await made(session, model, "slack", "slack_list_channels", {})
    assert refused.reply["isError"] is True
    assert model.asked == []
    assert [row.kind for row in journal.read(session.context)] == ["call", "call"]


async def test_a_trial_does_not_query_a_model(new_session: Callable[..., Session]) -> None:
    session, model = new_session(world="studio"), Echo()
    session.calls_left = 10
    session.record = replace(session.record, bounds=Bounds(max_calls=10, closes_ms=2**60))
    await made(session, model, "deepseek", "chat_completion", SKY)
    assert model.asked == []


def test_only_tools_declared_as_model_backed_query_a_model() -> None:
    asking = {
        f"{app.name}/{name}" for app in load_apps().values() for name, tool in app.tools.items() if tool.asks_a_model
    }
    assert asking == {
        "deepseek/chat_completion",
        "deepseek/completion",
        "firecrawl/firecrawl_deep_research",
        "mcpollinations/respondText",
    }


@pytest.fixture
def with_a_model(tmp_path: Path) -> Iterator[tuple[Gateway, StubModel]]:
    """A gateway that may make two requests to a model."""
    with StubModel({"": [Turn("It scatters the blue."), Turn("It is red then.")]}) as model:
        environment = ("env", f"SOUNDSTAGE_LLM_BASE_URL={model.base_url}", "SOUNDSTAGE_LLM_API_KEY=sk-very-secret")
        gateway = start_gateway(tmp_path / "data", "--ask-model", "2", prefix=environment, log=tmp_path / "log")
        yield gateway, model
        stop_gateway(gateway)


@pytest.mark.long
def test_the_endpoint_from_the_environment_is_queried_up_to_the_limit(
    with_a_model: tuple[Gateway, StubModel], tmp_path: Path
) -> None:
    gateway, model = with_a_model
    session = gateway.session()

    def ask(text: str) -> str:
        body = {"app": "mcpollinations", "tool": "respondText", "arguments": {"prompt": text}}
        made = gateway.api("POST", f"/sessions/{session['id']}/calls", json=body).json()
        return str(made["reply"]["content"][0]["text"])

    assert "scatters the blue" in ask("Why is the sky blue?")
    assert "scatters the blue" in ask("Why is the sea blue?")
    assert "scatters" not in ask("Why is the moon blue?")
    assert len(model.requests) == 2
    lines = gateway.journal(session["id"])
    assert [(line["kind"], line["answered_by"]) for line in lines] == [("model", "model"), ("call", "kernel")] * 3
    assert lines[4]["reply"]["error"] == "the budget of 2 questions is used up"
    assert "sk-very-secret" not in json.dumps(lines) + (tmp_path / "log").read_text()
    page = httpx2.get(f"{gateway.url}/sessions/{session['id']}")
    assert page.status_code == 200
    assert "It scatters the blue." in page.text


@pytest.mark.long
def test_a_terminated_gateway_does_not_wait_for_a_model(tmp_path: Path) -> None:
    accepted, hangs = threading.Event(), socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        with hangs.accept()[0]:
            accepted.set()
            time.sleep(600)

    threading.Thread(target=accept, daemon=True).start()
    environment = ("env", f"SOUNDSTAGE_LLM_BASE_URL=http://127.0.0.1:{hangs.getsockname()[1]}/v1")
    gateway = start_gateway(tmp_path / "data", "--ask-model", "2", prefix=environment, log=tmp_path / "log")
    session = gateway.session()
    body = {"app": "mcpollinations", "tool": "respondText", "arguments": {"prompt": "Why is the sky blue?"}}
    calling = threading.Thread(target=lambda: call_and_forget(gateway, session["id"], body), daemon=True)
    calling.start()
    assert accepted.wait(60)
    gateway.process.terminate()
    assert gateway.process.wait(60) == 0
    calling.join(60)
    hangs.close()


def call_and_forget(gateway: Gateway, session: str, body: dict[str, Any]) -> None:
    with contextlib.suppress(httpx2.HTTPError):
        gateway.api("POST", f"/sessions/{session}/calls", json=body)


def test_a_gateway_with_a_request_limit_but_no_model_does_not_start(tmp_path: Path) -> None:
    result = run_here(
        "serve", "--ask-model", "5", "--data", str(tmp_path), environment={"SOUNDSTAGE_LLM_BASE_URL": None}
    )
    assert result.exit_code == 1
    assert "set SOUNDSTAGE_LLM_BASE_URL to its address" in result.output
