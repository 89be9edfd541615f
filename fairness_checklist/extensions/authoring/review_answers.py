"""The answers to a review: read, counted, and entered in the card."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.atomic import atomic_file, check_writable
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.errors import OptionError, TableError, count, did_you_mean, first_ten
from fairness_checklist.core.locations import display_path
from fairness_checklist.extensions.authoring.review import CHOICES, COLUMNS, PLAUSIBLE, Sheet

_ANSWERS = ("used", "offensive", *PLAUSIBLE)
_AGAINST = {"used": "no", "offensive": "yes"}  # the answers that speak against a term
FEW = 5
"""Members from which counts say something of a group; with fewer the output warns."""


@by_value
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
    items = {(item.group, item.term) for item in sheet.items}
    answers: dict[tuple[str, tuple[str, str]], Answer] = {}
    for path in _answer_files(paths):
        for row in read_rows(path, COLUMNS, ("group", "term", "used"), TableError):
            answer = _answer(row.cells, path.stem, row.place, items, sheet.attribute)
            if answer is None:
                continue
            if (answer.reader, answer.item) in answers:
                raise TableError(
                    f"the reader {answer.reader!r} has answered on {answer.item[1]!r} before.",
                    place=row.place,
                    remedy="Give each reader's file once.",
                )
            answers[answer.reader, answer.item] = answer
    if not answers:
        raise OptionError("no question is answered in these files.", remedy="Fill in the sheet, and save it as CSV.")
    return list(answers.values())


def _answer_files(paths: Sequence[str | Path]) -> list[Path]:
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise OptionError(f"{str(path)!r} does not exist.", remedy="Give files of answers, or folders of them.")
        files += sorted(path.glob("*.csv")) if path.is_dir() else [path]
    return files


def _answer(
    cells: Mapping[str, str], stem: str, place: str, items: set[tuple[str, str]], attribute: str
) -> Answer | None:
    choices = {name: cells[name].strip().lower() for name in _ANSWERS if cells[name].strip()}
    if not (choices or cells["prefer"].strip() or cells["comment"].strip()):
        return None
    if cells["sheet"] != attribute:
        raise TableError(
            f"the answers are on {cells['sheet']!r}, and the terms are of {attribute!r}.",
            place=place,
            remedy="Name the file of terms that the sheet was made from, and leave the column sheet as it is.",
        )
    item = (cells["group"], cells["term"])
    if item not in items:
        hint = did_you_mean(item[1], [name for _, name in items])
        raise TableError(
            f"{item[1]!r} is not a term of {item[0]!r} that is used.",
            place=place,
            remedy=f"Leave the columns group and term as they are, or remove the row.{hint}",
        )
    for name, choice in choices.items():
        if choice not in CHOICES:
            raise TableError(
                f"the answer {choice!r} in the column {name} is not known.",
                place=place,
                remedy=f"Known: {', '.join(CHOICES)}, or nothing.",
            )
    return Answer(
        cells["reader"].strip() or stem,
        cells["member"].strip().lower() == "yes",
        item,
        cells["prefer"].strip(),
        cells["comment"].strip(),
        choices,
    )


@by_value
@dataclass(frozen=True, eq=False)
class TermReview:
    """The answers on one term: how many gave each choice to each question.

    ``of_members`` are those of readers who say that they belong to the group. Only they count for ``reconsider``: the
    question, "used" or "offensive", to which half or more of them answer against the term; "" for none.
    """

    group: str
    term: str
    readers: int
    members: int
    choices: Mapping[str, Counter[str]]
    of_members: Mapping[str, Counter[str]]
    prefer: tuple[str, ...]
    comments: tuple[str, ...]

    @property
    def reconsider(self) -> str:
        return next((name for name in _AGAINST if _is_against(self.of_members[name], _AGAINST[name])), "")


def count_answers(answers: Sequence[Answer]) -> list[TermReview]:
    """The answers by term, in the order of the first answer on each."""
    of_item = defaultdict[tuple[str, str], list[Answer]](list)
    for answer in answers:
        of_item[answer.item].append(answer)
    return [_term_review(item, given) for item, given in of_item.items()]


def _term_review(item: tuple[str, str], given: Sequence[Answer]) -> TermReview:
    members = [answer for answer in given if answer.member]
    return TermReview(
        *item,
        readers=len(given),
        members=len(members),
        choices=_counted(given),
        of_members=_counted(members),
        prefer=tuple(answer.prefer for answer in given if answer.prefer),
        comments=tuple(answer.comment for answer in given if answer.comment),
    )


def _counted(answers: Sequence[Answer]) -> dict[str, Counter[str]]:
    counted = {name: Counter[str]() for name in ("used", "offensive", "plausible")}
    for answer in answers:
        for name, choice in answer.choices.items():
            counted[name.partition("_")[0]][choice] += 1
    return counted


def _is_against(choices: Counter[str], said: str) -> bool:
    return bool(choices) and 2 * choices[said] >= choices.total()


def agreement(answers: Sequence[Answer]) -> float | None:
    """The share of pairs of readers with the same answer to the same question, 0 to 1; None without such a pair.

    >>> one = Answer("a", True, ("g", "t"), "", "", {"used": "yes", "offensive": "no"})
    >>> two = Answer("b", True, ("g", "t"), "", "", {"used": "yes", "offensive": "yes"})
    >>> agreement([one, two])
    0.5
    """
    given = defaultdict[tuple[tuple[str, str], str], list[str]](list)
    for answer in answers:
        for name, choice in answer.choices.items():
            given[answer.item, name].append(choice)
    same = [first == second for choices in given.values() for first, second in combinations(choices, 2)]
    return fmean(same) if same else None


def summary(answers: Sequence[Answer], sheet: Sheet) -> dict[str, Any]:
    """What enters the card: readers, members of the groups, terms, shares of answers (0 to 1) and agreement."""
    reviews = count_answers(answers)
    shares = {}
    for name, said in (("used", "yes"), ("offensive", "yes"), ("plausible", "yes")):
        total = sum((review.choices[name] for review in reviews), Counter[str]())
        if total:
            shares[name] = round(total[said] / total.total(), 2)
    same = agreement(answers)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "readers": len({answer.reader for answer in answers}),
        "members": len({answer.reader for answer in answers if answer.member}),
        "terms": len(reviews),
        "of_terms": len(sheet.items),
        **shares,
        **({} if same is None else {"agreement": round(same, 2)}),
        "reconsider": [review.term for review in reviews if review.reconsider],
    }


def enter_in_card(path: str | Path, content: Mapping[str, Any]) -> Path:
    """Write a summary as the table ``[community]`` of the card of a file of terms, in place of an older one."""
    card = Path(path).with_suffix(".toml")
    if not card.is_file():
        raise OptionError(f"{display_path(card)} does not exist.", remedy='Write a card first: about = "..."')
    written = card.read_text(encoding="utf-8-sig")
    kept = re.sub(r"^\[community\]\n(?:(?!\[).*\n?)*", "", written, flags=re.MULTILINE).rstrip("\n")
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in content.items())
    text = "\n".join([kept, "", "[community]", *lines, ""])
    tomllib.loads(text)  # a card that no longer parses is not written
    with atomic_file(card) as scratch:
        scratch.write_text(text, encoding="utf-8")
    return card


def review_text(content: Mapping[str, Any], reviews: Sequence[TermReview], sheet: Sheet) -> str:
    """A summary in lines."""
    members = content["members"]
    lines = [f"{count(content['readers'], 'reader')}, {members} of them members of the groups that they answered on."]
    answered = {(review.group, review.term) for review in reviews}
    without = [item.term for item in sheet.items if (item.group, item.term) not in answered]
    lines.append(
        f"{content['terms']} of {count(len(sheet.items), 'term')} have answers; without: {first_ten(without)}."
        if without
        else f"All {len(sheet.items)} terms on the sheet have answers."
    )
    if members < FEW:
        lines.append(f"Few readers: with fewer than {FEW} members the counts show single opinions.")
    words = {"used": "used by the group", "offensive": "offensive", "plausible": "sentences sound real"}
    for name, text in words.items():
        own, of_all = (sum((one[name] for one in of), Counter[str]()) for of in _by_readers(reviews))
        if of_all:
            lines.append(f"  {text}: yes in {_yes(own)} answers of members, {_yes(of_all)} of all")
    if "agreement" in content:
        lines.append(f"  two readers give the same answer in {content['agreement']:.0%} of their pairs of answers")
    against = [review for review in reviews if review.reconsider]
    if against:
        lines.append("To reconsider, because half or more of the members answer so:")
        lines += [f"  {_against_text(review)}" for review in against[:6]]
        lines += [f"  and {len(against) - 6} more"] if len(against) > 6 else []
    elif not members:
        lines.append("No reader is a member of a group, so no term is named for a change.")
    return "\n".join(lines)


def _by_readers(reviews: Sequence[TermReview]) -> tuple[list[Mapping[str, Counter[str]]], ...]:
    """The answers of members, and of all."""
    return [review.of_members for review in reviews], [review.choices for review in reviews]


def _yes(choices: Counter[str]) -> str:
    return f"{choices['yes']} of {choices.total()}"


def _against_text(review: TermReview) -> str:
    name = review.reconsider
    said = review.of_members[name]
    what = {"used": "not used", "offensive": "offensive"}[name]
    text = f"{review.term} ({review.group}): {what} in {said[_AGAINST[name]]} of {said.total()} answers of members"
    preferred = Counter(review.prefer).most_common(3)
    words = ", ".join(f"{word} ({n} of {review.readers})" for word, n in preferred)
    return f"{text}; suggested instead: {words}" if preferred else text


def review_table(reviews: Sequence[TermReview]) -> list[dict[str, Any]]:
    """One row a term: counts of each answer, the words preferred instead, comments."""
    return [
        {
            "group": review.group,
            "term": review.term,
            "readers": review.readers,
            "members": review.members,
            **{
                f"{name}_{choice.replace(' ', '_')}{end}": choices[name][choice]
                for end, choices in (("", review.choices), ("_members", review.of_members))
                for name in choices
                for choice in CHOICES
            },
            "prefer": "; ".join(review.prefer),
            "comments": " | ".join(review.comments),
            "reconsider": review.reconsider,
        }
        for review in reviews
    ]


def write_counts(reviews: Sequence[TermReview], path: Path) -> None:
    """Write the counts by term as CSV.

    Raises:
        OptionError: the name does not end with .csv, or the file cannot be written.
    """
    if path.suffix.lower() != ".csv":
        raise OptionError(f"{path.name} does not end with .csv.", remedy="The counts by term are written as CSV.")
    check_writable(path, folder=False)
    rows = review_table(reviews)
    with atomic_file(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
