"""Recording how a real MCP server behaves: what may be called, which calls are made, and the pool of recorded calls."""
