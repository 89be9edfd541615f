"""Numbers and lists of names as text: shares, points, decimals, p-values, counts."""

import math


def percent(share: float) -> str:
    """A share as a percentage; one decimal below 10 %."""
    return "undefined" if math.isnan(share) else f"{hundredths(share)} %"


def points(gap: float) -> str:
    """The size of a difference of shares in percentage points."""
    number = hundredths(abs(gap))
    return f"{number} point" if number == "1" else f"{number} points"


def hundredths(share: float) -> str:
    """A share times 100; one decimal below 10."""
    number = round(100 * share, 1)
    text = f"{number:.0f}" if abs(number) >= 10 else f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def decimal(value: float, *, signed: bool = False, places: int = 3, undefined: str = "-") -> str:
    """A number with its decimals; never minus nothing."""
    if math.isnan(value):
        return undefined
    rounded = round(value, places) + 0.0
    return f"{rounded:+.{places}f}" if signed and rounded else f"{rounded:.{places}f}"


def join_names(names: list[str], limit: int = 0, *, last: str = "and") -> str:
    """Names in a row, the last one joined by a word; those beyond the limit are only counted."""
    if limit and len(names) > limit:
        names = [*names[:limit], f"{len(names) - limit:,} more"]
    return f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def capitalise(text: str) -> str:
    """The text with a capital first letter; the rest stays as it is."""
    first = text[:1].upper()
    return first + text[1:] if len(first) == 1 else text


def format_p_value(p: float) -> str:
    """A p-value."""
    return "below 0.001" if p < 0.0005 else f"{p:.3f}"
