"""A parser of Gmail's search syntax.

Adjacent terms must all match. `OR` (and `|`) binds more tightly, as in Google's other searches; `{a b}` means any, `(a b)` all,
and `-` negates. A term is a word, a quoted phrase, `+word` (without inflections), `a AROUND 5 b`, or `operator:value`, whose
value may be a phrase or a group: `from:(amy OR david)`.

Source: "Search operators you can use with Gmail", https://support.google.com/mail/answer/7190. Gmail rejects no query: open
groups end at the end of the query, and unmatched closing brackets are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from soundstage.kernels.engines.digits import bounded_integer

OPERATORS = frozenset(
    {"from", "to", "cc", "bcc", "subject", "after", "before", "older", "newer", "older_than", "newer_than", "label", "category",
     "has", "list", "filename", "in", "is", "deliveredto", "size", "larger", "smaller", "rfc822msgid"}
)  # fmt: skip
_CLOSING = {"(": ")", "{": "}"}
_DEFAULT_AROUND = 20
_DEEPEST = 50
_MOST_WORDS = 10**9
"""Words between two words of an AROUND, more than any message has."""
_WORD = re.compile(r'[^\s(){}"|]+')


@dataclass(frozen=True, slots=True)
class Words:
    """Consecutive words. `exact` excludes inflections."""

    text: str
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Around:
    """Two terms with at most `distance` words between them, in this order if `ordered` is set."""

    left: str
    right: str
    distance: int
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with its value, `name:value`."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """A negated condition."""

    inner: Node


@dataclass(frozen=True, slots=True)
class All:
    """A conjunction; true if empty."""

    inner: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """A disjunction."""

    inner: tuple[Node, ...]


Node = Words | Around | Operator | Not | All | Any


@dataclass(frozen=True, slots=True)
class _Token:
    """A token; `kind` is a bracket, `-`, `or`, `and`, `word`, `phrase`, `operator` (its value follows) or `around`."""

    kind: str
    text: str = ""


_MINUS = _Token("-")


def parse(query: str) -> Node:
    """Parse a query; any text is valid."""
    return _Parser(list(_tokens(query))).everything()


def operators(node: Node) -> Iterator[Operator]:
    """Yield every operator that is not negated."""
    if isinstance(node, Operator):
        yield node
    elif isinstance(node, All | Any):
        for inner in node.inner:
            yield from operators(inner)


def _tokens(query: str) -> Iterator[_Token]:
    at = 0
    while at < len(query):
        character = query[at]
        if character.isspace():
            at += 1
        elif character in "(){}":
            yield _Token(character)
            at += 1
        elif character == '"':
            end = query.find('"', at + 1)
            end = len(query) if end < 0 else end
            yield _Token("phrase", query[at + 1 : end])
            at = end + 1
        elif character == "-" and query[at + 1 : at + 2].strip():
            yield _MINUS
            at += 1
        elif character == "|":
            yield _Token("or")
            at += 1
        else:
            end = _end_of_word(query, at)
            yield _token(query[at:end])
            at = end


def _end_of_word(query: str, at: int) -> int:
    """Return the end of the word at a position; an operator's name ends with its first colon."""
    word = _WORD.match(query, at)
    end = at if word is None else word.end()
    colon = query.find(":", at, end)
    return colon + 1 if colon >= 0 and query[at:colon].lower() in OPERATORS else end


def _token(word: str) -> _Token:
    if word.endswith(":") and word[:-1].lower() in OPERATORS:
        return _Token("operator", word[:-1].lower())
    kinds = {"OR": "or", "AND": "and", "AROUND": "around"}
    return _Token(kinds.get(word, "word"), word)


