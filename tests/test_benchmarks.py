"""The benchmarks: what is timed, and that docs/speed.md says what was recorded."""

from pathlib import Path

import numpy as np
import speed_table
from metrics_peers import exact_case, group_cases, rates_case
from sweep import sweep

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"


@sweep("at", range(3))
def test_the_page_says_what_was_recorded(at: int) -> None:
    assert speed_table.tables()[at] in PAGE.read_text(encoding="utf-8")


@sweep("name", ["metrics", "inference"])
def test_the_record_is_of_a_full_run(name: str) -> None:
    found = speed_table.figures(name)
    assert found["quick"] is False
    assert found["date"] in PAGE.read_text(encoding="utf-8")


def test_sides_have_equal_values_and_begin_anew() -> None:
    cases = [exact_case(), *rates_case(quick=True), *group_cases(quick=True)]  # which raise where values differ
    for what, ours, _peer, aim, _note in cases:
        assert what
        assert aim > 0
        first, again = ours(), ours()
        assert first is not again
        np.testing.assert_array_equal(first, again)
