"""The tasks of a suite: their classes, in the order that breaks ties, and the wrong answers that hurt."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError

_HARM_TITLES = {"called": "called {} without being so", "missed": "not recognised as {}", "predicted": "called {}"}


@dataclass(frozen=True)
class Harm:
    """A wrong answer that hurts the people whom a text mentions.

    Attributes:
        name: its id ("called_negative", "missed:urgent"); `parse_harm` reads it.
        kind: "called": a text of another class is given the class; "missed": a text of the class is not given it;
            "predicted": any text is given the class, where there are no labels.
        label: the class; "" of a tagger is the type of the entity under test.
        title: in words, after "texts are" or "entities are" ("called negative without being so").

    >>> parse_harm("missed:urgent").title
    'not recognised as urgent'
    """

    name: str
    kind: str
    label: str
    title: str


def parse_harm(text: str) -> Harm:
    """A harm from its id in a task, or from ``called:CLASS``, ``missed:CLASS`` or ``predicted:CLASS``."""
    by_name = {harm.name: harm for task in TASKS.values() for harm in task.harms}
    if text in by_name:
        return by_name[text]
    kind, _, label = (piece.strip() for piece in text.partition(":"))
    if kind in _HARM_TITLES and label:
        return Harm(f"{kind}:{label}", kind, label, _HARM_TITLES[kind].format(label))
    near = did_you_mean(kind if label else text, [*_HARM_TITLES, *by_name])
    remedy = f"Write called:CLASS, missed:CLASS or predicted:CLASS, or one of {', '.join(by_name)}.{near}"
    raise OptionError(f"the error {text!r} is not known.", remedy=remedy)


def known_harm(text: str) -> Harm | None:
    """The harm that an id names; None for the id of a harm of the user's own that does not say what it is."""
    try:
        return parse_harm(text)
    except OptionError:
        return None


@dataclass(frozen=True)
class Task:
    """A prediction task."""

    name: str
    classes: tuple[str, ...]  # the gold classes, in order; for a tagger's task the types of entities
    positive: str  # the class that scores such as AvgEG call positive; "" where none is
    harms: tuple[Harm, ...]  # the wrong answers that hurt; findings are about them and about nothing else
    tagging: bool = False  # whether each word is labelled, and not the whole text


TASKS: dict[str, Task] = {
    "sentiment": Task(
        "sentiment",
        ("negative", "neutral", "positive"),
        "positive",
        (
            Harm("called_negative", "called", "negative", "called negative without being so"),
            Harm("praise_not_recognised", "missed", "positive", "positive and not recognised as such"),
        ),
    ),
    "toxicity": Task(
        "toxicity",
        ("nontoxic", "toxic"),
        "toxic",
        (
            Harm("called_toxic", "called", "toxic", "called toxic without being so"),
            Harm("attack_not_recognised", "missed", "toxic", "toxic and not recognised as such"),
        ),
    ),
    "ner": Task(
        "ner", ("PER", "LOC", "ORG", "MISC"), "", (Harm("entity_missed", "missed", "", "missed"),), tagging=True
    ),
}


def get_task(name: str) -> Task:
    """The task of that name."""
    if not isinstance(name, str) or name not in TASKS:
        near = did_you_mean(name, TASKS) if isinstance(name, str) and name else ""
        raise OptionError(f"the task {name!r} is not known.", remedy=f"Known tasks: {', '.join(TASKS)}.{near}")
    return TASKS[name]


def positive_position(task: str, classes: Sequence[str]) -> int:
    """The position of the task's positive class, if the model has it, else of the last class."""
    meant = TASKS[task].positive if task in TASKS else ""
    return list(classes).index(meant) if meant in classes else len(classes) - 1


# Spellings that models use for a class besides its own name, in lower case and with spaces for - and _.
SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "negative": ("neg", "1 star", "2 stars"),
    "neutral": ("neu", "neut", "3 stars"),
    "positive": ("pos", "4 stars", "5 stars"),
    "nontoxic": (
        *("non toxic", "not toxic", "no toxic", "neutral", "normal", "clean", "neither"),
        *("nothate", "not hate", "non hate", "no hate", "not hateful", "non hateful", "not hate speech"),
        *("not offensive", "non offensive", "nonoffensive", "no offensive"),
    ),
    "toxic": ("toxicity", "hate", "hateful", "hate speech", "hatespeech", "offensive", "offensive language"),
}
_NOT = re.compile(r"\b(?:no|not|non|un|never|anti)\b")


def normalised_label(name: str) -> str:
    """A label in lower case, with spaces for - and _."""
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


_NUMERAL = re.compile(r"(-?\d+)(?:\.0*)?")


def label_key(label: object) -> str:
    """What a label is compared by: whole numbers and truth values are the same however they are written."""
    text = str(label).strip()
    whole = _NUMERAL.fullmatch(text)
    return str(int(whole[1])) if whole else {"true": "1", "false": "0"}.get(text.lower(), text)


def is_number(label: object) -> bool:
    """Whether a label is a number or a truth value, which means nothing by itself: 0, -1, 1.0, 0.5, True."""
    return re.fullmatch(r"-?\d+(\.\d+)?", label_key(label)) is not None


def same_labels(given: Mapping[Any, str], names: Iterable[str]) -> dict[str, str]:
    """What each of the names is mapped to that is given: as it is written, else by its `label_key`."""
    exact = {str(label): cls for label, cls in given.items()}
    by_key: dict[str, set[str]] = {}
    for label, cls in exact.items():
        by_key.setdefault(label_key(label), set()).add(cls)
    found = {name: {exact[name]} if name in exact else by_key.get(label_key(name), set()) for name in names}
    return {name: next(iter(classes)) for name, classes in found.items() if len(classes) == 1}


def mapping_example(names: Sequence[str], classes: Sequence[str]) -> str:
    """The mapping to give for (the first ten) labels, in Python; "CLASS" for what does not name one class."""
    pairs = [f'"{name}": "{_class_named_in(name, classes) or "CLASS"}"' for name in names[:10]]
    return "{" + ", ".join([*pairs, *(["..."] if len(names) > 10 else [])]) + "}"


def _class_named_in(name: str, classes: Sequence[str]) -> str:
    """The one class that a label names; "" for none, several, and what a negation may turn round."""
    words = normalised_label(re.sub(r"([a-z])([A-Z])", r"\1 \2", name))
    spelt = [(spelling, cls) for cls in classes for spelling in (cls.lower(), *SPELLINGS.get(cls, ()))]
    named = set()
    for spelling, cls in sorted(spelt, key=lambda pair: -len(pair[0])):  # "not toxic" before "toxic"
        words, times = re.subn(rf"\b{re.escape(spelling)}\b", "", words)
        named |= {cls} if times else set()
    return named.pop() if len(named) == 1 and not _NOT.search(words) else ""
