"""Every number of a run's metrics.csv against a plain re-derivation from its examples.parquet: rederive.py."""

import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import rederive
import rederive_terms
from build_outcomes import BINARY, THREE, Row, example_sets, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.metrics import closed_forms
from fairness_checklist.metrics.backgrounds import everyone
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS
from fairness_checklist.metrics.metric_forms import METRICS, no_normaliser
from fairness_checklist.metrics.scores import true_class_probabilities, true_positive_rate
from fairness_checklist.tables.texts import to_table

Found = dict[tuple[str, ...], tuple[float, int, int]]

SENTENCES = {
    "I met {a:identity.writer}.": ("neutral", "nontoxic"),
    "{The:identity.writer} smiled.": ("positive", "nontoxic"),
    "{The:identity.writer} is an idiot.": ("negative", "toxic"),
    "I loathe {the:identity.writer}.": ("negative", "toxic"),
    "Nobody listens to {the:identity.writer}.": ("", ""),
    "{The:identity.writer} sang badly.": ("negative", "toxic"),
}
TERMS = {"deaf": ["deaf", "hard-of-hearing"], "hearing": ["hearing", "with good ears"], "blind": ["blind", "sightless"]}


def answers(size: int) -> Callable[[list[str]], np.ndarray[Any, Any]]:
    """A model that answers at random, the same for the same text."""
    return lambda texts: np.array(
        [np.random.default_rng(zlib.crc32(text.encode())).dirichlet(np.ones(size)) for text in texts]
    )


def suite_of(task: str, terms: dict[str, list[str]]) -> fc.Suite:
    at = 0 if task == "sentiment" else 1
    templates = [
        {"sentence": text, "label": labels[at], "task": task, "symmetric": "no" if "sang" in text else "yes"}
        for text, labels in SENTENCES.items()
    ]
    return fc.Suite.from_templates(templates, terms=terms, task=task)


def tabled(rows: list[Row], classes: tuple[str, ...]) -> pd.DataFrame:
    """A prediction table with weights, a column of scores and a source that is not symmetric."""
    return to_table(*example_sets([row.but(symmetric=row.source != "s2") for row in rows], classes=classes))


def three_classes() -> fc.Result:
    return suite_of("sentiment", TERMS).run(answers(3), classes=list(THREE), progress=False, draws=0)


def two_classes_by_term() -> fc.Result:
    terms = {name: TERMS[name] for name in ("deaf", "hearing")}
    return suite_of("toxicity", terms).run(answers(2), classes=["nontoxic", "toxic"], progress=False, draws=0)


def weights_and_gaps() -> fc.Result:
    rows = random_rows(3, classes=THREE, ties=True, unlabelled=1, missing=0.3, weights=True, sources=8)
    rows = [row for row in rows if (row.group, row.label) != ("birch", "positive")]
    return fc.evaluate(tabled(rows, THREE), task="sentiment", draws=0)


def weights_of_0() -> fc.Result:
    rows = random_rows(4, unlabelled=2, missing=0.3, weights=True, sources=7)
    return fc.evaluate(tabled([row.but(weight=0.0) if row.source == "s1" else row for row in rows], BINARY), draws=0)


def without_sources() -> fc.Result:
    table = tabled(random_rows(5, classes=THREE, missing=0.3, weights=True), THREE)
    return fc.evaluate(table.drop(columns=["source", "symmetric"]), draws=0)


RUNS = (three_classes, two_classes_by_term, weights_and_gaps, weights_of_0, without_sources)


def both(folder: Path) -> tuple[Found, Found]:
    """What the run's metrics.csv says, and the re-derivation from its examples.parquet."""
    written = pd.read_csv(folder / "metrics.csv", keep_default_na=False, na_values={"value": [""]})
    written["options"] += written["by"].map({"": "", "term": "by=term"})
    key, figure = ["metric", "options", "class", "left", "right"], ["value", "n", "n_undefined"]
    said = {tuple(row[:5]): tuple(row[5:]) for row in written[key + figure].itertuples(index=False)}
    asked = {(name, options) for name, options, *_ in said}
    unknown = sorted({name for name, _ in asked} - set(rederive.LINES))
    assert not unknown, f"rederive.py does not know {', '.join(unknown)}"
    examples, positive = pd.read_parquet(folder / "examples.parquet"), positive_of(written)
    if "variant" in examples:  # rows of control words enter no metric
        examples = examples[examples["variant"] == ""]
    found = rederive.derive(examples, {way for way in asked if not way[1]}, positive, groups_of(examples))
    found |= rederive.derive(examples, {way for way in asked if way[1]}, positive)
    return said, found


