"""Sentences for intrinsic measures: terms of two groups in bleached and in neutral sentences, and attribute words."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from fairness_checklist.content.templates import Template
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, first_ten
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.suites.build import SuiteChoice, build_part

_WORDS = tomllib.loads(files(__package__).joinpath("probe_words.toml").read_text(encoding="utf-8"))
BLEACHED, FRAMES, ROLES = (tuple(_WORDS[name]) for name in ("bleached", "frames", "roles"))
WORD_SETS: Mapping[str, Mapping[str, Sequence[str]]] = _WORDS["word_sets"]
_NEUTRAL = "neutral"  # the label of the sentences
_ARTICLE = re.compile(r"(?:^|(?<=\s))(?:an?|An?)\s$")


@dataclass(frozen=True)
class MarkedText:
    """A text and a word in it."""

    text: str  # the text
    spans: tuple[tuple[int, int], ...]  # the characters [start, end) of the word; several where it stands several times
    with_article: tuple[tuple[int, int], ...]  # the same, the indefinite article before it included


@dataclass(frozen=True, eq=False)
class TermTexts:
    """The terms of two groups in sentences that differ in nothing else."""

    left: str  # left, right: the groups
    right: str
    terms: tuple[str, ...]  # U terms, those of the left group first
    is_left: tuple[bool, ...]  # of each term whether it is of the left group
    concepts: tuple[str, ...]  # what links a term to one of the other group ("adult": woman, man); "" without one
    bleached: tuple[tuple[MarkedText, ...], ...]  # for each term its sentences, the same for every term
    neutral: tuple[tuple[MarkedText, ...], ...]  # the same


def framed(words: Sequence[str]) -> list[list[MarkedText]]:
    """Each word in all of `FRAMES`."""
    marked = []
    for word in words:
        spans = [((frame.index("{"), frame.index("{") + len(word)),) for frame in FRAMES]
        marked.append([MarkedText(frame.format(word), s, s) for frame, s in zip(FRAMES, spans, strict=True)])
    return marked


def read_word_sets(words: str | Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Two sets of attribute words, by the name of a shipped pair or as the user gives them."""
    if isinstance(words, str):
        if words not in WORD_SETS:
            names, near = f"Known: {', '.join(WORD_SETS)}.", did_you_mean(words, WORD_SETS)
            raise OptionError(
                f"words={words!r} is not a known pair of word sets.",
                remedy=f"{names} Or give two sets of your own: {{name: words, name: words}}.{near}",
                command_remedy=f"{names}{near}",
            )
        words = WORD_SETS[words]
    sets = {str(name): tuple(dict.fromkeys(map(str, each))) for name, each in words.items()}
    if len(sets) != 2 or not all(sets.values()):
        raise OptionError(
            f"words= has the sets {first_ten(sets)}; expected two, each with a word or more.",
            remedy="Give two sets of words by their names: {name: words, name: words}.",
        )
    return sets


def term_texts(
    attribute: str, groups: Sequence[str] | None = None, *, max_terms: int | None = None, seed: int = 0
) -> TermTexts:
    """The shipped terms of two groups, by default the first two, in sentences that differ only in term and article."""
    bleached = [Template(text=text, id=f"bleached-{n}", label="neutral") for n, text in enumerate(BLEACHED, start=1)]
    templates = [*(template.id for template in bleached), _NEUTRAL]

    def examples_of(groups: Sequence[str] | None) -> ExampleSet:
        choice = SuiteChoice(groups=groups, templates=templates, max_terms=max_terms, sample_seed=seed)
        return build_part(attribute, task="sentiment", choice=choice, more_templates=bleached).examples

    groups = examples_of(None).groups[:2] if groups is None else groups
    if len(set(groups)) != 2:
        raise OptionError(f"groups={list(groups)} are not two groups.", remedy='Write groups=["women", "men"].')
    examples = examples_of(groups)
    left, right = groups
    term_groups = [examples.groups[int(group)] for group in examples.term_group]
    order = [term for group in (left, right) for term, name in enumerate(term_groups) if name == group]
    by_source: dict[int, dict[int, MarkedText]] = {}
    for row, (text, spans) in enumerate(zip(examples.render(), examples.texts.spans(0, len(examples)), strict=True)):
        if examples.term[row] >= 0 and spans:
            with_article = tuple((_article_start(text, start), end) for start, end in spans)
            texts_of_source = by_source.setdefault(int(examples.source[row]), {})
            texts_of_source[int(examples.term[row])] = MarkedText(text, spans, with_article)
    sentences: dict[bool, list[dict[int, MarkedText]]] = {True: [], False: []}
    for source, by_term in by_source.items():
        if set(by_term) == set(order) and len({_around(marked_text) for marked_text in by_term.values()}) == 1:
            sentences[examples.sources[source].template.startswith("bleached-")].append(by_term)
    by_kind = {kind: tuple(tuple(texts[term] for texts in sentences[kind]) for term in order) for kind in sentences}
    return TermTexts(
        left=left,
        right=right,
        terms=tuple(examples.terms[term] for term in order),
        is_left=tuple(term_groups[term] == left for term in order),
        concepts=tuple(examples.concepts[term] if examples.concepts else "" for term in order),
        bleached=by_kind[True],
        neutral=by_kind[False],
    )


def _article_start(text: str, start: int) -> int:
    """Where the indefinite article before a word begins; the start of the word where there is none."""
    article = _ARTICLE.search(text[:start])
    return article.start() if article else start


def _around(marked: MarkedText) -> str:
    text = marked.text
    for start, end in sorted(marked.with_article, reverse=True):
        text = f"{text[:start]}_{text[end:]}"
    return text
