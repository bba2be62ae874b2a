"""Discord's ids: the milliseconds since 2015 at the time of creation, above 22 bits of a counter.

Source: https://github.com/discord/discord-api-docs (Reference, Snowflakes), and discord.py's `utils.snowflake_time`.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.clock import to_ms
from soundstage.kernels.discord.rules.errors import invalid_form

_FIRST_MS = 1_420_070_400_000
_COUNT_BITS = 22
_LARGEST = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def path_id(number: int, field: str) -> str:
    """Return a number as an id in an address of the API.

    Raises:
        DiscordError: The number is out of range for ids.
    """
    if not 0 <= number <= _LARGEST:
        raise invalid_form(field, f'Value "{number}" is not snowflake.')
    return str(number)


def created_at(snowflake: str) -> str:
    """Return the creation time in an id in Python's isoformat: `2017-05-05T10:29:19.521000+00:00`."""
    milliseconds = (int(snowflake) >> _COUNT_BITS) + _FIRST_MS
    return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat()


def new_snowflake(context: AppContext) -> str:
    """Return an id for the current time; a counter makes ids of a session unique and ascending."""
    count = context.next_number("snowflake") % 2**_COUNT_BITS
    return str(((to_ms(context.now()) - _FIRST_MS) << _COUNT_BITS) | count)
