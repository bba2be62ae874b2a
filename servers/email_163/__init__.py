"""The email_163 app as an MCP server: tools, dialect, fault wordings and view."""
