"""The labels of classifiers matched to the classes of the task: exclusive labels, and multi-label models."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core import tasks
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, first_ten
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import SPELLINGS, TASKS

Labels = Mapping[str, str] | Mapping[int, str] | Sequence[str]

# Spellings of a label of a multi-label model: "toxic" among "identity_hate" and "insult".
MULTILABEL_SPELLINGS: Mapping[str, tuple[str, ...]] = {"nontoxic": ("non toxic", "not toxic"), "toxic": ("toxicity",)}
INTENSITY = re.compile(r"(?:very|extremely|strongly|somewhat|slightly|mostly|weakly) ")
OPTIONAL_CLASSES = frozenset({"neutral"})


@dataclass(frozen=True)
class LabelMap:
    """A model's L labels, which exclude each other, matched to the C classes of a task."""

    classes: tuple[str, ...]  # the C classes that some label belongs to, in the task's order
    labels: tuple[str, ...]  # in the order of the model's outputs
    positions: tuple[int, ...]  # for each label the position of its class in ``classes``

    def mapping(self) -> dict[str, str]:
        """Each label's class, for ``run.json``."""
        return {label: self.classes[position] for label, position in zip(self.labels, self.positions, strict=True)}

    def read(self, probabilities: FloatArray) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Probabilities (n, L) over labels to (n, C) over classes: those of one class are summed."""
        result = np.zeros((len(probabilities), len(self.classes)))
        for column, position in enumerate(self.positions):
            result[:, position] += probabilities[:, column]
        return result, {}


def match_labels(names: Sequence[str], task_classes: Sequence[str], labels: Labels | None = None) -> LabelMap:
    """Match label names to classes: by ``labels``, the others by their spelling.

    Several labels may belong to one class ("very negative", "negative"; "1 star" to "5 stars"): their probabilities are
    summed. A model without a neutral class is fine; ``LABEL_0`` cannot be guessed: ``labels`` is then a mapping such as
    ``{"LABEL_0": "negative", ...}`` or ``{0: "negative", ...}``, or the classes in the order of the outputs.

    >>> match_labels(["5 stars", "3 stars", "1 star"], ("negative", "neutral", "positive"))
    LabelMap(classes=('negative', 'neutral', 'positive'), labels=('5 stars', '3 stars', '1 star'), positions=(2, 1, 0))
    >>> match_labels(["LABEL_0", "LABEL_1"], ("nontoxic", "toxic"), labels=["toxic", "nontoxic"]).mapping()
    {'LABEL_0': 'toxic', 'LABEL_1': 'nontoxic'}
    """
    check_unique_names(names)
    declared = _declared_classes(names, task_classes, labels)
    matches = [declared.get(name) or _by_spelling(name, task_classes) for name in names]
    unmatched = [name for name, cls in zip(names, matches, strict=True) if cls is None]
    if unmatched:
        subject, verb = ("labels", "match") if len(unmatched) > 1 else ("label", "matches")
        remedy = _mapping_remedy(unmatched, task_classes)
        other = next((task for task in TASKS.values() if set(names) <= set(task.classes) and not task.tagging), None)
        if other is not None and len(unmatched) == len(names):
            remedy = f'They are classes of the task {other.name}: task="{other.name}"; or map each label: labels=.'
        listed = ", ".join(task_classes)
        what = f"the model's {subject} {first_ten(unmatched)} {verb} none of the task's classes {listed}."
        raise LabelError(what, remedy=remedy)
    missing = [cls for cls in task_classes if cls not in matches and cls not in OPTIONAL_CLASSES]
    if missing:
        raise LabelError(
            f"none of the model's labels {first_ten(names)} belongs to the "
            f"{'classes' if len(missing) > 1 else 'class'} {first_ten(missing)} of the task "
            f"({', '.join(task_classes)}).",
            remedy=f'Name a label that stands for it: labels={{"LABEL": "{missing[0]}"}}; or choose a model that has '
            "it.",
        )
    classes = tuple(cls for cls in task_classes if cls in matches)
    return LabelMap(classes, tuple(names), tuple(classes.index(str(cls)) for cls in matches))


def check_unique_names(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if list(names).count(name) > 1})
    if repeated:
        raise LabelError(
            f"the label {repeated[0]} appears twice among the labels {first_ten(names)}; expected each once."
        )


def _by_spelling(name: str, task_classes: Sequence[str]) -> str | None:
    return _class_of(INTENSITY.sub("", tasks.normalised_label(name), count=1), task_classes, SPELLINGS)


def _by_name(name: str, task_classes: Sequence[str]) -> str | None:
    """The class that a label is named as, by itself and whatever its capitals: no degree, no kind of it."""
    return _class_of(tasks.normalised_label(name), task_classes, MULTILABEL_SPELLINGS)


def _class_of(spelt: str, task_classes: Sequence[str], spellings: Mapping[str, tuple[str, ...]]) -> str | None:
    return next((cls for cls in task_classes if spelt == cls.lower() or spelt in spellings.get(cls, ())), None)


def _declared_classes(names: Sequence[str], task_classes: Sequence[str], labels: Labels | None) -> dict[str, str]:
    if labels is None:
        return {}
    if isinstance(labels, str):
        raise LabelError(
            f'labels="{labels}" is one word; expected a mapping from the model\'s labels to classes.',
            remedy=_mapping_remedy(names, task_classes),
        )
    if isinstance(labels, Mapping):
        matched = tasks.same_labels(labels, names)
        words = {"true", "false"} if any(str(key).lower() not in ("true", "false") for key in labels) else ()
        truths = [name for name in matched if name.lower() in words and name not in map(str, labels)]
        # 1 is true, or the second label
        doubtful = any(names.index(name) != int(tasks.label_key(name)) for name in truths)
        if doubtful or (all(isinstance(key, int) for key in labels) and len(matched) < len(labels)):
            matched = {}  # numbers are names where all of them are, else positions
        unknown = {key: cls for key, cls in labels.items() if not tasks.same_labels({key: cls}, matched)}
        classes = matched | {_label_name(key, names, task_classes): cls for key, cls in unknown.items()}
    elif set(labels) <= set(names) and not set(labels) <= set(task_classes):
        raise LabelError(
            f"labels= lists the model's own labels {first_ten(labels)}; expected the class of each.",
            remedy=_mapping_remedy(names, task_classes),
        )
    elif len(labels) == len(names):
        check_class_order(names, labels, task_classes)
        classes = dict(zip(names, labels, strict=True))
    else:
        raise LabelError(
            f"{len(labels)} classes are given for the model's {len(names)} labels {first_ten(names)}.",
            remedy="Give one class a label, in the order of the model's outputs.",
        )
    for name, cls in classes.items():
        if cls not in task_classes:
            raise LabelError(
                f"the label {name} is mapped to {cls}, which is none of the task's classes {', '.join(task_classes)}.",
                remedy=did_you_mean(str(cls), task_classes).strip()
                or f"Choose one of them: {', '.join(task_classes)}.",
            )
    return classes


def check_class_order(names: Sequence[str], given: Sequence[str], task_classes: Sequence[str]) -> None:
    """Raise `LabelError` where names that are given in order give each label the class that another is named as."""
    named = [_by_spelling(name, task_classes) for name in names]
    meant = [_by_spelling(str(name), task_classes) for name in given]
    if named == meant or None in named or len(set(named)) < len(named) or set(named) != set(meant):
        return
    apart = [(name, cls) for name, cls, other in zip(names, meant, named, strict=True) if cls != other]
    raise LabelError(
        f"{apart[0][0]} is given the class {apart[0][1]}, and {apart[1][0]} the class {apart[1][1]}.",
        remedy=f"The labels are {first_ten(names)}, in this order. Leave classes= and labels= out, or give the class "
        f"of each by name: labels={tasks.mapping_example(names, task_classes)}.",
    )


def _label_name(key: str | int, names: Sequence[str], task_classes: Sequence[str]) -> str:
    if isinstance(key, int) and 0 <= key < len(names):
        return names[key]
    spelt = [name for name in names if isinstance(key, str) and nfc(name) == nfc(key)]
    if spelt:
        return spelt[0]
    raise LabelError(
        f"labels names the label {key}, which the model does not have; its labels are {first_ten(names)}.",
        remedy=did_you_mean(str(key), names).strip() or _mapping_remedy(names, task_classes),
    )


def _mapping_remedy(names: Sequence[str], task_classes: Sequence[str]) -> str:
    return f"Give the class of each label: labels={tasks.mapping_example(names, task_classes)}; see the model's card."


@dataclass(frozen=True)
class MultilabelMap:
    """L labels with a probability each by itself, some of which stand for one of two classes; the others are scores.

    The class is as probable as the largest of its labels, the other class is its complement.
    """

    classes: tuple[str, ...]  # the two classes, in the task's order
    labels: tuple[str, ...]  # in the order of the model's outputs
    label_positions: tuple[int, ...]  # the positions of the labels that stand for the class
    position: int  # the class's position in ``classes``

    def mapping(self) -> dict[str, str]:
        """The class of each label that has one, for ``run.json``."""
        return {self.labels[column]: self.classes[self.position] for column in self.label_positions}

    @property
    def score_positions(self) -> tuple[int, ...]:
        """The positions of the labels that are scores: all but a label that is the class's only one."""
        alone = self.label_positions if len(self.label_positions) == 1 else ()
        return tuple(column for column in range(len(self.labels)) if column not in alone)

    def rule(self) -> str:
        """The computation of probabilities, for ``run.json``."""
        names = ", ".join(self.labels[column] for column in self.label_positions)
        largest = f"the largest of {names}" if len(self.label_positions) > 1 else names
        others = ", ".join(self.labels[column] for column in self.score_positions)
        scores = f"; scores: {others}" if others else ""
        this, other = self.classes[self.position], self.classes[1 - self.position]
        return f"p({this}) is {largest}, p({other}) its complement{scores}"

    def read(self, values: FloatArray) -> tuple[FloatArray, dict[str, FloatArray]]:
        """Probabilities (n, L) of labels by themselves to (n, 2) over the classes, and the other labels' as scores."""
        largest = values[:, list(self.label_positions)].max(axis=1)
        sides = [1 - largest, largest] if self.position else [largest, 1 - largest]
        return np.column_stack(sides), {self.labels[column]: values[:, column] for column in self.score_positions}


