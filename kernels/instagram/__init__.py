"""Instagram's tools: what the Graph API answers, as the MCP server hands it on."""
