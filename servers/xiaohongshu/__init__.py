"""The MCP server of Xiaohongshu (Rednote): tool list, dialect, faults and view."""
