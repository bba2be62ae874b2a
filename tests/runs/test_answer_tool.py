"""Agents without a runner: the task is a prompt at their address, and a tool accepts the answer."""

from __future__ import annotations

from mcp.client import Client

from tests.runs.conftest import ERRAND, Agent, Stage, read


async def test_a_client_reads_the_task_works_and_answers(stage: Stage) -> None:
    runner = stage.begin(answer_tool=True)
    trial, agent = runner.take()
    answer = agent.solve(ERRAND, stage.worlds)
    async with Client(trial["mcp"]["url"]) as client:
        prompts = await client.list_prompts()
        assert [p.name for p in prompts.prompts] == ["task"]
        shown = await client.get_prompt("task")
        assert [m.content.text for m in shown.messages] == [read(ERRAND).instruction]
        tools = await client.list_tools()
        assert tools.tools[-1].name == "submit_answer"
        result_of_answer = await client.call_tool("submit_answer", {"text": answer})
        assert not result_of_answer.is_error
    [result] = stage.until_done(runner)
    assert (result["success"], result["ended"], result["tools"]) == (True, "answered", "all+submit_answer")
    assert (result["calls"], result["searches"]) == (6, 0)
    assert agent.ask("tools/list").status_code == 410


def test_a_second_answer_is_refused(stage: Stage) -> None:
    runner = stage.begin(answer_tool=True)
    trial, agent = runner.take()
    runner.submit(trial, "Said by the runner.")
    assert agent.call("submit_answer", text="Said by the agent.").status_code == 410


def test_an_invalid_answer_call_is_refused_and_does_not_end_the_trial(stage: Stage) -> None:
    runner = stage.begin(answer_tool=True)
    _, agent = runner.take()
    for arguments in ({}, {"text": 7}, {"text": "x", "outcome": "won"}, {"text": "x", "answer": "y"}):
        reply = agent.call("submit_answer", **arguments).json()["result"]
        assert reply["isError"], arguments
    assert "done, asked, declined, gave_up" in agent.call("submit_answer", text="x", outcome="won").text
    assert [t["state"] for t in stage.trials(runner)] == ["open"]
    agent.call("submit_answer", text="Which Tuesday?", outcome="asked")
    assert stage.until_done(runner)[0]["outcome"] == "asked"


def test_other_sessions_have_neither_the_prompt_nor_the_tool(stage: Stage) -> None:
    runner = stage.begin()
    _, agent = runner.take()
    assert "submit_answer" not in agent.tools()
    assert agent.call("submit_answer", text="x").json()["error"]["message"].startswith("Unknown tool: submit_answer")
    assert "error" in agent.ask("prompts/list").json()
    plain = Agent(stage.api("POST", "/sessions", json={"world": "empty", "durability": "memory"}).json()["mcp_url"])
    assert "submit_answer" not in plain.tools()


def test_the_answer_tool_is_listed_even_if_tools_are_searched(stage: Stage) -> None:
    _, agent = stage.begin(answer_tool=True, tools="search").take()
    assert agent.tools() == ["search_tools", "describe_tool", "call_tool", "submit_answer"]
