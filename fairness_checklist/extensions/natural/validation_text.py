"""A comparison of a suite with natural texts in lines."""

from __future__ import annotations

from fairness_checklist.core.errors import count
from fairness_checklist.extensions.natural.agreement import Agreement
from fairness_checklist.extensions.natural.validation import HOLDS, MIN_GROUP, MIN_TERM, OPPOSITE, UNDECIDED, Validation

_STRONG = 0.5  # lower end of the interval from which an order is said to be much the same
_NAMES = {
    "observed": "The terms' gaps in the suite and in the texts that mention them",
    "own": "The terms' gaps in the suite and in the same texts with other words in place of the term",
}


def validation_lines(found: Validation) -> list[str]:
    """The answer in at most 15 lines."""
    often, rare = int(found.terms["observed"].notna().sum()), int(found.groups["observed"].isna().sum())
    labels = "that the error concerns by their labels" if found.labelled else "without labels"
    lines = [
        f"{count(found.texts, 'text')}; {found.used:,} {labels}. Error: {found.harm.title}.",
        f"{often:,} of {count(len(found.terms), 'term')} of the suite occur in {MIN_TERM} of your texts or more, "
        f"{len(found.groups) - rare:,} of {count(len(found.groups), 'group')} in {MIN_GROUP} or more. The others are "
        "not compared.",
        *(f"{_NAMES[name]}: {_order(agreed)}" for name, agreed in found.order.items()),
    ]
    lines.append(_findings(found))
    lines.append("Texts that quote or condemn what others say count like all others.")
    return lines


def _order(order: Agreement) -> str:
    """The agreement of two orders, from "no order in common" to "the same order", with its interval."""
    if order.n < 3 or order.correlation != order.correlation:
        return f"too few terms to say ({order.n:,})."
    luck = f"; corrected for that it is {order.corrected:.2f}"
    if order.correlation > order.ceiling:
        luck = "; the rest is luck"
    return (
        f"{_agreement(order)} (rank correlation {order.correlation:.2f}, 95 % interval {order.low:.2f} to "
        f"{order.high:.2f}, {count(order.n, 'term')}). So many texts and sentences allow {order.ceiling:.2f}{luck}."
    )


def _agreement(order: Agreement) -> str:
    """What the interval shows: an order in common, none, or neither."""
    if order.low > _STRONG:
        return "the order is much the same"
    if order.low > 0:
        return "the order agrees in part"
    return "the order is reversed" if order.high < 0 else "it is undecided whether the order agrees"


def _findings(found: Validation) -> str:
    worse = found.findings
    if not len(worse):
        return "No group that occurs often enough is worse in the suite."
    said = {  # of one group and of several
        HOLDS: ("holds in your texts", "hold in your texts"),
        UNDECIDED: ("is undecided", "are undecided"),
        OPPOSITE: ("is opposite in your texts", "are opposite in your texts"),
    }
    numbers = {answer: int((worse["answer"] == answer).sum()) for answer in said}
    parts = [f"{n} {said[answer][n > 1]}" for answer, n in numbers.items() if n]
    end = "is worse in the suite and occurs" if len(worse) == 1 else "are worse in the suite and occur"
    return f"{count(len(worse), 'group')} {end} often enough: {', '.join(parts)}."
