"""The suite needs nothing beside the clone: what reads data of its developers says so, and only that is skipped."""

import os
from pathlib import Path

import pytest
from shared_data import SHARED


def test_what_reads_beside_the_checkout_without_the_mark_fails() -> None:
    for path in (SHARED / "sst5" / "dev.txt", Path(os.path.relpath(SHARED), "dev.txt")):
        with pytest.raises(AssertionError, match="without the mark shared_data"):
            path.open()


@pytest.mark.shared_data
def test_what_has_the_mark_may_read() -> None:
    assert {path.name for path in SHARED.iterdir()} >= {"dixon", "gap", "ner"}


def test_few_tests_need_more_than_the_clone(request: pytest.FixtureRequest) -> None:
    """Counted where the whole suite is collected; what a user's trust rests on stands in `tests/data`."""
    marked = [item for item in request.session.items if item.get_closest_marker("shared_data")]
    assert len(marked) <= 100
