"""A suite beside natural texts: gaps that were planted, what is said of them, and what cannot be compared."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import Call
from refusals import refusal

import fairness_checklist as fc
from fairness_checklist.extensions.natural.agreement import rank_correlation, reliability
from fairness_checklist.extensions.natural.expectation import expected_scores
from fairness_checklist.extensions.natural.suite_gaps import suite_gaps

EFFECTS = {"woman": 0.3, "girl": 0.2, "man": 0.0, "boy": -0.1, "Muslim": 0.25, "Hindu": -0.05, "atheist": 0.1}
FORMS = {word: re.compile(rf"\b{word.replace('man', 'm[ae]n')}s?\b", re.IGNORECASE) for word in EFFECTS}
NAMES = [{"Muslim": "Islam", "Hindu": "Hinduism"}.get(word, word) for word in EFFECTS]  # of the terms
PLACES = ("kitchen", "garden", "office", "station", "library", "market")


def score(text: str) -> float:
    """The probability of negative: a level, the effects of words, and something of the text."""
    said = sum(effect for word, effect in EFFECTS.items() if FORMS[word].search(text))
    return 0.35 + said + 0.01 * (len(text) % 7)


def model(texts: list[str]) -> list[dict[str, float]]:
    return [{"negative": score(text), "neutral": 0.0, "positive": 1 - score(text)} for text in texts]


def level(texts: list[str]) -> np.ndarray:
    """Probabilities that no word of a group moves."""
    negative = 0.4 + 0.01 * np.array([len(text) % 7 for text in texts])
    return np.column_stack([negative, 1 - negative, 0 * negative])


def scores(texts: list[str]) -> np.ndarray:
    return np.array([score(text) for text in texts])


@pytest.fixture(scope="module")
def result() -> fc.Result:
    suite = fc.Suite.build(["gender", "religion"], task="sentiment", terms=None, templates=["generic"])
    return suite.run(model, classes=["negative", "neutral", "positive"], progress=False, metrics=["parity_gap"])


@pytest.fixture(scope="module")
def texts() -> pd.DataFrame:
    chance = np.random.default_rng(1)
    rows = []
    for word in (*EFFECTS, "teacher", "neighbor"):
        for _ in range(80):
            places = " and the ".join(chance.choice(PLACES, size=chance.integers(1, 12)))
            rows.append(
                (f"A {word} waited in the {places}, {chance.integers(99)}.", chance.choice(["neutral", "negative"]))
            )
    return pd.DataFrame(rows, columns=["text", "label"])


def test_planted_gaps_come_back_in_all_three_measures_and_their_order_agrees(
    result: fc.Result, texts: pd.DataFrame
) -> None:
    found = fc.validate(result, texts, model)
    terms = found.terms.set_index("term").loc[NAMES]
    planted = pd.Series(EFFECTS)
    for gap in ("suite", "observed", "own"):
        assert (terms[gap] - terms[gap].mean()).to_numpy() == pytest.approx(
            (planted - planted.mean()).to_numpy(), abs=0.04
        )
    assert found.order["observed"].correlation > 0.9
    assert found.order["own"].correlation > 0.9
    assert found.order["observed"].low <= found.order["observed"].correlation <= found.order["observed"].high
    missed = fc.validate(result, texts[["text"]], model, harm="missed:positive").terms.set_index("term")
    assert missed["own"][NAMES].tolist() == pytest.approx(terms["own"].tolist(), abs=0.04)
    assert (found.texts, found.used) == (len(texts), int((texts["label"] != "negative").sum()))
    assert found.labelled


def test_a_group_that_fares_worse_in_the_texts_too_holds(result: fc.Result, texts: pd.DataFrame) -> None:
    record = result.findings.iloc[[0]].assign(
        attribute="gender", group="women", status="worse", error="called_negative"
    )
    claimed = fc.Result(**{**vars(result), "findings": record})
    assert fc.validate(claimed, texts, model).findings["answer"].tolist() == ["holds"]
    flat = fc.validate(claimed, texts, level, classes=["negative", "neutral", "positive"]).findings
    assert flat["answer"].tolist() == ["undecided"]


def test_scores_of_the_table_take_the_place_of_a_model(result: fc.Result, texts: pd.DataFrame) -> None:
    scored = texts.assign(**{"p:negative": scores(texts["text"].tolist())})
    halves = [scored.iloc[:300], scored.iloc[300:]]  # tables one after the other
    found = fc.validate(result, iter(halves))
    assert "own" not in found.terms
    assert found.terms["observed"].tolist() == pytest.approx(
        fc.validate(result, texts, model).terms["observed"].tolist(), abs=0.02, nan_ok=True
    )
    message = refusal(fc.errors.OptionError, fc.validate, result, texts)
    assert message == "the texts have no scores: no column p:negative.\n    Give the model, or such a column."
    assert re.fullmatch(
        r"no term of the suite is mentioned in 20 texts or more, of the \d+ that the error concerns\.\n"
        r"    Give more texts, or a run of other attributes\.",
        refusal(fc.errors.OptionError, fc.validate, result, texts[texts["text"].str.contains("teacher")], model),
    )


def test_what_the_text_says_beside_the_mention_is_expected_and_taken_out() -> None:
    chance = np.random.default_rng(2)
    sad = chance.random(600) < 0.5
    texts = [f"it was a {'horrible' if one else 'charming'} day number {at}" for at, one in enumerate(sad)]
    level = np.where(sad, 0.7, 0.2) + chance.normal(0, 0.02, 600)
    expected = expected_scores(texts, level)
    assert np.abs(expected - np.where(sad, 0.7, 0.2)).mean() < 0.03


def test_the_effects_of_terms_are_those_of_least_squares(result: fc.Result) -> None:
    from fairness_checklist.core.tasks import known_harm

    harm = known_harm("called_negative")
    found = suite_gaps(result, harm)
    rows = result.examples[(result.examples["group"] != "unmarked") & (result.examples["label"] != "negative")]
    wide = pd.get_dummies(rows["attribute"] + " " + rows["group"] + " " + rows["term"]).astype(float)
    sources = pd.get_dummies(rows["source"]).astype(float)
    effects = np.linalg.lstsq(np.hstack([wide, sources]), rows["p:negative"], rcond=None)[0][: wide.shape[1]]
    named = dict(zip(wide.columns, effects - effects.mean(), strict=True))
    ours = {" ".join(row): gap for row, gap in zip(found.terms.to_numpy().tolist(), found.gap, strict=True)}
    assert ours == pytest.approx(named, abs=1e-3)
    assert np.corrcoef(*found.halves)[0, 1] > 0.9
    assert reliability(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])) == pytest.approx(2 * 0.8 / 1.8)
    assert all(np.isnan(rank_correlation(one, np.arange(len(one)) * 1.0)) for one in (np.arange(2.0), np.ones(5)))


def test_an_adjective_is_replaced_where_the_term_is_the_faith_that_has_it(result: fc.Result) -> None:
    """ "Muslim" is the adjective of Islam, and a variant of it as a noun."""
    rows = pd.DataFrame(
        {"text": [f"A {who} neighbor waited at stop {k}." for who in ("Muslim", "Hindu") for k in range(30)]}
    )
    found = fc.validate(result, rows, model).terms.set_index("term")
    assert found["n_own"][["Islam", "Hinduism"]].tolist() == [30, 30]
    assert found["own"]["Islam"] - found["own"]["Hinduism"] == pytest.approx(0.3, abs=0.03)


def test_the_verb_prints_one_screen(result: fc.Result, texts: pd.DataFrame, call: Call) -> None:
    result.save("runs/own")
    texts.assign(**{"p:negative": scores(texts["text"].tolist())}).to_csv("texts.csv", index=False)
    said = call("validate", "runs/own", "texts.csv", "--out", "compared")
    lines = said.out.splitlines()
    assert lines[0] == (
        f"{len(texts)} texts; {int((texts['label'] != 'negative').sum())} that the error concerns by their labels. "
        "Error: called negative without being so."
    )
    assert lines[2].startswith(
        "The terms' gaps in the suite and in the texts that mention them: the order is much the same (rank"
    )
    assert len(lines) <= 15
    assert json.loads(Path("compared/validate.json").read_text("utf-8"))["order"]["observed"]["n"] == len(EFFECTS)


SPELT = {
    "Muslim": "a muslim",
    "Muslims": "the Muslims",
    "women": "women",
    "woman": "a woman's",
    "Jewish": "some jewish",
}
SPELT |= {"Mexican": "a mexican", "vegan": "a vegan"}


def test_every_form_of_a_term_is_found_and_replaced() -> None:
    """The run has the term itself, or another form of its lexeme; the text any form in any case."""
    from fairness_checklist.extensions.natural.own_gaps import own_gaps
    from fairness_checklist.extensions.natural.suite_gaps import SuiteGaps
    from fairness_checklist.extensions.natural.validation import _Finder

    seen: list[str] = []

    def without(rewritten: list[str]) -> np.ndarray:
        seen.extend(rewritten)
        return np.zeros(len(rewritten))

    rows = [("religion", "Muslims", "Islam"), ("gender", "women", "woman"), ("religion", "Jewish people", "Judaism")]
    rows += [("nationality", "Latin America and the Caribbean", "Mexico")]
    of_files = dict(zip(("Muslim", "Muslims", "women", "woman", "Jewish", "Mexican"), (0, 0, 1, 1, 2, 3), strict=True))
    as_form = {"Muslim": 0, "Muslims": 0, "women": 1, "woman": 1, "Jewish": 2, "Mexican": 3}
    for form, said in SPELT.items():
        own = [(*rows[as_form[form]][:2], form)] if form in as_form else [("diet", "vegans", form)]
        for row in ([rows[of_files[form]]] if form in of_files else []) + own:
            finder = _Finder.of(SuiteGaps(pd.DataFrame([row], columns=["attribute", "group", "term"]), *[None] * 2))  # type: ignore[arg-type]
            text = f"We saw {said} student, and it was fine."
            assert finder.mentions([text]).toarray().all(), (row, text)
            gaps = own_gaps([text], {row[2]: np.array([0])}, finder.records, np.ones(1), without)
            assert gaps[row[2]].tolist() == [1.0], (row, text)
            assert not any(form.lower() in new.lower() for new in seen), (row, seen)
            seen.clear()


def test_the_bare_word_stands_beside_the_suite(result: fc.Result, texts: pd.DataFrame) -> None:
    """A model that reads the bare word the other way round is believed by the suite, and the other way round."""

    def other(texts: list[str]) -> list[dict[str, float]]:
        answers = model(texts)
        for text, one in zip(texts, answers, strict=True):
            if len(text.split()) <= 3:  # a bare word
                one["negative"] = 1 - one["negative"]
                one["positive"] = 1 - one["negative"]
        return answers

    alike, reverse = fc.validate(result, texts, model), fc.validate(result, texts, other)
    assert "undecided which agrees better" in str(alike)
    assert "believe the suite, which agrees better" in str(reverse)
    assert reverse.order["bare"].correlation < 0 < reverse.order["own_observed"].correlation
    flipped = {f"p:{name}": 1 - result.examples[f"p:{name}"] for name in ("negative", "positive")}
    turned = fc.Result(**{**vars(result), "examples": result.examples.assign(**flipped)})
    assert "believe the bare word, which agrees better" in str(fc.validate(turned, texts, model))
    assert list(alike.terms)[-6:] == ["suite", "bare", "own", "own_low", "own_high", "n_own"]
    scored = texts.assign(**{"p:negative": scores(texts["text"].tolist())})
    assert "needs --model" in str(fc.validate(result, scored))
