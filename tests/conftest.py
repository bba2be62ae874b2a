"""Fixtures shared by all tests: contexts, sessions in this process, and a gateway as a separate process."""

from __future__ import annotations

import argparse
import asyncio
import inspect
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import httpx2
import httpx2._transports.default as httpx2_transports
import hypothesis
import pytest
import structlog
from click.testing import Result
from typer.testing import CliRunner
from xdist.scheduler import LoadFileScheduling

from soundstage.contexts.engine.clock import Clock, parse_moment, to_ms
from soundstage.contexts.engine.storage import MemoryStorage
from soundstage.contexts.engine.store import Context
from soundstage.gateway import log
from soundstage.gateway.registry.records import SessionRecord
from soundstage.gateway.sessions.session import Session
from soundstage.servers.catalogue import app_names
from soundstage.worlds import built, library, load_world
from tests import built_worlds
from tests.ports import free_port

REPOSITORY = Path(__file__).parent.parent
SHARED = REPOSITORY.parent / "shared"
START_S = 120.0

# A busy machine makes examples slow, and no property test is about speed. Examples are the same in every run, so that a
# failure is caused by a change; `make examples` draws others.
_MACHINE: dict[str, Any] = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("same", **_MACHINE, derandomize=True, max_examples=40)
hypothesis.settings.register_profile("others", **_MACHINE)
hypothesis.settings.load_profile("same")
# Tests do not limit the time of a gateway either: by default httpx waits only five seconds.
_WAITS = inspect.signature(httpx2.request).parameters["timeout"].default
_WAITS.connect = _WAITS.read = _WAITS.write = _WAITS.pool = START_S

# Reading the certificates of the machine takes 30 ms, which httpx does for each request that has no client.
httpx2_transports.create_ssl_context = cache(httpx2_transports.create_ssl_context)

_numbers = itertools.count()
_storage = MemoryStorage()


def run_here(*arguments: str, environment: Mapping[str, str | None] | None = None) -> Result:
    """Run a command in this process, which is faster than starting one. The log goes to stderr, as in a process.

    A command starts an event loop: next to a running loop, it gets a thread. Commands that handle signals need the main
    thread.
    """
    from soundstage.cli.main import app

    def invoke() -> Result:
        structlog.configure(logger_factory=lambda *names: structlog.PrintLogger(sys.stderr))
        return CliRunner().invoke(app, arguments, env=environment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "configure", lambda **_: None)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return invoke()
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(invoke).result()


_TOGETHER = (
    "tests/gateway/cluster/",
    "tests/gateway/upstream/",
    "tests/runs/",
    "tests/synthesis/generate/",
    "tests/synthesis/web/",
    "tests/worlds/builder/",
)
"""Folders whose tests run in one process, because they share a fixture or cache that takes seconds to create."""


class Scheduler(LoadFileScheduling):
    """Runs the tests of a file, and of some folders, in one process."""

    def _split_scope(self, nodeid: str) -> str:
        together = next((folder for folder in _TOGETHER if nodeid.startswith(folder)), None)
        return together or super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduler:
    return Scheduler(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        metavar="N/M",
        type=_part,
        help="run only part N of M of the tests; a hash of its id puts each into one",
    )


