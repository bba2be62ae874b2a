"""A sample of the comparison: a few scenarios in our browser and in Chromium, driven by Python's Playwright."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import built_worlds
from tests.browsers.comparison import differing, seen
from tests.browsers.episodes import FILES, Episode, written
from tests.browsers.real import Driven, chromium, flags
from tests.browsers.simulated import Simulated
from tests.browsers.sites import Sites, own_pages

_SAMPLE = ("labels, boxes and radios", "Tab goes round", "a modal dialog", "dragging and pointing")
_PARTS = ("outcome", "address", "controls")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def sites() -> Iterator[Sites]:
    with Sites() as running:
        yield running


@pytest.fixture(scope="module")
def browser(sites: Sites) -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    if chromium() is None:
        pytest.skip("needs a browser: apt-get install chromium (or set SOUNDSTAGE_CHROMIUM)")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=chromium(), args=flags(sites.port))
        yield started
        started.close()


@pytest.mark.parametrize("episode", [one for one in written() if one.name in _SAMPLE], ids=lambda one: one.name)
def test_our_browser_does_what_chromium_does(episode: Episode, browser: Any, sites: Sites, tmp_path: Path) -> None:
    behind = Simulated("playwright", own_pages(), {}, built_worlds.folder())
    sites.serve(behind)
    ours = Simulated("playwright", own_pages(), FILES, built_worlds.folder())
    real = Driven(browser, tmp_path)
    pairs = zip(episode.actions, seen(ours, episode.actions), seen(real, episode.actions), strict=True)
    wrong = [
        (action, part, our.parts[part], their.parts[part])
        for action, our, their in pairs
        for part in differing(our, their, _PARTS)
    ]
    for driver in (behind, ours, real):
        driver.close()
    assert wrong == []
