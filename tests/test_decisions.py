"""Decisions by threshold, and the threshold of equal errors."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from golden import golden_figures
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal
from sweep import sweep

from fairness_checklist.api.scoring import resolved_threshold
from fairness_checklist.core.errors import LabelError, OptionError, PredictionError, TableError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.thresholds import Threshold, check_threshold, decide
from fairness_checklist.extensions.corpora.equal_error_rate import equal_error_rate
from fairness_checklist.models.labels import match_multilabel
from fairness_checklist.models.load import load_model

TWO = ("nontoxic", "toxic")
THREE = ("negative", "neutral", "positive")


def two(*toxic: float) -> Predictions:
    return Predictions.from_probabilities([[1 - p, p] for p in toxic], TWO, scores={"insult": toxic}, notes=("cut",))


def test_a_number_decides_the_positive_class_from_there_on() -> None:
    decisions = two(0.0, 0.69, 0.7, 0.71, 1.0)
    decided = decide(decisions, 0.7, task="toxicity")
    assert decided.predicted.tolist() == [0, 0, 1, 1, 1]
    assert decided.notes == ("cut", "decided by threshold toxic >= 0.7")
    assert decided.probabilities is decisions.probabilities
    assert decided.scores == decisions.scores
    assert decisions.predicted.tolist() == [0, 1, 1, 1, 1]
    assert decide(decisions, 0, task="toxicity").predicted.tolist() == [1] * 5
    assert decide(decisions, 1, task="toxicity").predicted.tolist() == [0, 0, 0, 0, 1]


@sweep("how", ["two classes", "one number", "several labels"])
def test_a_probability_that_is_the_threshold_but_for_its_last_bit_reaches_it(how: str) -> None:
    """1 - 0.9 reaches 0.1, as {0.9, 0.1} has it, wherever the probability comes from."""
    for t in np.arange(1, 100) / 100:
        p = [t, 1 - (1 - t), np.nextafter(t, 0), np.nextafter(t, 1), float(np.mean([t] * 3)), t - 1e-9]
        if how == "one number":
            model = load_model(lambda texts, p=p: [p[int(text)] for text in texts], task="toxicity")
            decisions = model.predict([str(at) for at in range(len(p))])
        elif how == "several labels":
            labels = match_multilabel(["toxic", "insult"], TWO)
            decisions = Predictions.from_probabilities(labels.read(np.column_stack([p, p]))[0], TWO)
        else:
            decisions = Predictions.from_probabilities([[one, 1 - one] for one in p], TWO[::-1])
        toxic = decisions.classes.index("toxic")
        for threshold in (t, {"nontoxic": 1 - t, "toxic": t}, {"toxic": t}):
            assert decide(decisions, threshold, task="toxicity").predicted.tolist() == [toxic] * 5 + [1 - toxic], t
        assert decide(decisions, {"nontoxic": 1 - t}, task="toxicity").predicted.tolist() == [1 - toxic] * 6


def test_the_equal_error_rate_is_that_of_the_decisions_at_its_threshold() -> None:
    scores = np.array([0.1, 1 - 0.9, 0.3, 1 - 0.7, 0.3, 0.7, 1 - 0.3, 0.1])
    gold = np.array([False, True, False, True, True, True, False, False])
    threshold, rate = equal_error_rate(scores, gold)
    decided = decide(two(*scores), threshold, task="toxicity").predicted == 1
    assert rate == pytest.approx(((~decided & gold).sum() / gold.sum() + (decided & ~gold).sum() / (~gold).sum()) / 2)


def test_one_a_class_takes_the_largest_difference_and_ties_go_to_the_first() -> None:
    decisions = Predictions.from_probabilities(
        [[0.5, 0.3, 0.2], [0.4, 0.2, 0.4], [0.1, 0.6, 0.3], [0.3, 0.2, 0.5]], THREE
    )
    each = {"positive": 0.5, "negative": 0.4, "neutral": 0.3}
    decided = decide(decisions, each, task="sentiment")
    assert decided.predicted.tolist() == [0, 0, 1, 2]
    assert decided.notes == ("decided by threshold largest p - threshold: negative 0.4, neutral 0.3, positive 0.5",)
    same = dict.fromkeys(THREE, 0.25)
    assert decide(decisions, same).predicted.tolist() == decisions.predicted.tolist() == [0, 0, 1, 2]


EACH = '\n    Give one per class: threshold={"negative": 0.33, "neutral": 0.33, "positive": 0.33}.'


@sweep(("threshold", "classes", "text"), [
    (1.5, TWO, "threshold is 1.5; expected a number from 0 to 1."),
    (float("nan"), TWO, "threshold is nan; expected a number from 0 to 1."),
    ({"toxic": -0.5}, TWO, "threshold of toxic is -0.5; expected a number from 0 to 1."),
    *((other, TWO, f"threshold is {other!r}; expected a number from 0 to 1.\n"
       '    Also allowed: "eer", and a number for each class: {"toxic": 0.7}.') for other in ("0.7", True)),
    ({}, TWO, 'threshold names no class.\n    Write threshold={"toxic": 0.7}, or threshold=0.7.'),
    ({"toxik": 0.5}, TWO,
     "threshold names the class toxik, which the model does not have; its classes are nontoxic, toxic.\n"
     "    Did you mean toxic?"),
    ({"hostile": 0.5}, TWO,
     "threshold names the class hostile, which the model does not have; its classes are nontoxic, toxic.\n"
     '    Give one per class: threshold={"nontoxic": 0.5, "toxic": 0.5}.'),
    (0.5, THREE, "threshold=0.5 is for two classes, and the model has 3: negative, neutral, positive." + EACH),
    ("eer", THREE, "the equal error rate is for two classes, and the model has 3: negative, neutral, positive." + EACH),
    ({"negative": 0.5, "positive": 0.5}, THREE, "threshold has no number for neutral." + EACH),
])  # fmt: skip
def test_what_cannot_be_a_threshold_gives_the_reason(threshold: Any, classes: tuple[str, ...], text: str) -> None:
    assert refusal(OptionError, check_threshold, threshold, classes) == text


NO_SET = (
    'threshold="eer" needs a labelled set to find the equal error rate on.\n'
    "    Name a table with the columns label and text, or label and p:<class>."
)


def test_decisions_need_probabilities_and_a_threshold() -> None:
    bare = Predictions(TWO, np.array([0, 1]))
    assert refusal(PredictionError, decide, bare, 0.7) == (
        "threshold=0.7 needs probabilities, and the predictions hold decisions only.\n"
        "    Give probabilities (columns p:<class> in a table), or leave threshold out."
    )
    for look in (lambda: decide(two(0.5), "eer"), lambda: resolved_threshold("eer", None, None, "toxicity")):
        assert refusal(OptionError, look) == NO_SET
    assert refusal(OptionError, resolved_threshold, 0.7, SET, None, "toxicity") == (
        'threshold=0.7 is a number already: a set is for threshold="eer".\n'
        '    Leave the set out, or write threshold="eer".'
    )


def value_on(frame: pd.DataFrame, task: str = "toxicity") -> Any:
    """The threshold of equal error rates on a table."""
    found = resolved_threshold("eer", frame, None, task)
    assert found is not None
    return found.value


def rates(scores: Any, labels: Any, threshold: float) -> tuple[float, float]:
    """False positive and false negative rate by counting."""
    above, gold = np.asarray(scores) >= threshold, np.asarray(labels, dtype=bool)
    return float(above[~gold].mean()), float((~above[gold]).mean())


@given(
    rows=st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=2, max_size=40).filter(
        lambda rows: len({label for _, label in rows}) == 2
    )
)
def test_no_observed_score_brings_the_rates_closer(rows: list[tuple[int, bool]]) -> None:
    scores, labels = [score / 20 for score, _ in rows], [label for _, label in rows]
    threshold, rate = equal_error_rate(scores, labels)
    gaps = {t: round(abs(np.subtract(*rates(scores, labels, t))), 12) for t in set(scores)}
    assert threshold == max(t for t, gap in gaps.items() if gap == min(gaps.values()))
    assert rate == pytest.approx(np.mean(rates(scores, labels, threshold)), abs=1e-12)
    for grid, at in ((None, 0.8), (101, 0.8), (3, 0.5)):  # the grid is a number of thresholds
        assert equal_error_rate([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], grid) == (at, 0.0)


@sweep(("scores", "labels", "grid", "text"), [
    ([0.5, 0.5], [1, 1], None, "all 2 labels are positive; expected labels of both classes."),
    ([], [], None, "there are no scores; expected labels of both classes."),
    ([0.5, 0.25], [1], None, "scores of the shape (2,) for labels of the shape (1,); expected (n,)."),
    ([0.5, np.nan], [1, 0], None, "score 2 is no number.\n    Drop such rows."),
    ([0.5, 0.25], [1, 0], 0, "grid=0 is too small; expected 1 or more."),
])  # fmt: skip
def test_scores_without_an_equal_error_rate(scores: Any, labels: Any, grid: Any, text: str) -> None:
    assert refusal(OptionError, equal_error_rate, scores, labels, grid) == text


def test_the_threshold_of_dixons_figures(shared_data: Path) -> None:
    golden = golden_figures("dixon")["scored_phrases"]
    with (shared_data / "dixon" / "scored_phrases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores, gold = np.array([float(row["score"]) for row in rows]), np.array([row["toxicity"] for row in rows])
    threshold, rate = equal_error_rate(scores, gold == "toxic", grid=101)
    assert threshold == golden["eer_threshold"] == 0.74
    assert rate == pytest.approx((golden["fpr"] + golden["fnr"]) / 2, abs=1e-12)
    decisions = Predictions.from_probabilities(np.column_stack([1 - scores, scores]), TWO)
    decided = decide(decisions, threshold, task="toxicity").predicted == 1
    toxic = gold == "toxic"
    cells = {"tp": decided & toxic, "fp": decided & ~toxic, "tn": ~decided & ~toxic, "fn": ~decided & toxic}
    assert {name: int(cell.sum()) for name, cell in cells.items()} == golden["confusion"]
    frame = pd.DataFrame({"label": gold, "p:nontoxic": 1 - scores, "p:toxic": scores})
    exact = value_on(frame)
    assert exact == equal_error_rate(scores, gold == "toxic")[0]
    assert abs(np.subtract(*rates(scores, gold == "toxic", exact))) < abs(golden["fpr"] - golden["fnr"])


SET = pd.DataFrame({"text": ["a", "bb", "ccc", "dddd"], "label": ["nontoxic", "toxic", "nontoxic", "toxic"]})


def more(columns: dict[str, Any]) -> pd.DataFrame:
    return SET.assign(**columns)


def length(texts: list[str]) -> list[float]:
    return [len(text) / 4 for text in texts]


def test_a_model_scores_the_texts_of_a_set_unless_it_has_probabilities() -> None:
    model = load_model(length, task="toxicity")
    expected = equal_error_rate([0.25, 0.5, 0.75, 1.0], [0, 1, 0, 1])
    found = resolved_threshold("eer", SET, model, "toxicity")
    assert found == Threshold(0.75, 0.5, "a set of the user's")
    assert expected == (0.75, 0.5)
    assert resolved_threshold(found, None, model, "toxicity") is found
    assert resolved_threshold({"toxic": 0.5}, None, model, "toxicity") == Threshold({"toxic": 0.5})
    frame = more({"p:toxic": [0.1, 0.3, 0.2, 0.9], "p:nontoxic": [0.9, 0.7, 0.8, 0.1], "group": "", "source": ""})
    assert value_on(frame) == 0.3
    unlabelled = pd.concat([frame, frame.assign(label="", **{"p:toxic": 1.0, "p:nontoxic": 0.0})])
    assert value_on(unlabelled) == 0.3
    lacking = pd.DataFrame({"label": THREE, "p:negative": [0.75, 0.5, 0.25], "p:positive": [0.25, 0.5, 0.75]})
    assert value_on(lacking, "sentiment") == 0.75


@sweep(("frame", "kind", "text"), [
    (SET.drop(columns="label"), TableError,
     "the set for the equal error rate has no column label.\n    Its columns are text."),
    (SET, TableError, "the set for the equal error rate has no columns p:<class>.\n"
     "    Add them, or a column text together with a model."),
    (SET.drop(columns="text"), TableError,
     "the set for the equal error rate has no columns p:<class>, and no column text to ask the model about.\n"
     "    Add them, or a column text together with a model."),
    (more({"label": "toxic", "p:toxic": 0.5, "p:nontoxic": 0.5}), TableError,
     "the set for the equal error rate has no row of the class nontoxic.\n"
     "    Name a set with rows of both classes: nontoxic, toxic."),
    (more({"label": "bad", "p:toxic": 0.5, "p:nontoxic": 0.5}), LabelError,
     "the label of row 1 is 'bad', which is not a class of the task toxicity: nontoxic, toxic.\n"
     "    Correct the column label."),
    (SET.assign(**{f"p:{name}": [1.0, 0, 0, 0] for name in "abc"}, label="a").iloc[:0], TableError,
     "the table has no rows.\n    Write one row per text under the names of the columns."),
])  # fmt: skip
def test_sets_without_a_threshold_give_the_reason(frame: pd.DataFrame, kind: type[Exception], text: str) -> None:
    assert refusal(kind, value_on, frame) == text
