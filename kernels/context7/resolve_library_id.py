"""The `resolve_library_id` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.context7.rules import libraries
from soundstage.kernels.context7.rules.server import Context7Error, check_admitted, is_old
from soundstage.kernels.engines.javascript import UNDEFINED
from soundstage.kernels.engines.javascript import text as printed
from soundstage.kernels.types import Arguments

_BETWEEN = "\n----------\n"
_OLD_HEAD = """Available Libraries (top matches):

Each result includes:
- Library ID: Context7-compatible identifier (format: /org/project)
- Name: Library or package name
- Description: Short summary
- Code Snippets: Number of available code examples
- Trust Score: Authority indicator
- Versions: List of versions if available. Use one of those versions if and only if the user explicitly provides a version in \
their query.

For best results, select libraries based on name match, trust score, snippet coverage, and relevance to your use case.

----------

"""
_REPUTATIONS = ((7, "High"), (4, "Medium"), (0, "Low"))


def run(context: AppContext, arguments: Arguments) -> str:
    """Find the id of a library by its name."""
    check_admitted(context, "search libraries")
    name, old = arguments["libraryName"], is_old(context)
    match = libraries.search(context, name, name if old else arguments["query"])
    if not match:
        raise Context7Error(
            "not_found",
            "Failed to retrieve library documentation data from Context7"
            if old
            else "No libraries found matching the provided name.",
        )
    return (_OLD_HEAD if old else "Available Libraries:\n\n") + _BETWEEN.join(_worded(x, old) for x in match)


def _worded(library: Object, old: bool) -> str:
    """Format a library; unknown values (-1 or missing) are omitted, except for the title."""
    lines = [
        f"- Title: {printed(library.get('title', UNDEFINED))}",
        f"- Context7-compatible library ID: {library['id']}",
        f"- Description: {printed(library.get('description', UNDEFINED))}",
    ]
    if (snippets := library.get("totalSnippets", -1)) != -1:
        lines.append(f"- Code Snippets: {snippets}")
    trust = library.get("trustScore", -1)
    if not old:
        lines.append(f"- Source Reputation: {_reputation(trust)}")
        if (benchmark := library.get("benchmarkScore", 0)) > 0:
            lines.append(f"- Benchmark Score: {printed(benchmark)}")
    elif trust != -1:
        lines.append(f"- Trust Score: {printed(trust)}")
    if versions := library.get("versions"):
        lines.append(f"- Versions: {', '.join(versions)}")
    if not old and (source := library.get("source")):
        lines.append(f"- Source: {source}")
    return "\n".join(lines)


def _reputation(trust: float) -> str:
    return next((word for least, word in _REPUTATIONS if trust >= least), "Unknown")
