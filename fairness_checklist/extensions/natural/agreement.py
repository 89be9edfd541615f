"""Whether two lists of gaps agree: rank correlation with its interval, reliability, and the ceiling that follows."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import count

DRAWS = 1000


def rank_correlation(first: FloatArray, second: FloatArray) -> float:
    """Spearman's rank correlation of the places where both are known; NaN for fewer than three, or without spread."""
    both = ~(np.isnan(first) | np.isnan(second))
    if both.sum() < 3 or np.ptp(first[both]) == 0 or np.ptp(second[both]) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(first[both]), rankdata(second[both]))[0, 1])


def reliability(first: FloatArray, second: FloatArray) -> float:
    """The reliability of a list of gaps from the rank correlation of its halves (Spearman and Brown), 0 to 1."""
    halves = rank_correlation(first, second)
    return max(0.0, 2 * halves / (1 + halves)) if halves > -1 else 0.0


def interval(drawn: FloatArray) -> tuple[float, float]:
    """The middle 95 % of what was drawn."""
    low, high = np.nanpercentile(drawn, [2.5, 97.5]) if not np.isnan(drawn).all() else (np.nan, np.nan)
    return float(low), float(high)


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far the order of the suite's gaps agrees with that of the gaps in texts."""

    n: int  # terms or groups
    correlation: float  # Spearman's, with its 95 % interval (NaN with fewer than three)
    low: float
    high: float
    suite: float  # suite, texts: the reliabilities, 0 to 1
    texts: float
    drawn: FloatArray  # (DRAWS,) the correlation of resampled terms, or NaN

    @property
    def ceiling(self) -> float:
        """The largest correlation that these reliabilities allow, 0 to 1."""
        return float(np.sqrt(self.suite * self.texts))

    def record(self) -> dict[str, float]:
        """All figures, the ceiling and the corrected correlation among them."""
        figures = {name: value for name, value in vars(self).items() if name != "drawn"}
        return {**figures, "ceiling": self.ceiling, "corrected": self.corrected}

    @property
    def corrected(self) -> float:
        """The correlation divided by the ceiling, -1 to 1; NaN with a ceiling of 0."""
        return float(np.clip(self.correlation / self.ceiling, -1, 1)) if self.ceiling else float("nan")


def agreement(
    suite: FloatArray,
    texts: FloatArray,
    *,
    suite_halves: tuple[FloatArray, FloatArray],
    text_halves: tuple[FloatArray, FloatArray],
    redrawn: FloatArray | None = None,  # (D, T) gaps in resampled texts, which the interval resamples as well
    seed: int = 0,
) -> Agreement:
    """The agreement of two lists (T,) of gaps of the same terms, and their reliabilities from the halves."""
    terms = np.flatnonzero(~(np.isnan(suite) | np.isnan(texts)))
    generator = np.random.default_rng([seed, 11])
    drawn = np.full(DRAWS, np.nan)
    for draw in range(DRAWS if len(terms) else 0):
        rows = generator.choice(terms, len(terms))
        natural = texts if redrawn is None else redrawn[draw % len(redrawn)]
        drawn[draw] = rank_correlation(suite[rows], natural[rows])
    low, high = interval(drawn)
    return Agreement(
        n=len(terms),
        correlation=rank_correlation(suite, texts),
        low=low,
        high=high,
        suite=reliability(*suite_halves),
        texts=reliability(*text_halves),
        drawn=drawn,
    )


_STRONG = 0.5  # lower end of the interval from which an order is said to be much the same


def order_in_words(order: Agreement) -> str:
    """The agreement of two orders, from "no order in common" to "the same order", with its interval."""
    if order.n < 3 or order.correlation != order.correlation:
        return f"too few terms to say ({order.n:,})."
    luck = f"; corrected for that it is {order.corrected:.2f}"
    if order.correlation > order.ceiling:
        luck = "; the rest is luck"
    return (
        f"{_about_order(order)} (rank correlation {order.correlation:.2f}, 95 % interval {order.low:.2f} to "
        f"{order.high:.2f}, {count(order.n, 'term')}). So many texts and sentences allow {order.ceiling:.2f}{luck}."
    )


def _about_order(order: Agreement) -> str:
    """What the interval shows: an order in common, none, or neither."""
    if order.low > _STRONG:
        return "the order is much the same"
    if order.low > 0:
        return "the order agrees in part"
    return "the order is reversed" if order.high < 0 else "it is undecided whether the order agrees"
