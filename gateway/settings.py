"""What a gateway process is told at its start."""

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

ToolList = Literal["all", "search"]
Unavailable = Literal["hide", "list"]
"""Whether an app's tools that nothing answers (a simulation of them was not accepted) are listed beside the others."""
"""What a session's shared address lists: all tools and those for searching, or those for searching alone."""

MOST_LISTED = 100
"""How many tools a session that nobody has said it of lists one by one: more cost a model more than the search tools do."""

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8700
DEFAULT_WORLD = "studio"
DEFAULT_SESSION = "default"
APPS = "apps"
"""Where in a data folder apps lie that did not come with the package; see `soundstage.app_roots`."""
DEFAULT_MAX_BODY = 8 * 1024 * 1024  # the state of a whole world, as it is exported, goes in again
DEFAULT_MAX_IN_FLIGHT = 128 * 1024 * 1024
"""Thirty-two of the largest bodies at once, eight of them one client's."""
DEFAULT_HEAD_S = 10.0
DEFAULT_BODY_S = 60.0
"""What the largest body takes at 560 kbit/s."""
MOST_WORKERS = 256
MOST_WARM = 200
DEFAULT_MAX_OPEN = 1200
"""More than the thousand sessions that calls may reach in turn at no extra cost, and within 4,096 files."""
DEFAULT_IDLE_S = 900.0
DEFAULT_MAX_SESSION_BYTES = 1024**3
"""Some 200,000 calls, far more than any run makes, and little enough that one agent in a loop fills no disk."""
DEFAULT_MIN_FREE = 64 * 1024**2
"""Room for what sessions that are there go on to write until somebody looks."""


def default_data_folder() -> Path:
    """The user's data folder for Soundstage, shared by the gateway, `soundstage stdio` and the command line."""
    import platformdirs

    return Path(platformdirs.user_data_dir("soundstage", appauthor=False))


def built_worlds_cache() -> Path | None:
    """Where gateways with a temporary data folder keep built worlds, which take a second to build; None: nowhere."""
    import platformdirs

    folder = Path(platformdirs.user_cache_dir("soundstage", appauthor=False)) / "worlds"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:  # a home that is read-only, or none at all
        return None
    return folder if os.access(folder, os.W_OK) else None


def model_folder(data: Path) -> Path:
    """Where a data folder keeps the model for search."""
    return data / "models" / "minilm"


def index_folder(data: Path) -> Path:
    """Where a data folder keeps what search has made of tools, by their content."""
    return data / "search"


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one gateway.

    `world` is what sessions start from when they are made without one; `built` is where built worlds are kept (None: in the
    data folder), which several gateways may share.

    `token` opens the control plane; None leaves it open to loopback clients alone. `max_body` is in bytes, and so is
    `max_in_flight`: what the process holds of bodies that come in pieces. A request's head has to be there within `head_s`
    seconds, its body within `body_s`. `faults` is the schedule (its data, or a preset's name) of sessions that are made
    without one. `allow_private` lets upstreams be at addresses in private and link-local ranges. `registry` is the address of
    a PostgreSQL database that holds the registry instead of a file in the data folder; `advertise` is where other gateways
    reach this one (None: nowhere); `share` is the part of all sessions that is this process's where several serve one
    address. A durable context that nobody has used for `idle_s` seconds is closed until the next call, and so is the longest
    unused one of more than `max_open`. `max_rate` is in requests a second, for each handle and for the control plane's token;
    `max_session_bytes` and `min_free` (what new sessions leave free on the disk) are in bytes. `warm` is how many
    contexts are kept ready of each kind of session that is asked for. `model_questions` is how many questions of kernels the
    process asks the language model that its environment names. A limit of None is none.
    """

    data: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    world: str = DEFAULT_WORLD
    built: Path | None = None
    token: str | None = field(default=None, repr=False)
    allowed_hosts: tuple[str, ...] = ()
    max_body: int = DEFAULT_MAX_BODY
    max_in_flight: int = DEFAULT_MAX_IN_FLIGHT
    head_s: float = DEFAULT_HEAD_S
    body_s: float = DEFAULT_BODY_S
    max_open: int = DEFAULT_MAX_OPEN
    faults: object = None
    allow_private: bool = False
    registry: str | None = field(default=None, repr=False)
    advertise: str | None = None
    share: Share = field(default_factory=Share)
    idle_s: float = DEFAULT_IDLE_S
    model_questions: int = 0
    max_sessions: int | None = None
    max_session_bytes: int | None = DEFAULT_MAX_SESSION_BYTES
    max_rate: float | None = None
    min_free: int = DEFAULT_MIN_FREE
    warm: int = 0

    @property
    def loopback(self) -> bool:
        """Whether the gateway can be reached from this machine alone."""
        return is_loopback(self.host)

    @property
    def worlds(self) -> Path:
        """The folder of worlds: a user's own, and built ones unless those are kept elsewhere."""
        return self.data / "worlds"

    @property
    def open_here(self) -> bool:
        """Whether whoever sits at this machine needs no credential: only this machine reaches it, and there is no token.

        What a request has come through is another matter; see `soundstage.gateway.access.comes_from_here`.
        """
        return self.loopback and self.token is None

    @property
    def local_url(self) -> str:
        """Where commands on this machine reach it."""
        return f"http://127.0.0.1:{self.port}" if self.host in _EVERYWHERE else self.base_url

    @property
    def base_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 to compare with


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Whether an address or host name means this machine and no other."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def own_address(host: str, port: int) -> str:
    """Where other gateways reach one that listens on this host and port: on all addresses, by this machine's name."""
    if host in _EVERYWHERE:
        import socket

        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_origin(url: str) -> bool:
    """Whether a URL names a scheme of HTTP, a host and perhaps a port, and nothing else."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 raises for one that is none
    except ValueError:
        return False
    plain = not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and plain


_LEAST_BYTES = 256 * 1024  # less holds neither a registry nor the log of one session


class DataFolderError(Exception):
    """The data folder cannot be used; the message says why and what would help."""


_OF_A_DATA_FOLDER = "volume"
"""The file that every data folder in use has."""


def _is_own(folder: Path) -> bool:
    """Whether a folder is nothing but a data folder, or still empty."""
    return (folder / _OF_A_DATA_FOLDER).exists() or next(folder.iterdir(), None) is None


def prepare_data_folder(folder: Path) -> Path:
    """Make the data folder, for its owner alone, and see that it can be written. One that was there with a looser mode is
    tightened where it holds nothing else than Soundstage's files; otherwise a warning is logged.

    The registry in it holds every handle, and whoever has a handle has the session. Apps that lie in it are there from now on.

    Raises:
        DataFolderError: when it cannot.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        if not (_is_own(folder) and made_own(folder)) and folder.stat().st_mode & 0o077:
            from soundstage.gateway.log import log  # who starts quickly does without it

            log.warning(
                "others on this machine may look into the data folder; take that away: chmod 700", folder=str(folder)
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
