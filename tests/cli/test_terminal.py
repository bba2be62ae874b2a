"""Text from contexts, upstreams and models cannot control the user's terminal; other programs receive it unchanged."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_PRINT = """
import sys
from soundstage.cli import output
text = "a\\x1b]0;owned\\x07\\x9b31m\\r\\u202eb\\tc\\nd 灯"
output.print_text(text, (text, "bold"))
output.print_table(["name"], [[text]])
output.print_json({"text": text})
output.print_note(text)
output.tell_error(text)
"""


def _printed(stdout: int, stderr: int) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", _PRINT]
    subprocess.run(command, stdout=stdout, stderr=stderr, env=environment, check=True, timeout=60)


def _read(file: int) -> str:
    whole = b""
    while True:
        try:
            piece = os.read(file, 65536)
        except OSError:  # the other end of the terminal is closed
            break
        if not piece:
            break
        whole += piece
    os.close(file)
    return whole.decode()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo terminals")
def test_a_terminal_shows_control_characters_as_text() -> None:
    ours, theirs = os.openpty()
    _printed(theirs, theirs)
    os.close(theirs)
    shown = _read(ours).replace("\r\n", "\n")
    assert not [c for c in shown if not c.isprintable() and c not in "\n\t"], ascii(shown)
    assert shown.count("a\\u001b]0;owned\\u0007\\u009b31m\\u000d\\u202eb") >= 5, shown
    assert "灯" in shown


def test_other_programs_receive_the_text_unchanged() -> None:
    ours, theirs = os.pipe()
    _printed(theirs, theirs)
    os.close(theirs)
    assert "a\x1b]0;owned\x9b31m\u202eb" in _read(ours)  # rich removes bells and carriage returns
