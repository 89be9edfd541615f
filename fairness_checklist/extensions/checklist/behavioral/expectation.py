"""The record of an expectation, and the rows of a test that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from fairness_checklist.core.errors import AlignmentError, OptionError


class TestedCases(Protocol):
    """The cases of a test with their predictions: the attributes of a test that has been run, ours or CheckList's.

    Attributes:
        data: the cases: a text each, or a list of texts each.
        results: ``preds`` and ``confs``, as long as ``data`` and nested in the same way.
        labels, meta: a list as long as ``data``, or one value for all cases.
        run_idxs: the positions of the cases that were run; None for all.
    """

    data: Any
    results: Any
    labels: Any
    meta: Any
    run_idxs: Any


def is_list(value: object) -> bool:
    """Whether a value holds one entry a text, or a case: a list or an array; a tuple is one text of several fields.

    >>> is_list(["a"]), is_list(("premise", "hypothesis")), is_list("a")
    (True, False, False)
    """
    return isinstance(value, (list, np.ndarray))


def rows(
    data: Any, preds: Any, confs: Any, labels: Any, meta: Any, positions: Sequence[int] | None = None
) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    """Each entry of ``data`` with its prediction, confidence, label and meta.

    Args:
        data: n entries, cases or texts; or one text.
        preds, confs: n entries.
        labels, meta: n entries, or one value for all.
        positions: of the entries to take; all by default.

    Raises:
        AlignmentError: labels or meta of another length.

    >>> list(rows(["a", "b"], [0, 1], [0.9, 0.8], 1, None, [1]))
    [('b', 1, 0.8, 1, None)]
    """
    if not is_list(data):
        yield data, preds, confs, labels, meta
        return
    for name, value in (("labels", labels), ("meta", meta)):
        if is_list(value) and len(value) != len(data):
            raise AlignmentError(
                f"{name} has {len(value):,} entries for {len(data):,}.",
                remedy=f"Give one for each, or one {name} for all.",
            )
    for at in range(len(data)) if positions is None else positions:
        label = labels[at] if is_list(labels) else labels
        yield data[at], preds[at], confs[at], label, meta[at] if is_list(meta) else meta


@dataclass(frozen=True)
class Expectation:
    """What a test expects. Called with a test that has predictions, it gives the results of each case that was run.

    Attributes:
        form: the function of `Expect` that makes it: "eq", "inv", "monotonic", "single", "wrap_slice" and so on.
        function: from a test to one list of results a case.
        arguments: of that function, by name.
    """

    form: str
    function: Callable[[TestedCases], list[Any]] = field(repr=False)
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, test: TestedCases) -> list[Any]:
        return self.function(test)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The functions in it whose code is not known, because it was in a file and is never run."""
        parts = [part.unknown for part in self.arguments.values() if isinstance(part, Expectation)]
        here = [str(part) for part in self.arguments.values() if isinstance(part, UnknownFunction)]
        return tuple(dict.fromkeys([*here, *(one for part in parts for one in part)]))

    def __str__(self) -> str:
        named = [f"{name}={_written(value)}" for name, value in self.arguments.items()]
        return f"{self.form}({', '.join(named)})"


@dataclass(frozen=True)
class UnknownFunction:
    """A function of a saved suite that is not one of CheckList's: its name and arguments are known, and it is not run.

    Attributes:
        name: as it was defined; "<lambda>" for a lambda expression.
        arguments: their names.
        file: the last part of the file's name, or the notebook cell.
    """

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


def _written(value: object) -> str:
    if not callable(value):
        return repr(value)
    return str(getattr(value, "__name__", value))
