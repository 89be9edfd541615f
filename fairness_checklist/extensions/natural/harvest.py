"""Templates from texts that people wrote: carriers of a mention, without near-duplicates, each through the linter."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.lint_and_fix import lint
from fairness_checklist.extensions.engines.batches import over_batches
from fairness_checklist.extensions.natural.carriers import Carrier, Reader, identity_words
from fairness_checklist.extensions.natural.reliable_labels import (
    RUN,
    LabelSample,
    label_doubts,
    near_key,
    words_of_text,
)

__all__ = ["Harvest", "harvest"]

COLUMNS = ("template", "label", "task", "attribute", "hard", "register", "id")
_IGNORED = frozenset({"balance", "paraphrase", "length", "capital", "stop", "label", "spacing", "punctuation", "brand"})
"""Rules about files, and about how a text is typed, which is as people typed it."""
_SPARE = 3  # times as many candidates as are asked for go to the linter
_POOL = 10  # times as many candidates of a label as templates are asked for stay in the memory
_ALMOST_SAME, _MORE = "it is almost the same as another text", "there are more than are asked for"


@dataclass(frozen=True, eq=False)
class Harvest:
    """Templates from a corpus.

    Attributes:
        texts: how many texts were read.
        templates: one row each, with the columns of a templates file.
        left_out: how many texts were left out for each reason, the most frequent first.
        rows: of each text that is left out its row, from 1, and the reason. No text.
        candidates: the texts that could be templates, before near-duplicates, linter and number.
        unlabelled: of each template whose label is left empty its id, the label in the corpus, and the reason.
    """

    texts: int
    templates: pd.DataFrame
    left_out: dict[str, int]
    rows: pd.DataFrame
    candidates: int
    unlabelled: pd.DataFrame

    def __str__(self) -> str:
        labels = self.templates["label"].value_counts().to_dict()
        by_label = ", ".join(f"{n:,} {name or 'without a label'}" for name, n in labels.items()) if any(labels) else ""
        lines = [f"{len(self.templates):,} templates from {self.texts:,} texts{f' ({by_label})' if by_label else ''}."]
        for start, counts in (
            ("Left out", self.left_out),
            ("Labels left empty", self.unlabelled["reason"].value_counts().to_dict()),
        ):
            top = [f"{n:,} {reason}" for reason, n in list(counts.items())[:5]]
            lines += [f"{start}, most frequent reasons: {'; '.join(top)}."] if top else []
        return "\n".join(lines)


@checks_keywords
def harvest(
    texts: pd.DataFrame | Iterable[pd.DataFrame],
    attribute: str,
    *,
    task: str = "sentiment",
    text_column: str = "text",
    label_column: str = "label",
    terms: TermList | None = None,
    keep_labels: str = "reliable",
    max_templates: int = 500,
    register: str = "post",
    workers: int = 1,
    engine: str = "local",
) -> Harvest:
    """Make templates of the texts in which a person or a group is mentioned.

    Args:
        texts: a table of texts, or such tables one after the other.
        attribute: the attribute whose terms fill the slots; mentions of its terms, and nouns for persons, become slots.
        task: "sentiment" or "toxicity".
        text_column, label_column: columns. Labels are classes of the task; without that column, or with an empty cell,
            a template has no label. A label is kept only where it does not seem to depend on who is mentioned.
        terms: the terms of the attribute; by default the shipped ones.
        keep_labels: "reliable", those that the words show and that a model of the corpus's other labels expects (see
            docs/validity.md), or "all".
        max_templates: how many templates are kept, the labels in equal numbers as far as they go.
        register: the kind of text, as in a templates file.
        workers, engine: processes that read the texts, of this machine or ("ray") of a Ray cluster; the result is the
            same.

    Returns:
        The templates, and the reason for each text that is left out.

    Raises:
        OptionError: no text can be a template, or the task is one of taggers.
        LabelError: a label that is no class of the task.

    >>> found = harvest(pd.DataFrame({"text": ["My neighbor fixed our fence.", "Tea is good here."]}), "religion")
    >>> print(found.templates["template"].item())
    My {identity.neighbor} fixed our fence.
    """
    chosen, keep_labels = get_task(task), choice("keep_labels", keep_labels, ("reliable", "all"))
    if chosen.tagging:
        raise OptionError(f"the task {task} has no templates from texts.", remedy="Take sentiment or toxicity.")
    read = _ReadFrame(Reader(attribute, terms), text_column, label_column, chosen.harms[0].label)
    frames = [texts] if isinstance(texts, pd.DataFrame) else texts
    reasons, pools, sample = _Reasons(), _Pools(_POOL * max_templates), LabelSample()
    candidates = 0
    for frame, found in over_batches(read, frames, workers=workers, engine=engine):
        written, labels = _written(frame, text_column), _labels(frame, label_column, chosen.classes, len(reasons), task)
        if keep_labels == "reliable":
            sample.add(written, labels)
        for text, label, carrier in zip(written, labels, found, strict=True):
            row = reasons.add(carrier.reason if isinstance(carrier, Unfit) else "")
            if isinstance(carrier, Carrier):
                candidates += 1
                one = _Candidate(near_key(carrier.words), row, carrier, label, near_key(words_of_text(text)))
                pools.add(one, reasons)
    kept = pools.without_near_duplicates(reasons)
    doubts: dict[int, tuple[str, str]] = _doubts(kept, sample) if keep_labels == "reliable" else {}
    kept = [replace(one, label="") if one.row in doubts else one for one in kept]
    chosen_rows = _drawn(kept, _SPARE * max_templates)
    table, faults = _linted(chosen_rows, attribute, task, register)
    for at, fault in faults.items():
        reasons[at] = f"the linter finds a fault: {fault}"
    in_file = {one.row for one in _drawn([one for one in chosen_rows if one.row not in faults], max_templates)}
    for one in kept:
        if one.row not in in_file and one.row not in faults:
            reasons[one.row] = _MORE
    table = table[table["row"].isin(in_file)].reset_index(drop=True)
    left_out = reasons.counts()
    if not len(table):
        counted = list(left_out.items())[:3]
        raise OptionError(
            f"none of the {len(reasons):,} texts can be a template for {attribute}.",
            remedy="\n".join(f"{n:,}: {reason}." for reason, n in counted) or "Give texts.",
        )
    table["id"] = [f"{attribute}-own-{at:03d}" for at in range(1, len(table) + 1)]
    empty = [(name, *doubts[row]) for name, row in zip(table["id"], table["row"], strict=True) if row in doubts]
    unlabelled = pd.DataFrame(empty, columns=["id", "label", "reason"])
    return Harvest(len(reasons), table[list(COLUMNS)], left_out, reasons.table(), candidates, unlabelled)


class _Reasons:
    """Of each row why it is left out, "" if it is not: four bytes a row."""

    def __init__(self) -> None:
        self._known = {"": 0}
        self._codes = array("I")

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, reason: str) -> int:
        """Note the reason of the next row, and return its place."""
        self._codes.append(self._known.setdefault(reason, len(self._known)))
        return len(self._codes) - 1

    def __setitem__(self, row: int, reason: str) -> None:
        self._codes[row] = self._known.setdefault(reason, len(self._known))

    def counts(self) -> dict[str, int]:
        """How many rows each reason has, the most frequent first, then in the order of the rows."""
        codes = np.frombuffer(self._codes, dtype=np.uint32)
        n = np.bincount(codes, minlength=len(self._known)).tolist()
        counted = ((reason, n[code]) for reason, code in self._known.items() if reason and n[code])
        return dict(sorted(counted, key=lambda one: -one[1]))

    def table(self) -> pd.DataFrame:
        """The rows that are left out, from 1, and their reasons."""
        codes = np.frombuffer(self._codes, dtype=np.uint32).astype(np.int32)
        rows = np.flatnonzero(codes)
        reasons = pd.Categorical.from_codes(codes[rows] - 1, pd.Index([*self._known][1:], dtype=object))
        return pd.DataFrame({"row": rows + 1, "reason": reasons})


@dataclass(frozen=True)
class _Candidate:
    """A carrier: `near_key` of its words, its row, its label, and `near_key` of the whole text."""

    key: int
    row: int
    carrier: Carrier
    label: str
    text: int


class _Pools:
    """Of each label the carriers with the smallest keys: of equal ones the first, as the rows are read."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of_label: dict[str, dict[int, _Candidate]] = {}
        self._limit: dict[str, int] = {}  # what is larger is not among the smallest

    def add(self, one: _Candidate, reasons: _Reasons) -> None:
        """Take in a carrier, unless one with its key is there or its key is too large."""
        if any(one.key in pool for pool in self._of_label.values()):
            reasons[one.row] = _ALMOST_SAME
            return
        if one.key > self._limit.get(one.label, one.key):
            reasons[one.row] = _MORE
            return
        pool = self._of_label.setdefault(one.label, {})
        pool[one.key] = one
        if len(pool) >= 2 * self._most:
            ordered = sorted(pool)
            for key in ordered[self._most :]:
                reasons[pool.pop(key).row] = _MORE
            self._limit[one.label] = ordered[self._most - 1]

    def without_near_duplicates(self, reasons: _Reasons) -> list[_Candidate]:
        """The carriers in the order of the rows, without those that share a run of eight words with an earlier one."""
        seen: set[int] = set()
        kept = []
        for one in sorted((one for pool in self._of_label.values() for one in pool.values()), key=lambda one: one.row):
            marks = _runs(one.carrier.words)
            if seen.isdisjoint(marks):
                kept.append(one)
            else:
                reasons[one.row] = _ALMOST_SAME
            seen |= marks
        return kept


