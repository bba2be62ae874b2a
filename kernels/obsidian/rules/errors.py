"""Why a call fails, in the words in which mcp-obsidian tells it (`Obsidian._safe_call`)."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

NOT_FOUND = 404
SERVER_ERROR = 500

# The REST API's errors by code (`src/constants.ts` of 3.2.0); those that no tool can reach are left out.
_WORDS = {
    40060: "Specified period is not enabled.",
    40070: "The query you provided could not be processed.",
    40080: "The patch you provided could not be applied to the target content.",
    40101: ("Authorization required.  Find your API Key in the 'Local REST API' section of your Obsidian settings."),
    40460: "Specified period does not exist.",
    40461: "Periodic note does not exist for the specified period.",
    40510: "Request method is valid only for file paths, not directories.",
}
_STATUS = {NOT_FOUND: "Not Found", SERVER_ERROR: "Internal Server Error"}
_KINDS: dict[int, ErrorKind] = {401: "unauthorized", 404: "not_found"}

NOT_ENABLED, BAD_QUERY, PATCH_FAILED, UNAUTHORIZED, NO_SUCH_PERIOD, NO_PERIODIC_NOTE, FILES_ONLY = _WORDS


class ObsidianError(AppError):
    """What a handler of the MCP server raises; `message` is the text of its exception."""


class RestError(ObsidianError):
    """An answer of the REST API that is an error: one of its own codes, or a plain HTTP status, which is told times 100.

    Its message is the code's sentence and, on a line of its own, what there is to add.
    """

    def __init__(self, code: int, added: str = "") -> None:
        plain = code in _STATUS
        words = _STATUS[code] if plain else _WORDS[code]
        told = code * 100 if plain else code
        status = told // 100
        super().__init__(_KINDS.get(status, "invalid"), f"Error {told}: {words}" + (f"\n{added}" if added else ""))
        self.code = code


class NoJson(ObsidianError):
    """An answer that is no JSON where the client needs some, in the words of `requests`."""

    def __init__(self, problem: str) -> None:
        super().__init__("invalid", f"Request failed: {problem}")
