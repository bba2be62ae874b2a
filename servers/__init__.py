"""The apps as MCP servers: tools, dialects, fault wordings and views."""
