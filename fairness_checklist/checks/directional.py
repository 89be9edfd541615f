"""Directional expectations: how a prediction may change when a group is mentioned."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fairness_checklist.checks.invariance_and_mft import CheckResult, ReferencePairs, decisions, rates_by_group
from fairness_checklist.core.arrays import BoolArray, FloatArray, divide
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.outcomes import Outcomes


class Prediction(NamedTuple):
    """A model's prediction for one text, as passed to a function of `DirectionalExpectation`.

    Attributes:
        label: the predicted class.
        probabilities: by class, in [0, 1]; 1 and 0 where only decisions are known.
        group: the group that the text mentions, "" for the unmarked variant.
        term: the identity term, "" where there is none.
    """

    label: str
    probabilities: Mapping[str, float]
    group: str
    term: str


Expectation = Callable[[Prediction, Prediction], bool | float | None]
_WHAT = "a directional expectation"


@dataclass(frozen=True)
class DirectionalExpectation:
    """The prediction changes in the expected direction when a group is mentioned: a DIR test of CheckList.

    Each example of a group is compared with the reference of its source, as in `Invariance`. A case (a source) fails
    when one of its examples does.

    Attributes:
        expectation: "increases" or "decreases": the probability of ``label`` may move the other way by at most
            ``tolerance``; these are CheckList's ``Expect.monotonic(label, increasing, tolerance)``. A pair that cannot
            fail, because the reference's probability is within the tolerance of 0 (of 1 for "decreases"), is left out.
            Or a function of two `Prediction` records, the reference's and the example's, as in CheckList's
            ``Expect.pairwise``: it returns True or a number above 0 where the pair passes, False, 0 or a negative
            number where it fails, None where the test does not apply.
        label: the class of which the probability is compared; "" is the class predicted for the reference.
        tolerance: in [0, 1]; of "increases" and "decreases" only.
        name: the name of the test in the tables; by default the expectation in words. Two tests of a run need
            different names.

    Raises:
        OptionError: another expectation or a tolerance outside [0, 1]; when it runs, a label that is not among the
            classes, no sources, no probabilities, or a tagger's predictions.

    References:
        Ribeiro et al. 2020, "Beyond Accuracy: Behavioral Testing of NLP Models with CheckList", section 2.2.

    >>> DirectionalExpectation("decreases", label="negative", tolerance=0.05).title
    'p(negative) decreases, tolerance 0.05'
    >>> import fairness_checklist as fc
    >>> suite = fc.Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "hearing": ["hearing"]})
    >>> def model(texts): return [[0.6, 0.2, 0.2] if "deaf" in text else [0.2, 0.2, 0.6] for text in texts]
    >>> classes = ["negative", "neutral", "positive"]
    >>> checks = [DirectionalExpectation("decreases", label="negative")]
    >>> result = suite.run(model, checks=checks, classes=classes, progress=False)
    >>> result.checks_by_group[["test", "group", "fails", "mean_change"]].round(2).values.tolist()
    [['identity: p(negative) decreases', 'deaf', 1, 0.4], ['identity: p(negative) decreases', 'hearing', 0, 0.0]]
    """

    expectation: Literal["increases", "decreases"] | Expectation
    label: str = ""
    tolerance: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        known = ("increases", "decreases")
        if not callable(self.expectation) and self.expectation not in known:
            raise OptionError(
                f"expectation={self.expectation!r} is not known.",
                remedy=f"Known: {', '.join(known)}, or a function of the reference's and the example's prediction."
                f"{did_you_mean(str(self.expectation), known)}",
            )
        if not 0 <= self.tolerance <= 1:
            raise OptionError(f"tolerance={self.tolerance} is not a change of probability: it lies in [0, 1].")
        if callable(self.expectation) and self.tolerance:
            raise OptionError(
                "tolerance= belongs to increases and decreases.", remedy="Leave it out; let the function allow for it."
            )

    @property
    def title(self) -> str:
        """The test's name without the attribute."""
        if self.name:
            return self.name
        if callable(self.expectation):
            return f"directional expectation {self.recorded()['expectation']}"
        compared = f"p({self.label})" if self.label else "p(class of the reference)"
        return f"{compared} {self.expectation}" + (f", tolerance {self.tolerance:g}" if self.tolerance else "")

    def recorded(self) -> dict[str, str | float]:
        """The record of the test for ``run.json``; for a function its name."""
        named = getattr(self.expectation, "__name__", "a function") if callable(self.expectation) else self.expectation
        return {"expectation": named, "label": self.label, "tolerance": self.tolerance, "name": self.name}

    def run(self, outcomes: Outcomes) -> CheckResult:
        """Run the test on the symmetric sources; all pairs are with the reference.

        ``mean_change`` of a group is the mean over its pairs of the change of the label's probability, in [-1, 1]; NaN
        of a function without ``label=``, and of decisions alone.
        """
        compared = ReferencePairs.of(outcomes, _WHAT)
        if outcomes.decisions is not None:
            raise OptionError(
                f"{_WHAT} is about whole texts, and these are a tagger's predictions.",
                remedy="Leave it out of checks=.",
            )
        if outcomes.units is None and not callable(self.expectation):
            raise OptionError(
                f"{_WHAT} compares probabilities, and the predictions have none.",
                remedy="Give the columns p:<class>, or a function that compares the labels.",
            )
        self.check_label(outcomes.classes)
        change, start = self._changes(compared)
        if callable(self.expectation):
            applies, failed = _apply_function(compared, self.expectation, self.title)
        else:
            increasing = self.expectation == "increases"
            applies, margin = directional_margin(start, change, self.tolerance, increasing=increasing)
            failed = ~(margin >= 0)
        example, failed, change = compared.example[applies], failed[applies], change[applies]
        n, size = int((~applies).sum()), len(outcomes.groups)
        left_out = f"the test does not apply to {count(n, 'pair')}" if n else ""
        group = outcomes.group[example]
        pairs, fails = np.bincount(group, minlength=size), np.bincount(group[failed], minlength=size)
        mean_change = divide(np.bincount(group, weights=change, minlength=size), pairs)
        by_group = rates_by_group(outcomes, pairs, fails, mean_change)
        kept = ReferencePairs(outcomes, example, compared.reference[applies])
        return kept.result("DIR", self.title, failed, by_group, [left_out])

    def check_label(self, classes: Sequence[str]) -> None:
        """Raise `OptionError` unless the label is empty or one of the classes."""
        if self.label and self.label not in classes:
            raise OptionError(
                f"label={self.label!r} is not among the classes {', '.join(classes)}.",
                remedy=f"Name one of them.{did_you_mean(self.label, classes)}",
            )

    def _changes(self, compared: ReferencePairs) -> tuple[FloatArray, FloatArray]:
        """(m,) the change of the label's probability from the reference's, and the reference's; NaN without a label."""
        outcomes, example, reference = compared.outcomes, compared.example, compared.reference
        if outcomes.units is None or (callable(self.expectation) and not self.label):
            return np.full(len(example), np.nan), np.full(len(example), np.nan)
        decision, probability = decisions(outcomes)
        label = outcomes.classes.index(self.label) if self.label else decision[reference, 0]
        start = probability[reference, 0, label]
        return probability[example, 0, label] - start, start


