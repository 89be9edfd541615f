"""The figure to track and its gate: by hand, laws, older runs, and exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import scored
from fairness_checklist.findings.kpi import DEFINITION, largest_gap
from findings_kpi import World, alike_words, records, several, shifted
from simulated_families import balanced, design, family_in
from simulation import crossed, simulated

import fairness_checklist as fc
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.family import GroupFamily, group_family
from fairness_checklist.findings.placebo_null import PlaceboNull
from fairness_checklist.findings.records import find
from fairness_checklist.reports.tracked import KPI_COLUMNS, gate_of, kpi_text

HARMS = (parse_harm("called:low"), parse_harm("missed:high"))
NUMBERS = ("value", "ci_low", "ci_high", "noise_floor")
FLOOR = np.arange(101) / 1000


@cache
def three_groups() -> GroupFamily:
    """Gaps of 20, 2 and -3 points, all with an error of 5 and a critical value of 2.5."""
    chosen = design((5, 5, 5), 30)
    random = np.random.default_rng(0)
    one = family_in(chosen, balanced(chosen.scores(random, chosen.lexemes(random))[0]), draws=19)
    gap, error = np.array([[0.2, 0.02, -0.03]]), np.full((1, 3), 0.05)
    critical = np.array([2.5, np.nan, np.nan])
    return replace(one, gap=gap, error=error, t=gap / error, critical=critical, largest_null=FLOOR)


@cache
def outcomes() -> Outcomes:
    """Four groups of six terms, the first shifted; 30 sources, three classes."""
    random = np.random.default_rng(7)
    one = simulated(random, templates=30, terms=6, effects=0.3 * random.normal(size=(24, 3)))
    return replace(one, lexemes=one.terms)


def tracked(one: Outcomes) -> dict[str, Any]:
    return largest_gap(group_family(one, HARMS, draws=199))


def test_by_hand() -> None:
    # the variance of true gaps: (.2^2 + .02^2 + .03^2) / 3 - .05^2 = .011267; .2 * .011267 / (.011267 + .05^2) = .1637
    found = largest_gap(three_groups())
    assert [round(found[name], 4) for name in NUMBERS] == [0.1637, 0.075, 0.325, 0.096]  # .2 -+ 2.5 * .05
    assert (found["group"], found["harm"]) == ("group 0", "called_negative")


def test_the_figure_and_its_interval_are_never_below_0() -> None:
    one = three_groups()
    better = largest_gap(replace(one, gap=-np.abs(one.gap), t=-np.abs(one.t)))
    assert better["value"] == better["ci_low"] == 0
    assert better["ci_high"] == pytest.approx(-0.02 + 2.5 * 0.05)


def test_the_placebo_raises_the_floor_and_never_lowers_it() -> None:
    def floor(t: float, words: float, scope: int) -> float:
        family = replace(three_groups(), scope=np.full(3, scope))
        family = replace(family, critical=np.full(3, 2.5))
        drawn = {"called_negative": np.full(100, t)}, {"called_negative": np.full(100, words)}
        null = PlaceboNull(*drawn, {}, {}, cells=0, single=0, concepts=8, lexemes=40, texts=400)
        return float(largest_gap(family, null)["noise_floor"])

    assert floor(1.0, 0.5, 0) == pytest.approx(0.096)  # a t of 1 is a gap of one error, .05
    assert floor(4.0, 0.5, 0) == pytest.approx(0.2)
    assert floor(4.0, 0.15, 1) == pytest.approx(0.15)
    assert floor(4.0, 0.05, 1) == pytest.approx(0.096)
    assert floor(4.0, 0.5, 2) == pytest.approx(0.096)  # rows have no placebo


def test_nothing_where_nothing_can_be_compared() -> None:
    one = three_groups()
    assert largest_gap(replace(one, t=np.full((1, 3), np.nan))) == {}
    few = outcomes()
    assert tracked(select_rows(few, few.source < 12)) == {}


def test_cells_without_a_test_take_no_part() -> None:
    one = three_groups()
    thin = largest_gap(replace(one, t=np.array([[np.nan, 0.4, -0.6]])))
    assert thin["group"] == "group 1"
    assert thin["ci_high"] == pytest.approx(0.02 + 2.5 * 0.05)


# Laws


def test_the_scale_of_weights_and_the_order_of_rows_do_not_matter() -> None:
    one = outcomes()
    first = tracked(one)
    assert first["group"] == "group 0"
    for other in (tracked(replace(one, weight=7 * one.weight)), tracked(shuffled(one, 3))):
        assert (other["group"], other["harm"]) == (first["group"], first["harm"])
        np.testing.assert_allclose([other[n] for n in NUMBERS], [first[n] for n in NUMBERS], atol=1e-9)


def shuffled(one: Outcomes, seed: int) -> Outcomes:
    order = np.random.default_rng(seed).permutation(len(one))
    assert one.units is not None
    names = ("group", "source", "term", "weight", "labelled", "correct", "gold", "predicted", "true_negative")
    moved: dict[str, Any] = {name: getattr(one, name)[order] for name in names}
    return replace(one, **moved, units=replace(one.units, row=np.argsort(order)[one.units.row]))


def test_names_of_groups_and_terms_do_not_matter() -> None:
    one = outcomes()
    terms = tuple(f"word {t}" for t in range(len(one.terms)))
    groups = tuple(reversed(one.groups))  # the same groups in the same places under other names
    first, other = tracked(one), tracked(replace(one, groups=groups, terms=terms, lexemes=terms))
    assert [other[n] for n in NUMBERS] == [first[n] for n in NUMBERS]
    assert (first["group"], other["group"]) == (one.groups[0], groups[0])


def test_the_order_of_groups_moves_the_draws_alone() -> None:
    one = outcomes()
    place = np.array([2, 0, 3, 1])
    moved = replace(
        one,
        groups=tuple(one.groups[g] for g in np.argsort(place)),
        group=place[one.group],
        term_group=place[one.term_group],
    )
    first, other = tracked(one), tracked(moved)
    assert (other["group"], other["harm"]) == (first["group"], first["harm"])
    assert other["value"] == pytest.approx(first["value"])
    for name in NUMBERS[1:]:
        assert other[name] == pytest.approx(first[name], abs=0.02)


def test_identical_groups_are_0() -> None:
    random = np.random.default_rng(1)
    source, term = np.repeat(np.arange(30), 18), np.tile(np.arange(18), 30)
    gold = source % 3
    same = random.dirichlet(np.ones(3), size=(30, 6))  # by source and word: the groups have the same words
    one = crossed(same[source, term % 6], gold, source, term // 6, term, 3)
    found = tracked(replace(one, lexemes=one.terms))
    assert found["value"] == pytest.approx(0, abs=1e-9)
    assert found["ci_low"] == 0 < found["noise_floor"] < found["ci_high"]

    constant = tracked(replace(crossed(same[source, 0], gold, source, term // 6, term, 3), lexemes=one.terms))
    assert [constant[name] for name in NUMBERS] == pytest.approx([0, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize("harms", [1, 2])
@pytest.mark.parametrize("chosen", ["alike", "several", "words", "mixed"])
def test_the_interval_holds_the_largest_gap_as_it_was_measured(chosen: str, harms: int) -> None:
    random = np.random.default_rng(2)
    designs = {
        "alike": lambda: shifted("8 x 30"),
        "several": lambda: several("5 x 30"),
        "words": lambda: alike_words(2),
        "mixed": lambda: design((5, 6, 2), 30),
    }
    world = World("", designs[chosen](), harms)
    for seed in range(8):
        family, _ = world.run(random, seed)
        found = largest_gap(family)
        assert 0 <= found["ci_low"] <= family.gap.max() <= found["ci_high"]
        assert 0 <= found["value"] <= family.gap.max()


def test_without_an_effect_few_runs_lie_above_the_floor_and_with_one_they_do() -> None:
    def above(world: World) -> int:
        random = np.random.default_rng(4)
        found = [largest_gap(world.run(random, seed)[0]) for seed in range(60)]
        return sum(one["value"] > one["noise_floor"] for one in found)

    assert above(World("", shifted("8 x 30"))) <= 7
    assert above(World("", shifted("8 x 30", 0.2))) == 60


# Results


def evaluated(shift: float = 0.12) -> fc.Result:
    return fc.evaluate(scored(shift), harm="called:rejected", metrics=["fpr_gap"], draws=99)


def test_one_row_an_attribute_also_after_a_round_trip(tmp_path: Path) -> None:
    result = evaluated()
    table = result.kpi()
    assert tuple(table.columns) == KPI_COLUMNS
    assert table[["attribute", "group", "harm"]].to_numpy().tolist() == [["shift", "night", "called:rejected"]]
    row, record = table.iloc[0], result.findings.set_index("group").loc["night"]
    assert row["value"] == pytest.approx(record["shrunk_gap"])
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((record["ci_low"], record["ci_high"]))
    assert row["value"] > row["noise_floor"] > 0
    assert table.attrs["definition"] == DEFINITION
    pd.testing.assert_frame_equal(fc.Result.load(result.write_folder(tmp_path / "run")).kpi(), table)


def test_the_order_of_a_tables_rows_does_not_move_the_figure() -> None:
    table = scored(0.12)
    moved = fc.evaluate(
        table.sample(frac=1, random_state=5), harm="called:rejected", metrics=["fpr_gap"], draws=99
    ).kpi()
    found = evaluated().kpi()
    assert moved.loc[0, "value"] == pytest.approx(found.loc[0, "value"])
    assert moved.loc[0, ["group", "harm"]].tolist() == found.loc[0, ["group", "harm"]].tolist()


def test_a_run_of_an_older_version_has_rows_of_nan(tmp_path: Path) -> None:
    folder = evaluated().write_folder(tmp_path / "run")
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del info["findings"]["shift"]["kpi"]
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")
    older = fc.Result.load(folder)
    table = older.kpi()
    assert table["attribute"].tolist() == ["shift"]
    assert table[list(NUMBERS)].isna().all(axis=None)
    assert table[["group", "harm"]].to_numpy().tolist() == [["", ""]]
    assert kpi_text(older) == f"{DEFINITION}\nshift: not known."


# The gate


def one_record(status: str, gap: float, detectable: float) -> pd.DataFrame:
    row = {"attribute": "shift", "group": "night", "title": "called rejected", "status": status}
    return pd.DataFrame([row | {"gap": gap, "detectable_gap": detectable}])


@pytest.mark.parametrize(
    ("status", "gap", "detectable", "code"),
    [
        ("clear", 0.12, 0.08, 1),
        ("clear", 0.12, 0.3, 1),
        ("clear", 0.1, 0.08, 0),
        ("suspected", 0.12, 0.08, 4),
        ("suspected", 0.08, 0.08, 0),
        ("suspected", 0.08, 0.2, 4),
        ("none found", 0.02, 0.08, 0),
        ("none found", 0.02, 0.1, 0),
        ("none found", 0.02, 0.2, 4),
        ("none found", 0.02, float("nan"), 4),
        ("too few to say", 0.02, 0.08, 4),
    ],
)
def test_exit_codes(status: str, gap: float, detectable: float, code: int) -> None:
    assert gate_of(one_record(status, gap, detectable), 0.1)[0] == code


def test_a_clear_finding_decides_and_no_record_is_inconclusive() -> None:
    both = pd.concat([one_record("too few to say", 0.3, 0.5), one_record("clear", 0.2, 0.1)])
    code, reason = gate_of(both, 0.1)
    assert (code, reason.split(":")[0]) == (1, "failed")
    assert reason.endswith("called rejected, 20 points.")
    assert gate_of(both.iloc[:0], 0.1)[0] == 4


def test_the_records_of_the_simulation_are_those_of_the_package() -> None:
    simulated_ones = records(group_family(outcomes(), HARMS, draws=199))
    own = find(outcomes(), HARMS, draws=199).groups
    columns = ["group", "title", "status", "gap", "detectable_gap"]
    keys = ["title", "group"]
    wanted, found = (one[columns].sort_values(keys, ignore_index=True) for one in (own, simulated_ones))
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
