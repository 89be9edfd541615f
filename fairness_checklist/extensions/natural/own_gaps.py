"""W, a text's own gap: its score less that of the same text about control words, or without the word."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import pandas as pd

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.extensions.corpora.term_mentions import AMBIGUOUS
from fairness_checklist.extensions.rewriting.perturb.mentions import Mentions, all_mentions
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index, tokenize

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
    found = Mentions(reading, all_mentions(reading, index, AMBIGUOUS), ())
    if not found.mentions:
        return []
    mentioned = found.term
    words = _control_words().get(mentioned.pos) or _control_words()["adj"]
    if mentioned.pos == "noun" and mentioned.adjective:
        words = tuple(word for word in words if word.adjective) or words
    alike = {"pronouns": mentioned.pronouns, "concept": mentioned.concept, "flags": mentioned.flags}  # they stay
    made = (rewrite(found, replace(word, **alike)) for word in chance.sample(words, min(4 * WORDS, len(words))))
    rewritten = [one.text.lower() if small else one.text for one in made if isinstance(one, Rewritten)][:WORDS]
    if len(rewritten) == WORDS:
        return rewritten
    bare = text
    for start, end in sorted(found.spans, reverse=True):
        bare = bare[:start].rstrip() + bare[end:]
    return [bare.strip()] if bare.strip() not in {"", text} else []


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
    made: list[tuple[str, int, str]] = []  # term, row, text
    for name, mentioning in rows.items():
        if name not in records:
            continue
        chance = Random(f"{seed} {name}")
        spaced = (replace(term, term=term.term.replace("-", " ")) for term in records[name] if "-" in term.term)
        index = build_index(TermList("own", (*records[name], *spaced)))
        for row in chance.sample(mentioning.tolist(), min(MOST_TEXTS, len(mentioning))):
            made += [(name, row, text) for text in without_mention(texts[row], index, chance)]
    if not made:
        return {}
    table = pd.DataFrame(made, columns=["term", "row", "text"])
    table["gap"] = scores[table["row"]] - model(table["text"].tolist())
    gaps = table.groupby(["term", "row"], sort=False)["gap"].mean()
    return {str(name): several.to_numpy() for name, several in gaps.groupby("term", sort=False)}
