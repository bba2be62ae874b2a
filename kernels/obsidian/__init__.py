"""Obsidian's tools: mcp-obsidian in front of the Local REST API plugin."""
