"""Directional expectations: CheckList's `Expect.monotonic` and `Expect.pairwise` are the oracle."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of, random_rows, reference_of
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.checks.directional import DirectionalExpectation, Prediction
from fairness_checklist.extensions.checklist.library import import_checklist

Direction = Literal["increases", "decreases"]


def cases(rows: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    """Each symmetric source's reference, and the other examples of its groups."""
    found = []
    for source in dict.fromkeys(row.source for row in rows if row.symmetric):
        part = [row for row in rows if row.source == source]
        reference = reference_of(part)
        found.append((reference, [row for row in part if row.group and row is not reference]))
    return found


def checklist_says(rows: Sequence[Row], classes: Sequence[str], expect: Any) -> tuple[list[list[Any]], list[Any]]:
    """What CheckList's DIR test says: of each case a value for each pair, and whether the case passes."""
    together = [[reference, *others] for reference, others in cases(rows) if others]
    test = import_checklist().test_types.DIR(
        [[f"{row.source} {row.term}" for row in part] for part in together], expect
    )
    flat = [row for part in together for row in part]
    preds, confs = np.array([classes.index(row.predicted) for row in flat]), np.array([row.p for row in flat])
    test.to_raw_examples()
    test.run_from_preds_confs(preds, confs)
    return [list(part[1:]) for part in test.results.expect_results], list(test.results.passed)


@sweep("label", ["", "positive"])
@sweep("tolerance", [0.0, 0.1, 1.0])
@sweep("direction", ["increases", "decreases"])
@sweep("how", ["two classes", "three classes", "no control", "missing", "not symmetric"])
def test_pairs_cases_and_groups_are_those_of_checklist(
    how: str, direction: Direction, tolerance: float, label: str
) -> None:
    classes = THREE if how == "three classes" else BINARY
    missing = 0.3 if how == "missing" else 0.0
    rows = random_rows(1, classes=classes, sources=20, ties=True, control=how != "no control", missing=missing)
    if how == "not symmetric":
        rows = [row.but(symmetric=row.source not in ("s0", "s1", "s2")) for row in rows]
    keep = classes.index(label) if label else None
    increasing = direction == "increases"
    expect = import_checklist().expect.Expect.monotonic(label=keep, increasing=increasing, tolerance=tolerance)
    values, passed = checklist_says(rows, classes, expect)
    result = DirectionalExpectation(direction, label=label, tolerance=tolerance).run(outcomes_of(rows, classes=classes))

    examples = [row for _, others in cases(rows) for row in others]
    decisions = list(zip(examples, [value for part in values for value in part], strict=True))
    pairs = [(row, value) for row, value in decisions if value is not None]
    failing = [row for row, value in pairs if not value > 0]
    assert (result.reference_pairs, result.reference_fails) == (len(pairs), len(failing))
    assert (result.pairs, result.pair_fails) == (len(pairs), len(failing))
    assert (result.cases, result.fails) == (
        sum(case is not None for case in passed),
        sum(case is not None and not case for case in passed),
    )
    assert {g.group: (g.pairs, g.fails) for g in result.by_group} == {
        group: (sum(row.group == group for row, _ in pairs), sum(row.group == group for row in failing))
        for group in GROUPS
    }
    if tolerance < 1:
        assert 0 < result.reference_fails < result.reference_pairs


