"""Rows that a model answered several times or not at all: the columns of scores that say so, and what follows.

Predictions of a language model have a column ``<class>@p<prompt>.o<order>`` for each prompt and order of the options,
and `ANSWERED`, `REFUSED` and `UNPARSABLE`: the share of the answers to a text that named a class, were refusals, or
could not be read.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, divide
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.outcomes import Outcomes, take_rows
from fairness_checklist.core.tasks import Harm

ANSWERED, REFUSED, UNPARSABLE = "answered", "refused", "unparsable"
OUTCOME_HARMS = {  # outcomes that are no class, as harms of any task
    REFUSED: Harm(REFUSED, "outcome", REFUSED, "refused by the model"),
    UNPARSABLE: Harm(UNPARSABLE, "outcome", UNPARSABLE, "answered with no class"),
}
OUTCOME_WORDS = {REFUSED: "are refusals", UNPARSABLE: "name no class"}  # said of answers with such an outcome
_NAME = re.compile(r"^(.+)@p(\d+)\.o(\d+)$")


def replicate_name(label: str, prompt: int, order: int) -> str:
    """The name of the score with the probability of a class, with one prompt and one order of the options."""
    return f"{label}@p{prompt}.o{order}"


def prompt_levels(scores: Mapping[str, FloatArray], label: str) -> tuple[tuple[FloatArray, ...], ...]:
    """(n,) the probability of a class for each level of a random factor: prompts, and orders that are a sample."""
    names = [parsed for name in scores if (parsed := _NAME.match(name))]
    classes = {parsed[1] for parsed in names} - set(OUTCOME_HARMS)
    columns_of = {(int(parsed[2]), int(parsed[3])): scores[parsed[0]] for parsed in names if parsed[1] == label}
    ways = []
    for factor, is_sample in ((0, True), (1, len({order for _, order in columns_of}) < len(classes))):
        levels = sorted({key[factor] for key in columns_of})
        stacks = [np.array([column for key, column in columns_of.items() if key[factor] == lv]) for lv in levels]
        if len(levels) > 1 and is_sample:
            ways.append(tuple(divide(np.nansum(stack, axis=0), (~np.isnan(stack)).sum(axis=0)) for stack in stacks))
    return tuple(ways)


def outcome_harms(outcomes: Outcomes) -> tuple[Harm, ...]:
    """Refusals and unparsable answers as harms, where there are any."""
    return tuple(
        harm for name, harm in OUTCOME_HARMS.items() if name in outcomes.scores and (outcomes.scores[name] > 0).any()
    )


def has_class(outcomes: Outcomes) -> BoolArray | None:
    """(n,) True for rows that have a class from each prompt and order; None where nothing was asked so."""
    if ANSWERED not in outcomes.scores:
        return None
    answered: BoolArray = outcomes.scores[ANSWERED] > 0
    for name, column in outcomes.scores.items():
        if _NAME.match(name):
            answered &= ~np.isnan(column)
    return answered


def answered_only(outcomes: Outcomes) -> Outcomes:
    """The rows that have a class, see `has_class`, with a note on the others; metrics and tests are about these."""
    answered = has_class(outcomes)
    if answered is None or answered.all():
        return outcomes
    if not answered.any():
        raise PredictionError(
            f"none of {len(answered):,} texts has an answer with a class from each prompt.",
            remedy="Look at the answers of the model; other prompts, or another way to answer, may help.",
        )
    never = int((~(outcomes.scores[ANSWERED] > 0)).sum())
    partly_answered = int((~answered).sum()) - never
    partly = f", and {partly_answered:,} have one from some of the prompts or orders only" if partly_answered else ""
    note = (
        f"{never:,} of {len(answered):,} texts have no answer with a class{partly}: metrics and tests leave them out, "
        "and findings count refusals and unparsable answers by themselves."
    )
    return replace(take_rows(outcomes, np.flatnonzero(answered)), notes=(*outcomes.notes, note))
