"""The MCP servers of Slack: tool lists, dialect, faults and view."""

"""The MCP server of Slack: tool list, dialect, faults and view."""
