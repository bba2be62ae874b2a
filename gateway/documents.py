"""The documentation of Soundstage: the files of `docs/`, as web pages for people and as Markdown for programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import soundstage

FOLDER = Path(soundstage.__file__).parent / "docs"


@dataclass(frozen=True, slots=True)
class Document:
    """A page of the documentation; `name` is its file's name without the suffix."""

    name: str
    title: str
    about: str


DOCUMENTS = (
    Document("connect", "Connect", "Claude, Cursor, VS Code and others; what to do when it does not work"),
    Document("sessions", "Sessions", "making, resetting, forking, replaying; clocks, seats and snapshots"),
    Document("worlds", "Worlds", "what sessions start from, and how to write an own one"),
    Document("library", "The library", "places, web pages, companies and medicines that all sessions share"),
    Document("tasks", "Tasks", "errands for agents, and how they are graded"),
    Document("evaluate-your-agent", "Evaluate your agent", "programs to start from, by command, service or hand"),
    Document("runs", "Runs", "how well an agent does its tasks: trials, tokens, limits"),
    Document("results", "Results", "figures, how sure they are, and bundles that grade again anywhere"),
    Document("faults", "Faults", "failures on purpose: the kinds, schedules, the ledger"),
    Document("search", "Search", "search tools instead of long lists"),
    Document("upstreams", "Upstreams", "real MCP servers next to the simulated apps"),
    Document("python", "Python", "from a program, and as fixtures for pytest"),
    Document("web", "The pages", "what these pages show, and where each is to be had as JSON"),
    Document("operations", "Operations", "several gateways, limits, an image, metrics"),
    Document("fidelity", "Fidelity", "how like the real servers the apps answer"),
    Document(
        "bring-your-own-server",
        "Bring your own server",
        "record how a real MCP server behaves, and whether it still does",
    ),
    Document(
        "synthesis", "Synthesis", "a simulated app out of a recording: who writes it, what is accepted, what runs where"
    ),
    Document("parity", "Parity", "the apps beside the real servers, on calls that nobody has seen"),
    Document("speed", "Speed", "what is measured, and how"),
    Document("architecture", "Architecture", "how it is made, and how an app is added"),
)


def text_of(name: str) -> str | None:
    """Return a page's Markdown, or None if there is no such page. Pages of apps are named `apps/<app>`."""
    return _texts().get(name)


def title_of(text: str) -> str:
    """Return a page's title: its first heading."""
    return text.partition("\n")[0].lstrip("# ")


def no_such(name: str) -> str:
    """Return the error message for a missing page."""
    return f"the documentation has no page {name[:80]!r}; it has {', '.join(_texts())}"


@cache
def _texts() -> dict[str, str]:
    """Return every page by its name. They are read once, because they change only with the version."""
    files = [file.relative_to(FOLDER) for file in sorted(FOLDER.rglob("*.md"))]
    return {file.with_suffix("").as_posix(): (FOLDER / file).read_text(encoding="utf-8") for file in files}
