"""`evaluate(y_true, y_pred, sensitive_features=...)`: scikit-learn and fairlearn are the oracles."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import (
    MetricFrame,
    false_negative_rate,
    false_positive_rate,
    selection_rate,
    true_negative_rate,
    true_positive_rate,
)
from pandas.testing import assert_frame_equal
from refusals import refusal
from sklearn.metrics import accuracy_score, f1_score, recall_score
from sweep import sweep

import fairness_checklist as fc

N = 400
DRAW = np.random.default_rng(7)
GOLD = DRAW.integers(0, 2, N)
SEX = np.array(["f", "m", "x"])[DRAW.integers(0, 3, N)]
AGE = np.array(["old", "young"])[DRAW.integers(0, 2, N)]
P = np.clip(GOLD * 0.3 + (SEX == "m") * 0.1 + DRAW.random(N) * 0.6, 0, 1)
PRED = (P > 0.5).astype(int)
WEIGHT = DRAW.integers(1, 4, N).astype(float)
WORDS = np.array(["no", "yes"])
SCORES = {
    "false_positive_rate": false_positive_rate,
    "false_negative_rate": false_negative_rate,
    "true_positive_rate": true_positive_rate,
    "true_negative_rate": true_negative_rate,
    "prediction_rate": selection_rate,
}


def evaluate(*arrays: Any, **options: Any) -> fc.Result:
    return fc.evaluate(*arrays, **{"draws": 0, "metrics": ["fnr_gap", "tpr_gap", "accuracy_gap"], **options})


def rate(result: fc.Result, score: str, group: str, label: str = "1", attribute: str = "group") -> float:
    rows = result.scores
    chosen = rows[
        (rows["score"] == score)
        & (rows["group"] == group)
        & (rows["class"] == label)
        & (rows["attribute"] == attribute)
        & (rows["term"] == "")
        & (rows["where"] == "")
    ]
    assert len(chosen) == 1, chosen
    return float(chosen["value"].iloc[0])


EXPECTED_FORMS: dict[str, Callable[[Any], Any]] = {
    "arrays": np.asarray,
    "lists": lambda values: np.asarray(values).tolist(),
    "series": pd.Series,
    "column": lambda values: pd.DataFrame({"only": values}),
    "n by 1": lambda values: np.asarray(values).reshape(-1, 1),
    "categorical": lambda values: pd.Series(values, dtype="category"),
    "shuffled index": lambda values: pd.Series(values, index=np.arange(N)[::-1] * 3),
}


@sweep("weighted", [False, True])
@sweep("labels", ["numbers", "strings", "booleans", "floats"])
def test_rates_are_those_of_fairlearn_and_scikit_learn(labels: str, weighted: bool) -> None:
    change: dict[str, Callable[[Any], Any]] = {
        "numbers": lambda values: values,
        "strings": lambda values: WORDS[values],
        "booleans": lambda values: values.astype(bool),
        "floats": lambda values: values.astype(float),
    }
    gold, pred = change[labels](GOLD), change[labels](PRED)
    positive = "yes" if labels == "strings" else "1"
    weight = WEIGHT if weighted else None
    result = evaluate(gold, pred, sensitive_features=SEX, sample_weight=weight)
    given = {name: {"sample_weight": weight} for name in SCORES}
    frame = MetricFrame(metrics=SCORES, y_true=GOLD, y_pred=PRED, sensitive_features=SEX, sample_params=given)

    for name in SCORES:
        for group in "fmx":
            assert rate(result, name, group, positive) == pytest.approx(frame.by_group[name][group], abs=1e-12)
        assert rate(result, name, "*", positive) == pytest.approx(frame.overall[name], abs=1e-12)
    for group in "fmx":
        inside = group == SEX
        own = None if weight is None else weight[inside]
        arrays = GOLD[inside], PRED[inside]
        assert rate(result, "accuracy", group, "*") == pytest.approx(accuracy_score(*arrays, sample_weight=own))
        assert rate(result, "f1", group, positive) == pytest.approx(f1_score(*arrays, sample_weight=own))
        assert rate(result, "true_positive_rate", group, positive) == pytest.approx(
            recall_score(*arrays, sample_weight=own)
        )


def test_probabilities_of_three_classes() -> None:
    matrix = DRAW.dirichlet(np.ones(3), N)
    gold = np.array(["b", "c", "a"])[DRAW.integers(0, 3, N)]
    classes = ["b", "c", "a"]
    result = evaluate(gold, y_prob=matrix, classes=classes, sensitive_features=SEX, metrics=["avg_eg"])

    assert (result.examples[["p:b", "p:c", "p:a"]].to_numpy() == matrix).all()
    assert result.examples["predicted"].tolist() == np.array(classes)[matrix.argmax(axis=1)].tolist()
    for group in "fmx":
        inside = group == SEX
        expected = accuracy_score(gold[inside], np.array(classes)[matrix[inside].argmax(axis=1)])
        assert rate(result, "accuracy", group, "*") == pytest.approx(expected)
    named = pd.DataFrame(matrix, columns=classes)
    assert_frame_equal(evaluate(gold, y_prob=named, sensitive_features=SEX, metrics=["avg_eg"]).metrics, result.metrics)
    turned = evaluate(gold, y_prob=named[["a", "b", "c"]], classes=classes, sensitive_features=SEX, metrics=["avg_eg"])
    assert_frame_equal(turned.metrics, result.metrics)


def test_probabilities_of_the_positive_class() -> None:
    result = evaluate(GOLD, y_prob=P, sensitive_features=SEX, metrics=["avg_eg"])
    assert (result.examples["p:1"].to_numpy() == P).all()
    assert result.examples["predicted"].tolist() == [str(k) for k in PRED]
    both = np.stack([1 - P, P], axis=1)
    assert_frame_equal(evaluate(GOLD, y_prob=both, sensitive_features=SEX, metrics=["avg_eg"]).metrics, result.metrics)
    words = evaluate(WORDS[GOLD], y_prob=P, classes=["no", "yes"], sensitive_features=SEX, metrics=["avg_eg"])
    assert words.metrics["value"].tolist() == result.metrics["value"].tolist()
    task = np.array(["nontoxic", "toxic"])[GOLD]
    known = evaluate(task, y_prob=P, sensitive_features=SEX, metrics=["avg_eg"], task="toxicity")
    assert known.metrics["value"].tolist() == result.metrics["value"].tolist()


@sweep("form", EXPECTED_FORMS)
def test_every_form_gives_the_same(form: str) -> None:
    change = EXPECTED_FORMS[form]
    expected = evaluate(GOLD, PRED, y_prob=P, sample_weight=WEIGHT, sensitive_features=np.sort(SEX))
    given = evaluate(
        change(GOLD),
        change(PRED),
        y_prob=EXPECTED_FORMS["arrays" if form == "categorical" else form](P),
        sample_weight=EXPECTED_FORMS["arrays" if form == "categorical" else form](WEIGHT),
        sensitive_features=change(np.sort(SEX)),
        **({"attribute": "group"} if form != "column" else {}),
    )
    assert_frame_equal(given.metrics.drop(columns="attribute"), expected.metrics.drop(columns="attribute"))
    assert_frame_equal(given.scores.drop(columns="attribute"), expected.scores.drop(columns="attribute"))


def test_features_have_names_and_several_are_attributes_of_their_own() -> None:
    features = pd.DataFrame({"sex": SEX, "age": AGE})
    frame = evaluate(GOLD, PRED, sensitive_features=features)
    mapping = evaluate(GOLD, PRED, sensitive_features={"sex": SEX.tolist(), "age": pd.Series(AGE)})

    assert frame.attributes == ("sex", "age")
    assert_frame_equal(mapping.metrics, frame.metrics)
    for name, values in (("sex", SEX), ("age", AGE)):
        alone = evaluate(GOLD, PRED, sensitive_features=pd.Series(values, name=name))
        rows = frame.metrics[frame.metrics["attribute"] == name].reset_index(drop=True)
        assert_frame_equal(rows, alone.metrics)
    assert evaluate(GOLD, PRED, sensitive_features=SEX, attribute="sex").attributes == ("sex",)


def test_two_features_are_crossed_on_request() -> None:
    features = pd.DataFrame({"sex": SEX, "age": AGE})
    crossed = evaluate(GOLD, PRED, sensitive_features=features, group_columns=["sex", "age"], min_cell=1)
    by_pair = MetricFrame(metrics=accuracy_score, y_true=GOLD, y_pred=PRED, sensitive_features=features).by_group

    assert crossed.attributes == ("sex", "age", "sex+age")
    for (sex, age), value in by_pair.items():
        assert rate(crossed, "accuracy", f"{sex} & {age}", "*", "sex+age") == pytest.approx(value)
    only = evaluate(GOLD, PRED, sensitive_features=features, group_columns="age", min_cell=1)
    assert only.attributes == ("age",)


def test_rows_without_a_group_or_a_label_are_counted() -> None:
    sex: list[str | None] = [None, *SEX[1:]]
    result = evaluate(GOLD, PRED, sensitive_features={"sex": sex, "age": AGE})
    assert result.info["notes"]["sex"][-1] == "1 row without a value of sex"
    rest = evaluate(GOLD[1:], PRED[1:], sensitive_features=pd.Series(SEX[1:], name="sex"))
    rows = result.metrics[result.metrics["attribute"] == "sex"].reset_index(drop=True)
    assert_frame_equal(rows, rest.metrics)
    gold = [None, *GOLD[1:].tolist()]
    fewer = evaluate(gold, PRED, sensitive_features=SEX, metrics=["accuracy_gap"])
    assert rate(fewer, "accuracy", "*", "*") == pytest.approx(accuracy_score(GOLD[1:], PRED[1:]))
    none = evaluate(None, PRED, sensitive_features=SEX, metrics=["parity_gap"])
    assert set(none.metrics["metric"]) == {"parity_gap"}


def series(values: Any, index: Any) -> pd.Series:
    return pd.Series(values, index=index)


FOUR = {"y_true": [0, 1, 0, 1], "y_pred": [0, 1, 1, 1], "sensitive_features": ["a", "a", "b", "b"]}
WORDED = {**FOUR, "y_true": ["no", "yes"] * 2, "y_pred": ["no"] * 4}


@sweep(("arrays", "kind", "message"), [
    ({**FOUR, "y_pred": [0, 1, 1]}, fc.errors.AlignmentError,
     "the numbers of rows differ: y_true 4, y_pred 3, group 4.\n    Give one value per row in each, in the same "
     "order."),
    ({**FOUR, "sensitive_features": {"sex": ["a", "b"]}, "y_prob": np.zeros((3, 2))}, fc.errors.AlignmentError,
     "the numbers of rows differ: y_true 4, y_pred 4, y_prob 3, sex 2.\n    Give one value per row in each, in "
     "the same order."),
    ({**FOUR, "y_true": series([0, 1, 0, 1], [3, 1, 0, 2]),
      "sensitive_features": series(["a", "a", "b", "b"], [0, 1, 2, 3])}, fc.errors.AlignmentError,
     "the rows of y_true and group have different indexes, so that their order may differ.\n    Bring them into "
     "one order, group.loc[y_true.index], or give arrays: group.to_numpy()."),
    ({**FOUR, "y_pred": None}, fc.errors.PredictionError,
     "neither y_pred nor y_prob is given.\n    Give the predicted class of each row."),
    ({**FOUR, "y_pred": [0.1, 0.9, 0.5, 1.0]}, fc.errors.PredictionError,
     "y_pred holds 0.1, which is not a class.\n    Give classes, and probabilities as y_prob=."),
    ({**FOUR, "y_pred": np.zeros((4, 2))}, fc.errors.PredictionError,
     "y_pred has the shape (4, 2); expected (4,).\n    Give one value per row, in one column."),
    ({**WORDED, "y_prob": [0.5] * 4}, fc.errors.OptionError,
     "the classes of y_prob are unknown.\n    Give the 2 classes in order, where it has one column the class that it "
     "is about last: classes=['no', 'yes']."),
    ({**WORDED, "y_prob": [[0.5, 0.25, 0.25]] * 4}, fc.errors.OptionError,
     "the classes of y_prob are unknown.\n    Give the 3 classes in order, where it has one column the class that it "
     "is about last: classes=['no', 'yes']."),
    ({**WORDED, "classes": ["no", "maybe"], "y_pred": ["no", "yes", "no", "no"]}, fc.errors.TableError,
     "row 2 of the column predicted is 'yes'; the classes are no, maybe.\n    Correct the row, or name all classes."),
    ({**FOUR, "y_prob": [0.5, 0.5, 1.5, 0.5]}, fc.errors.PredictionError,
     "row 3 of the probabilities is not between 0 and 1: 0=-0.5, 1=1.5 (1 such rows).\n    Return probabilities, "
     "not logits: apply a softmax first, and handle rows that fail."),
    ({**FOUR, "y_prob": [[0.5, 0.5]] * 4, "classes": [0, 1, 2]}, fc.errors.PredictionError,
     "y_prob has the shape (4, 2), and the classes are 0, 1, 2.\n    Give one row with 3 probabilities for each "
     "of the 4 rows."),
    ({**FOUR, "y_prob": pd.DataFrame([[0.5, 0.5]] * 4, columns=["no", "yes"]), "classes": ["0", "1"]},
     fc.errors.OptionError,
     "the table has the classes no, yes, which classes= does not name.\n    Name all of them: 0, 1, no, yes."),
    ({**FOUR, "classes": [0, 1, 1]}, fc.errors.OptionError,
     "classes= names a class twice: 0, 1, 1.\n    Name each once."),
    ({**FOUR, "sensitive_features": {"sex": list("aabb"), "age": list("aabb")}, "group_columns": ["sex", "agee"]},
     fc.errors.TableError, "the table has no column agee.\n    Its columns are label, predicted, sex, age."),
    ({**FOUR, "sensitive_features": {"label": list("aabb")}, "group_columns": ["label"]}, fc.errors.TableError,
     "the table has 2 columns named 'label'.\n    Rename or drop all but one of them."),
    ({**FOUR, "sensitive_features": [None] * 4}, fc.errors.OptionError,
     "no row has a value of group.\n    Leave that sensitive feature out."),
    ({**FOUR, "task": "ner"}, fc.errors.OptionError,
     "y_true and y_pred are about whole texts, and the task ner tags words.\n    Give a table of JSON lines: "
     "tokens, tags, predicted."),
    ({"table": pd.DataFrame({"group": ["a"], "predicted": ["x"]}), "y_pred": [0]}, fc.errors.OptionError,
     "y_pred= belongs to arrays, and a table is given.\n    A table has the columns label, predicted, p:<class> "
     "and weight."),
    ({**FOUR, "table": [0, 1, 0, 1]}, fc.errors.OptionError,
     "y_true is given twice, by its position and by name.\n    Give it once."),
])  # fmt: skip
def test_arrays_that_are_wrong(arrays: dict[str, Any], kind: type[Exception], message: str) -> None:
    assert refusal(kind, evaluate, **arrays) == message


def test_a_default_index_with_another_one_means_the_order_of_the_rows() -> None:
    sex = pd.Series(SEX, index=[f"row {at}" for at in range(N)])
    result = evaluate(pd.Series(GOLD), pd.Series(PRED), sensitive_features=sex)
    assert_frame_equal(result.metrics, evaluate(GOLD, PRED, sensitive_features=SEX).metrics)
