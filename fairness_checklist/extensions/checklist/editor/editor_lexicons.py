"""The lists that an editor fills templates from: built-in lexicons, the user's own, and columns of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.delimited import delimiter_of, is_comment, is_separator_line, read_rows
from fairness_checklist.core.errors import OptionError, did_you_mean, first_ten


def _name_of(*groups: str) -> Callable[[IdentityTerm], str]:
    return lambda one: one.term if not groups or one.group in groups else ""


def _term_of(pos: str) -> Callable[[IdentityTerm], str]:
    return lambda one: one.term if one.pos == pos else ""


def _adjective(one: IdentityTerm) -> str:
    return one.term if one.pos == "adj" else one.adjective


def _with_pronoun(one: IdentityTerm) -> dict[str, str] | str:
    return {"name": one.term, "pronoun": one.pronouns} if one.group in ("female", "male") else ""


# The attribute that a lexicon is from, and what is taken of each of its terms ("" for none).
_NAMES: dict[str, tuple[str, Callable[[IdentityTerm], Any]]] = {
    "first_name": ("names", _name_of()),
    "female": ("names", _name_of("female")),
    "male": ("names", _name_of("male")),
    "first_pronoun": ("names", _with_pronoun),
}
_ENGLISH: dict[str, tuple[str, Callable[[IdentityTerm], Any]]] = {
    "country": ("nationality", _term_of("place")),
    "nationality": ("nationality", lambda one: one.adjective),
    "religion": ("religion", _term_of("faith")),
    "religion_adj": ("religion", _adjective),
    "sexual_adj": ("sexual_orientation", _adjective),
    "race": ("race_ethnicity", _adjective),
}


class Lexicons(Mapping[str, list[Any]]):
    """The lexicons of an editor, by name; ``lexicons.country`` is ``lexicons["country"]``.

    The built-in ones are the preferred and accepted terms of the shipped attributes, read when they are first used.
    A list that is taken out is a copy: `Editor.add_lexicon` changes a lexicon.

    Args:
        language: "en" or "es", of the built-in lexicons.

    >>> lexicons = Lexicons("en")
    >>> sorted(lexicons)[:3], lexicons["religion"][:2]
    (['country', 'female', 'first_name'], ['Christianity', 'Islam'])
    """

    def __init__(self, language: str = DEFAULT) -> None:
        self._language = language
        self._sources = {**_NAMES, **(_ENGLISH if language == DEFAULT else {})}
        self._values: dict[str, list[Any]] = {}

    def __getitem__(self, name: str) -> list[Any]:
        if name not in self._values:
            attribute, take = self._sources[name]
            terms = load_terms(attribute, language=self._language).terms
            self._values[name] = without_duplicates(take(one) for one in terms if not one.on_request and take(one))
        return list(self._values[name])

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            raise AttributeError(f"there is no lexicon {name!r}.{did_you_mean(name, self)} Known: {', '.join(self)}.")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._sources, *self._values]))

    def __len__(self) -> int:
        return len(self._sources | self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._sources or name in self._values

    def __repr__(self) -> str:
        return f"Lexicons({', '.join(self)})"

    def put(self, name: str, values: list[Any]) -> None:
        """Set the values of a lexicon, new or old.

        >>> lexicons = Lexicons("en")
        >>> lexicons.put("fruit", ["fig"])
        >>> lexicons.fruit
        ['fig']
        """
        self._values[name] = list(values)


def without_duplicates(values: Iterable[Any]) -> list[Any]:
    """The values without those that equal an earlier one; they need not be hashable.

    >>> without_duplicates(["a", {"b": 1}, "a", {"b": 1}])
    ['a', {'b': 1}]
    """
    kept: dict[str, list[Any]] = {}
    found: list[Any] = []
    for one in values:
        alike = kept.setdefault(repr(one), [])
        if one not in alike:
            alike.append(one)
            found.append(one)
    return found


def as_values(name: str, given: Any) -> list[Any]:
    """What was given for a list, as a list.

    Args:
        name: of the list, for messages.
        given: a list, tuple, array, series, range or iterator of values; a data frame, whose rows are values with the
            columns as attributes; the path of a CSV file; else one value: a string, a number, a dictionary.

    Raises:
        OptionError: a set, which has no order; no value; a file that cannot be read.

    >>> as_values("x", "one value"), as_values("x", range(2)), as_values("x", {"name": "Ana"})
    (['one value'], [0, 1], [{'name': 'Ana'}])
    >>> as_values("x", {"b"})
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the list x is a set, which has no order.
        Give a list: sorted(...).
    """
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        return read_values(given)
    if isinstance(given, (set, frozenset)):
        raise OptionError(f"the list {name} is a set, which has no order.", remedy="Give a list: sorted(...).")
    if isinstance(given, (str, bytes, Mapping)) or hasattr(given, "_fields") or not isinstance(given, Iterable):
        return [given]
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        values = given.to_dict("records")
    else:
        values = given.tolist() if hasattr(given, "tolist") else list(given)
    if not isinstance(values, list):
        return [values]
    if not values:
        raise OptionError(f"the list {name} is empty.", remedy="Give one value at least.")
    return values


def read_values(path: str | Path) -> list[Any]:
    """The values in a CSV file whose first line names its columns.

    Args:
        path: UTF-8; commas, semicolons or tabs; lines that start with ``# `` are comments. Column names are
            lower-cased.

    Returns:
        One value a row: a string where the file has one column, else a dictionary by column.

    Raises:
        OptionError: with ``file:line``: no such file, a row that does not fit the header, no row.
    """
    path = Path(path)
    header: list[str] = []
    if path.is_file():
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            lines = [line for line in file if line.strip() and not is_comment(line) and not is_separator_line(line)]
        header = next(csv.reader(lines[:1], delimiter=delimiter_of(lines[0])), []) if lines else []
    columns = [cell.strip().lower() for cell in header if cell.strip()] or ["name"]
    rows = [row.cells for row in read_rows(path, columns, columns, OptionError)]
    if not rows:
        raise OptionError(
            "the file has a header and no value.", place=str(path), remedy="Its first line names the columns."
        )
    return [row[columns[0]] for row in rows] if len(columns) == 1 else [dict(row) for row in rows]


def check_list_name(name: str, options: Iterable[str]) -> None:
    """Check that tags can use the name of a list.

    Raises:
        OptionError: not a name, a digit at the end, or a name that means something else.

    >>> check_list_name("city2", ())
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the list 'city2' ends in a digit, which numbers copies of a tag.
        Name it 'city': {city1} and {city2} both take their values from it.
    """
    if not isinstance(name, str) or not name or any(one in name for one in "{}[].:!") or name != name.strip():
        raise OptionError(f"{name!r} is not the name of a list.", remedy='Give a word, as in {x}: "x".')
    stem = name.rstrip("0123456789")
    if stem != name:
        other = f"Name it {stem!r}: {{{stem}1}} and {{{stem}2}} both take their values from it." if stem else ""
        raise OptionError(f"the list {name!r} ends in a digit, which numbers copies of a tag.", remedy=other)
    reserved = ("mask", *options)
    if name in reserved:
        raise OptionError(
            f"a list cannot have the name {name!r}, which template() uses itself.",
            remedy=f"Give it another name. Not free: {', '.join(reserved)}.",
        )


def unknown_tag(written: str, name: str, given: Iterable[str], lexicons: Iterable[str]) -> tuple[str, str]:
    """The message and the remedy for a tag without a list.

    >>> unknown_tag("{naem}", "naem", ["name"], ["country"])
    ('the tag {naem} has no list of values.', ' Did you mean {name}? Lists given: name. Lexicons: country.')
    """
    lists = list(given)
    near = did_you_mean(name, [*lists, *lexicons], "{{{}}}")
    shown = f" Lists given: {first_ten(lists)}." if lists else " No list is given."
    return f"the tag {written} has no list of values.", f"{near}{shown} Lexicons: {', '.join(lexicons)}."
