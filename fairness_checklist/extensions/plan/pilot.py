"""What a suite compares, and how much sources, words and texts vary in a run that is already there."""

import math
from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.plan.power_simulation import HarmLayout, Layout
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.compared import compared
from fairness_checklist.findings.errors import HarmRows, LeftOut, distinct_harms, harm_rows
from fairness_checklist.statistics.two_way import fit_term_effects, merge_terms

_NEAREST = 1e-4


def layout_of(outcomes: Outcomes, harms: Sequence[Harm]) -> tuple[Layout, tuple[Harm, ...]]:
    """What is compared in outcomes, and the harms that concern some text."""
    rows = [result for result in (harm_rows(outcomes, harm) for harm in harms) if not isinstance(result, LeftOut)]
    return _layout(outcomes, distinct_harms(rows))


def layout_of_examples(examples: ExampleSet, harms: Sequence[Harm]) -> tuple[Layout, tuple[Harm, ...]]:
    """What is compared in texts that no model has seen; a harm concerns the texts of its classes."""
    classes = examples.classes or ("",)
    outcomes = reduce_to_outcomes(examples, Predictions(classes, np.zeros(len(examples), dtype=np.int64)))
    every = np.flatnonzero((outcomes.group < len(outcomes.groups)) & (outcomes.weight > 0))
    rows: list[HarmRows] = []
    for harm in harms:
        result = harm_rows(outcomes, harm) if harm.label else HarmRows(harm, every, np.zeros(len(every)), None)
        if not isinstance(result, LeftOut):
            rows.append(result)
    return _layout(outcomes, rows)


def _layout(outcomes: Outcomes, rows: Sequence[HarmRows]) -> tuple[Layout, tuple[Harm, ...]]:
    if not rows:
        raise InputError("no error concerns any of the texts.")
    terms = compared(outcomes)
    if not terms.sources:
        raise InputError(
            "the rows have no sources.",
            remedy="Plan independent examples: smallest_gap(n).",
            command_remedy="Plan independent examples: --n-examples N.",
        )
    layouts = []
    for of_harm in rows:
        block, cluster = (np.unique(ids[of_harm.row], return_inverse=True)[1] for ids in (terms.block, terms.cluster))
        cells = np.unique(np.stack([block, cluster, terms.term[of_harm.row]]), axis=1)
        layouts.append(HarmLayout(block=cells[0], cluster=cells[1], term=cells[2]))
    layout = Layout(terms.groups, terms.lexeme, terms.lexeme_group, tuple(layouts))
    return layout, tuple(of_harm.harm for of_harm in rows)


def effects_of(outcomes: Outcomes, harm: Harm) -> Effects:
    """The sizes of effects in a run, by the method of moments on the logit of the probability of the harm."""
    of_harm = harm_rows(outcomes, harm)
    if isinstance(of_harm, LeftOut):
        raise InputError(f"{harm.name} has no effects: {of_harm}.")
    if of_harm.probability is None:
        raise InputError(
            "the run has no probabilities, and the sizes of effects are estimated from them.",
            remedy="Give the rate of errors alone, and plan with the default sizes of effects.",
        )
    terms = compared(outcomes)
    n_groups, n_terms = len(terms.groups), len(terms.terms)
    code = terms.block[of_harm.row] * n_terms + terms.term[of_harm.row]
    cells, cell = np.unique(code, return_inverse=True)
    p = np.clip(np.bincount(cell, weights=of_harm.probability) / np.bincount(cell), _NEAREST, 1 - _NEAREST)
    score, weight = np.log(p / (1 - p)), np.ones(len(cells))
    block, term = cells // n_terms, cells % n_terms
    group = terms.term_group[term]
    inside = fit_term_effects(block * n_groups + group, term, block, score, weight, n_terms)
    whole = fit_term_effects(block, term, block, score, weight, n_terms)
    of_cells = inside.cell_variance
    lexemes = merge_terms(inside, terms.lexeme, terms.size)
    fitted = ~np.isnan(lexemes.effect)
    effect, group_of = lexemes.effect[fitted], terms.lexeme_group[fitted]
    n = np.bincount(group_of, minlength=n_groups)
    rest = effect - divide(np.bincount(group_of, effect, n_groups), n, fill=0.0)[group_of]
    noise = of_cells * float(np.diag(lexemes.cell_covariance)[fitted].sum())
    of_words = (float((rest**2).sum()) - noise) / max(1, int(np.maximum(n - 1, 0).sum()))
    of_pairs = (whole.cell_variance - of_cells) / _share_between(block, group, n_groups)
    of_sources = float(np.var([score[block == source].mean() for source in np.unique(block)]))
    words, pairs, texts, sources = (math.sqrt(max(0.0, var)) for var in (of_words, of_pairs, of_cells, of_sources))
    rate = float(np.clip(p.mean(), _NEAREST, 1 - _NEAREST))
    return Effects(rate, terms=words, sources_by_group=pairs, cells=texts, sources=sources)


def _share_between(block: IntArray, group: IntArray, n_groups: int) -> float:
    """How much of the variance of a source in one group enters the variance around sources and words, 0 to 1."""
    _, number = np.unique(block, return_inverse=True)
    pairs = np.bincount(number * n_groups + group, minlength=(int(number.max()) + 1) * n_groups)
    counts: FloatArray = pairs.reshape(-1, n_groups).astype(np.float64)
    total = counts.sum(axis=1)
    several = total > 1
    if not several.any():
        return 1.0
    between = total[several] - (counts[several] ** 2).sum(axis=1) / total[several]
    return max(1e-3, float(between.sum() / (total[several] - 1).sum()))
