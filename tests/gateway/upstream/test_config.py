"""Reading mcp.json, and error messages for invalid files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from soundstage.gateway.upstream.config import (
    CommandServer,
    UpstreamConfigError,
    UrlServer,
    parse_declarations,
    read_declarations,
)

ENVIRONMENT = {"KEY": "sesame-open"}


def _one(entry: dict[str, Any]) -> Any:
    (declaration,) = parse_declarations({"mcpServers": {"one": entry}}, ENVIRONMENT)
    return declaration


def test_a_command_gets_its_secrets_from_the_environment() -> None:
    declaration = _one({"command": "serve", "args": ["--key", "${KEY}"], "env": {"TOKEN": "Bearer ${KEY}"}})
    assert declaration.server == CommandServer("serve", ("--key", "sesame-open"), {"TOKEN": "Bearer sesame-open"})
    assert "sesame" not in repr(declaration)
    assert declaration.redact("it said sesame-open") == "it said ***"


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ({"url": "http://127.0.0.1/mcp"}, "http"),
        ({"url": "http://127.0.0.1/sse"}, "sse"),
        ({"url": "http://127.0.0.1/sse", "type": "streamable-http"}, "http"),
        ({"url": "http://127.0.0.1/mcp", "transport": "sse"}, "sse"),
    ],
)
def test_the_transport_of_an_address_is_declared_or_guessed_from_the_path(entry: dict[str, Any], kind: str) -> None:
    server = _one(entry).server
    assert isinstance(server, UrlServer)
    assert server.kind == kind


def test_a_shown_address_has_no_query() -> None:
    declaration = _one({"url": "https://example.com/mcp?key=${KEY}"})
    assert declaration.shown == "https://example.com/mcp"
    assert declaration.redact("GET https://example.com/mcp?key=sesame-open") == "GET https://example.com/mcp?***"


def test_members_of_other_clients_are_ignored_and_disabled_servers_left_out() -> None:
    assert _one({"command": "serve", "autoApprove": ["x"]}).name == "one"
    assert parse_declarations({"mcpServers": {"off": {"command": "x", "disabled": True}}}, {}) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n "mcpServers": {,}}', ":2: is not valid JSON"),
        ("[]", ':1: expected {"mcpServers"'),
        ('{"mcpServers": {\n\n "a": {}}}', ':3: mcpServers.a: expected either "command"'),
        ('{"mcpServers": {\n "a": {"command": "x", "url": "y"}}}', ":2: mcpServers.a: expected either"),
        ('{"mcpServers": {"a": {"command": "x",\n "args": [\n "b",\n 5]}}}', ":4: mcpServers.a.args.1: expected a text"),
        ('{"mcpServers": {"a": {\n"url": "ftp://x"}}}', ":2: mcpServers.a.url: expected an http:// or https://"),
        ('{"mcpServers": {"a": {\n"url": "http://me:pass@x"}}}', ':2: mcpServers.a.url: credentials belong into "headers"'),
        (
            '{"mcpServers": {"a": {"url": "http://x",\n"headers": {\n"K": "${NONE}"}}}}',
            ":3: mcpServers.a.headers.K: the environment has no NONE",
        ),
        ('{"mcpServers": {"a": {"command": "x"},\n "b c": {"command": "x"}}}', ":2: mcpServers.b c: a name has"),
        ('{"mcpServers": {"lark": {"command": "x"}}}', "is a simulated app of this gateway"),
        ('{"mcpServers": {"a": {"command": "x"},\n "A": {"command": "x"}}}', ":2: mcpServers.A: the name differs from 'a'"),
        ('{"mcpServers": {"a": {"command": "x",\n "timeout": -1}}}', ":2: mcpServers.a.timeout: expected seconds"),
    ],
)  # fmt: skip
def test_an_invalid_file_is_reported_with_line_and_expectation(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(UpstreamConfigError) as caught:
        read_declarations(path, ENVIRONMENT)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_variables_are_refused_if_there_is_no_environment() -> None:
    with pytest.raises(UpstreamConfigError, match="variables such as"):
        parse_declarations({"mcpServers": {"a": {"command": "${KEY}"}}}, None)


def test_a_missing_configuration_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UpstreamConfigError, match="cannot be read"):
        read_declarations(tmp_path / "none.json", {})
