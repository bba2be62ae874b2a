"""The declaration of the `submit_answer` tool."""

from __future__ import annotations

from typing import Any, Literal, get_args

Outcome = Literal["done", "asked", "declined", "gave_up"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
SUBMIT_ANSWER = "submit_answer"
MAX_TEXT = 1_000_000
SUBMIT_ANSWER_TOOL: dict[str, Any] = {
    "name": SUBMIT_ANSWER,
    "title": "Submit the answer",
    "description": (
        "Say that you have finished, with your answer to the user. Call it once, as the last thing you do: nothing can be "
        "done after it."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": MAX_TEXT, "description": "What you tell the user."},
            "outcome": {
                "type": "string",
                "enum": list(OUTCOMES),
                "default": OUTCOMES[0],
                "description": "done; asked: you need an answer first; declined: it cannot or must not be done; gave_up.",
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    },
}
