"""English as a `Grammar`: adjectives before the noun, no gender but that of pronouns."""

from __future__ import annotations

import re

from fairness_checklist.content.grammar import english_articles
from fairness_checklist.content.grammar.english_nouns import part_of_speech
from fairness_checklist.content.grammar.english_words import unfit_before
from fairness_checklist.content.grammar.language import Grammar, Noun
from fairness_checklist.content.grammar.word_lists import words_of
from fairness_checklist.core.sentences import extract_entities

_NOT_A_NOUN = words_of("english not a noun")
_COPULAS = words_of("english copulas")
_DETERMINERS = words_of("english determiners")
_ADVERBS = frozenset("also always even just never not now often quite rather really so still too very".split())  # noqa: SIM905 - a list of words reads better as text
_DEGREES = _ADVERBS | {"more", "most", "less", "least"}
_LY_NOUN_LIKE = frozenset({"early", "elderly", "family", "friendly", "weekly", "daily", "monthly", "lovely", "lively"})
_PLURAL_NOUNS = frozenset("people men women children families couples folks adults friends students workers".split())  # noqa: SIM905 - a list of words reads better as text
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


_IRREGULAR = {  # third person -> base, past
    third: (base, past) for third, base, past in (forms.split("/") for forms in words_of("english irregular verbs"))
}


def is_third_person(predicate: str) -> bool:
    """Whether a predicate starts with a verb in the third person singular, as ``conjugate`` needs it."""
    verb = predicate.partition(" ")[0]
    return re.fullmatch(r"[a-z]+(?:-[a-z]+)*s", verb) is not None and not verb.endswith("ss") and verb != "was"


def conjugate(predicate: str, form: str) -> str:
    """A predicate in the third person singular of the present, put into the form of *be* that a slot requires.

    >>> [conjugate("has epilepsy", form) for form in ("is", "are", "was", "be", "being")]
    ['has epilepsy', 'have epilepsy', 'had epilepsy', 'have epilepsy', 'having epilepsy']
    >>> [conjugate("identifies as trans", form) for form in ("am", "were", "being")]
    ['identify as trans', 'identified as trans', 'identifying as trans']
    >>> conjugate("is questioning their sexuality", "am")
    'am questioning my sexuality'
    """
    verb, space, rest = predicate.partition(" ")
    rest = re.sub(r"\btheir\b", "my", rest) if form == "am" else rest
    if verb == "is":
        return form + space + rest
    if form == "is":
        return predicate
    if verb == "does" and rest.startswith("not "):
        return _negated(rest.removeprefix("not "), form)
    if form in {"was", "were"}:
        return _past(verb) + space + rest
    if form == "being":
        return _gerund(_base(verb)) + space + rest
    return _base(verb) + space + rest


def _negated(rest: str, form: str) -> str:
    """ "does not hear" in another form."""
    if form in {"am", "are"}:
        return f"do not {rest}"
    if form in {"was", "were"}:
        return f"did not {rest}"
    verb, space, more = rest.partition(" ")
    return f"not {_gerund(verb) if form == 'being' else verb}{space}{more}"


def _irregular(third: str) -> tuple[str, str] | None:
    """(base, past) of a listed verb, also with a word or prefix in front: lip-reads, undergoes."""
    if third in _IRREGULAR:
        return _IRREGULAR[third]
    compound = re.fullmatch(r"(.*-|under|over|out|fore|with|re|mis|un|up)([a-z]+)", third)
    if compound is None or compound[2] not in _IRREGULAR:
        return None
    base, past = _IRREGULAR[compound[2]]
    return compound[1] + base, compound[1] + past


def _base(third: str) -> str:
    irregular = _irregular(third)
    if irregular:
        return irregular[0]
    if third.endswith("ies"):
        return third[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", third):
        return third[:-2]
    return third[:-1]


def _past(third: str) -> str:
    irregular = _irregular(third)
    if irregular:
        return irregular[1]
    base = _base(third)
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return _double_consonant(base) + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if re.search(r"[^eoy]e$", base) and len(base) > 2:
        return base[:-1] + "ing"
    return _double_consonant(base) + "ing"


def _double_consonant(base: str) -> str:
    """The last consonant doubled after one short vowel that is stressed (shop, get, prefer; not wear, show, suffer)."""
    stressed = re.search(r"(?:re|pre|in|trans|con|de)fer$|cur$", base) or base in {"begin", "forget"}
    if stressed or re.fullmatch(r"(?:.*-)?[^aeiou]*[aeiou][bdgklmnprtvz]", base):
        return base + base[-1]
    return base


class English(Grammar):
    """English; its adjectives have one form."""

    code = "en"
    name = "English"
    person = Noun("person")
    someone = "someone"
    people = Noun("people", plural=True)
    articles = frozenset({"a", "an", "the"})
    predicate_verbs = frozenset({"has", "is", "does", "uses", "wears", "lives", "speaks", "needs", "identifies"})
    head_position = -1
    copula = "is"
    examples = ("has epilepsy", "uses a wheelchair")
    with_ = "with"

    check_pronouns = staticmethod(english_articles.pronoun_set)
    plural = staticmethod(english_articles.plural)
    pronoun = staticmethod(english_articles.pronoun)
    choose = staticmethod(english_articles.choose)
    part_of_speech = staticmethod(part_of_speech)
    starts_with_preposition = staticmethod(english_articles.starts_with_preposition)
    unfit_before = staticmethod(unfit_before)
    conjugate = staticmethod(conjugate)
    is_third_person = staticmethod(is_third_person)

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if phrase else (f"{modifier} {noun}", 0)

    def article(self, noun: Noun, *, definite: bool) -> str:
        return "the" if definite else english_articles.article(noun.text)

    def split_article(self, words: str) -> tuple[str, str]:
        return ("the", words[4:]) if words[:4].lower() == "the " else ("", words)

    def can_drop_adjective(self, before: str, after: str, *, has_article: bool) -> bool:
        """Whether an adjective between these words is right before a noun that it describes."""
        following = _WORD.match(extract_entities(after)[0][1:]) if after[:1] == " " else None
        if following is None:
            return False
        word = following.group().lower()
        if word in _NOT_A_NOUN or (word.endswith("ly") and word not in _LY_NOUN_LIKE):
            return False
        if has_article or word in _PLURAL_NOUNS:
            return True
        words = [match.lower().replace("\u2019", "'") for match in _WORD.findall(re.split(r"[.!?:;,]", before)[-1])]
        if words and (words[-1] in _DEGREES or (words[-1].endswith("ly") and words[-1] not in _LY_NOUN_LIKE)):
            return False
        for lower in reversed(words):
            if lower in _DETERMINERS:
                return True
            if lower in _COPULAS or lower.endswith(("'re", "n't")):
                return False
            if lower.endswith("'s"):
                return True
            if lower not in _ADVERBS and not lower.endswith("ly"):
                return True
        return True
