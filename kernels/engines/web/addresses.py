"""URLs as JavaScript's `new URL` parses them, for http and https; other schemes are only recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_SPECIAL = {"http": "80", "https": "443", "ftp": "21", "ws": "80", "wss": "443"}
_NO_HOST = re.compile(r'[\x00-\x20"#%/:<>?@\[\\\]^`{|}\x7f]')
_EDGES = "".join(map(chr, range(0x21)))
# Characters that stay unescaped; all others are percent-encoded as UTF-8.
_IN_PATH = "%/:@!$&'()*+,;=-._~[]|\\"
_IN_QUERY = "%/:@!$&()*+,;=-._~[]|\\?`{}^"


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URL.

    `host` excludes the port, `path` starts with a slash, `query` and `fragment` include `?` and `#`.
    """

    scheme: str
    host: str
    port: str
    path: str
    query: str
    fragment: str

    @property
    def origin(self) -> str:
        """Return scheme, host and port."""
        return f"{self.scheme}://{self.host}{':' + self.port if self.port else ''}"

    @property
    def page(self) -> str:
        """Return the URL without its fragment, as a client requests it."""
        return f"{self.origin}{self.path}{self.query}"

    @property
    def href(self) -> str:
        """Return the complete URL."""
        return f"{self.page}{self.fragment}"


def parsed(text: str) -> Address | None:
    """Parse an http or https URL; None for other schemes and where `new URL` throws."""
    text = re.sub(r"[\t\n\r]", "", text.strip(_EDGES))
    match = _SCHEME.match(text)
    if match is None or (scheme := match[1].lower()) not in ("http", "https"):
        return None
    rest = match[2].replace("\\", "/").lstrip("/")
    authority, tail = _cut(rest, "/?#")
    path, tail = _cut(tail, "?#")
    query, fragment = _cut(tail, "#")
    host, port = _host(authority, _SPECIAL[scheme])
    if not host or port is None:
        return None
    return Address(
        scheme,
        host,
        port,
        _folded(quote(path, _IN_PATH)) or "/",
        quote(query, _IN_QUERY),
        quote(fragment, _IN_QUERY + "#"),
    )


def scheme_of(text: str) -> str | None:
    """Return the scheme of a URL, or None if `new URL` throws."""
    match = _SCHEME.match(re.sub(r"[\t\n\r]", "", text.strip(_EDGES)))
    if match is None:
        return None
    scheme = match[1].lower()
    return None if scheme in ("http", "https") and parsed(text) is None else scheme


def joined(base: str, reference: str) -> Address | None:
    """Resolve a link of the page at `base`; None if it does not lead to a page (mailto, javascript, invalid)."""
    try:
        return parsed(urljoin(base, reference.strip(_EDGES)))
    except ValueError:
        return None


def within(host: str, domain: str) -> bool:
    """Return whether a host is the domain or one of its subdomains."""
    return host == domain or host.endswith(f".{domain}")


def host_of(url: str) -> str:
    """Return the host of a URL, or "" if it is invalid."""
    address = parsed(url)
    return address.host if address is not None else ""


def _cut(text: str, marks: str) -> tuple[str, str]:
    place = next((i for i, character in enumerate(text) if character in marks), len(text))
    return text[:place], text[place:]


def _host(authority: str, usual: str) -> tuple[str, str | None]:
    host, _, port = authority.rpartition("@")[2].partition(":")
    if _NO_HOST.search(host) or (port and not port.isdecimal()):
        return "", None
    if port and int(port) > 65535:
        return "", None
    number = str(int(port)) if port else ""
    return host.lower(), "" if number == usual else number


def _folded(path: str) -> str:
    """Return a path with `.` and `..` resolved."""
    result: list[str] = []
    parts = path.split("/")
    for i, part in enumerate(parts):
        last = i == len(parts) - 1
        if part == "..":
            if len(result) > 1:
                result.pop()
            if last:
                result.append("")
        elif part == ".":
            if last:
                result.append("")
        else:
            result.append(part)
    return "/".join(result)
