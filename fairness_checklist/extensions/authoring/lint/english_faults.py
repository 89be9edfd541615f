"""What is wrong in an English sentence or term: articles by sound, "they was", "two writer", "the a"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.grammar.english_articles import article as a_or_an
from fairness_checklist.content.grammar.english_articles import plural as plural_of
from fairness_checklist.content.grammar.languages import get
from fairness_checklist.content.grammar.word_lists import words_of
from fairness_checklist.extensions.authoring.lint.patterns import first_match, pattern

openers = "\"'\u201c\u2018("
may_repeat = frozenset({"that", "had", "is"})

MANY = words_of("english many")
"""Words after which a noun is in the plural."""

ONE = frozenset({"a", "an", "this", "each", "every", "another", "either", "neither", "one"})
"""Words after which it is in the singular."""

_TO_BE = {"is": 1, "was": 1, "has": 1, "does": 1, "are": 2, "were": 2, "have": 2, "do": 2}
# Verbs that are common after a person; none whose base form is also its past.
_VERBS = words_of("english verbs")
_ADVERBS = frozenset("always never often also still just now usually really only already soon sometimes".split())  # noqa: SIM905 - a list of words reads better as text


def agreement_faults(text: str) -> Iterator[tuple[str, str]]:
    """Words of a sentence that do not agree, each rule reported once, as (rule, what is wrong).

    >>> list(agreement_faults("They was late, and I met the a writer."))
    [('agreement', "'They was' does not agree"), ('article', "'the a': two determiners in a row")]
    """
    wrong = next(filter(_disagrees, pattern("pronoun and verb").finditer(text)), None)
    if wrong:
        yield "agreement", f"'{wrong['pronoun']} {wrong['verb']}' does not agree"
    elif people := first_match("number of people", text):
        yield "agreement", f"'{people.group()}' does not agree"
    double = pattern("two determiners").search(text)
    if double and len(set(double.group().lower().split())) > 1:
        yield "article", f"'{double.group()}': two determiners in a row"


def _disagrees(match: re.Match[str]) -> bool:
    """Whether a verb does not agree with the pronoun before it; after some words it has no ending ("did she have")."""
    is_plural = match["pronoun"].lower() == "they"
    verb = re.sub(r"n['\u2019]t$", "", match["verb"].lower())
    starts_clause = match.string[: match.start("pronoun")].endswith(", and ")
    is_helped = pattern("before a bare verb").match(match["before"] or "") and not starts_clause
    is_demanded = not is_plural and verb in {"have", "do"}
    return not (
        is_helped
        or _TO_BE[verb] == 1 + is_plural
        or (is_demanded and pattern("demand").search(match.string[: match.end("pronoun")]))
    )


def number_of_verb(words: str) -> int:
    """1 where the first verb of what follows a subject is in the singular, 2 in the plural, 0 where that is not known.

    >>> [number_of_verb(words) for words in (" is here", " always run", " wasn't", " lost", ", are you")]
    [1, 2, 1, 0, 0]
    """
    if words[:1] in {"'", "\u2019"}:
        short = re.match(r".(s|re|ve)\b", words)
        return {"s": 0, "re": 2, "ve": 2}[short[1]] if short else 0
    if words[:1] != " ":
        return 0
    for word in words[1:].split(" "):
        bare = re.sub(r"n['\u2019]t$", "", word.strip(',.;:!?"')).lower()
        if bare in _ADVERBS:
            continue
        if bare in _TO_BE:
            return _TO_BE[bare]
        if bare in _VERBS:
            return 2
        forms = {bare[:-1], bare[:-2], re.sub("ie$", "y", bare[:-1])} if bare.endswith("s") else set()
        return 0 if forms.isdisjoint(_VERBS) else 1  # runs, goes, tries
    return 0


_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "born", "aged", "diagnosed", "affected", "raised"})
_ARTICLE = re.compile(r"([Aa](?<!\w.)n?) ([\w$£€][\w,.'\u2019-]*)")


def sentence_faults(text: str) -> Iterator[tuple[str, str]]:
    for predicted, word in _ARTICLE.findall(text):
        # "A" in the middle of a sentence is a name or grade rather than an article
        is_name = predicted == "A" and not text.startswith("A ") and not re.search(r"[.!?:\"\u201c] A ", text)
        if a_or_an(word) != predicted.lower() and not is_name:
            yield "article", f"'{predicted} {word.rstrip('.,')}' should be '{a_or_an(word)}'"
            break
    yield from agreement_faults(text)


def edges(words: str) -> object:
    tokens = words.split(" ")
    sounds = tuple(a_or_an(tokens[0] + ending) for ending in ("", ".", "'s"))
    near = (*tokens[:2], "", *tokens[-3:])
    may_disagree = pattern("may disagree")
    return sounds, *(word if may_disagree.match(word.lower().strip(",.;:!?\"'\u2019()")) else "" for word in near)


def term_fault(term: str, pos: str, plural: str) -> str:
    if pos == "pp":
        first = term.partition(" ")[0].lower()
        if get("en").starts_with_preposition(term) or first in _CLAUSE or first.endswith("ing"):
            return ""
        return f"the phrase {term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
    return _plural_for_singular(term) if pos == "noun" and plural in {"", term} else ""


def _plural_for_singular(term: str) -> str:
    before, space, last = term.rpartition(" ")
    if last.lower() in {"people", "men", "women", "children"}:
        return f"the noun {term!r} looks like a plural: give the singular"
    if re.search(r"[^suia]s$", last) is None:
        return ""
    import inflect

    single = inflect.engine().singular_noun(last)
    if not single or plural_of(str(single)) != last:
        return ""
    return f"the noun {term!r} looks like a plural: give the singular, {before + space + str(single)!r}"
