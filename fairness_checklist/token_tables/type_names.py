"""Which types of entities are the same, where gold entities and predictions call them by other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairness_checklist.arrays import by_value
from fairness_checklist.errors import LabelError, did_you_mean, first_ten
from fairness_checklist.tagging import NO_NAMES, OUTSIDE, map_types
from fairness_checklist.tasks import TASKS

__all__ = ["TypeNames", "in_order", "match_types"]


@by_value
@dataclass(frozen=True, eq=False)
class TypeNames:
    """For each gold and each predicted type its common name, or "O"; and what must be said about it."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    notes: tuple[str, ...]


def match_types(
    gold: Sequence[str], predicted: Sequence[str], task: str, labels: Mapping[str, str] | None = None
) -> TypeNames:
    """Match the types of predictions to those of the gold entities.

    What ``labels`` says goes first, for both. Types that are then the same are taken as they are; where the gold types
    are the task's, predicted ones go by what `map_types` knows; any other stays a type of its own.

    Raises:
        LabelError: ``labels`` names a type that is not in the table, or gives a name that neither it nor the task has.

    >>> found = match_types(["PER", "LOC"], ["PERSON", "GPE", "DRUG", "DATE"], "ner")
    >>> found.said
    {'PERSON': 'PER', 'GPE': 'LOC', 'DRUG': 'DRUG', 'DATE': 'O'}
    >>> found.notes
    ("the predictions' PERSON, GPE are read as PER, LOC", "the predictions' DATE is read as O",
     'no gold entity is a DRUG')
    """
    suite = TASKS[task].classes if task in TASKS and TASKS[task].tagging else ()
    given = dict(labels or {})
    own = list(dict.fromkeys([*gold, *predicted]))
    for name, new in given.items():
        if name not in own:
            raise LabelError(
                f"the table has no type {name!r}.",
                remedy=f"Its types: {first_ten(own) or 'none'}.{did_you_mean(name, own)}",
            )
        known = list(dict.fromkeys([*suite, *own, OUTSIDE]))
        if new not in known:
            raise LabelError(
                f"labels gives {name} the name {new!r}, which neither the table nor the task has.",
                remedy=f"Types: {first_ten(known)}.{did_you_mean(new, known)}",
            )
    of_gold = {kind: given.get(kind, kind) for kind in gold}
    of_said = {kind: given.get(kind, kind) for kind in predicted}
    notes: list[str] = []
    wanted = set(of_gold.values()) - {OUTSIDE}
    if wanted and wanted <= set(suite) and wanted != set(of_said.values()) - {OUTSIDE}:
        found = {kind: _of_suite(kind, suite) for kind in predicted if kind not in given}
        of_said |= found
        notes += _remarks({kind: name for kind, name in found.items() if name != kind})
    if wanted:
        alone = [name for name in dict.fromkeys(of_said.values()) if name not in (*suite, *wanted, OUTSIDE)]
        notes += [f"no gold entity is a {', '.join(alone)}"] if alone else []
    return TypeNames(of_gold, of_said, tuple(notes))


def _of_suite(kind: str, suite: Sequence[str]) -> str:
    """The suite's name of a type, "O" for what is no name of anything, else the type itself."""
    known = map_types([suite[0], kind], suite)[kind]
    if known != OUTSIDE:
        return known
    return OUTSIDE if kind.upper() in NO_NAMES else kind


def _remarks(changed: Mapping[str, str]) -> list[str]:
    renamed = {kind: name for kind, name in changed.items() if name != OUTSIDE}
    unread = [kind for kind, name in changed.items() if name == OUTSIDE]
    notes = []
    if renamed:
        verb = "is" if len(renamed) == 1 else "are"
        notes.append(f"the predictions' {', '.join(renamed)} {verb} read as {', '.join(renamed.values())}")
    if unread:
        notes.append(f"the predictions' {', '.join(unread)} {'is' if len(unread) == 1 else 'are'} read as O")
    return notes


def in_order(types: Sequence[str], task: str) -> tuple[str, ...]:
    """Different types, those of the task first and in its order, then the others as they come.

    >>> in_order(["DRUG", "LOC", "O", "PER", "LOC"], "ner")
    ('PER', 'LOC', 'DRUG')
    """
    suite = TASKS[task].classes if task in TASKS else ()
    there = dict.fromkeys(kind for kind in types if kind != OUTSIDE)
    return tuple(dict.fromkeys([*(kind for kind in suite if kind in there), *there]))
