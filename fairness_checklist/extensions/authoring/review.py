"""The review of a file of terms by the people whom they name: a sheet of questions, and the counts of the answers."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

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
COLUMNS = ("sheet", "reader", "member", "group", "term", *_SENTENCE, *list(QUESTIONS)[:3], *_PLAUSIBLE, "comment")


@dataclass(frozen=True)
class Item:
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
    path = Path(path)
    terms = read_terms(path).select(groups)
    names = display_names(terms.terms)
    sentences = dict(_sentences(terms, path, seed))
    items = (Item(term.group, name, sentences.get(name, ())) for term, name in zip(terms.terms, names, strict=True))
    return Sheet(terms.attribute, tuple(items))


def _sentences(terms: TermList, path: Path, seed: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    beside = path.resolve().parent.parent / "templates"
    extra = beside if beside.is_dir() and beside != shipped_folder("templates") else None
    templates = load_templates("sentiment", terms.attribute, extra, language=terms.language)
    fit_to_ask = [template for template in templates if template.label in {"neutral", "positive"}]
    examples = expand(fit_to_ask, terms, task="sentiment").examples
    texts = examples.render()
    rows = defaultdict[int, list[int]](list)
    for row, term in enumerate(examples.term.tolist()):
        rows[term].append(row)
    for term, name in enumerate(examples.terms):
        of_family: dict[str, int] = {}
        for row in Random(f"{seed} {name}").sample(rows[term], len(rows[term])):
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
    return _write_csv(rows, COLUMNS, path)


def _write_csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], path: Path) -> Path:
    if path.suffix.lower() != ".csv":
        raise OptionError(f"{path.name} does not end with .csv.", remedy="It is written as CSV, for spreadsheets.")
    check_writable(path, folder=False)
    with atomic_file(path) as scratch, scratch.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


@dataclass(frozen=True, eq=False)
class Answer:
    """What one reader says of one term; "" where a question is open."""

    reader: str
    member: bool
    item: tuple[str, str]
    prefer: str
    comment: str
    choices: Mapping[str, str]


def read_answers(paths: Sequence[str | Path], sheet: Sheet) -> list[Answer]:
    """The answers in files, or in the CSV files of folders; a file without a reader's number is one reader.

    Raises:
        OptionError: no such file, or none with an answer.
        TableError: with ``file:line``: another sheet, an unknown term or answer, a term answered twice by one reader.
    """
    answers: dict[tuple[str, tuple[str, str]], Answer] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise OptionError(f"{str(path)!r} does not exist.", remedy="Give files of answers, or folders of them.")
        for file in sorted(path.glob("*.csv")) if path.is_dir() else [path]:
            for row in read_rows(file, COLUMNS, ("group", "term", "used"), TableError):
                answer = _answer(row.cells, file.stem, row.place, sheet) if row.cells["term"] else None
                if answer is None:
                    continue
                if (answer.reader, answer.item) in answers:
                    message = f"the reader {answer.reader!r} has answered on {answer.item[1]!r} before."
                    raise TableError(message, place=row.place, remedy="Give each reader's file once.")
                answers[answer.reader, answer.item] = answer
    if not answers:
        raise OptionError("no question is answered in these files.", remedy="Fill in the sheet, and save it as CSV.")
    return list(answers.values())


def _answer(cells: Mapping[str, str], stem: str, place: str, sheet: Sheet) -> Answer | None:
    choices = {name: cells[name].lower() for name in ("used", "offensive", *_PLAUSIBLE) if cells[name]}
    if not (choices or cells["prefer"] or cells["comment"]):
        return None
    item = (cells["group"], cells["term"])
    message = remedy = ""
    if cells["sheet"] != sheet.attribute:
        message = f"the answers are on {cells['sheet']!r}, and the terms are of {sheet.attribute!r}."
        remedy = "Name the file of terms that the sheet was made from, and leave the column sheet as it is."
    elif item not in {(entry.group, entry.term) for entry in sheet.items}:
        message = f"{item[1]!r} is not a term of {item[0]!r} that is used."
        hint = did_you_mean(item[1], [entry.term for entry in sheet.items])
        remedy = f"Leave the columns group and term as they are, or remove the row.{hint}"
    elif unknown := next((name for name, choice in choices.items() if choice not in _CHOICES), ""):
        message = f"the answer {choices[unknown]!r} in the column {unknown} is not known."
        remedy = f"Known: {', '.join(_CHOICES)}, or nothing."
    if message:
        raise TableError(message, place=place, remedy=remedy)
    is_member = cells["member"].lower() == "yes"
    return Answer(cells["reader"] or stem, is_member, item, cells["prefer"], cells["comment"], choices)


def count_answers(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """One row a term, in the order of the first answers: the counts of each choice, the words preferred, comments.

    The counts that end in ``_members`` are of readers who say that they belong to the group. Only they decide
    ``reconsider``: the question to which half or more of them answer against the term, used or offensive; "" for none.
    """
    of_item = defaultdict[tuple[str, str], list[Answer]](list)
    for answer in answers:
        of_item[answer.item].append(answer)
    rows = []
    for (group, term), of_term in of_item.items():
        members = [answer for answer in of_term if answer.member]
        row = {"group": group, "term": term, "readers": len(of_term), "members": len(members)}
        for ending, readers in (("", of_term), ("_members", members)):
            pairs = Counter((name.partition("_")[0], said) for a in readers for name, said in a.choices.items())
            row |= {_column(name, said) + ending: pairs[name, said] for name in _COUNTED for said in _CHOICES}
        reconsider = next((name for name, said in _AGAINST.items() if _is_half(row, name, said)), "")
        prefer = "; ".join(answer.prefer for answer in of_term if answer.prefer)
        comments = " | ".join(answer.comment for answer in of_term if answer.comment)
        rows.append({**row, "prefer": prefer, "comments": comments, "reconsider": reconsider})
    return rows


def _column(name: str, choice: str) -> str:
    return f"{name}_{choice.replace(' ', '_')}"


def _total(rows: Sequence[Mapping[str, Any]], name: str, ending: str = "") -> int:
    """The number of answers to a question."""
    return sum(row[_column(name, choice) + ending] for row in rows for choice in _CHOICES)


def _is_half(row: Mapping[str, Any], name: str, choice: str) -> bool:
    total = _total([row], name, "_members")
    return bool(total) and 2 * row[f"{_column(name, choice)}_members"] >= total


def agreement(answers: Sequence[Answer]) -> float | None:
    """The share of pairs of readers with the same answer to the same question, 0 to 1; None without such a pair.

    >>> first = Answer("a", True, ("g", "t"), "", "", {"used": "yes", "offensive": "no"})
    >>> second = Answer("b", True, ("g", "t"), "", "", {"used": "yes", "offensive": "yes"})
    >>> agreement([first, second])
    0.5
    """
    by_question = defaultdict[tuple[tuple[str, str], str], list[str]](list)
    for answer in answers:
        for name, choice in answer.choices.items():
            by_question[answer.item, name].append(choice)
    same = [first == second for choices in by_question.values() for first, second in combinations(choices, 2)]
    return fmean(same) if same else None


def summary(answers: Sequence[Answer], sheet: Sheet) -> dict[str, Any]:
    """Readers, members of the groups, terms, shares of yes (0 to 1), agreement, and the rows of `count_answers`."""
    rows = count_answers(answers)
    totals = {name: _total(rows, name) for name in _COUNTED}
    same = agreement(answers)
    return {
        "readers": len({answer.reader for answer in answers}),
        "members": len({answer.reader for answer in answers if answer.member}),
        "terms": len(rows),
        "of_terms": len(sheet.items),
        **{name: round(sum(r[f"{name}_yes"] for r in rows) / n, 2) for name, n in totals.items() if n},
        **({} if same is None else {"agreement": round(same, 2)}),
        "reconsider": [row["term"] for row in rows if row["reconsider"]],
        "by_term": rows,
    }


def write_counts(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Write the counts by term as CSV."""
    return _write_csv(rows, list(rows[0]), path)


