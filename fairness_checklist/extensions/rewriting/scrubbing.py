"""Texts without their identity words (Orgad and Belinkov 2022, A.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fairness_checklist.content.grammar.english_articles import plural
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.surfaces import GENDERED, build_index, word_set

__all__ = ["GENDER_WORDS", "Scrubbed", "scrub"]

GENDER_WORDS = ("he", "him", "his", "himself", "she", "her", "hers", "herself", "mr", "mrs", "ms", "miss", "mx")
"""Pronouns and titles that are removed with the terms of the attribute gender."""
_NO_GENDER = word_set("mr mrs ms miss god lord jesus christ muhammad buddha pope")  # titles, persons


class Scrubbed(NamedTuple):
    """Texts without identity words, and the words that were removed from each, as they stood in it."""

    texts: tuple[str, ...]
    removed: tuple[tuple[str, ...], ...]


@checks_keywords
def scrub(
    texts: Iterable[str],
    attribute: str = "gender",
    *,
    words: Sequence[str] | None = None,
    names: Sequence[str] = (),
    replacement: str = "_",
) -> Scrubbed:
    """Replace identity words, whole words in any case; several words of a term are one.

    Every occurrence is replaced, whatever its sense ("a single man", "man the desk"): what is left should say as little
    as possible. Other traces of the group remain (a women's college, a name that is not listed), so a gap that remains
    is no proof of another cause.

    Args:
        attribute: whose shipped terms are removed, in singular and plural, with their adjectives; of gender pronouns,
            titles and nouns that imply it (actress, king, sister), too. Names are people's first names in the attribute
            "names".
        words: the words to remove in place of those of an attribute.
        names: further words to remove, such as the first name of the person in each text.
        replacement: what stands in their place; "_" as in Bias in Bios. With "" the space before goes, too.

    Raises:
        OptionError: an unknown attribute, or no words at all.

    >>> scrub(["She thanked her mother.", "Sheila left."]).texts
    ('_ thanked _ _.', 'Sheila left.')
    >>> scrub(["A deaf man met Ann."], words=["deaf"], names=["Ann"]).removed
    (('deaf', 'Ann'),)
    """
    listed = {word.strip() for word in (*(_attribute_words(attribute) if words is None else words), *names)} - {""}
    if not listed:
        raise OptionError("there are no words to remove.", remedy="Name an attribute, or give words=.")
    longest_first = sorted(listed, key=lambda word: (-len(word), word))
    spelled = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
    pattern = re.compile(rf"{' ?' if not replacement else ''}(?<!\w)(?:{spelled})(?!\w)(?!-\w)", re.IGNORECASE)
    texts = list(texts)
    removed = tuple(tuple(word.strip() for word in pattern.findall(text)) for text in texts)
    return Scrubbed(tuple(pattern.sub(lambda _: replacement, text) for text in texts), removed)


def _attribute_words(attribute: str) -> set[str]:
    """The terms of an attribute in all their forms; of gender, pronouns and nouns that imply it as well."""
    terms = load_terms(attribute)
    surfaces = (surface for several in build_index(terms).by_word.values() for surface in several)
    words = {" ".join(surface.words) for surface in surfaces} | {term.term for term in terms.terms}
    if attribute.split(".")[0] != "gender":
        return words
    nouns = (GENDERED["she"] | GENDERED["he"]) - _NO_GENDER
    return words | nouns | {plural(noun) for noun in nouns} | set(GENDER_WORDS)
