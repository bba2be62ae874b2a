"""Combine several rankings of the same tools."""

from __future__ import annotations

import numpy as np

from soundstage.contexts.engine.lexical import Scores

_LEVEL = 20
_HIGHEST = 3


def levelled(scores: Scores) -> Scores:
    """Normalize scores: the average tool has 0, the twentieth best has 1 (in small catalogues the best tenth).

    Rankings with different spreads then have equal weight among the tools that could be shown. Scores are at most 3, so that
    one ranking with few matches does not dominate the others. If all scores are equal, they become 0.
    """
    if not len(scores):
        return scores
    place = max(1, min(_LEVEL, len(scores) // 10))
    average = scores.mean()
    above = scores[scores > average]
    if not len(above):
        return np.zeros_like(scores)
    twentieth = np.partition(above, -place)[-place] if len(above) > place else above.min()
    height = max(twentieth - average, (above.max() - average) / _HIGHEST)
    levelled_scores: Scores = (scores - average) / np.float32(height)
    return levelled_scores
