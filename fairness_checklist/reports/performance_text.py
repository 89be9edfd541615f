"""How a model does on the texts as a whole, in one or two sentences: the facts that precede and follow its findings."""

from __future__ import annotations

import math

from fairness_checklist.analysis.largest_gaps import constant_baseline, constant_class, predicts_no_entities
from fairness_checklist.analysis.run_view import View
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, join_names, percent
from fairness_checklist.reports.wording import entities_at


def useless_model(view: View) -> str:
    """The sentence about a model that is of no use for these texts; "" for other models."""
    constant, best = constant_class(view), constant_baseline(view)
    accuracy, n = view.score("accuracy", "*", "*")
    if predicts_no_entities(view):
        return (
            f"The model finds none of the {entities_at(view.place, view.attribute)} with their type, so its errors "
            "cannot differ between groups. This is not evidence of fairness."
        )
    if constant:
        right = f" The accuracy is {percent(accuracy)}." if n else ""
        return (
            f"The model predicts one class for all texts: {constant}. Its decisions cannot differ between groups. This "
            f"is not evidence of fairness.{right}"
        )
    if best is not None:
        return (
            f"The accuracy on the {n:,} labelled sentences is {percent(accuracy)}, no better than always predicting "
            f"{best[0]} ({percent(best[1])}): this model is of little use on these sentences."
        )
    return ""


def performance(view: View) -> str:
    """The accuracy, unless `useless_model` gives it, and how often the decision changes with the group; "" without."""
    clauses = [one for one in (_found(view) if view.tagging else _right(view), _changing(view)) if one]
    return f"{capitalise('; '.join(clauses))}." if clauses else ""


def _right(view: View) -> str:
    value, _ = view.score("accuracy", "*", "*")
    if math.isnan(value) or constant_class(view) or constant_baseline(view) is not None:
        return ""
    return f"the model classifies {percent(value)} of the labelled sentences correctly"


def _found(view: View) -> str:
    """The share of a tagger's entities that are found, by type."""
    rates = [(label, *view.score("true_positive_rate", label, "*")) for label in view.classes]
    shares = [f"{percent(value)} as {label}" for label, value, n in rates if n and value > 0]
    return f"of the {entities_at(view.place, view.attribute)} the model finds {join_names(shares)}" if shares else ""


def _changing(view: View) -> str:
    """In how many sources the group changes a decision: the test of invariance."""
    tests = view.checks[view.checks["type"] == "INV"]
    if not len(tests) or not int(tests["cases"].iloc[0]):
        return ""
    cases, fails = int(tests["cases"].iloc[0]), int(tests["fails"].iloc[0])
    subject = "what is found" if view.tagging else "the decision"
    return f"in {fails:,} of {count(cases, 'source')} {subject} changes with the group (invariance)"
