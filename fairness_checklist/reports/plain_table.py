"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["WIDTH", "aligned"]

WIDTH = 100


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1, width: int = WIDTH) -> str:
    """A table in plain text: words to the left, numbers to the right, long heads on several lines.

    Args:
        header: a head a column.
        rows: a cell a column.
        words: how many columns at the left hold words.
        width: of the whole table; columns that do not fit stand in a further table below.

    >>> print(aligned(["group", "fnr_gap", "n"], [["women", "+0.012", "120"], ["cis", "-0.3", "8"]]))
    group  fnr_gap    n
    women   +0.012  120
    cis       -0.3    8
    """
    heads = [_broken(name) if i >= words else [_short(name, 30)] for i, name in enumerate(header)]
    body = [[_short(cell, 30) if i < words else cell for i, cell in enumerate(row)] for row in rows]
    sizes = [max(map(len, [*heads[i], *(row[i] for row in body)])) for i in range(len(header))]
    out: list[str] = []
    start = words
    while start < len(header) or not out:
        fixed = sum(sizes[:words]) + 2 * (words - 1)
        stop = start
        while stop < len(header) and (stop == start or fixed + sum(n + 2 for n in sizes[start : stop + 1]) <= width):
            stop += 1
        shown = [*range(words), *range(start, stop)]
        tall = max(len(heads[i]) for i in shown)
        padded = {i: [""] * (tall - len(heads[i])) + heads[i] for i in shown}
        lines = [[padded[i][k] for i in shown] for k in range(tall)]
        lines += [[row[i] for i in shown] for row in body]
        out.append("\n".join(_line(line, [sizes[i] for i in shown], words) for line in lines))
        start = stop
    return "\n\n".join(out)


def _line(cells: Sequence[str], sizes: Sequence[int], words: int) -> str:
    pairs = enumerate(zip(cells, sizes, strict=True))
    return "  ".join(cell.ljust(size) if i < words else cell.rjust(size) for i, (cell, size) in pairs).rstrip()


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _broken(name: str) -> list[str]:
    """A long head on several lines, cut at spaces and underscores."""
    lines = [""]
    for piece in name.replace("_", "_ ").split(" "):
        joined = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("_") else " ") + piece
        if lines[-1] and len(joined) > 10:
            lines.append(piece)
        else:
            lines[-1] = joined
    return lines
