"""Size limits of texts and numbers, which the API gateway checks before a service sees the call.

Seen in public reports of real errors, such as https://github.com/larksuite/cli/issues/1774 (a key over 50 characters).
"""

from __future__ import annotations

from soundstage.kernels.lark.rules.errors import field_violation


def check_size(field: str, value: str | None, shortest: int, longest: int) -> None:
    """Reject a text that is too short or too long.

    Raises:
        LarkError: 99992402.
    """
    if value is None:
        return
    if len(value) < shortest:
        raise field_violation(field, f"the min len is {shortest}")
    if len(value) > longest:
        raise field_violation(field, f"the max len is {longest}")


def check_range(field: str, value: float, lowest: int, highest: int) -> None:
    """Reject a number that is too low or too high.

    Raises:
        LarkError: 99992402.
    """
    if value < lowest:
        raise field_violation(field, f"the min value is {lowest}")
    if value > highest:
        raise field_violation(field, f"the max value is {highest}")
