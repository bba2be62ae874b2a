"""Figures of trials in addition to the score, defined in docs/results.md."""
