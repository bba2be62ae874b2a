"""Which paths are MCP addresses, and their session and app. All others belong to the control plane and the pages."""

from __future__ import annotations

import pytest

from soundstage.gateway.addresses import shown_in


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/mcp", {}),
        ("/s/abc/mcp", {"handle": "abc"}),
        ("/s/abc/lark/mcp", {"handle": "abc", "app": "lark"}),
        ("/s/mcp/mcp", {"handle": "mcp"}),
        ("/s/mcp", None),
        ("/s//mcp", None),
        ("/s/abc/mcp/", None),
        ("/s/a/b/c/mcp", None),
        ("/x/s/abc/mcp", None),
        ("/s/abc/MCP", None),
        ("/s/abc/mcp\n", None),
    ],
)
def test_an_mcp_address_contains_a_handle_and_an_app(path: str, shown: dict[str, str] | None) -> None:
    assert shown_in(path) == shown