class _Parser:
    """Parses tokens in one pass. Excessively nested groups are parsed as plain words."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def everything(self) -> Node:
        results: list[Node] = []
        while self._at < len(self._tokens):
            results += self._sequence("", any_of=False, depth=0)
            self._at += 1  # an unmatched closing bracket
        return _all(results)

    def _peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _sequence(self, closing: str, *, any_of: bool, depth: int) -> list[Node]:
        """Parse the terms up to a closing bracket; terms joined by OR become one disjunction."""
        results: list[Node] = []
        alternatives: list[Node] | None = None  # of the last node
        joins = False
        while (token := self._peek()) is not None and token.kind not in (")", "}"):
            if token.kind == "or":
                joins = bool(results)
                self._at += 1
                continue
            if token.kind == "and":
                self._at += 1
                continue
            node = self._term(depth)
            if node is None:
                continue
            if joins and not any_of:
                before = results[-1]
                if alternatives is None:
                    alternatives = list(before.inner) if isinstance(before, Any) else [before]
                alternatives.append(node)
            else:
                _close(results, alternatives)
                alternatives = None
                results.append(node)
            joins = False
        _close(results, alternatives)
        return results

    def _term(self, depth: int) -> Node | None:
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "-":
            if (following := self._peek()) is None or following.kind in (")", "}", "or", "and"):
                return None
            # In a row of dashes each is the opposite of the next.
            dashes = 1
            while self._tokens[self._at].kind == "-":
                dashes += 1
                self._at += 1
                if (following := self._peek()) is None or following.kind in (")", "}", "or", "and"):
                    return None
            inner = self._term(depth)
            return None if inner is None else Not(inner) if dashes % 2 else Not(Not(inner))
        if token.kind in _CLOSING:
            return self._group(token.kind, depth)
        if token.kind == "operator":
            return self._operator(token.text, depth)
        return self._words(token)

    def _group(self, opening: str, depth: int) -> Node | None:
        if depth >= _DEEPEST:
            return None
        inner = self._sequence(_CLOSING[opening], any_of=opening == "{", depth=depth + 1)
        if (token := self._peek()) is not None and token.kind in (")", "}"):
            self._at += 1
        if not inner:
            return None
        return Any(tuple(inner)) if opening == "{" else _all(inner)

    def _operator(self, name: str, depth: int) -> Node | None:
        """Parse an operator's value: a word, a phrase, or a group in which each word is a value."""
        token = self._peek()
        if token is None or token.kind in (")", "}", "or", "and"):
            return None
        if token.kind in _CLOSING:
            self._at += 1
            inner = self._group(token.kind, depth)
            return None if inner is None else _under(name, inner)
        self._at += 1
        if token.kind == "-":
            while (following := self._peek()) is not None and following.kind == "-":
                self._at += 1
            return self._operator(name, depth)
        if token.kind == "operator":  # such as `subject:from:`
            return Operator(name, f"{token.text}:")
        return Operator(
            name, token.text.lower() if token.kind == "word" and name in ("is", "in", "has") else token.text
        )

    def _words(self, token: _Token) -> Node | None:
        distance, ordered = _DEFAULT_AROUND, False
        if token.kind == "phrase" and " AROUND " in token.text:
            left, _, rest = token.text.partition(" AROUND ")
            number, _, right = rest.strip().partition(" ")
            distance, right = (
                (bounded_integer(number, _MOST_WORDS), right) if number.isdecimal() else (_DEFAULT_AROUND, rest)
            )
            return Around(left, right.strip(), distance, ordered=True)
        left_text = token.text
        if (following := self._peek()) is not None and following.kind == "around" and token.kind in ("word", "phrase"):
            self._at += 1
            if (number_token := self._peek()) is not None and number_token.text.isdecimal():
                distance = int(number_token.text)
                self._at += 1
            if (other := self._peek()) is not None and other.kind in ("word", "phrase"):
                self._at += 1
                return Around(left_text, other.text, distance, ordered)
            return Words(left_text)
        if token.kind == "word" and token.text.startswith("+") and len(token.text) > 1:
            return Words(token.text[1:], exact=True)
        return Words(token.text, exact=token.kind == "phrase") if token.text else None


def _under(name: str, node: Node) -> Node:
    """Apply an operator to each word of a group."""
    match node:
        case Words(text=text):
            return Operator(name, text)
        case Around(left=left, right=right):
            return All((Operator(name, left), Operator(name, right)))
        case Not(inner=inner):
            return Not(_under(name, inner))
        case All(inner=inner):
            return All(tuple(_under(name, part) for part in inner))
        case Any(inner=inner):
            return Any(tuple(_under(name, part) for part in inner))
        case _:
            return node


def _all(nodes: list[Node]) -> Node:
    """All of the nodes, each once."""
    nodes = list(dict.fromkeys(nodes))
    return nodes[0] if len(nodes) == 1 else All(tuple(nodes))


def _close(results: list[Node], alternatives: list[Node] | None) -> None:
    """Put the alternatives of the last node in its place, each once."""
    if alternatives is not None:
        results[-1] = Any(tuple(dict.fromkeys(alternatives)))
