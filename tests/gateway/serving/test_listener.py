"""The open-file limit of a process, and the address that it listens on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from soundstage.gateway.serving.listener import CannotListen, listen
from tests.conftest import Gateway, clean_environment, soundstage_command, stop_gateway, wait_until
from tests.gateway.serving.processes import answers
from tests.ports import free_port


def test_a_port_in_use_is_reported_with_a_remedy() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(CannotListen, match="--port or --host"):
        listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_serving_raises_the_limit_of_open_files(data: Path) -> None:
    port = free_port()
    command = f"ulimit -Sn 300; exec {soundstage_command()[0]} serve --port {port} --data {data}"
    with (data / "log").open("wb") as log:
        process = subprocess.Popen(["bash", "-c", command], stdout=log, stderr=log, env=clean_environment())
    try:
        wait_until(lambda: answers(f"http://127.0.0.1:{port}"), "the gateway answers")
        (line,) = (x for x in Path(f"/proc/{process.pid}/limits").read_text().splitlines() if "open files" in x)
        soft, hard = line.split()[3:5]
        assert int(soft) == min(int(hard), 2**20)
    finally:
        stop_gateway(Gateway(f"http://127.0.0.1:{port}", data, process))
