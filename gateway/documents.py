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
    Document("connect", "Connect", "connect Claude, Cursor, VS Code and other clients; solve problems"),
    Document("sessions", "Sessions", "create, reset, fork and replay sessions; clocks, seats and snapshots"),
    Document("worlds", "Worlds", "the starting states of sessions, and how to write one"),
    Document("library", "The library", "places, web pages, companies and medicines that all sessions share"),
    Document("tasks", "Tasks", "instructions for agents, and how the results are graded"),
    Document(
        "evaluate-your-agent", "Evaluate your agent", "example programs that run your agent as a command or a service"
    ),
    Document("runs", "Runs", "measure agents on tasks: trials, tokens, limits"),
    Document("results", "Results", "scores with confidence intervals, and bundles that can be graded again anywhere"),
    Document("faults", "Faults", "simulated failures: kinds, schedules, the ledger"),
    Document("search", "Search", "search tools instead of long lists"),
    Document("upstreams", "Upstreams", "real MCP servers next to the simulated apps"),
    Document("python", "Python", "the Python client and the pytest plugin"),
    Document("web", "The pages", "the web pages, and the address of each as JSON"),
    Document("operations", "Operations", "several gateways, limits, container images, metrics"),
    Document("fidelity", "Fidelity", "how closely the apps match the real servers"),
    Document(
        "bring-your-own-server",
        "Bring your own server",
        "record a real MCP server's behaviour, and detect changes",
    ),
    Document("synthesis", "Synthesis", "generate a simulated app from a recording: generation, acceptance, isolation"),
    Document("parity", "Parity", "measured differences between the apps and the real servers on new calls"),
    Document("speed", "Speed", "benchmarks and how they are measured"),
    Document("architecture", "Architecture", "the parts of the code, and how to add an app"),
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
