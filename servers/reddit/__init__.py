"""The MCP server of Reddit: tool list, dialect, faults and view."""
