"""Documentation generated from descriptions of a library's calls, options and errors, one file per domain.

A library is `{id, title, description, language, package, site, versions, setup, calls, options, errors, recipe, changed}`: a
call is `title | code | what it does`, an option `name | default | what it is for`, an error `name | when | what to do`;
`recipe` combines calls, and `changed` is the difference from the previous version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soundstage.source import read


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of documentation: prose, and the code that shows it. Without `page` its page is named by its title."""

    title: str
    prose: str
    language: str | None = None
    code: str | None = None
    page: str = ""
    version: str | None = None


_LANGUAGES = Path(__file__).with_name("languages.yaml")
_MEMBERS = frozenset(
    ("id", "title", "description", "language", "package", "site", "versions", "stars", "trust", "benchmark", "updated")
)

_SHORT = 60
"""A call of fewer characters is shown below what sets the library up."""

_Entry = dict[str, Any]
_Language = dict[str, str]


def listed(folder: Path) -> Iterator[tuple[_Entry, list[Snippet]]]:
    """Each library with its pieces, by the names of the files."""
    languages = read(_LANGUAGES).value
    for file in sorted(folder.glob("*.yaml")):
        for entry in read(file).value:
            members = {name: value for name, value in entry.items() if name in _MEMBERS}
            yield members, list(_pieces(entry, languages[entry["language"]]))


def _pieces(entry: _Entry, language: _Language) -> Iterator[Snippet]:
    names = {"package": entry["package"], "module": entry.get("module", entry["package"])}
    title, spoken, setup = entry["title"], entry["language"], entry["setup"].strip()
    calls = [_cut(call) for call in entry["calls"]]
    _, first, what_first = calls[0]
    newest = entry["versions"][0]
    ready = f"{title} {newest} is on the registry as `{names['package']}`. It needs nothing else."
    yield Snippet(f"Install {title}", ready, "bash", language["install"].format(**names), "install")
    start = f"{entry['description']} Set it up once. {what_first}"
    yield Snippet(f"Quick start with {title}", start, spoken, f"{setup}\n{first}", "quick-start")
    for name, code, what in calls:
        yield Snippet(name, what, spoken, f"{setup}\n{code}" if len(code) < _SHORT else code)
    yield from _options(entry, language, names)
    for error, when, cure in (_cut(error) for error in entry["errors"]):
        code = language["caught"].format(error=error, call=first.splitlines()[-1].rstrip("?;"), **names)
        yield Snippet(f"Handle {error}", f"`{error}` says that {when}. {cure}", spoken, code, f"errors/{error.lower()}")
    recipe = entry["recipe"]
    yield Snippet(recipe["title"], recipe["prose"], spoken, f"{setup}\n{recipe['code'].strip()}")
    seen = f"{title} says what it does and how long it took, one line a call. Values are cut after eighty characters."
    yield Snippet(f"Log what {title} does", seen, spoken, language["logged"].format(**names), "logging")
    sentence = f"A recording keeps every call of {title} that the code under test makes, in order, and lets it through."
    yield Snippet(f"Test code that uses {title}", sentence, spoken, language["tested"].format(**names), "testing")
    yield from _versions(entry, language, names)
    yield Snippet(f"What {title} does not do", entry["limits"], page="limits")


def _options(entry: _Entry, language: _Language, names: _Language) -> Iterator[Snippet]:
    """All options together, then each one."""
    options = [_cut(option) for option in entry["options"]]

    def shown(lines: list[str]) -> str:
        return language["options"].format(lines="\n".join(lines), **names)

    lines = [language["option"].format(name=name, value=value) for name, value, _ in options]
    table = "\n".join(f"- `{name}` ({value}): {what}" for name, value, what in options)
    prose = f"All options with their defaults:\n\n{table}"
    yield Snippet(f"Configure {entry['title']}", prose, entry["language"], shown(lines), "options")
    for (name, value, what), line in zip(options, lines, strict=True):
        prose = f"`{name}` is {what}. Its default is `{value}`; it is read when the first call is made."
        yield Snippet(f"Option {name}", prose, entry["language"], shown([line]), f"options/{name}")


def _versions(entry: _Entry, language: _Language, names: _Language) -> Iterator[Snippet]:
    """Yield a snippet for each of the two versions about their differences."""
    newest, before = entry["versions"][:2]
    changed = "\n".join(f"- {line}" for line in entry["changed"])
    newer = language["install"].format(**names)
    pinned = language["pinned"].format(version=before, number=before.removeprefix("v"), **names)
    title = f"Upgrade from {before} to {newest}"
    yield Snippet(title, f"What is different:\n\n{changed}", "bash", newer, "upgrade", newest)
    prose = f"{before} still gets fixes. What {newest} does otherwise:\n\n{changed}"
    yield Snippet(f"Stay on {before}", prose, "bash", pinned, "versions", before)


def _cut(line: str) -> tuple[str, str, str]:
    first, second, third = (part.strip() for part in line.split(" | ", 2))
    return first, second.replace("\\n", "\n").replace("\\t", "\t"), third
