"""The `get_drug_details` tool."""

from __future__ import annotations

from typing import Any

from soundstage.contexts.engine.app_context import AppContext
from soundstage.contexts.engine.schema import Object
from soundstage.kernels.engines.javascript import SPACES, text
from soundstage.kernels.medical.rules.cache import remembered
from soundstage.kernels.medical.rules.errors import NothingFound
from soundstage.kernels.medical.rules.fda import DRUG_DETAILS, first_of
from soundstage.kernels.medical.rules.layout import cut, numbered
from soundstage.kernels.medical.rules.nothing import nothing
from soundstage.kernels.types import Arguments

_HEADINGS = {
    "indications_and_usage": "Indications and Usage",
    "purpose": "Purpose/Uses",
    "description": "Description",
    "warnings": "Warnings",
    "contraindications": "Contraindications",
    "dosage_and_administration": "Dosage and Administration",
    "adverse_reactions": "Adverse Reactions",
    "drug_interactions": "Drug Interactions",
    "use_in_specific_populations": "Use in Specific Populations",
    "overdosage": "Overdosage",
    "clinical_pharmacology": "Clinical Pharmacology",
    "nonclinical_toxicology": "Nonclinical Toxicology",
    "clinical_studies": "Clinical Studies",
    "drug_abuse_and_dependence": "Drug Abuse and Dependence",
    "storage_and_handling": "Storage and Handling",
    "patient_counseling_information": "Patient Counseling Information",
}
_LONGEST_ITEM, _LONGEST_OTHER = 800, 300


def run(context: AppContext, arguments: Arguments) -> str | NothingFound:
    """Show a drug's label: its header, the known sections in order, then all other sections."""
    ndc = arguments["ndc"]
    result = remembered(context, DRUG_DETAILS, {"ndc": ndc})
    if result.data is None:
        return nothing("get-drug-details", arguments, result.line)
    label: Object = result.data
    sections = "".join(_section(heading, label[name]) for name, heading in _HEADINGS.items() if label.get(name))
    known = ("openfda", "effective_time", *_HEADINGS)
    others = {name: value for name, value in label.items() if name not in known and value is not None}
    ending = f"{_others(others)}{_nothing(sections, others)}{result.line}"
    return f"**Drug Details for NDC: {ndc}**\n\n{_head(label)}{sections}{ending}"


def _head(label: Object) -> str:
    substance = first_of(label, "substance_name")
    return (
        "**Basic Information:**\n"
        f"- Brand Name: {first_of(label, 'brand_name') or 'Not specified'}\n"
        f"- Generic Name: {first_of(label, 'generic_name') or 'Not specified'}\n"
        f"- Manufacturer: {first_of(label, 'manufacturer_name') or 'Not specified'}\n"
        f"- Route: {first_of(label, 'route') or 'Not specified'}\n"
        f"- Dosage Form: {first_of(label, 'dosage_form') or 'Not specified'}\n"
        + (f"- Active Substance: {substance}\n" if substance else "")
        + f"- Last Updated: {label.get('effective_time') or 'Not specified'}\n\n"
    )


def _section(heading: str, items: list[str]) -> str:
    entries = (f"{cut(item, _LONGEST_ITEM)}\n" for item in items)
    return f"**{heading}:**\n{numbered(entries)}\n"


def _others(others: Object) -> str:
    """Return the sections without a heading, one per line; the title appears even if all of them are empty."""
    if not others:
        return ""
    lines = "".join(
        f"- {_title(name)}: {_other(value)}\n"
        for name, value in others.items()
        if value and (isinstance(value, list) or text(value).strip(SPACES))
    )
    return f"**Additional Information:**\n{lines}\n"


def _title(name: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in name.split("_"))


def _other(value: Any) -> str:
    items = value if isinstance(value, list) else [value]
    return "\n\n".join(cut(item, _LONGEST_OTHER) if isinstance(item, str) else text(item) for item in items)


def _nothing(sections: str, others: Object) -> str:
    if sections or others:
        return ""
    return (
        "*No additional detailed information sections available for this drug.\nBasic information is displayed above. For more "
        "details, please consult the full FDA label or a healthcare provider.*\n\n"
    )
