"""The input of the verbs audit and mitigate: their common options, terms, labelled texts, scores."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, TESTED, option
from fairness_checklist.core.errors import OptionError, TermError

if TYPE_CHECKING:
    from fairness_checklist.content.terms import IdentityTerm

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
        "Terms in place of those of attributes, counted only as written; or a .txt file with one on each line, or a "
        f".csv file with the columns term and group. {arguments.MANY}",
    ),
]
TextColumn = Annotated[str, option(DATA, "Column of the texts.")]
LabelColumn = Annotated[str, option(DATA, "Column of the labels.")]
Positive = Annotated[
    list[str] | None, option(DATA, f"Labels that make up the positive class; by default toxic. {arguments.MANY}")
]


@dataclass(frozen=True, eq=False)
class LabelledCorpus:
    """The texts and labels of a table, and one name for its positive class."""

    texts: list[str]
    labels: list[str]  # as written
    classes: list[str]  # with one name for the labels of the positive class
    positive: str
    sets: list[str]  # those of the texts; empty without such a column

    @property
    def negative(self) -> str:
        """The most frequent label that is not positive."""
        others = Counter(label for label in self.classes if label != self.positive).most_common(1)
        return others[0][0] if others else "negative"


def chosen_terms(attribute: list[str] | None, terms: list[str] | None) -> dict[str, tuple[str, ...]]:
    """The terms of attributes, or those that are named or listed in files, each with the forms that count as it."""
    from fairness_checklist.content.term_files import load_terms, read_terms
    from fairness_checklist.content.term_forms import term_forms

    if attribute and terms:
        raise OptionError("--attribute and --terms both give terms.", remedy="Leave out one of the two.")
    listed: list[str] = []
    inflected: list[IdentityTerm] = []
    for name in [] if terms else arguments.split_commas(attribute) or ATTRIBUTES:
        inflected += [term for term in load_terms(name).terms if term.status != "dispreferred"]
    for name in arguments.names_and_files(terms) or ():
        file = Path(name)
        if file.suffix not in {".txt", ".csv"}:
            listed.append(name)
        elif not file.is_file():
            raise TermError(f"there is no file {file}.", remedy="Give a text file with one term on each line.")
        elif file.suffix == ".csv":
            inflected += read_terms(file).terms
        else:
            listed += filter(None, map(str.strip, file.read_text(encoding="utf-8-sig").splitlines()))
    forms = term_forms(inflected)
    folded = {term.casefold() for term in forms}
    plain = {term.casefold(): term for term in listed}
    return forms | {term: () for spelling, term in plain.items() if spelling not in folded}


def read_labelled(path: Path, text: str, label: str, positive: list[str] | None, *sets_in: str) -> LabelledCorpus:
    """All texts and labels of a file or folder."""
    from fairness_checklist.tables.files import read_batches

    wanted = arguments.split_commas(positive) or ["toxic"]
    name = wanted[0] if len(wanted) == 1 else "positive"
    texts: list[str] = []
    labels: list[str] = []
    sets: list[str] = []
    for frame in read_batches(path, [text, label, *sets_in], remedy="Name it: --text-column, --label-column."):
        texts += frame[text].tolist()
        labels += map(str, frame[label])
        sets += [str(name) for column in sets_in for name in frame[column]]
    return LabelledCorpus(texts, labels, [name if label in wanted else label for label in labels], name, sets)


def read_texts(path: Path, column: str) -> list[str]:
    """The texts of a pool that are not empty, from the column of this name."""
    from fairness_checklist.tables.files import read_batches

    batches = read_batches(path, [column], remedy="Give the texts the name that they have in the corpus.")
    return [text for frame in batches for text in frame[column] if text]
