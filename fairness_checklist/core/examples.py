"""ExampleSet: the columnar table of texts for a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol, TypeVar

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import InputError, TemplateError

GROUP_SEPARATOR = " & "
"""The separator of the two groups in the name of a pair: "women & deaf people"."""
UNMARKED = "unmarked"
"""The name of the control in tables and reports: a sentence without an identity, which belongs to no group."""
MIN_TOPICS = 10
"""Topics from which sources of one topic are one family; with fewer the variance between topics is added."""
RESERVED = frozenset({"*", "others", UNMARKED, "everyone", "everyone_else", "everyone_balanced"})

Entities = tuple[tuple[int, int, str], ...]
TermSpans = tuple[tuple[int, int], ...]
_Row = TypeVar("_Row")


class Texts(Protocol):
    """The texts of an example set: n of them, rendered by the chunk."""

    def __len__(self) -> int: ...

    def render(self, start: int, stop: int) -> list[str]:
        """The texts of rows start to stop (exclusive)."""
        ...

    def spans(self, start: int, stop: int) -> list[TermSpans]:
        """For each row the character spans of the identity term, ``()`` where it has none."""
        ...

    def entities(self, start: int, stop: int) -> list[Entities]:
        """For each row the entities in it: (start, end, type) in characters."""
        ...


@dataclass(frozen=True)
class ListedTexts:
    """Texts that are kept in memory."""

    texts: tuple[str, ...]
    term_spans: tuple[TermSpans, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def render(self, start: int, stop: int) -> list[str]:
        return list(self.texts[start:stop])

    def spans(self, start: int, stop: int) -> list[TermSpans]:
        return list(self.term_spans[start:stop]) if self.term_spans else [()] * (min(stop, len(self)) - start)

    def entities(self, start: int, stop: int) -> list[Entities]:
        return [()] * (min(stop, len(self)) - start)


@dataclass(frozen=True, eq=False)
class ChosenTexts:
    """Some rows of other texts."""

    texts: Texts
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def render(self, start: int, stop: int) -> list[str]:
        return self._chosen(self.texts.render, start, stop)

    def spans(self, start: int, stop: int) -> list[TermSpans]:
        return self._chosen(self.texts.spans, start, stop)

    def entities(self, start: int, stop: int) -> list[Entities]:
        return self._chosen(self.texts.entities, start, stop)

    def _chosen(self, read: Callable[[int, int], list[_Row]], start: int, stop: int) -> list[_Row]:
        rows = self.rows[start:stop]
        if not len(rows):
            return []
        first = int(rows.min())
        between = read(first, int(rows.max()) + 1)
        return [between[row - first] for row in rows.tolist()]


@dataclass(frozen=True)
class Source:
    """One template instance before the group is filled in (x_j in Czarnowska et al. 2021).

    Attributes:
        id: unique in its example set.
        template: id of the template it comes from (the cluster for resampling).
        text: the template's text, list slots filled, the group's slot still open.
        label: gold class, "" where there is none.
        target: the target of the sentiment (person, speaker, third_party, situation), or "".
        symmetric: False keeps it out of invariance tests and counterfactual metrics.
        paraphrase_of: id of the template that it rewords, or "".
        topic: name of the topic (work, health, ...) that its template shares with others, or "".
        register: kind of text that its template is written as (review, post, chat, ...), or "".
        kind: functionality that its template tests (counterspeech, ...), or "".
    """

    id: str
    template: str = ""
    text: str = ""
    label: str = ""
    target: str = ""
    symmetric: bool = True
    paraphrase_of: str = ""
    topic: str = ""
    register: str = ""
    kind: str = ""


def family_of(templates: Sequence[str], originals: Sequence[str], error: type[InputError] = TemplateError) -> list[str]:
    """The family of paraphrases of each of n templates: the id of the template that its chain of rewordings ends in.

    ``originals`` are the n ids of the templates that these reword, "" or the own id for an original; templates that
    reword each other raise ``error``.
    """
    pairs = list(zip(templates, originals, strict=True))
    parent = {template: original for template, original in pairs if original not in ("", template)}
    root: dict[str, str] = {}
    for name in dict.fromkeys([*templates, *originals]):
        chain = [name]
        while chain[-1] in parent and chain[-1] not in root:
            chain.append(parent[chain[-1]])
            if chain[-1] in chain[:-1]:
                circle = sorted(chain[chain.index(chain[-1]) : -1])
                remedy = "Leave paraphrase_of empty for the original, and name the original in its rewordings."
                raise error(f"the templates {', '.join(circle)} are rewordings of each other.", remedy=remedy)
        root.update(dict.fromkeys(chain, root.get(chain[-1], chain[-1])))
    return [root[template or original] for template, original in pairs]


def families_of_sources(sources: Iterable[Source]) -> list[str]:
    """The family of each source: sources of different families are taken as independent.

    A family is a template with its rewordings, or a topic where there are `MIN_TOPICS` or more. Of n sources in each
    topic they count as ``sum(n)**2 / sum(n**2)``, rounded, so that a few large ones are few. A source without a
    template is a family of its own.
    """
    return _families_and_topics(list(sources))[0]


def few_topics_of_sources(sources: Iterable[Source]) -> list[str]:
    """The topic of each source where the topics are too few to be families, "" for sources without one; else []."""
    return _families_and_topics(list(sources))[1]


def _families_and_topics(sources: list[Source]) -> tuple[list[str], list[str]]:
    own = [source.template or ("" if source.paraphrase_of else f"source {source.id}") for source in sources]
    paraphrases = family_of(own, [source.paraphrase_of for source in sources])
    topic_of: dict[str, str] = {}
    for name, source in zip(paraphrases, sources, strict=True):
        topic_of[name] = topic_of.get(name) or source.topic
    topics = [topic_of[name] for name in paraphrases]
    if not any(topics):
        return paraphrases, []
    families = [f"topic {topic}" if topic else name for topic, name in zip(topics, paraphrases, strict=True)]
    sizes = Counter(families).values()
    effective = round(sum(sizes) ** 2 / sum(size**2 for size in sizes))
    return (families, []) if effective >= MIN_TOPICS else (paraphrases, topics)


@by_value
@dataclass(frozen=True, eq=False, kw_only=True)
class GroupedRows:
    """n rows of one sensitive attribute: their groups, terms and sources, as codes into small lists.

    Attributes:
        attribute: the sensitive attribute ("gender").
        groups: the G protected groups, in declared order.
        terms: the distinct (group, term) pairs' terms; ``term_group`` (len(terms),) holds their groups.
        sources: the S sources; empty where the rows have no source (a table of independent texts).
        source: (n,) position in ``sources``; -1 where there is none.
        group: (n,) position in ``groups``; for the unmarked control ("that writer"), which belongs to no group, -1 in
            an `ExampleSet` and G in `Outcomes`.
        term: (n,) position in ``terms``; -1 where there is none.
        weight: (n,) non-negative weights; None where every row weighs 1.
        concepts: of each of ``terms`` what links it to terms that differ in nothing but the group, "" where nothing
            does; ``()`` where no term has one.
        lexemes: of each of ``terms`` its lexeme, see `core.lexemes`; ``()`` where they are not known.
        pos: of each of ``terms`` its part of speech ("name", "adj"); ``()`` where it is not known.
        intersection: the two attributes of an intersection, where the groups are pairs; ``()`` for one attribute.
    """

    attribute: str
    groups: tuple[str, ...]
    terms: tuple[str, ...]
    term_group: IntArray
    sources: tuple[Source, ...]
    source: IntArray
    group: IntArray
    term: IntArray
    weight: FloatArray | None = None
    concepts: tuple[str, ...] = ()
    lexemes: tuple[str, ...] = ()
    pos: tuple[str, ...] = ()
    intersection: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.group)

    def shared(self) -> dict[str, Any]:
        """The fields that any record of grouped rows has, by name."""
        return {field.name: getattr(self, field.name) for field in fields(GroupedRows)}


@dataclass(frozen=True, eq=False, kw_only=True)
class ExampleSet(GroupedRows):
    """n texts with their gold classes; ordered by source, then the unmarked control, then groups and terms as declared.

    Attributes:
        task: "sentiment", "toxicity" or "ner".
        classes: names that ``label`` points into.
        label: (n,) gold class as a position in ``classes``; -1 where there is none.
        texts: the texts, rendered by the chunk.
    """

    task: str
    classes: tuple[str, ...]
    label: IntArray
    texts: Texts

    def render(self, rows: Sequence[int] | IntArray | None = None) -> list[str]:
        """The texts of the given rows (all by default)."""
        if rows is None:
            return self.texts.render(0, len(self))
        return [self.texts.render(int(row), int(row) + 1)[0] for row in rows]


def select_examples(examples: ExampleSet, rows: IntArray) -> ExampleSet:
    """The example set of some rows, in order; sources keep their positions, also those that lose all their rows."""
    return replace(
        examples,
        **{name: getattr(examples, name)[rows] for name in ("source", "group", "term", "label")},
        texts=ChosenTexts(examples.texts, rows),
        weight=None if examples.weight is None else examples.weight[rows],
    )
