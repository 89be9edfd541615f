"""The benchmarks: what is timed, and that docs/speed.md says what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import inference
import numpy as np
import pytest
import speed_table
from metrics_peers import exact_case, group_cases, rates_case

PAGE = Path(__file__).parents[1] / "docs" / "speed.md"


@pytest.mark.parametrize("at", range(3))
def test_the_page_says_what_was_recorded(at: int) -> None:
    assert speed_table.tables()[at] in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["metrics", "inference"])
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


@pytest.mark.parametrize(
    ("text", "starts", "largest"),
    [
        ("so funny ❤️", [0, 3, 9], [0.5, 0.5, 0.5, np.nan]),  # the variation selector is a word, and no token
        ("so funny", [0, 3], [0.5, 0.5]),
        ("so\u200d funny", [4], [np.nan, 0.5]),
        ("so", [], [np.nan]),
    ],
)
def test_a_word_without_a_token_has_no_probability(text: str, starts: list[int], largest: list[float]) -> None:
    def peer(texts: list[str], **_options: Any) -> list[list[dict[str, float]]]:
        return [[{"start": start, "score": 0.5} for start in starts] for _text in texts]

    np.testing.assert_array_equal(inference.tag_by_pipeline(peer, [text], 1), largest)


@pytest.mark.parametrize(("outside", "whole", "share"), [(1.0, 4.0, 0.25), (3.0, 3.0, 1.0), (0.0, 2.0, 0.0)])
def test_the_share_outside_is_of_the_whole(outside: float, whole: float, share: float) -> None:
    assert inference.share_outside(outside, whole) == share
