"""The `press_inline_button` tool."""

from __future__ import annotations

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.telegram.rules import buttons, history, resolve
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Client, Server, writing
from soundstage.kernels.telegram.rules.text import clean, results_json
from soundstage.kernels.types import Arguments

_RECENT = 20
_LONGEST_ANSWER = 1024
_SHOWN = 64
_NONE = "No message with inline buttons found. Specify message_id to target a specific message."


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Press a button under a bot's message and return the bot's answer."""
    chat_id = server.checked("chat_id", arguments["chat_id"])
    client = server.client()
    text, place = arguments["button_text"], arguments["button_index"]
    if text is None and place is None:
        raise Refusal("invalid", "Provide button_text or button_index to choose a button.")
    message_id = buttons.message_id_of(arguments["message_id"])
    peer = resolve.entity(client, chat_id)
    message = _message(client, peer, message_id)
    if message is None:
        raise Refusal("not_found", _NONE)
    button = _chosen(buttons.needs_buttons(client, message), text, place)
    if not button.get("data"):
        if button.get("url"):
            url = button["url"]
            raise Refusal("invalid", f"Selected button opens a URL instead of sending a callback: {url}")
        raise Refusal("invalid", "Selected button does not provide callback data to press.")
    if button.get("no_answer"):
        raise Failed("BOT_RESPONSE_TIMEOUT")
    return results_json([], response=_answer(button))


def _message(client: Client, peer: Object, message_id: int | None) -> Object | None:
    if message_id is None:
        return buttons.newest_with_buttons(client, peer["id"], _RECENT)
    return history.find(client, peer["id"], message_id)


def _chosen(listed: list[Object], text: str | None, place: int | None) -> Object:
    """Return the button with a text, else the one at an index; an unknown text is ignored if an index is given."""
    if text:
        wanted = text.strip().lower()
        named = next((button for button in listed if (button.get("text") or "").strip().lower() == wanted), None)
        if named is not None:
            return named
    if place is None:
        shown = (clean(button.get("text") or buttons.NAMELESS, _SHOWN) for button in listed)
        available = ", ".join(f"[{number}] {label}" for number, label in enumerate(shown))
        raise Refusal("not_found", f"Button not found. Available buttons: {available}")
    if not 0 <= place < len(listed):
        raise Refusal("invalid", f"button_index out of range. Valid indices: 0-{len(listed) - 1}.")
    return listed[place]


def _answer(button: Object) -> str:
    parts = []
    if button.get("answer"):
        parts.append(clean(button["answer"], _LONGEST_ANSWER))
    if button.get("alert"):
        parts.append("Telegram displayed an alert to the user.")
    return " ".join(parts) or "Button pressed successfully."
