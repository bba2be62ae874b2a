"""Kernels of the Notion tools: 31 tools of @suekou/mcp-notion-server 2.0.2 over the Notion API, version 2026-03-11."""
