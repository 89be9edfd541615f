"""The gap to follow from version to version: which record it is of, in words, beside an older run; and the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_findings import scored

import fairness_checklist as fc
from fairness_checklist.reports.tracked import DEFINITION, KPI_COLUMNS, kpi_line, kpi_text, tracked_record

FIGURES = ["value", "ci_low", "ci_high"]


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return fc.evaluate(scored(0.12), harm="called:rejected", metrics=["fpr_gap"], draws=99)


def changed(result: fc.Result, **columns: Any) -> fc.Result:
    return replace(result, findings=pd.DataFrame(result.findings).assign(**columns))


def test_one_row_an_attribute_is_the_records_own_gap_also_after_a_round_trip(result: fc.Result, tmp_path: Path) -> None:
    table, night = result.kpi(), result.findings.iloc[0]
    assert tuple(table.columns) == KPI_COLUMNS
    assert table.drop(columns=FIGURES).to_numpy().tolist() == [
        ["shift", "decisions", "night", "called:rejected", True],
    ]
    assert table[FIGURES].iloc[0].tolist() == night[["rate_gap", "rate_ci_low", "rate_ci_high"]].tolist()
    assert table.attrs["definition"] == DEFINITION
    pd.testing.assert_frame_equal(fc.Result.load(result.write_folder(tmp_path / "run")).kpi(), table)


def test_a_gap_that_decisions_do_not_show_is_in_probability(result: fc.Result) -> None:
    [row] = changed(result, rate_ci_low=-0.1).kpi().to_dict("records")
    night = result.findings.iloc[0]
    assert [row[name] for name in FIGURES] == night[["gap", "ci_low", "ci_high"]].tolist()
    assert row["unit"] == "probability"
    assert changed(result, measure="rate").kpi()["unit"].tolist() == ["decisions"]


def test_nothing_where_nothing_can_be_compared(result: fc.Result) -> None:
    few = changed(result, status="too few to say", note="9 independent sentences, fewer than 10")
    assert few.kpi()[FIGURES].isna().all(axis=None)
    assert few.kpi().drop(columns=FIGURES).to_numpy().tolist() == [["shift", "", "", "", False]]
    assert kpi_text(few) == f"{DEFINITION}\nshift: none, because of 9 independent sentences, fewer than 10."
    assert kpi_line(changed(few, note="no interval"), "shift") == "none: no interval."
    assert kpi_line(replace(few, findings=few.findings.iloc[:0]), "shift") == "none: no group can be compared."


@pytest.mark.parametrize(
    ("statuses", "gaps", "expected"),
    [
        (("suspected", "clear", "none found"), (0.3, 0.1, 0.4), 1),
        (("suspected", "none found", "shown to be small"), (0.1, 0.4, 0.01), 0),
        (("none found", "shown to be small", "clear but small"), (-0.1, 0.005, 0.01), 2),
        (("too few to say", "shown to be small", "none found"), (0.5, 0.005, -0.01), 1),
    ],
)
def test_the_strongest_finding_is_followed_else_the_largest_gap(
    statuses: tuple[str, ...], gaps: tuple[float, ...], expected: int
) -> None:
    records = pd.DataFrame({"status": statuses, "gap": gaps, "ci_low": -0.2, "group": range(3)})
    row = tracked_record(records)
    assert row is not None
    assert row["group"] == expected
    assert tracked_record(records.assign(ci_low=float("nan"))) is None


def test_the_line_names_the_group_and_what_it_had_in_an_older_run(result: fc.Result) -> None:
    where = 'the group "night", called rejected without being so.'
    figures = "38 points (at least 29, at most 47)"
    assert kpi_line(result, "shift") == f"{figures}, above noise: {where}"
    small, unsure = changed(result, status="clear but small"), changed(result, status="suspected", rate_ci_low=-0.1)
    assert kpi_line(small, "shift") == f"{figures}, above noise: {where}"
    said = kpi_line(unsure, "shift", result)
    assert said == f"38 points (from -10 to 47), not above noise: {where} It was {figures} in the older run."
    # the same group and unit, whatever was strongest then
    older = changed(result, status=["none found", "clear"], rate_ci_low=-0.1)
    assert kpi_line(result, "shift", older).endswith(f"{where} It was 38 points (from -10 to 47) in the older run.")
    other = changed(result, group=["dawn", "dusk"])
    assert kpi_line(result, "shift", other).endswith(f"{where} The older run has no such gap.")


# The gate


def one_record(status: str, gap: float, detectable: float) -> pd.DataFrame:
    row = {"attribute": "shift", "group": "night", "title": "called rejected", "status": status}
    return pd.DataFrame([row | {"gap": gap, "detectable_gap": detectable, "measure": "probability"}])
