"""The REST API's routes that the tools use, with checks in the original order (`src/requestHandler.ts` of 3.2.0).

If a handler of the plugin throws, no response is sent, and the client times out after six seconds (`Vault.silence`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.engines import javascript
from soundstage.kernels.obsidian.rules import periodic
from soundstage.kernels.obsidian.rules.address import arriving, decoded
from soundstage.kernels.obsidian.rules.errors import (
    FILES_ONLY,
    NOT_FOUND,
    PATCH_FAILED,
    SERVER_ERROR,
    UNAUTHORIZED,
    RestError,
)
from soundstage.kernels.obsidian.rules.notes import note_object
from soundstage.kernels.obsidian.rules.patch import Patch, PatchError, PatchFailed, patched
from soundstage.kernels.obsidian.rules.vault import Vault, is_note, text_of

Method = Literal["GET", "PUT", "POST", "PATCH", "DELETE"]
_MARK = "\ufeff"  # the plugin's body parser removes it


class Request:
    """A request to the plugin with its vault and its body.

    `as_note` requests a note with Obsidian's metadata as JSON instead of its text.
    """

    def __init__(
        self, context: AppContext, *, content: str = "", as_note: bool = False, patch: Patch | None = None
    ) -> None:
        """Create a request on behalf of the session's account."""
        self.context = context
        self.vault = Vault(context)
        self.content = content.removeprefix(_MARK)
        self.as_note = as_note
        self.patch = patch

    def send(self, method: Method, path: str) -> str:
        """Send a request for a URL path and return the response's body.

        Raises:
            ObsidianError: The request failed.
        """
        if not self.vault.may_enter():
            raise RestError(UNAUTHORIZED)
        route, rest, slash = arriving(path)
        result = decoded(rest)
        if route == "vault" and slash:
            if result is None:
                raise RestError(SERVER_ERROR, f"Failed to decode param '{rest}'")
            return self._handlers[method](result)
        if route == "periodic" and (period := rest.removesuffix("/")) and "/" not in period and method == "GET":
            return self._get(periodic.current(self.context, self.vault, decoded(period) or "")["path"])
        raise RestError(NOT_FOUND)

    @property
    def _handlers(self) -> dict[Method, Callable[[str], str]]:
        return {
            "GET": self._get,
            "PUT": self._put,
            "POST": self._post,
            "PATCH": self._patch,
            "DELETE": self._delete,
        }

    def _get(self, path: str) -> str:
        if not path or path.endswith("/"):
            return self._listed(path)
        file = self.vault.on_disk(path)
        if file is None:
            raise RestError(NOT_FOUND)
        if not self.as_note:
            return text_of(file)
        if self.vault.get(path) is None or not is_note(path):  # Obsidian's cache has no entry
            raise self.vault.silence()
        return javascript.indented(note_object(self.context, file))

    def _listed(self, path: str) -> str:
        below = (file["path"][len(path) :] for file in self.vault.files() if file["path"].startswith(path))
        names = {name + slash for name, slash, _ in (rest.partition("/") for rest in below)}
        if not names:
            raise RestError(NOT_FOUND)
        return javascript.indented({"files": sorted(names, key=javascript.utf16_order)})

    def _put(self, path: str) -> str:
        _only_files(path)
        self.vault.write(path, self.content)
        return ""

    def _post(self, path: str) -> str:
        _only_files(path)
        file = self.vault.get(path)
        before = "" if file is None else text_of(file)
        if file is not None and not before.endswith("\n"):
            before += "\n"
        self.vault.write(path, before + self.content)
        return ""

    def _patch(self, path: str) -> str:
        _only_files(path)
        file = self.vault.get(path)
        if file is None or self.patch is None:
            raise RestError(NOT_FOUND)
        try:
            content = patched(text_of(file), self.patch)
        except PatchFailed as failed:
            raise RestError(PATCH_FAILED, failed.reason) from None
        except PatchError as error:
            raise RestError(SERVER_ERROR, str(error)) from None
        self.vault.write(path, content)
        return content

    def _delete(self, path: str) -> str:
        _only_files(path)
        file = self.vault.on_disk(path)
        if file is None:
            raise self.vault.silence() if self.vault.is_folder(path) else RestError(NOT_FOUND)
        self.vault.delete(file)
        return ""


def _only_files(path: str) -> None:
    if not path or path.endswith("/"):
        raise RestError(FILES_ONLY)
