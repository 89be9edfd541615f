"""What a suite compares."""

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.errors import InputError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.plan.power_simulation import HarmLayout, Layout
from fairness_checklist.findings.compared import compared
from fairness_checklist.findings.errors import HarmRows, LeftOut, harm_rows


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
