"""The `get_article_details` tool."""

from __future__ import annotations

from soundstage.contexts.engine.app_context import AppContext
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.layout import shown
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.medical.rules.pubmed import DETAILS
from soundstage.kernels.types import Arguments


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Show an article of PubMed, with its full text if PubMed Central has it."""
    pmid = arguments["pmid"]
    outcome = remembered(context, DETAILS, {"pmid": pmid})
    if outcome.data is None:
        return nothing("get-article-details", arguments, outcome.line)
    article = outcome.data
    result = f"**Article Details for PMID: {pmid}**\n\n**Title:** {shown(article, 'title')}\n\n"
    if article.get("authors"):
        result += f"**Authors:** {', '.join(article['authors'])}\n\n"
    result += f"**Journal:** {shown(article, 'journal')}\n**Publication Date:** {shown(article, 'publication_date')}\n"
    if article.get("doi"):
        result += f"**DOI:** {article['doi']}\n"
    pmc_id = article.get("pmc_id")
    if pmc_id:
        address = f"https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{pmc_id}/"
        result += f"**PMC ID:** {pmc_id}\n**Full Text Available:** Yes\n**Full Text URL:** {address}\n\n"
    result += f"\n**Abstract:**\n{shown(article, 'abstract')}\n\n"
    if article.get("full_text"):
        result += f"**Full Text:**\n{article['full_text']}\n\n"
    elif pmc_id:
        result += (
            "**Note:** Full text is available but could not be automatically retrieved. Please visit the PMC URL above to access "
            "the complete article.\n\n"
        )
    else:
        result += (
            "**Note:** Full text is not available in PubMed Central. You may need institutional access or subscription to view "
            "the complete article.\n\n"
        )
    return result + outcome.line
