"""Taggers' predictions as arrays: against seqeval, against plain loops, and at the edges."""

import functools
import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from build_outcomes import assert_same, figures
from build_tagger import TYPES, Line, example_sets, expanded, outcomes_of, people, places, tagger
from scipy.stats import wasserstein_distance
from seqeval.metrics.v1 import precision_recall_fscore_support
from seqeval.scheme import BILOU, IOB2, IOBES, Entities
from sweep import sweep
from tag_schemes import encode

from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.errors import AlignmentError, LabelError
from fairness_checklist.core.outcomes import Outcomes, Units
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import read_sentences
from fairness_checklist.core.tagging import Spans, read_tags
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS

THREE = ("ash", "birch", "cedar")
VIEWS = ("", "slot", "context")
NAN = math.nan


def units_of(outcomes: Outcomes) -> Units:
    assert outcomes.units is not None
    return outcomes.units


def random_spans(rng: np.random.Generator, n: int) -> list[list[tuple[int, int, str]]]:
    """The entities of n sentences of nine words, each three words at most."""
    borders = [np.sort(rng.choice(10, size=2 * rng.integers(0, 4), replace=False)).reshape(-1, 2) for _ in range(n)]
    return [[(int(a), int(min(b, a + 3)), str(rng.choice(TYPES))) for a, b in pairs] for pairs in borders]


@sweep("scheme", [IOB2, BILOU, IOBES])
def test_counts_are_those_of_seqeval_in_strict_mode_in_every_group(scheme: Any) -> None:
    rng = np.random.default_rng(4)
    name = {IOB2: "IOB2", BILOU: "BILOU", IOBES: "BIOES"}[scheme]
    true_spans = random_spans(rng, 400)
    found_spans = [
        own if rng.random() < 0.7 else other for own, other in zip(true_spans, random_spans(rng, 400), strict=True)
    ]
    gold, model_output = ([encode(own, 9, name) for own in rows] for rows in (true_spans, found_spans))
    group = rng.integers(3, size=len(gold))
    spans = []
    for tagged in (gold, model_output):
        tags, codes, offset = read_tags(tagged, name)
        found, _ = tags.decode(codes, offset)
        rows: list[list[tuple[int, int, str]]] = [[] for _ in tagged]
        for row, start, end, kind in zip(found.row, found.start, found.end, found.type, strict=True):
            rows[row].append((int(start), int(end), tags.types[kind]))
        spans.append(rows)
    lines = [
        Line(" ".join("w" * len(tags)), THREE[g], gold=tuple(a), predicted=tuple(b), source=f"s{i}")
        for i, (tags, g, a, b) in enumerate(zip(gold, group, *spans, strict=True))
    ]
    outcomes = outcomes_of(lines, THREE)
    by_group = outcomes.counts(outcomes.group, 3)
    for g in range(3):
        own = [i for i in range(len(gold)) if group[i] == g]
        true, predicted = Entities([gold[i] for i in own], scheme), Entities([model_output[i] for i in own], scheme)
        for k, kind in enumerate(TYPES):
            one, two = true.filter(kind), predicted.filter(kind)
            assert by_group.true_positive[g, k] == len(one & two) > 0
            assert by_group.false_negative[g, k] == len(one - two) > 0
            assert by_group.false_positive[g, k] == len(two - one) > 0
            assert by_group.predicted[g, k] == len(two)
        _p, recall, f1, _n = precision_recall_fscore_support(
            [gold[i] for i in own], [model_output[i] for i in own], scheme=scheme, zero_division=0
        )
        order = sorted(TYPES)
        for k, kind in enumerate(TYPES):
            at = order.index(kind)
            one_group = by_group.map(lambda values, g=g: values[g])  # type: ignore[misc]
            assert scores.true_positive_rate(one_group)[k] == pytest.approx(recall[at], abs=1e-15)
            assert scores.f1(one_group)[k] == pytest.approx(f1[at], abs=1e-15)


