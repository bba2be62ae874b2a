"""The MCP server of Slack: tool list, dialect, faults and view."""
