"""The pages of pools and syntheses in a real browser, in desktop and mobile size, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Gateway
from tests.gateway.web.conftest import keep

pytestmark = pytest.mark.long


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_pages_fit_and_log_no_errors(
    synthesis_gateway: Gateway, new_page: Callable[..., Any], width: int, dark: bool
) -> None:
    page = new_page(width=width, dark=dark)
    for name in ("", "/pools/kiosk", "/apps/kiosk"):
        page.goto(f"{synthesis_gateway.url}/synthesis{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        keep(page, f"synthesis{name.replace('/', '-')}-{width}-{'dark' if dark else 'light'}")


def test_the_picture_of_a_metric_is_drawn_within_the_content_policy(
    synthesis_gateway: Gateway, new_page: Callable[..., Any]
) -> None:
    page = new_page(width=1200)
    page.goto(f"{synthesis_gateway.url}/synthesis/apps/kiosk")
    bar, missed = page.locator(".bars svg").first.bounding_box(), page.locator(".bars .missed").first.bounding_box()
    assert missed["width"] == pytest.approx(0.75 * bar["width"], abs=3)
