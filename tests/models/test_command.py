"""Programs as models: their input, their restricted environment, and the removal of everything that they start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from soundstage.models.asking import Message, ModelError, Question
from soundstage.models.command import Command
from tests.conftest import wait_until

QUESTION = Question.of("Where are the lanterns? 灯", system="You are a stagehand.")


def program(code: str, **options: object) -> Command:
    return Command((sys.executable, "-c", code), **options)  # type: ignore[arg-type]


def test_the_prompt_is_sent_on_standard_input_and_the_answer_read_from_standard_output() -> None:
    answer = program("import sys; print(sys.stdin.read().upper(), end='')").ask(QUESTION)
    assert (answer.text, answer.ended) == ("YOU ARE A STAGEHAND.\n\nWHERE ARE THE LANTERNS? 灯", "stop")
    assert answer.estimated
    assert answer.seconds > 0


def test_a_conversation_is_sent_with_its_roles() -> None:
    question = Question((Message("user", "Where?"), Message("assistant", "Here."), Message("user", "Where?")))
    answer = program("import sys; print(sys.stdin.read(), end='')").ask(question)
    assert answer.text == "[user]\nWhere?\n\n[assistant]\nHere.\n\n[user]\nWhere?"


def test_a_program_may_answer_without_reading_its_prompt() -> None:
    assert program("print('Here.')").ask(Question.of("x" * 2**20)).text == "Here.\n"


def test_a_program_gets_an_empty_folder_and_a_small_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUNDSTAGE_LLM_API_KEY", "sk-not-for-programs")
    monkeypatch.setenv("LLM_HOME", "/srv/llm")
    code = "import os; print(os.listdir(), sorted(set(os.environ) - {'LC_CTYPE'}))"
    line = f'{sys.executable} -c "{code}"'
    assert Command.read(line, [], os.environ).ask(QUESTION).text == "[] ['LANG', 'PATH']\n"
    assert Command.read(line, ["LLM_HOME"], os.environ).ask(QUESTION).text == "[] ['LANG', 'LLM_HOME', 'PATH']\n"


def test_a_program_can_be_given_a_folder(tmp_path: Path) -> None:
    (tmp_path / "brief.md").write_text("Write a kernel.")
    assert program("print(open('brief.md').read())", folder=tmp_path).ask(QUESTION).text == "Write a kernel.\n"


def starts_another(file: Path) -> str:
    """Return statements that start a process of ten minutes and write its id to a file."""
    return (
        "import os, subprocess, sys, time; "
        "child = subprocess.Popen([sys.executable, '-S', '-E', '-c', 'import time; time.sleep(600)']); "
        f"file = open({str(file)!r} + '.new', 'w'); file.write(str(child.pid)); file.close(); "
        f"os.replace({str(file)!r} + '.new', {str(file)!r})"
    )


def gone(pid: int) -> bool:
    """Return whether a process has ended. A zombie counts as ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_program_over_its_time_limit_is_ended_with_its_child_processes(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    for timeout_s in (0.5, 5, 50):  # the shortest timeout that lets it start another process on this machine
        with pytest.raises(ModelError, match=f"took longer than {timeout_s:g} s"):
            program(f"{starts_another(file)}; time.sleep(600)", timeout_s=timeout_s).ask(QUESTION)
        if file.exists():
            break
    wait_until(lambda: gone(int(file.read_text())))


def test_processes_left_by_a_program_are_ended(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    assert program(f"{starts_another(file)}; print('Here.')").ask(QUESTION).text == "Here.\n"
    wait_until(lambda: gone(int(file.read_text())))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; print('half'); sys.exit('no model is configured')", "exit code 1: no model is configured"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("pass", "said nothing"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "said more than 8 MiB"),
    ],
)
def test_a_failure_is_reported_with_its_reason(code: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        program(code).ask(QUESTION)


def test_neither_error_messages_nor_names_contain_secrets() -> None:
    code = "import os, sys; sys.exit('bad key ' + os.environ['KEY'])"
    command = Command((sys.executable, "-c", code, "--key", "sk-on-the-line"), {"KEY": "sk-in-the-environment"})
    with pytest.raises(ModelError, match=r"bad key \*\*\*") as raised:
        command.ask(QUESTION)
    for text in (str(raised.value), command.name, repr(command)):
        assert "sk-" not in text
    assert command.name != program(code).name


@pytest.mark.parametrize(
    ("line", "names", "message"),
    [
        ("no-such-program --fast", [], "there is no program 'no-such-program'"),
        ("", [], "the model's command line is empty"),
        ("llm 'open", [], "cannot be read"),
        ("cat", ["NOT_SET_HERE"], "NOT_SET_HERE is not set here"),
    ],
)
def test_an_invalid_command_is_refused_at_once(line: str, names: list[str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Command.read(line, names, {"PATH": os.environ["PATH"]})
