"""The MCP server of Discord: tool list, dialect, faults and view."""