def review_text(content: Mapping[str, Any], sheet: Sheet) -> str:
    """A summary in lines."""
    rows, members = content["by_term"], content["members"]
    lines = [f"{count(content['readers'], 'reader')}, {members} of them members of the groups that they answered on."]
    answered = {(row["group"], row["term"]) for row in rows}
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
        if _total(rows, name):
            lines.append(
                f"  {text}: yes in {_yes(rows, name, '_members')} answers of members, {_yes(rows, name)} of all"
            )
    if "agreement" in content:
        lines.append(f"  two readers give the same answer in {content['agreement']:.0%} of their pairs of answers")
    against = [row for row in rows if row["reconsider"]]
    if against:
        lines.append("To reconsider, because half or more of the members answer so:")
        lines += [f"  {_against_text(row)}" for row in against[:6]]
        lines += [f"  and {len(against) - 6} more"] if len(against) > 6 else []
    elif not members:
        lines.append("No reader is a member of a group, so no term is named for a change.")
    return "\n".join(lines)


def _yes(rows: Sequence[Mapping[str, Any]], name: str, ending: str = "") -> str:
    return f"{sum(row[f'{name}_yes{ending}'] for row in rows)} of {_total(rows, name, ending)}"


def _against_text(row: Mapping[str, Any]) -> str:
    name = row["reconsider"]
    said, total = row[f"{name}_{_AGAINST[name]}_members"], _total([row], name, "_members")
    what = {"used": "not used", "offensive": "offensive"}[name]
    text = f"{row['term']} ({row['group']}): {what} in {said} of {total} answers of members"
    preferred = Counter(filter(None, row["prefer"].split("; "))).most_common(3)
    words = ", ".join(f"{word} ({n} of {row['readers']})" for word, n in preferred)
    return f"{text}; suggested instead: {words}" if preferred else text
