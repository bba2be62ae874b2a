"""Find the varying parts of two texts that should be equal, as patterns that also fit other replies of the kind.

A time or generated id is masked by its form after its label, because a pattern of the exact digits would fit only one
recording. Anything else is masked by its position between constant tokens.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

_TOKENS = re.compile(r"\w+|\W")
_BESIDE = 12
"""Number of constant tokens around a varying part that a mask contains, so that it matches only there."""

_DAY, _MONTH = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_CLOCK = r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?"
_ZONE = r"(?:Z|(?:GMT|UTC)?[+-]\d\d:?\d\d(?: \([\w ]+\))?|GMT|UTC)"
_MOMENTS = (
    rf"\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?: ?{_ZONE})?",  # ISO 8601
    rf"{_DAY} {_MONTH} \d\d? \d{{4}} {_CLOCK} {_ZONE}",  # JavaScript
    rf"{_DAY} {_MONTH} +\d\d? {_CLOCK} \d{{4}}(?: {_ZONE})?",  # ctime, git
    rf"{_DAY}, \d\d? {_MONTH} \d{{4}} {_CLOCK} {_ZONE}",  # mail, HTTP
    r"\d{4}-\d\d-\d\d",
)
_DRAWN = (
    r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    *(rf"[0-9a-f]{{{size}}}" for size in (64, 40, 32, 24, 16)),
)
_LABEL = re.compile(r"[\w /.'\"-]{1,24}[:=]\s*[\"']?\Z")


def is_prose(text: str) -> bool:
    """Whether a text is more than a single value, so that most of it may be constant."""
    return bool(re.search(r"\s", text)) and not any(re.fullmatch(form, text) for form in _MOMENTS)


def text_masks(one: str, other: str) -> Iterator[str]:
    """Yield patterns for the differences between two texts."""
    for form in _MOMENTS:
        if _all(form, one) != _all(form, other):
            labels = {_label(one, match.start()) for match in re.finditer(form, one)}
            yield from (f"re:{f'(?<={re.escape(label)})' if label else ''}{form}" for label in sorted(labels))
            one, other = re.sub(form, "", one), re.sub(form, "", other)
    for form in _DRAWN:
        alone = rf"(?<![0-9A-Za-z]){form}(?![0-9A-Za-z])"
        if _all(alone, one) != _all(alone, other):
            yield f"re:{alone}"
            one, other = re.sub(alone, "", one), re.sub(alone, "", other)
    yield from _where_they_stand(one, other)


def _all(form: str, text: str) -> list[str]:
    return re.findall(form, text)


def _label(text: str, at: int) -> str:
    """Return the label before a position on its line, such as `modified: `, or an empty text."""
    line = text[:at].rpartition("\n")[2]
    return line if _LABEL.fullmatch(line) else ""


def _where_they_stand(one: str, other: str) -> Iterator[str]:
    """Yield patterns that include neighbouring constant tokens."""
    left, right = _TOKENS.findall(one), _TOKENS.findall(other)
    for kind, begin, end, _, _ in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "replace":
            before = re.split(r"[\r\n]", "".join(left[max(0, begin - _BESIDE) : begin]))[-1]
            after = re.split(r"[\r\n]", "".join(left[end : end + _BESIDE]))[0]
            inside = r"\d+" if "".join(left[begin:end]).isdigit() else r"[^\r\n]+?" if after else r"[^\r\n]+"
            yield f"re:(?<={re.escape(before)}){inside}(?={re.escape(after)})"
