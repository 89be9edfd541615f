"""The review of a file of terms by the people whom they name: a sheet of questions, and the counts of the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import load_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.atomic import atomic_file, check_writable
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, TableError, count, first_ten
from fairness_checklist.core.locations import shipped_folder

_SENTENCES = 3
_CHOICES = ("yes", "no", "it depends")
QUESTIONS = {
    "used": "Do people whom this describes use these words about themselves?",
    "prefer": "Would you prefer other words? Which?",
    "offensive": "Would these words offend you, or people you know, in an ordinary text?",
    "plausible": "Does this sound like something a real person might write?",
}
"""The four questions about a term; the last one is asked of each of its sentences."""
_AGAINST = {"used": ("no", "not used"), "offensive": ("yes", "offensive")}  # the answers that speak against a term
_FEW_MEMBERS = 5  # with fewer, the counts are single opinions
_SENTENCE, _PLAUSIBLE = ([f"{name}_{n}" for n in range(1, _SENTENCES + 1)] for name in ("sentence", "plausible"))
_COLUMNS_OF = {"used": ["used"], "offensive": ["offensive"], "plausible": _PLAUSIBLE}  # whose cells are choices
_CHOSEN = [column for columns in _COLUMNS_OF.values() for column in columns]
COLUMNS = ("sheet", "reader", "member", "group", "term", *_SENTENCE, *list(QUESTIONS)[:3], *_PLAUSIBLE, "comment")


def make_sheet(path: Path, *, seed: int = 0) -> pd.DataFrame:
    """The terms of a file, a row each, with up to three drawn sentences of different templates, neutral or positive."""
    terms = read_terms(path).select()
    sentences = dict(_sentences(terms, path, seed))
    rows = [
        {**dict.fromkeys(COLUMNS, ""), "sheet": terms.attribute, "group": term.group, "term": name}
        | dict(zip(_SENTENCE, sentences.get(name, ()), strict=False))
        for term, name in zip(terms.terms, display_names(terms.terms), strict=True)
    ]
    return pd.DataFrame(rows)


def _sentences(terms: TermList, path: Path, seed: int) -> Iterator[tuple[str, list[str]]]:
    beside = path.resolve().parent.parent / "templates"
    extra = beside if beside.is_dir() and beside != shipped_folder("templates") else None
    templates = load_templates("sentiment", terms.attribute, extra, language=terms.language)
    fit_to_ask = [template for template in templates if template.label in {"neutral", "positive"}]
    examples = expand(fit_to_ask, terms, task="sentiment").examples
    texts = examples.render()
    for term, name in enumerate(examples.terms):
        of_family: dict[str, int] = {}
        rows = np.flatnonzero(examples.term == term).tolist()
        for row in Random(f"{seed} {name}").sample(rows, len(rows)):
            source = examples.sources[examples.source[row]]
            of_family.setdefault(source.paraphrase_of or source.template, row)
        yield name, [texts[row] for row in list(of_family.values())[:_SENTENCES]]


def write_sheet(sheet: pd.DataFrame, path: Path) -> None:
    """Write the sheet as CSV for spreadsheets; the questions stand in a first row, whose term is empty."""
    if path.exists():
        remedy = "Name another file, or remove it: answers may be in it."
        raise OptionError(f"{str(path)!r} exists already.", remedy=remedy)
    if path.suffix.lower() != ".csv":
        raise OptionError(f"{path.name} does not end with .csv.", remedy="It is written as CSV, for spreadsheets.")
    check_writable(path, folder=False)
    questions = QUESTIONS | dict.fromkeys(_PLAUSIBLE, QUESTIONS["plausible"])
    first = pd.DataFrame([questions | {"member": "Do you belong to this group?"}], columns=list(COLUMNS))
    with atomic_file(path) as scratch:
        table = pd.concat([first, sheet])
        table.to_csv(scratch, index=False, encoding="utf-8-sig", lineterminator="\r\n")


def read_answers(paths: Sequence[str | Path], sheet: pd.DataFrame) -> pd.DataFrame:
    """What each reader says of each term, a row each, in files, or in the CSV files of folders.

    ``member``: whether they belong to the group. A file without a reader's number is one reader.
    """
    answers: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise OptionError(f"{str(path)!r} does not exist.", remedy="Give files of answers, or folders of them.")
        for file in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            for row in read_rows(file, COLUMNS, ("group", "term", "used"), TableError):
                answer = {name: row.cells[name].lower() for name in _CHOSEN}
                answer |= {name: row.cells[name] for name in ("prefer", "comment")}
                if not row.cells["term"] or not any(answer.values()):
                    continue
                _check(row.cells, row.place, sheet)
                key = (row.cells["reader"] or file.stem, row.cells["group"], row.cells["term"])
                if key in answers:
                    message = f"the reader {key[0]!r} has answered on {key[2]!r} before."
                    raise TableError(message, place=row.place, remedy="Give each reader's file once.")
                about = dict(zip(("reader", "group", "term"), key, strict=True))
                answers[key] = {**about, "member": row.cells["member"].lower() == "yes", **answer}
    if not answers:
        raise OptionError("no question is answered in these files.", remedy="Fill in the sheet, and save it as CSV.")
    return pd.DataFrame(list(answers.values()))


def _check(cells: Mapping[str, str], place: str, sheet: pd.DataFrame) -> None:
    """Raise `TableError` for an answer to another sheet, on an unknown term, or of unknown words."""
    if cells["sheet"] != sheet["sheet"][0]:
        raise TableError(
            f"the answers are on {cells['sheet']!r}, and the terms are of {sheet['sheet'][0]!r}.",
            place=place,
            remedy="Name the file of terms that the sheet was made from, and leave the column sheet as it is.",
        )
    if not ((sheet["group"] == cells["group"]) & (sheet["term"] == cells["term"])).any():
        hint = did_you_mean(cells["term"], sheet["term"])
        raise TableError(
            f"{cells['term']!r} is not a term of {cells['group']!r} that is used.",
            place=place,
            remedy=f"Leave the columns group and term as they are, or remove the row.{hint}",
        )
    if unknown := next((name for name in _CHOSEN if cells[name].lower() not in (*_CHOICES, "")), ""):
        message = f"the answer {cells[unknown].lower()!r} in the column {unknown} is not known."
        raise TableError(message, place=place, remedy=f"Known: {', '.join(_CHOICES)}, or nothing.")


def review_text(answers: pd.DataFrame, sheet: pd.DataFrame) -> str:
    """What the answers say, in lines, and which terms are to be reconsidered (see `_against_text`)."""
    members = answers[answers["member"]]
    n_readers, n_members = answers["reader"].nunique(), members["reader"].nunique()
    lines = [f"{count(n_readers, 'reader')}, {n_members} of them members of the groups that they answered on."]
    by_term = answers.groupby(["group", "term"], sort=False)
    without = [
        term for group, term in zip(sheet["group"], sheet["term"], strict=True) if (group, term) not in by_term.groups
    ]
    if without:
        lines.append(f"{by_term.ngroups} of {count(len(sheet), 'term')} have answers; without: {first_ten(without)}.")
    else:
        lines.append(f"All {len(sheet)} terms on the sheet have answers.")
    if n_members < _FEW_MEMBERS:
        lines.append(f"Few readers: with fewer than {_FEW_MEMBERS} members the counts show single opinions.")
    words = {"used": "used by the group", "offensive": "offensive", "plausible": "sentences sound real"}
    for name, columns in _COLUMNS_OF.items():
        of_members, of_all = (
            f"{(rows[columns] == 'yes').sum().sum()} of {(rows[columns] != '').sum().sum()}"
            for rows in (members, answers)
        )
        if (answers[columns] != "").any(axis=None):
            lines.append(f"  {words[name]}: yes in {of_members} answers of members, {of_all} of all")
    against = [line for (group, term), rows in by_term if (line := _against_text(f"{term} ({group})", rows))]
    if against:
        lines += ["To reconsider, because half or more of the members answer so:", *against]
    elif not n_members:
        lines.append("No reader is a member of a group, so no term is named for a change.")
    return "\n".join(lines)


def _against_text(term: str, answers: pd.DataFrame) -> str:
    """What half or more of the members answer against a term, with the words that were preferred; or ""."""
    for name, (choice, what) in _AGAINST.items():
        of_members = answers.loc[answers["member"] & (answers[name] != ""), name]
        number = int((of_members == choice).sum())
        if 0 < len(of_members) <= 2 * number:
            preferred = Counter(filter(None, answers["prefer"])).most_common(3)
            words = ", ".join(f"{word} ({n} of {len(answers)})" for word, n in preferred)
            suggested = f"; suggested instead: {words}" if words else ""
            return f"  {term}: {what} in {number} of {len(of_members)} answers of members{suggested}"
    return ""
