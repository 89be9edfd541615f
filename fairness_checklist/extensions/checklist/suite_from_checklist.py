"""Suites from the tests of CheckList and of `TestSuite`: the texts by group and source, with their predictions.

The groups are in the meta, or stand at the same place of every text, or the user names them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.api.from_predictions import evaluate
from fairness_checklist.api.result import Result
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, PredictionError, SuiteError, first_ten
from fairness_checklist.core.examples import UNMARKED, ExampleSet, ListedTexts
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import is_list, rows
from fairness_checklist.extensions.checklist.behavioral.summary import class_name
from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite
from fairness_checklist.extensions.checklist.from_checklist import read_tests
from fairness_checklist.suites.parts import Part
from fairness_checklist.tables.columns import read_rows

Groups = str | Mapping[str, str]  # where the groups come from: a key of the meta, or the group of each term

_FAIRNESS = ("protected", "fairness")
_ARTICLES = ("a", "an", "the")
_NO_SPACES = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # letters of languages that write no spaces
_COLUMNS = ["source", "group", "term", "text", "label"]


@dataclass(frozen=True)
class TextIdentity:
    """The identity in one text."""

    group: str  # "" for the control, which has none
    term: str
    source: str = ""  # what the texts of one source share; "" for the case itself


Mentions = list[list[TextIdentity | None]]


@dataclass(frozen=True, eq=False)
class ImportedPart(Part):
    """A part of a suite whose texts are the cases of a behavioral test; for its table see `prediction_table`."""

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
    groups: Groups | None = None,
    classes: Sequence[str] = (),
) -> tuple[ImportedPart, ...]:
    """The parts of the tests in which groups are found; the arguments are those of `Suite.from_checklist`."""
    if isinstance(source, BehavioralTest):
        by_name = {source.name or source.kind: source}
    else:
        by_name = source.tests if isinstance(source, TestSuite) else read_tests(source)[0]
    for name in tests or ():
        if name not in by_name:
            near = did_you_mean(name, by_name)
            raise OptionError(f"there is no test {name!r}.", remedy=f"The tests: {first_ten(by_name)}.{near}")
    parts: dict[str, ImportedPart] = {}
    for name, test in by_name.items():
        if tests is not None and name not in tests:
            continue
        if tests is None and groups is None and test.kind != "INV":
            continue
        mentions = find_groups(test, groups)
        if tests is None and (mentions is None or (groups is None and not is_about_identities(test, mentions))):
            continue
        if mentions is None:
            raise SuiteError(
                f"no groups are found in the test {name!r}: its meta has no key group, and its texts do not differ by "
                "the same words in every case.",
                command_remedy="Name the groups: --terms FILE, a table with the columns term and group.",
                remedy='Name them: groups={"black": "Black", "white": "White"}, or a key of the meta.',
            )
        attribute = attribute_name(name)
        if attribute in parts:
            of = first_ten([parts[attribute].test, name])
            raise SuiteError(f"the tests {of} are of one attribute, {attribute!r}.", remedy="Name one: tests=[...].")
        parts[attribute] = _part(attribute, test, *prediction_table(test, mentions, task=task, classes=classes), task)
    if not parts:
        raise SuiteError(
            f"groups are found in none of the {len(by_name):,} tests.",
            remedy='Name them: tests=["..."], groups={"black": "Black"}; see docs/checklist.md.',
            command_remedy="Name them: --test NAME, and --terms FILE, a table with the columns term and group.",
        )
    return tuple(parts.values())


def evaluate_parts(parts: Sequence[Part], task: str, options: Mapping[str, Any]) -> Result:
    """The metrics and tests from the predictions that came with the texts."""
    tables = [part.table.assign(attribute=part.attribute) for part in parts if isinstance(part, ImportedPart)]
    if len(tables) < len(parts) or not all("predicted" in table for table in tables):
        raise SuiteError(
            "the suite has no predictions of its own.",
            remedy="Run it: suite.run(model). Predictions come with tests that were run: Suite.from_checklist.",
        )
    classes = next(part.classes for part in parts if isinstance(part, ImportedPart))
    return evaluate(pd.concat(tables, ignore_index=True), task=task, classes=classes, **options)


def _part(
    attribute: str, test: BehavioralTest, table: pd.DataFrame, classes: tuple[str, ...], task: str
) -> ImportedPart:
    table = table.iloc[np.argsort(pd.factorize(table["source"])[0], kind="stable")].reset_index(drop=True)
    marked = table["group"] != UNMARKED
    terms = table["term"].where((table["term"] != "") | ~marked, table["group"]).where(marked, "")
    labels = [str(label) for label in table["label"]] if "label" in table else [""] * len(table)
    rows, _, _ = read_rows(table.assign(term=terms), attribute, labels)
    examples = ExampleSet(
        **rows.shared(),
        task=task,
        classes=classes,
        label=np.array([classes.index(name) if name in classes else -1 for name in labels], dtype=np.int64),
        texts=ListedTexts(tuple(table["text"])),
    )
    groups = [rows.groups[group] for group in rows.term_group]
    listed = TermList(attribute, tuple(map(IdentityTerm, rows.terms, groups)))
    return ImportedPart(
        attribute=attribute,
        task=task,
        templates=(),
        terms=listed,
        lists={},
        examples=examples,
        dropped=(),
        table=table,
        test=test.name or test.kind,
        classes=classes,
    )


def find_groups(test: BehavioralTest, groups: Groups | None = None) -> Mentions | None:
    """The mention in each text of each case of a test, None of a text without a group; None where none are found."""
    cases = [[str(text) for text in case] if is_list(case) else [str(case)] for case in test.data]
    metas = [_metas(test.label_and_meta(position)[1], len(case)) for position, case in enumerate(cases)]
    keys = {key for of_case in metas for meta in of_case if isinstance(meta, Mapping) for key in meta}
    if groups is None and "group" not in keys:
        words = _same_differences(cases)
        return None if words is None else [[TextIdentity(word, word) for word in words] for _ in cases]
    if isinstance(groups, str) and groups not in keys:
        raise OptionError(
            f"groups={groups!r} is no key of the meta of the test {test.name!r}.", remedy=f"Its meta: {metas[0][0]!r}."
        )
    mention_term = _term_finder(groups) if isinstance(groups, Mapping) else None

    def mention(text: str, meta: Any, alone: bool) -> TextIdentity | None:
        if mention_term is not None:
            return mention_term(text)
        return _meta_mention(text, meta, str(groups or "group"), alone=alone)

    return [
        [mention(text, meta, len(case) == 1) for text, meta in zip(case, of_case, strict=True)]
        for case, of_case in zip(cases, metas, strict=True)
    ]


def _metas(meta: Any, n: int) -> list[Any]:
    return list(meta) if is_list(meta) and len(meta) == n else [meta] * n


def _meta_mention(text: str, meta: Any, key: str, *, alone: bool) -> TextIdentity | None:
    """The mention that a meta tells; texts that are cases by themselves share a source where the rest is the same."""
    if not isinstance(meta, Mapping) or meta.get(key) is None:
        return None
    group = str(meta[key])
    if key == "group":
        return TextIdentity("" if group == UNMARKED else group, str(meta.get("term", "")), str(meta.get("source", "")))
    if not alone:
        return TextIdentity(group, group)
    others = [f"{name}={value}" for name, value in sorted(meta.items(), key=lambda item: str(item[0])) if name != key]
    frame = re.sub(rf"(\b(an?|the) )?{re.escape(group)}", f"{{{key}}}", text, count=1, flags=re.IGNORECASE)
    return TextIdentity(group, group, "; ".join([frame, *others]))


def _term_finder(groups: Mapping[str, str]) -> Callable[[str], TextIdentity | None]:
    """The group of the longest term that stands in a text as whole words."""
    if not groups:
        raise OptionError("groups= names no term.", remedy='Write groups={"black": "Black", "white": "White"}.')
    patterns = {
        term: re.compile(rf"(?<![^\W{_NO_SPACES}]){re.escape(term)}(?![^\W{_NO_SPACES}])", re.IGNORECASE)
        for term in sorted(groups, key=len, reverse=True)
    }

    def mention(text: str) -> TextIdentity | None:
        term = next((term for term, pattern in patterns.items() if pattern.search(text)), None)
        return None if term is None else TextIdentity(str(groups[term]), term)

    return mention


def _same_differences(cases: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """The words by which the texts of each case differ, where they are the same in all cases; None elsewhere."""
    if len({len(case) for case in cases}) != 1 or len(cases[0]) < 2 or len(cases) < 2:
        return None
    names = _differing(cases[0])
    if not all(names) or len(set(names)) < len(names):
        return None
    return names if all(_differing(case) == names or _ambiguous(case, names) for case in cases[1:]) else None


def _ambiguous(texts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether the texts of a case differ by the names, and by chance share a word of them with its neighbours."""
    pairs = list(zip(names, texts, strict=True))
    frames = {
        re.sub(r"\b(an?|the) (?=\x00)", "", text.replace(name, "\x00", 1), flags=re.IGNORECASE) for name, text in pairs
    }
    return all(name in text for name, text in pairs) and len(frames) == 1