def random_lines(seed: int, *, sources: int = 5, crossing: bool = True, empty: int = 0) -> tuple[list[Line], list[Any]]:
    """Sentences of sources with one or two slots, articles before some terms; and the units of each by a loop.

    The units of a line: {("slot" or "word", which): (gold class, mean probabilities)}.
    """
    rng = np.random.default_rng(seed)
    lines, units = [], []
    for s in range(sources):
        pieces = ["slot"] * int(rng.integers(1, 3)) + ["word"] * int(rng.integers(1, 5))
        pieces = [pieces[i] for i in rng.permutation(len(pieces))]
        tagged = [i for i, piece in enumerate(pieces) if piece == "word" and rng.random() < 0.4]
        entity = {i: TYPES[int(rng.integers(2))] for i in tagged}
        own = TYPES[int(rng.integers(2))]
        filled = [g for g in THREE for _ in range(rng.integers(1, 4))]
        terms = [(g, int(rng.integers(1, 4)), bool(rng.random() < 0.5)) for g in filled]
        mixed = len({the for _g, _n, the in terms}) == 2
        for group, length, the in terms:
            line, found = _one(rng, pieces, entity, own, length, the, mixed, crossing)
            lines.append(line.but(group=group, source=f"s{s}"))
            units.append(found)
    for at in range(empty):
        lines.append(Line("", THREE[at % 3], p=np.zeros((0, 3)), source=f"e{at}"))
        units.append({})
    return lines, units


def _one(
    rng: Any, pieces: list[str], entity: dict[int, str], own: str, length: int, the: bool, mixed: bool, crossing: bool
) -> tuple[Line, dict[tuple[str, int], Any]]:
    words: list[str] = []
    places_: list[tuple[tuple[str, int], int, int, str]] = []  # key, first, last, type
    for i, piece in enumerate(pieces):
        if piece == "slot":
            if the:
                if not mixed:
                    places_.append((("the", i), len(words), len(words) + 1, "O"))
                words.append("the")
            places_.append((("slot", i), len(words), len(words) + length, own))
            words += ["name"] * length
        else:
            places_.append((("word", i), len(words), len(words) + 1, entity.get(i, "O")))
            words.append("word")
    p = rng.dirichlet(np.ones(3), size=len(words))
    classes = [*TYPES, "O"]
    units = {key: (classes.index(kind), p[first:last].mean(axis=0)) for key, first, last, kind in places_}
    gold = tuple((first, last, kind) for _key, first, last, kind in places_ if kind != "O")
    model_output = [entity_ for entity_ in gold if rng.random() < 0.7]
    taken = {at for first, last, _kind in model_output for at in range(first, last)}
    slot = {at for key, first, last, _kind in places_ if key[0] == "slot" for at in range(first, last)}
    for first in range(len(words)):
        last = min(len(words), first + int(rng.integers(1, 3)))
        inside = {at in slot for at in range(first, last)}
        if rng.random() < 0.2 and not taken & set(range(first, last)) and (crossing or len(inside) == 1):
            model_output.append((first, last, TYPES[int(rng.integers(2))]))
            taken |= set(range(first, last))
    slots = tuple((first, last) for key, first, last, _kind in places_ if key[0] == "slot")
    return Line(" ".join(words), slot=slots, gold=gold, predicted=tuple(model_output), p=p), units


Keyed = dict[tuple[str, str, str], float]


def in_view(units: dict[tuple[str, int], Any], view: str) -> dict[tuple[str, int], Any]:
    return {key: unit for key, unit in units.items() if not view or (key[0] == "slot") == (view == "slot")}


def pairs_of(value: Callable[[str, str], float], kind: str) -> Keyed:
    """{(class, group, group): value}, each group's mean over its pairs, and the total."""
    found = {(kind, g, h): value(g, h) for g, h in combinations(THREE, 2)}
    for group in THREE:
        own = [v for (_c, g, h), v in found.items() if group in (g, h) and h != "others" and not math.isnan(v)]
        found[kind, group, "others"] = float(np.mean(own)) if own else NAN
    defined = [found[kind, g, h] for g, h in combinations(THREE, 2) if not math.isnan(found[kind, g, h])]
    return found | {(kind, "*", ""): float(np.mean(defined)) if defined else NAN}


