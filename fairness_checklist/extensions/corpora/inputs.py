"""The input of the verbs audit and mitigate: their common options, terms, labelled texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, STATISTICS, TESTED, option

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.content.terms import IdentityTerm
    from fairness_checklist.extensions.corpora.corpus_rows import Batch
    from fairness_checklist.extensions.corpora.mitigation_loop import LabelledTexts

ATTRIBUTES = ("gender", "sexual_orientation", "race_ethnicity", "religion", "disability", "age")
LENGTHS = "20,60,120,180,240,300"
"""As ``LENGTHS`` of `corpora.audit`, which ``--help`` does not load."""
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
AuthorColumn = Annotated[str, option(DATA, "Column of the authors: tests and intervals cluster their texts.")]
Positive = Annotated[
    list[str] | None, option(DATA, f"Labels that make up the positive class; by default toxic. {arguments.MANY}")
]
Lengths = Annotated[str, option(STATISTICS, "Ends of the length buckets, in characters.")]
Senses = Annotated[
    bool, option(TESTED, "Count words such as straight or black only where they describe a person.", "--senses")
]
ExactWords = Annotated[
    bool, option(TESTED, "Count terms only as they are written, without plurals and other forms.", "--exact-words")
]
Prior = Annotated[
    str, option(STATISTICS, "Share of positive texts to reach: bucket (texts of that length), overall, 0.5.")
]
Pool = Annotated[Path | None, option(DATA, "Table of texts that are assumed to be negative.")]


def chosen_terms(
    attribute: list[str] | None, terms: list[str] | None, *, exact_words: bool = False
) -> dict[str, tuple[str, ...]]:
    """The terms of attributes, or those that are named or listed in files, each with the forms that count as it.

    Terms of attributes and of files with the columns term and group have the forms of `term_forms`, others none.
    """
    from fairness_checklist.content.term_files import load_terms
    from fairness_checklist.content.term_forms import term_forms
    from fairness_checklist.core.errors import OptionError

    if attribute and terms:
        raise OptionError("--attribute and --terms both give terms.", remedy="Leave out one of the two.")
    known: list[IdentityTerm] = []
    listed: list[str] = []
    if terms:
        listed, known = _given_terms(terms)
    else:
        for name in arguments.split_commas(attribute) or ATTRIBUTES:
            known += [term for term in load_terms(name).terms if term.status != "dispreferred"]
    if exact_words:
        listed += [term.term for term in known]
        known = []
    forms = term_forms(known)
    folded = {term.casefold() for term in forms}
    plain = {term.casefold(): term for term in listed}
    return forms | {term: () for spelling, term in plain.items() if spelling not in folded}


def _given_terms(terms: list[str]) -> tuple[list[str], list[IdentityTerm]]:
    """Terms that are named or listed, and those of files with the columns term and group."""
    from fairness_checklist.content.term_files import read_terms
    from fairness_checklist.core.errors import TermError

    listed: list[str] = []
    known: list[IdentityTerm] = []
    for name in arguments.names_or_files(terms):
        given = Path(name) if str(name).endswith((".txt", ".csv")) else name
        if not isinstance(given, Path):
            listed.append(str(given))
            continue
        if not given.is_file():
            raise TermError(f"there is no file {given}.", remedy="Give a text file with one term on each line.")
        rows = given.read_text(encoding="utf-8-sig").splitlines()
        lines = [row.strip().strip('"') for row in rows if row.strip()]
        if lines and {"term", "group"} <= set(re.split("[,;]", lines[0].replace('"', ""))):
            known += read_terms(given).terms
        else:
            listed += [line for line in lines if line != "term"]
    return listed, known


def read_labelled(
    path: Path, text_column: str, label_column: str, positive: list[str] | None, author_column: str = ""
) -> tuple[list[str], list[str], str, pd.DataFrame]:
    """The texts, the labels with one name for the positive class, that name, and the table."""
    from fairness_checklist.core.errors import TableError
    from fairness_checklist.tables.files import read_table

    frame = read_table(path)
    named = {"text": text_column, "label": label_column, "author": author_column}
    given = {option: name for option, name in named.items() if name}
    for name in given.values():
        if name not in frame.columns:
            raise TableError(
                f"there is no column {name}.",
                place=path.name,
                remedy=f"Its columns are {', '.join(map(str, frame.columns))}. Name it: "
                f"{', '.join(f'--{option}-column' for option in given)}.",
            )
    wanted = arguments.split_commas(positive) or ["toxic"]
    joined = wanted[0] if len(wanted) == 1 else "positive"
    labels = [joined if label in wanted else label for label in frame[label_column].astype(str)]
    return frame[text_column].fillna("").astype(str).tolist(), labels, joined, frame


def labelled_batches(
    path: Path, text_column: str, label_column: str, positive: list[str] | None, author_column: str = ""
) -> tuple[Iterator[Batch], str, int | None]:
    """As `read_labelled` the batches of a file or folder, the name of the positive class, and the rows, if known."""
    from fairness_checklist.extensions.corpora.corpus_rows import author_keys
    from fairness_checklist.tables.streams import read_batches

    given = {"text": text_column, "label": label_column} | ({"author": author_column} if author_column else {})
    options = ", ".join(f"--{option}-column" for option in given)
    frames = read_batches(path, [*given.values()], remedy=f"Name it: {options}.")
    wanted = arguments.split_commas(positive) or ["toxic"]
    joined = wanted[0] if len(wanted) == 1 else "positive"

    def batches() -> Iterator[Batch]:
        start = 0
        for frame in frames:
            labels = [joined if label in wanted else label for label in frame[label_column]]
            keys = author_keys(frame[author_column].tolist(), start) if author_column else None
            yield frame[text_column].tolist(), labels, keys
            start += len(frame)

    return batches(), joined, frames.rows


def read_texts(path: Path, column: str) -> list[str]:
    """The texts of a pool: the column that the corpus has them in, or "text"."""
    from fairness_checklist.core.errors import TableError
    from fairness_checklist.tables.files import read_table

    frame = read_table(path)
    there = next((name for name in (column, "text") if name in frame.columns), None)
    if there is None:
        wanted = "text" if column == "text" else f"{column}, as in the corpus, or text"
        raise TableError(
            f"there is no column {column}.",
            place=path.name,
            remedy=f"Its columns are {', '.join(map(str, frame.columns))}. Name the one with the texts {wanted}.",
        )
    return list(map(str, frame[there].dropna()))


def scores_of_model(
    model: str, task: str, labels: list[str] | None, text_column: str
) -> Callable[[pd.DataFrame], list[float]]:
    """The probability of the task's positive class that a model gives the texts of a table."""
    from fairness_checklist.api.scoring import score_table
    from fairness_checklist.cli.python_models import load_named
    from fairness_checklist.core.errors import ModelError, OptionError
    from fairness_checklist.core.tasks import get_task

    positive = get_task(task).positive
    if not positive:
        raise OptionError(f"the task {task} is about words, and an audit about texts.", remedy="Name --task toxicity.")
    loaded = load_named(model, task, labels=arguments.read_labels(labels))

    def scores(frame: pd.DataFrame) -> list[float]:
        own = frame[[text_column]]
        scored = score_table(own, loaded, text_column=text_column)
        if scored.attrs["failed"]:
            first = scored.attrs["failed"][0]
            raise ModelError(f"the model failed on row {first['source']}: {first['error']}", remedy="Leave it out.")
        return number_column(scored, f"p:{positive}")

    return scores


