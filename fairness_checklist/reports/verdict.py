"""The verdict in words: what the primary metrics and the invariance test say, one paragraph an attribute."""

from __future__ import annotations

import math
from typing import Any

from fairness_checklist.analysis.leading_values import leading_class
from fairness_checklist.analysis.placebo import constant_baseline, constant_class, predicts_no_entities
from fairness_checklist.analysis.run_view import View, attribute_views
from fairness_checklist.errors import count
from fairness_checklist.formatting import first_letter, listed, percent
from fairness_checklist.reports.baseline import opening, placebo_comparison, placebo_hint
from fairness_checklist.reports.by_term import most_falsely_called
from fairness_checklist.reports.capitals import capitals_sentence
from fairness_checklist.reports.crossed import crossed_sentence
from fairness_checklist.reports.gaps import errors, others, probabilities
from fairness_checklist.reports.reading import caveat
from fairness_checklist.reports.sureness import rule, summary
from fairness_checklist.reports.without import ambiguous_sentence
from fairness_checklist.reports.words import entities_at
from fairness_checklist.results import Results

__all__ = ["closing", "leading_class", "paragraph", "sentences", "verdict"]


def verdict(results: Results, *, width: int | None = 100) -> str:
    """What a run found, in words.

    Args:
        results: a run.
        width: lines are wrapped there; None leaves each paragraph on one line.

    Returns:
        One paragraph an attribute: who is misread by how much, how the probabilities differ, how much is right and
        changes with the group, and how the placebo compares; and one on what the figures cannot say.
    """
    from textwrap import fill

    wording = [f"{view.attribute}: {paragraph(results, view)}" for view in attribute_views(results)]
    last = closing(results)
    lines = [*wording, last] if last else wording
    if width is None:
        return "\n\n".join(lines)
    glued = [line.replace(" %", "\u00a0%") for line in lines]
    return "\n\n".join(fill(line, width, break_on_hyphens=False).replace("\u00a0%", " %") for line in glued)


def closing(results: Results) -> str:
    """What must be said once of all figures of a run: what they lack, and what "beyond chance" means."""
    primary = results.metrics[results.metrics["role"] == "primary"]
    crossed = results.intersections == results.attributes
    wording = (
        caveat(primary if len(primary) else results.metrics, crossed=crossed),
        rule(primary),
        placebo_hint(results),
    )
    return " ".join(part for part in wording if part)


def paragraph(results: Results, view: View) -> str:
    """The verdict on one attribute, without its name."""
    return " ".join(sentences(results, view))


def sentences(results: Results, view: View) -> list[str]:
    """The parts of the verdict on one attribute: a sentence each, or a few that belong together."""
    wording = [opening(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        wording += [errors(view), most_falsely_called(view)]
    wording += [*probabilities(view), others(view), summary(view)]
    if not constant_class(view) and not predicts_no_entities(view):
        wording.append(ambiguous_sentence(results, view))
    wording.append(capitals_sentence(results, view))
    wording += [_right_and_changing(results, view), crossed_sentence(results, view), _missing(results, view)]
    wording.append(placebo_comparison(results, view))
    return [part for part in wording if part]


def _missing(results: Results, view: View) -> str:
    """The primary values without a definition, and the primary metrics that were not computed, by reason."""
    undefined = []
    primary = view.metrics[(view.metrics["role"] == "primary") & view.metrics["class"].isin((*view.shown_classes, "*"))]
    for metric, rows in primary.groupby("metric", sort=False):
        lost = rows[rows["value"].isna()]
        if len(lost):
            reasons = [str(note) for note in lost["note"].unique() if note]
            why = f" ({listed(reasons, 2)})" if reasons else ""
            undefined.append(f"{metric} in {len(lost):,} of its {count(len(rows), 'value')}{why}")
    given = results.info.get("options", {}).get("primary", [])
    skipped: dict[str, Any] = results.info.get("metrics_left_out", {}).get(view.attribute, {})
    missing: dict[str, list[str]] = {}
    computed = {key[0] for key in view.keys} | set(view.by_term["metric"])
    for name in given:
        if name not in computed:
            missing.setdefault(str(skipped.get(name, "not among the metrics that were asked for")), []).append(name)
    absent = [f"{listed(names)} ({why})" for why, names in missing.items()]
    sentences = (("undefined: ", undefined), ("not computed: ", absent))
    parts = [start + ", ".join(listing) for start, listing in sentences if listing]
    return f"{first_letter('; '.join(parts))}." if parts else ""


def _right_and_changing(results: Results, view: View) -> str:
    """The share of right decisions, where the opening has not said it, and how often the group changes a decision."""
    if view.tagging:
        return _found_and_changing(results, view)
    value, n = view.score("accuracy", "*", "*")
    opened = bool(constant_class(view)) or constant_baseline(view) is not None
    parts = [] if math.isnan(value) or opened else [f"{percent(value)} of the {n:,} labelled sentences are right"]
    return _sentence([*parts, _changing(results, view)])


def _found_and_changing(results: Results, view: View) -> str:
    """How many of the terms a tagger finds, and how often the term changes what it says."""
    found = [(label, *view.score("true_positive_rate", label, "*")) for label in view.classes]
    kind = "are " if view.place == "slot" else "that are {} are "
    parts = [
        f"{percent(value)} of the {entities_at(view.place, view.attribute)} {kind.format(label)}found as {label}"
        for label, value, n in found
        if n and value > 0
    ]
    return _sentence([*parts, _changing(results, view)])


def _changing(results: Results, view: View) -> str:
    """How often the group changes a decision: the test of invariance."""
    tests = view.checks[view.checks["type"] == "INV"]
    if not len(tests) or not int(tests["cases"].iloc[0]):
        return ""
    test = tests.iloc[0]
    options = results.info.get("options", {})
    tolerance = options.get("tolerance", options.get("invariance_threshold"))  # as older versions called it
    at = f" at a tolerance of {tolerance:g}" if isinstance(tolerance, float) else ""
    over = percent(float(test["pair_fail_rate"]) / 100)
    pairs = f", and in {over} of all pairs of terms across groups" if int(test["pairs"]) else ""
    what = "what is found" if view.tagging else "the decision"
    return (
        f"in {int(test['fails']):,} of {count(int(test['cases']), 'source')} {what} changes with the group"
        f"{pairs} (invariance{at})"
    )


def _sentence(parts: list[str]) -> str:
    """The parts as one sentence, "" without any."""
    wording = [part for part in parts if part]
    return f"{first_letter('; '.join(wording))}." if wording else ""
