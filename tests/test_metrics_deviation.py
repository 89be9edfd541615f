"""The expected standard deviation over the groups in a large product, which is sampled with a seed."""

from __future__ import annotations

import itertools
import re

import numpy as np
from build_outcomes import Row, outcomes_of, random_rows

from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import Options


def brute(rows: list[Row], groups: tuple[str, ...]) -> float:
    """The mean over sources of the mean deviation over the product of the groups that a source has; NaN below two."""
    of_sources = []
    for source in dict.fromkeys(row.source for row in rows):
        cells = [[row for row in rows if (row.source, row.group) == (source, group)] for group in groups]
        drawn = list(itertools.product(*(cell for cell in cells if cell)))
        if len(drawn[0]) > 1 and drawn[0][0].label:
            deviations = [np.std([row.p[int(row.label == "positive")] for row in members]) for members in drawn]
            of_sources.append(
                np.average(deviations, weights=[np.prod([r.weight for r in members]) for members in drawn])
            )
    return float(np.mean(of_sources)) if of_sources else np.nan


def rows_of(seed: int, groups: int, terms: int, **how: object) -> tuple[list[Row], tuple[str, ...]]:
    names = tuple("abcdefgh"[:groups])
    return random_rows(seed, groups=names, most_terms=terms, control=False, **how), names  # type: ignore[arg-type]


def test_a_large_product_is_sampled_with_its_standard_error() -> None:
    rows, names = rows_of(1, 7, 5, sources=4)
    full = [
        Row(g, rows[t].p, "positive", source=f"s{s}", term=f"{g}{t}") for s in range(3) for g in names for t in range(4)
    ]
    rows = [row.but(p=tuple(np.random.default_rng([k]).dirichlet((1, 1)))) for k, row in enumerate(full)]
    outcomes, expected = outcomes_of(rows, names), brute(rows, names)  # 16,384 rows a source
    apart = []
    for seed in range(6):
        result = compute("pert_sd", outcomes, Options(seed=seed))
        noted = re.fullmatch(r"mean over 1,000 rows drawn .*, standard error at most (\S+)", result.note)
        assert noted is not None
        apart.append((result.value[0, 0] - expected) / float(noted[1]))
        assert compute("pert_sd", outcomes, Options(seed=seed)).value[0, 0] == result.value[0, 0]
    assert 0.2 < np.sqrt(np.mean(np.square(apart))) < 2
    assert len(set(apart)) == 6
