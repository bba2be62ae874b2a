"""Failures in mcp-obsidian's words (`Obsidian._safe_call`)."""

from __future__ import annotations

from soundstage.kernels.errors import AppError, ErrorKind

NOT_FOUND = 404
SERVER_ERROR = 500

# The REST API's errors by code (`src/constants.ts` of 3.2.0); codes that no tool can cause are omitted.
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
    """An exception of a handler of the MCP server; `message` is its text."""


class RestError(ObsidianError):
    """An error response of the REST API.

    `code` is a code of the API or an HTTP status, which is reported multiplied by 100. The message is the code's sentence and,
    on a separate line, additional information.
    """

    def __init__(self, code: int, added: str = "") -> None:
        """Create the error of a code."""
        plain = code in _STATUS
        words = _STATUS[code] if plain else _WORDS[code]
        reported_code = code * 100 if plain else code
        status = reported_code // 100
        super().__init__(
            _KINDS.get(status, "invalid"), f"Error {reported_code}: {words}" + (f"\n{added}" if added else "")
        )
        self.code = code


class NoJson(ObsidianError):
    """A response that is not JSON although the client expects JSON, in the words of `requests`."""

    def __init__(self, problem: str) -> None:
        """Create the error of a parse problem."""
        super().__init__("invalid", f"Request failed: {problem}")
