"""The MCP server of Notion: tool list, dialect, faults and view."""
