"""Suites of behavioral tests as JSON files, which hold texts, labels and expectations, and no code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import SuiteError, TableError
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import KINDS, BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import (
    STANDARD,
    Expectation,
    UnknownFunction,
    as_expectation,
)

_FORMAT = "fairness-checklist behavioral tests"
_FIELDS = ("name", "capability", "description", "labels", "meta", "agg_fn", "templates", "data")
_TUPLE = "(tuple)"  # a text of several fields is a tuple, and a list is a case


def write_suite(tests: Sequence[BehavioralTest], path: Path) -> Path:
    """Write tests to a JSON file."""
    written = {"format": _FORMAT, "schema": 1, "tests": [_record(test) for test in tests]}
    with atomic_file(path) as scratch:
        scratch.write_text(json.dumps(written, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def read_suite(path: Path) -> list[BehavioralTest]:
    """Read the tests of a JSON file."""
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
