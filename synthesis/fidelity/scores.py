"""From verdicts to figures: the confusion matrix with the real server's success as the positive class, and means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypedDict

from soundstage.synthesis.fidelity.compare import Comparison
from soundstage.synthesis.fidelity.similarity import Similarity


class Figures(TypedDict):
    """The scores of an app, or of all apps; a share without data has the value None.

    A false positive is the worst error: the app accepted a call that the real server rejects. `exact` counts replies that are
    equal once volatile parts are masked. `compared` counts replies with a similarity, `compared_json` those with key paths.
    """

    traces: int
    true_positives: int
    true_negatives: int
    false_positives: int
    false_negatives: int
    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    exact: int
    compared: int
    tfidf: float | None
    rouge_l: float | None
    bleu: float | None
    meteor: float | None
    compared_json: int
    key_paths: float | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One trace's comparison with its likeness (None where it cannot be measured)."""

    comparison: Comparison
    similarity: Similarity | None


def figures(verdicts: Sequence[Verdict]) -> Figures:
    """The figures of some traces."""
    outcomes = Counter(v.comparison.outcome for v in verdicts)
    tp, tn = outcomes["true positive"], outcomes["true negative"]
    fp, fn = outcomes["false positive"], outcomes["false negative"]
    alike = [v.similarity for v in verdicts if v.similarity is not None]
    shares = [v.comparison.key_paths for v in verdicts if v.comparison.key_paths is not None]
    return Figures(
        traces=len(verdicts),
        true_positives=tp,
        true_negatives=tn,
        false_positives=fp,
        false_negatives=fn,
        accuracy=_share(tp + tn, len(verdicts)),
        precision=_share(tp, tp + fp),
        recall=_share(tp, tp + fn),
        f1=_share(2 * tp, 2 * tp + fp + fn),
        exact=sum(v.comparison.exact for v in verdicts),
        compared=len(alike),
        tfidf=_mean(s.tfidf for s in alike),
        rouge_l=_mean(s.rouge_l for s in alike),
        bleu=_mean(s.bleu for s in alike),
        meteor=_mean(s.meteor for s in alike),
        compared_json=len(shares),
        key_paths=_mean(shares),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    result = list(values)
    return fmean(result) if result else None