@dataclass(frozen=True, eq=False)
class _ReadFrame:
    """Reads the texts of a table as carriers; a process of its own can do it."""

    reader: Reader
    text_column: str
    label_column: str
    harmful: str

    def __call__(self, frame: pd.DataFrame) -> list[Carrier | Unfit]:
        texts, labels = _written(frame, self.text_column), _written(frame, self.label_column)
        return [
            self.reader.read(text, label=label, harmful=self.harmful) for text, label in zip(texts, labels, strict=True)
        ]


def _written(frame: pd.DataFrame, column: str) -> list[str]:
    """The cells of a column, "" without it."""
    if column not in frame.columns:
        return [""] * len(frame)
    return frame[column].fillna("").astype("str").tolist()


def _labels(frame: pd.DataFrame, column: str, classes: Sequence[str], start: int, task: str) -> list[str]:
    labels = _written(frame, column)
    for at, label in enumerate(labels):
        if label and label not in classes:
            raise LabelError(
                f"the label of row {start + at + 1:,} is {label!r}, which is not a class of the task {task}: "
                f"{', '.join(classes)}.",
                remedy="Correct it in the table, or leave the labels out.",
            )
    return labels


def _doubts(kept: Sequence[_Candidate], sample: LabelSample) -> dict[int, tuple[str, str]]:
    """Of each row whose label is not reliable the label and the reason."""
    templates, labels = [one.carrier.template for one in kept], [one.label for one in kept]
    found = label_doubts(templates, labels, [one.text for one in kept], sample, identity_words())
    return {one.row: (one.label, why) for one, why in zip(kept, found, strict=True) if why}


