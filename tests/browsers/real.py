"""Real Chromium: behind the real MCP servers if their packages are installed, or driven by Playwright directly.

`Served` returns the servers' own replies. `Driven` does what their tools do and returns only success and values: it needs
only Python's Playwright, so that a sample can be compared wherever Chromium is installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

SERVERS = {
    "playwright": "@executeautomation/playwright-mcp-server/dist/index.js",
    "puppeteer": "@modelcontextprotocol/server-puppeteer/dist/index.js",
}
_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-sync",
)  # fmt: skip

PATIENCE_S = 60
"""Time limit for an answer; the servers themselves give up after 30 s."""


class Unanswered(Exception):
    """A real server did not answer."""


def chromium() -> str | None:
    """Return the path of the program, if it is installed."""
    return os.environ.get("SOUNDSTAGE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def flags(port: int) -> list[str]:
    """Return the arguments of Chromium that map every site of the comparison to the loopback interface and block all others."""
    rules = [f"MAP *.{name}:80 127.0.0.1:{port}" for name in ("test", "example")]
    return [*_FLAGS, "--host-resolver-rules=" + ", ".join([*rules, "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"])]


class Served:
    """A real MCP server over stdio. `packages` is its `node_modules` folder, and `home` a folder that it may write to."""

    def __init__(self, app: str, packages: Path, home: Path, port: int) -> None:
        program = home / "chromium"
        program.write_text(f'#!/bin/sh\nexec {chromium()} {" ".join(map(repr, flags(port)))} "$@"\n')
        program.chmod(0o755)
        options = json.dumps({"headless": True, "executablePath": str(program)})
        environment = {**os.environ, "HOME": str(home), "CHROME_EXECUTABLE_PATH": str(program)}
        environment |= {"PUPPETEER_LAUNCH_OPTIONS": options, "HTTP_PROXY": "", "http_proxy": ""}
        self._app = app
        self._lines_read = 0
        self._process = subprocess.Popen(
            ["node", str(packages / SERVERS[app])], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment, cwd=home, text=True, start_new_session=True,
        )  # fmt: skip
        self._last = 0
        client = {"name": "comparison", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the result that a client gets."""
        if self._app == "playwright" and tool == "navigate":
            arguments = {"headless": True, **arguments}
        return self._ask("tools/call", {"name": f"{self._app}_{tool}", "arguments": arguments})

    def console(self) -> list[str]:
        """Return every line of the console."""
        if self._app == "playwright":
            content = self.call("console_logs", {})["content"]
            return [line["text"] for line in content[1:]]
        text = self._ask("resources/read", {"uri": "console://logs"})["contents"][0]["text"]
        return str(text).split("\n") if text else []

    def close(self) -> None:
        if self._app == "playwright" and self._process.poll() is None:
            self.call("close", {})
        self._kill()
        self._process.wait()

    def _kill(self) -> None:
        """The servers survive the end of their input, and browsers their servers."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        assert self._process.stdout is not None
        patience = threading.Timer(PATIENCE_S, self._kill)  # some answers never arrive
        patience.start()
        try:
            for line in self._process.stdout:
                try:
                    message = json.loads(line)
                except ValueError:
                    continue
                if message.get("id") == self._last:
                    return dict(message["result"]) if "result" in message else {"error": message["error"]}
        finally:
            patience.cancel()
        raise Unanswered(
            f"the real {self._app} server did not answer {params.get('name', method)} within {PATIENCE_S} s"
        )

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


class Driven:
    """Chromium driven by Playwright as the Playwright server drives it. A reply contains success, and the value of a script."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self._context = browser.new_context(viewport={"width": 1280, "height": 720})
        self._page = self._context.new_page()
        self._page.set_default_timeout(3000)
        self._lines: list[str] = []
        self._page.on("console", lambda entry: self._lines.append(f"[{entry.type}] {entry.text}"))
        self._folder = folder

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return `isError`, and the value of a script as the text after `Result:`."""
        from playwright.sync_api import Error

        try:
            value = self._done(tool, arguments)
        except Error as error:
            return {"isError": True, "content": [{"type": "text", "text": str(error)}]}
        return {
            "isError": False,
            "content": [{"type": "text", "text": text} for text in ("Result:", json.dumps(value))],
        }

    def _done(self, tool: str, arguments: dict[str, Any]) -> Any:
        page, selector = self._page, arguments.get("selector")
        match tool:
            case "navigate":
                page.goto(arguments["url"])
            case "click":
                page.click(selector)
            case "fill":
                page.wait_for_selector(selector)
                page.fill(selector, arguments["value"])
            case "select":
                page.wait_for_selector(selector)
                page.select_option(selector, arguments["value"])
            case "hover":
                page.hover(selector)
            case "press_key":
                if selector:
                    page.focus(selector)
                page.keyboard.press(arguments["key"])
            case "evaluate":
                return page.evaluate(arguments["script"])
            case "go_back":
                page.go_back()
            case "go_forward":
                page.go_forward()
            case "upload_file":
                page.set_input_files(selector, self._folder / arguments["filePath"])
            case "iframe_click":
                page.frame_locator(arguments["iframeSelector"]).locator(selector).click()
            case "iframe_fill":
                page.frame_locator(arguments["iframeSelector"]).locator(selector).fill(arguments["value"])
            case "drag":
                for name, then in (("sourceSelector", page.mouse.down), ("targetSelector", page.mouse.up)):
                    box = page.wait_for_selector(arguments[name]).bounding_box()
                    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                    then()
            case _:
                raise ValueError(f"nobody has said how Playwright does {tool!r}")
        return None

    def console(self) -> list[str]:
        """Return every line of the console."""
        return list(self._lines)

    def close(self) -> None:
        self._context.close()
