"""The `create_poll` tool."""

from __future__ import annotations

from datetime import datetime

from soundstage.kernels.telegram.rules import resolve, sending
from soundstage.kernels.telegram.rules.errors import Failed, Refusal
from soundstage.kernels.telegram.rules.server import Server, writing
from soundstage.kernels.telegram.rules.times import parse_time
from soundstage.kernels.types import Arguments

_LONGEST_QUESTION = 255
_LONGEST_OPTION = 100


@writing
def run(server: Server, arguments: Arguments) -> str:
    """Send a poll to a chat.

    Source of Telegram's refusals: https://core.telegram.org/method/messages.sendMedia
    """
    client = server.client()
    peer = resolve.entity(client, arguments["chat_id"])
    options = arguments["options"]
    if len(options) < 2:
        raise Refusal("invalid", "Error: Poll must have at least 2 options.")
    if len(options) > 10:
        raise Refusal("limit", "Error: Poll can have at most 10 options.")
    closes = _close_date(arguments["close_date"])
    question = arguments["question"].strip()
    if not question or len(question) > _LONGEST_QUESTION:
        raise Failed("POLL_QUESTION_INVALID")
    if not all(isinstance(option, str) and 0 < len(option.strip()) <= _LONGEST_OPTION for option in options):
        raise Failed("POLL_ANSWER_INVALID")
    if arguments["quiz_mode"]:  # the server never sends which answer is correct
        raise Failed("QUIZ_CORRECT_ANSWERS_EMPTY")
    if peer.get("type") == "channel" and arguments["public_votes"]:
        raise Failed("BROADCAST_PUBLIC_VOTERS_FORBIDDEN")
    sending.may_write(client, peer)
    poll = {
        "question": question,
        "options": [option.strip() for option in options],
        "multiple_choice": arguments["multiple_choice"],
        "quiz": False,
        "public_voters": arguments["public_votes"],
        **({"close_date": closes} if closes else {}),
    }
    sending.put(client, peer, "", poll=poll)
    return f"Poll created successfully in chat {arguments['chat_id']}."


def _close_date(text: str | None) -> str | None:
    """Return the close date of a poll in the stored format."""
    if not text:
        return None
    try:
        return parse_time(datetime.fromisoformat(text.replace("Z", "+00:00")).isoformat()).isoformat()
    except ValueError:
        raise Refusal("invalid", "Invalid close_date format. Use YYYY-MM-DD HH:MM:SS format.") from None
