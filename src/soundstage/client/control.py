"""HTTP clients for a gateway's control API; refusals become `GatewayError`."""

from __future__ import annotations

from typing import Any, TypeVar

import httpx2
import orjson

from soundstage.client.problems import GatewayError
from soundstage.client.requests import Request

T = TypeVar("T")
_TIMEOUT_S = 60.0
_JSON = {"Content-Type": "application/json"}


class Control:
    """The control API of the gateway at `url`, for blocking calls."""

    def __init__(self, url: str, token: str | None) -> None:
        self._http = httpx2.Client(**_settings(url, token))

    def send(self, request: Request[T]) -> T:
        """Send a request and return its parsed response.

        Raises:
            GatewayError: The gateway refused the request or did not answer.
        """
        try:
            response = self._http.request(**_sent(request))
        except httpx2.HTTPError as error:
            raise _unanswered(self._http.base_url, error) from error
        return _read(request, response)

    def close(self) -> None:
        """Close the connections to the gateway."""
        self._http.close()


class AsyncControl:
    """The control API of the gateway at `url`, for async code."""

    def __init__(self, url: str, token: str | None) -> None:
        self._http = httpx2.AsyncClient(**_settings(url, token))

    async def send(self, request: Request[T]) -> T:
        """Send a request and return its parsed response.

        Raises:
            GatewayError: The gateway refused the request or did not answer.
        """
        try:
            response = await self._http.request(**_sent(request))
        except httpx2.HTTPError as error:
            raise _unanswered(self._http.base_url, error) from error
        return _read(request, response)

    async def close(self) -> None:
        """Close the connections to the gateway."""
        await self._http.aclose()


def _settings(url: str, token: str | None) -> dict[str, Any]:
    # Loading certificates takes longer than most requests, and requests to this machine must not go through a proxy.
    beyond = not url.startswith("http://127.0.0.1:")
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return {"base_url": url, "headers": headers, "timeout": _TIMEOUT_S, "verify": beyond, "trust_env": beyond}


def _sent(request: Request[T]) -> dict[str, Any]:
    content = request.content
    return {
        "method": request.method,
        "url": request.path,
        "params": request.parameters,
        "content": content,
        "headers": _JSON if content is not None else None,
    }


def _read(request: Request[T], response: httpx2.Response) -> T:
    if response.is_error:
        raise GatewayError(_words(response), status=response.status_code)
    return request.read(response.content)


def _words(response: httpx2.Response) -> str:
    try:
        return str(orjson.loads(response.content)["error"])
    except (ValueError, KeyError, TypeError):
        return f"{response.status_code} {response.reason_phrase}: {response.text[:200]}"


def _unanswered(url: object, error: Exception) -> GatewayError:
    return GatewayError(f"the gateway at {url} did not answer ({error or type(error).__name__})")
