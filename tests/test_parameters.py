"""Options are checked in one place, the same for Python and the command line, and their defaults stand once."""

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.extensions.corpora.mitigation import additions_needed
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import term_bias
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.run.options import RunOptions

TABLE = pd.DataFrame(
    {
        "source": ["1", "1", "2", "2"],
        "group": ["a", "b"] * 2,
        "term": ["x", "y"] * 2,
        "label": ["negative", "negative", "positive", "positive"],
        "p:negative": [0.9, 0.4, 0.2, 0.1],
        "p:positive": [0.1, 0.6, 0.8, 0.9],
    }
)


def suite(**options: Any) -> fc.Suite:
    return fc.Suite.build(**{"attribute": "gender", "templates": ["generic-004"], "max_terms": 1, **options})


def from_texts(**options: Any) -> fc.Suite:
    return fc.Suite.from_texts(**{"texts": ["A man sold his car."], "attribute": "gender", "max_terms": 1, **options})


def never(texts: list[str]) -> list[list[float]]:
    raise AssertionError("the model was asked")


def run(**options: Any) -> fc.Result:
    return suite(groups=["women", "men"]).run(never, **{"progress": False, **options})


def evaluate(**options: Any) -> fc.Result:
    return fc.evaluate(**{"table": TABLE, "draws": 0, "metrics": ["fnr_gap"], **options})


def metric_options(**options: Any) -> Options:
    return Options(**options)


def bundled(**options: Any) -> None:
    fc.load_model("bundled", **options)


def function_model(**options: Any) -> None:
    fc.load_model(never, **options)


WHOLE: list[tuple[Callable[..., Any], str, int]] = [
    (suite, "max_terms", 1),
    (from_texts, "max_terms", 1),
    (run, "draws", 0),
    (evaluate, "draws", 0),
    (evaluate, "min_cell", 1),
    (metric_options, "seed", 0),
    (metric_options, "max_groupings", 1),
    (RunOptions, "draws", 0),
    (bundled, "max_length", 1),
    (bundled, "batch_tokens", 1),
    (function_model, "batch_size", 1),
]


def refused(call: Callable[..., Any], **options: Any) -> str:
    return refusal(fc.InputError, call, **options)


@sweep(("call", "name", "least"), WHOLE)
def test_numbers_that_are_not_whole_are_refused(call: Callable[..., Any], name: str, least: int) -> None:
    for wrong in (2.5, "2", True, float("nan"), [2], np.float64(2.0), np.bool_(True)):
        assert refused(call, **{name: wrong}) == f"{name}={wrong!r} is not a whole number; expected {least} or more."
    for value in (least - 1, -7, np.int64(-7)):
        assert refused(call, **{name: value}) == f"{name}={int(value)} is too small; expected {least} or more."


def test_whole_numbers_of_numpy_are_plain_in_the_record() -> None:
    options = Options(seed=np.int64(3), max_groupings=np.int32(5))  # type: ignore[arg-type]
    assert (type(options.seed), type(options.max_groupings)) == (int, int)
    choices = RunOptions(draws=np.int64(0), options=options, checks=[fc.Invariance(np.float32(0.5))])  # type: ignore[arg-type]
    recorded = json.dumps(choices.recorded("sentiment"))
    assert all(one in recorded for one in ('"draws": 0', '"seed": 3', '"tolerance": 0.5'))
    assert len(suite(max_terms=np.int64(1)).parts[0].terms) == len(suite().parts[0].terms)


NAMES = [
    (suite, "groups", "groups"),
    (suite, "include_terms", "include_terms"),
    (from_texts, "groups", "groups"),
    (run, "metrics", "metrics"),
    (run, "primary", "primary"),
    (evaluate, "metrics", "metrics"),
    (evaluate, "classes", "classes"),
    (evaluate, "group_columns", "group_columns"),
]


@sweep(("call", "name", "output"), NAMES)
def test_what_is_not_a_list_of_names_is_refused(call: Callable[..., Any], name: str, output: str) -> None:
    for value in (5, 2.5, {"women": 1}, b"women", True):
        if value is True and name == "group_columns":
            continue
        message = refused(call, **{name: value}) if value != 5 or name != "group_columns" else f"{output}=5"
        assert message.startswith(f"{output}={value!r}"), message
    for listed in (["women", 5.5], ["women", None], ["women", " "]):
        assert refused(call, **{name: listed}).startswith(f"{output} holds ")


