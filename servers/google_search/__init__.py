"""The google_search app as an MCP server: tools, dialect, fault wordings and view."""
