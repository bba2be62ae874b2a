"""Declarations of upstreams: the `mcpServers` of an MCP client's configuration, with `${NAME}` from the environment."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from soundstage.bounded_input import Limits, Refused, file_bytes, read_json
from soundstage.servers.catalogue import app_names

UrlKind = Literal["http", "sse"]

DEFAULT_TIMEOUT_S = 60.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TELLING = re.compile(r"key|token|secret|passw|pwd|auth|credential", re.IGNORECASE)
"""Matches the names of options whose values are secrets."""
_KINDS: dict[str, UrlKind] = {"http": "http", "streamable-http": "http", "streamable_http": "http", "sse": "sse"}
_FORM = '{"mcpServers": {name: {"command": …, "args": […], "env": {…}} or {"url": …, "headers": {…}}}}'


_LIMITS = Limits(size=2**20, values=50_000, depth=20)


class UpstreamConfigError(ValueError):
    """An invalid declaration; the message names the place, the problem and the valid form."""


@dataclass(frozen=True, slots=True)
class CommandServer:
    """A server that the gateway starts and connects to over stdin and stdout."""

    command: str
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class UrlServer:
    """A server at an address. Without `kind`, streamable HTTP, unless the path ends in /sse."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    kind: UrlKind = "http"


@dataclass(frozen=True, slots=True)
class Declaration:
    """One declared upstream.

    `shown` is the address or command for display, without secrets; `secrets` are the values that no log, journal or answer may
    contain. `timeout_s` is how long it may be silent while a request waits.
    """

    name: str
    server: CommandServer | UrlServer
    shown: str
    timeout_s: float = DEFAULT_TIMEOUT_S
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def redact(self, text: str) -> str:
        """Return a text without the values of `env`, `headers` and variables."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def read_declarations(path: Path, environment: Mapping[str, str]) -> list[Declaration]:
    """Read the upstreams of a configuration file.

    Raises:
        UpstreamConfigError: the message names file, line and the valid form.
    """
    try:
        data = file_bytes(path, _LIMITS)
        value = read_json(data, _LIMITS)
    except OSError as error:
        raise UpstreamConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except Refused as refused:
        line = "" if refused.line is None else f":{refused.line}"
        raise UpstreamConfigError(f"{path}{line}: {refused.problem}; expected {_FORM}") from None
    try:
        return parse_declarations(value, environment)
    except _Misfit as misfit:
        raise UpstreamConfigError(f"{path}:{_line_of(data.decode(), misfit.path)}: {misfit}") from None


def parse_declarations(value: object, environment: Mapping[str, str] | None) -> list[Declaration]:
    """Parse the upstreams of a decoded configuration. Without an environment, `${NAME}` is rejected.

    Raises:
        UpstreamConfigError: the message names the path and the valid form.
    """
    servers = value.get("mcpServers") if isinstance(value, dict) else None
    if not isinstance(servers, dict):
        raise _Misfit((), f"expected {_FORM}")
    declarations = [
        _declaration(name, entry, environment)
        for name, entry in servers.items()
        if not (isinstance(entry, dict) and entry.get("disabled") is True)
    ]
    lowered: dict[str, str] = {}
    for declaration in declarations:
        other = lowered.setdefault(declaration.name.lower(), declaration.name)
        if other != declaration.name:
            raise _Misfit(
                ("mcpServers", declaration.name), f"the name differs from {other!r} in upper and lower case only"
            )
    return declarations


def in_clear(entry: Mapping[str, Any]) -> str | None:
    """Return the path of a possible secret that is not a `${NAME}` in a valid declaration, or None."""
    for member in ("env", "headers"):
        for key, value in (entry.get(member) or {}).items():
            if _VARIABLE.search(value) is None:
                return f"{member}.{key}"
    before = ""
    for i, argument in enumerate(entry.get("args") or ()):
        name, assigned, value = argument.partition("=")
        given = value if assigned else argument if not argument.startswith("-") else ""
        told_by = name if assigned else before
        if given and _TELLING.search(told_by) is not None and _VARIABLE.search(given) is None:
            return f"args.{i}"
        before = argument if argument.startswith("-") and not assigned else ""
    query = urlsplit(entry.get("url", "")).query
    return "the query of url" if query and _VARIABLE.search(query) is None else None


class _Misfit(UpstreamConfigError):
    """An invalid value at a path in the configuration."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(f"{'.'.join(str(p) for p in path)}: {message}" if path else message)
        self.path = path


def _declaration(name: str, entry: object, environment: Mapping[str, str] | None) -> Declaration:
    at = ("mcpServers", name)
    if not _NAME.fullmatch(name):
        raise _Misfit(
            at,
            "a name has 1 to 40 letters, digits, - and _, and starts with a letter or digit: it is part of addresses",
        )
    if name.lower() in app_names():
        raise _Misfit(at, f"{name!r} is a simulated app of this gateway; choose another name")
    if not isinstance(entry, dict) or ("command" in entry) == ("url" in entry):
        raise _Misfit(at, 'expected either "command" (with "args", "env", "cwd") or "url" (with "headers")')
    reader = _Reader(at, entry, environment)
    timeout_s = reader.seconds("timeout", DEFAULT_TIMEOUT_S)
    if "command" in entry:
        server: CommandServer | UrlServer = CommandServer(
            command=reader.text("command"),
            args=tuple(reader.texts("args")),
            env=reader.secret_texts("env"),
            cwd=reader.text("cwd") if entry.get("cwd") is not None else None,
        )
        shown = str(entry["command"])
    else:
        url = reader.text("url")
        server = UrlServer(url, reader.secret_texts("headers"), reader.kind(url))
        shown = _without_secrets(str(entry["url"]))
    return Declaration(name, server, shown, timeout_s, tuple(sorted(reader.secrets, key=len, reverse=True)))


