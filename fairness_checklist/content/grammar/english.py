"""English as a `Grammar`: adjectives before the noun, no gender but that of pronouns."""

import re

from fairness_checklist.content.grammar import english_articles, english_nouns
from fairness_checklist.content.grammar.language import WORDS, Grammar, Noun
from fairness_checklist.core.sentences import extract_entities

_NOT_A_NOUN = WORDS["english not a noun"]
_COPULAS = WORDS["english copulas"]
_DETERMINERS = WORDS["english determiners"]
_ADVERBS = frozenset("also always even just never not now often quite rather really so still too very".split())  # noqa: SIM905 - a list of words reads better as text
_DEGREES = _ADVERBS | {"more", "most", "less", "least"}
_LY_NOUN_LIKE = frozenset({"early", "elderly", "family", "friendly", "weekly", "daily", "monthly", "lovely", "lively"})
_PLURAL_NOUNS = frozenset("people men women children families couples folks adults friends students workers".split())  # noqa: SIM905 - a list of words reads better as text
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_IRREGULAR = {  # third person -> base, past
    third: (base, past) for third, base, past in (forms.split("/") for forms in WORDS["english irregular verbs"])
}
_COMPOUND = re.compile(r"(.*-|under|over|out|fore|with|re|mis|un|up)([a-z]+)")


def _base_and_past(third: str) -> tuple[str, str]:
    """Of a verb in the third person; of a listed one also with a word or prefix in front: lip-reads, undergoes."""
    compound = _COMPOUND.fullmatch(third)
    if third in _IRREGULAR:
        return _IRREGULAR[third]
    if compound and compound[2] in _IRREGULAR:
        base, past = _IRREGULAR[compound[2]]
        return compound[1] + base, compound[1] + past
    if third.endswith("ies"):
        base = third[:-3] + "y"
    else:
        base = third[:-2] if re.search(r"(?:ss|sh|ch|x|zz|o)es$", third) else third[:-1]
    if base.endswith("e"):
        return base, base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base, base[:-1] + "ied"
    return base, _double_consonant(base) + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if re.search(r"[^eoy]e$", base) and len(base) > 2:
        return base[:-1] + "ing"
    return _double_consonant(base) + "ing"


def _double_consonant(base: str) -> str:
    """The last consonant doubled after one short vowel that is stressed (shop, get, prefer; not wear, show, suffer)."""
    stressed = re.search(r"(?:re|pre|in|trans|con|de)fer$|cur$", base) or base in {"begin", "forget"}
    doubled = stressed or re.fullmatch(r"(?:.*-)?[^aeiou]*[aeiou][bdgklmnprtvz]", base)
    return base + base[-1] if doubled else base


class English(Grammar):
    """English; its adjectives have one form."""

    code = "en"
    name = "English"
    person = Noun("person")
    someone = "someone"
    people = Noun("people", plural=True)
    prepositions = english_articles.PREPOSITIONS
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
    part_of_speech = staticmethod(english_nouns.part_of_speech)

    def starts_with_preposition(self, words: str) -> bool:
        first, second = [*words.lower().split(" "), ""][:2]
        is_clause = first in ("who", "whose", "born")  # "who rents"; "renting a flat", "living on campus"
        is_clause |= first.endswith("ing") and second in self.prepositions | self.articles
        return (bool(second) and is_clause) or super().starts_with_preposition(words)

    unfit_before = staticmethod(english_nouns.unfit_before)

    def join_modifier(self, noun: str, modifier: str, *, phrase: bool) -> tuple[str, int]:
        return (f"{noun} {modifier}", len(noun) + 1) if phrase else (f"{modifier} {noun}", 0)

    def article(self, noun: Noun, *, definite: bool) -> str:
        return "the" if definite else english_articles.article(noun.text)

    def split_article(self, words: str) -> tuple[str, str]:
        return ("the", words[4:]) if words[:4].lower() == "the " else ("", words)

    def conjugate(self, predicate: str, form: str) -> str:
        verb, space, rest = predicate.partition(" ")
        rest = re.sub(r"\btheir\b", "my", rest) if form == "am" else rest
        if verb == "is":
            return form + space + rest
        if form == "is":
            return predicate
        base, past = _base_and_past(verb)
        if verb == "does" and rest.startswith("not "):
            negated, space, more = rest.removeprefix("not ").partition(" ")
            auxiliary = {"am": "do not ", "are": "do not ", "was": "did not ", "were": "did not "}.get(form, "not ")
            return auxiliary + (_gerund(negated) if form == "being" else negated) + space + more
        if form in {"was", "were"}:
            return past + space + rest
        return (_gerund(base) if form == "being" else base) + space + rest

    def is_third_person(self, predicate: str) -> bool:
        verb = predicate.partition(" ")[0]
        return re.fullmatch(r"[a-z]+(?:-[a-z]+)*s", verb) is not None and not verb.endswith("ss") and verb != "was"

    def can_drop_adjective(self, before: str, after: str, *, has_article: bool) -> bool:
        """Whether an adjective between these words is right before a noun that it describes."""
        following = _WORD.match(extract_entities(after)[0][1:]) if after[:1] == " " else None
        if following is None:
            return False
        noun = following.group().lower()
        if noun in _NOT_A_NOUN or _is_adverb(noun):
            return False
        if has_article or noun in _PLURAL_NOUNS:
            return True
        words = [match.lower().replace("\u2019", "'") for match in _WORD.findall(re.split(r"[.!?:;,]", before)[-1])]
        if words and (words[-1] in _DEGREES or _is_adverb(words[-1])):
            return False
        for word in reversed(words):
            if word in _DETERMINERS:
                return True
            if word in _COPULAS or word.endswith(("'re", "n't")):
                return False
            if word not in _ADVERBS and not word.endswith("ly"):
                return True
        return True


def _is_adverb(word: str) -> bool:
    return word.endswith("ly") and word not in _LY_NOUN_LIKE
