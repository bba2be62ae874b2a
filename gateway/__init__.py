"""The gateway: MCP endpoints, sessions, registry, faults, journal, search, upstreams, control API and web pages."""
