"""A plan in words, at most 40 a question, and its tables. Nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fairness_checklist.analysis.planning import Reach, SuitePlan
from fairness_checklist.analysis.planning_examples import ExamplesPlan
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, hundredths, join_names, percent, points
from fairness_checklist.reports.wording import Grid
from fairness_checklist.statistics.bernstein_figures import SampledInterval
from fairness_checklist.statistics.disparities import AS_PRINTED, Disparity
from fairness_checklist.statistics.random_effects import Effects

METHOD_WORDS = {
    "bernstein": "Bernstein, as printed",
    "centred": "Bernstein, cost centred",
    "hoeffding": "Hoeffding",
    "normal": "Wald, for the given rates",
}
NOTES = (
    "Templates: sentences and terms are drawn anew in every simulated suite, and tested as a run tests them: "
    "simultaneous 95 % intervals over all groups and errors. The comparison with neutral words, which a run makes as "
    "well, can only lower the power.",
    "Sentences are those that count for the error: of sentiment, called negative, the neutral and positive ones. "
    "Rewordings of a sentence count once.",
    "Independent examples: formulas count texts that were drawn one by one. Texts filled from one template are not "
    "independent: never count rows of a suite as examples.",
    "As the paper counts: the estimated gap is that large. A true gap of that size is then found in about half of all "
    "samples.",
)


def suite_sentence(plan: SuitePlan) -> str:
    """The size of a suite that shows a gap."""
    share = percent(plan.power)
    if plan.chosen is None or plan.chosen.sentences is None:
        most = max(one.terms for one in plan.options)
        return (
            f"Templates: no number of sentences shows a gap of {points(plan.gap)} in {share} of suites with up to "
            f"{count(most, 'term')} in each of {plan.groups} groups. Add terms, or accept a larger gap."
        )
    one = plan.chosen
    return (
        f"Templates: {one.sentences:,} sentences with {one.terms:,} terms in each of {plan.groups} groups "
        f"({one.texts:,} texts) show a gap of {points(plan.gap)}: found in {percent(one.power)} of simulated suites, "
        "with 95 % intervals for all groups."
    )


def examples_sentence(plans: Sequence[ExamplesPlan], *, confidence: float, gamma: float, rate: float) -> str:
    """The independent examples that show a gap with the power: for the given rates, and guaranteed."""
    powered = {one.method: one for one in plans if one.power is not None}
    sure = min((one for one in powered.values() if one.guaranteed), key=lambda one: one.examples)
    usual = powered["normal"]
    return (
        f"Independent examples: {usual.examples:,} ({percent(gamma)} of them of the smaller group) for rates near "
        f"{percent(rate)}; {sure.examples:,} guarantee it for any rates ({percent(usual.power or 0)} power, "
        f"{percent(confidence)} interval)."
    )


def reach_of_examples_sentence(plans: Sequence[ExamplesPlan], *, confidence: float, rate: float) -> str:
    """The smallest gap of so many independent examples."""
    powered = {one.method: one for one in plans if one.power is not None}
    sure = min((one for one in powered.values() if one.guaranteed), key=lambda one: one.gap)
    usual = powered["normal"]
    return (
        f"{usual.examples:,} independent examples show a gap of {points(usual.gap)} for rates near {percent(rate)}; "
        f"of {points(sure.gap)} guaranteed for any rates ({percent(usual.power or 0)} power, {percent(confidence)} "
        "interval)."
    )


def reach_sentences(found: Sequence[Reach], power: float) -> list[str]:
    """For each attribute and harm the smallest gaps that a suite shows."""
    lines = []
    for key in dict.fromkeys((one.attribute, one.harm) for one in found):
        of = [one for one in found if (one.attribute, one.harm) == key]
        known = sorted((one for one in of if one.gap is not None), key=lambda one: one.gap or 0.0)
        name = ", ".join(part for part in key if part)
        few = sum(one.gap is None for one in of)
        tail = f" No statement about {count(few, 'group')}: see --tables." if few and known else ""
        if not known:
            lines.append(f"{name}: no gap of any size is sure to be found: {of[0].reason}.")
            continue
        best, worst = known[0], known[-1]
        span = f"gaps of {points(best.gap or 0.0)} or more ({count(best.terms, 'term')} a group)"
        if worst.terms != best.terms:
            span = f"gaps from {points(best.gap or 0.0)} ({_terms(best)})"
            span += f" to {points(worst.gap or 0.0)} ({_terms(worst)})"
        lines.append(
            f"{name}: {span} are found in {percent(power)} of suites with {best.sentences:,} sentences, "
            f"with 95 % intervals.{tail}"
        )
    return lines


def _terms(one: Reach) -> str:
    return f"{one.group}, {count(one.terms, 'term')}"


def enough_sentence(found: Sequence[Reach], gap: float) -> str:
    """Whether a suite shows a wanted gap."""
    short = [one for one in found if one.gap is None or one.gap > gap]
    if not short:
        return f"A gap of {points(gap)} is found in every group and error."
    names = list(dict.fromkeys(one.group for one in short))
    return f"A gap of {points(gap)} could go unseen in {join_names(names, 4)}."


def disparity_sentences(found: Sequence[Disparity], protected: str) -> list[str]:
    """For each measure what the annotated rows show."""
    lines = []
    for measure in dict.fromkeys(one.measure for one in found):
        of = [one for one in found if one.measure == measure and one.part != AS_PRINTED]
        parts = [
            f"{one.cost} {points(one.value)} {'less' if one.value < 0 else 'more'} often "
            f"({hundredths(one.low)} to {hundredths(one.high)})"
            for one in of
            if not math.isnan(one.low)
        ]
        shown = [one for one in of if one.low > 0 or one.high < 0]
        verdict = "shown" if shown else "not shown"
        said = join_names(parts) if parts else "one of the groups has no rows"
        lines.append(f"{measure.replace('_', ' ')}: a difference is {verdict}. {protected}: {said}.")
    return lines


def suite_grid(plan: SuitePlan) -> Grid:
    """The sizes that were tried."""
    rows = tuple(
        (
            f"{one.terms:,}",
            "no number is enough" if one.sentences is None else f"{one.sentences:,}",
            "" if one.texts is None else f"{one.texts:,}",
            "" if math.isnan(one.power) else percent(one.power),
            ("simulated" if one.simulated else "by standard error") if one.sentences is not None else "",
        )
        for one in plan.options
    )
    chosen = tuple(at for at, one in enumerate(plan.options) if one.simulated)
    caption = f"Suites that show a gap of {points(plan.gap)}, {plan.groups} groups, {count(plan.harms, 'error')}"
    return Grid(("terms a group", "sentences", "texts", "power", "how"), rows, 1, caption, findings=chosen)


def effects_grid(effects: Sequence[tuple[str, Effects]]) -> Grid:
    """The sizes of effects that a simulation assumes."""
    header = ("error", "mean", "terms", "sentence x group", "single text", "sentence")
    rows = tuple(
        (name, decimal(e.rate), *(decimal(one) for one in (e.terms, e.sources_by_group, e.cells, e.sources)))
        for name, e in effects
    )
    return Grid(header, rows, 1, "Assumed: mean figure, and standard deviations on the logit")


def examples_grid(plans: Sequence[ExamplesPlan]) -> Grid:
    """Examples or gaps by method."""
    rows = tuple(
        (
            METHOD_WORDS[one.method],
            "as the paper counts" if one.power is None else f"power {percent(one.power)}",
            f"{one.examples:,}",
            points(one.gap) if one.gap <= 1 else decimal(one.gap),
            "for any rates" if one.guaranteed else "",
        )
        for one in plans
    )
    return Grid(("method", "with", "examples", "gap", "guaranteed"), rows, 2, "Independent annotated examples")


def reach_grid(found: Sequence[Reach]) -> Grid:
    """The smallest gaps by group and harm."""
    rows = tuple(
        (
            " ".join(part for part in (one.attribute, one.group) if part),
            one.harm,
            f"{one.terms:,}",
            f"{one.sentences:,}",
            one.reason if one.gap is None else points(one.gap),
            "" if one.gap is None else percent(one.power),
            "simulated" if one.simulated and one.gap is not None else "",
        )
        for one in found
    )
    header = ("group", "error", "terms", "sentences", "smallest gap", "power", "how")
    return Grid(header, rows, 2, "The smallest gap that is found, by group")


def disparity_grid(found: Sequence[Disparity]) -> Grid:
    """The disparities of an annotated table."""
    rows = tuple(
        (
            one.measure,
            one.part,
            one.cost,
            *(percent(side) for side in (one.protected, one.unprotected)),
            decimal(one.value, signed=True),
            "" if math.isnan(one.low) else f"{decimal(one.low, signed=True)} to {decimal(one.high, signed=True)}",
            f"{100 * one.confidence:g} %",
            decimal(one.gamma),
            f"{one.n:,}",
        )
        for one in found
    )
    header = ("measure", "rows", "cost", "protected", "others", "gap", "interval", "level", "gamma", "n")
    return Grid(header, rows, 3, "Disparities with Bernstein's interval")


def sampled_grid(found: Sequence[SampledInterval]) -> Grid:
    """The points of figure 1."""
    rows = tuple(
        (
            f"{one.n:,}",
            decimal(one.gamma, places=1),
            decimal(one.estimate, signed=True),
            f"{decimal(one.low, signed=True)} to {decimal(one.high, signed=True)}",
            decimal(one.width),
            percent(one.coverage),
        )
        for one in found
    )
    header = ("rows", "gamma", "estimate", "95 % interval", "mean width", "holds the true gap")
    return Grid(header, rows, 1, "Figure 1: intervals on samples of a synthetic population")
