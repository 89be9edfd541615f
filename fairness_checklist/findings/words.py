"""Single words: described, and compared with control words in the same sentences.

A word's gap is its mean less that of what its group is compared with; something is said of a word where the gap within
sentences is as large, too. It is *beyond* the control words where it is larger than that of each of K control words, in
half as many texts as the median word or more; of L words one is so by chance in L / (L + K) of runs. It is *not by
chance* where it passes a prediction bound for the largest of L further words, from the K control words. Without control
words simultaneous lower bounds over all words say it, where sentences are drawn anew and the words stay.
"""

from collections.abc import Iterable
from enum import StrEnum

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.findings.compared import Compared
from fairness_checklist.findings.family import Family, HarmFit
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.statistics.two_way import TermEffects

LEAST_CONTROLS = 10  # control words below which words are compared with chance over sentences alone


class Said(StrEnum):
    """What is said of a word."""

    NOTHING = ""
    BEYOND = "beyond control words"
    NOT_BY_CHANCE = "not by chance"


def word_gaps(family: Family, h: int) -> pd.DataFrame:
    """The words that have a gap in an error, by lexeme, with their figures and those of what they are compared with.

    ``low`` is the simultaneous lower bound over sentences. Where there are enough control words it is NaN, and
    ``control_bound`` is what a word must pass to be not by chance.
    """
    who, fit, words = family.who, family.fits[h], family.words
    figure, rate = fit.counts.means((who.lexeme == np.arange(who.size)[:, None]).astype(np.float64))
    others, others_rate = (family.counted[h, unit, 1][who.lexeme_group] for unit in (0, 1))
    texts = np.bincount(who.lexeme, fit.counts.texts, who.size).astype(np.int64)
    asked = who.named[who.lexeme_group] & (who.lexeme_group != words.reference) & ~np.isnan(figure)
    gap = np.where(asked, figure - others, np.nan)
    n = int(asked.sum())
    effect = fit.lexemes.effect
    of_others = np.minimum(words.without(np.isnan(effect)).contrasts(), 0.0)  # (G, L) weights, without the group's own
    of_others[who.lexeme_group, np.arange(who.size)] = 0.0
    beside_others = np.fmin(gap, np.nan_to_num(effect) + (of_others @ np.nan_to_num(effect))[who.lexeme_group])
    controls = {} if family.controls is None else family.controls[1]
    beside = control_gaps(controls[fit.harm.name].lexemes) if fit.harm.name in controls else np.zeros(0)
    low = np.full(who.size, np.nan)
    largest = bound = float("nan")
    n_controls = len(beside) if len(beside) >= LEAST_CONTROLS else 0
    if n and n_controls:
        largest, bound = float(beside.max()), prediction_bound(beside, n)
        tested = np.where(2 * texts < np.median(texts[asked]), np.nan, beside_others)
        passed = [tested > max(largest, bound), tested > largest]
        said = np.select(passed, [Said.NOT_BY_CHANCE, Said.BEYOND], Said.NOTHING)
    else:
        low = beside_others - _reach_over_sources(of_others, who.lexeme_group, fit.lexemes, n * len(family.fits))
        said = np.where(low > 0, Said.NOT_BY_CHANCE, Said.NOTHING)
    table = pd.DataFrame(
        {
            "gap": gap,
            "figure": figure,
            "others": others,
            "rate": rate,
            "others_rate": others_rate,
            "texts": texts,
            "low": low,
            "said": said,
            "control_words": n_controls,
            "largest_control": largest,
            "control_bound": bound,
        }
    )
    return table.dropna(subset="gap")


def control_gaps(lexemes: TermEffects) -> FloatArray:
    """(K,) the gap of each control word that has an effect against the mean of all others."""
    effect = lexemes.effect[~np.isnan(lexemes.effect)]
    if len(effect) < 2:
        return np.zeros(0)
    return np.asarray((effect - effect.mean()) * len(effect) / (len(effect) - 1))


def prediction_bound(controls: FloatArray, words: int) -> float:
    """What the largest of so many further words stays below in 95 of 100 runs, if words are as control words are.

    Returns ``mean + s * sqrt(1 + 1 / K) * t(.95 ** (1 / L); K - 1)`` of the K gaps of control words and L words.
    """
    k = len(controls)
    spread = float(np.std(controls, ddof=1)) * np.sqrt(1 + 1 / k)
    return float(controls.mean() + spread * stdtrit(k - 1, (1 - ALPHA) ** (1 / words)))


def _reach_over_sources(others: FloatArray, group: IntArray, lexemes: TermEffects, comparisons: int) -> FloatArray:
    """(L,) how far the simultaneous lower bound of each word lies below its gap, where its sentences are drawn anew."""
    moved = others @ lexemes.covariance
    own = np.diagonal(lexemes.covariance) + 2 * moved[group, np.arange(len(group))]
    variance = np.maximum(np.where(np.isnan(lexemes.effect), 0.0, own) + (moved * others).sum(axis=1)[group], 0.0)
    return np.asarray(stdtrit(max(lexemes.clusters - 1, 1), 1 - ALPHA / max(comparisons, 1)) * np.sqrt(variance))


def control_differences(who: Compared, fits: Iterable[HarmFit]) -> dict[str, float]:
    """{error: the largest gap of a group of control words against all others, in either direction}."""
    differences = {}
    for fit in fits:
        gaps = who.words().without(np.isnan(fit.lexemes.effect)).contrasts() @ np.nan_to_num(fit.lexemes.effect)
        differences[fit.harm.name] = float(np.abs(gaps).max(initial=0.0))
    return differences