def _differing(texts: Sequence[str]) -> tuple[str, ...]:
    """The words of each text between those that all texts begin with and end with, without a leading article."""
    split = [text.split() for text in texts]
    start, stop = _shared(split), _shared([words[::-1] for words in split])
    stop = min(stop, min(map(len, split)) - start)
    names = []
    for words in split:
        inner = words[start : len(words) - stop]
        while len(inner) > 1 and inner[0].casefold() in _ARTICLES:
            inner = inner[1:]
        names.append(" ".join(inner).strip('.,;:!?"()'))
    return tuple(names)


def _shared(texts: Sequence[Sequence[str]]) -> int:
    """How many words all texts share at the beginning."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*texts, strict=False)))


def is_about_identities(test: BehavioralTest, mentions: Mentions) -> bool:
    """Whether a test is one of fairness by its capability, name or meta, or exchanges terms of a shipped attribute."""
    declared = {(test.name or "").partition(":")[0].strip().casefold(), (test.capability or "").casefold()}
    metas = [meta for case in range(len(test)) for meta in _metas(test.label_and_meta(case)[1], 1)]
    if declared & set(_FAIRNESS) or any("group" in meta for meta in metas if meta):
        return True
    words = {mention.term.casefold() for case in mentions for mention in case if mention is not None}
    lists = (load_terms(name).terms for name in attributes())
    return any(words <= {word.casefold() for term in terms for word in (term.term, term.plural)} for terms in lists)


def attribute_name(name: str) -> str:
    """The attribute that the name of a test speaks of."""
    first, colon, last = (part.strip() for part in name.partition(":"))
    if not colon:
        return name
    return (last if first.casefold() in _FAIRNESS else first) or name


def prediction_table(
    test: BehavioralTest, mentions: Mentions, *, task: str, classes: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The cases of a test as a prediction table, one row a text that mentions a group, and the classes.

    Its columns are ``source, group, term, text, label`` and, where the test was run, ``predicted`` and ``p:<class>``.
    """
    lines: list[dict[str, Any]] = []
    names = tuple(classes) or test.classes or get_task(task).classes
    results = test.results
    for case in range(len(test)) if results is None else test.positions():
        unknown = [None] * len(mentions[case])
        preds, confs = (unknown, unknown) if results is None else (results.preds[case], results.confs[case])
        texts = rows(test.data[case], preds, confs, test.label_and_meta(case)[0], None)
        for (text, pred, conf, gold, _), mention in zip(texts, mentions[case], strict=True):
            if mention is None:
                continue
            source, group = mention.source or f"case {case + 1}", mention.group or UNMARKED
            label = class_name(gold, names) if gold is not None else ""
            line = dict(zip(_COLUMNS, (source, group, mention.term, str(text), label), strict=True))
            lines.append(line if results is None else line | _predicted(pred, conf, names))
    _check_positions(test, names, classes)
    frame = pd.DataFrame(lines, columns=None if lines else _COLUMNS)
    frame = frame.drop_duplicates(["source", "group", "term", "text"], ignore_index=True)
    marked = frame[frame["group"] != UNMARKED]
    if not len(marked) or marked.groupby("source")["group"].nunique().max() < 2:
        raise SuiteError(
            f"no source of the test {test.name!r} has texts of two groups.",
            remedy="Name the groups: groups=.",
            command_remedy="Name the groups: --terms FILE, a table with the columns term and group.",
        )
    return (frame if frame["label"].any() else frame.drop(columns="label")), names


