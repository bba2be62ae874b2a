"""Listings of the guidelines of the American Academy of Pediatrics, from one or both of its sites."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.medical.rules.cache import Operation, remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import lines, numbered, shown, warnings
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pages import AAP_SEARCH, BRIGHT_FUTURES_SEARCH, POLICY_SEARCH


def preventive_care(context: AppContext, query: str) -> str | NothingFound:
    """Return the guidelines of Bright Futures."""
    about = "Bright Futures guidelines are retrieved dynamically from the AAP website.\n"
    return _listed(
        context, query, "bright-futures", BRIGHT_FUTURES_SEARCH, "Bright Futures", "Guidelines", "guideline", about
    )


def policy_statements(context: AppContext, query: str) -> str | NothingFound:
    """Return the policy statements among the AAP's publications."""
    about = "AAP policy statements are retrieved dynamically from the AAP publications website.\n"
    return _listed(context, query, "aap-policy", POLICY_SEARCH, "AAP", "Policy Statements", "policy statement", about)


def both(context: AppContext, query: str) -> str | NothingFound:
    """Return the results of both sites and their number per site."""
    result = remembered(context, AAP_SEARCH, {"query": query})
    if not result.data:
        return nothing("search-aap-guidelines", {"query": query}, result.line)
    preventive = sum(guideline.get("source") == "bright-futures" for guideline in result.data)
    policies = sum(guideline.get("source") == "aap-policy" for guideline in result.data)
    return (
        f'**AAP Guidelines Search: "{query}"**\n\nFound {len(result.data)} guideline(s) total\n'
        + (f"- {preventive} from Bright Futures\n" if preventive else "")
        + (f"- {policies} from AAP Policy Statements\n" if policies else "")
        + f"\n{numbered(_entry(guideline, with_source=True) for guideline in result.data)}"
        + warnings("AAP guidelines are retrieved dynamically from Bright Futures and AAP publications websites.\n")
        + result.line
    )


def _listed(
    context: AppContext, query: str, source: str, operation: Operation, whose: str, what: str, one: str, about: str
) -> str | NothingFound:
    result = remembered(context, operation, {"query": query})
    if not result.data:
        return nothing("search-pediatric-guidelines", {"query": query, "source": source}, result.line)
    entries = numbered(_entry(guideline, with_source=False) for guideline in result.data)
    return (
        f'**{whose} {what}: "{query}"**\n\nFound {len(result.data)} {one}(s)\n\n{entries}{warnings(about)}{result.line}'
    )


def _entry(guideline: Object, *, with_source: bool) -> str:
    source = "Bright Futures" if guideline.get("source") == "bright-futures" else "AAP Policy Statement"
    return (
        f"**{shown(guideline, 'title')}**\n"
        + (f"   Source: {source}\n" if with_source else "")
        + f"   Organization: {shown(guideline, 'organization')}\n"
        + lines(
            ("Year", guideline.get("year")),
            ("Age Group", guideline.get("age_group")),
            ("Category", guideline.get("category")),
            ("Description", guideline.get("description")),
        )
        + f"   URL: {shown(guideline, 'url')}\n\n"
    )
