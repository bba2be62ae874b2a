"""The commands and snippets of README and docs/ run as written, against a gateway of the test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.conftest import REPOSITORY, Gateway, clean_environment, soundstage_command, start_gateway, stop_gateway

PAGES = [*sorted(REPOSITORY.glob("*.md")), *sorted((REPOSITORY / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DEFAULT = "http://127.0.0.1:8700"
# These commands start something that does not end, or belong to another program. The reason names the test of what they
# need.
_NOT_RUN = {
    "make serve": "tests start the gateway by the same console script",
    "make test": "would run these tests again",
    "soundstage serve": "does not end; tests start it, with upstreams too",
    ".venv/bin/pytest": "runs tests that this run contains",
    ".venv/bin/mypy": "checks the types of the whole project, which `make check` does",
    "make bench": "takes minutes; a test of its own runs one row",
    "soundstage connect": "changes the clients' own configuration; its tests do so on copies",
    "soundstage runs drive --last": "needs a gateway with a token; the page on evaluation has tests of its own, which run it",
    "soundstage doctor": "tells about the clients of whoever runs the tests; its tests have clients of their own",
    "apt-get install": "changes the machine that the tests run on",
    "claude mcp add": "another program's command",
    "pip install": "changes the environment that the tests run in",
    "docker compose": "needs a container engine; tests/docker checks the files and runs what they start without one",
    "export SOUNDSTAGE_TOKEN=$(docker compose": "likewise",
    "nginx -e stderr": "does not end; tests/docker runs nginx with the same file",
    "soundstage models install": "downloads 84 MB; its tests install from a wheel of their own",
}


def _snippets(page: Path, language: str) -> list[str]:
    return [body for kind, body in _FENCE.findall(page.read_text()) if kind == language]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    started = start_gateway(tmp_path_factory.mktemp("docs"))
    yield started
    stop_gateway(started)


def _environment(gateway: Gateway) -> dict[str, str]:
    folder = str(Path(soundstage_command()[0]).parent)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**clean_environment(), "PATH": path, "SOUNDSTAGE_DATA": str(gateway.data)}


def _each(pages: list[Path], *, slow: tuple[str, ...]) -> list[ParameterSet]:
    """Return a test parameter for each page. Pages in `slow` are long tests."""
    return [
        pytest.param(p, id=str(p.relative_to(REPOSITORY)), marks=[pytest.mark.long] if p.stem in slow else [])
        for p in pages
    ]


@pytest.mark.parametrize(
    "page",
    _each(
        PAGES,
        slow=(
            "fidelity",
            "results",
            "sessions",
            "tasks",
            "search",
            "faults",
            "worlds",
            "runs",
            "bring-your-own-server",
        ),
    ),
)
def test_shell_commands_work_as_the_page_describes(page: Path, served: Gateway, tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(REPOSITORY / "docs")  # commands name examples by their paths in a checkout
    for snippet in _snippets(page, "sh"):
        for command in re.sub(r"\\\n\s*", " ", snippet).splitlines():
            command = command.replace(_DEFAULT, served.url)
            if not command.strip() or any(command.startswith(skipped) for skipped in _NOT_RUN):
                continue
            done = subprocess.run(
                ["bash", "-ec", command], cwd=tmp_path, capture_output=True, text=True, env=_environment(served)
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", _each(PAGES, slow=("python", "runs")))
def test_python_snippets_run(page: Path, served: Gateway, tmp_path: Path) -> None:
    for snippet in _snippets(page, "python"):
        program = tmp_path / "test_snippet.py"
        program.write_text(snippet.replace(_DEFAULT, served.url))
        pytest_options = ["-m", "pytest", "-p", "no:cacheprovider"] if "def test_" in snippet else []
        done = subprocess.run(
            [sys.executable, *pytest_options, str(program)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=clean_environment(),
        )
        assert done.returncode == 0, f"{snippet}\n{done.stdout}\n{done.stderr}"
        assert done.stdout, "it shows something"


def test_the_configurations_for_clients_reach_a_server(served: Gateway) -> None:
    (block,) = (json.loads(b) for b in _snippets(REPOSITORY / "README.md", "json"))
    assert block["mcpServers"]["soundstage"] == {"url": f"{_DEFAULT}/mcp"}
    printed = subprocess.run(
        [*soundstage_command(), "connect", "mcp-json", "--print"],
        capture_output=True,
        text=True,
        env=_environment(served),
    )
    started = json.loads(printed.stdout)["mcpServers"]["soundstage"]
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}  # fmt: skip
    done = subprocess.run(
        [started["command"], *started["args"]],
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        env=_environment(served),
        timeout=120,
    )
    assert json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "apps"


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the documentation site generate them."""
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", h).lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_links_and_anchors_resolve(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!https?://)([^)#]*)(?:#([^)]+))?\)", page.read_text()):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        assert not anchor or anchor in _anchors(linked), f"{target}#{anchor}"