def _check_positions(test: BehavioralTest, names: Sequence[str], classes: Sequence[str]) -> None:
    """Raise `PredictionError` where decisions alone do not say how many classes there are."""
    if test.results is None or classes or test.classes:
        return
    run = test.positions()
    preds = [pred for case in run for pred in np.ravel(np.asarray(test.results.preds[case], dtype=object))]
    probabilities = np.ndim(test.results.confs[run[0]]) > test.has_groups_of_texts
    if probabilities or not all(isinstance(pred, (int, np.integer)) for pred in preds):
        return
    if max(preds) != len(names) - 1:
        raise PredictionError(
            f"the predictions are positions up to {max(preds)}, and the classes are {', '.join(names)}.",
            remedy="Name the classes in their order: classes=[...].",
        )


def _predicted(pred: Any, conf: Any, names: Sequence[str]) -> dict[str, Any]:
    predicted = {"predicted": class_name(pred, names)}
    if not isinstance(conf, np.ndarray) or not conf.ndim:
        return predicted
    if len(conf) != len(names):
        raise PredictionError(
            f"the predictions have {len(conf)} probabilities, and the classes are {', '.join(names)}.",
            remedy="Name the classes in the order of the probabilities: classes=[...].",
        )
    return predicted | {f"p:{name}": float(value) for name, value in zip(names, conf, strict=True)}
