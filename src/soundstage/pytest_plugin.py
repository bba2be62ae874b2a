"""Pytest fixtures for tests of agents: `soundstage_gateway` for the whole run, and `soundstage`, a new session for each test.

A marker configures the session; its arguments are those of `Stage.session`:

    @pytest.mark.soundstage(world="studio", apps=["slack"], seed=7, faults="flaky")

On a class or a module the marker applies to all tests in it; the marker closest to the test wins.

Every pytest run in the environment imports this module, so it imports the client when a test first uses a fixture.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from soundstage.client import Session, SessionOptions, Stage

_MARKER = "soundstage"
_ARGUMENTS = ("world", "apps", "seed", "faults", "user", "clock", "tools", "server")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    url = "the gateway that tests use instead of one that is started for them; its token is taken from SOUNDSTAGE_TOKEN"
    parser.getgroup("soundstage").addoption("--soundstage-url", metavar="URL", help=url)
    parser.addini("soundstage_url", url)


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin's marker."""
    config.addinivalue_line(
        "markers", f"{_MARKER}({', '.join(_ARGUMENTS)}): the properties of the session of the fixture `soundstage`"
    )


@pytest.fixture(scope="session")
def soundstage_gateway(request: pytest.FixtureRequest) -> Iterator[Stage]:
    """The gateway of this pytest run, started when the first test uses it; one per worker under pytest-xdist."""
    from soundstage.client import connect, serve

    url = request.config.getoption("--soundstage-url") or request.config.getini("soundstage_url")
    with connect(url, token=os.environ.get("SOUNDSTAGE_TOKEN")) if url else serve() as stage:
        yield stage


@pytest.fixture(scope="session")
def _soundstage_parents(soundstage_gateway: Stage) -> Iterator[Callable[[SessionOptions], Session]]:
    """Return the function that gives the session from which tests with the same options are forked."""
    parents: dict[str, Session] = {}

    def parent(options: SessionOptions) -> Session:
        key = json.dumps(options, sort_keys=True)
        if key not in parents:
            in_memory: SessionOptions = {**options, "durability": "memory"}
            parents[key] = soundstage_gateway.session(**in_memory)
        return parents[key]

    yield parent
    for session in parents.values():
        session.delete()


@pytest.fixture
def soundstage(
    request: pytest.FixtureRequest, _soundstage_parents: Callable[[SessionOptions], Session]
) -> Iterator[Session]:
    """A session for this test, configured by the marker `soundstage`; deleted at the end."""
    with _soundstage_parents(_options(request.node)).fork() as session:
        yield session


def _options(node: pytest.Item) -> SessionOptions:
    """Return the options in a test's markers; the closest marker wins.

    Raises:
        pytest.UsageError: The marker has no such argument.
    """
    options: dict[str, Any] = {}
    for marker in reversed(list(node.iter_markers(_MARKER))):
        for strange in (*marker.args, *(name for name in marker.kwargs if name not in _ARGUMENTS)):
            raise pytest.UsageError(
                f"{node.nodeid}: @pytest.mark.{_MARKER} takes {', '.join(_ARGUMENTS)} by name, and no {strange!r}"
            )
        options |= marker.kwargs
    return cast("SessionOptions", options)
