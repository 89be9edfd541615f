"""What several texts share at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile


def shared_ends(lists: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many words all lists share at the beginning, and how many behind these at the end."""
    start, end = (
        sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*turned, strict=False)))
        for turned in (lists, [words[::-1] for words in lists])
    )
    return start, min(end, min(map(len, lists)) - start)
