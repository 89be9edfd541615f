"""`Expect`: what a test expects of the predictions for its cases, with the calls of CheckList's class of that name.

An expectation gives for each text of a case a result: True or a number above 0 where the text passes, False, 0 or a
negative number where it fails, and None where the expectation does not apply. A case passes where the results of its
texts do, as its test aggregates them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.checks.directional import directional_margin
from fairness_checklist.core.errors import AlignmentError, OptionError

Result = bool | float | None
Aggregate = str | Callable[[Any], Any]
Function = Callable[..., Any]


def is_list(value: object) -> bool:
    """Whether a value holds one entry a text, or a case: a list or an array; a tuple is one text of several fields."""
    return isinstance(value, (list, np.ndarray))


def rows(
    data: Any, preds: Any, confs: Any, labels: Any, meta: Any, positions: Sequence[int] | None = None
) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    """The one text of ``data``, or each entry (at some positions), with its prediction, confidence, label and meta."""
    if not is_list(data):
        yield data, preds, confs, labels, meta
        return
    check_parallel("labels", labels, len(data))
    check_parallel("meta", meta, len(data))
    for row in range(len(data)) if positions is None else positions:
        yield data[row], preds[row], confs[row], entry_of(labels, row), entry_of(meta, row)


def entry_of(values: Any, position: int) -> Any:
    """The entry at a position of a list, or the one value for all."""
    return values[position] if is_list(values) else values


def check_parallel(name: str, values: Any, n: int) -> None:
    """Raise `AlignmentError` where a list has not n entries."""
    if is_list(values) and len(values) != n:
        raise AlignmentError(
            f"{name} has {len(values):,} entries for {n:,} cases or texts.",
            remedy=f"Give one for each, or one {name} for all.",
        )


@dataclass(frozen=True)
class Expectation:
    """What a test expects. Called with a test that has predictions, it gives the results of each case that was run."""

    form: str  # the function of `Expect` that makes it: "eq", "inv", "monotonic", "single", "wrap_slice" and so on
    function: Callable[[Any], Iterable[Any]] = field(repr=False)  # from a test to one list of results a case
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of the function of `Expect`, by name

    def __call__(self, test: Any) -> list[Any]:
        return list(self.function(test))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The functions in it whose code is not known, because it was in a file and is never run."""
        names = [str(argument) for argument in self.arguments.values() if isinstance(argument, UnknownFunction)]
        for argument in self.arguments.values():
            names += argument.unknown if isinstance(argument, Expectation) else ()
        return tuple(dict.fromkeys(names))

    def __str__(self) -> str:
        named = [f"{k}={getattr(v, '__name__', v) if callable(v) else repr(v)}" for k, v in self.arguments.items()]
        return f"{self.form}({', '.join(named)})"


@dataclass(frozen=True)
class UnknownFunction:
    """A function of a saved suite that is not one of CheckList's: its names are known, and it is not run."""

    name: str
    arguments: tuple[str, ...] = ()
    file: str = ""

    def __str__(self) -> str:
        named = f"{self.name}({', '.join(self.arguments)})" if self.arguments else self.name
        return named + (f" of {self.file}" if self.file else "")

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise OptionError(
            f"the function {self} stood in a saved suite, and code from a file is not run.",
            remedy="Give the test an expectation: test.set_expect(Expect.single(...)).",
        )


def as_expectation(function: Any) -> Expectation:
    """An expectation as it is, or a function from a test to one list of results a case as one."""
    if isinstance(function, Expectation):
        return function
    if not callable(function):
        raise OptionError(
            f"expect={function!r} is not an expectation.", remedy="Take one of Expect: Expect.eq(), Expect.single(f)."
        )
    return Expectation("function", function, {"fn": function})


def _by_case(form: str, function: Function, **arguments: Any) -> Expectation:
    """The expectation of which ``function(data, preds, confs, labels, meta)`` gives the results of one case."""

    def results(test: Any) -> list[Any]:
        labels = getattr(test, "gold", test.labels)
        cases = rows(test.data, test.results.preds, test.results.confs, labels, test.meta, test.run_idxs)
        return [function(*case) for case in cases]

    return Expectation(form, results, arguments)