def number_column(frame: pd.DataFrame, column: str) -> list[float]:
    """A column of numbers."""
    from fairness_checklist.core.errors import TableError

    if column not in frame.columns:
        raise TableError(f"there is no column {column}.", remedy=f"Columns: {', '.join(map(str, frame.columns))}.")
    try:
        return list(map(float, frame[column]))
    except (TypeError, ValueError) as error:
        raise TableError(f"the column {column} holds something else than numbers.") from error


def negative_class(labels: Sequence[str], positive: str) -> str:
    """The name of the negative class: the most frequent label that is not positive."""
    from collections import Counter

    others = Counter(label for label in labels if label != positive).most_common(1)
    return others[0][0] if others else "negative"


def train_and_test(
    own: tuple[list[str], list[str]], test: Path | None, columns: tuple[str, str, list[str] | None], seed: int
) -> tuple[LabelledTexts, LabelledTexts]:
    """The training texts and the general set; repeats of one text stay on one side."""
    import numpy as np

    from fairness_checklist.extensions.corpora.mitigation_loop import LabelledTexts

    texts, labels = own
    if test is not None:
        held_texts, held_labels, _, _ = read_labelled(test, *columns)
        return LabelledTexts(texts, labels), LabelledTexts(held_texts, held_labels)
    different = list(dict.fromkeys(texts))
    drawn = np.random.default_rng([seed, 3]).permutation(len(different))[: len(different) // 5]
    away = {different[at] for at in drawn.tolist()}
    sides = []
    for inside in (False, True):
        rows = [at for at, text in enumerate(texts) if (text in away) == inside]
        sides.append(LabelledTexts([texts[at] for at in rows], [labels[at] for at in rows]))
    return sides[0], sides[1]


def numbers(text: str) -> list[int]:
    """The ends of the length buckets."""
    return [int(number(end, "--lengths")) for end in text.split(",")]


def read_prior(text: str) -> str | float:
    """The prior: a name or a share."""
    return text if text in ("bucket", "overall") else number(text, "--prior")


def number(text: str, option: str) -> float:
    """The number of an option."""
    from fairness_checklist.core.errors import OptionError

    try:
        return float(text)
    except ValueError as error:
        raise OptionError(f"{option} {text} is not known.", remedy=f"See {option} in --help.") from error
