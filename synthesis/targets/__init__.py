"""Servers that answer tool calls behind one small interface: a real MCP server or a simulated app."""
