"""What is known of a score, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fairness_checklist.arrays import BoolArray, FloatArray
from fairness_checklist.outcomes import Outcomes

__all__ = ["NO_GOLD", "NO_OTHER", "SCORES", "Score", "ScoreInfo", "about", "score"]

Kind = Literal["rate", "set", "single", "mean", "ranking", "items"]
Score = Callable[[Any], FloatArray]


@dataclass(frozen=True)
class ScoreInfo:
    """What is known of a score.

    Attributes:
        name: the function's name.
        kind: rate, set, single, mean, ranking or items.
        enters: which rows the denominator counts, (n, C) or (n, 1); every row by default.
        undefined: the reason when nothing enters, with ``{label}`` for the class.
        over_classes: True for one value over all classes (class "*").
        needs_labels, needs_decisions, needs_probabilities: what the outcomes must carry.
        two_classes: only defined for two classes, told for the positive one.
        of_decisions: gets decisions as units: probabilities of 1 and 0.
        needs_score: the user's column that is averaged, or "".
    """

    name: str
    kind: Kind = "rate"
    enters: Callable[[Outcomes], BoolArray] | None = None
    undefined: str = "nothing enters the score"
    over_classes: bool = False
    needs_labels: bool = False
    two_classes: bool = False
    needs_score: str = ""
    needs_true_negatives: bool = False
    of_decisions: bool = False

    @property
    def needs_decisions(self) -> bool:
        return self.kind in ("rate", "items") or self.of_decisions

    @property
    def needs_probabilities(self) -> bool:
        return not self.needs_decisions and not self.needs_score


SCORES: dict[str, Score] = {}
_ABOUT: dict[Score, ScoreInfo] = {}


def score(kind: Kind, **known: Any) -> Callable[[Score], Score]:
    """File a function as a score; the function itself stays as it is.

    >>> @score("rate", undefined="no rows")
    ... def share_predicted_twice(counts):
    ...     return 2 * counts.predicted / counts.rows
    >>> about(share_predicted_twice).kind
    'rate'
    >>> del SCORES["share_predicted_twice"]
    """

    def file(function: Score) -> Score:
        SCORES[function.__name__] = function
        _ABOUT[function] = ScoreInfo(function.__name__, kind, **known)
        return function

    return file


def about(function: Score) -> ScoreInfo:
    """What is known of a score; a function that was never filed is a rate."""
    return _ABOUT.get(function, ScoreInfo(getattr(function, "__name__", "score")))


NO_GOLD = "no example with gold class {label}"
NO_OTHER = "no example with another gold class than {label}"
