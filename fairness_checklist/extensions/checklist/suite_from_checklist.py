"""Suites from the tests of CheckList and of `TestSuite`: the texts by group and source, with their predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.api.from_predictions import evaluate
from fairness_checklist.api.result import Result
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import OptionError, SuiteError, did_you_mean, first_ten
from fairness_checklist.core.examples import UNMARKED, ExampleSet, ListedTexts, Source
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.groups import (
    Groups,
    attribute_name,
    find_groups,
    is_about_identities,
    prediction_table,
)
from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite
from fairness_checklist.extensions.checklist.from_checklist import read_tests
from fairness_checklist.suites.parts import Part


@dataclass(frozen=True, eq=False)
class ImportedPart(Part):
    """A part of a suite whose texts are the cases of a behavioral test.

    Attributes:
        table: one row a text; with ``predicted`` and ``p:<class>`` where the test was run.
        test: the name of the test.
        classes: the model's classes, in the order of its probabilities.
    """

    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    test: str = ""
    classes: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """The record for ``run.json``."""
        return {**super().describe(), "templates": 0, "behavioral_test": self.test}


def parts_of_tests(
    source: Any,
    *,
    task: str,
    tests: Sequence[str] | None = None,
    groups: Groups | Mapping[str, Groups] | None = None,
    classes: Sequence[str] = (),
) -> tuple[ImportedPart, ...]:
    """The parts of the tests in which groups are found; the arguments are those of `Suite.from_checklist`.

    Raises:
        SuiteError: groups are found in no test, or two tests are of one attribute.
        OptionError: an unknown test, or groups that do not fit.
    """
    known = source.tests if isinstance(source, TestSuite) else None
    if isinstance(source, BehavioralTest):
        known = {source.name or source.kind: source}
    if known is None:
        known = read_tests(source)[0]
    for name in tests or ():
        if name not in known:
            raise OptionError(
                f"there is no test {name!r}.", remedy=f"The tests: {first_ten(known)}.{did_you_mean(name, known)}"
            )
    by_test = isinstance(groups, Mapping) and bool(groups) and all(name in known for name in groups)
    parts = []
    for name, test in known.items():
        chosen: Any = groups.get(name) if by_test and isinstance(groups, Mapping) else groups
        if (tests is not None and name not in tests) or (by_test and chosen is None and tests is None):
            continue
        if tests is None and chosen is None and test.kind != "INV":
            continue
        mentions = find_groups(test, chosen)
        if tests is None and chosen is None and mentions and not is_about_identities(test, mentions):
            continue
        if mentions is not None:
            table, names = prediction_table(test, mentions, task=task, classes=classes)
            parts.append(_part(attribute_name(name), name, table, names, task))
        elif tests is not None:
            raise SuiteError(
                f"no groups are found in the test {name!r}: its meta has no key group, and its texts do not differ by "
                "the same words in every case.",
                command_remedy="Name the groups: --terms FILE, a table with the columns term and group.",
                remedy='Name them: groups=["black", "white"], a mapping from terms to groups, or a function of a text.',
            )
    if not parts:
        raise SuiteError(
            f"groups are found in none of the {len(known):,} tests.",
            remedy='Name them: tests=["..."], groups=["black", "white"]; see docs/checklist.md.',
            command_remedy="Name them: --test NAME, and --terms FILE, a table with the columns term and group.",
        )
    attributes = [part.attribute for part in parts]
    twice = next((name for name in attributes if attributes.count(name) > 1), None)
    if twice is not None:
        of = [part.test for part in parts if part.attribute == twice]
        raise SuiteError(f"the tests {first_ten(of)} are of one attribute, {twice!r}.", remedy="Name one: tests=[...].")
    return tuple(parts)


def evaluate_parts(parts: Sequence[Part], task: str, options: Mapping[str, Any]) -> Result:
    """The metrics and tests from the predictions that came with the texts.

    Raises:
        SuiteError: there are none.
    """
    tables = [part.table.assign(attribute=part.attribute) for part in parts if isinstance(part, ImportedPart)]
    if len(tables) < len(parts) or not all("predicted" in table for table in tables):
        raise SuiteError(
            "the suite has no predictions of its own.",
            remedy="Run it: suite.run(model). Predictions come with tests that were run: Suite.from_checklist.",
        )
    first = parts[0]
    assert isinstance(first, ImportedPart)
    return evaluate(pd.concat(tables, ignore_index=True), task=task, classes=first.classes, **options)


def _part(attribute: str, test: str, table: pd.DataFrame, classes: tuple[str, ...], task: str) -> ImportedPart:
    marked = table[table["group"] != UNMARKED]
    pairs = (
        marked[["group", "term"]].drop_duplicates().sort_values("group", kind="stable", key=_by_first(marked["group"]))
    )
    groups = tuple(dict.fromkeys(pairs["group"]))
    terms = tuple(IdentityTerm(term or group, group) for group, term in pairs.itertuples(index=False))
    at = {pair: position for position, pair in enumerate(pairs.itertuples(index=False, name=None))}
    sources = list(dict.fromkeys(table["source"]))
    number = {name: position for position, name in enumerate(sources)}
    labels = table["label"] if "label" in table else pd.Series([""] * len(table))
    gold = dict(zip(table["source"], labels, strict=True))
    order = np.lexsort(
        (
            [at.get(pair, -1) for pair in zip(table["group"], table["term"], strict=True)],
            [number[name] for name in table["source"]],
        )
    )
    rows = table.iloc[order].reset_index(drop=True)
    group = [groups.index(name) if name != UNMARKED else -1 for name in rows["group"]]
    term = [at.get(pair, -1) for pair in zip(rows["group"], rows["term"], strict=True)]
    named = [str(one) for one in (rows["label"] if "label" in rows else [""] * len(rows))]
    examples = ExampleSet(
        attribute=attribute,
        task=task,
        groups=groups,
        terms=tuple(one.term for one in terms),
        term_group=np.array([groups.index(one.group) for one in terms], dtype=np.int64),
        sources=tuple(Source(name, label=str(gold[name])) for name in sources),
        source=np.array([number[name] for name in rows["source"]], dtype=np.int64),
        group=np.array(group, dtype=np.int64),
        term=np.array(term, dtype=np.int64),
        classes=classes,
        label=np.array([classes.index(name) if name in classes else -1 for name in named], dtype=np.int64),
        texts=ListedTexts(tuple(rows["text"])),
    )
    listed = TermList(attribute, terms)
    return ImportedPart(attribute, task, (), listed, {}, examples, (), table=rows, test=test, classes=classes)


def _by_first(groups: pd.Series) -> Any:
    """A sort key that puts groups in the order of their first row."""
    order = {name: position for position, name in enumerate(dict.fromkeys(groups))}
    return lambda column: column.map(order)
