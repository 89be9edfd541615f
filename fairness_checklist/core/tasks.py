"""The tasks of a suite: their classes, in the order that breaks ties, and the wrong answers that hurt."""

from __future__ import annotations

from dataclasses import dataclass

from fairness_checklist.core.errors import OptionError, did_you_mean

HARM_KINDS = ("called", "missed", "predicted")


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
    """A harm from its id in a task, or from ``called:CLASS``, ``missed:CLASS`` or ``predicted:CLASS``.

    Raises:
        OptionError: neither.

    >>> parse_harm("called_toxic").title, parse_harm("predicted:hired").name
    ('called toxic without being so', 'predicted:hired')
    >>> parse_harm("caled:hired")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the harm 'caled:hired' is not known.
        Did you mean called? Write called:CLASS, missed:CLASS or predicted:CLASS, or one of called_negative, \
praise_not_recognised, called_toxic, attack_not_recognised, entity_missed.
    """
    known = {harm.name: harm for task in TASKS.values() for harm in task.harms}
    if text in known:
        return known[text]
    kind, _, label = (part.strip() for part in text.partition(":"))
    if kind in HARM_KINDS and label:
        title = {
            "called": f"called {label} without being so",
            "missed": f"not recognised as {label}",
            "predicted": f"called {label}",
        }[kind]
        return Harm(f"{kind}:{label}", kind, label, title)
    near = did_you_mean(kind if label else text, [*HARM_KINDS, *known])
    raise OptionError(
        f"the harm {text!r} is not known.",
        remedy=f"Write called:CLASS, missed:CLASS or predicted:CLASS, or one of {', '.join(known)}.{near}",
    )


def known_harm(text: str) -> Harm | None:
    """The harm that an id names; None for the id of a harm of the user's own that does not say what it is.

    >>> known_harm("missed:urgent").kind, known_harm("turned_away")
    ('missed', None)
    """
    try:
        return parse_harm(text)
    except OptionError:
        return None


@dataclass(frozen=True)
class Task:
    """A prediction task.

    Attributes:
        name: "sentiment", "toxicity" or "ner".
        classes: the C gold classes, in order; for a tagger's task the types of entities.
        positive: the class that scores such as AvgEG call positive; "" where none is.
        harms: the wrong answers that hurt; findings are about them and about nothing else.
        tagging: whether each word is labelled, and not the whole text.
    """

    name: str
    classes: tuple[str, ...]
    positive: str
    harms: tuple[Harm, ...]
    tagging: bool = False


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
    """The task of that name.

    Raises:
        OptionError: no such task.

    >>> get_task("sentiment").classes
    ('negative', 'neutral', 'positive')
    >>> get_task("sentimental")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the task 'sentimental' is not known.
        Did you mean sentiment? Known tasks: sentiment, toxicity, ner.
    """
    if not isinstance(name, str) or name not in TASKS:
        near = did_you_mean(name, TASKS) if isinstance(name, str) and name else ""
        raise OptionError(f"the task {name!r} is not known.", remedy=f"Known tasks: {', '.join(TASKS)}.{near}")
    return TASKS[name]