def directional_margin(
    start: FloatArray, change: FloatArray, tolerance: float, *, increasing: bool
) -> tuple[BoolArray, FloatArray]:
    """(m,) whether the test applies to a change from a probability, and the margin, at least 0 where it passes."""
    if increasing:
        return start > tolerance, change + tolerance
    return start < 1 - tolerance, tolerance - change


def _apply_function(compared: ReferencePairs, expectation: Expectation, title: str) -> tuple[BoolArray, BoolArray]:
    """(m,) whether the user's function applies to a pair, and whether the pair fails."""
    outcomes, example = compared.outcomes, compared.example
    decision, probability = decisions(outcomes)
    groups = (*outcomes.groups, "")

    def prediction(row: int) -> Prediction:
        term = int(outcomes.term[row])
        return Prediction(
            outcomes.classes[int(decision[row, 0])],
            dict(zip(outcomes.classes, probability[row, 0].tolist(), strict=True)),
            groups[int(outcomes.group[row])],
            outcomes.terms[term] if term >= 0 else "",
        )

    reference = {row: prediction(row) for row in np.unique(compared.reference).tolist()}
    rows = zip(compared.reference.tolist(), example.tolist(), strict=True)
    applies, failed = np.ones((2, len(example)), dtype=np.bool_)
    for position, (first, row) in enumerate(rows):
        value: Any = expectation(reference[first], prediction(row))
        if value is not None and (not isinstance(value, (bool, int, float, np.bool_, np.number)) or value != value):
            raise OptionError(
                f"{title} returned {value!r} for a pair of predictions.",
                remedy="Return True, False, a number (above 0 passes), or None where the test does not apply.",
            )
        applies[position] = value is not None
        failed[position] = value is not None and not value > 0
    return applies, failed
