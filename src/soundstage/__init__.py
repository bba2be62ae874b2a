"""Simulated apps for software agents: real MCP servers over private, resettable, replayable contexts."""

__version__ = "0.2.0"
