"""Agents that are programs: their environment, their output, and the removal of everything that they start."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from soundstage.grading.checks import Outcome
from soundstage.runs.drive.agent import Submission
from soundstage.runs.drive.command import BadCommand, Command
from tests.runs.drive.fake_gateway import gone, trial


def program(code: str, *names: str) -> Command:
    line = shlex.join([sys.executable, "-S", "-E", "-c", code])
    return Command.read(line, names, os.environ)


async def run(code: str) -> Submission:
    return await program(code).work(trial())


async def test_a_program_gets_its_trial_and_the_named_variables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setenv("MY_API_KEY", "sk-1")
    monkeypatch.setenv("SOUNDSTAGE_TOKEN", "of the control plane")
    show = "import os, json; print(json.dumps([dict(os.environ), os.listdir('.'), os.getcwd()]))"
    mine = trial()
    submission = await program(show, "MY_API_KEY").work(mine)
    environment, files, folder = json.loads(submission.answer)
    assert environment.pop("LC_CTYPE", None) in (None, "C.UTF-8")  # Python sets it if the locale is not installed
    assert environment == {
        "PATH": os.environ["PATH"],
        "LANG": "en_GB.UTF-8",
        "MY_API_KEY": "sk-1",
        "SOUNDSTAGE_MCP_URL": "http://127.0.0.1:1/s/handle/mcp",
        "SOUNDSTAGE_INSTRUCTION": "Tick the lantern off.\n把灯关掉。",
        "SOUNDSTAGE_DEADLINE": environment["SOUNDSTAGE_DEADLINE"],
    }
    assert 50 < int(environment["SOUNDSTAGE_DEADLINE"]) - time.time() <= 60
    assert files == []
    assert not os.path.lexists(folder)  # noqa: ASYNC240


@pytest.mark.parametrize(
    ("code", "outcome"), [(0, "done"), (10, "asked"), (11, "declined"), (12, "gave_up"), (1, "gave_up")]
)
async def test_the_exit_code_is_the_outcome_and_the_output_the_answer(code: int, outcome: Outcome) -> None:
    submission = await run(f"import sys; print(' 好，14:30。 '); sys.exit({code})")
    assert (submission.outcome, submission.answer, submission.error) == (outcome, "好，14:30。", None)


async def test_a_failure_counts_for_the_agent_and_its_last_output_is_noted() -> None:
    submission = await run("raise ValueError('no such tool')")
    assert (submission.outcome, submission.error) == ("gave_up", None)
    assert submission.note == "the agent ended with exit code 1: ValueError: no such tool"
    killed = await run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.note == "the agent was ended by SIGKILL"


async def test_exit_code_75_is_not_counted_against_the_agent() -> None:
    submission = await run("import sys; sys.stderr.write('the model is overloaded\\n'); sys.exit(75)")
    assert submission.error == "the model is overloaded"


async def test_usage_is_read_from_a_file_of_the_agent() -> None:
    submission = await run("open('usage.json', 'w').write('{\"input_tokens\": 812, \"cost_usd\": 0.02}'); print('ok')")
    assert submission.usage is not None
    assert (submission.usage.input_tokens, submission.usage.output_tokens, submission.usage.cost_usd) == (
        812,
        None,
        0.02,
    )
    wrong = await run("open('usage.json', 'w').write('{\"tokens\": 812}'); print('ok')")
    assert (wrong.answer, wrong.usage) == ("ok", None)
    assert wrong.note is not None
    assert "usage.json, tokens" in wrong.note


async def test_an_endless_answer_is_cut_and_not_waited_for() -> None:
    submission = await run("import sys; sys.stdout.write('x' * 5_000_000)")
    assert len(submission.answer) == 256 * 1024
    assert submission.note is not None
    assert "only the beginning counts" in submission.note


STARTS_ANOTHER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)"])
open({file!r}, "w").write(str(child.pid))
"""


async def test_processes_left_by_a_program_are_ended(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    began = time.monotonic()
    submission = await run(STARTS_ANOTHER.format(file=str(file)) + "print('done')")
    assert submission.answer == "done"
    assert gone(int(file.read_text()))
    assert time.monotonic() - began < 50


async def test_a_cancelled_program_ends_with_its_child_processes(tmp_path: Path) -> None:
    file, ended = tmp_path / "pid", tmp_path / "ended"
    code = STARTS_ANOTHER.format(file=str(file)) + (
        f"import signal\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (open({str(ended)!r}, 'w').write('in order'), sys.exit(0)))\n"
        f"open({str(file)!r} + '.ready', 'w').close()\ntime.sleep(60)"
    )
    working = asyncio.create_task(program(code).work(trial()))
    while not file.with_suffix(".ready").exists():
        assert not working.done(), working.result()
        await asyncio.sleep(0.02)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert ended.read_text() == "in order"
    assert gone(int(file.read_text()))


@pytest.mark.long
async def test_a_program_that_ignores_signals_is_killed() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    working = asyncio.create_task(program(deaf).work(trial()))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert time.monotonic() - began < 50


async def test_a_relative_program_path_is_found_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.py").write_text("print('from the file')")
    monkeypatch.chdir(tmp_path)
    command = Command.read(f"{sys.executable} agent.py", (), os.environ)
    assert (await command.work(trial())).answer == "from the file"


@pytest.mark.parametrize(
    ("line", "names", "message"),
    [
        ("no-such-program --fast", (), "there is no program 'no-such-program'"),
        ("", (), "it is empty"),
        ("sh -c 'echo", (), "No closing quotation"),
        ("sh -c true", ("NOT_SET_ANYWHERE",), "it is not set"),
        ("sh -c true", ("SOUNDSTAGE_TOKEN",), "cannot be passed"),
    ],
)
def test_an_unusable_command_is_reported_before_any_lease(line: str, names: tuple[str, ...], message: str) -> None:
    environment = {"PATH": os.environ["PATH"], "SOUNDSTAGE_TOKEN": "x"}
    with pytest.raises(BadCommand, match=message):
        Command.read(line, names, environment)