def match_multilabel(names: Sequence[str], task_classes: Sequence[str], labels: Labels | None = None) -> MultilabelMap:
    """Match the labels of a multi-label model: those of one class give its probability, the others are scores.

    With ``labels`` the labels that it names are the class's, and no others. Without, where the task has two classes, a
    label that is named as a class ("toxic", "TOXICITY") is it; "hate" or "insult" are something else and not guessed.
    """
    check_unique_names(names)
    two = [cls for cls in task_classes if cls not in OPTIONAL_CLASSES]
    if labels is not None:
        matches = _declared_classes(names, task_classes, labels)
    else:
        matches = {name: cls for name in names if (cls := _by_name(name, task_classes)) is not None}
    meant, positive = set(matches.values()), _positive(task_classes)
    if not matches:
        raise LabelError(
            f"none of the labels {first_ten(names)} is named as a class of the task: {', '.join(task_classes)}.",
            remedy=f'Name the labels that stand for it: labels={{"LABEL": "{positive}"}}; the others are kept as '
            "scores.",
        )
    if len(two) != 2 or len(meant) != 1 or not meant <= set(two) or (labels is None and len(task_classes) != 2):
        label = next((name for name in names if matches.get(name) == positive), "LABEL")
        remedy = f'Name the labels of one class, for instance labels={{"{label}": "{positive}"}}: '
        remedy += "the other class is its complement."
        raise LabelError(
            f"each of the labels {first_ten(names)} has a probability by itself (multi-label), and the classes "
            f"{', '.join(task_classes)} exclude each other.",
            remedy=f"{remedy}\nOr give load_model a function that returns one probability per class.",
            command_remedy=remedy,
        )
    label_positions = tuple(column for column, name in enumerate(names) if name in matches)
    return MultilabelMap(tuple(two), tuple(names), label_positions, two.index(meant.pop()))


