"""`MFT`, `INV` and `DIR`: the types of behavioral tests, and what they share, with CheckList's calls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import SuiteError
from fairness_checklist.core.option_defaults import SEED, TASK, TOLERANCE, number
from fairness_checklist.extensions.checklist.behavioral.behavioral_predictions import (
    PredictionFiles,
    check_aligned,
    prediction_function,
    raw_lines,
)
from fairness_checklist.extensions.checklist.behavioral.expect import (
    Aggregate,
    Expect,
    Expectation,
    UnknownFunction,
    as_expectation,
    check_parallel,
    entry_of,
    is_list,
)
from fairness_checklist.extensions.checklist.behavioral.summary import (
    Responses,
    Stats,
    class_name,
    failing_texts,
    summary_text,
)


@dataclass(eq=False)
class BehavioralTest(PredictionFiles):
    """What `MFT`, `INV` and `DIR` share."""

    kind: ClassVar[str] = ""

    data: Any  # the cases: a text each, or a list of texts each, the original first
    expect: Expectation = None  # type: ignore[assignment]  # None only of an MFT, which expects its labels
    labels: Any = None  # labels, meta: a list as long as ``data``, or one value for all
    meta: Any = None
    agg_fn: Aggregate = "all"  # how the results of a case become one: "all", "all_except_first", or a function of them
    templates: Any = None  # how the data were made, as the editor's ``template(save=True)`` gives it
    name: str | None = None
    capability: str | None = None
    description: str | None = None
    classes: tuple[str, ...] = ()  # the names of the model's classes, where they are known
    results: Responses | None = field(default=None, init=False)  # None until the test is run
    # run_idxs, drawn: the positions of the cases that were run, and of those that `sample` chose; None for all
    run_idxs: IntArray | None = field(default=None, init=False)
    drawn: IntArray | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not is_list(self.data) or len(self.data) == 0:
            raise SuiteError(
                "a test needs cases, and data holds none.", remedy="Give a list of texts, or of lists of them."
            )
        for name in ("labels", "meta"):
            check_parallel(name, getattr(self, name), len(self.data))
        self.expect = as_expectation(self.expect)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or ''}: {len(self):,} cases>"

    @property
    def has_groups_of_texts(self) -> bool:
        """Whether a case is a list of texts."""
        return is_list(self.data[0])

    @property
    def unknown(self) -> tuple[str, ...]:
        """The functions of the test that a file only named; without them it has no results."""
        of_cases = (str(self.agg_fn),) if isinstance(self.agg_fn, UnknownFunction) else ()
        return (*self.expect.unknown, *of_cases)

    @property
    def gold(self) -> Any:
        """The labels; those that are names of the model's classes are given as positions."""

        def position(label: Any) -> Any:
            if is_list(label):
                return [position(name) for name in label]
            return self.classes.index(label) if label in self.classes else label

        return position(self.labels)

    def sample(self, n: int | None = None, seed: int = SEED) -> None:
        """Choose n cases for `examples`, without replacement; None for all. Results that are there stay."""
        drawn = n is not None and n < len(self.data)
        self.drawn = np.sort(np.random.default_rng(seed).choice(len(self.data), n, replace=False)) if drawn else None

    def positions(self) -> range | IntArray:
        """The positions of the cases that were run; without results, of those that `sample` chose."""
        chosen = self.drawn if self.results is None else self.run_idxs
        return range(len(self.data)) if chosen is None else chosen

    def examples(self) -> list[Any]:
        """The texts of the cases that `sample` chose last, all by default, one after the other."""
        cases = self.data if self.drawn is None else [self.data[position] for position in self.drawn]
        return [text for case in cases for text in case] if self.has_groups_of_texts else list(cases)

    def to_raw_examples(
        self,
        file_format: str | None = None,
        format_fn: Callable[[Any], str] | None = None,
        n: int | None = None,
        seed: int = SEED,
        new_sample: bool = True,
    ) -> list[str]:
        """The texts as lines; the arguments are those of `TestSuite.get_raw_examples`."""
        if new_sample:
            self.sample(n, seed)
        return raw_lines(self.examples(), file_format, format_fn)

    _raw_lines = to_raw_examples

    def save(self, path: str | Path) -> Path:
        """Write the test as JSON, as a suite of one; see `TestSuite.save`."""
        from fairness_checklist.extensions.checklist.behavioral.test_suite import write_suite

        return write_suite([self], Path(path))

    def run_from_preds_confs(self, preds: Sequence[Any], confs: Sequence[Any], overwrite: bool = False) -> None:
        """The results for the predictions and confidences of `examples`, in their order.

        Raises:
            SuiteError: there are results, and ``overwrite`` is False.
            AlignmentError: another number of them.
        """
        self._check_overwrite(overwrite)
        check_aligned(preds, confs, len(self.examples()), f"the test {self.name!r}")
        results = Responses([None] * len(self.data), [None] * len(self.data))
        self.run_idxs = self.drawn
        for values, by_case in ((iter(preds), results.preds), (iter(confs), results.confs)):
            for case in range(len(self.data)) if self.drawn is None else self.drawn:
                size = len(self.data[case])
                by_case[case] = _stacked(list(islice(values, size))) if self.has_groups_of_texts else next(values)
        self.results = results
        self.update_expect()

    def run(
        self,
        model: Any,
        overwrite: bool = False,
        verbose: bool = True,
        n: int | None = None,
        seed: int = SEED,
        *,
        task: str = TASK,
        **loading: Any,
    ) -> None:
        """Ask a model about the texts of the test, and compute the results; see `TestSuite.run`."""
        self._check_overwrite(overwrite)
        function, classes = prediction_function(model, task, **loading)
        self.classes = classes or self.classes
        self.sample(n, seed)
        examples = self.examples()
        if verbose:
            print(f"Predicting {len(examples)} examples")
        self.run_from_preds_confs(*function(examples), overwrite=True)

    def summary(
        self, n: int = 3, print_fn: Any = None, format_example_fn: Any = None, n_per_testcase: int = 3, seed: int = SEED
    ) -> None:
        """Print the counts, and a random sample of the cases that fail.

        Args:
            n, seed: how many failing cases, and the seed of the sample.
            print_fn: gives the text of a failing case from ``(xs, preds, confs, expect_results, labels, meta)``.
            format_example_fn: gives the line of a text from ``(x, pred, conf, label, meta)``.
            n_per_testcase: how many texts of a case.
        """
        formats: dict[str, Any] = {"print_fn": print_fn, "format_example_fn": format_example_fn}
        print(summary_text(self, n, n_per_testcase=n_per_testcase, seed=seed, **formats))

    def visual_summary(self, n_per_testcase: int = 3) -> pd.DataFrame:
        """A table of up to 100 failing cases, with the texts of `summary`: ``case, text, prediction, label``."""
        self.get_stats()
        rows = [
            (int(self.positions()[fail]) + 1, text, class_name(pred, self.classes), class_name(gold, self.classes))
            for fail in self.fail_idxs().tolist()[:100]
            for text, pred, _, gold, _ in failing_texts(self, fail)[:n_per_testcase]
        ]
        return pd.DataFrame(rows, columns=["case", "text", "prediction", "label"])

    def set_expect(self, expect: Expectation) -> None:
        """Replace the expectation; the results are computed again from the predictions, where there are any."""
        self.expect = as_expectation(expect)
        if self.results is not None:
            self.update_expect()

    def update_expect(self) -> None:
        """Compute the results again from the predictions; none where the expectation is not known."""
        results = self._results()
        if self.unknown:
            results.expect_results, results.passed = [], np.empty(0, dtype=object)
            return
        results.expect_results = [list(case) if case is not None else None for case in self.expect(self)]
        results.passed = Expect.aggregate(results.expect_results, self.agg_fn)

    @property
    def state(self) -> Literal["not run", "no expectation", "run"]:
        """Whether the test has results."""
        return "not run" if self.results is None else "no expectation" if self.unknown else "run"

    def fail_idxs(self) -> IntArray:
        """The positions of the cases that fail, among those that were run."""
        return np.flatnonzero([passed is not None and not passed for passed in self._results().passed])

    def filtered_idxs(self) -> IntArray:
        """The positions of the cases to which the expectation does not apply, among those that were run."""
        return np.flatnonzero([passed is None for passed in self._results().passed])

    def get_stats(self) -> Stats:
        """The counts of cases, of those run, after filtering, and of failures.

        Raises:
            SuiteError: the test has not been run, or its expectation is not known.
        """
        run = len(self._results().passed)
        if self.unknown:
            raise SuiteError(
                f"the expectation of the test {self.name!r} is not known: {', '.join(self.unknown)}.",
                remedy="Give it one: test.set_expect(Expect.single(...)).",
            )
        return Stats(len(self.data), run, run - len(self.filtered_idxs()), len(self.fail_idxs()))

    def label_and_meta(self, case: int) -> tuple[Any, Any]:
        """The label and the meta of a case, by its position in the data."""
        return entry_of(self.labels, case), entry_of(self.meta, case)

    def _results(self) -> Responses:
        if self.results is None:
            raise SuiteError(f"the test {self.name!r} has no results.", remedy="Run it first.")
        return self.results

    def _check_overwrite(self, overwrite: bool) -> None:
        if self.results is not None and not overwrite:
            raise SuiteError(f"the test {self.name!r} has results.", remedy="Replace them: overwrite=True.")


