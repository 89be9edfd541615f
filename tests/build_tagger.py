"""Small builders for taggers: sentences in plain Python, tagged templates, and taggers that know the gold entities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import Template, read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.examples import ExampleSet, Source
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import Sentences, TokenTexts, read_sentences
from fairness_checklist.core.tagging import Spans

FOLDER = Path(__file__).resolve().parent.parent
TYPES = ("PER", "LOC")
GROUPS = ("ash", "birch")
NEUTRAL = TermList(
    "neutral",
    (
        IdentityTerm("Alex", "person", pos="name"),
        IdentityTerm("Sam", "person", pos="name"),
        IdentityTerm("the Netherlands", "country", pos="place", adjective="Dutch"),
        IdentityTerm("Islam", "religion", pos="faith", adjective="Islamic"),
    ),
)

Entity = tuple[int, int, str]


@dataclass(frozen=True)
class Line:
    """One sentence and what a tagger said about it.

    Attributes:
        words: separated by spaces.
        group: "" for the control.
        slot: the places of the term, (first word, the one after the last).
        gold, said: entities (first word, the one after the last, type).
        p: (W, T + 1) the probabilities of the words, the last outside; None for a tagger that has none.
    """

    words: str
    group: str = "ash"
    slot: tuple[tuple[int, int], ...] = ()
    gold: tuple[Entity, ...] = ()
    predicted: tuple[Entity, ...] = ()
    p: Any = None
    source: str = "s"
    weight: float = 1.0
    tagged: bool = True

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)


def outcomes_of(
    lines: Sequence[Line], groups: Sequence[str] = GROUPS, types: Sequence[str] = TYPES, *, unlabelled: str = "keep"
) -> Outcomes:
    """The lines reduced to arrays."""
    return reduce_to_outcomes(*example_sets(lines, groups, types), unlabelled=unlabelled)


def example_sets(
    lines: Sequence[Line], groups: Sequence[str] = GROUPS, types: Sequence[str] = TYPES
) -> tuple[ExampleSet, TokenPredictions]:
    """The lines as an example set, and the predictions for it."""
    words = [line.words.split() for line in lines]
    offset = np.concatenate([[0], np.cumsum([len(each) for each in words], dtype=np.int64)]).astype(np.int64)
    gold_types = tuple(dict.fromkeys(kind for line in lines for _start, _end, kind in line.gold))
    slot = np.full(offset[-1], -1, dtype=np.int64)
    for row, line in enumerate(lines):
        for number, (start, end) in enumerate(line.slot):
            slot[offset[row] + start : offset[row] + end] = number
    sentences = Sentences(
        tuple(word for each in words for word in each),
        offset,
        gold_types,
        _spans([line.gold for line in lines], gold_types),
        np.array([line.tagged for line in lines], dtype=np.bool_),
        slot,
    )
    sources = tuple(dict.fromkeys(line.source for line in lines if line.source))
    n = len(lines)
    examples = ExampleSet(
        attribute="trees",
        task="ner",
        groups=tuple(groups),
        terms=(),
        term_group=np.zeros(0, dtype=np.int64),
        sources=tuple(Source(name, template=name) for name in sources),
        source=np.array([sources.index(line.source) if line.source else -1 for line in lines], dtype=np.int64),
        group=np.array([groups.index(line.group) if line.group else -1 for line in lines], dtype=np.int64),
        term=np.full(n, -1),
        classes=tuple(types),
        label=np.full(n, -1),
        texts=TokenTexts(tuple(line.words for line in lines), sentences=sentences),
        weight=None if all(line.weight == 1 for line in lines) else np.array([line.weight for line in lines]),
    )
    probabilities = None
    if all(line.p is not None for line in lines):
        tables = [np.asarray(line.p, dtype=np.float64).reshape(-1, len(types) + 1) for line in lines]
        probabilities = np.concatenate(tables) if tables else np.zeros((0, len(types) + 1))
    predicted = _spans([line.predicted for line in lines], types)
    return examples, TokenPredictions(tuple(types), offset, predicted, probabilities)


def _spans(entities: Sequence[Sequence[Entity]], types: Sequence[str]) -> Spans:
    return Spans.of(
        (row, start, end, types.index(kind)) for row, found in enumerate(entities) for start, end, kind in found
    )


def spans_of(predictions: TokenPredictions) -> list[tuple[int, int, int, str]]:
    """(row, first word, the one after the last, type) of each entity that was predicted."""
    spans = predictions.spans
    codes = zip(*(column.tolist() for column in (spans.row, spans.start, spans.end, spans.type)), strict=True)
    return [(row, start, end, predictions.types[kind]) for row, start, end, kind in codes]


def shipped_templates() -> tuple[Template, ...]:
    return read_templates(FOLDER / "templates" / "ner.csv")


def shipped_terms(name: str) -> TermList:
    return read_terms(FOLDER / "identity_terms" / f"{name}.csv")


def expanded(texts: str | Sequence[str], terms: TermList, **options: Any) -> ExampleSet:
    """Templates for taggers filled with the terms."""
    listed = [texts] if isinstance(texts, str) else texts
    templates = [Template(f"t{at}", text, task="ner") for at, text in enumerate(listed)]
    return expand(templates, terms, task="ner", **{"neutral": NEUTRAL, **options}).examples


def places(**groups: Sequence[str | tuple[str, str]]) -> TermList:
    """Places by group, each a name or a name and its adjective."""
    pairs = [(group, (one, "") if isinstance(one, str) else one) for group, listed in groups.items() for one in listed]
    return TermList("place", tuple(IdentityTerm(name, g, pos="place", adjective=adj) for g, (name, adj) in pairs))


def people(**groups: Sequence[str]) -> TermList:
    """Names by group."""
    listed = [IdentityTerm(name, group, pos="name") for group, names in groups.items() for name in names]
    return TermList("people", tuple(listed))


def tagger(
    examples: ExampleSet,
    *,
    types: Sequence[str] = (),
    sure: float | None = 1.0,
    found: Callable[[int, int, int, str], tuple[int, int] | None] = lambda row, start, end, kind: (start, end),
) -> TokenPredictions:
    """A tagger that knows the gold entities.

    Args:
        types: what it can say; by default all gold types.
        sure: its probability of each word's gold class, the rest shared equally; None for spans only.
        found: for each gold entity (row, first word, the one after the last, type) which words it takes, None if none.
    """
    sentences = read_sentences(examples.texts)
    known = tuple(types) or sentences.types
    size = len(known)
    label = np.full(len(sentences.words), size, dtype=np.int64)
    predicted: list[tuple[int, int, int, int]] = []
    gold = sentences.gold
    for row, start, end, code in zip(gold.row, gold.start, gold.end, gold.type, strict=True):
        kind = sentences.types[code]
        if kind not in known:
            continue
        label[sentences.offset[row] + start : sentences.offset[row] + end] = known.index(kind)
        words = found(int(row), int(start), int(end), kind)
        if words is not None:
            predicted.append((int(row), *words, known.index(kind)))
    probabilities = None
    if sure is not None:
        probabilities = np.full((len(label), size + 1), (1 - sure) / size)
        probabilities[np.arange(len(label)), label] = sure
    return TokenPredictions(known, sentences.offset, Spans.of(predicted), probabilities)
