"""`TestSuite`: behavioral tests by name, run and summed up together, with CheckList's calls; and its JSON files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import SuiteError, TableError, first_ten
from fairness_checklist.core.option_defaults import SEED, TASK, choice
from fairness_checklist.extensions.checklist.behavioral.behavioral_predictions import (
    PredictionFiles,
    check_aligned,
    prediction_function,
)
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import KINDS, BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import (
    STANDARD,
    Expectation,
    UnknownFunction,
    as_expectation,
)
from fairness_checklist.extensions.checklist.behavioral.summary import (
    capability_order,
    matrix,
    row_of_test,
    summary_text,
)
from fairness_checklist.extensions.checklist.from_checklist import read_tests

_FORMAT = "fairness-checklist behavioral tests"
_FIELDS = ("name", "capability", "description", "labels", "meta", "agg_fn", "templates", "data")
_TUPLE = "(tuple)"  # a text of several fields is a tuple, and a list is a case


def write_suite(tests: Sequence[BehavioralTest], path: Path) -> Path:
    written = {"format": _FORMAT, "schema": 1, "tests": [_record(test) for test in tests]}
    with atomic_file(path) as scratch:
        scratch.write_text(json.dumps(written, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def read_suite(path: Path) -> list[BehavioralTest]:
    try:
        content = json.loads(
            path.read_text(encoding="utf-8"),
            object_hook=lambda record: tuple(record[_TUPLE]) if list(record) == [_TUPLE] else record,
        )
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError("it holds something else")
        return [
            KINDS[record["type"]](expect=_read(record["expect"]), **{name: record[name] for name in _FIELDS})
            for record in content["tests"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TableError(
            f"{path.name} cannot be read as a suite: {error}.", remedy="Name a file that TestSuite.save wrote."
        ) from error


def _record(test: BehavioralTest) -> dict[str, Any]:
    record = {"type": test.kind, "expect": _written(test.expect)}
    try:
        return record | {name: json.loads(json.dumps(_plain(getattr(test, name)))) for name in _FIELDS}
    except TypeError as error:
        raise SuiteError(
            f"the test {test.name!r} holds a value that JSON has no form for: {error}.",
            remedy='Take strings, numbers, lists and dictionaries; as agg_fn "all" or "all_except_first".',
        ) from error


def _plain(value: Any) -> Any:
    """A value as JSON has it; tuples are marked."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(entry) for entry in value]}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _written(expect: Expectation) -> dict[str, Any]:
    """An expectation of `STANDARD` by its arguments, another one by its name alone."""
    known = {"arguments": _plain(dict(expect.arguments))} if expect.form in STANDARD else {"text": str(expect)}
    return {"form": expect.form, **known}


def _read(record: dict[str, Any]) -> Expectation:
    if "text" in record:
        return as_expectation(UnknownFunction(record["text"]))
    return STANDARD[record["form"]](**record["arguments"])


