"""ExampleSet: the columnar table of texts for a model."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from fairness_checklist.core.arrays import FloatArray, IntArray, by_value
from fairness_checklist.core.errors import InputError, TemplateError

GROUP_SEPARATOR = " & "  # of the two groups in the name of a pair: "women & deaf people"
UNMARKED = "unmarked"  # the control in tables and reports: a sentence without an identity, of no group
MIN_TOPICS = 10  # from which sources of a topic are a family; with fewer the variance between topics is added
RESERVED = frozenset({"*", "others", UNMARKED, "everyone", "everyone_else", "everyone_balanced"})

Entities = tuple[tuple[int, int, str], ...]
TermSpans = tuple[tuple[int, int], ...]


class Texts(Protocol):
    """The texts of an example set: n of them, rendered by the chunk."""

    def __len__(self) -> int: ...

    def render(self, start: int, stop: int) -> list[str]:
        """The texts of rows start to stop (exclusive)."""

    def spans(self, start: int, stop: int) -> list[TermSpans]:
        """For each row the character spans of the identity term, ``()`` where it has none."""

    def entities(self, start: int, stop: int) -> list[Entities]:
        """For each row the entities in it: (start, end, type) in characters."""


@dataclass(frozen=True)
class ListedTexts:
    """Texts that are kept in memory."""

    texts: tuple[str, ...]
    term_spans: tuple[TermSpans, ...] = ()
    listed_entities: tuple[Entities, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def render(self, start: int, stop: int) -> list[str]:
        return list(self.texts[start:stop])

    def spans(self, start: int, stop: int) -> list[TermSpans]:
        return list(self.term_spans[start:stop]) or [()] * len(self.texts[start:stop])

    def entities(self, start: int, stop: int) -> list[Entities]:
        return list(self.listed_entities[start:stop]) or [()] * len(self.texts[start:stop])


@dataclass(frozen=True)
class Source:
    """One template instance before the group is filled in (x_j in Czarnowska et al. 2021)."""

    id: str  # unique in its example set
    template: str = ""  # id of the template it comes from (the cluster for resampling)
    text: str = ""  # the template's text, list slots filled, the group's slot still open
    label: str = ""  # gold class
    about: str = ""  # whom the sentiment is about: person, speaker, third_party, situation
    symmetric: bool = True  # False keeps it out of invariance tests and counterfactual metrics
    rewords: str = ""  # id of the template that it rewords
    topic: str = ""  # that its template shares with others: work, health, ...
    register: str = ""  # kind of text that its template is written as: review, post, chat, ...
    kind: str = ""  # functionality that its template tests: counterspeech, ...


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
                remedy = "Leave rewords empty for the original, and name the original in its rewordings."
                raise error(f"the templates {', '.join(circle)} are rewordings of each other.", remedy=remedy)
        root.update(dict.fromkeys(chain, root.get(chain[-1], chain[-1])))
    return [root[template or original] for template, original in pairs]


def families_and_topics(sources: Sequence[Source]) -> tuple[list[str], list[str]]:
    """The family of each source, of which different ones are taken as independent; and its topic, where these are few.

    A family is a template with its rewordings, or a topic where there are `MIN_TOPICS` or more. Of n sources in each
    topic they count as ``sum(n)**2 / sum(n**2)``, rounded. A source without a template is a family of its own. Topics
    are [] where they are the families or there are none, "" for sources without one.
    """
    own = [source.template or ("" if source.rewords else f"source {source.id}") for source in sources]
    paraphrases = family_of(own, [source.rewords for source in sources])
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
    """n rows of one sensitive attribute: their groups, terms and sources, as codes into small lists."""

    attribute: str  # the sensitive attribute ("gender")
    groups: tuple[str, ...]  # the G protected groups, in declared order
    terms: tuple[str, ...]  # the terms of the distinct (group, term) pairs
    term_group: IntArray  # (len(terms),) their groups
    sources: tuple[Source, ...]  # the S sources; empty where the rows have none (a table of independent texts)
    source: IntArray  # (n,) position in ``sources``; -1 where there is none
    # (n,) position in ``groups``; for the unmarked control ("that writer"), which belongs to no group, -1 in an
    # `ExampleSet` and G in `Outcomes`.
    group: IntArray
    term: IntArray  # (n,) position in ``terms``; -1 where there is none
    weight: FloatArray | None = None  # (n,) non-negative; None where every row weighs 1
    # Of each of ``terms``, "" where it has none; ``()`` where no term has one:
    concepts: tuple[str, ...] = ()  # what links it to terms that differ in nothing but the group
    lexemes: tuple[str, ...] = ()  # see `core.lexemes`
    pos: tuple[str, ...] = ()  # part of speech ("name", "adj")
    intersection: tuple[str, ...] = ()  # the two attributes of an intersection, where the groups are pairs

    def __len__(self) -> int:
        return len(self.group)

    def shared(self) -> dict[str, Any]:
        """The fields that any record of grouped rows has, by name."""
        return {field.name: getattr(self, field.name) for field in fields(GroupedRows)}


@dataclass(frozen=True, eq=False, kw_only=True)
class ExampleSet(GroupedRows):
    """n texts with their gold classes; by source, then the control, then groups and terms as declared."""

    task: str
    classes: tuple[str, ...]  # names that ``label`` points into
    label: IntArray  # (n,) gold class as a position in ``classes``; -1 where there is none
    texts: Texts

    def render(self) -> list[str]:
        return self.texts.render(0, len(self))


def select_examples(examples: ExampleSet, rows: IntArray) -> ExampleSet:
    """The example set of some rows, in order; sources keep their positions, also those that lose all their rows."""
    texts, n = examples.texts, len(examples)
    chosen = (
        tuple(values[row] for row in rows.tolist())
        for values in (texts.render(0, n), texts.spans(0, n), texts.entities(0, n))
    )
    return replace(
        examples,
        **{name: getattr(examples, name)[rows] for name in ("source", "group", "term", "label")},
        texts=ListedTexts(*chosen),
        weight=None if examples.weight is None else examples.weight[rows],
    )
