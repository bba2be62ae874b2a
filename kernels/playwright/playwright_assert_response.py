"""The `playwright_assert_response` tool."""

from __future__ import annotations

import json

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.browser.tabs import Browser
from soundstage.kernels.engines.javascript import indented, is_true, text
from soundstage.kernels.errors import AppError
from soundstage.kernels.playwright.rules.errors import TIMEOUT_MS, refused
from soundstage.kernels.playwright.rules.json_errors import parse_problem
from soundstage.kernels.playwright.rules.process import in_browser
from soundstage.kernels.types import Arguments

_RULE = "=" * 27


def run(context: AppContext, arguments: Arguments) -> str | list[str] | AppError:
    """Check an expected response, wait up to thirty seconds if it has not arrived, and then forget it."""
    return in_browser(
        context, "playwright_assert_response", arguments, lambda browser: _looked_at(context, browser, arguments)
    )


def _looked_at(context: AppContext, browser: Browser, arguments: Arguments) -> str:
    name, value = arguments.get("id"), arguments.get("value")
    if not is_true(name):
        raise refused("invalid", "Missing required parameter: id must be provided")
    wait = context.get("response_wait", text(name))
    if wait is None:
        raise refused("not_found", f"No response wait operation found with ID: {text(name)}")
    response = _response(context, browser, wait)
    context.delete("response_wait", wait["id"])
    if response is None:
        logs = f'{_RULE} logs {_RULE}\nwaiting for response "{wait.get("url", "")}"\n{"=" * 60}'
        late = f'page.waitForResponse: Timeout {TIMEOUT_MS}ms exceeded while waiting for event "response"\n{logs}'
        raise refused("not_found", f"Failed to assert response: {late}")
    if (problem := parse_problem(response["body"])) is not None:
        raise refused("invalid", f"Failed to assert response: {problem}")
    body = json.loads(response["body"])
    compact = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    if is_true(value) and text(value) not in compact:
        raise refused(
            "conflict", f"Response body does not contain expected value: {text(value)}", f"Actual body: {compact}"
        )
    lines = (f"URL: {response['url']}", f"Status: {response['status']}", f"Body: {indented(body)}")
    return "\n".join((f"Response assertion for ID {text(name)} successful", *lines))


def _response(context: AppContext, browser: Browser, wait: Object) -> Object | None:
    """Return the response if it has arrived or arrives in time."""

    def met() -> Object | None:
        now = context.get("response_wait", wait["id"])
        return now.get("response") if now is not None else None

    waited = to_ms(context.now()) - int(wait.get("since") or to_ms(context.now()))
    return browser.wait_for(met, max(TIMEOUT_MS - waited, 0)) or met()
