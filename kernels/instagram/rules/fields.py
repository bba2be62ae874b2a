"""The `fields` of a Graph request: `id,caption,children{media_url},comments.limit(2){text}`.

Source: https://developers.facebook.com/docs/graph-api/guides/field-expansion
"""

from __future__ import annotations

from dataclasses import dataclass, field

from soundstage.kernels.instagram.rules.errors import GraphError

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class Field:
    """One requested field, with its inner fields (None: default) and modifiers such as {"limit": "2"}."""

    name: str
    inner: list[Field] | None = None
    modifiers: dict[str, str] = field(default_factory=dict)


def parse(text: str) -> list[Field]:
    """Parse the requested fields, preserving their order.

    Raises:
        GraphError: The text has a syntax error; the message names the position.
    """
    reader = _Reader(text)
    result = reader.fields(0)
    if reader.at < len(text):
        raise reader.error(f'Expected end of string instead of "{text[reader.at]}".')
    return result


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fields(self, depth: int) -> list[Field]:
        fields = [self._field(depth)]
        while self._takes(","):
            fields.append(self._field(depth))
        return fields

    def _field(self, depth: int) -> Field:
        name, modifiers, inner = self._name(), {}, None
        while self._takes("."):
            modifier = self._name()
            modifiers[modifier] = self._within_parentheses()
        if depth < _DEEPEST and self._takes("{"):
            inner = self.fields(depth + 1)
            if not self._takes("}"):
                raise self.error('Expected "}".')
        return Field(name, inner, modifiers)

    def _name(self) -> str:
        self._skip_blanks()
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _NAME:
            self.at += 1
        if start == self.at:
            raise self.error("Expected name.")
        return self.text[start : self.at]

    def _within_parentheses(self) -> str:
        if not self._takes("("):
            raise self.error('Expected "(".')
        end = self.text.find(")", self.at)
        if end < 0:
            raise self.error('Expected ")".')
        inside, self.at = self.text[self.at : end], end + 1
        return inside

    def _takes(self, mark: str) -> bool:
        self._skip_blanks()
        if self.text[self.at : self.at + 1] != mark:
            return False
        self.at += 1
        return True

    def _skip_blanks(self) -> None:
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1

    def error(self, problem: str) -> GraphError:
        return GraphError("invalid", f'Syntax error "{problem}" at character {self.at}: {self.text}')
