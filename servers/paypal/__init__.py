"""The MCP server of PayPal: tool list, dialect, faults and view."""
