"""W, a text's own gap: its score less that of the same text about control words, or without the word."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.extensions.rewriting.perturb.mentions import find_mentions
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index

WORDS = 2
"""Control words that a mention is replaced by."""
MOST_TEXTS = 60
"""Texts of a term that are rewritten at most."""


@cache
def _control_words() -> dict[str, tuple[IdentityTerm, ...]]:
    terms = load_terms("control_words").select().terms
    return {pos: tuple(term for term in terms if term.pos == pos) for pos in ("adj", "noun", "pp")}


def without_mention(text: str, term: IdentityTerm, index: Index, chance: Random) -> list[str]:
    """The text with control words in place of the term, or without it where that is not possible; [] if neither."""
    small = text.islower()  # "muslim" is looked for as it is spelled elsewhere
    found = find_mentions(_spelled(text, term) if small else text, index)
    if not found.mentions:
        return []
    mentioned, text = found.term, found.reading.text
    words = _control_words().get(mentioned.pos) or _control_words()["adj"]
    if mentioned.pos == "noun" and mentioned.adjective:
        words = tuple(word for word in words if word.adjective) or words
    rewritten = []
    for word in chance.sample(words, min(4 * WORDS, len(words))):
        # Pronouns stay: only the words of the mention are compared.
        target = replace(word, pronouns=mentioned.pronouns, concept=mentioned.concept, flags=mentioned.flags)
        made = rewrite(found, target)
        if isinstance(made, Rewritten):
            rewritten.append(made.text.lower() if small else made.text)
        if len(rewritten) == WORDS:
            return rewritten
    bare = text
    for start, end in sorted(found.spans, reverse=True):
        bare = bare[:start].rstrip() + bare[end:]
    bare = (bare.lower() if small else bare).strip()
    return [bare] if bare and bare != text else []


def _spelled(text: str, term: IdentityTerm) -> str:
    """A text in small letters with the capitals of a term."""
    for word in {*term.term.split(), *term.adjective.split(), *term.plural.split()}:
        if not word.islower():
            text = re.sub(rf"(?<!\w){re.escape(word.lower())}(s?)(?!\w)", rf"{word}\1", text)
    return text


def own_gaps(
    texts: Sequence[str],
    rows: Mapping[str, IntArray],
    records: Mapping[str, Sequence[IdentityTerm]],
    scores: FloatArray,
    model: Callable[[list[str]], FloatArray],
    *,
    seed: int = 0,
) -> dict[str, FloatArray]:
    """For each term, with the others of its lexeme in ``records``, the gaps of `MOST_TEXTS` of its ``rows`` at most."""
    made: list[str] = []
    of: list[tuple[str, int, int]] = []  # term, row, how many texts
    for name, mentioning in rows.items():
        if name not in records:
            continue
        term, chance = records[name][0], Random(f"{seed} {name}")
        index = build_index(TermList("own", tuple(records[name])))
        for row in chance.sample(mentioning.tolist(), min(MOST_TEXTS, len(mentioning))):
            new = without_mention(texts[row], term, index, chance)
            if new:
                made += new
                of.append((name, row, len(new)))
    values = model(made) if made else np.empty(0)
    found: dict[str, list[float]] = {}
    start = 0
    for name, row, several in of:
        found.setdefault(name, []).append(float(scores[row] - values[start : start + several].mean()))
        start += several
    return {name: np.array(several) for name, several in found.items()}