def positive_of(metrics: pd.DataFrame) -> str:
    return "toxic" if "toxic" in set(metrics["class"]) else "positive"


def groups_of(examples: pd.DataFrame) -> list[str]:
    return [name for name in dict.fromkeys(examples["group"]) if name != "unmarked"]


def differences(said: Found, found: Found) -> list[str]:
    wrong = [f"{at}: only in one of them" for at in said.keys() ^ found.keys()]
    for at in said.keys() & found.keys():
        (value, *counts), (plain, *plainly) = said[at], found[at]
        if counts != plainly or not np.isclose(value, plain, rtol=0, atol=1e-9, equal_nan=True):
            wrong.append(f"{at}: {said[at]}, re-derived {found[at]}")
    return wrong


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Found, Found]]:
    found = {}
    for run in RUNS:
        folder = tmp_path_factory.mktemp("runs") / run.__name__
        run().write_folder(folder)
        found[run.__name__] = both(folder)
    return found


@sweep("name", [run.__name__ for run in RUNS])
def test_every_number_is_re_derived(name: str, runs: dict[str, tuple[Found, Found]]) -> None:
    said, found = runs[name]
    assert len(said) > 200
    assert differences(said, found) == []


def test_every_metric_is_re_derived_in_some_run(runs: dict[str, tuple[Found, Found]]) -> None:
    named = {name for _, found in runs.values() for name, *_ in found}
    assert named == set(METRICS) - set(ALIASES) - set(OF_POSITIVE_CLASS)  # that these are the same: test_run
    assert {options for name, options, *_ in runs["two_classes_by_term"][1] if name == "fped"} == {"", "by=term"}


MUTATIONS: dict[str, dict[str, Any]] = {
    "fped_normalised": {"normalise": no_normaliser},
    "avg_eg": {"background": everyone},
    "f1_ratio": {"score": true_positive_rate},
    "avg_if": {"score": true_class_probabilities},
}


def test_formulas_that_are_changed_are_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: wrong formulas in the package, and nothing else, are told."""
    right = closed_forms.expected_range
    monkeypatch.setattr(closed_forms, "expected_range", lambda cells, arms: right(cells, arms) + 1e-8)
    for name, change in MUTATIONS.items():
        monkeypatch.setitem(METRICS._metrics, name, replace(METRICS._metrics[name], **change))
    weights_and_gaps().write_folder(tmp_path / "run")
    wrong = differences(*both(tmp_path / "run"))
    assert {text.split("'")[1] for text in wrong} == {*MUTATIONS, "pert_sr"}


def test_a_metric_that_is_not_re_derived_is_named(tmp_path: Path) -> None:
    METRICS.register(replace(METRICS._metrics["fped"], name="a_new_one"))
    try:
        weights_and_gaps().write_folder(tmp_path / "run")
        with pytest.raises(AssertionError, match="does not know a_new_one"):
            both(tmp_path / "run")
    finally:
        METRICS.remove("a_new_one")


def test_it_is_plain_and_short() -> None:
    for module in (rederive, rederive_terms):
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        assert "fairness_checklist" not in text
        assert sum(bool(line.strip()) for line in text.splitlines()) <= 155


OF_PAIRS = ("tpr_gap", "parity_gap", "cf_gap", "avg_if")
OTHERS = ("impact_ratio", "fped", "equalized_odds_difference", "pert_sr")


@sweep("primary", [OF_PAIRS, OTHERS])
@sweep("terms", [TERMS | {"blind": ["blind"]}, {"deaf": TERMS["deaf"], "hearing": TERMS["hearing"]}])
def test_null_means_are_re_derived(primary: tuple[str, ...], terms: dict[str, list[str]]) -> None:
    """Of pairs, of each group over its pairs, and of totals; signed metrics and others than primary have none."""
    result = suite_of("sentiment", terms).run(
        answers(2), classes=["negative", "positive"], metrics=[*primary, "fnr_gap"], primary=primary, progress=False
    )
    metrics, examples = result.metrics, result.examples
    asked = {(name, "") for name in primary}
    plain = rederive_terms.null_means(examples, asked, positive_of(metrics), groups_of(examples))
    for row in metrics.to_dict("records"):
        key = row["metric"], "", row["class"], row["left"], row["right"]
        assert row["null_mean"] == pytest.approx(plain.get(key, np.nan), abs=1e-9, nan_ok=True), key
    assert metrics["null_mean"].notna().sum() > 10
