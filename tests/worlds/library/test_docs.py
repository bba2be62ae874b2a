"""The documentation of invented libraries: each is unique, handwritten ones are unchanged, and all addresses are reserved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from soundstage.contexts.engine.library import Library
from soundstage.contexts.library import realms
from soundstage.worlds import library as made

_ADDRESS = re.compile(r"https?://([^/\s:\"'`)>]+)")
_OWN_MACHINE = re.compile(r"localhost|127\.0\.0\.1|10(\.\d+){3}|app")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(made.built(tmp_path_factory.mktemp("library")), realms())


def test_sixty_libraries_have_about_twelve_hundred_pieces(library: Library) -> None:
    assert len(library.list("docs", "library")) == 60
    assert len(library.list("docs", "snippet")) >= 1200
    for row in library.list("docs", "library"):
        pieces = library.list("docs", "snippet", {"library_id": row["id"]})
        assert len(pieces) >= 9, row["id"]
        assert len({piece["title"] for piece in pieces}) == len(pieces), row["id"]
        assert {piece["version"] for piece in pieces if "version" in piece} <= set(row["versions"]), row["id"]


def test_no_two_libraries_share_a_title_or_a_site(library: Library) -> None:
    rows = library.list("docs", "library")
    for name in ("title", "site", "description"):
        assert len({row[name] for row in rows}) == len(rows), name


def test_every_address_is_reserved(library: Library) -> None:
    for piece in library.list("docs", "snippet"):
        text = f"{piece['address']} {piece['prose']} {piece.get('code', '')}"
        for host in _ADDRESS.findall(text):
            assert host.endswith((".test", ".example")) or _OWN_MACHINE.fullmatch(host), (piece["id"], host)


def test_the_handwritten_library_is_unchanged(library: Library) -> None:
    row = library.get("docs", "library", "/acme/widgetkit")
    assert row is not None
    values = (row["snippets"], row["trust"], row["benchmark"], row["stars"], row["versions"])
    assert values == (84, 8.5, 91.2, 1200, ["v2.1.0", "v1.9.3"])
    assert library.get("docs", "library", "/no/lib") is None


def test_no_placeholder_is_left_in_a_library(library: Library, tmp_path: Path) -> None:
    for piece in library.list("docs", "snippet"):
        text = f"{piece['prose']} {piece.get('code', '')}"
        assert "{{" not in text.replace("={{", ""), piece["id"]
        assert "{package}" not in text
        assert piece["prose"].strip(), piece["id"]
