"""What can be asked to answer a tool's call: a real MCP server that runs now, by one small interface."""
