"""Agents that are programs: what they get, what they say, and that nothing of them stays."""

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


async def test_a_program_gets_its_trial_and_what_was_named_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setenv("MY_API_KEY", "sk-1")
    monkeypatch.setenv("SOUNDSTAGE_TOKEN", "of the control plane")
    show = "import os, json; print(json.dumps([dict(os.environ), os.listdir('.'), os.getcwd()]))"
    mine = trial()
    submission = await program(show, "MY_API_KEY").work(mine)
    environment, files, folder = json.loads(submission.answer)
    assert environment.pop("LC_CTYPE", None) in (None, "C.UTF-8")  # which Python sets where the locale is not installed
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
async def test_the_exit_code_says_how_it_ended_and_the_output_is_the_answer(code: int, outcome: Outcome) -> None:
    submission = await run(f"import sys; print(' 好，14:30。 '); sys.exit({code})")
    assert (submission.outcome, submission.answer, submission.error) == (outcome, "好，14:30。", None)


async def test_a_failure_is_the_agents_own_and_its_last_words_are_told_to_who_drives() -> None:
    submission = await run("raise ValueError('no such tool')")
    assert (submission.outcome, submission.error) == ("gave_up", None)
    assert submission.note == "the agent ended with exit code 1: ValueError: no such tool"
    killed = await run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.note == "the agent was ended by SIGKILL"


async def test_exit_code_75_says_that_it_was_nobodys_fault() -> None:
    submission = await run("import sys; sys.stderr.write('the model is overloaded\\n'); sys.exit(75)")
    assert submission.error == "the model is overloaded"


async def test_what_it_used_is_read_from_a_file_that_it_leaves() -> None:
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


async def test_of_an_endless_answer_the_beginning_counts_and_nobody_waits_for_ever() -> None:
    submission = await run("import sys; sys.stdout.write('x' * 5_000_000)")
    assert len(submission.answer) == 256 * 1024
    assert submission.note is not None
    assert "only the beginning counts" in submission.note


STARTS_ANOTHER = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)"])
open({file!r}, "w").write(str(child.pid))
"""


async def test_what_a_program_leaves_running_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    began = time.monotonic()
    submission = await run(STARTS_ANOTHER.format(file=str(file)) + "print('done')")
    assert submission.answer == "done"
    assert gone(int(file.read_text()))
    assert time.monotonic() - began < 50


async def test_a_program_that_is_called_off_ends_with_all_that_it_started(tmp_path: Path) -> None:
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
async def test_a_program_that_does_not_listen_is_ended_by_force() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    working = asyncio.create_task(program(deaf).work(trial()))
    await asyncio.sleep(0.3)
    began = time.monotonic()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert time.monotonic() - began < 50


async def test_a_file_that_is_named_is_found_though_the_program_starts_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent.py").write_text("print('from the file')")
    monkeypatch.chdir(tmp_path)
    command = Command.read(f"{sys.executable} agent.py", (), os.environ)
    assert (await command.work(trial())).answer == "from the file"


@pytest.mark.parametrize(
    ("line", "names", "told"),
    [
        ("no-such-program --fast", (), "there is no program 'no-such-program'"),
        ("", (), "it is empty"),
        ("sh -c 'echo", (), "No closing quotation"),
        ("sh -c true", ("NOT_SET_ANYWHERE",), "it is not set here"),
        ("sh -c true", ("SOUNDSTAGE_TOKEN",), "is not handed to agents"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_leased(line: str, names: tuple[str, ...], told: str) -> None:
    environment = {"PATH": os.environ["PATH"], "SOUNDSTAGE_TOKEN": "x"}
    with pytest.raises(BadCommand, match=told):
        Command.read(line, names, environment)
