"""Access to the control plane: over HTTP if a gateway serves the data folder, otherwise inside this process.

Both use the same API, so a command does the same whether a gateway runs or not.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Coroutine
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from soundstage import app_roots
from soundstage.cli.output import fail, print_note
from soundstage.gateway.settings import APPS, DataFolderError, Settings, default_data_folder, prepare_data_folder

if TYPE_CHECKING:
    import httpx2

# httpx2, orjson and asyncio are imported on use: `soundstage --help` and `soundstage stdio` need none of them.

_TIMEOUT_S = 60.0
_RUNNING = "gateway.json"
_NOT_FOUND = 404
_LOCAL_CLIENT = ("127.0.0.1", 0)


def data_folder(data: Path | None) -> Path:
    """Return the command's data folder, by default the user's own, and create it if it is missing.

    Exits with an error message if the folder cannot be used.
    """
    try:
        return prepare_data_folder(data or default_data_folder())
    except DataFolderError as error:
        fail(str(error))


def own_apps(data: Path | None) -> None:
    """Load the apps in a data folder, by default the user's own. A missing folder is not created."""
    folder = (data or default_data_folder()) / APPS
    if folder.is_dir():
        app_roots.add(folder)


class Control:
    """Requests to the control plane of one gateway."""

    def __init__(self, data: Path | None, url: str | None, token: str | None) -> None:
        self.named_data = data
        """The data folder that the user named; None for the default one."""
        self.data = data or default_data_folder()
        self._given_url = url
        self._token = token

    @cached_property
    def url(self) -> str | None:
        """The gateway's address; None if requests are answered in this process."""
        return self._given_url or running_gateway(self.data)

    @property
    def token(self) -> str | None:
        """Return the control plane's token: the given one, or that of a gateway in the same environment."""
        return self._token or _token_in_file()

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        """Return a reply's JSON (its text if it is not JSON; None if it is empty). Exit with a message on an error status."""
        response = _now(self._send(method, path, **arguments))
        if response.is_error:
            fail(_problem(response))
        if across := response.headers.get("Soundstage-Versions"):
            print_note(f"compared across versions: {across}")
        if not response.content:
            return None
        if response.headers.get("content-type", "").startswith("application/json"):
            return response.json()
        return response.text

    def download(self, path: str, **arguments: Any) -> bytes:
        """Return the bytes of a reply. Exits with an error message if the request is rejected."""
        response = _now(self._send("GET", path, **arguments))
        if response.is_error:
            fail(_problem(response))
        content: bytes = response.content
        return content

    def find_session(self, name: str) -> Any:
        """Return the session with this name or id, or None."""
        response = _now(self._send("GET", f"/api/sessions/{name}"))
        if response.status_code == _NOT_FOUND:
            return None
        if response.is_error:
            fail(_problem(response))
        return response.json()

    def ensure_session(self, name: str, world: str) -> None:
        """Create the session with this name if it is missing."""
        response = _now(self._send("GET", f"/api/sessions/{name}"))
        if response.status_code == _NOT_FOUND:
            self.request("POST", "/api/sessions", json={"name": name, "world": world})

    async def _send(self, method: str, path: str, **arguments: Any) -> httpx2.Response:
        import httpx2

        if self.url is not None:
            headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
            async with httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=_TIMEOUT_S) as client:
                try:
                    return await client.request(method, path, **arguments)
                except httpx2.HTTPError as error:
                    fail(f"the gateway at {self.url} did not answer ({error or type(error).__name__})")
        from soundstage.cli.composed import build  # imported on use: most of its imports serve HTTP
        from soundstage.gateway.registry.database import RegistryDamaged, RegistryUnavailable

        settings = Settings(data=data_folder(self.data), registry=os.environ.get("SOUNDSTAGE_REGISTRY"))
        app = build(settings)
        transport = httpx2.ASGITransport(app=app, client=_LOCAL_CLIENT)
        try:
            async with (
                app.router.lifespan_context(app),
                httpx2.AsyncClient(transport=transport, base_url=settings.base_url, timeout=_TIMEOUT_S) as client,
            ):
                return await client.request(method, path, **arguments)
        except (RegistryDamaged, RegistryUnavailable) as error:
            fail(str(error))


def _now(sent: Coroutine[Any, Any, httpx2.Response]) -> httpx2.Response:
    import asyncio

    return asyncio.run(sent)


def _token_in_file() -> str | None:
    """Read the token of a gateway in the same environment from the file that the environment names."""
    try:
        return Path(os.environ["SOUNDSTAGE_TOKEN_FILE"]).read_text().strip()
    except (KeyError, OSError, UnicodeDecodeError):
        return None


def running_gateway(data: Path) -> str | None:
    """Return the address of the gateway that serves this data folder now, or None."""
    import httpx2

    try:
        url = _left_word(data)
        httpx2.get(f"{url}/healthz", timeout=2).raise_for_status()
    except (OSError, ValueError, KeyError, TypeError, httpx2.HTTPError):
        return None
    return url


def announce(data: Path, url: str) -> None:
    """Record in the data folder that a gateway serves it at this address."""
    import orjson

    from soundstage.gateway.files import made_anew

    made_anew(data / _RUNNING, orjson.dumps({"url": url}))


def withdraw(data: Path, url: str) -> None:
    """Remove the record of this address, unless another gateway has replaced it since."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if _left_word(data) == url:
            (data / _RUNNING).unlink(missing_ok=True)


def _left_word(data: Path) -> str:
    import orjson

    return str(orjson.loads((data / _RUNNING).read_bytes())["url"])


def _problem(response: httpx2.Response) -> str:
    try:
        return str(response.json()["error"])
    except (ValueError, KeyError, TypeError):
        return f"{response.status_code} {response.reason_phrase}: {response.text[:200]}"