def test_one_name_is_one_name_and_no_list_of_letters(tmp_path: Path) -> None:
    assert suite(groups="women").parts[0].terms.groups == suite(groups=["women"]).parts[0].terms.groups == ("women",)
    assert refused(from_texts, groups="women") == refused(from_texts, groups=["women"])
    assert refused(suite, groups="women,men").startswith("gender: the group 'women,men' is not known.")
    assert refused(suite, include_terms="lady-boy").startswith("gender: the term 'lady-boy' is not known.")
    assert RunOptions(metrics="fped", primary="fped").metrics == ("fped",)
    assert refused(evaluate, classes="positive") != refused(evaluate, classes=list("positive"))
    texts, labels = ["A gay man.", "gays", "tea"], ["toxic", "nontoxic", "nontoxic"]
    held = mentioned_terms(texts, "gay", forms={"gay": "gays"})
    assert held.tolist() == mentioned_terms(texts, ["gay"], forms={"gay": ["gays"]}).tolist()
    assert mentioned_terms("A gay man.", "gay").tolist() == [[True]]
    found = fc.audit(texts, labels, "gay", forms={"gay": "gays"})
    assert found.names == ("gay",)
    assert found.terms["n"].tolist() == [2]
    assert additions_needed(found, terms="gay").equals(additions_needed(found))
    assert term_bias([0.9, 0.2, 0.1], [1, 0, 0], held, "gay").table["term"].tolist() == ["gay"]


AUDIT = fc.audit(["gay", "tea"], ["toxic", "nontoxic"], ["gay"])
WRONG: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = [
    (fc.plan_suite, (), {}, "plan_suite(): missing a required argument: 'gap'.\n"
     "    It takes gap by position, each once; the rest is given by name."),
    (fc.plan_suite, (0.1,), {"group": 2}, "plan_suite() has no option group=.\n"
     "    Did you mean groups=? Known: gap, power, groups, harms, terms, effects, repetitions, seed."),
    (additions_needed, (AUDIT,), {"terms": 5},
     "terms=5 is not a list of strings.\n    Expected strings: terms=[...]."),
]  # fmt: skip


