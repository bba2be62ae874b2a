"""Recordings: the calls that they contain, and the Playwright test generated from them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from posixpath import join, normpath
from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import UNDEFINED, is_true, text
from soundstage.kernels.types import Arguments

HOME = "/home/agent"
DEFAULTS = {"outputPath": f"{HOME}/e2e", "testNamePrefix": "Test", "includeComments": True}
_TOLD_NOWHERE = {"outputPath": "/srv/out", "testNamePrefix": "Test", "includeComments": True}


def recorded(context: AppContext, tool: str, arguments: Arguments) -> None:
    """Append a call to the active recording, if there is one."""
    row = context.first("codegen_session", {"active": True})
    if row is not None:
        action = {"toolName": tool, "parameters": arguments, "timestamp": to_ms(context.now())}
        context.update("codegen_session", row["sessionId"], {"actions": [*(row.get("actions") or []), action]})


def session(context: AppContext, key: Any) -> Object | None:
    """Return a recording with everything that a client receives, in the server's order, or None.

    A recording that a state names only by id starts like a new one: its only action opens the first page of that state.
    """
    row = context.get("codegen_session", key) if isinstance(key, str) else None
    if row is None:
        return None
    start = row.get("startTime", to_ms(context.now()))
    actions = row.get("actions")
    if actions is None:
        pages = context.list("page", limit=1) if context.source("page") != "library" else []
        opened = (
            {
                "toolName": "playwright_navigate",
                "parameters": {"url": pages[0]["url"], "headless": True},
                "timestamp": start,
            }
            if pages
            else None
        )
        actions = [opened] if opened is not None else []
    fields: Object = {
        "id": row["sessionId"],
        "actions": actions,
        "startTime": start,
        "options": row.get("options") or _TOLD_NOWHERE,
    }
    return {**fields, "endTime": row["endTime"]} if "endTime" in row else fields


def test_path(options: dict[str, Any], key: str) -> str:
    """Return the path of a recording's test."""
    prefix = re.sub(r"[^a-z0-9_]", "_", text(options.get("testNamePrefix", UNDEFINED)).lower())
    return normpath(join(HOME, text(options["outputPath"]), f"{prefix}_{key}.spec.ts"))


def test_code(fields: Object) -> str:
    """Return the generated test: one step per supported call; other calls are omitted."""
    day = datetime.fromtimestamp(int(fields["startTime"]) / 1000, UTC).strftime("%Y-%m-%d")
    name = f"{text(fields['options'].get('testNamePrefix', UNDEFINED))}_{day}"
    steps = [_STEPS[a["toolName"]](a["parameters"]) for a in fields["actions"] if a.get("toolName") in _STEPS]
    body = "\n".join(steps)
    imports = "import { test } from '@playwright/test';\nimport { expect } from '@playwright/test';"
    return f"\n{imports}\n\ntest('{name}', async ({{ page, context }}) => {{\n  {body}\n}});"


def _of(parameters: dict[str, Any], name: str) -> str:
    return text(parameters.get(name, UNDEFINED))


def _step(title: str, code: str) -> str:
    return f"\n    // {title}\n    {code}"


def _navigate(p: dict[str, Any]) -> str:
    options = f", {{ waitUntil: '{_of(p, 'waitUntil')}' }}" if is_true(p.get("waitUntil")) else ""
    return _step("Navigate to URL", f"await page.goto('{_of(p, 'url')}'{options});")


def _screenshot(p: dict[str, Any]) -> str:
    options = [
        *(["fullPage: true"] if is_true(p.get("fullPage")) else []),
        *([f"path: '{_of(p, 'path')}'"] if is_true(p.get("path")) else []),
    ]
    more = f", {{ {', '.join(options)} }}" if options else ""
    return _step("Take screenshot", f"await page.screenshot({{ path: '{_of(p, 'name')}.png'{more} }});")


def _assert_response(p: dict[str, Any]) -> str:
    name = _of(p, "id")
    if not is_true(p.get("value")):
        return f"\n    // Assert response\n    expect({name}Response.ok()).toBeTruthy();"
    return (
        f"\n    // Assert response\n    const responseText = await {name}Response.text();\n"
        f"    expect(responseText).toContain('{_of(p, 'value')}');"
    )


_STEPS: dict[str, Callable[[dict[str, Any]], str]] = {
    "playwright_navigate": _navigate,
    "playwright_fill": lambda p: _step(
        "Fill input field", f"await page.fill('{_of(p, 'selector')}', '{_of(p, 'value')}');"
    ),
    "playwright_click": lambda p: _step("Click element", f"await page.click('{_of(p, 'selector')}');"),
    "playwright_screenshot": _screenshot,
    "playwright_expect_response": lambda p: _step(
        "Wait for response", f"const {_of(p, 'id')}Response = page.waitForResponse('{_of(p, 'url')}');"
    ),
    "playwright_assert_response": _assert_response,
    "playwright_hover": lambda p: _step("Hover over element", f"await page.hover('{_of(p, 'selector')}');"),
    "playwright_select": lambda p: _step(
        "Select option", f"await page.selectOption('{_of(p, 'selector')}', '{_of(p, 'value')}');"
    ),
    "playwright_custom_user_agent": lambda p: _step(
        "Set custom user agent", f"await context.setUserAgent('{_of(p, 'userAgent')}');"
    ),
}