def mean(values: list[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else NAN


def by_source(lines: list[Line]) -> list[list[int]]:
    names = list(dict.fromkeys(line.source for line in lines))
    return [[i for i, line in enumerate(lines) if line.source == name] for name in names]


def moved(lines: list[Line], units: list[Any], score: Callable[[Any], float], g: str, h: str) -> float:
    """The mean over sources of the mean over words of the mean over pairs of terms of |score - score|."""
    over_sources = []
    for rows in by_source(lines):
        keys = list(dict.fromkeys(key for i in rows for key in units[i]))
        over_words = []
        for key in keys:
            one = [score(units[i][key]) for i in rows if lines[i].group == g and key in units[i]]
            two = [score(units[i][key]) for i in rows if lines[i].group == h and key in units[i]]
            over_words.append(mean([abs(x - y) for x in one for y in two]))
        over_sources.append(mean(over_words))
    return mean(over_sources)


@sweep("seed", range(4))
@sweep("view", VIEWS)
def test_counterfactual_metrics_are_those_of_plain_loops(seed: int, view: str) -> None:
    lines, every = random_lines(seed, empty=seed)
    units = [in_view(found, view) for found in every]
    outcomes = outcomes_of(lines, THREE).view(view)

    def apart(g: str, h: str, k: int) -> float:
        values = []
        for rows in by_source(lines):
            one, two = (
                [unit[1][k] for i in rows if lines[i].group == name for unit in units[i].values()] for name in (g, h)
            )
            values.append(float(wasserstein_distance(one, two)) if one and two else NAN)
        return mean(values)

    def probability(k: int) -> Callable[[Any], float]:
        return lambda unit: unit[1][k]

    def of_own_class(k: int) -> Callable[[Any], float]:
        return lambda unit: unit[1][k] if unit[0] == k else NAN

    expected: dict[str, Keyed] = {"cf_gap": {}, "cf_gap_tc": {}, "avg_if": {}}
    for k, kind in enumerate([*TYPES, "O"]):
        expected["cf_gap"] |= pairs_of(functools.partial(moved, lines, units, probability(k)), kind)
        expected["cf_gap_tc"] |= pairs_of(functools.partial(moved, lines, units, of_own_class(k)), kind)
        expected["avg_if"] |= pairs_of(functools.partial(apart, k=k), kind)
    expected["pert_ss"] = pairs_of(functools.partial(moved, lines, units, lambda unit: unit[1][unit[0]]), "*")
    for name, values in expected.items():
        assert_same(figures(compute(name, outcomes)), values)
    assert not math.isnan(expected["pert_ss"]["*", "*", ""])


@sweep("crossing", [False, True])
def test_the_term_and_its_context_add_up(crossing: bool) -> None:
    crossed = 0
    for seed in range(6):
        lines, _ = random_lines(seed + 30, crossing=crossing)
        outcomes = outcomes_of(lines, THREE)
        slot, context = outcomes.views["slot"], outcomes.views["context"]
        for name in ("correct", "gold", "predicted"):
            assert (getattr(slot, name) + getattr(context, name) == getattr(outcomes, name)).all()
        assert len(units_of(slot).row) + len(units_of(context).row) == len(units_of(outcomes).row)
        for row, line in enumerate(lines):
            inside = {at for first, last in line.slot for at in range(first, last)}
            shared = [len(inside & set(range(a, b))) for a, b, _kind in line.predicted]
            assert slot.predicted[row].sum() == sum(n > 0 for n in shared)  # what touches the term is about it
            crossed += sum(0 < n < b - a for n, (a, b, _kind) in zip(shared, line.predicted, strict=True))
    assert (crossed > 0) == crossing


def context_words(text: str, terms: TermList) -> list[list[str]]:
    """For each row the words around the term, in the order of their positions; a probability says which word it is."""
    examples = expanded(text, terms)
    sentences = read_sentences(examples.texts)
    p = np.concatenate([np.arange(size) for size in np.diff(sentences.offset)]) / 1000
    kinds = sentences.types or ("LOC",)
    rest = np.zeros((len(p), len(kinds) - 1))
    said = TokenPredictions(kinds, sentences.offset, Spans.of([]), np.column_stack([p, rest, 1 - p]))
    outcomes = reduce_to_outcomes(examples, said)
    assert (outcomes.aligned.all(), outcomes.notes) == (True, ())
    units, slots = units_of(outcomes), set(units_of(outcomes.views["slot"]).position.tolist())
    placed: list[dict[int, str]] = [{} for _ in range(len(examples))]
    for row, at, number in zip(units.row.tolist(), units.position.tolist(), units.probability[:, 0], strict=True):
        placed[row][at] = sentences.words[sentences.offset[row] + round(number * 1000)]
    rows = [placed[row] for row in np.flatnonzero(examples.group >= 0)]
    assert len({tuple(sorted(one)) for one in rows}) == 1
    assert sum(map(len, placed)) == len(units.row)
    return [[one[at] for at in sorted(one) if at not in slots] for one in rows]


GAMBIA = places(ash=[("the Gambia", "Gambian")], birch=[("Mali", "Malian")])


@sweep(("text", "around"), [
    ("{The:country} won.", ["won", "."]),
    ("We saw {the:country}", ["We", "saw"]),
    ("{The:country} met {the:country}, they say", ["met", ",", "they", "say"]),
    ("{the:country}", []),
    ("{The:country} likes the {country_adj} flag.", ["likes", "flag", "."]),
    ("The {country_adj} flag of {the:country}", ["flag", "of"]),
    ("The {country_adj} flag.", ["The", "flag", "."]),
    ("{Country}: the flag, the coast.", [":", "the", "flag", ",", "the", "coast", "."]),
    ("The coast of {the:country} is the end.", ["The", "coast", "of", "is", "the", "end", "."]),
])  # fmt: skip
def test_words_around_the_term_have_their_place_with_and_without_an_article(text: str, around: list[str]) -> None:
    assert context_words(text, GAMBIA) == [around] * 2


def test_positive_is_the_type_that_the_terms_have() -> None:
    for text, terms, kind in (
        ("[Ana](PER) left {the:country}.", GAMBIA, "LOC"),
        ("[Lima](LOC) and {person}", people(ash=["Ana"], birch=["Jo Li"]), "PER"),
        ("[Ana](PER) has {a:country_adj} {country_adj} coat from {the:country}.", GAMBIA, "MISC"),
        ("[Ana](PER) left {the:country}.", places(ash=["Mali"], birch=["Oman"]), "LOC"),
    ):
        examples = expanded(text, terms)
        outcomes = reduce_to_outcomes(examples, tagger(examples, types=("PER", "LOC", "MISC")))
        assert outcomes.classes[outcomes.positive] == kind
        assert units_of(outcomes).positive == units_of(outcomes.views["slot"]).positive == outcomes.positive


def test_sentences_with_other_words_around_the_term_are_left_out_word_by_word_and_reported() -> None:
    rng = np.random.default_rng(0)

    def line(text: str, group: str, at: int) -> Line:
        words = text.split()
        p = rng.dirichlet(np.ones(3), size=len(words))
        return Line(text, group, slot=((at, at + 1),), gold=((at, at + 1, "LOC"),), p=p)

    usual = [line("we saw Mali", "ash", 2), line("we saw Oman", "birch", 2), line("we saw Cuba", "birch", 2)]
    other = line("we were in Chad", "ash", 3)
    outcomes = outcomes_of([*usual, other])
    assert outcomes.notes == (
        "1 of 4 sentences have other words around the term than the rest of their source: "
        "they are left out where words are compared one by one.",
    )
    assert outcomes.aligned.tolist() == [True, True, True, False]
    units = units_of(outcomes)
    assert units.position[units.row == 3].tolist() == [-1, -1, -1, 0]
    alone = outcomes_of(usual)
    assert_same(figures(compute("cf_gap", outcomes.view("context"))), figures(compute("cf_gap", alone.view("context"))))
    assert figures(compute("cf_gap", outcomes.view("slot"))) != figures(compute("cf_gap", alone.view("slot")))
    assert figures(compute("avg_if", outcomes.view("context"))) != figures(compute("avg_if", alone.view("context")))
    assert Invariance().run(outcomes).cases == 1


def test_types_that_the_model_lacks_are_left_out_and_named() -> None:
    line = Line("Ana left Acme in Mali", slot=((4, 5),), p=np.full((5, 3), 1 / 3))
    gold = ((0, 1, "PER"), (2, 3, "ORG"), (4, 5, "LOC"))
    lines = [
        line.but(gold=gold, predicted=gold[::2]),
        line.but(group="birch", gold=gold, predicted=((0, 1, "PER"), (2, 3, "LOC"))),
    ]
    outcomes = outcomes_of(lines)
    assert outcomes.notes == ("2 gold entities are of a type that the model lacks (ORG) and left out.",)
    assert outcomes.gold.tolist() == [[1, 1], [1, 1]]
    assert outcomes.correct.tolist() == [[1, 1], [1, 0]]
    assert outcomes.all_correct.tolist() == [True, False]
    assert units_of(outcomes).label.tolist() == [0, 2, -1, 2, 1] * 2
    assert figures(compute("fnr_gap", outcomes))["LOC", "birch", "everyone_else"] == 1


@sweep(("types", "offset", "message"), [
    (("GPE", "NORP"), [0, 3], "the tagger's types GPE, NORP match none of the gold types PER, LOC."),
    ((), [0, 3], "the tagger has no type of entity."),
    (TYPES, [0, 4], "sentence 1 has 3 words, and 4 were tagged."),
    (TYPES, [0], "0 predictions for 1 examples: row 1 has none."),
])  # fmt: skip
def test_predictions_that_do_not_fit_the_sentences(types: tuple[str, ...], offset: list[int], message: str) -> None:
    examples, _ = example_sets([Line("Ana in Mali", gold=((0, 1, "PER"), (2, 3, "LOC")))])
    with pytest.raises(AlignmentError if "were tagged" in message or "examples" in message else LabelError) as caught:
        reduce_to_outcomes(examples, TokenPredictions(types, np.array(offset), Spans.of([])))
    assert caught.value.message == message


def without_labels(outcomes: Outcomes) -> tuple[set[str], set[str]]:
    """The metrics that have values, and the reasons of the others."""
    results = {name: compute(name, outcomes) for name in METRICS}
    defined = {name for name, result in results.items() if not np.isnan(result.value).all()}
    return defined, {reason for name in results.keys() - defined for reason in results[name].reasons.values()}


def test_tables_without_gold_tags_have_metrics_that_need_no_label() -> None:
    lines, _ = random_lines(40)
    lines = [line.but(gold=(), tagged=False) for line in lines]
    outcomes = outcomes_of(lines, THREE)
    assert not outcomes.labelled.any()
    assert (units_of(outcomes).label == -1).all()
    defined, reasons = without_labels(outcomes)
    selection = {"demographic_parity_difference", "demographic_parity_ratio", "impact_ratio"}
    decided = {"changed_answers", "answer_difference", "independence"}
    assert defined == {"parity_gap", "avg_gf", "cf_gap", "avg_if", "avg_score_difference", *selection, *decided}
    assert reasons == {
        "no example has a label",
        *(f"no source has the score for both {group} and unmarked" for group in ("ash", "birch", "cedar")),
        "defined for two classes, and the model has 3",
        "the predictions have no column score:las",
    }
    assert MinimumFunctionality().run(outcomes).cases == 0
    assert Invariance().run(outcomes).cases == 5


@sweep("types", [("PER",), TYPES])
@sweep("name", METRICS)
def test_a_tagger_without_probabilities(name: str, types: tuple[str, ...]) -> None:
    examples = expanded("{Person} met [Ana](PER) today.", people(ash=["Jo Li"], birch=["Ben"]))
    outcomes = reduce_to_outcomes(examples, tagger(examples, types=types, sure=None))
    assert outcomes.units is None
    about = scores.about(METRICS[name].score)
    for view in VIEWS:
        result = compute(name, outcomes.view(view))
        if about.needs_probabilities and not (about.two_classes and len(types) > 1):
            assert np.isnan(result.value).all()
            assert set(result.reasons.values()) == {"the predictions hold no probabilities"}
        elif name in {"fned", "parity_gap", "f1_difference", "tpr_gap"}:
            assert figures(result)["PER", "*", ""] == 0
    assert Invariance().run(outcomes).fails == 0
    assert outcomes.views["slot"].decisions is not None


EMPTY = Line("", p=np.zeros((0, 3)))


def test_without_words_or_sentences_nothing_is_defined() -> None:
    outcomes = outcomes_of([EMPTY, EMPTY.but(group="birch")])
    assert len(units_of(outcomes).row) == 0
    for name in METRICS:
        result = compute(name, outcomes)
        assert len(result.reasons) == np.isnan(result.value).sum()
    assert Invariance().run(outcomes).pair_fails == 0
    none = outcomes_of([])
    assert (len(none), none.predicted.shape) == (0, (0, 2))
    assert np.isnan(compute("fned", none).value).all()
