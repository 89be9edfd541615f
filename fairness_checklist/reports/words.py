"""Numbers and mentions in plain words, the same in the terminal, the page and the picture."""

from __future__ import annotations

__all__ = ["at_place", "entities_at", "mention", "terms_of", "those"]

_PLURAL_NOUNS = ("men", "women", "people", "persons", "adults", "children", "names")


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
