"""The MCP server of Instagram: tool list, dialect, faults and view."""