@sweep(("call", "values", "options", "message"), WRONG)
def test_wrong_values_are_no_raw_errors_of_python(
    call: Callable[..., Any], values: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    assert refusal(fc.FairnessChecklistError, call, *values, **options) == message


def test_empty_lists_are_refused_where_they_would_leave_nothing() -> None:
    for call, name in (
        (suite, "groups"),
        (suite, "terms"),
        (suite, "templates"),
        (run, "metrics"),
        (from_texts, "terms"),
    ):
        assert refused(call, **{name: []}) == f"{name}=[] names nothing.\n    Name one at least, or leave {name} out."
    assert refused(suite, attribute=[]) == 'no attribute is named.\n    Name one: Suite.build("gender").'
    assert RunOptions(primary=[], checks=[]).checks == ()


@sweep("call", [run, evaluate, RunOptions])
def test_tests_and_options_of_another_type_are_refused(call: Callable[..., Any]) -> None:
    expected = "Expected tests: checks=[Invariance(), MinimumFunctionality()]; [] runs none."
    for value in (None, "invariance", fc.Invariance, 5):
        assert refused(call, checks=value) == f"checks holds {value!r}, which is not a test.\n    {expected}"
    assert refused(call, checks=["INV"]) == f"checks holds 'INV', which is not a test.\n    {expected}"
    values: tuple[Any, ...] = ({}, {"seed": 3}, [], 0, "seed=3")
    for given in values:
        assert refused(call, options=given) == (
            f"options={given!r} is not a record of options.\n    Write options=Options(seed=3)."
        )
    assert RunOptions(checks=fc.Invariance(0.2)).checks == (fc.Invariance(0.2),)  # type: ignore[arg-type]


@sweep(("call", "options", "message"), [
    (metric_options, {"weight": None}, "weight=None is not known.\n    Known: source, groupings."),
    (metric_options, {"undefined": "rais"},
     "undefined='rais' is not known.\n    Did you mean raise? Known: report, raise."),
    (metric_options, {"background": None}, "background=None is not a name.\n    Expected a string."),
    (metric_options, {"denominator": "all"}, "denominator='all' is not known.\n    Known: true_class, all_sources."),
    (metric_options, {"max_groupings": 5, "groupings": [[0, 0, 0]]},
     "groupings= and max_groupings= exclude each other."),
    *((run, {name: ["fnr_gapp"]},
       "the metric 'fnr_gapp' is not known.\n    Did you mean fnr_gap or tnr_gap or fpr_gap?")
      for name in ("metrics", "primary")),
    (run, {"primary": ["fnr_gap", "fpr_gap", "avg_eg", "avg_if", "cf_gap"]},
     "5 primary metrics are named; expected at most four.\n    Name those that matter most: by default fnr_gap, "
     "fpr_gap."),
    (run, {"unlabelled": None}, "unlabelled=None is not known.\n    Known: keep, drop."),
    (run, {"uncertainty": "all"}, "uncertainty='all' is not known.\n    Expected True or False."),
    (run, {"progress": "no"}, "progress='no' is not known.\n    Expected True or False."),
    (run, {"threshold": "eer", "threshold_on": 5}, "threshold_on is of the type int, which is no table.\n    Give"
     " a DataFrame, Dataset, pyarrow Table, list of dictionaries, dictionary of columns, or a path."),
    (evaluate, {"table": None},
     "there is nothing to evaluate.\n    Call evaluate(y_true, y_pred, sensitive_features=...), or "
     "evaluate(table)."),
    (evaluate, {"attribute": None}, "attribute=None is not a name.\n    Expected a string that is not empty."),
    (evaluate, {"labels": "GPE"}, "labels='GPE' is not a mapping.\n    Write labels={\"GPE\": \"LOC\"}."),
    (evaluate, {"task": "sentimnet"},
     "the task 'sentimnet' is not known.\n    Did you mean sentiment? Known tasks: sentiment, toxicity, ner."),
    (suite, {"task": None}, "the task None is not known.\n    Known tasks: sentiment, toxicity, ner."),
    (suite, {"language": ["en"]},
     "the language ['en'] is not known.\n    Known languages: en (English), es (Spanish)."),
    (suite, {"templates": 2.5}, "2.5 is neither a name nor a file.\n    Expected strings, or paths of files."),
    (suite, {"attribute": ["gender", None]}, "attribute holds None, which is none of the strings expected."),
    (suite, {"lists": ["Leeds"]},
     "lists=['Leeds'] is not a mapping from names to values.\n    Write lists={\"city\": [\"Leeds\", \"Turin\"]}."),
    (suite, {"lists": {"city": "Leeds"}},
     "the list 'city' is not a list of words: 'Leeds'.\n    Write lists={\"city\": [\"...\", \"...\"]}."),
])  # fmt: skip
def test_other_values_are_refused(call: Callable[..., Any], options: dict[str, Any], message: str) -> None:
    assert refused(call, **options) == message


@sweep(("options", "message"), [
    ({"dtype": "float23"},
     "dtype='float23' is not known.\n    Did you mean float32? Known: float32, bfloat16, float16."),
    ({"pooling": 1}, "pooling=1 is not known.\n    Known: first, mean."),
    ({"device": 0}, "device=0 is not a name.\n    Expected a string that is not empty."),
    ({"name": b"x"}, "name=b'x' is not a name.\n    Expected a string that is not empty."),
])  # fmt: skip
def test_options_of_load_model_are_checked_whatever_the_model(options: dict[str, Any], message: str) -> None:
    assert refused(bundled, **options) == message
    assert refused(function_model, **options) == message


@sweep("value", [float("nan"), -0.1, 1.5, float("inf"), True, None, "0.1", [0.1]])
def test_a_tolerance_is_a_number_from_0_to_1(value: Any) -> None:
    shown = f"{value:g}" if isinstance(value, float) else repr(value)
    assert refused(fc.Invariance, tolerance=value) == f"tolerance={shown} is not a number from 0 to 1."


@sweep("value", [float("nan"), -0.1, 1.5, True, [0.5], np.array([0.2, 0.8]), {}, {1: 0.5}, "0.5"])
def test_a_threshold_that_is_none_is_refused(value: Any) -> None:
    for call in (run, evaluate):
        assert refused(call, threshold=value).startswith("threshold ")


@pytest.mark.parametrize("verb", ["run", "predict"])
def test_a_misspelt_keyword_is_never_an_option_of_load_model(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(*_given: Any, **options: Any) -> None:
        raise AssertionError(f"load_model got {options}")

    monkeypatch.setattr("fairness_checklist.models.load.load_model", _with_signature(loaded))
    ask = getattr(suite(groups=["women", "men"]), verb)

    def message(name: str) -> str:
        return refused(ask, model=never, **{name: 1})

    output = "{}= is not an option of a run or of load_model.\n    {}"
    for name, near in (("threshhold", "threshold"), ("unlabeled", "unlabelled"), ("tresholdon", "threshold_on")):
        assert message(name) == output.format(name, f"Did you mean {near}?")
    if verb == "run":  # `predict` has a seed, of the control words
        assert message("seed") == output.format("seed", "It is an option of metrics: options=Options(seed=...).")
    assert message("task") == output.format("task", "The task is that of the suite: Suite.build(..., task=...).")
    assert message("tolerance") == output.format(
        "tolerance", "It belongs to the test: checks=[Invariance(tolerance=...), MinimumFunctionality()]."
    )
    assert "load_model" in message("qqqqqq")


def _with_signature(function: Any) -> Any:
    from fairness_checklist.models.load import load_model

    function.__signature__ = inspect.signature(load_model)
    return function
