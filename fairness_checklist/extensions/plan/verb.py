"""The verb `plan`: how much data shows a gap, and the smallest gap that given data show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.core import option_defaults as default


@answering
def plan(
    context: typer.Context,
    *,
    gap: Annotated[float | None, typer.Option("--gap", help="Gap to be shown, 0.03 for 3 points.")] = None,
    power: Annotated[float, typer.Option("--power", help="Share of samples in which it is to be found.")] = 0.8,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Level of the interval for independent examples; findings use 0.95.")
    ] = 0.95,
    n_groups: Annotated[int, typer.Option("--n-groups", help="Number of groups of a suite that is not built yet.")] = 6,
    n_terms: Annotated[int | None, typer.Option("--n-terms", help="Number of terms of each group.")] = None,
    n_sentences: Annotated[
        int | None, typer.Option("--n-sentences", help="Number of sentences that count for the error, without --gap.")
    ] = None,
    n_examples: Annotated[
        int | None,
        typer.Option("--n-examples", help="Number of independent examples: the smallest gap that they show."),
    ] = None,
    n_errors: Annotated[int, typer.Option("--n-errors", help="Number of errors (harms) that are tested together.")] = 1,
    rate: Annotated[
        float, typer.Option("--rate", help="Rate of the error that is expected, or its mean probability.")
    ] = 0.2,
    decisions: Annotated[
        bool, typer.Option("--decisions", help="Plan for a model that gives decisions without probabilities.")
    ] = False,
    gamma: Annotated[
        float, typer.Option("--gamma", help="Share of the smaller group among independent examples.")
    ] = 0.5,
    cost_range: Annotated[
        float, typer.Option("--cost-range", help="Largest cost of an example; the smallest is 0.")
    ] = 1.0,
    measure: Annotated[
        str | None,
        typer.Option(
            "--measure",
            help="Plan for demographic_parity, equal_opportunity or equalized_odds (examples of each label).",
        ),
    ] = None,
    positive_share: Annotated[
        float, typer.Option("--positive-share", help="With --measure: share of examples of the positive class.")
    ] = 0.5,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder of a run: its suite, and the sizes of effects in it.")
    ] = None,
    annotated: Annotated[
        Path | None,
        typer.Option(
            "--annotated", help="Table with the columns group, predicted and label: intervals of its fairness measures."
        ),
    ] = None,
    protected: Annotated[str | None, typer.Option("--protected", help="With --annotated: the protected group.")] = None,
    positive: Annotated[str | None, typer.Option("--positive", help="With --annotated: the good outcome.")] = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="Redraw figures 1 and 2 of Ethayarajh 2020, on synthetic costs.")
    ] = False,
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
    from fairness_checklist.extensions.plan.answers import Answers
    from fairness_checklist.extensions.plan.power import Design
    from fairness_checklist.extensions.plan.random_effects import Effects

    if n_sentences is not None and (gap is not None or n_terms is None):
        raise OptionError("--n-sentences needs --n-terms, and no --gap.", remedy="It asks for the smallest gap.")
    effects = Effects(rate=rate, measure="rate" if decisions else "probability")
    found = Answers(Design(power, confidence, gamma, cost_range, rate), seed)
    of_suite = run is not None or suite is not None or attribute is not None
    with stage("simulating"):
        if annotated is not None:
            found.annotated(annotated, protected, positive)
        if of_suite and run is not None:
            found.run(run, gap)
        elif of_suite:
            source = arguments.SourceOptions(attribute=attribute, task=task, suite=suite)
            found.suite(arguments.chosen_suite(context, source, content), effects, gap)
        elif n_sentences is not None and n_terms is not None:
            found.crossed(n_terms, n_sentences, n_groups, n_errors, effects)
        elif gap is not None:
            found.size(gap, n_groups, n_errors, n_terms, effects)
        if n_examples is not None:
            found.examples_reach(n_examples)
        elif gap is not None and not of_suite:
            found.examples(gap, measure, positive_share)
        if figures:
            found.figures()
    if not found.findings:
        raise OptionError(
            "nothing is asked.",
            remedy="Give --gap 0.05; or --attribute, --run, --n-examples, --annotated or --figures.",
        )
    return found.answer()
