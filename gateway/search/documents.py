"""Search documents: a tool's fields as plain text, independent of where the tool comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from soundstage.servers.catalogue import App
from soundstage.servers.tool import Tool

_SCHEMA_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Document:
    """A tool as text.

    `parameters` are names and `parameter_texts` their documentation; `server` is the app's name. `aliases` are common words for
    the tool's action, `called` the names of its app. `reads` is True for a read-only tool and None if that is unknown.
    """

    name: str
    server: str
    description: str = ""
    parameters: tuple[str, ...] = ()
    parameter_texts: str = ""
    server_description: str = ""
    aliases: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    reads: bool | None = None


class Catalogue:
    """An ordered list of documents, compared by content; the hash of thousands of them is computed once."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents = tuple(documents)
        self._hash = hash(self.documents)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Catalogue) and self.documents == other.documents


def document_of(app: App, tool: Tool) -> Document:
    """Return the document of an app's tool."""
    properties = list(_properties(tool.input_schema, 0))
    texts = [text for _, schema in properties if isinstance(text := schema.get("description"), str)]
    return Document(
        name=tool.name,
        server=" ".join([app.name, app.title, *app.aliases]),
        description=tool.description if tool.title is None else f"{tool.title}. {tool.description}",
        parameters=tuple(dict.fromkeys(name for name, _ in properties)),
        parameter_texts="\n".join([*tool.parameters.values(), *texts]),
        server_description=f"{app.category}. {app.description}",
        aliases=tool.aliases,
        called=app.called,
        reads=None if tool.effect == "other" else tool.effect == "read",
    )


def fingerprint(text: str) -> bytes:
    """Return a short hash of a text's content, the same in every process."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _properties(schema: Any, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every property of a schema, outer ones first, including those of nested objects and list items."""
    if not isinstance(schema, dict) or depth > _SCHEMA_DEPTH:
        return
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if isinstance(inner, dict):
            yield name, inner
            yield from _properties(inner, depth + 1)
    yield from _properties(schema.get("items"), depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        for option in options if isinstance(options := schema.get(key), list) else ():
            yield from _properties(option, depth + 1)
