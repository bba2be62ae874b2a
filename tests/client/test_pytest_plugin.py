"""The fixtures and the marker for tests of agents, in separate runs of pytest."""

from __future__ import annotations

import pytest

from tests.conftest import Gateway

pytest_plugins = ["pytester"]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    for setting in ("SOUNDSTAGE_TOKEN", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        monkeypatch.delenv(setting, raising=False)
    return pytester


def test_each_test_gets_a_fresh_session_that_is_deleted_afterwards(run: pytest.Pytester, gateway: Gateway) -> None:
    run.makepyfile(
        """
        import httpx2
        import pytest

        seen = []

        @pytest.mark.parametrize("time", [1, 2])
        def test_errand(soundstage, time):
            assert soundstage.journal() == []
            called = soundstage.call("lark", "task_v2_task_create", {"data": {"summary": "Find the lens cap"}})
            assert called["step"] == 1
            seen.append((soundstage.id, called["reply"]))

        def test_afterwards(soundstage, soundstage_gateway):
            assert seen[0][0] != seen[1][0] != soundstage.id
            assert seen[0][1] == seen[1][1], "the same seed gives the same ids"
            for session, _ in seen:
                found = httpx2.get(f"{soundstage_gateway.url}/api/sessions/{session}")
                assert found.status_code == 404
        """
    )
    before = {s["id"] for s in gateway.api("GET", "/sessions").json()["sessions"]}
    run.runpytest_subprocess("--soundstage-url", gateway.url).assert_outcomes(passed=3)
    assert {s["id"] for s in gateway.api("GET", "/sessions").json()["sessions"]} == before


@pytest.mark.long
def test_markers_configure_the_session_and_the_nearest_has_priority(run: pytest.Pytester, gateway: Gateway) -> None:
    run.makeini(f"[pytest]\nsoundstage_url = {gateway.url}")
    run.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.soundstage(world="empty", seed=3)

        def test_of_the_module(soundstage):
            assert (soundstage.world, soundstage.seed) == ("empty", 3)

        @pytest.mark.soundstage(seed=4, apps=["slack"])
        class TestOfAClass:
            def test_of_the_class(self, soundstage):
                assert (soundstage.world, soundstage.seed, list(soundstage.apps)) == ("empty", 4, ["slack"])

            @pytest.mark.soundstage(world="studio", faults="flaky", clock={"mode": "frozen"}, tools="search")
            def test_of_its_own(self, soundstage):
                assert (soundstage.world, soundstage.seed, list(soundstage.apps)) == ("studio", 4, ["slack"])
                assert soundstage.faults()["schedule"] is not None
                assert soundstage.clock()["mode"] == "frozen"
                assert soundstage.examine()["tools"] == "search"
        """
    )
    run.runpytest_subprocess("--strict-markers").assert_outcomes(passed=3)


@pytest.mark.parametrize("wrong", ["colour='red'", pytest.param("'studio'", marks=pytest.mark.long)])
def test_an_unknown_argument_of_the_marker_is_reported(run: pytest.Pytester, gateway: Gateway, wrong: str) -> None:
    run.makepyfile(
        f"""
        import pytest

        @pytest.mark.soundstage({wrong})
        def test_errand(soundstage):
            pass
        """
    )
    done = run.runpytest_subprocess("--soundstage-url", gateway.url)
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*@pytest.mark.soundstage takes world, apps, *by name, and no *"])


@pytest.mark.long
def test_a_gateway_is_started_on_demand_if_none_runs(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import pathlib, tempfile

        def folders():
            return list(pathlib.Path(tempfile.gettempdir()).glob("soundstage-*"))

        def test_that_needs_none():
            assert folders() == []

        async def errand(url):
            from mcp.client import Client
            async with Client(url) as client:
                return await client.call_tool("lark_task_v2_task_create", {"data": {"summary": "Sweep the stage"}})

        def test_that_needs_one(soundstage):
            import asyncio
            assert not asyncio.run(errand(soundstage.mcp_url)).is_error
            assert [c["op"] for c in soundstage.diff()] == ["insert"]
            assert folders() != []
        """
    )
    temporary = run.mkdir("temporary")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TMPDIR", str(temporary))
        run.runpytest_subprocess("-p", "no:asyncio").assert_outcomes(passed=2)
    assert list(temporary.glob("soundstage-*")) == []


@pytest.mark.long
def test_under_xdist_each_worker_has_a_separate_gateway(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import os, pathlib
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_errand(soundstage, soundstage_gateway, number):
            assert soundstage.call("lark", "task_v2_task_create", {"data": {"summary": f"Cue {number}"}})["ok"]
            assert len(soundstage.diff()) == 1
            with pathlib.Path("gateways").open("a") as file:
                file.write(f"{os.environ['PYTEST_XDIST_WORKER']} {soundstage_gateway.url}\\n")
        """
    )
    run.runpytest_subprocess("-n", "2", "--dist", "each").assert_outcomes(passed=12)
    used = set((run.path / "gateways").read_text().splitlines())
    assert len(used) == 2, "each worker stays with one"
    assert len({line.split()[1] for line in used}) == 2


@pytest.mark.long
def test_a_run_without_the_fixtures_loads_only_the_plugin(run: pytest.Pytester) -> None:
    run.makepyfile(
        """
        import sys

        def test_modules():
            assert {m for m in sys.modules if m.startswith("soundstage.")} == {"soundstage.pytest_plugin"}
            assert "httpx2" not in sys.modules
        """
    )
    run.runpytest_subprocess("-p", "no:asyncio").assert_outcomes(passed=1)