class TestSuite(PredictionFiles):
    """Behavioral tests by name.

    >>> from fairness_checklist.checklist import MFT
    >>> suite = TestSuite()
    >>> suite.add(MFT(["Good.", "Bad."], labels=[1, 0], name="words", capability="Vocabulary"))
    >>> suite.run(lambda texts: [[0.25, 0.75]] * len(texts), verbose=False)
    >>> suite.summary(n=0)
    Vocabulary
    <BLANKLINE>
    words
    Test cases:      2
    Fails (rate):    1 (50.0%)
    """

    __test__ = False  # pytest takes classes whose names begin with Test for its own

    def __init__(self) -> None:
        self.tests: dict[str, BehavioralTest] = {}  # in the order in which they were added
        self.classes: tuple[str, ...] = ()  # the names of the model's classes, where they are known

    @classmethod
    def from_checklist(cls, source: Any) -> TestSuite:
        """The tests of CheckList's suite or test, in memory or saved, with their predictions where they were run.

        Args:
            source: the object; or the path of its file, of which no code is run.

        Raises:
            SuiteError, TableError: something else, or a file of another form.
        """
        suite = cls()
        suite.tests, spans = read_tests(source)
        if spans:  # a file of predictions holds the tests in the order of their spans
            suite.tests = dict(sorted(suite.tests.items(), key=lambda item: spans.get(item[0], (float("inf"),))))
        return suite

    @classmethod
    def from_file(cls, path: str | Path) -> TestSuite:
        """Read a file that `save` wrote (.json), or one that CheckList saved.

        Of both kinds functions of the user's are to be given again, with ``set_expect``.
        """
        if Path(path).suffix.lower() != ".json":
            return cls.from_checklist(path)
        suite = cls()
        for test in read_suite(Path(path)):
            suite.add(test)
        return suite

    def save(self, path: str | Path) -> Path:
        """Write the tests as JSON: texts, labels, meta and expectations, without predictions.

        Functions of the user's are written by name only, because a file that holds code can run it.
        """
        return write_suite(list(self.tests.values()), Path(path))

    def add(
        self,
        test: BehavioralTest,
        name: str | None = None,
        capability: str | None = None,
        description: str | None = None,
        overwrite: bool = False,
    ) -> None:
        """Add a test; name, capability and description are the test's own where they are not given.

        Raises:
            SuiteError: no name or capability, or a test of the name is there and ``overwrite`` is False.
        """
        if not isinstance(test, BehavioralTest):
            raise SuiteError(
                f"a {type(test).__name__} is no test.", remedy="Add an MFT, INV or DIR; CheckList's: from_checklist."
            )
        name, capability = name or test.name or "", capability or test.capability
        for what, value in (("name", name), ("capability", capability)):
            if not value:
                raise SuiteError(f"the test has no {what}.", remedy=f"Give it one: suite.add(test, {what}=...).")
        if name in self.tests and not overwrite:
            raise SuiteError(f"there is a test {name!r} in the suite.", remedy="Replace it: overwrite=True.")
        test.name, test.capability, test.description = name, capability, description or test.description
        self.tests[name] = test

    def remove(self, name: str) -> None:
        """Take a test out of the suite."""
        del self.tests[self[name].name or name]

    def __getitem__(self, name: str) -> BehavioralTest:
        if name not in self.tests:
            raise SuiteError(
                f"there is no test {name!r} in the suite.",
                remedy=f"Its tests: {first_ten(self.tests)}.{did_you_mean(name, self.tests)}",
            )
        return self.tests[name]

    def __len__(self) -> int:
        return len(self.tests)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tests)

    def __repr__(self) -> str:
        return f"<TestSuite: {len(self)} tests, {sum(len(test) for test in self.tests.values()):,} cases>"

    def run(
        self,
        model: Any,
        verbose: bool = True,
        *,
        overwrite: bool = False,
        n: int | None = None,
        seed: int = SEED,
        task: str = TASK,
        **loading: Any,
    ) -> None:
        """Ask a model about the texts of all tests, once, and compute the results.

        Args:
            model: a function from a list of texts to ``(predictions, confidences)``, or to an (n, C) array of
                probabilities; or whatever `load_model` takes.
            verbose: print the name of each test, as CheckList does.
            overwrite: replace results that are there.
            n, seed: run a random sample of n cases of each test.
            task, loading: of a model that is loaded.

        Raises:
            SuiteError: a test has results, and ``overwrite`` is False.
        """
        self._check_overwrite(overwrite)
        function, self.classes = prediction_function(model, task, **loading)
        for test in self.tests.values():
            test.classes = self.classes or test.classes
            if verbose:
                print("Running", test.name)
            test.run(function, overwrite=True, verbose=verbose, n=n, seed=seed)

    def run_from_preds_confs(self, preds: Sequence[Any], confs: Sequence[Any], overwrite: bool = False) -> None:
        """The results for the predictions and confidences of `get_raw_examples`, in their order.

        Raises:
            AlignmentError: another number of them.
            SuiteError: a test has results, and ``overwrite`` is False.
        """
        self._check_overwrite(overwrite)
        sizes = [len(test.examples()) for test in self.tests.values()]
        check_aligned(preds, confs, sum(sizes), "the suite")
        for test, (start, stop) in zip(self.tests.values(), pairwise(accumulate(sizes, initial=0)), strict=True):
            test.run_from_preds_confs(preds[start:stop], confs[start:stop], overwrite=True)

    def get_raw_examples(
        self,
        file_format: str | None = None,
        format_fn: Callable[[Any], str] | None = None,
        n: int | None = None,
        seed: int = SEED,
        new_sample: bool = True,
    ) -> list[str]:
        """The texts of all tests as lines, one after the other. Results that are there stay.

        Args:
            file_format: "jsonl", "tsv" (texts of several fields), or by default the text itself.
            format_fn: in its place a function from a text to its line.
            n, seed: a random sample of n cases of each test.
            new_sample: False keeps the cases that were chosen last.
        """
        tests = self.tests.values()
        return [line for test in tests for line in test.to_raw_examples(file_format, format_fn, n, seed, new_sample)]

    _raw_lines = get_raw_examples

    def chosen(
        self, types: Sequence[str] | None = None, capabilities: Sequence[str] | None = None
    ) -> list[BehavioralTest]:
        """The tests of some types and capabilities, all by default, in the order of a summary: by capability."""
        every = tuple(dict.fromkeys(str(test.capability) for test in self.tests.values()))
        of_types = [choice("types", name, tuple(KINDS)) for name in types or KINDS]
        of_capabilities = [choice("capabilities", name, every) for name in capabilities or every]
        tests = [
            test for test in self.tests.values() if test.kind in of_types and str(test.capability) in of_capabilities
        ]
        return sorted(tests, key=lambda test: capability_order(str(test.capability)))

    def summary(
        self, types: Sequence[str] | None = None, capabilities: Sequence[str] | None = None, **options: Any
    ) -> None:
        """Print the counts of each test and some of the cases that fail.

        Args:
            types: only tests of these types: MFT, INV, DIR.
            capabilities: only tests of these capabilities.
            options: ``n``, ``n_per_testcase``, ``format_example_fn``, ``print_fn``, ``seed``; see the summary of a
                test.
        """
        lines: list[str] = []
        capability = ""
        for test in self.chosen(types, capabilities):
            if test.capability != capability:
                lines += [*(["", ""] if capability else []), str(test.capability), ""]
                capability = str(test.capability)
            lines += [str(test.name), summary_text(test, **options), "", ""]
        print("\n".join(lines).rstrip("\n"))

    def to_frame(self) -> pd.DataFrame:
        """One row a test: ``test, type, capability``, the counts of cases, the rate of failures in percent, ``state``
        ("run", "not run" or "no expectation") and ``expectation``.
        """
        return pd.DataFrame([row_of_test(test) for test in self.tests.values()])

    def visual_summary_table(
        self, types: Sequence[str] | None = None, capabilities: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """The highest failure rates in percent by capability and type of test; NaN where no test has results."""
        return matrix(self.chosen(types, capabilities))

    def _repr_html_(self) -> str:
        return self.visual_summary_table().to_html(float_format="{:.1f} %".format, na_rep="")

    def _check_overwrite(self, overwrite: bool) -> None:
        done = [str(test.name) for test in self.tests.values() if test.results is not None]
        if done and not overwrite:
            raise SuiteError(f"{first_ten(done)}: there are results.", remedy="Replace them: overwrite=True.")