def _runs(words: Sequence[str]) -> set[int]:
    """The runs of words of a text, as hashes; of a shorter text all its words."""
    if len(words) < RUN:
        return {hash(tuple(words))}
    return {hash(tuple(words[at : at + RUN])) for at in range(len(words) - RUN + 1)}


def _drawn(kept: Sequence[_Candidate], most: int) -> list[_Candidate]:
    """The carriers with the smallest keys, the labels in turn; in the order of the rows."""
    by_label: dict[str, list[_Candidate]] = {}
    for one in sorted(kept, key=lambda one: one.key):
        by_label.setdefault(one.label, []).append(one)
    ranked = sorted(
        ((place, at, one) for at, several in enumerate(by_label.values()) for place, one in enumerate(several)),
        key=lambda one: one[:2],
    )
    return sorted((one for _, _, one in ranked[:most]), key=lambda one: one.row)


def _linted(
    rows: Sequence[_Candidate], attribute: str, task: str, register: str
) -> tuple[pd.DataFrame, dict[int, str]]:
    """The table of templates, and of each with a fault the rule that found it."""
    records = [
        {"template": one.carrier.template, "label": one.label, "task": task, "attribute": attribute, "hard": "no",
         "register": register, "id": f"own-{one.row}", "row": one.row}
        for one in rows
    ]  # fmt: skip
    table = pd.DataFrame(records, columns=[*COLUMNS, "row"])
    faults: dict[int, str] = {}
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "templates"
        folder.mkdir()
        file = folder / "harvested.csv"
        table.drop(columns="row").to_csv(file, index=False, quoting=csv.QUOTE_ALL)
        at_line = {at + 2: row for at, row in enumerate(table["row"])}
        for finding in lint(scratch):
            line = finding.order[1]
            if finding.rule == "lexicon":
                table.loc[table["row"] == at_line.get(line), "hard"] = "yes"
            elif finding.rule not in _IGNORED and line in at_line:
                faults.setdefault(at_line[line], finding.rule)
    return table, faults
