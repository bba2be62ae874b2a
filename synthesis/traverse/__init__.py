"""Record the behaviour of a real MCP server: the plan of permitted calls, the calls made, and the recording itself."""
