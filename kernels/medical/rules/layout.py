"""The layout of replies: truncation, placeholders, and the block of warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import UNDEFINED, text, utf16_length, utf16_slice


def cut(words: str, most: int) -> str:
    """Truncate a text and append an ellipsis if it is too long."""
    return words if utf16_length(words) <= most else utf16_slice(words, 0, most) + "..."


def shown(row: Object, name: str) -> str:
    """Return a member as a template literal prints it: `undefined` if it is missing."""
    return text(row.get(name, UNDEFINED))


def lines(*pairs: tuple[str, Any]) -> str:
    """Return a line for each label whose value is not empty."""
    return "".join(f"   {label}: {text(value)}\n" for label, value in pairs if value)


def numbered(entries: Iterable[str]) -> str:
    """Number entries from 1 on."""
    return "".join(f"{number}. {entry}" for number, entry in enumerate(entries, start=1))


def warnings(about: str) -> str:
    """Return the block of warnings, with the statement about this tool's data."""
    return (
        f"\n🚨 **CRITICAL SAFETY WARNING:**\n{about}\n"
        "• No hardcoded data - all results retrieved in real-time\n\n"
        "**ALWAYS:**\n"
        "• Verify information through multiple sources\n"
        "• Consult qualified healthcare professionals\n"
        "• Consider publication dates and evidence quality\n"
        "• Follow established clinical guidelines\n\n"
        "**NEVER rely solely on this information for clinical decisions.**"
    )


def article_entry(article: Object) -> str:
    """Format an article of any source."""
    known = lines(
        ("Authors", article.get("authors")),
        ("Journal", article.get("journal")),
        ("Year", article.get("year")),
        ("Citations", article.get("citations")),
        ("URL", article.get("url")),
        ("Abstract", cut(article.get("abstract") or "", 300)),
    )
    return f"**{shown(article, 'title')}**\n{known}\n"


def pubmed_entry(article: Object, *, with_text: bool) -> str:
    """Format an article of PubMed, optionally with the beginning of its full text."""
    pmc_id, full_text = article.get("pmc_id"), article.get("full_text")
    entry = (
        f"**{shown(article, 'title')}**\n"
        f"   Authors: {', '.join(article.get('authors') or [])}\n"
        f"   Journal: {shown(article, 'journal')}\n"
        f"   Publication Date: {shown(article, 'publication_date')}\n"
        f"   PMID: {shown(article, 'pmid')}\n"
    )
    if pmc_id:
        entry += f"   PMC ID: {pmc_id} (Full text available)\n"
    if article.get("abstract"):
        entry += f"   Abstract: {cut(article['abstract'], 300)}\n"
    if with_text and full_text:
        entry += (
            f"   **Full Text Available**\n   Full Text (first 1000 chars): {cut(full_text, 1000)}\n"
            "   [Full text truncated for display. Use get-article-details for complete text.]\n"
        )
    entry += f"   URL: https://pubmed.ncbi.nlm.nih.gov/{shown(article, 'pmid')}/\n"
    if pmc_id:
        entry += f"   Full Text: https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{pmc_id}/\n"
    return entry + "\n"
