"""Labels with a probability each by itself (multi-label), and models with one output: against two classes of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.errors import LabelError, first_ten
from fairness_checklist.models.labels import OPTIONAL_CLASSES, Labels, check_names, declared_classes, plain
from fairness_checklist.tasks import TASKS

__all__ = ["IndependentLabels", "by_complement", "class_named", "match_independent", "match_one_output"]

# Spellings of a label that stands by itself among others: "toxic" beside "identity_hate" and "insult".
SPELLINGS: Mapping[str, tuple[str, ...]] = {"nontoxic": ("non toxic", "not toxic"), "toxic": ("toxicity",)}


@dataclass(frozen=True)
class IndependentLabels:
    """L labels with a probability each by itself (multi-label), some of which stand for one of two classes.

    The class is as probable as the largest of its labels, the other class is its complement; what is no label of the
    class is kept as a score of its own.

    Attributes:
        classes: the two classes, in the task's order.
        labels: the L label names in the order of the model's outputs.
        chosen: the positions of the labels that stand for the class.
        position: the class's position in ``classes``.
    """

    classes: tuple[str, ...]
    labels: tuple[str, ...]
    chosen: tuple[int, ...]
    position: int

    def mapping(self) -> dict[str, str]:
        """The class of each label that has one, for ``run.json``.

        >>> match_independent(["toxic", "insult"], ("nontoxic", "toxic")).mapping()
        {'toxic': 'toxic'}
        """
        return {self.labels[at]: self.classes[self.position] for at in self.chosen}

    @property
    def kept(self) -> tuple[int, ...]:
        """The positions of the labels that are scores: all but a label that is the class's only one."""
        alone = self.chosen if len(self.chosen) == 1 else ()
        return tuple(at for at in range(len(self.labels)) if at not in alone)

    def reading(self) -> str:
        """How probabilities come to be, for ``run.json``.

        >>> match_independent(["toxic", "insult"], ("nontoxic", "toxic")).reading()
        'p(toxic) is toxic, p(nontoxic) its complement; scores: insult'
        """
        names = ", ".join(self.labels[at] for at in self.chosen)
        largest = f"the largest of {names}" if len(self.chosen) > 1 else names
        scores = f"; scores: {', '.join(self.labels[at] for at in self.kept)}" if self.kept else ""
        this, other = self.classes[self.position], self.classes[1 - self.position]
        return f"p({this}) is {largest}, p({other}) its complement{scores}"


def match_independent(
    names: Sequence[str], task_classes: Sequence[str], labels: Labels | None = None
) -> IndependentLabels:
    """Match the labels of a multi-label model: those of one class give its probability, the others are scores.

    With ``labels`` the labels that it names are the class's, and no others. Without, where the task has two classes, a
    label that is named as a class ("toxic", "TOXICITY") is it; "hate" or "insult" are something else and not guessed.

    Args:
        names: the model's L labels in the order of its outputs.
        task_classes: the task's classes.
        labels: ``{"obscene": "toxic"}`` or ``{0: "toxic"}``.

    Raises:
        LabelError: no label of a class, or labels of two classes: sigmoids of both are no distribution.

    >>> match_independent(["obscene", "insult"], ("nontoxic", "toxic"), {"obscene": "toxic"}).chosen
    (0,)
    >>> match_independent(["obscene", "insult"], ("nontoxic", "toxic"))
    Traceback (most recent call last):
    fairness_checklist.errors.LabelError: none of the labels obscene, insult is named as a class of the task: nontoxic,
    toxic.
        Say which stands for it, for instance labels={"obscene": "toxic"}; the others are kept as scores.
    """
    check_names(names)
    two = [cls for cls in task_classes if cls not in OPTIONAL_CLASSES]
    if labels is not None:
        found = declared_classes(names, task_classes, labels)
    else:
        named = {name: class_named(name, task_classes) for name in names}
        found = {name: cls for name, cls in named.items() if cls is not None}
    meant, positive = set(found.values()), _positive(task_classes)
    if not found:
        raise LabelError(
            f"none of the labels {first_ten(names)} is named as a class of the task: {', '.join(task_classes)}.",
            remedy=f'Say which stands for it, for instance labels={{"{names[0]}": "{positive}"}}; '
            "the others are kept as scores.",
        )
    if len(two) != 2 or len(meant) != 1 or not meant <= set(two) or (labels is None and len(task_classes) != 2):
        one = next((name for name in names if found.get(name) == positive), names[-1])
        raise LabelError(
            f"each of the labels {first_ten(names)} has a probability by itself (multi-label), and the classes "
            f"{', '.join(task_classes)} exclude each other.",
            remedy=f'Name the labels of one class, for instance labels={{"{one}": "{positive}"}}: '
            "the other class is its complement.\nOr give load_model a function that returns one probability a class.",
        )
    chosen = tuple(at for at, name in enumerate(names) if name in found)
    return IndependentLabels(tuple(two), tuple(names), chosen, two.index(meant.pop()))


def match_one_output(name: str, task_classes: Sequence[str], labels: Labels | None = None) -> IndependentLabels:
    """The only output of a model: as told, else the class of its name, else the positive one, against its complement.

    >>> match_one_output("LABEL_0", ("nontoxic", "toxic")).reading()
    'p(toxic) is LABEL_0, p(nontoxic) its complement'
    """
    parts = declared_classes([name], task_classes, labels)
    cls = parts.get(name) or class_named(name, task_classes) or _positive(task_classes)
    return match_independent([name], task_classes, {name: cls})


def by_complement(
    values: NDArray[np.float64], labels: IndependentLabels
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Probabilities (n, L) of labels by themselves to (n, 2) over the classes, and the other labels' as scores.

    >>> by_complement(np.array([[0.75, 0.5]]), match_independent(["toxic", "insult"], ("nontoxic", "toxic")))
    (array([[0.25, 0.75]]), {'insult': array([0.5])})
    """
    largest = values[:, list(labels.chosen)].max(axis=1)
    sides = [1 - largest, largest] if labels.position else [largest, 1 - largest]
    return np.column_stack(sides), {labels.labels[at]: values[:, at] for at in labels.kept}


def _positive(task_classes: Sequence[str]) -> str:
    """What the task of these classes calls positive, else the last of them."""
    known = (task.positive for task in TASKS.values() if task.classes == tuple(task_classes))
    return next(known, "") or task_classes[-1]


def class_named(name: str, task_classes: Sequence[str]) -> str | None:
    """The class that a label is named as, by itself and whatever its capitals: no degree, no kind of it.

    >>> class_named("TOXICITY", ("nontoxic", "toxic")), class_named("severe_toxic", ("nontoxic", "toxic"))
    ('toxic', None)
    """
    spelt = plain(name)
    return next((cls for cls in task_classes if spelt == cls.lower() or spelt in SPELLINGS.get(cls, ())), None)
