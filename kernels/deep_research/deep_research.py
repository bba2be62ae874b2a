"""The `deep_research` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.deep_research.rules.moments import format_time
from soundstage.kernels.deep_research.rules.prompt import prompt
from soundstage.kernels.deep_research.rules.searching import searched
from soundstage.kernels.deep_research.rules.settings import most_rounds, setting
from soundstage.kernels.engines.javascript import number, number_text
from soundstage.kernels.types import Arguments

_MOST_KEYWORDS = 5


def run(context: AppContext, arguments: Arguments) -> str:
    """Search the web for keywords and return the results in a prompt with further instructions; failed searches are omitted."""
    results = [searched(context, keyword, arguments["topic"]) for keyword in arguments.get("keywords", [])]
    rounds = arguments["rounds"]
    return prompt(
        {
            "question": arguments["question"],
            "round": number_text(rounds),
            "next_round": number_text(number(float(rounds) + 1)),
            "most_rounds": str(most_rounds(context)),
            "most_keywords": str(_MOST_KEYWORDS),
            "time": format_time(context.now(), setting(context, "time_zone", "UTC")),
            "known": arguments.get("reference", "") + "\n".join(result for result in results if result is not None),
        }
    )
