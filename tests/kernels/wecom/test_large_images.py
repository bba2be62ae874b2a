"""The largest picture that the robot accepts, and one byte more; both are too long for a line of the cases."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from soundstage.contexts.engine.storage import MemoryStorage
from tests.kernels.cases import Case, run_case

_PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(("extra", "message"), [(0, "Image message sent successfully"), (1, "invalid image size")])
def test_two_megabytes_are_the_maximum(worlds_folder: Path, extra: int, message: str) -> None:
    data = _PNG + bytes(2 * 1024 * 1024 - len(_PNG) + extra)
    arguments = {"base64_data": base64.b64encode(data).decode(), "md5": hashlib.md5(data).hexdigest()}
    line = {"case": "", "given": {"webhook_robot": [{"key": "k"}]}, "arguments": arguments, "expect": {}}
    outcome = run_case(Case("wecom", "send_image", 0, line), MemoryStorage(), worlds_folder)
    assert message in outcome.reply
    assert outcome.ok is (extra == 0)
