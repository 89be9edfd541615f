"""docs/statistics.md: its code runs, every function it names is there, and its table of widths is what comes out."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from fairness_checklist.statistics import intervals
from fairness_checklist.statistics.intervals import Interval

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_its_code_runs() -> None:
    blocks = "\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, "statistics.md", "statistics.md", 0)
    report: list[str] = []
    assert doctest.DocTestRunner().run(test, out=report.append) == doctest.TestResults(0, 6), "".join(report)


def test_every_function_is_named_there_and_every_named_one_is_here() -> None:
    code = set(re.findall(r"`([a-z_]+)(?:\([^`]*\))?`", TEXT)) - {"method", "seed", "sources", "note"}
    functions = {name for name in intervals.__all__ if name[0].islower()}
    assert code <= functions
    assert functions - code == {"empirical_bernstein_radius"}


def test_its_table_of_widths() -> None:
    first, second = np.repeat([1.0, 0.0], [38, 212]), np.repeat([1.0, 0.0], [25, 225])
    costs, sides = np.concatenate([first, second]), np.repeat([1, -1], 250)
    orders = [intervals.betting_difference(first, second, seed=seed) for seed in range(60)]
    found = {
        "`bernstein_unfairness`, as printed": intervals.bernstein_unfairness(costs, sides),
        "`empirical_bernstein_difference`": intervals.empirical_bernstein_difference(first, second),
        "`bernstein_unfairness`, `centred=True`": intervals.bernstein_unfairness(costs, sides, centred=True),
        "`hoeffding_difference`": intervals.hoeffding_difference(first, second),
        "`betting_difference` (over 60 orders of the rows)": Interval(
            float(np.mean([order.low for order in orders])), float(np.mean([order.high for order in orders])), "", 500
        ),
        "`clopper_pearson_difference`": intervals.clopper_pearson_difference(38, 250, 25, 250),
        '`bernstein_unfairness`, `variance="sample"`': intervals.bernstein_unfairness(costs, sides, variance="sample"),
        "`newcombe`": intervals.newcombe(38, 250, 25, 250),
    }
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in TEXT.splitlines()
        if re.match(r"\| `.*\| (yes|no)", line)
    ]
    assert {row[0]: row[1:4] for row in rows} == {
        name: (f"{interval.low:.3f}", f"{interval.high:.3f}", f"{interval.width:.3f}")
        for name, interval in found.items()
    }


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("11,903 as printed", intervals.bernstein_rows(0.05)),
        ("3,001 centred", intervals.bernstein_rows(0.05, cost=0.5)),
        ("2,952 by", intervals.hoeffding_rows(0.05)),
    ],
)
def test_its_rows_needed(said: str, found: float) -> None:
    assert said in TEXT
    assert said.split()[0] == f"{int(np.ceil(found)):,}"
