"""What several of Notion's kernels share, one idea per module.

Two parties refuse and reshape: Notion's API, and the MCP server in front of it, whose own convenience tools check, build
and summarise. `simple_*`, `markdown*`, `page_reader`, `compaction` and `replies` are the server's; the rest is the API's.
"""
