"""Take the screenshots of `docs/`: `python -m tests.gateway.web.pictures` (needs Chromium, Playwright and Pillow)."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.conftest import REPOSITORY, Gateway, clean_environment, soundstage_command, start_gateway, stop_gateway
from tests.gateway.web.conftest import FLAGS, call
from tests.gateway.web.content import state

_FOLDER = REPOSITORY / "docs" / "pictures"
_COLOURS = 256
_PICTURES = (
    ("home", "/", False),
    ("sessions", "/sessions", False),
    ("session", "/sessions/demo", False),
    ("lark", "/sessions/demo/apps/lark", True),
    ("calendar", "/sessions/demo/apps/lark?page=calendar", False),
    ("slack", "/sessions/demo/apps/slack", False),
    ("rednote", "/sessions/demo/apps/xiaohongshu", True),
    ("notion", "/sessions/demo/apps/notion", False),
    ("find", "/sessions/demo/search?q=dry+run", True),
    ("data", "/sessions/demo/data", False),
    ("difference", "/sessions/demo/diff", False),
    ("try", "/sessions/demo/try?app=lark&tool=im_v1_message_create", False),
    ("faults", "/sessions/storm/faults", False),
    ("search", "/search?q=send+a+message+to+a+channel", True),
)


def main() -> None:
    """Take every picture."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        gateway = start_gateway(Path(data))
        try:
            _furnish(gateway)
            with sync_playwright() as running:
                browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
                for name, path, dark in _PICTURES:
                    page = browser.new_page(
                        viewport={"width": 1280, "height": 760}, color_scheme="dark" if dark else "light"
                    )
                    page.goto(gateway.url + path)
                    if name == "session":
                        page.locator(".step .call", has_text="message_create").first.click()
                        page.locator(".detail").wait_for()
                    if name == "data":
                        page.get_by_role("button", name="Run").click()
                    if page.locator("[data-status]").count():
                        page.locator("[data-status].on").wait_for()
                    _write(name, page.screenshot())
                browser.close()
        finally:
            stop_gateway(gateway)


def _furnish(gateway: Gateway) -> None:
    """Create a session in which the demo has run, an app has refused a call, and each app has something to show."""
    command = [*soundstage_command(), "demo", "--data", str(gateway.data)]
    subprocess.run(command, check=True, env=clean_environment(), stdout=subprocess.DEVNULL)
    there: dict[str, Any] = gateway.api("GET", "/sessions/demo/state").json()
    for app, entity in (("slack", "message"), ("notion", "page"), ("xiaohongshu", "note")):
        if not there.get(app, {}).get(entity):
            gateway.api("PUT", "/sessions/demo/state?mode=add", json={app: state()[app]})
    gateway.api("POST", "/sessions", json={"name": "storm", "world": "studio", "faults": "storm"})
    for number in range(30):
        tools = {"im_v1_chat_list": {}, "task_v2_task_create": {"data": {"summary": f"Pack box {number}"}}}
        for tool, arguments in tools.items():
            call(gateway, "storm", "lark", tool, **arguments)
    gateway.api("POST", "/sessions/demo/fork", json={"name": "without-the-move", "at": 3})


def _write(name: str, picture: bytes) -> None:
    with Image.open(io.BytesIO(picture)) as image:
        image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(_FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
