"""The notes of the verbs audit and mitigate: how terms are found, and what their figures rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairness_checklist.extensions.corpora.audit import Audit

_FORMS = 12  # terms of which the page lists the forms


def notes_of(found: Audit) -> list[str]:
    """What to know when reading an audit."""
    there = set(found.terms["term"][found.terms["n"] > 0])
    notes = [
        *notes_on_forms({term: found.forms.get(term, ()) for term in found.names if term in there}),
        "Intervals and tests take the texts as independent. Repeats, threads and few authors make them too narrow.",
    ]
    if found.repeated:
        notes.append(f"{found.repeated:,} of {found.n:,} texts repeat another one word for word.")
    return notes


def notes_on_forms(forms: Mapping[str, Sequence[str]]) -> list[str]:
    """How terms are found, and which forms count as them."""
    several = {term: further for term, further in forms.items() if further}
    if not several:
        return ["A term is found as a whole word in any case, as written; plurals and other forms are not counted."]
    listed = [f"{term} ({', '.join(further)})" for term, further in list(several.items())[:_FORMS]]
    more = f"; {len(several) - _FORMS:,} more in terms.csv" if len(several) > _FORMS else ""
    return [
        "A term is found as a whole word in any case. Forms that count as the term: " + "; ".join(listed) + more + ". "
        "Other forms are not counted. --exact-words counts the terms alone."
    ]
