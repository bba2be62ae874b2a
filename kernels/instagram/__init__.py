"""Kernels of the Instagram tools: replies of the Graph API as the MCP server passes them on."""
