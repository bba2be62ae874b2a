"""The inline buttons under a message: which message is meant, and what its buttons say.

Source: telegram_mcp/tools/messages.py (list_inline_buttons, press_inline_button)
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, messages
from soundstage.kernels.telegram.rules.errors import Failed, Said
from soundstage.kernels.telegram.rules.server import Client

NAMELESS = "<no text>"


def message_id_of(given: int | str | None) -> int | None:
    """The id of the message that a call names, if it names one.

    Raises:
        Said: for a text that is not all digits.
        Failed: for digits that are no number in Python, such as superscripts.
    """
    if not isinstance(given, str):
        return given
    if not given.isdigit():
        raise Said("invalid", "message_id must be an integer.")
    try:
        return int(given)
    except ValueError:
        raise Failed("ValueError") from None


def newest_with_buttons(client: Client, chat_id: int, limit: int) -> Object | None:
    """The newest of a chat's last messages that has buttons."""
    recent = history.walk(history.newest(client, chat_id), limit)
    return next((message for message in recent if messages.buttons(client, message)), None)


def needs_buttons(client: Client, message: Object) -> list[Object]:
    """The buttons of a message, in their order over all rows.

    Raises:
        Said: when it has none.
    """
    found = messages.buttons(client, message)
    if not found:
        raise Said("not_found", f"Message {message['id']} does not contain inline buttons.")
    return found
