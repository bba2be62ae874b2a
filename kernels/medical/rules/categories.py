"""The category of an indicator, by words of its name. Source: categorizeIndicator and formatHealthIndicators."""

from __future__ import annotations

EXPLANATIONS = {
    "Life Expectancy - At Birth": (
        "Average number of years a newborn is expected to live, assuming current mortality patterns remain constant"
    ),
    "Life Expectancy - Healthy": (
        "Average number of years a person can expect to live in full health (without disability or illness)"
    ),
    "Life Expectancy": "Average number of years a person is expected to live",
    "Mortality - Infant": ("Death rate of infants under 1 year of age, typically expressed per 1,000 live births"),
    "Mortality - Maternal": ("Death rate of women during pregnancy or within 42 days of termination of pregnancy"),
    "Mortality - Child": ("Death rate of children under 5 years of age, typically expressed per 1,000 live births"),
    "Mortality": "Death rate, typically expressed per 1,000 or 100,000 population",
    "Prevalence": "Proportion of population with a specific condition at a given time",
    "Incidence": "Number of new cases of a condition occurring in a population during a specific time period",
    "Rate": "Frequency of occurrence per unit of population or time",
    "General": "",
}
"""Explanations of the categories, in display order.

The category for disability-adjusted life expectancy is missing: it is counted but never shown, because the server's list
contains it under another name.
"""


def category_of(indicator_name: str) -> str:
    """Return the category of an indicator."""
    name = indicator_name.lower()
    if "life expectancy" in name:
        return _life_expectancy(name)
    if "mortality" in name:
        return _mortality(name)
    return next((word.capitalize() for word in ("prevalence", "incidence", "rate") if word in name), "General")


def _life_expectancy(name: str) -> str:
    if "healthy" in name:
        return "Life Expectancy - Healthy"
    if "disability" in name or "hale" in name:
        return "Life Expectancy - Disability-Adjusted (HALE)"
    return "Life Expectancy - At Birth" if "at birth" in name else "Life Expectancy"


def _mortality(name: str) -> str:
    if "infant" in name:
        return "Mortality - Infant"
    if "maternal" in name:
        return "Mortality - Maternal"
    return "Mortality - Child" if "child" in name or "under 5" in name else "Mortality"
