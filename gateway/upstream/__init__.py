"""Real MCP servers that the gateway serves next to the simulated apps."""
