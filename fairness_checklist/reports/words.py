"""Numbers and mentions in plain words, the same in the terminal, the page and the picture."""

from __future__ import annotations

import math

from fairness_checklist.errors import count

__all__ = [
    "at_place",
    "count",
    "decimal",
    "entities_at",
    "first_letter",
    "hundredths",
    "listed",
    "mention",
    "percent",
    "points",
    "terms_of",
    "those",
]

_PLURAL_NOUNS = ("men", "women", "people", "persons", "adults", "children", "names")


def percent(share: float) -> str:
    """A share as a percentage; one decimal below 10 %.

    >>> percent(0.314), percent(0.0314), percent(0.0), percent(float("nan"))
    ('31 %', '3.1 %', '0 %', 'undefined')
    """
    return "undefined" if math.isnan(share) else f"{hundredths(share)} %"


def points(gap: float) -> str:
    """The size of a difference of shares in percentage points.

    >>> points(-0.124), points(0.0124), points(0.01)
    ('12 points', '1.2 points', '1 point')
    """
    number = hundredths(abs(gap))
    return f"{number} point" if number == "1" else f"{number} points"


def hundredths(share: float) -> str:
    """A share times 100; one decimal below 10.

    >>> hundredths(0.314), hundredths(-0.0314), hundredths(0.04)
    ('31', '-3.1', '4')
    """
    number = round(100 * share, 1)
    text = f"{number:.0f}" if abs(number) >= 10 else f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def decimal(value: float, *, signed: bool = False, places: int = 3, undefined: str = "-") -> str:
    """A number with its decimals; never minus nothing.

    >>> decimal(0.1236), decimal(-0.00001, signed=True), decimal(float("nan")), decimal(0.5, signed=True)
    ('0.124', '0.000', '-', '+0.500')
    """
    if math.isnan(value):
        return undefined
    rounded = round(value, places) + 0.0
    return f"{rounded:+.{places}f}" if signed and rounded else f"{rounded:.{places}f}"


def listed(names: list[str], limit: int = 0, *, last: str = "and") -> str:
    """Names in a row, the last one joined by a word; those beyond the limit are only counted.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 2)
    ('a, b and c', 'a, b and 2 more')
    """
    if limit and len(names) > limit:
        names = [*names[:limit], f"{len(names) - limit:,} more"]
    return f" {last} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def those(group: str, attribute: str) -> str:
    """What the sentences of a group do: they mention it (a group is a kind of mention, not of people).

    >>> those("women", "gender"), those("cis", "gender"), those("female", "names")
    ('that mention women', 'that mention the group "cis"', 'with female names')
    """
    if attribute.partition(".")[0] == "names":
        return f"with {group} names"
    words = group.lower().replace("-", " ").split()
    return f"that mention {group}" if words and words[-1] in _PLURAL_NOUNS else f'that mention the group "{group}"'


def terms_of(attribute: str) -> str:
    """What the terms of an attribute are, where a tagger looks for them.

    >>> terms_of("names"), terms_of("nationality.region"), terms_of("hearing")
    ('names', 'countries', 'terms')
    """
    return {"names": "names", "nationality": "countries"}.get(attribute.partition(".")[0], "terms")


def mention(group: str, attribute: str) -> str:
    """The sentences of a group.

    >>> mention("trans women", "gender")
    'sentences that mention trans women'
    """
    return f"sentences {those(group, attribute)}"


def at_place(place: str, attribute: str) -> str:
    """The part of a sentence that a tagger's metrics are about.

    >>> at_place("slot", "names"), at_place("context", "names"), at_place("", "names")
    ('at the names', 'in the rest of the sentences', 'in the whole sentences')
    """
    if place == "slot":
        return f"at the {terms_of(attribute)}"
    return "in the rest of the sentences" if place == "context" else "in the whole sentences"


def entities_at(place: str, attribute: str) -> str:
    """What a tagger looks for in a part of a sentence.

    >>> entities_at("slot", "names"), entities_at("context", "names"), entities_at("", "names")
    ('names', 'other entities', 'entities')
    """
    return terms_of(attribute) if place == "slot" else "other entities" if place == "context" else "entities"


def first_letter(text: str) -> str:
    """The text with a capital at its start.

    >>> first_letter("sentences that mention women")
    'Sentences that mention women'
    """
    return text[:1].upper() + text[1:]