def _part(text: str) -> tuple[int, int]:
    try:
        part, parts = map(int, text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form N/M") from None
    if not 1 <= part <= parts:
        raise argparse.ArgumentTypeError(f"{text!r}: N must be between 1 and M")
    return part, parts


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen: tuple[int, int] | None = config.getoption("part")
    if chosen is None:
        return
    part, parts = chosen
    inside, outside = [], []
    for item in items:
        (inside if crc32(item.nodeid.encode()) % parts == part - 1 else outside).append(item)
    config.hook.pytest_deselected(items=outside)
    items[:] = inside


def pytest_configure(config: pytest.Config) -> None:
    if built_worlds.create():
        config.add_cleanup(built_worlds.remove)


@pytest.fixture(scope="session")
def worlds_folder() -> Path:
    """The folder of the worlds that the tests have built."""
    return built_worlds.folder()


@pytest.fixture(scope="session", autouse=True)
def _library(worlds_folder: Path) -> None:
    """Make the library that all sessions share available in this process."""
    library.serve(worlds_folder)


@pytest.fixture
def new_session(worlds_folder: Path) -> Iterator[Callable[..., Session]]:
    """Creates sessions in memory: new_session(world="empty", seed=0, at="2026-11-20T00:00:00Z")."""
    made: list[str] = []

    def make(*, world: str = "empty", seed: int = 0, at: str | None = None) -> Session:
        loaded = load_world(world)
        at_ms = loaded.epoch_ms if at is None else to_ms(parse_moment(at))
        name = f"test-{next(_numbers)}"
        clock = Clock("tick", at_ms)
        context = _storage.create(name, built(loaded, worlds_folder), seed=seed, clock=clock)
        made.append(name)
        record = SessionRecord(name, name, None, world, app_names(), seed, clock, 0, None, durability="memory")
        return Session(record, context)

    yield make
    for name in made:
        _storage.delete(name)


@pytest.fixture
def context(new_session: Callable[..., Session]) -> Context:
    """A context of world `empty`."""
    return new_session().context


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that runs as a separate process."""

    url: str
    data: Path
    process: subprocess.Popen[bytes]

    def api(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        return httpx2.request(method, f"{self.url}/api{path}", timeout=120, **arguments)

    def session(self, **body: Any) -> dict[str, Any]:
        """Create a session, by default in memory."""
        response = self.api("POST", "/sessions", json={"durability": "memory", **body})
        assert response.status_code == 201, response.text
        made: dict[str, Any] = response.json()
        return made

    def journal(self, session_id: str) -> list[dict[str, Any]]:
        import json

        text = self.api("GET", f"/sessions/{session_id}/journal").text
        return [json.loads(line) for line in text.splitlines()]


def start_gateway(
    data: Path,
    *options: str,
    port: int | None = None,
    log: Path | None = None,
    prefix: Sequence[str] = (),
    bare: bool = False,
) -> Gateway:
    """Start `soundstage serve` and wait until it answers. `prefix` is a command that starts another one. The gateway uses the
    worlds that the tests have built, unless `bare` is true.
    """
    if not bare:
        built_worlds.link_into(data)
    port = port or free_port()
    command = [*prefix, *soundstage_command(), "serve", "--port", str(port), "--data", str(data), *options]
    output = subprocess.DEVNULL if log is None else log.open("ab")
    process = subprocess.Popen(command, stdout=output, stderr=output, env=clean_environment())
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the gateway ended with {process.returncode}"
        try:
            httpx2.get(f"{url}/healthz", timeout=10)
        except httpx2.HTTPError:
            time.sleep(0.05)
        else:
            return Gateway(url, data, process)
    process.kill()
    raise AssertionError(f"the gateway did not answer within {START_S} s")


def wait_until(true: Callable[[], bool], what: str = "what was waited for") -> None:
    end = time.monotonic() + START_S
    while not true():
        assert time.monotonic() < end, f"still not after {START_S} s: {what}"
        time.sleep(0.05)


def stop_gateway(gateway: Gateway) -> None:
    gateway.process.terminate()
    try:
        gateway.process.wait(60)
    except subprocess.TimeoutExpired:
        gateway.process.kill()
        gateway.process.wait()


def soundstage_command() -> list[str]:
    """Return the installed console script, as a user starts it."""
    return [str(Path(sys.executable).with_name("soundstage"))]


def clean_environment() -> dict[str, str]:
    """Return the environment without settings of Soundstage, without colours, and with a wide terminal."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SOUNDSTAGE_")}
    return {**environment, "COLUMNS": "200", "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway for all tests that leave it unchanged. Each creates its own sessions."""
    folder = tmp_path_factory.mktemp("gateway")
    started = start_gateway(folder / "data", log=folder / "log")
    yield started
    stop_gateway(started)


def shared_file(*parts: str) -> Path:
    """Return a file of the material next to the repository. The test skips if it is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the material beside the repository, which is not here")
    return path
