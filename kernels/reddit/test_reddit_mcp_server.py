"""The `test_reddit_mcp_server` tool."""

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.reddit.rules.identity import may_write
from soundstage.kernels.types import Arguments

_VERSION = "1.5.3"


def run(context: AppContext, arguments: Arguments) -> str:
    """Return the server's configuration without a request to Reddit."""
    access = "✓ Available" if may_write(context) else "✗ Read-only mode"
    return (
        "Reddit MCP Server Status:\n"
        "- Server: ✓ Running\n"
        "- Reddit Client: ✓ Initialized\n"
        f"- Write Access: {access}\n"
        f"- Version: {_VERSION}\n"
        "\n"
        "Ready to handle Reddit API requests!"
    )
