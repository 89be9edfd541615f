"""The placebo as a null: which words are drawn, what they cost, and how a finding is placed among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from fairness_checklist.findings.placebo_null import PlaceboNull, percentile, placebo_null
from scipy import stats

import fairness_checklist as fc
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.family import group_family
from fairness_checklist.models.functions.callables import FunctionClassifier
from fairness_checklist.suites.build import build_part
from fairness_checklist.suites.control_texts import control_part
from fairness_checklist.suites.parts import Part

HARMS = TASKS["sentiment"].harms
built = cache(build_part)
CLASSES = ("negative", "neutral", "positive")
NO_FORMS = ("names", "nationality", "placebo")


@cache
def chance(word: str) -> float:
    return float(np.random.default_rng(sum(map(ord, word)) * 7919 + len(word)).normal())


def noisy(bias: dict[str, float], spread: float = 0.4) -> FunctionClassifier:
    """A model whose score of "negative" depends on each word by chance, and on some words by design."""

    def predict(texts: Sequence[str]) -> list[dict[str, float]]:
        found = []
        for text in texts:
            words = text.lower().replace(".", "").split()
            score = spread * float(np.mean([chance(word) for word in words])) * 2 + sum(
                add for word, add in bias.items() if word in words
            )
            p = 1 / (1 + np.exp(-score))
            found.append({"negative": p, "neutral": (1 - p) / 2, "positive": (1 - p) / 2})
        return found

    return FunctionClassifier(predict, CLASSES, classes=CLASSES, name="noisy")


def outcomes_of(part: Part, model: FunctionClassifier) -> Outcomes:
    return reduce_to_outcomes(part.examples, model.predict(part.examples.render()))


@pytest.mark.parametrize(
    ("attribute", "task", "kinds"),
    [
        ("gender", "sentiment", {"placebo", "placebo.words"}),
        ("religion", "toxicity", {"placebo", "placebo.words"}),
        ("names", "ner", {"names.placebo"}),
        ("nationality", "ner", {"nationality.placebo"}),
        ("veteran_status", "sentiment", {"placebo", "placebo.words"}),
    ],
)
def test_the_placebo_is_in_the_same_templates_and_costs_no_more(attribute: str, task: str, kinds: set[str]) -> None:
    part = built(attribute, task=task)
    made = control_part(part)

    assert made is not None
    assert len(made.examples) <= len(part.examples)
    assert {one.template for one in made.examples.sources} <= {one.template for one in part.examples.sources}
    labels = {one.label for one in part.examples.sources}
    assert {one.label for one in made.examples.sources} == labels
    known = {one.term for kind in kinds for one in load_terms(kind).terms}
    assert {one.term for one in made.terms.terms} <= known
    if task != "ner":  # sets of names and places are of the same names and places, in groups of no consequence
        assert not {one.term for one in made.terms.terms} & {one.term for one in part.terms.terms}


def forms(terms: Sequence[IdentityTerm]) -> dict[tuple[str, bool], float]:
    """The share of each part of speech, with a hyphen and without."""
    found = Counter(("adj" if term.pos == "faith" else term.pos, "-" in term.term) for term in terms)
    return {form: n / len(terms) for form, n in found.items()}


WITH_FORMS = [name for name in attributes() if name.partition(".")[0] not in NO_FORMS]


@pytest.mark.parametrize(
    ("attribute", "task"),
    [(name, "sentiment") for name in WITH_FORMS] + [(name, "toxicity") for name in WITH_FORMS if "." not in name],
)
def test_forms_of_words_are_as_frequent_in_the_placebo_as_in_the_attribute(attribute: str, task: str) -> None:
    part = built(attribute, task=task)
    made = control_part(part)
    assert made is not None
    ours, theirs = forms(made.terms.terms), forms(part.terms.terms)
    apart = {form: abs(ours.get(form, 0) - theirs.get(form, 0)) for form in {*ours, *theirs}}
    assert max(apart.values()) < (0.12 if "." in attribute else 0.1), apart  # named sets may be adjectives alone


def test_the_same_seed_draws_the_same_placebo() -> None:
    part = built("religion", task="sentiment")
    first, again, other = (control_part(part, seed=seed) for seed in (0, 0, 1))
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.examples.render() == again.examples.render()
    assert first.terms != other.terms


@pytest.mark.parametrize("attribute", ["placebo", "names.placebo", "gender+age"])
def test_there_is_no_placebo_of_a_placebo_or_an_intersection(attribute: str) -> None:
    task = "ner" if attribute.startswith("names") else "sentiment"
    assert control_part(built(attribute, task=task)) is None


def test_a_planted_group_lies_beyond_the_placebo_and_equal_words_do_not() -> None:
    part = built("gender", task="sentiment")
    other = control_part(part)
    assert other is not None
    family_terms = [one.term for one in part.terms.terms if one.group == "men"]
    for planted, expected in ((family_terms, True), ([], False)):
        model = noisy(dict.fromkeys([term.lower() for term in planted], 2.5))
        outcomes = outcomes_of(part, model)
        family = group_family(outcomes, HARMS)
        null = placebo_null(family, outcomes_of(other, model), HARMS)
        assert null is not None
        men = family.who.groups.index("men")
        placed = percentile(float(family.t[0, men]), null.t["called_negative"])
        assert len(null.t["called_negative"]) == len(null.words["called_negative"]) == 1000
        assert (placed >= 95) is expected


def test_a_cell_is_placed_by_hand() -> None:
    """100 draws whose largest t is 0 to 9.9, and whose largest gap is 0 to .099, in both scopes; 20 placebo terms."""
    steps = np.arange(100) / 10
    terms = np.append(np.zeros(19), 0.2)
    sizes = {"a": {"group": [0.094, 0.2]}}
    null = PlaceboNull(
        t={"a": steps}, words={"a": steps / 100}, terms={"a": terms}, gaps={"a": steps / 100}, sizes=sizes,
        spread={"a": 0.03}, cells=2, single=100, concepts=8, lexemes=40, texts=400,
    )  # fmt: skip
    # a group by t and by gap: the one that says less decides
    assert [null.of_group(t, gap, "a") for t, gap in ((9.5, 0.5), (20.0, 0.05), (20.0, 0.5))] == [95.0, 50.0, 100.0]
    assert null.of_group(9.5, float("nan"), "a") == 95.0
    assert null.size("group", "a") == (0.094, 0.2)
    assert np.isnan(null.size("words", "a")).all()
    # words: that two new gaps of this spread are smaller, where fewer draws show as much
    spread = 0.03 * np.sqrt(1.01)
    assert null.of_words(0.095, "a") == pytest.approx(min(95.0, 100 * stats.t.cdf(0.095 / spread, 5) ** 2))
    assert null.of_words(0.04, "a") == 40.0
    # a term against the largest of ten placebo terms
    spread = np.std(terms) * np.sqrt(1 + 1 / 20)
    assert null.of_term(0.1, "a", 10) == pytest.approx(100 * min(0.95, stats.t.cdf(0.1 / spread, 5)) ** 10)
    assert null.of_term(0.5, "a", 10) == pytest.approx(100 * stats.t.cdf(0.5 / spread, 5) ** 10)
    assert null.of_term(0.5, "a", 1) > null.of_term(0.5, "a", 10)
    assert null.smallest_clear("group", "a") == pytest.approx(np.quantile(steps, 0.95))


def test_a_run_compares_with_the_placebo_by_default() -> None:
    suite = fc.Suite.build("gender", groups=["women", "men"])
    with_placebo = suite.run(noisy({}), progress=False).findings
    without = suite.run(noisy({}), progress=False, control_words=False).findings
    assert with_placebo["placebo_percentile"].notna().all()
    assert without["placebo_percentile"].isna().all()
    sizes = ["placebo_gap", "placebo_rate_gap"]
    assert with_placebo[sizes].notna().all(axis=None)
    assert without[sizes].isna().all(axis=None)
    np.testing.assert_allclose(with_placebo["unadjusted_gap"], without["unadjusted_gap"])
