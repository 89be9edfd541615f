"""Templates from texts that people wrote: carriers of a mention, without near-duplicates, each through the linter."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.lint_and_fix import lint
from fairness_checklist.extensions.engines.batches import over_batches
from fairness_checklist.extensions.natural.carriers import Carrier, Reader

__all__ = ["Harvest", "harvest"]

COLUMNS = ("template", "label", "task", "attribute", "hard", "register", "id")
_RUN = 8  # words in common that make two texts near-duplicates
_IGNORED = frozenset({"balance", "paraphrase", "length", "capital", "stop", "label", "spacing", "punctuation", "brand"})
"""Rules about files, and about how a text is typed, which is as people typed it."""
_SPARE = 3  # times as many candidates as are asked for go to the linter


@dataclass(frozen=True, eq=False)
class Harvest:
    """Templates from a corpus.

    Attributes:
        texts: how many texts were read.
        templates: one row each, with the columns of a templates file.
        left_out: how many texts were left out for each reason, the most frequent first.
        rows: of each text that is left out its row, from 1, and the reason. No text.
        candidates: the texts that could be templates, before near-duplicates, linter and number.
    """

    texts: int
    templates: pd.DataFrame
    left_out: dict[str, int]
    rows: pd.DataFrame
    candidates: int

    def __str__(self) -> str:
        labels = self.templates["label"].value_counts().to_dict()
        by_label = ", ".join(f"{n:,} {name}" for name, n in labels.items() if name)
        lines = [f"{len(self.templates):,} templates from {self.texts:,} texts{f' ({by_label})' if by_label else ''}."]
        if self.left_out:
            top = [f"{n:,} {reason}" for reason, n in list(self.left_out.items())[:5]]
            lines.append(f"Left out, most frequent reasons: {'; '.join(top)}.")
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
    chosen = get_task(task)
    if chosen.tagging:
        raise OptionError(f"the task {task} has no templates from texts.", remedy="Take sentiment or toxicity.")
    harmful = chosen.harms[0].label
    read_frame = _ReadFrame(Reader(attribute, terms), text_column, label_column, harmful)
    frames = [texts] if isinstance(texts, pd.DataFrame) else texts
    seen: set[int] = set()
    reasons: list[str] = []
    kept: list[tuple[int, int, Carrier, str]] = []  # key, row, carrier, label
    candidates = row = 0
    for frame, found in over_batches(read_frame, frames, workers=workers, engine=engine):
        labels = _labels(frame, label_column, chosen.classes, row, task)
        for text, label, read in zip(_written(frame, text_column), labels, found, strict=True):
            reason = read.reason if isinstance(read, Unfit) else ""
            if isinstance(read, Carrier):
                candidates += 1
                marks = _runs(read.words)
                if seen.isdisjoint(marks):
                    key = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
                    kept.append((key, row, read, label))
                else:
                    reason = "it is almost the same as another text"
                seen |= marks
            reasons.append(reason)
            row += 1
    chosen_rows = _drawn(kept, _SPARE * max_templates)
    table, faults = _linted(chosen_rows, attribute, task, register)
    for at, fault in faults.items():
        reasons[at] = f"the linter finds a fault: {fault}"
    final = _drawn([one for one in chosen_rows if one[1] not in faults], max_templates)
    in_file = {one[1] for one in final}
    for _, at, _, _ in kept:
        if at not in in_file and not reasons[at]:
            reasons[at] = "there are more than are asked for"
    table = table[table["row"].isin(in_file)].drop(columns="row").reset_index(drop=True)
    if not len(table):
        counted = Counter(reasons).most_common(3)
        raise OptionError(
            f"none of the {row:,} texts can be a template for {attribute}.",
            remedy="\n".join(f"{n:,}: {reason}." for reason, n in counted) or "Give texts.",
        )
    table["id"] = [f"{attribute}-own-{at:03d}" for at in range(1, len(table) + 1)]
    left_out = dict(Counter(reason for reason in reasons if reason).most_common())
    every = pd.DataFrame({"row": np.arange(1, row + 1), "reason": reasons})
    rows = every[every["reason"] != ""].reset_index(drop=True)
    return Harvest(row, table[list(COLUMNS)], left_out, rows, candidates)


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


def _runs(words: Sequence[str]) -> set[int]:
    """The runs of words of a text, as hashes; of a shorter text all its words."""
    if len(words) < _RUN:
        return {hash(tuple(words))}
    return {hash(tuple(words[at : at + _RUN])) for at in range(len(words) - _RUN + 1)}


def _drawn(kept: Sequence[tuple[int, int, Carrier, str]], most: int) -> list[tuple[int, int, Carrier, str]]:
    """The carriers with the smallest keys, the labels in turn; in the order of the rows."""
    by_label: dict[str, list[tuple[int, int, Carrier, str]]] = {}
    for one in sorted(kept, key=lambda one: one[:2]):
        by_label.setdefault(one[3], []).append(one)
    ranked = sorted(
        ((place, at, one) for at, several in enumerate(by_label.values()) for place, one in enumerate(several)),
        key=lambda one: one[:2],
    )
    return sorted((one for _, _, one in ranked[:most]), key=lambda one: one[1])


def _linted(
    rows: Sequence[tuple[int, int, Carrier, str]], attribute: str, task: str, register: str
) -> tuple[pd.DataFrame, dict[int, str]]:
    """The table of templates, and of each with a fault the rule that found it."""
    records = [
        {"template": one.template, "label": label, "task": task, "attribute": attribute, "hard": "no",
         "register": register, "id": f"own-{at}", "row": at}
        for _, at, one, label in rows
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
