"""The inline buttons under a message.

Source: telegram_mcp/tools/messages.py (list_inline_buttons, press_inline_button)
"""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import history, messages
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client

NAMELESS = "<no text>"


def message_id_of(given: int | str | None) -> int | None:
    """Return the message id of a call, if it has one.

    Raises:
        Refusal: The text is not all digits.
        Failed: Python does not accept the digits as a number, such as superscripts.
    """
    if not isinstance(given, str):
        return given
    if not given.isdigit():
        raise Refusal("invalid", "message_id must be an integer.")
    try:
        return int(given)
    except ValueError:
        raise Failed("ValueError") from None


def newest_with_buttons(client: Client, chat_id: int, limit: int) -> Object | None:
    """Return the newest message with buttons among a chat's last messages."""
    recent = history.walk(history.newest(client, chat_id), limit)
    return next((message for message in recent if messages.buttons(client, message)), None)


def needs_buttons(client: Client, message: Object) -> list[Object]:
    """Return the buttons of a message in order across its rows.

    Raises:
        Refusal: The message has no buttons.
    """
    rows = messages.buttons(client, message)
    if not rows:
        raise Refusal("not_found", f"Message {message['id']} does not contain inline buttons.")
    return rows
