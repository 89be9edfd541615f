"""The catalogue against the straightforward implementation of the benchmarks, metric by metric."""

import numpy as np
from build_outcomes import BINARY, GROUPS, THREE, assert_same, figures, outcomes_of, random_rows
from straightforward import Table, covers, metric_values
from sweep import sweep

from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS

OTHERS = {
    "pos_avg_eg": "two classes",
    "neg_avg_eg": "two classes",
    "las_difference": "a column of the user's",
    "pi_metric": "decisions against those of all others",
}


def small_table(classes: tuple[str, ...]) -> tuple[Table, object]:
    rows = [row.but(label=row.label or classes[0]) for row in random_rows(3, sources=6, classes=classes, control=False)]
    rows.sort(key=lambda row: row.source)
    sources = sorted({row.source for row in rows})
    groups = np.array([GROUPS.index(row.group) for row in rows])
    source = np.array([sources.index(row.source) for row in rows])
    gold, predicted = (
        np.array([classes.index(label) for label in labels])
        for labels in ([row.label for row in rows], [row.predicted for row in rows])
    )
    p = np.array([row.p for row in rows])
    table = Table(GROUPS, classes, len(classes) - 1, groups, source, gold, predicted, p)
    return table, outcomes_of(rows, GROUPS, classes)


@sweep("name", [name for name in METRICS if name not in OTHERS])
@sweep("classes", [BINARY, THREE])
def test_values_are_those_of_the_straightforward_implementation(name: str, classes: tuple[str, ...]) -> None:
    table, outcomes = small_table(classes)
    assert covers(METRICS[name], table)
    assert_same(figures(compute(name, outcomes)), metric_values(name, table, rows=10_000), within=1e-9)


@sweep("name", OTHERS)
def test_omissions_are_listed(name: str) -> None:
    assert not covers(METRICS[name], small_table(THREE)[0])
