"""Search for tools."""
