"""The referrer that a page sends to the pages it links to."""

from __future__ import annotations

import pytest

from soundstage.kernels.engines.browser.addresses import referrer
from tests.kernels.engines.browser.documents import page


@pytest.mark.parametrize(
    ("here", "there", "sent"),
    [
        ("http://a.test/one?x=1#part", "http://a.test/two", "http://a.test/one?x=1"),
        ("http://a.test/one?x=1", "http://b.test/", "http://a.test/"),
        ("http://a.test/one", "http://a.test:8080/", "http://a.test/"),
        ("http://a.test/one", "https://a.test/two", "http://a.test/"),
        ("https://a.test/one", "http://a.test/two", ""),
        ("about:blank", "http://a.test/", ""),
        ("file:///home/agent/a.html", "http://a.test/", ""),
    ],
)
def test_the_same_site_gets_the_full_referrer_and_others_the_origin(here: str, there: str, sent: str) -> None:
    assert referrer(here, there) == sent


@pytest.mark.parametrize(("rel", "quiet"), [("", False), ("noopener", False), ("nofollow NoReferrer", True)])
def test_a_link_can_suppress_the_referrer(rel: str, quiet: bool) -> None:
    document = page(f'<a id=l href=/next rel="{rel}">on</a>')
    document.do("click", {"at": {"frame": None, "index": document.find("#l", "css")[0]["index"]}})
    [led] = [effect for effect in document.effects if effect["kind"] == "navigate"]
    assert bool(led.get("noreferrer")) is quiet
