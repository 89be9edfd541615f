"""English nouns: plurals, adjectives with another sense before them, and the part of speech of a bare term.

Terms without a part of speech go by `lexicon.csv`, then by their ending. It has nouns for persons and adjectives of
WordNet 3.1, each word with one reading. Where it has both, the reading that is more frequent in WordNet's tagged texts
counts; `lexicon.toml` has the source and the licence.
"""

import re
from functools import cache, lru_cache
from pathlib import Path

from fairness_checklist.content.grammar.english_articles import PREPOSITIONS
from fairness_checklist.content.grammar.language import WORDS, head_length, read_words

_PLURALS = frozenset("people men women children folk police".split())  # noqa: SIM905 - a list of words reads better as text


def is_plural_noun(noun: str) -> bool:
    """Whether the head of a slot looks like a plural."""
    word = noun.lower()
    return word in _PLURALS or word.endswith(("women", "men")) or re.search(r"[^sui]s$", word) is not None


_PROFESSIONS = WORDS["english professions"]
_RANKED = _PROFESSIONS | {"colleague", "coworker", "co-worker", "member", "partner", "player", "fellow", "aide"}
# For these adjectives the nouns before which they are another word; for straight those before which they are not.
OTHER_WORD_BEFORE = {
    "adult": _PROFESSIONS | WORDS["english adult only"],
    "young": _PROFESSIONS,
    "old": _PROFESSIONS | WORDS["english old ties"],
    "senior": _RANKED,
    "junior": _RANKED,
    "straight": WORDS["english people"] | _PROFESSIONS,
}
_AGENT = re.compile(r"(?:[^aeiou]er|[st]or|ist|ian|[^m]ant|eer|woman|man|mate|person)$")
_NO_AGENTS = WORDS["english no agents"]


@lru_cache(maxsize=65536)
def unfit_before(adjective: str, noun: str) -> str:
    """The reason why an adjective does not describe a person right before a noun for one, or ""."""
    word = bare_word(adjective)
    if word not in OTHER_WORD_BEFORE:
        return ""
    forms = singulars(bare_word(noun))
    of_these = any(form in OTHER_WORD_BEFORE[word] for form in forms)
    if word == "straight":
        of_these = not of_these and not any(form not in _NO_AGENTS and _AGENT.search(form) for form in forms)
    return f"'{adjective}' right before '{noun}' has another sense" if of_these else ""


def bare_word(word: str) -> str:
    """A word in small letters, without marks around it and without 's."""
    return re.sub(r"^\W+|(?:['\u2019]s)?\W*$", "", word).lower()


def singulars(noun: str) -> tuple[str, ...]:
    """What a noun may be the plural of, and itself."""
    forms = [noun]
    if noun.endswith("s"):
        forms.append(noun[:-1])
    if noun.endswith("es"):
        forms.append(noun[:-2])
    if noun.endswith("ies"):
        forms += [noun[:-3] + "y", noun[:-1]]
    if noun.endswith("men"):
        forms.append(noun[:-3] + "man")
    if noun == "children":
        forms.append("child")
    return tuple(forms)


_AFTER_HEAD = PREPOSITIONS | {"who", "whose", "whom", "that", "which", "living", "born"}
ADJECTIVE_ENDING = re.compile(r"(?:less|ful|ous|[ai]ble|ic|al|ive|ish|ese|ed|ing|like|some|gender|free)$")
_NOUN_ENDING = re.compile(
    r"(?:(?<!que)er|or|ist|ian|(?<!fr)ee|[^l]ess|man|woman|person|mate|smith|wright|crat|naut|phile|phobe|path|holic"
    r"|logue|boy|girl|guy|kid|lady|dad|mom|mum|parent|child)$"
)
_PLURAL = re.compile(r"(?:people|children|\b(?:\w*wo|\w*(?:[dkrsty]|ce))?men)$")
_NATIONAL = re.compile(r"[A-Z].*(?:an|ese|ish|im|ic|ant|i|u|o|a)$")
_NO_NOUN = re.compile(r"(?:ly|very|not|half|part|and)$")
_PREFIX = re.compile(r"(?:non|trans|cis|anti|over|under|super|semi|multi|pan|grand|step)(?=...)")


@cache
def _lexicon() -> tuple[frozenset[str], frozenset[str]]:
    listed = read_words(Path(__file__).with_name("lexicon.csv"))
    further = (WORDS[f"english {kind}"] for kind in ("person nouns", "people", "professions"))
    return listed["english noun"].union(*further), listed["english adjective"]


def part_of_speech(term: str) -> tuple[str, str]:
    """ "noun", "adj" or "" (undecided) for a term that is no prepositional phrase, and of a plural the singular.

    The last word before a preposition or a "who" decides, and of a word with hyphens the last part.
    """
    words = term.split()
    end = head_length(words, _AFTER_HEAD)
    *before, head = words[:end]
    parts = head.split("-")
    until = head_length(parts, _AFTER_HEAD)
    kind, singular = _of_word(head)
    whole = kind != ""
    if not whole and len(parts) > 1:
        kind, singular = _of_word(parts[until - 1])
        kind = kind or "adj"  # "low-income"
    if before and kind == "adj" and _NATIONAL.match(head) and _NO_NOUN.search(before[-1].lower()) is None:
        kind = "adj" if head.endswith(("ese", "ish")) else "noun"  # "a Sunni Muslim"
    elif before and before[-1].endswith("ly") and head.lower() in _lexicon()[1]:  # "openly gay"
        kind, singular = "adj", ""
    if singular:
        stem = singular if whole else "-".join([*parts[: until - 1], singular, *parts[until:]])
        singular = " ".join([*before, stem, *words[end:]])
    return kind, singular


def _of_word(word: str) -> tuple[str, str]:
    """The part of speech of one word, and of a plural the singular."""
    nouns, adjectives = _lexicon()
    small = word.lower().replace("\u2019", "'")
    if _PLURAL.search(small):
        return "noun", _singulars(word)[0]
    for form in (small, _PREFIX.sub("", small, count=1)):
        if form in nouns or form in adjectives:
            return "noun" if form in nouns else "adj", ""
    for form in _singulars(small):
        if len(form) > 2 and (form in nouns or form in adjectives):
            return "noun", form if word.islower() else word[0] + form[1:]
    if (
        re.search(r"\d", small)
        or ADJECTIVE_ENDING.search(small)
        or _is_comparative(small, adjectives)
        or _NATIONAL.match(word)
    ):
        return "adj", ""
    for form in (small, *_singulars(small)):
        if len(form) > 4 and _NOUN_ENDING.search(form):
            return "noun", "" if form == small else form
    return "", ""


def _singulars(word: str) -> tuple[str, ...]:
    """What a word may be the plural of."""
    if word.endswith("people"):
        return (word.removesuffix("people") + "person",)
    if word.endswith("i"):
        return (word[:-1] + "us",)
    if word.endswith(("ss", "ous")):
        return ()
    return (*((word[:-3] + "fe", word[:-3] + "f") if word.endswith("ves") else ()), *singulars(word)[1:])


def _is_comparative(word: str, adjectives: frozenset[str]) -> bool:
    """Whether a word is the comparative or superlative of a listed adjective: taller, happiest."""
    match = re.fullmatch(r"(.+?)(?:er|est)", word)
    if match is None:
        return False
    stem = match[1]
    return not adjectives.isdisjoint({stem, stem + "e", re.sub("i$", "y", stem), re.sub(r"([a-z])\1$", r"\1", stem)})
