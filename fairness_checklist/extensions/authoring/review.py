"""The review of a file of terms by the people whom they name: a sheet of questions, and the counts of the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import load_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.atomic import atomic_file, check_writable
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.errors import OptionError, TableError, count, did_you_mean, first_ten
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
_COUNTED = ("used", "offensive", "plausible")
_AGAINST = {"used": "no", "offensive": "yes"}  # the answers that speak against a term
_FEW_MEMBERS = 5  # with fewer, the counts are single opinions
_SENTENCE, _PLAUSIBLE = ([f"{name}_{n}" for n in range(1, _SENTENCES + 1)] for name in ("sentence", "plausible"))
_CHOSEN = ("used", "offensive", *_PLAUSIBLE)  # the columns whose cells are one of the choices
COLUMNS = ("sheet", "reader", "member", "group", "term", *_SENTENCE, *list(QUESTIONS)[:3], *_PLAUSIBLE, "comment")


class Item(NamedTuple):
    """A term on the sheet, with sentences in which it stands."""

    group: str
    term: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """The items of a review."""

    attribute: str
    items: tuple[Item, ...]


def make_sheet(path: str | Path, *, groups: Sequence[str] | None = None, seed: int = 0) -> Sheet:
    """The terms of a file that are used by default, each in up to three neutral or positive sentences.

    The sentences of a term are of three templates, drawn with ``seed``; negative and hostile ones are not asked about.

    Raises:
        TermError: the file does not parse, or an unknown group.

    >>> sheet = make_sheet(shipped_folder("identity_terms") / "veteran_status.csv")
    >>> sheet.attribute, len(sheet.items[0].sentences)
    ('veteran_status', 3)
    """
    terms = read_terms(Path(path)).select(groups)
    names = display_names(terms.terms)
    sentences = dict(_sentences(terms, Path(path), seed))
    items = (Item(term.group, name, sentences.get(name, ())) for term, name in zip(terms.terms, names, strict=True))
    return Sheet(terms.attribute, tuple(items))


def _sentences(terms: TermList, path: Path, seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
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
        yield name, tuple(texts[row] for row in list(of_family.values())[:_SENTENCES])


def write_sheet(sheet: Sheet, path: str | Path) -> Path:
    """Write the sheet as CSV for spreadsheets; the questions stand in a first row, whose term is empty.

    Raises:
        OptionError: the name does not end with .csv, or the file is there.
    """
    path = Path(path)
    if path.exists():
        raise OptionError(
            f"{str(path)!r} exists already.", remedy="Name another file, or remove it: answers may be in it."
        )
    questions = {**QUESTIONS, **dict.fromkeys(_PLAUSIBLE, QUESTIONS["plausible"])}
    rows = [{name: questions.get(name, "") for name in COLUMNS} | {"member": "Do you belong to this group?"}]
    for item in sheet.items:
        sentences = dict(zip(_SENTENCE, item.sentences, strict=False))
        rows.append({"sheet": sheet.attribute, "group": item.group, "term": item.term, **sentences})
    return write_table(pd.DataFrame(rows, columns=list(COLUMNS)), path)


def write_table(table: pd.DataFrame, path: Path) -> Path:
    """Write a sheet, or the counts by term, as CSV."""
    if path.suffix.lower() != ".csv":
        raise OptionError(f"{path.name} does not end with .csv.", remedy="It is written as CSV, for spreadsheets.")
    check_writable(path, folder=False)
    with atomic_file(path) as scratch:
        table.to_csv(scratch, index=False, encoding="utf-8-sig", lineterminator="\r\n")
    return path


def read_answers(paths: Sequence[str | Path], sheet: Sheet) -> pd.DataFrame:
    """The answers in files, or in the CSV files of folders; a file without a reader's number is one reader.

    Returns:
        One row for what one reader says of one term: ``reader, member`` (whether they belong to the group), ``group,
        term, used, offensive, plausible_1`` to ``plausible_3``, ``prefer, comment``; "" where a question is open.

    Raises:
        OptionError: no such file, or none with an answer.
        TableError: with ``file:line``: another sheet, an unknown term or answer, a term answered twice by one reader.
    """
    answers: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise OptionError(f"{str(path)!r} does not exist.", remedy="Give files of answers, or folders of them.")
        for file in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            for row in read_rows(file, COLUMNS, ("group", "term", "used"), TableError):
                answer = {name: row.cells[name] for name in ("group", "term", *_CHOSEN, "prefer", "comment")}
                if not row.cells["term"] or not any(list(answer.values())[2:]):
                    continue
                answer |= {name: answer[name].lower() for name in _CHOSEN}
                _check(row.cells["sheet"], answer, row.place, sheet)
                reader = row.cells["reader"] or file.stem
                if (reader, answer["group"], answer["term"]) in answers:
                    message = f"the reader {reader!r} has answered on {answer['term']!r} before."
                    raise TableError(message, place=row.place, remedy="Give each reader's file once.")
                about = {"reader": reader, "member": row.cells["member"].lower() == "yes"}
                answers[reader, answer["group"], answer["term"]] = about | answer
    if not answers:
        raise OptionError("no question is answered in these files.", remedy="Fill in the sheet, and save it as CSV.")
    return pd.DataFrame(list(answers.values()))


def _check(named: str, answer: Mapping[str, str], place: str, sheet: Sheet) -> None:
    """Raise `TableError` for an answer to another sheet, on an unknown term, or of unknown words."""
    unknown = next((name for name in _CHOSEN if answer[name] not in (*_CHOICES, "")), "")
    if named != sheet.attribute:
        raise TableError(
            f"the answers are on {named!r}, and the terms are of {sheet.attribute!r}.",
            place=place,
            remedy="Name the file of terms that the sheet was made from, and leave the column sheet as it is.",
        )
    if (answer["group"], answer["term"]) not in {(item.group, item.term) for item in sheet.items}:
        hint = did_you_mean(answer["term"], [item.term for item in sheet.items])
        raise TableError(
            f"{answer['term']!r} is not a term of {answer['group']!r} that is used.",
            place=place,
            remedy=f"Leave the columns group and term as they are, or remove the row.{hint}",
        )
    if unknown:
        message = f"the answer {answer[unknown]!r} in the column {unknown} is not known."
        raise TableError(message, place=place, remedy=f"Known: {', '.join(_CHOICES)}, or nothing.")


def count_answers(answers: pd.DataFrame) -> pd.DataFrame:
    """One row a term, in the order of the first answers: the counts of each choice, the words preferred, comments.

    The counts that end in ``_members`` are of readers who say that they belong to the group. Only they decide
    ``reconsider``: the question to which half or more of them answer against the term, used or offensive; "" for none.
    """
    rows = []
    for (group, term), of_term in answers.groupby(["group", "term"], sort=False):
        members = of_term[of_term["member"]]
        row: dict[str, Any] = {"group": group, "term": term, "readers": len(of_term), "members": len(members)}
        for ending, readers in (("", of_term), ("_members", members)):
            for name in _COUNTED:
                chosen = readers[_columns(name)]
                row |= {_column(name, choice) + ending: int((chosen == choice).sum().sum()) for choice in _CHOICES}
        row["prefer"] = "; ".join(filter(None, of_term["prefer"]))
        row["comments"] = " | ".join(filter(None, of_term["comment"]))
        against = (
            name
            for name, choice in _AGAINST.items()
            if 0 < _total(row, name, "_members") <= 2 * row[f"{_column(name, choice)}_members"]
        )
        rows.append(row | {"reconsider": next(against, "")})
    return pd.DataFrame(rows)


def _columns(name: str) -> list[str]:
    """The columns with the answers to a question."""
    return _PLAUSIBLE if name == "plausible" else [name]


def _column(name: str, choice: str) -> str:
    return f"{name}_{choice.replace(' ', '_')}"


def _total(counts: Mapping[str, Any] | pd.Series, name: str, ending: str = "") -> int:
    """The number of answers to a question."""
    return int(sum(counts[_column(name, choice) + ending] for choice in _CHOICES))


def summary(answers: pd.DataFrame, sheet: Sheet) -> dict[str, Any]:
    """Readers, members of the groups, terms, those to reconsider, and the rows of `count_answers`."""
    rows = count_answers(answers)
    return {
        "readers": answers["reader"].nunique(),
        "members": answers.loc[answers["member"], "reader"].nunique(),
        "terms": len(rows),
        "of_terms": len(sheet.items),
        "reconsider": rows.loc[rows["reconsider"] != "", "term"].tolist(),
        "by_term": rows.to_dict("records"),
    }


def review_text(content: Mapping[str, Any], sheet: Sheet) -> str:
    """A summary in lines."""
    rows, members = pd.DataFrame(content["by_term"]), content["members"]
    counts = rows.sum(numeric_only=True)
    lines = [f"{count(content['readers'], 'reader')}, {members} of them members of the groups that they answered on."]
    answered = set(zip(rows["group"], rows["term"], strict=True))
    without = [item.term for item in sheet.items if (item.group, item.term) not in answered]
    lines.append(
        f"{content['terms']} of {count(len(sheet.items), 'term')} have answers; without: {first_ten(without)}."
        if without
        else f"All {len(sheet.items)} terms on the sheet have answers."
    )
    if members < _FEW_MEMBERS:
        lines.append(f"Few readers: with fewer than {_FEW_MEMBERS} members the counts show single opinions.")
    words = {"used": "used by the group", "offensive": "offensive", "plausible": "sentences sound real"}
    for name, text in words.items():
        if _total(counts, name):
            of_members, of_all = (
                f"{counts[f'{name}_yes{ending}']} of {_total(counts, name, ending)}" for ending in ("_members", "")
            )
            lines.append(f"  {text}: yes in {of_members} answers of members, {of_all} of all")
    against = [row for row in content["by_term"] if row["reconsider"]]
    if against:
        lines.append("To reconsider, because half or more of the members answer so:")
        lines += [f"  {_against_text(row)}" for row in against]
    elif not members:
        lines.append("No reader is a member of a group, so no term is named for a change.")
    return "\n".join(lines)


def _against_text(row: Mapping[str, Any]) -> str:
    name = row["reconsider"]
    number = row[f"{_column(name, _AGAINST[name])}_members"]
    what = {"used": "not used", "offensive": "offensive"}[name]
    text = f"{row['term']} ({row['group']}): {what} in {number} of {_total(row, name, '_members')} answers of members"
    preferred = Counter(filter(None, row["prefer"].split("; "))).most_common(3)
    words = ", ".join(f"{word} ({n} of {row['readers']})" for word, n in preferred)
    return f"{text}; suggested instead: {words}" if preferred else text
