"""The input of the verbs audit and mitigate: their common options, terms, labelled texts, scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, TESTED, option

if TYPE_CHECKING:
    from fairness_checklist.content.terms import IdentityTerm
    from fairness_checklist.extensions.corpora.corpus_counts import Batch
    from fairness_checklist.extensions.corpora.mitigation_loop import LabelledTexts

ATTRIBUTES = ("gender", "sexual_orientation", "race_ethnicity", "religion", "disability", "age")
Corpus = Annotated[Path, typer.Argument(metavar="CORPUS", help="Table of labelled texts: .csv, .parquet or .jsonl.")]
Attributes = Annotated[
    list[str] | None,
    option(
        TESTED,
        f"Attributes whose terms are used; by default {', '.join(ATTRIBUTES)}. {arguments.MANY}",
        "--attribute",
        "-a",
    ),
]
Terms = Annotated[
    list[str] | None,
    option(
        TESTED,
        "Terms in place of those of attributes, counted only as written; or a file with one on each line, or with "
        f"the columns term and group. {arguments.MANY}",
    ),
]
TextColumn = Annotated[str, option(DATA, "Column of the texts.")]
LabelColumn = Annotated[str, option(DATA, "Column of the labels.")]
Positive = Annotated[
    list[str] | None, option(DATA, f"Labels that make up the positive class; by default toxic. {arguments.MANY}")
]


class Columns(NamedTuple):
    """The columns of a labelled table, and the labels of its positive class."""

    text: str
    label: str
    positive: list[str] | None

    def names(self) -> tuple[list[str], str]:
        """The labels of the positive class, and the one name that it has from here on."""
        labels = arguments.split_commas(self.positive) or ["toxic"]
        return labels, labels[0] if len(labels) == 1 else "positive"


def chosen_terms(attribute: list[str] | None, terms: list[str] | None) -> dict[str, tuple[str, ...]]:
    """The terms of attributes, or those that are named or listed in files, each with the forms that count as it.

    Terms of attributes and of files with the columns term and group have the forms of `term_forms`, others none.
    """
    from fairness_checklist.content.term_files import load_terms
    from fairness_checklist.content.term_forms import term_forms
    from fairness_checklist.core.errors import OptionError

    if attribute and terms:
        raise OptionError("--attribute and --terms both give terms.", remedy="Leave out one of the two.")
    listed: list[str] = []
    inflected: list[IdentityTerm] = []
    if terms:
        listed, inflected = _named_terms(terms)
    else:
        for name in arguments.split_commas(attribute) or ATTRIBUTES:
            inflected += [term for term in load_terms(name).terms if term.status != "dispreferred"]
    forms = term_forms(inflected)
    folded = {term.casefold() for term in forms}
    plain = {term.casefold(): term for term in listed}
    return forms | {term: () for spelling, term in plain.items() if spelling not in folded}


def _named_terms(terms: list[str]) -> tuple[list[str], list[IdentityTerm]]:
    """Terms that are named or listed, and those of files with the columns term and group."""
    from fairness_checklist.content.term_files import read_terms
    from fairness_checklist.core.errors import TermError

    listed: list[str] = []
    inflected: list[IdentityTerm] = []
    for name in map(str, arguments.names_or_files(terms)):
        if not name.endswith((".txt", ".csv")):
            listed.append(name)
            continue
        file = Path(name)
        if not file.is_file():
            raise TermError(f"there is no file {file}.", remedy="Give a text file with one term on each line.")
        rows = file.read_text(encoding="utf-8-sig").splitlines()
        lines = [row.strip().strip('"') for row in rows if row.strip()]
        if lines and {"term", "group"} <= set(re.split("[,;]", lines[0].replace('"', ""))):
            inflected += read_terms(file).terms
        else:
            listed += [line for line in lines if line != "term"]
    return listed, inflected


def labelled_batches(path: Path, columns: Columns) -> Iterator[Batch]:
    """The batches of a file or folder, with one name for the positive class."""
    from fairness_checklist.tables.files import read_batches

    remedy = "Name it: --text-column, --label-column."
    frames = read_batches(path, [columns.text, columns.label], remedy=remedy)
    wanted, joined = columns.names()
    return (
        (frame[columns.text].tolist(), [joined if label in wanted else label for label in frame[columns.label]])
        for frame in frames
    )


def read_labelled(path: Path, columns: Columns) -> tuple[list[str], list[str]]:
    """All texts and labels of a table, with one name for the positive class."""
    batches = labelled_batches(path, columns)
    texts: list[str] = []
    labels: list[str] = []
    for batch_texts, batch_labels in batches:
        texts += batch_texts
        labels += map(str, batch_labels)
    return texts, labels


def read_texts(path: Path, column: str) -> list[str]:
    """The texts of a pool: the column that the corpus has them in, or "text"."""
    from fairness_checklist.core.errors import TableError
    from fairness_checklist.tables.files import read_table

    frame = read_table(path)
    found = next((name for name in (column, "text") if name in frame.columns), None)
    if found is None:
        wanted = "text" if column == "text" else f"{column}, as in the corpus, or text"
        raise TableError(
            f"there is no column {column}.",
            place=path.name,
            remedy=f"Its columns are {', '.join(map(str, frame.columns))}. Name the one with the texts {wanted}.",
        )
    return list(map(str, frame[found].dropna()))


def negative_class(labels: Sequence[str], positive: str) -> str:
    """The name of the negative class: the most frequent label that is not positive."""
    others = Counter(label for label in labels if label != positive).most_common(1)
    return others[0][0] if others else "negative"


def split_corpus(texts: list[str], labels: list[str], seed: int) -> tuple[LabelledTexts, LabelledTexts]:
    """The training texts, and a fifth of the texts at random as the general set; repeats stay on one side."""
    import numpy as np

    from fairness_checklist.extensions.corpora.mitigation_loop import LabelledTexts

    different = list(dict.fromkeys(texts))
    drawn = np.random.default_rng([seed, 3]).permutation(len(different))[: len(different) // 5]
    away = {different[position] for position in drawn.tolist()}
    rows = ([row for row, text in enumerate(texts) if (text in away) == held_out] for held_out in (False, True))
    train, test = (LabelledTexts([texts[row] for row in side], [labels[row] for row in side]) for side in rows)
    return train, test
