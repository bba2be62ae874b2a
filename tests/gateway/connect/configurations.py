"""Realistic configuration files of the clients."""

from __future__ import annotations

CLAUDE_DESKTOP = """{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Notes"]
    }
  }
}
"""

CLAUDE_CODE = """{
  "numStartups": 184,
  "theme": "dark",
  "projects": {
    "/home/ada/src": {"allowedTools": ["Bash(git log:*)"], "mcpServers": {}}
  },
  "mcpServers": {"linear": {"type": "http", "url": "https://mcp.linear.app/mcp"}}
}"""

CURSOR = """{"mcpServers": {"github": {"url": "https://api.githubcopilot.com/mcp/", "headers": {"X": "é"}}}}"""

VSCODE = """// Servers for every folder.
{
\t"inputs": [
\t\t{ "id": "key", "type": "promptString", "password": true }, // asked once
\t],
\t"servers": {
\t\t/* the one that reads mail */
\t\t"mail": {
\t\t\t"type": "stdio",
\t\t\t"command": "mail-mcp", // on the PATH
\t\t},
\t},
}
"""

WINDSURF = """{\r\n    "mcpServers": {\r\n    }\r\n}\r\n"""

GEMINI = """{
  // colours
  "ui": { "theme": "GitHub" },
  "selectedAuthType": "oauth-personal"
}
"""

CODEX = """# written by hand
model = "o4"
approval_policy = "on-request"   # asks

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]  # keep

[profiles.fast]
model = "o4-mini"
"""

BY_CLIENT = {
    "claude-desktop": CLAUDE_DESKTOP,
    "claude-code": CLAUDE_CODE,
    "cursor": CURSOR,
    "vscode": VSCODE,
    "windsurf": WINDSURF,
    "gemini-cli": GEMINI,
    "codex": CODEX,
}
