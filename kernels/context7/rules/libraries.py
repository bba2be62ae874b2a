"""Library lookup by name or id."""

from __future__ import annotations

import re

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.context7.rules.ranking import Text, ranked, words

_MOST = 10
_SIGNS = re.compile(r"[^0-9a-z\u4e00-\u9fff]")


def search(context: AppContext, name: str, question: str) -> list[Object]:
    """Return the libraries with a name, best first; ties are ranked by the question.

    A name is searched in titles and in the last part of ids, ignoring case, spaces and punctuation. If it occurs in none,
    libraries whose descriptions contain most of its words match.
    """
    libraries = context.list("library")
    wanted = _plain(name)
    named = [x for x in libraries if wanted in _plain(_title(x)) or wanted in _plain(_project(x))]
    result = named or _described(libraries, name)
    by_question = ranked(question, [Text(_title(x), str(x.get("description") or "")) for x in result])
    liked = {position: place for place, position in enumerate(by_question)}
    order = sorted(range(len(result)), key=lambda i: (_distance(result[i], wanted), liked.get(i, len(result)), i))
    return [result[i] for i in order[:_MOST]]


def pieces_of(context: AppContext, library_id: str) -> list[Object] | None:
    """Return the documentation of an id, or None if the library does not exist.

    The id may name a version: /org/project/v1.2 or /org/project@v1.2. The default is the newest version.
    """
    base, version = _parted(library_id)
    library = context.get("library", base)
    pieces = context.list("doc", {"libraryId": base})
    if library is None and not pieces:
        return None
    versions = (library or {}).get("versions") or []
    if version is not None and version not in versions:
        return None
    if library is not None and library.get("state", "finalized") != "finalized":
        return []
    shown = version or (versions[0] if versions else None)
    return [piece for piece in pieces if piece.get("version") in (None, shown)]


def _parted(library_id: str) -> tuple[str, str | None]:
    head, at, version = library_id.partition("@")
    if at:
        return head, version
    parts = library_id.split("/", 3)
    return ("/".join(parts[:3]), parts[3]) if len(parts) == 4 else (library_id, None)


def _described(libraries: list[Object], name: str) -> list[Object]:
    """Return the libraries whose title, id and description contain most of the name's words, at least half of them."""
    query_terms = set(words(name))
    entries = [f"{_title(x)} {x['id']} {x.get('description') or ''}" for x in libraries]
    had = [len(query_terms & set(words(text))) for text in entries]
    most = max(had, default=0)
    return (
        [x for x, count in zip(libraries, had, strict=True) if count == most]
        if most and most * 2 >= len(query_terms)
        else []
    )


def _distance(library: Object, wanted: str) -> int:
    """Return the length of the shortest matching title or project name; shorter names match more closely."""
    names = (_plain(_title(library)), _plain(_project(library)))
    return min((len(own) for own in names if wanted in own), default=0)


def _title(library: Object) -> str:
    return str(library.get("title") or "")


def _project(library: Object) -> str:
    return str(library["id"]).rsplit("/", 1)[-1]


def _plain(name: str) -> str:
    return _SIGNS.sub("", name.lower())
