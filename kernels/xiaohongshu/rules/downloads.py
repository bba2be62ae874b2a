"""Pictures given by address: the server downloads them first, and one failure ends the call.

The simulated web contains Rednote's own pictures and the addresses that the state lists as `file`; no other host
exists.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote_from_bytes, unquote_to_bytes, urlsplit, urlunsplit

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines.gotext import quote
from soundstage.kernels.errors import ErrorKind
from soundstage.kernels.xiaohongshu.rules.errors import RednoteError, failure

_OWN_HOST = ".xhscdn.com"
_PORTS = {"http": 80, "https": 443}
# The characters of a path that Go leaves unchanged, and the punctuation that it leaves in any other path.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9$&+,/:;=@._~!'()*\[\]%-]*")
_UNESCAPED = "$&+,/:;=@"


def is_address(image: str) -> bool:
    """Return whether the server treats an image as an address rather than a path."""
    return image.lower().startswith(("http://", "https://"))


def check(context: AppContext, image: str) -> None:
    """Require an address that can be downloaded.

    Raises:
        RednoteError: The address is invalid, its host is unknown, or its status is not 200.
    """
    parts = _split(image)
    if parts is None:
        raise _undownloadable(image, "invalid image URL format", "invalid")
    file = context.get("file", image)
    if file is not None and file.get("status", 200) != 200:
        reason = f"download failed with status {file['status']} for URL: {image}"
        raise _undownloadable(image, reason, "not_found")
    if file is None and not (parts.hostname or "").endswith(_OWN_HOST):
        reason = f"failed to download image from {image}: Get {quote(_printed_url(parts))}: {_dial_error(parts)}"
        raise _undownloadable(image, reason, "unavailable")


def _undownloadable(image: str, reason: str, kind: ErrorKind) -> RednoteError:
    return failure("发布", f"下载图片失败 {image}: {reason}", kind)


def _split(image: str) -> SplitResult | None:
    """Return the parts of an address, or None if Go's url.Parse fails or finds no host."""
    if re.search(r"[\x00-\x1f\x7f]|%(?![0-9A-Fa-f]{2})", image):
        return None
    try:
        parts = urlsplit(image)
        well_formed = bool(parts.netloc) and " " not in parts.netloc and (parts.port is None or parts.port >= 0)
    except ValueError:
        return None
    return parts if well_formed else None


def _printed_url(parts: SplitResult) -> str:
    """Return the address as Go prints it: the scheme in lower case, and the path escaped where necessary.

    Source: https://go.dev/src/net/url/url.go (URL.EscapedPath).
    """
    path = parts.path
    if not _PLAIN_PATH.fullmatch(path):
        path = quote_from_bytes(unquote_to_bytes(path), safe=_UNESCAPED)
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, parts.fragment))


def _dial_error(parts: SplitResult) -> str:
    """Return the error of Go's dialer: nothing listens on bare IP addresses, and other names do not exist."""
    host = parts.hostname or ""
    port = parts.port or _PORTS[parts.scheme.lower()]
    if host == "localhost" or re.fullmatch(r"[0-9.]+", host):
        return f"dial tcp {'127.0.0.1' if host == 'localhost' else host}:{port}: connect: connection refused"
    return f"dial tcp: lookup {host}: no such host"
