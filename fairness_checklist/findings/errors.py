"""Outcomes seen as one error: which rows it concerns, and how strongly each shows it."""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.special import logit

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.replicates import has_class, prompt_levels
from fairness_checklist.core.tasks import Harm

CLIP = 0.001


class LeftOut(StrEnum):
    """Why a harm, or all of an attribute, has no records."""

    NO_CLASS = "no class"
    NO_SCORE = "no score"
    NO_LABELS = "no labels"
    NOT_CONCERNED = "not concerned"
    NOT_OF_TAGGERS = "not of taggers"
    SAME_FIGURES = "same figures"
    ONE_GROUP = "one group"


Levels = tuple[tuple[FloatArray, ...], ...]
"""For each random factor of the model, such as its prompts, a figure at each of its levels."""


@dataclass(frozen=True, eq=False)
class HarmRows:
    """The m rows that a harm concerns."""

    harm: Harm
    row: IntArray  # (m,) positions in the outcomes
    # (m,) in [0, 1]: 1 where the decision is the harmful one; of a tagger the share of entities missed
    harmed: FloatArray
    probability: FloatArray | None  # (m,) of the harmful answer; None where there are no probabilities
    # for each random factor of the model, such as its prompts, the figure (m,) at each of its levels
    levels: Levels = ()

    @property
    def figure(self) -> FloatArray:
        """(m,) what the gap is of: the probability, else the decision."""
        return self.harmed if self.probability is None else self.probability


def harm_rows(outcomes: Outcomes, harm: Harm, *, unmarked: bool = False, decisions: bool = False) -> HarmRows | LeftOut:
    """The rows that a harm concerns, or the code of why there are none.

    Rows of a weight of 0 take no part, and those without a group only with ``unmarked``. A tagger's are those with a
    gold entity at the slot. With ``decisions`` the probabilities are left out.
    """
    rows = _harm_rows(outcomes, harm, (unmarked | (outcomes.group < len(outcomes.groups))) & (outcomes.weight > 0))
    return replace(rows, probability=None, levels=()) if decisions and not isinstance(rows, LeftOut) else rows


def _harm_rows(outcomes: Outcomes, harm: Harm, marked: BoolArray) -> HarmRows | LeftOut:
    if outcomes.decisions is not None:
        return _entities(outcomes.views.get("slot", outcomes), harm, marked)
    if harm.kind == "outcome":
        return _outcome_rows(outcomes, harm, marked)
    answered = has_class(outcomes)
    marked = marked if answered is None else marked & answered
    if harm.label not in outcomes.classes:
        return LeftOut.NO_CLASS
    at = outcomes.classes.index(harm.label)
    gold = outcomes.gold[:, at] > 0
    if harm.kind != "predicted":
        marked = marked & outcomes.labelled & (gold if harm.kind == "missed" else ~gold)
    if not marked.any():
        return LeftOut.NOT_CONCERNED if outcomes.labelled.any() else LeftOut.NO_LABELS
    row = np.flatnonzero(marked)

    def harmful(of_class: FloatArray) -> FloatArray:
        return 1 - of_class[row] if harm.kind == "missed" else of_class[row]

    probability = np.full(len(outcomes), np.nan)
    if outcomes.units is not None:
        probability[outcomes.units.row] = outcomes.units.probability[:, at]
    harmed = harmful(outcomes.predicted[:, at]).astype(np.float64)
    if np.isnan(probability[row]).any():
        return HarmRows(harm, row, harmed, None)
    levels = tuple(tuple(map(harmful, way)) for way in prompt_levels(outcomes.scores, harm.label))
    return HarmRows(harm, row, harmed, harmful(probability), levels)


def _outcome_rows(outcomes: Outcomes, harm: Harm, marked: BoolArray) -> HarmRows | LeftOut:
    """The share of answers to each text that are an outcome other than a class, such as a refusal."""
    share = outcomes.scores.get(harm.label)
    if share is None:
        return LeftOut.NO_SCORE
    row = np.flatnonzero(marked & ~np.isnan(share))
    if not len(row):
        return LeftOut.NOT_CONCERNED
    levels = tuple(tuple(level[row] for level in way) for way in prompt_levels(outcomes.scores, harm.label))
    return HarmRows(harm, row, share[row], None, levels)


def _entities(slot: Outcomes, harm: Harm, marked: BoolArray) -> HarmRows | LeftOut:
    """The entities at the slot that a tagger misses; with a class only those of that type."""
    if harm.kind != "missed":
        return LeftOut.NOT_OF_TAGGERS
    wanted = np.ones(slot.gold.shape[1], dtype=np.bool_)
    if harm.label:
        wanted = np.array([name == harm.label for name in slot.decided_classes])
    expected = slot.gold[:, wanted].sum(axis=1)
    row = np.flatnonzero(marked & slot.labelled & (expected > 0))
    if not len(row):
        return LeftOut.NOT_CONCERNED
    return HarmRows(harm, row, 1 - divide(slot.correct[row][:, wanted].sum(axis=1), expected[row]), None)


def same_figures(one: HarmRows, other: HarmRows) -> bool:
    """Whether two harms are the same figure on the same rows, as in a task of two classes."""
    return np.array_equal(one.row, other.row) and np.allclose(one.figure, other.figure, rtol=0, atol=1e-12)


def clipped_logit(probability: FloatArray) -> FloatArray:
    """The logit of probabilities, clipped at `CLIP`."""
    return np.asarray(logit(np.clip(probability, CLIP, 1 - CLIP)))