class _Reader:
    """Reads one entry's members, expands variables and collects secrets."""

    def __init__(self, at: tuple[str, ...], entry: dict[str, Any], environment: Mapping[str, str] | None) -> None:
        self._at = at
        self._entry = entry
        self._environment = environment
        self.secrets: set[str] = set()

    def text(self, member: str) -> str:
        value = self._entry[member]
        if not isinstance(value, str) or not value or "\0" in value:
            raise _Misfit((*self._at, member), f"expected a text, got {_kind(value)}")
        return self._expand(value, (*self._at, member))

    def texts(self, member: str) -> list[str]:
        value = self._entry.get(member, [])
        if not isinstance(value, list):
            raise _Misfit((*self._at, member), f"expected a list of texts, got {_kind(value)}")
        for number, item in enumerate(value):
            if not isinstance(item, str) or "\0" in item:
                raise _Misfit((*self._at, member, number), f"expected a text, got {_kind(item)}")
        return [self._expand(item, (*self._at, member, number)) for number, item in enumerate(value)]

    def secret_texts(self, member: str) -> dict[str, str]:
        value = self._entry.get(member, {})
        if not isinstance(value, dict):
            raise _Misfit((*self._at, member), f"expected an object of texts, got {_kind(value)}")
        texts: dict[str, str] = {}
        for key, item in value.items():
            at = (*self._at, member, key)
            if not isinstance(item, str) or "\0" in item or "\n" in item or "\r" in item:
                raise _Misfit(at, f"expected a text of one line, got {_kind(item)}")
            texts[key] = self._expand(item, at)
            self._keep_secret(texts[key])
        return texts

    def seconds(self, member: str, default: float) -> float:
        value = self._entry.get(member, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86400:
            raise _Misfit((*self._at, member), f"expected seconds between 0 and 86400, got {value!r}")
        return float(value)

    def kind(self, url: str) -> UrlKind:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise _Misfit((*self._at, "url"), "expected an http:// or https:// address")
        try:
            _ = parts.port
        except ValueError:
            raise _Misfit((*self._at, "url"), "the port is invalid") from None
        if parts.username is not None:
            raise _Misfit(
                (*self._at, "url"), 'credentials belong into "headers", such as {"Authorization": "Bearer ${NAME}"}'
            )
        self._keep_secret(parts.query)
        member = "type" if "type" in self._entry else "transport"
        declared = self._entry.get(member)
        if declared is None:
            return "sse" if parts.path.rstrip("/").endswith("/sse") else "http"
        if not isinstance(declared, str) or declared not in _KINDS:
            raise _Misfit((*self._at, member), f"expected one of {', '.join(_KINDS)}, got {declared!r}")
        return _KINDS[declared]

    def _expand(self, text: str, at: tuple[str | int, ...]) -> str:
        def value_of(match: re.Match[str]) -> str:
            if self._environment is None:
                raise _Misfit(
                    at, "variables such as ${NAME} are for the start of the gateway or the control plane's token"
                )
            value = self._environment.get(match[1])
            if value is None:
                raise _Misfit(at, f"the environment has no {match[1]}")
            self._keep_secret(value)
            return value

        return _VARIABLE.sub(value_of, text)

    def _keep_secret(self, value: str) -> None:
        """Register a secret, and the part after a scheme such as `Bearer x`; very short values would redact too much."""
        scheme, _, credential = value.partition(" ")
        self.secrets |= {part for part in (value, credential if scheme.isalpha() else "") if len(part) >= 4}


def _without_secrets(url: str) -> str:
    """Return an address without user, password, query and fragment, variables unexpanded."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _kind(value: object) -> str:
    """Return the JSON type of a value; the value itself may be a secret."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text that does not do" if value else "an empty text"
        case list():
            return "a list"
        case _:
            return "an object"


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


def _line_of(text: str, path: tuple[str | int, ...]) -> int:
    """Return the line of a member in a JSON text, or of the deepest existing part of its path."""
    line = 1
    position = 0
    stack: list[str | int] = []
    key: str | None = None
    opened: list[str] = []
    best = -1
    for token in _TOKEN.finditer(text):
        part = token[0]
        line += text.count("\n", position, token.start())
        position = token.start()
        if part in "{[":
            opened.append(part)
            stack.append(0 if part == "[" else "")
        elif part in "}]":
            opened.pop()
            stack.pop()
        elif part == "," and opened and opened[-1] == "[":
            stack[-1] = int(stack[-1]) + 1
        elif part == ":" and key is not None:
            stack[-1] = key
        if part.startswith('"') and opened and opened[-1] == "{":
            key = json.loads(part)
        depth = sum(1 for _ in _common(stack, path))
        if part not in "}]," and depth > best and depth == len(stack):
            best, number = depth, line
    return number if best >= 0 else 1


def _common(stack: list[str | int], path: tuple[str | int, ...]) -> list[str | int]:
    shared: list[str | int] = []
    for mine, wanted in zip(stack, path, strict=False):
        if mine != wanted:
            break
        shared.append(mine)
    return shared
