"""The verb `plan`: how much data shows a gap, and the smallest gap that given data show."""

from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import option
from fairness_checklist.cli.printed_answers import Answer, answering
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.option_defaults import ContentOptions, SourceOptions


@answering
def plan(
    context: typer.Context,
    *,
    gap: Annotated[float | None, option("", "Gap to be shown, 0.03 for 3 points.")] = None,
    power: Annotated[float, option("", "Share of samples in which it is to be found.")] = 0.8,
    n_groups: Annotated[int, option("", "Number of groups of a suite that is not built yet.")] = 6,
    n_terms: Annotated[int | None, option("", "Number of terms of each group.")] = None,
    n_examples: Annotated[
        int | None, option("", "Number of independent examples: the smallest gap that they show.")
    ] = None,
    rate: Annotated[float, option("", "Rate of the error that is expected, or its mean probability.")] = 0.2,
    attribute: arguments.Attributes = None,
    task: arguments.TaskName = default.TASK,
    suite: arguments.SavedSuite = None,
) -> Answer:
    """Plan the size of a data set: how many templates, terms and examples show a gap; or the smallest gap they show.

    Templates and terms are planned by simulation, independent examples by formulas.

    Example: fairness-checklist plan --gap 0.05

    Example, the smallest gap of a suite: fairness-checklist plan --attribute gender --task sentiment

    Example, of 3,160 independent examples: fairness-checklist plan --n-examples 3160 --out plans/examples
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.core.progress import stage
    from fairness_checklist.extensions.plan import plan_answers as answers
    from fairness_checklist.extensions.plan.random_effects import Effects
    from fairness_checklist.extensions.plan.suite_plan import plan_suite

    effects = Effects(rate=rate)
    found: list[Answer] = []
    of_suite = suite is not None or attribute is not None
    with stage("simulating"):
        if of_suite:
            source = SourceOptions(attribute=attribute, task=task, suite=suite)
            chosen = arguments.chosen_suite(context, source, ContentOptions())
            found.append(answers.of_suite(chosen, effects, gap, power))
        elif gap is not None:
            plan = plan_suite(gap, groups=n_groups, terms=n_terms, effects=effects, power=power)
            found.append(answers.suite_answer(plan))
        if n_examples is not None or (gap is not None and not of_suite):
            found.append(answers.examples_answer(gap if n_examples is None else None, n_examples, power, rate))
    if not found:
        raise OptionError("nothing is asked.", remedy="Give --gap 0.05; or --attribute, or --n-examples.")
    return answers.joined(found)
