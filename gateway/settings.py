"""Settings of a gateway process."""

from __future__ import annotations

import errno
import ipaddress
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from soundstage import app_roots
from soundstage.gateway.files import made_own
from soundstage.gateway.share import Share

# The tools that a session's shared address lists: all tools and the search tools, or the search tools alone.
ToolList = Literal["all", "search"]

# Whether an app's tools without a handler (because no simulation of them was accepted) are listed.
Unavailable = Literal["hide", "list"]

# Number of tools up to which a session lists them one by one by default; longer lists cost a model more than search does.
MOST_LISTED = 100

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8700
DEFAULT_WORLD = "studio"
DEFAULT_SESSION = "default"
# The folder in a data folder for apps that are not in the package; see `soundstage.app_roots`.
APPS = "apps"
# A whole world's exported state must be accepted.
DEFAULT_MAX_BODY = 8 * 1024 * 1024
# Thirty-two of the largest bodies at once, eight of them from one client.
DEFAULT_MAX_IN_FLIGHT = 128 * 1024 * 1024
DEFAULT_HEAD_S = 10.0
# The time of the largest body at 560 kbit/s.
DEFAULT_BODY_S = 60.0
MOST_WORKERS = 256
MOST_WARM = 200
# More than the thousand sessions that calls may alternate between at no extra cost, and within 4,096 files.
DEFAULT_MAX_OPEN = 1200
DEFAULT_IDLE_S = 900.0
# About 200,000 calls: far more than any run makes, but an agent in a loop does not fill the disk.
DEFAULT_MAX_SESSION_BYTES = 1024**3
# Space for the writes of existing sessions until an operator reacts.
DEFAULT_MIN_FREE = 64 * 1024**2


def default_data_folder() -> Path:
    """Return the user's data folder for Soundstage, shared by the gateway, `soundstage stdio` and the command line."""
    import platformdirs

    return Path(platformdirs.user_data_dir("soundstage", appauthor=False))


def built_worlds_cache() -> Path | None:
    """Return the folder where gateways with a temporary data folder cache built worlds (a second each), or None."""
    import platformdirs

    folder = Path(platformdirs.user_cache_dir("soundstage", appauthor=False)) / "worlds"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # the home folder is read-only or missing
        return None
    return folder if os.access(folder, os.W_OK) else None


def model_folder(data: Path) -> Path:
    """Return a data folder's folder for the search model."""
    return data / "models" / "minilm"


def index_folder(data: Path) -> Path:
    """Return a data folder's folder for search indexes."""
    return data / "search"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one gateway. A limit of None means no limit."""

    # The data folder: the registry, contexts, worlds and caches.
    data: Path
    # The address to listen on, and its port.
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    # The world of sessions that name none.
    world: str = DEFAULT_WORLD
    # The folder of built worlds, which several gateways may share; None: in the data folder.
    built: Path | None = None
    # Opens the control plane; None opens it to loopback clients only.
    token: str | None = field(default=None, repr=False)
    # Further values of the Host header that are accepted.
    allowed_hosts: tuple[str, ...] = ()
    # The largest request body, in bytes.
    max_body: int = DEFAULT_MAX_BODY
    # The memory budget for bodies that arrive in pieces, in bytes.
    max_in_flight: int = DEFAULT_MAX_IN_FLIGHT
    # Seconds in which a request's head must arrive.
    head_s: float = DEFAULT_HEAD_S
    # Seconds in which its body must arrive.
    body_s: float = DEFAULT_BODY_S
    # Number of durable contexts that may be open; the least recently used one is closed.
    max_open: int = DEFAULT_MAX_OPEN
    # The fault schedule of sessions that name none: its data, or a preset's name.
    faults: object = None
    # Whether upstreams may have private and link-local addresses.
    allow_private: bool = False
    # The address of a PostgreSQL database that replaces the registry file in the data folder.
    registry: str | None = field(default=None, repr=False)
    # The address at which other gateways reach this one; None: not at all.
    advertise: str | None = None
    # This process's part of all sessions, if several processes serve one address.
    share: Share = field(default_factory=Share)
    # Seconds without use after which a durable context is closed until the next call.
    idle_s: float = DEFAULT_IDLE_S
    # Number of questions that kernels may ask the language model of the environment.
    model_questions: int = 0
    # Number of sessions that may exist.
    max_sessions: int | None = None
    # The largest context, in bytes.
    max_session_bytes: int | None = DEFAULT_MAX_SESSION_BYTES
    # Requests per second, for each handle and for the control plane's token.
    max_rate: float | None = None
    # Disk space that a new session must leave, in bytes.
    min_free: int = DEFAULT_MIN_FREE
    # Number of prepared contexts for each kind of session in demand.
    warm: int = 0

    @property
    def loopback(self) -> bool:
        """Whether the gateway can be reached from this machine alone."""
        return is_loopback(self.host)

    @property
    def worlds(self) -> Path:
        """The folder of worlds: user-supplied ones, and built ones unless `built` is set."""
        return self.data / "worlds"

    @property
    def open_here(self) -> bool:
        """Whether local clients need no credential: only this machine reaches the gateway, and there is no token.

        Whether a request passed a proxy is a separate check; see `soundstage.gateway.access.comes_from_here`.
        """
        return self.loopback and self.token is None

    @property
    def local_url(self) -> str:
        """The address at which commands on this machine reach the gateway."""
        return f"http://127.0.0.1:{self.port}" if self.host in _EVERYWHERE else self.base_url

    @property
    def base_url(self) -> str:
        """The address of the host and port that the gateway listens on."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 compared with, not bound to


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Whether an address or host name denotes this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_address(host: str, port: int) -> str:
    """Return the address at which other gateways reach one that listens on this host and port; `host` may mean all."""
    if host in _EVERYWHERE:
        import socket

        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_origin(url: str) -> bool:
    """Whether a URL consists of an HTTP scheme, a host and an optional port only."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 raises ValueError for an invalid port
    except ValueError:
        return False
    plain = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


_LEAST_BYTES = 256 * 1024  # too small for a registry or the WAL of one session


class DataFolderError(Exception):
    """The data folder cannot be used; the message explains the reason and a remedy."""


# A file that every data folder in use contains.
_OF_A_DATA_FOLDER = "volume"


def _is_own(folder: Path) -> bool:
    """Whether a folder is exclusively a data folder, or empty."""
    return (folder / _OF_A_DATA_FOLDER).exists() or next(folder.iterdir(), None) is None


def prepare_data_folder(folder: Path) -> Path:
    """Create the data folder, private to its owner, and check that it is writable.

    The permissions of an existing folder are tightened if it contains only Soundstage's files; otherwise a warning is logged.
    The registry in it contains every handle, and a handle grants access to its session. Apps in the folder become available.

    Raises:
        DataFolderError: the folder cannot be used.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not (_is_own(folder) and made_own(folder)) and folder.stat().st_mode & 0o077:
            from soundstage.gateway.log import log  # imported late, because fast starts do not need it

            log.warning(
                "other users of this machine may read the data folder; forbid it with chmod 700", folder=str(folder)
            )
        probe = folder / ".writable"
        try:
            probe.write_bytes(bytes(_LEAST_BYTES))
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.ENOSPC:
            raise DataFolderError(f"the disk of the data folder {folder} is full; free some space on it") from None
        raise DataFolderError(
            f"the data folder {folder} cannot be written ({reason}); choose another with --data or SOUNDSTAGE_DATA"
        ) from None
    if (folder / APPS).is_dir():
        app_roots.add(folder / APPS)
    return folder
