"""The verb `plan`: how much data shows a gap, and the smallest gap that given data show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import DATA, option
from fairness_checklist.core import option_defaults as default

_POWER, _CONFIDENCE, _RATE = 0.8, 0.95, 0.2
_N_GROUPS = 6

Gap = Annotated[float | None, option("", "Gap to be shown, 0.03 for 3 points.")]
Power = Annotated[float, option("", "Share of samples in which it is to be found.")]
Confidence = Annotated[float, option("", "Level of the interval for independent examples; findings use 0.95.")]
NGroups = Annotated[int, option("", "Number of groups of a suite that is not built yet.")]
NTerms = Annotated[int | None, option("", "Number of terms of each group.")]
NSentences = Annotated[int | None, option("", "Number of sentences that count for the error, without --gap.")]
NExamples = Annotated[int | None, option("", "Number of independent examples: the smallest gap that they show.")]
NErrors = Annotated[int, option("", "Number of errors that are tested together.")]
Rate = Annotated[float, option("", "Rate of the error that is expected, or its mean probability.")]
Decisions = Annotated[bool, option("", "Plan for a model that gives decisions without probabilities.", "--decisions")]
Gamma = Annotated[float, option("", "Share of the smaller group among independent examples.")]
CostRange = Annotated[float, option("", "Largest cost of an example; the smallest is 0.")]
MeasureName = Annotated[
    str | None, option("", "Plan for demographic_parity, equal_opportunity or equalized_odds (examples of each label).")
]
PositiveShare = Annotated[float, option("", "With --measure: share of examples of the positive class.")]
Pilot = Annotated[Path | None, option("", "Folder of a run: its suite, and the sizes of effects in it.")]
Annotated_ = Annotated[
    Path | None, option("", "Table with the columns group, predicted and label: intervals of its fairness measures.")
]
Protected = Annotated[str | None, option("", "With --annotated: the protected group.")]
Positive = Annotated[str | None, option(DATA, "With --annotated: the good outcome.")]


@answering
def plan(
    context: typer.Context,
    *,
    gap: Gap = None,
    power: Power = _POWER,
    confidence: Confidence = _CONFIDENCE,
    n_groups: NGroups = _N_GROUPS,
    n_terms: NTerms = None,
    n_sentences: NSentences = None,
    n_examples: NExamples = None,
    n_errors: NErrors = 1,
    rate: Rate = _RATE,
    decisions: Decisions = False,
    gamma: Gamma = 0.5,
    cost_range: CostRange = 1.0,
    measure: MeasureName = None,
    positive_share: PositiveShare = 0.5,
    run: Pilot = None,
    annotated: Annotated_ = None,
    protected: Protected = None,
    positive: Positive = None,
    attribute: arguments.Attributes = None,
    task: arguments.TaskName = default.TASK,
    suite: arguments.SavedSuite = None,
    content: arguments.ContentOptions,
    seed: arguments.Seed = 0,
) -> Answer:
    """Plan the size of a data set: how many templates, terms and examples show a gap; or the smallest gap they show.

    Templates and terms are planned by simulation, independent examples by formulas.

    Example: fairness-checklist plan --gap 0.05

    Example, the smallest gap of a suite: fairness-checklist plan --attribute gender --task sentiment

    Example, of 3,160 independent examples: fairness-checklist plan --n-examples 3160 --out plans/examples
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.core.progress import stage
    from fairness_checklist.extensions.plan.plan_answers import Answers
    from fairness_checklist.extensions.plan.power import Design
    from fairness_checklist.extensions.plan.random_effects import Effects

    if n_sentences is not None and (gap is not None or n_terms is None):
        raise OptionError("--n-sentences needs --n-terms, and no --gap.", remedy="It asks for the smallest gap.")
    effects = Effects(rate=rate, measure="rate" if decisions else "probability")
    answers = Answers(Design(power, confidence, gamma, cost_range, rate), seed)
    of_suite = run is not None or suite is not None or attribute is not None
    with stage("simulating"):
        if annotated is not None:
            answers.annotated(annotated, protected, positive)
        if of_suite and run is not None:
            answers.run(run, gap)
        elif of_suite:
            source = arguments.SourceOptions(attribute=attribute, task=task, suite=suite)
            answers.suite(arguments.chosen_suite(context, source, content), effects, gap)
        elif n_sentences is not None and n_terms is not None:
            answers.crossed(n_terms, n_sentences, n_groups, n_errors, effects)
        elif gap is not None:
            answers.size(gap, n_groups, n_errors, n_terms, effects)
        if n_examples is not None:
            answers.examples_reach(n_examples)
        elif gap is not None and not of_suite:
            answers.examples(gap, measure, positive_share)
    if not answers.findings:
        raise OptionError(
            "nothing is asked.",
            remedy="Give --gap 0.05; or --attribute, --run, --n-examples or --annotated.",
        )
    return answers.answer()