def test_a_function_gets_both_predictions() -> None:
    rows = random_rows(3)
    got: list[tuple[Prediction, Prediction]] = []

    def no_more_negative(reference: Prediction, example: Prediction) -> bool | None:
        got.append((reference, example))
        return None if example.group == "cedar" else example.probabilities["negative"] <= 0.5

    result = DirectionalExpectation(no_more_negative).run(outcomes_of(rows))
    expected = [(ref, row) for ref, others in cases(rows) for row in others]

    assert sorted((e.term, e.group, e.label, tuple(e.probabilities.values())) for _, e in got) == sorted(
        (row.term, row.group, row.predicted, row.p) for _, row in expected
    )
    assert {(r.group, r.term) for r, _ in got} == {("", "")}
    applies = [row for _, row in expected if row.group != "cedar"]
    assert result.reference_pairs == len(applies)
    assert result.reference_fails == sum(row.p[0] > 0.5 for row in applies)
    assert result.test == "trees: directional expectation no_more_negative"
    n = len(expected) - len(applies)
    assert result.note.endswith(f"; the test does not apply to {n} pairs")
    assert [np.isnan(group.mean_change) for group in result.by_group] == [True] * 3
    assert result.by_group[2].pairs == 0


@sweep(("made", "message"), [
    *((lambda value=value: DirectionalExpectation(lambda reference, example: value, name="mine").run(
        outcomes_of(random_rows(4))),
       f"mine returned {value!r} for a pair of predictions.\n    Return True, False, a number (above 0 passes), or "
       "None where the test does not apply.") for value in ("yes", float("nan"), [True])),
    (lambda: DirectionalExpectation("increase"), "expectation='increase' is not known.\n    Did you mean"),
    (lambda: DirectionalExpectation("increases", tolerance=1.5), "tolerance=1.5 is not a change of probability:"),
    (lambda: DirectionalExpectation(lambda reference, example: True, tolerance=0.1),
     "tolerance= belongs to increases and decreases."),
    (lambda: DirectionalExpectation("increases", label="positiv").run(outcomes_of(random_rows(4))),
     "label='positiv' is not among the classes negative, positive."),
    (lambda: DirectionalExpectation("increases").run(outcomes_of([row.but(source="") for row in random_rows(5)])),
     "a directional expectation compares variations"),
])  # fmt: skip
def test_what_is_refused(made: Callable[[], object], message: str) -> None:
    assert refusal(fc.errors.OptionError, made).startswith(message)


def model(texts: list[str]) -> list[dict[str, float]]:
    first = [0.6 if "deaf" in text else 0.2 for text in texts]
    return [{"negative": p, "neutral": 0.2, "positive": 0.8 - p} for p in first]


def test_a_run_reports_it_and_keeps_it(tmp_path: Any) -> None:
    sentences = [f"I {verb} {{a:identity.writer}}." for verb in ("met", "hired")]
    suite = fc.Suite.from_templates(sentences, {"deaf": ["deaf", "Deaf"], "hearing": ["hearing"]})
    not_worse = fc.DirectionalExpectation("decreases", label="negative", tolerance=0.1)
    own = DirectionalExpectation(lambda reference, example: example.label == "positive", name="praise")
    options: dict[str, Any] = {"progress": False, "draws": 0, "classes": ["negative", "neutral", "positive"]}
    result = suite.run(model, checks=[fc.Invariance(), not_worse, own], **options)

    found = result.checks.set_index("type", append=True)[["test", "cases", "fails", "pairs", "pair_fails"]]
    assert found.xs("DIR", level="type").to_numpy().tolist() == [
        ["identity: p(negative) decreases, tolerance 0.1", 2, 2, 6, 2],
        ["identity: praise", 2, 2, 6, 2],
    ]
    assert result.info["options"]["directional"] == [
        {"expectation": "decreases", "label": "negative", "tolerance": 0.1, "name": ""},
        {"expectation": "<lambda>", "label": "", "tolerance": 0.0, "name": "praise"},
    ]
    by_group = result.checks_by_group.set_index(["test", "group"])["mean_change"]
    assert by_group["identity: p(negative) decreases, tolerance 0.1", "deaf"] == pytest.approx(0.2)
    assert "identity: praise" in result.tables()
    report = result.to_html(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "p(negative) decreases, tolerance 0.1" in report
    again = fc.Result.load(result.save(tmp_path / "run"))
    assert again.checks["test"].tolist() == result.checks["test"].tolist()
