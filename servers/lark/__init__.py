"""The MCP server of Lark: tool list, dialect, faults and view."""
