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
_TUPLE = "(tuple)"


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
            # a text of several fields is a tuple, and a list is a case
            object_hook=lambda record: tuple(record[_TUPLE]) if list(record) == [_TUPLE] else record,
        )
    except (OSError, ValueError) as error:
        raise TableError(
            f"{path.name} cannot be read: {error}.", remedy="Name a file that TestSuite.save wrote."
        ) from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise TableError(f"{path.name} is not a file that TestSuite.save wrote.", remedy="CheckList's: from_checklist.")
    return [_test(record, path.name) for record in content["tests"]]


def _record(test: BehavioralTest) -> dict[str, Any]:
    if not isinstance(test.agg_fn, str):
        raise SuiteError(
            f"the test {test.name!r} has a function as agg_fn, which a file cannot hold.",
            remedy='Take "all" or "all_except_first".',
        )
    record = {"type": test.kind, "expect": _written(test.expect)}
    try:
        return record | {name: json.loads(json.dumps(_plain(getattr(test, name)))) for name in _FIELDS}
    except TypeError as error:
        raise SuiteError(
            f"the test {test.name!r} holds a value that JSON has no form for: {error}.",
            remedy="Take strings, numbers, lists and dictionaries.",
        ) from error


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(part) for part in value]}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _written(expect: Expectation) -> dict[str, Any]:
    if expect.form in STANDARD:
        parts = {
            name: _written(value) if isinstance(value, Expectation) else _plain(value)
            for name, value in expect.arguments.items()
        }
        return {"form": expect.form, "arguments": parts}
    return {"form": "function", "text": str(expect)}


def _test(record: dict[str, Any], place: str) -> BehavioralTest:
    try:
        named = {name: record[name] for name in _FIELDS}
        return KINDS[record["type"]](expect=_expectation(record["expect"]), **named)
    except (KeyError, TypeError) as error:
        raise TableError(f"{place} holds a test of an unknown form: {error}.", remedy="Write it anew.") from error


def _expectation(record: dict[str, Any]) -> Expectation:
    if record["form"] == "function":
        return as_expectation(UnknownFunction(record["text"]))
    parts = {
        name: _expectation(value) if isinstance(value, dict) and "form" in value else value
        for name, value in record["arguments"].items()
    }
    return STANDARD[record["form"]](**parts)
