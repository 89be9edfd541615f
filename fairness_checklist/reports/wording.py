"""Phrases for groups and places, and tables as plain text: shared by the terminal, the page and the picture."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from fairness_checklist.core.errors import count
from fairness_checklist.core.tasks import known_harm
from fairness_checklist.reports.run_view import neutral_value, signed

TEXTS = tomllib.loads(files("fairness_checklist.reports").joinpath("texts.toml").read_text(encoding="utf-8"))
"""The words and paragraphs of the reports, by section."""
_GROUPS = TEXTS["groups"]
REASONS: dict[str, str] = TEXTS["reasons"]
"""What the code of the reason says why a comparison is open."""
LEFT_OUT: dict[str, str] = TEXTS["left_out"]
"""Why an error has no records, by code."""
_FEMALE_MALE = frozenset(("female", "male", "unisex"))


def reason_words(record: Mapping[Any, Any]) -> str:
    """Why a comparison is open; "" of others."""
    sentences, words, forms = (int(record[name]) for name in ("sentences", "lexemes", "terms"))
    unit = "independent sentence" if forms else "row"
    noun = words_of(str(record["attribute"]))
    singular = {"words": "word", "names": "name", "countries": "country"}[noun]
    return REASONS.get(str(record["reason_code"]), "").format(
        sentences=count(sentences, unit),
        words=count(words, singular) + (f" in {forms} forms" if forms > words else ""),
        noun=noun,
    )


def left_out_words(harm: str, code: str) -> str:
    """Why an error has no records."""
    known = known_harm(harm)
    return LEFT_OUT.get(code, code).format(label=known.label if known else harm)


def group_phrase(group: str, attribute: str) -> str:
    """The mentions of a group as a noun, to stand after "texts that mention" (or, of names, "sentences with").

    A group is a kind of mention and not a set of people. A name that is not known to read well is quoted.
    """
    kind = attribute.partition(".")[0]
    if kind == "names":
        if "names" in group.lower().split():
            return group
        return f"{group} names" if group in _FEMALE_MALE else f'names of the group "{group}"'
    if kind == "nationality" and (place := _places_phrase(group, attribute)):
        return place
    words = group.lower().split()
    if set(words) & set(_GROUPS["plurals"]) or (
        kind in _GROUPS["plural_attributes"] and words and words[-1].endswith(("s", "druze"))
    ):
        return group
    return f"{group} people" if group.lower() in _GROUPS["adjectives"] else f'the group "{group}"'


def _places_phrase(group: str, attribute: str) -> str:
    """The countries of a shipped group; "" for a group of the user's, which may be a nationality."""
    if attribute == "nationality.income":
        return f"countries with {group}"
    if group in _GROUPS["regions"]:
        return f"countries in {group}"
    return f'countries in the group "{group}"' if "." in attribute else ""


def terms_of(attribute: str) -> str:
    """The noun for the terms of an attribute in texts about taggers."""
    return {"names": "names", "nationality": "countries"}.get(attribute.partition(".")[0], "terms")


def words_of(attribute: str) -> str:
    """The noun for the words of an attribute: "words", "names" or "countries"."""
    return terms_of(attribute).replace("terms", "words")


def at_place(place: str, attribute: str) -> str:
    """The part of a sentence that a tagger's metrics are about."""
    if place == "slot":
        return f"at the {terms_of(attribute)}"
    return "in the rest of the sentences" if place == "context" else "in the whole sentences"


def entities_at(place: str, attribute: str) -> str:
    """The noun for the entities in a part of a sentence, in texts about taggers."""
    return terms_of(attribute) if place == "slot" else "other entities" if place == "context" else "entities"


def level_of(row: Mapping[Any, Any]) -> float:
    """What is taken off a value where it is shown: the null mean of a distance, 0 of other values.

    Distances are above 0 even for an unbiased model. NaN where the null mean of a distance is not known.
    """
    metric = str(row["metric"])
    return 0.0 if signed(metric) or neutral_value(metric) else float(row["null_mean"])
