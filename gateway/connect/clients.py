"""The clients that `soundstage connect` supports: configuration files, entry formats and limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

System = Literal["linux", "darwin", "win32"]


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine with the clients."""

    system: System
    home: Path
    environment: Mapping[str, str]

    @classmethod
    def this(cls) -> Machine:
        """Return the machine that runs this process."""
        system: System = "win32" if sys.platform == "win32" else "darwin" if sys.platform == "darwin" else "linux"
        return cls(system, Path.home(), os.environ)

    @property
    def settings(self) -> Path:
        """The folder of the user's program settings."""
        match self.system:
            case "win32":
                return self._from("APPDATA", "AppData", "Roaming")
            case "darwin":
                return self.home / "Library" / "Application Support"
            case _:
                return self._from("XDG_CONFIG_HOME", ".config")

    def place(self, path: str) -> Path:
        """Resolve a path from the table: below `settings/`, below the home folder, or below a $VARIABLE."""
        if path.startswith("settings/"):
            return self.settings / path.removeprefix("settings/")
        if path.startswith("$"):
            variable, _, rest = path[1:].partition("/")
            name, _, otherwise = variable.partition("=")
            return self._from(name, *([otherwise] if otherwise else [])) / rest
        return self.home / path

    def _from(self, variable: str, *otherwise: str) -> Path:
        value = self.environment.get(variable, "")
        whole = Path(value).is_absolute() or (self.system == "win32" and PureWindowsPath(value).is_absolute())
        return Path(value) if value and whole else self.home.joinpath(*otherwise)


@dataclass(frozen=True, slots=True)
class ClientKind:
    """A client: its configuration file, the format of an entry, and the limits that its makers document."""

    name: str
    title: str
    # Its configuration file; see `Machine.place`.
    file: str
    # The path of the servers in the file.
    member: tuple[str, ...]
    form: Literal["json", "toml"] = "json"
    # The member with a server's HTTP address; None if the file supports commands only.
    url: str | None = "url"
    # Whether an entry names its transport.
    kinds: bool = False
    # Number of tools that it uses at once.
    most_tools: int | None = None
    # The longest name of a tool, which the client calls `prefix` + name.
    longest_name: int = 64
    prefix: str = ""
    # Whether its model receives a tool's description only when it searches for the tool, not with every request.
    on_demand: bool = False
    # The longest reply, in bytes.
    longest_reply: int | None = None
    # The user's next action after the entry is written.
    after: str = "Restart it to load the server."
    # The user's alternative if the file does not support addresses.
    without_url: str = ""
    # Folders that also indicate that it is installed.
    folders: tuple[str, ...] = field(default=())

    def path(self, machine: Machine) -> Path:
        """Return its configuration file."""
        return machine.place(self.file)

    def installed(self, machine: Machine) -> bool:
        """Whether it seems to be installed on this machine."""
        path = self.path(machine)
        return (
            path.exists()
            or any(machine.place(f).exists() for f in self.folders)
            or (path.parent.exists() and path.parent not in (machine.home, machine.settings))
        )

    def command_entry(self, command: str, arguments: list[str]) -> dict[str, Any]:
        """Return the entry of a server that the client starts itself."""
        return {**({"type": "stdio"} if self.kinds else {}), "command": command, "args": arguments}

    def url_entry(self, url: str) -> dict[str, Any] | None:
        """Return the entry of a server at an address; None if the client's file does not support it."""
        return None if self.url is None else {**({"type": "http"} if self.kinds else {}), self.url: url}


CLIENTS = {
    kind.name: kind
    for kind in (
        ClientKind(
            "claude-desktop",
            "Claude Desktop",
            "settings/Claude/claude_desktop_config.json",
            ("mcpServers",),
            url=None,
            without_url="its file takes commands alone; add the address under Settings, Connectors, or leave out --http",
            after="Quit it (also from the tray) and start it again to load the server.",
        ),
        ClientKind(
            "claude-code",
            "Claude Code",
            "$CLAUDE_CONFIG_DIR/.claude.json",
            ("mcpServers",),
            kinds=True,
            prefix="mcp__{server}__",
            on_demand=True,
            longest_reply=100_000,
            after="New sessions have it; /mcp shows it.",
            folders=(".claude",),
        ),
        ClientKind(
            "cursor", "Cursor", ".cursor/mcp.json", ("mcpServers",), most_tools=40, longest_name=60, prefix="{server}:"
        ),
        ClientKind(
            "vscode",
            "VS Code",
            "settings/Code/User/mcp.json",
            ("servers",),
            kinds=True,
            most_tools=128,
            after="Start it from the file's code lens, or run “MCP: List Servers”.",
        ),
        ClientKind(
            "windsurf",
            "Windsurf",
            ".codeium/windsurf/mcp_config.json",
            ("mcpServers",),
            url="serverUrl",
            most_tools=100,
            after="Press refresh in its MCP panel.",
        ),
        ClientKind(
            "gemini-cli",
            "Gemini CLI",
            ".gemini/settings.json",
            ("mcpServers",),
            url="httpUrl",
            longest_name=63,
            after="New sessions have it; /mcp shows it.",
        ),
        ClientKind(
            "codex",
            "Codex",
            "$CODEX_HOME=.codex/config.toml",
            ("mcp_servers",),
            form="toml",
            after="New sessions have it.",
        ),
    )
}

MCP_JSON = ClientKind("mcp-json", "Any other client", "", ("mcpServers",), kinds=True)
"""The entry format of most other clients. The location of their file is unknown, so the entry can only be printed."""
