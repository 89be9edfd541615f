"""Types of entities: what other corpora call those of the suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairness_checklist.errors import LabelError, did_you_mean, first_ten
from fairness_checklist.tagging.schemes import OUTSIDE

__all__ = ["NO_NAMES", "map_types"]

# What taggers trained on other corpora call the types of the suite; "O" is what the suite does not ask for.
_KNOWN_TYPES = {
    "PER": "PER",
    "PERSON": "PER",
    "PEOPLE": "PER",
    "LOC": "LOC",
    "LOCATION": "LOC",
    "GPE": "LOC",
    "FAC": "LOC",
    "FACILITY": "LOC",
    "GEO-LOC": "LOC",
    "ORG": "ORG",
    "ORGANIZATION": "ORG",
    "ORGANISATION": "ORG",
    "CORPORATION": "ORG",
    "COMPANY": "ORG",
    "GROUP": "ORG",
    "MISC": "MISC",
    "MISCELLANEOUS": "MISC",
    "NORP": "MISC",
    "LANGUAGE": "MISC",
    "EVENT": "MISC",
    "PRODUCT": "MISC",
    "LAW": "MISC",
    "WORK_OF_ART": "MISC",
    "WORK-OF-ART": "MISC",
    "CREATIVE-WORK": "MISC",
    "CREATIVE_WORK": "MISC",
    "DATE": OUTSIDE,
    "TIME": OUTSIDE,
    "PERCENT": OUTSIDE,
    "MONEY": OUTSIDE,
    "QUANTITY": OUTSIDE,
    "ORDINAL": OUTSIDE,
    "CARDINAL": OUTSIDE,
}


NO_NAMES = frozenset(kind for kind, common in _KNOWN_TYPES.items() if common == OUTSIDE)
"""What taggers find beside names (dates, numbers), in capitals; the suite does not ask for it."""


def map_types(types: Sequence[str], suite: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """For each type of a tagger the suite's type, or "O" where the suite has none.

    Args:
        types: the tagger's types.
        suite: the suite's types.
        given: ``{"GPE": "LOC"}``, which goes before what is known.

    Raises:
        LabelError: a given name that is no type of the tagger, or of the suite; or nothing fits.

    >>> map_types(["PERSON", "GPE", "DATE"], ["PER", "LOC", "ORG", "MISC"])
    {'PERSON': 'PER', 'GPE': 'LOC', 'DATE': 'O'}
    """
    given = dict(given or {})
    for own, theirs in given.items():
        if own not in types:
            raise LabelError(
                f"the tagger has no type {own!r}.",
                remedy=f"Its types: {first_ten(types)}.{did_you_mean(own, list(types))}",
            )
        if theirs not in (*suite, OUTSIDE):
            raise LabelError(
                f"the suite has no type {theirs!r}.",
                remedy=f"Its types: {', '.join(suite)}, or {OUTSIDE}.{did_you_mean(theirs, list(suite))}",
            )
    found = {}
    for kind in types:
        known = kind if kind in suite else _KNOWN_TYPES.get(kind.upper(), OUTSIDE)
        found[kind] = given.get(kind, known if known in suite else OUTSIDE)
    if types and set(found.values()) == {OUTSIDE}:
        first = {kind: suite[min(at, len(suite) - 1)] for at, kind in enumerate(types[:2])}
        shown = ", ".join(f'"{own}": "{theirs}"' for own, theirs in first.items())
        raise LabelError(
            f"the tagger's types {first_ten(types)} match none of the suite's {', '.join(suite)}.",
            remedy=f"Give the mapping: labels={{{shown}}}.",
        )
    return found
