"""Configuration of MCP clients, and checks of it."""