def _single(function: Function) -> Function:
    return lambda *case: [function(*row) for row in rows(*case)]


def _pairwise(function: Function) -> Function:
    def results(data: Any, preds: Any, confs: Any, labels: Any, meta: Any) -> list[Any]:
        if not is_list(data):
            raise OptionError(
                "a pairwise expectation compares the texts of a case, and the cases of this test are single texts.",
                remedy="Give a list of texts for each case, the original first; or take Expect.single.",
            )
        table = rows(data, preds, confs, labels, meta)
        return [function(preds[0], pred, confs[0], conf, label, about) for _, pred, conf, label, about in table]

    return results


class Expect:
    """The functions that make expectations; see `Expectation` for what they give.

    The functions of a user take the arguments that CheckList's do: ``single`` ``(x, pred, conf, label, meta)``,
    ``pairwise`` ``(orig_pred, pred, orig_conf, conf, labels, meta)``, ``testcase``
    ``(xs, preds, confs, labels, meta)`` and ``test`` ``(data, preds, confs, labels, meta, run_idxs)``. Predictions are
    positions of classes, or whatever the model gives; a confidence is the array (C,) of probabilities, or 1 where only
    decisions are known.

    References:
        Ribeiro et al. 2020, "Beyond Accuracy: Behavioral Testing of NLP Models with CheckList", section 2.

    >>> str(Expect.monotonic(label=2, increasing=False, tolerance=0.1))
    'monotonic(label=2, increasing=False, tolerance=0.1)'
    >>> print(Expect.slice_orig(Expect.inv(0.1), lambda pred, conf: pred != 1))
    slice_orig(expect_fn=inv(tolerance=0.1), slice_fn=<lambda>, agg_fn='all')
    """

    @staticmethod
    def test(fn: Function) -> Expectation:
        """The results of all cases at once: ``fn`` gives one list of results a case that was run."""

        def whole(test: Any) -> Any:
            return fn(test.data, test.results.preds, test.results.confs, test.labels, test.meta, test.run_idxs)

        return Expectation("test", whole, {"fn": fn})

    @staticmethod
    def testcase(fn: Function) -> Expectation:
        """The results of one case at a time: ``fn`` gives one result a text."""
        return _by_case("testcase", fn, fn=fn)

    @staticmethod
    def single(fn: Function) -> Expectation:
        """The result of one text at a time."""
        return _by_case("single", _single(fn), fn=fn)

    @staticmethod
    def pairwise(fn: Function) -> Expectation:
        """The result of each text of a case compared with the first, which comes with itself as well."""
        return _by_case("pairwise", _pairwise(fn), fn=fn)

    @staticmethod
    def eq(val: Any = None) -> Expectation:
        """The prediction equals ``val``, or by default the label. A failure is minus (1 - p(label))."""
        return _by_case("eq", _single(_equal(val)), val=val)

    @staticmethod
    def inv(tolerance: float = 0) -> Expectation:
        """The prediction is that of the first text, or its probability moves by at most ``tolerance``."""
        return _by_case("inv", _pairwise(_invariant(tolerance)), tolerance=tolerance)

    @staticmethod
    def monotonic(label: Any = None, increasing: bool = True, tolerance: float = 0.0) -> Expectation:
        """The probability of a class does not fall (rise) by more than ``tolerance`` from that for the first text.

        Args:
            label: the position of the class; None for the class predicted for the first text.
            increasing: False where it may not rise.
            tolerance: in [0, 1]. A case that cannot fail, because the first text's probability is within it of 0 (of
                1), gives None.
        """
        function = _pairwise(_monotonic(label, increasing, tolerance))
        return _by_case("monotonic", function, label=label, increasing=increasing, tolerance=tolerance)

    @staticmethod
    def wrap_slice(expect_fn: Expectation, slice_fn: Expectation, agg_fn: Aggregate = "all") -> Expectation:
        """The results of ``expect_fn``; None for cases where those of ``slice_fn``, aggregated, are not True."""
        return _sliced("wrap_slice", expect_fn, slice_fn, agg_fn, slice_fn)

    @staticmethod
    def slice_testcase(expect_fn: Expectation, slice_fn: Function, agg_fn: Aggregate = "all") -> Expectation:
        """Only the cases that ``slice_fn(xs, preds, confs, labels, meta)`` keeps."""
        return _sliced("slice_testcase", expect_fn, Expect.testcase(slice_fn), agg_fn, slice_fn)

    @staticmethod
    def slice_single(expect_fn: Expectation, slice_fn: Function, agg_fn: Aggregate = "all") -> Expectation:
        """Only the cases of whose texts ``slice_fn(x, pred, conf, label, meta)`` is True."""
        return _sliced("slice_single", expect_fn, Expect.single(slice_fn), agg_fn, slice_fn)

    @staticmethod
    def slice_orig(expect_fn: Expectation, slice_fn: Function, agg_fn: Aggregate = "all") -> Expectation:
        """Only the cases of whose first text ``slice_fn(orig_pred, orig_conf)`` is True.

        CheckList hands the prediction of each compared text in place of the first text's confidence.
        """

        def first(orig_pred: Any, pred: Any, orig_conf: Any, *rest: Any) -> Any:
            return slice_fn(orig_pred, orig_conf)

        return _sliced("slice_orig", expect_fn, Expect.pairwise(first), agg_fn, slice_fn)

    @staticmethod
    def slice_pairwise(
        expect_fn: Expectation, slice_fn: Function, agg_fn: Aggregate = "all_except_first"
    ) -> Expectation:
        """Only the cases of whose pairs ``slice_fn(orig_pred, pred, orig_conf, conf, labels, meta)`` is True."""
        return _sliced("slice_pairwise", expect_fn, Expect.pairwise(slice_fn), agg_fn, slice_fn)

    @staticmethod
    def combine(
        expect_fn1: Expectation, expect_fn2: Expectation, combine_fn: Function, ignore_none: bool = True
    ) -> Expectation:
        """The results of two expectations, combined by ``combine_fn(x1, x2)`` text by text.

        Args:
            ignore_none: True takes the other result where one is None, without calling ``combine_fn``.
        """
        return _combined("combine", expect_fn1, expect_fn2, combine_fn, ignore_none)

    @staticmethod
    def combine_and(expect_fn1: Expectation, expect_fn2: Expectation) -> Expectation:
        """Both expectations: the smaller result of the two."""
        return _combined("combine_and", expect_fn1, expect_fn2, min, True)

    @staticmethod
    def combine_or(expect_fn1: Expectation, expect_fn2: Expectation) -> Expectation:
        """One expectation at least: the larger result of the two."""
        return _combined("combine_or", expect_fn1, expect_fn2, max, True)

    @staticmethod
    def all(ignore_first: bool = False) -> Callable[[Any], bool]:
        """The aggregation of a case that passes where all its results are above 0, of the first or not."""
        first = 1 if ignore_first else 0
        return lambda results: all(value > 0 for value in list(results)[first:])

    @staticmethod
    def aggregate(data: Iterable[Any], agg_fn: Aggregate = "all") -> NDArray[np.object_]:
        """(cases,) the aggregated result of each case: True, False, or None where no text has a result."""
        aggregated = [Expect.aggregate_testcase(results, agg_fn) for results in data]
        array = np.empty(len(aggregated), dtype=object)
        array[:] = aggregated
        return array

    @staticmethod
    def aggregate_testcase(expect_results: Any, agg_fn: Aggregate = "all") -> Any:
        """The aggregated result of one case; texts without a result are left out first.

        Raises:
            OptionError: another name than "all" and "all_except_first".

        >>> Expect.aggregate_testcase([True, -0.2, None]), Expect.aggregate_testcase([-1, 1], "all_except_first")
        (False, True)
        """
        named = {"all": Expect.all(), "all_except_first": Expect.all(ignore_first=True)}
        if isinstance(agg_fn, str) and agg_fn not in named:
            raise OptionError(
                f"agg_fn={agg_fn!r} is not known.", remedy=f"Known: {', '.join(named)}, or a function of the results."
            )
        results = [value for value in ([] if expect_results is None else expect_results) if value is not None]
        if not results:
            return None
        return named[agg_fn](results) if isinstance(agg_fn, str) else agg_fn(np.array(results))