def match_single_output(name: str, task_classes: Sequence[str], labels: Labels | None = None) -> MultilabelMap:
    """Match the only output of a model: by ``labels``, else by its name, else to the positive class."""
    declared = _declared_classes([name], task_classes, labels)
    cls = declared.get(name) or _by_name(name, task_classes) or _positive(task_classes)
    return match_multilabel([name], task_classes, {name: cls})


def _positive(task_classes: Sequence[str]) -> str:
    """The positive class of the task of these classes, else the last of them."""
    named = (task.positive for task in TASKS.values() if task.classes == tuple(task_classes))
    return next(named, "") or task_classes[-1]


def names_one_class(labels: Labels, task_classes: tuple[str, ...]) -> bool:
    """Whether ``labels`` names labels of one class only, and the task has others."""
    if not isinstance(labels, Mapping) or not labels:
        return False
    meant = set(labels.values())
    return len(meant) == 1 and meant <= set(task_classes) - OPTIONAL_CLASSES


def match_columns(
    columns: Sequence[object], task_classes: tuple[str, ...], labels: Labels | None
) -> LabelMap | MultilabelMap:
    """Match named columns: exclusive labels, or those of a multi-label model, where one class is given or known."""
    names = [str(column) for column in columns]
    if labels is not None and names_one_class(labels, task_classes):
        return match_multilabel(names, task_classes, labels)
    try:
        return match_labels(names, task_classes, labels)
    except LabelError:
        named = {_by_name(name, task_classes) for name in names} - {None}
        if labels is not None or len(task_classes) != 2 or len(named) > 1 or all(map(tasks.is_number, names)):
            raise
    return match_multilabel(names, task_classes)


def label_order(labels: Labels) -> list[Any]:
    """What ``labels`` names, in the order of the columns: names that differ in a number alone from the smallest."""
    names = list(labels)
    matches = [re.fullmatch(r"(\D*?)(-?\d+)", tasks.label_key(name)) for name in names]
    numbered = [(int(match[2]), name) for match, name in zip(matches, names, strict=True) if match]
    alike = len({match[1] for match in matches if match}) == 1 and len(numbered) == len(names)
    if not isinstance(labels, Mapping) or not alike:
        return names
    return [name for _number, name in sorted(numbered, key=lambda pair: pair[0])]
