"""W, a text's own gap: its score less that of the same text about control words, or without the word."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.extensions.corpora.term_mentions import AMBIGUOUS
from fairness_checklist.extensions.rewriting.perturb.mentions import Mention, Mentions, find_terms
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    Index,
    TokenisedText,
    build_index,
    may_follow_noun,
    tokenize,
)

WORDS = 2
"""Control words that a mention is replaced by."""
MOST_TEXTS = 60
"""Texts of a term that are rewritten at most."""


@cache
def _control_words() -> dict[str, tuple[IdentityTerm, ...]]:
    terms = load_terms("control_words").select().terms
    return {pos: tuple(term for term in terms if term.pos == pos) for pos in ("adj", "noun", "pp")}


def without_mention(text: str, index: Index, chance: Random) -> list[str]:
    """The text with control words in place of the term, or without it where that is not possible; [] if neither."""
    small, reading = text.islower(), tokenize(text)
    found = Mentions(reading, _all_mentions(reading, index), ())
    if not found.mentions:
        return []
    mentioned = found.term
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
    bare = bare.strip()
    return [bare] if bare and bare != text else []


def _all_mentions(reading: TokenisedText, index: Index) -> tuple[Mention, ...]:
    """Every form of the terms in any case; of words with other senses those of people, where there are any."""
    sure = {mention.first: mention for mention in find_terms(reading, index)[0]}
    found: list[Mention] = []
    place = 0
    while place < len(reading.tokens):
        following = tuple(token.lower for token in reading.tokens[place : place + 8])
        fitting = [form for form in index.by_word.get(following[0], ()) if following[: len(form.words)] == form.words]
        size = len(fitting[0].words) if fitting else 1  # of the longest
        after = reading.at(place + size)
        before_noun = after.is_word and not may_follow_noun(after.lower)
        fitting = [form for form in fitting if len(form.words) == size]
        fitting.sort(key=lambda form: (form.form == "adjective") != before_noun)
        if place in sure:
            found.append(sure[place])
        elif fitting and not (sure and " ".join(fitting[0].words) in AMBIGUOUS):
            spans = (reading.at(place).start, reading.at(place + size - 1).end, place, place + size)
            possessive = fitting[0].form == "plural" and after.lower == "'s"  # women's: of a woman, as in woman's
            found.append(Mention(*spans, fitting[0].term, "singular" if possessive else fitting[0].form))
        place += size
    return tuple(found)


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
        chance = Random(f"{seed} {name}")
        index = build_index(TermList("own", tuple(records[name])))
        for row in chance.sample(mentioning.tolist(), min(MOST_TEXTS, len(mentioning))):
            new = without_mention(texts[row], index, chance)
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
