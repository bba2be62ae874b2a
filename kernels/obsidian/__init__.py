"""Obsidian's tools: mcp-obsidian with the Local REST API plugin behind it."""
