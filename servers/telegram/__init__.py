"""The MCP server of Telegram: tool list, dialect, faults and view."""