def _sliced(
    form: str, expect_fn: Expectation, filter_fn: Expectation, agg_fn: Aggregate, slice_fn: Function
) -> Expectation:
    def results(test: Any) -> list[Any]:
        keep = Expect.aggregate(filter_fn(test), agg_fn)
        return [
            list(case) if keeps == 1 else [None] * len(case) for case, keeps in zip(expect_fn(test), keep, strict=True)
        ]

    return Expectation(form, results, {"expect_fn": expect_fn, "slice_fn": slice_fn, "agg_fn": agg_fn})


def _combined(form: str, fn1: Expectation, fn2: Expectation, function: Function, ignore_none: bool) -> Expectation:
    def combined(first: Result, second: Result) -> Any:
        if ignore_none and (first is None or second is None):
            return second if first is None else first
        return function(first, second)

    def results(test: Any) -> list[Any]:
        pairs = zip(fn1(test), fn2(test), strict=True)
        return [[combined(*pair) for pair in zip(first, second, strict=True)] for first, second in pairs]

    arguments: dict[str, Any] = {"expect_fn1": fn1, "expect_fn2": fn2}
    if form == "combine":
        arguments.update(combine_fn=function, ignore_none=ignore_none)
    return Expectation(form, results, arguments)


def _same(prediction: Any, other: Any) -> bool:
    """Whether two predictions are equal; arrays where all their entries are."""
    if isinstance(prediction, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(prediction, other)
    return bool(prediction == other)


def _equal(val: Any) -> Function:
    def result(x: Any, pred: Any, conf: Any, label: Any = None, meta: Any = None) -> Result:
        expected = label if val is None else val
        if isinstance(expected, (bool, np.bool_)):
            expected = int(expected)
        if _same(pred, expected):
            return True
        if not isinstance(conf, np.ndarray):
            return -(1 + float(conf))
        if expected is None:
            return -1.0
        if not isinstance(expected, (int, np.integer)) or not -len(conf) <= expected < len(conf):
            raise OptionError(
                f"the expected class {expected!r} is no position among the {len(conf)} classes of the predictions.",
                remedy="Give positions as labels; or names, with a model whose classes have them.",
            )
        return -(1 - float(conf[expected]))

    return result


def _invariant(tolerance: float) -> Function:
    def result(orig_pred: Any, pred: Any, orig_conf: Any, conf: Any, labels: Any = None, meta: Any = None) -> Result:
        if _same(pred, orig_pred):
            return True
        moved = abs(conf[orig_pred] - orig_conf[orig_pred]) if isinstance(orig_conf, np.ndarray) else conf + orig_conf
        return True if moved <= tolerance else -float(moved)

    return result


def _monotonic(label: Any, increasing: bool, tolerance: float) -> Function:
    def result(orig_pred: Any, pred: Any, orig_conf: Any, conf: Any, labels: Any = None, meta: Any = None) -> Result:
        if isinstance(orig_conf, np.ndarray):
            position = orig_pred if label is None else label
            start, end = orig_conf[position], conf[position]
        elif label is not None:
            raise OptionError(
                "monotonic(label=) needs the probabilities of all classes, and the predictions have none.",
                remedy="Leave label out, or give a model with probabilities.",
            )
        else:
            start, end = orig_conf, conf if _same(pred, orig_pred) else -conf
        applies, margin = directional_margin(start, end - start, tolerance, increasing=increasing)
        if not applies:
            return None
        return True if margin >= 0 else float(margin)

    return result


STANDARD: Mapping[str, Callable[..., Expectation]] = {"eq": Expect.eq, "inv": Expect.inv, "monotonic": Expect.monotonic}
"""The expectations whose arguments are plain values, by their form."""
