"""A comparison of a suite with natural texts in lines."""

from __future__ import annotations

from fairness_checklist.core.errors import count
from fairness_checklist.extensions.natural.agreement import Agreement
from fairness_checklist.extensions.natural.validation import HOLDS, MIN_GROUP, MIN_TERM, OPPOSITE, UNDECIDED, Validation

__all__ = ["validation_lines"]

_NAMES = {
    "observed": "in the texts that mention them",
    "own": "when their mention is replaced in the same texts",
}


def validation_lines(found: Validation) -> list[str]:
    """The answer in at most 15 lines."""
    often, rare = int(found.terms["observed"].notna().sum()), int(found.groups["observed"].isna().sum())
    labels = "that the error concerns by their labels" if found.labelled else "without labels"
    lines = [
        f"{found.texts:,} texts; {found.used:,} {labels}. Error: {found.harm.title}.",
        f"{often:,} of {count(len(found.terms), 'term')} occur often enough ({MIN_TERM} texts); {rare:,} groups of "
        f"{len(found.groups)} too rare ({MIN_GROUP} texts).",
    ]
    for name, one in found.order.items():
        lines.append(f"Same order of terms by the gaps of the suite and those {_NAMES[name]}? {_order(one)}")
    lines.append(_findings(found))
    if found.left_out:
        lines.append(f"{count(found.left_out, 'mention')} left out: the word has another sense there.")
    lines.append("Texts that quote or condemn what others say count like all others.")
    return lines


def _order(one: Agreement) -> str:
    if one.n < 3 or one.correlation != one.correlation:
        return f"Too few to say ({count(one.n, 'term')})."
    corrected = f", {one.corrected:.2f} corrected for it" if one.ceiling else ""
    return (
        f"Rank correlation {one.correlation:.2f} ({one.low:.2f} to {one.high:.2f}) over {count(one.n, 'term')}; so "
        f"many sentences and texts allow {one.ceiling:.2f} at most{corrected}."
    )


def _findings(found: Validation) -> str:
    clear = found.findings
    if not len(clear):
        return "The suite has no clear finding about a group that occurs often enough."
    said = {
        HOLDS: "{} in your texts",
        UNDECIDED: "{} undecided",
        OPPOSITE: "{} opposite in your texts",
    }
    verb = {HOLDS: ("holds", "hold"), UNDECIDED: ("is", "are"), OPPOSITE: ("is", "are")}
    parts = []
    for answer, text in said.items():
        n = int((clear["answer"] == answer).sum())
        if n:
            parts.append(f"{n} " + text.format(verb[answer][n > 1]))
    return f"Of {count(len(clear), 'clear finding')} about groups that occur often enough: {', '.join(parts)}."