def _stacked(values: Sequence[Any]) -> Any:
    """The values of a case as an array; a list where they are sequences of different lengths."""
    return np.array(values) if len({np.shape(value) for value in values}) == 1 else list(values)


class MFT(BehavioralTest):
    """A minimum functionality test: texts and the predictions expected for them.

    Args:
        data: n texts, or n lists of texts.
        expect: the expectation; by default that the prediction equals the label.
        labels: n labels, or one for all; positions of classes where the model gives probabilities.

    Raises:
        SuiteError: neither labels nor an expectation, or no cases.
        AlignmentError: labels or meta of another length.

    >>> test = MFT(["Good.", "Bad."], labels=[1, 1], name="praise", capability="Vocabulary")
    >>> test.run(lambda texts: [[0.1, 0.9], [0.7, 0.3]], verbose=False)
    >>> print(test.get_stats())
    Test cases:      2
    Fails (rate):    1 (50.0%)
    """

    kind = "MFT"

    def __post_init__(self) -> None:
        if self.labels is None and self.expect is None:
            raise SuiteError("an MFT needs labels or an expectation.", remedy="Give labels=, or expect=Expect.eq(1).")
        self.expect = self.expect or Expect.eq()
        super().__post_init__()


class INV(BehavioralTest):
    """An invariance test: the prediction stays that of the first text of each case.

    Args:
        data: n lists of texts, the original first.
        expect: the expectation; by default `Expect.inv` of the threshold.
        threshold: how far the probability of the first text's class may move where the prediction changes.

    >>> test = INV([["She came.", "He came."]], name="gender", capability="Fairness")
    >>> test.run(lambda texts: [[0.1, 0.9], [0.7, 0.3]], verbose=False)
    >>> test.fail_idxs().tolist()
    [0]
    """

    kind = "INV"

    def __init__(
        self,
        data: Any,
        expect: Expectation | None = None,
        threshold: float = TOLERANCE,
        meta: Any = None,
        agg_fn: Aggregate = "all_except_first",
        templates: Any = None,
        name: str | None = None,
        capability: str | None = None,
        description: str | None = None,
        labels: Any = None,
    ) -> None:
        expect = Expect.inv(number("threshold", threshold)) if expect is None else expect
        about: dict[str, Any] = {"name": name, "capability": capability, "description": description}
        super().__init__(data, expect, labels=labels, meta=meta, agg_fn=agg_fn, templates=templates, **about)


class DIR(BehavioralTest):
    """A directional expectation test: how the prediction may change from that of the first text of each case.

    Args:
        data: n lists of texts, the original first.
        expect: the expectation, such as `Expect.monotonic`.

    >>> test = DIR([["Good.", "Very good."]], Expect.monotonic(label=1), name="more", capability="Vocabulary")
    >>> test.run(lambda texts: [[0.2, 0.8], [0.1, 0.9]], verbose=False)
    >>> test.get_stats().fails
    0
    """

    kind = "DIR"

    def __init__(
        self,
        data: Any,
        expect: Expectation,
        meta: Any = None,
        agg_fn: Aggregate = "all_except_first",
        templates: Any = None,
        name: str | None = None,
        labels: Any = None,
        capability: str | None = None,
        description: str | None = None,
    ) -> None:
        about: dict[str, Any] = {"name": name, "capability": capability, "description": description}
        super().__init__(data, expect, labels=labels, meta=meta, agg_fn=agg_fn, templates=templates, **about)


KINDS: dict[str, type[MFT] | type[INV] | type[DIR]] = {"MFT": MFT, "INV": INV, "DIR": DIR}  # the types of tests by name
