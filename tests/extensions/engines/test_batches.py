"""Batches by several processes: the same in the same order, and no more of them ahead than the memory bears."""

from __future__ import annotations

from collections.abc import Iterator

from fairness_checklist.extensions.engines.batches import over_batches


def test_results_come_in_order_whoever_computes_them() -> None:
    batches = [[3, 1], [2], [], [5, 5, 5]]
    for workers in (1, 2):
        assert list(over_batches(sorted, batches, workers=workers)) == [(one, sorted(one)) for one in batches]


def test_only_some_batches_are_read_ahead() -> None:
    read: list[int] = []

    def batches() -> Iterator[list[int]]:
        for at in range(20):
            read.append(at)
            yield [at]

    results = over_batches(sum, batches(), workers=2)
    next(results)
    assert len(read) <= 5
    results.close()
