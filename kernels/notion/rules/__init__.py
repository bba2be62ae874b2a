"""Rules that several Notion kernels share, one idea per module.

Two parties validate and convert: Notion's API, and the MCP server in front of it with its convenience tools.
`simple_*`, `markdown*`, `page_reader`, `compaction` and `replies` are the server's; the rest is the API's.
"""
