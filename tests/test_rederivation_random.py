"""Metrics of random tables with missing groups, empty cells and weights of 0 against the plain re-derivation."""

from typing import Any

import pandas as pd
import pytest
import rederive
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import missing
from fairness_checklist.metrics.metric_forms import METRICS


@st.composite
def tables(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...], list[Row]]:
    """Groups, classes, and rows of a few sources: groups may be missing, cells empty, weights 0, probabilities tied,
    labels of a source different."""
    groups = draw(st.sampled_from([GROUPS[:2], GROUPS, (*GROUPS, "oak")]))
    classes = draw(st.sampled_from([BINARY, THREE]))
    rows = []
    for s in range(draw(st.integers(1, 4))):
        label, symmetric = draw(st.sampled_from(["", *classes])), draw(st.sampled_from([True, True, True, False]))
        for group in ("", *groups):
            for t in range(draw(st.integers(0, 1 if not group else 2))):
                shares = draw(st.lists(st.integers(0, 3), min_size=len(classes), max_size=len(classes)))
                whole = sum(shares) or 1
                p = tuple(x / whole for x in shares) if sum(shares) else (1.0, *[0.0] * (len(classes) - 1))
                rows.append(
                    Row(
                        group,
                        p,
                        draw(st.sampled_from([label, label, label, "", *classes])),
                        draw(st.sampled_from(classes)),
                        f"s{s}",
                        f"{group}-{t}" if group else "",
                        draw(st.sampled_from([1.0, 1.0, 2.0, 0.5, 0.0])),
                        draw(st.sampled_from([0.0, 0.25, 1.0])),
                        symmetric,
                    )
                )
    return groups, classes, rows


def tabled(rows: list[Row], classes: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": [row.source for row in rows],
            "symmetric": ["yes" if row.symmetric else "no" for row in rows],
            "group": [row.group or "unmarked" for row in rows],
            "term": [row.term for row in rows],
            "label": [row.label for row in rows],
            "predicted": [row.predicted for row in rows],
            **{f"p:{name}": [row.p[c] for row in rows] for c, name in enumerate(classes)},
            "score:las": [row.las for row in rows],
            "weight": [row.weight for row in rows],
        }
    )


@settings(max_examples=25, deadline=None, derandomize=True)
@given(tables())
def test_every_metric_of_a_random_table_is_re_derived(
    table: tuple[tuple[str, ...], tuple[str, ...], list[Row]],
) -> None:
    groups, classes, rows = table
    if not any(row.group for row in rows):
        return
    outcomes = outcomes_of(rows, groups, classes)
    names = [name for name, line in METRICS.items() if not missing(line.score, outcomes)]
    said: dict[Any, Any] = {}
    for name in names:
        for row in compute(name, outcomes).rows():
            said[name, "", row["class"], row["left"], row["right"]] = row["value"], row["n"], row["n_undefined"]
    asked = {(name, "") for name in names}
    found = rederive.derive(tabled(rows, classes), asked, classes[-1], list(groups))
    assert said.keys() == found.keys()
    for at, (value, *counts) in found.items():
        assert said[at][0] == pytest.approx(value, abs=1e-9, nan_ok=True), at
        assert list(said[at][1:]) == counts, at
