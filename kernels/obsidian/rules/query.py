"""Searches over all notes with a rule (`searchQueryPost`, content type jsonlogic)."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines import javascript
from soundstage.kernels.obsidian.rules import json_logic
from soundstage.kernels.obsidian.rules.errors import BAD_QUERY, UNAUTHORIZED, RestError
from soundstage.kernels.obsidian.rules.notes import note_object
from soundstage.kernels.obsidian.rules.patterns import BadPattern
from soundstage.kernels.obsidian.rules.vault import Vault


def entered(context: AppContext) -> Vault:
    """Return the vault after checking the server's API key.

    Raises:
        RestError: The key is not accepted.
    """
    vault = Vault(context)
    if not vault.may_enter():
        raise RestError(UNAUTHORIZED)
    return vault


def by_rule(context: AppContext, rule: Any) -> list[Object]:
    """Return the notes with a truthy result of a rule, with that result: `[{filename, result}]`.

    Raises:
        RestError: The rule fails for a note. Without notes it is never evaluated.
        ObsidianError: The rule runs until the client's timeout.
    """
    results: list[Object] = []
    vault, budget = entered(context), json_logic.Budget()
    for file in vault.notes():
        try:
            result = json_logic.apply(rule, note_object(context, file), budget)
        except json_logic.Exhausted:
            raise vault.silence() from None
        except (json_logic.LogicError, BadPattern) as error:
            raise RestError(BAD_QUERY, f"{error} (while processing {file['path']})") from None
        if _says_something(result):
            results.append({"filename": file["path"], "result": javascript.plain(result)})
    return results


def _says_something(result: Any) -> bool:
    return javascript.is_true(result) and result not in ([], {})
