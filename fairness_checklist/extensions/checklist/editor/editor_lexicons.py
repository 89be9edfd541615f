"""The lists that an editor fills templates from: lexicons and the user's own."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.term_files import last_names, load_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError


def _adjective(term: IdentityTerm) -> str:
    return term.term if term.pos == "adj" else term.adjective


def _cities() -> list[str]:
    lines = Path(__file__).with_name("cities.txt").read_text(encoding="utf-8").splitlines()
    return [name for line in lines if line[0] != "#" for name in line.rstrip(",").split(", ")]


# The attribute that a lexicon is from, and what is taken of each of its terms ("" for none); or all values.
_Source = tuple[str, Callable[[IdentityTerm], Any]] | Callable[[], list[str]]
_NAMES: dict[str, _Source] = {
    "first_name": ("names", lambda term: term.term),
    "female": ("names", lambda term: term.term if term.group == "female" else ""),
    "male": ("names", lambda term: term.term if term.group == "male" else ""),
    "first_pronoun": (
        "names",
        lambda term: {"name": term.term, "pronoun": term.pronouns} if term.group in ("female", "male") else "",
    ),
}
_ENGLISH: dict[str, _Source] = {
    "last_name": lambda: list(last_names()),
    "city": _cities,
    "country": ("nationality", lambda term: term.term if term.pos == "place" else ""),
    "nationality": ("nationality", lambda term: term.adjective),
    "religion": ("religion", lambda term: term.term if term.pos == "faith" else ""),
    "religion_adj": ("religion", _adjective),
    "sexual_adj": ("sexual_orientation", _adjective),
    "race": ("race_ethnicity", _adjective),
}


class Lexicons(Mapping[str, list[Any]]):
    """The lexicons of an editor, by name; ``lexicons.country`` is ``lexicons["country"]``.

    The built-in ones are the preferred and accepted terms of the shipped attributes, last names and cities of the
    United States, read when they are first used. A list that is taken out is a copy: `Editor.add_lexicon` changes a
    lexicon.
    """

    def __init__(self, language: str = DEFAULT) -> None:
        self._language = language
        self._lists: dict[str, _Source | list[Any]] = {**_NAMES, **(_ENGLISH if language == DEFAULT else {})}

    def __getitem__(self, name: str) -> list[Any]:
        values = self._lists[name]
        if not isinstance(values, list):
            values = self._lists[name] = values() if callable(values) else self._of_terms(*values)
        return list(values)

    def _of_terms(self, attribute: str, take: Callable[[IdentityTerm], Any]) -> list[Any]:
        terms = load_terms(attribute, language=self._language).terms
        return without_duplicates(take(term) for term in terms if not term.on_request and take(term))

    def __getattr__(self, name: str) -> list[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            raise AttributeError(f"there is no lexicon {name!r}.{did_you_mean(name, self)} Known: {', '.join(self)}.")
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lists)

    def __len__(self) -> int:
        return len(self._lists)

    def __contains__(self, name: object) -> bool:
        return name in self._lists

    def __repr__(self) -> str:
        return f"Lexicons({', '.join(self)})"

    def put(self, name: str, values: list[Any]) -> None:
        """Set the values of a lexicon, new or old."""
        self._lists[name] = list(values)


def without_duplicates(values: Iterable[Any]) -> list[Any]:
    """The values without those that equal an earlier one; they need not be hashable."""
    by_text: dict[str, list[Any]] = {}
    unique: list[Any] = []
    for value in values:
        alike = by_text.setdefault(repr(value), [])
        if value not in alike:
            alike.append(value)
            unique.append(value)
    return unique


def as_values(name: str, values: Any) -> list[Any]:
    """The values of a list: of a sequence, an array or a data frame; of anything else itself."""
    if isinstance(values, (set, frozenset)):
        raise OptionError(f"the list {name} is a set, which has no order.", remedy="Give a list: sorted(...).")
    if isinstance(values, (str, bytes, Mapping)) or hasattr(values, "_fields") or not isinstance(values, Iterable):
        return [values]
    if isinstance(values, pd.DataFrame):
        listed: Any = values.iloc[:, 0].tolist() if len(values.columns) == 1 else values.to_dict("records")
    else:
        listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if not isinstance(listed, list):
        return [listed]
    if not listed:
        raise OptionError(f"the list {name} is empty.", remedy="Give one value at least.")
    return listed
