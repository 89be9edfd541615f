"""Small changes of spelling: characters that are swapped, and marks at the end of a text."""

from __future__ import annotations

import re
import unicodedata

from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import SEED, whole_number
from fairness_checklist.extensions.rewriting.perturb.perturbations import generator, text_of

_PAIRS = {")": "(", "]": "[", "}": "{", "\u201d": "\u201c", "\u00bb": "\u00ab", '"': '"'}
_MARKS = frozenset(".,;:!?\u2026-\u2013\u2014\u00a1\u00bf\u3002\uff01\uff1f([{\u201c\u00ab").union(_PAIRS)
_ABBREVIATION = re.compile(
    r"(?:^|[^\w.])(?:(?:[^\W\d_]\.){2,}|(?:etc|mr|mrs|ms|dr|prof|st|jr|sr|inc|ltd|co|corp|vs|approx|ave|dept|est)\.)$",
    re.IGNORECASE,
)


@checks_keywords
def add_typos(text: object, typos: int = 1, *, seed: int = SEED) -> str | None:
    """Swap characters with their neighbours.

    Each typo swaps two neighbours that differ, at a place of its own, so that the text changes. No character is added
    or lost.

    Args:
        text: a string, or an object with one as ``text``.
        typos: the number of swaps, at least 1.
        seed: of the places; see `perturb`.

    Returns:
        The text with typos; None where it has too few places for them.

    Raises:
        OptionError: ``typos`` or ``seed`` is no whole number, or too small; no text.

    >>> add_typos("A wonderful film."), add_typos("A wonderful film.", typos=2), add_typos("!!!")
    ('A wonedrful film.', 'A wonedrfu lfilm.', None)
    """
    original = text_of(text, "add_typos")
    wanted = whole_number("typos", typos)
    random = generator(seed, original)
    characters = list(original)
    free = set(range(len(characters) - 1))
    for _typo in range(wanted):
        places = [at for at in sorted(free) if _may_swap(characters[at], characters[at + 1])]
        if not places:
            return None
        at = places[int(random.integers(len(places)))]
        characters[at], characters[at + 1] = characters[at + 1], characters[at]
        free.remove(at)
    made = "".join(characters)
    return made if made != original else None


def _may_swap(first: str, second: str) -> bool:
    """Whether two neighbours differ and neither belongs to the character before it (an accent, a part of an emoji)."""
    bound = {"Mn", "Mc", "Me", "Cf", "Sk"} & {unicodedata.category(first), unicodedata.category(second)}
    return first != second and not bound


def strip_punctuation(text: object) -> str:
    """The text without the marks at its end.

    A closing bracket or quotation mark stays where its partner stays, an apostrophe always, and so does the full stop
    of an abbreviation. Other marks, such as % and *, are not punctuation here.

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The text, unchanged where it ends in no mark; empty where it is nothing but marks.

    >>> [strip_punctuation(text) for text in ("Great!!", "Great (really).", "In the U.S.", "Great :)", "100%")]
    ['Great', 'Great (really)', 'In the U.S.', 'Great', '100%']
    """
    kept = original = text_of(text, "strip_punctuation")
    while kept and (kept[-1].isspace() or kept[-1] in _MARKS):
        if (kept[-1] in _PAIRS and _is_closed(kept, kept[-1])) or _ABBREVIATION.search(kept):
            break
        kept = kept[:-1]
    return original if kept.rstrip() == original.rstrip() else kept.rstrip()


def _is_closed(text: str, mark: str) -> bool:
    """Whether the mark at the end has a partner in the text."""
    if mark == '"':
        return text.count(mark) % 2 == 0
    return text.count(_PAIRS[mark]) >= text.count(mark)


def punctuation(text: object) -> list[str]:
    """The text without the marks at its end, and with a full stop there.

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The two of them that differ from the text; without the full stop where the text ends in a quotation or an
        abbreviation, and nothing where it has no words.

    >>> punctuation("Great!"), punctuation("Great."), punctuation("Great"), punctuation('She said "no."')
    (['Great', 'Great.'], ['Great'], ['Great.'], [])
    """
    original = text_of(text, "punctuation")
    bare = strip_punctuation(original).rstrip()
    if not re.search(r"\w", bare):
        return []
    both = [bare] if bare[-1] in '."\u201d\u00bb' else [bare, f"{bare}."]
    return [made for made in both if made.rstrip() != original.rstrip()]
