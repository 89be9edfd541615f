"""English articles by sound, plurals and pronouns: what the words around a term must agree with.

The tests compare the rules with ``inflect``, except for a list of words on which ``inflect`` is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from fairness_checklist.content.grammar.language import PRONOUN_FORMS, WORDS, head_length
from fairness_checklist.core.errors import TermError

if TYPE_CHECKING:
    import inflect


_VOWEL_LETTER_NAMES = frozenset("AEFHILMNORSX")
_FIRST_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:,\d{3})*")
_LETTERS = re.compile(r"[^\W\d_]+")

# Written in capitals and read as words all the same, where the rule for four letters and more does not see it.
_ACRONYMS = frozenset("ONE RAM ROM SAG SIM LAN HUD HER HIS MAN MEN NEW RED SHE".split())  # noqa: SIM905 - a list of words reads better as text
_LETTERS_ALL_THE_SAME = frozenset({"NYSE", "SEIU", "LGBTQIA"})
_ONSET = r"(?:[BCDFGHJKLMNPRSTVWYZ]|S[CHKLMNPTW]|[FB][LR]|[CT][HR]|SCR|STR|SPR)?"
_CODA = r"(?:[BCDFGKLMNPRSTXZ]|[BCDGKLMNPRST]S|N[DGKT]|L[DFKLMTP]|R[BDFKLMNPT]|S[HKPST]|[CT]H|MP|[CFP]T|CK|FF)?"
_SAYABLE = re.compile(f"(?:{_ONSET}[AEIOUY]{{1,2}}{_CODA})+")
_SPELLED_LOWER = frozenset({"hiv", "lds", "msm", "ftm", "fbi", "mri"})  # initialisms that have lost their capitals
# Without a vowel letter, and yet words.
_TITLES = frozenset("mr mrs ms mx st sr mt ft fr ltd rd sgt lt hr hrs lb lbs hm hmm mc ng".split())  # noqa: SIM905 - a list of words reads better as text
_SILENT_H = re.compile(r"h(?:our(?!i)|onest|onou?r|eir|ors$)")
_CONSONANT_VOWEL = re.compile(  # begins with a vowel letter and the sound of y or w
    r"""
    eu | ew(?!ok) | oui | ouag | one(?:s|self|ness|sie|sies|r)?$ | once
    | uni(?:$|b|c(?:am|el|or|yc|od|ef)|direct|dimens|f|gen|gram|later|ling|modal|on|pol|q|s(?!s)|t(?!al)|v|x)
    | unanim
    | ubiq | ufo | ug(?:an|ar) | ui | uk[eiru] | ulys | ur(?:a[lnt]|an|e[at]|i[cn]|og|ol|ug)
    | us(?:a[bg]|e|i|u) | ut(?:ah|e(?:$|n|r|s)|i|o|r) | uv | uy
    """,
    re.VERBOSE,
)
# Letters that do not come apart into a plain one and its mark.
_PLAIN = str.maketrans("ŁłØøĐđÞþÆæŒœı", "LlOoDdTtEeEei")
_VOWEL_Y = re.compile(r"y(?:v[eo]|tt|pr|gg|lan|ps)")


@lru_cache(maxsize=65536)
def article(words: str) -> str:
    """``"a"`` or ``"an"``, by the sound of the first word."""
    match = _FIRST_WORD.search(words)
    if match is None:
        return "a"
    if match.group()[0].isdigit():
        return "an" if _number_starts_with_vowel(words[match.start() :]) else "a"
    return "an" if _word_starts_with_vowel(match.group(), words[match.end() : match.end() + 1]) else "a"


def _number_starts_with_vowel(words: str) -> bool:
    """Whether the number is read with a vowel first: eight, eleven, eighteen (8, 80s, 811, 11,000, 1850)."""
    match = _NUMBER.match(words)
    written = match.group() if match else ""
    digits = written.replace(",", "")
    leading = digits[: (len(digits) - 1) % 3 + 1]
    hundreds = len(digits) == 4 and "," not in written  # years and the like: "an 1850s house", "an 1100-seat hall"
    return leading.startswith("8") or leading in {"11", "18"} or (hundreds and digits[:2] in {"11", "18"})


def _word_starts_with_vowel(word: str, following: str) -> bool:
    letters = _LETTERS.match(word)
    run = letters.group() if letters else word
    has_apostrophe = word[len(run) : len(run) + 1] in {"'", "\u2019"}
    is_latin = unicodedata.normalize("NFKD", run)[0].isascii()
    if len(run) == 1 and (not has_apostrophe or run.upper() == "O") and is_latin:
        return run.upper() in _VOWEL_LETTER_NAMES  # X-ray, U-turn, e-mail, U.S., H1B, O'Brien
    if not has_apostrophe or run.isupper():
        spelled = _initialism(run, following)
        if spelled:
            return spelled[0].upper() in _VOWEL_LETTER_NAMES
    plain = unicodedata.normalize("NFKD", word.translate(_PLAIN)).encode("ascii", "ignore").decode()
    return _sounds_vowel(plain.lower().replace("'", ""))


def _initialism(run: str, following: str) -> str:
    """The letters of a word that is spelled out (HIV, LGBTQ, FTMs, MtF, nb), else ``""``."""
    stem = run[:-1] if len(run) > 2 and run[-1] == "s" and run[:-1].isupper() else run
    if stem.isupper():
        # Four or more pronounceable letters are read as a word (NASA, FEMA, emphasis). Short ones in U begin with the
        # sound of that letter in either case (USAID, UEFA).
        is_word = len(stem) >= 4 and stem not in _LETTERS_ALL_THE_SAME and _SAYABLE.fullmatch(stem) is not None
        begins_with_you = stem.startswith("U") and len(stem) <= 6
        return "" if stem in _ACRONYMS or (is_word and not begins_with_you) else stem
    if re.fullmatch(r"[a-z][A-Z]{2,}s?|[A-Z][a-z][A-Z]s?", run):  # fMRI, mRNA, MtF
        return run
    lower = run.lower()
    if lower in _SPELLED_LOWER:
        return lower
    vowelless = not re.search(r"[aeiouy]", unicodedata.normalize("NFKD", lower))
    if vowelless and run.isascii() and lower not in _TITLES and not (run[0].isupper() and following == "."):
        return lower if len(lower) <= 4 or lower.startswith("lgbt") else ""
    return ""


def _sounds_vowel(word: str) -> bool:
    """The rule for words in small letters."""
    if word[:1] == "h":
        return _SILENT_H.match(word) is not None
    if word[:1] == "y":
        return _VOWEL_Y.match(word) is not None
    if word[:1] == "x":
        return word.startswith("xmas")
    if word[:2] == "un" and _CONSONANT_VOWEL.match(word):
        return False
    return word[:1] in "aeiou" and word != "" and _CONSONANT_VOWEL.match(word) is None


PREPOSITIONS = WORDS["english prepositions"]
_AFTER_HEAD = PREPOSITIONS | {"who", "whose", "whom", "that", "which", "living", "using", "born"}
_UNCHANGED = re.compile(r"(?:ese|[Ss]wiss|elderly|Inuit|Sioux|Manx|Roma|M[aā]ori|series|folk|people|children|men|\ds)$")
_ENDS_ENGLISH = re.compile(r"[A-Za-z0-9\u00c0-\u024f]$")
_IRREGULAR = dict(forms.split("/") for forms in WORDS["english irregular plurals"])
_MAN = re.compile(r"(?<!hu)(?<![Rr]o)(?<![Ss]ha)(?<![Gg]er)(?<![Nn]or)(?<![Oo]tto)(?<![Tt]alis)(?<!\b[Oo])man$")


@lru_cache(maxsize=65536)
def plural(noun: str) -> str:
    """The plural of a noun or noun phrase in the singular."""
    words = noun.split(" ")
    bracket = next((at for at, word in enumerate(words) if at and word.startswith("(")), len(words))
    end = min(head_length(words, _AFTER_HEAD), bracket)
    return " ".join([*words[: end - 1], _plural_word(words[end - 1]), *words[end:]])


def _plural_word(word: str) -> str:
    parts = word.split("-")
    if len(parts) > 1:
        end = head_length(parts, PREPOSITIONS)
        return "-".join([*parts[: end - 1], _plural_word(parts[end - 1]), *parts[end:]])
    if _UNCHANGED.search(word) or not _ENDS_ENGLISH.search(word):
        return word
    for singular, several in _IRREGULAR.items():
        if word.lower().endswith(singular):
            return word[: -len(singular)] + (several.capitalize() if word == singular.capitalize() else several)
    if _MAN.search(word):
        return word[:-2] + "en"
    if re.search(r"(?:[A-Z0-9]|[Ll]atino|[a-z]kin)$", word) or (word[:1].isupper() and re.search(r"[aio]$", word)):
        return word + "s"
    return str(inflect_engine().plural_noun(word)) or word


@cache
def inflect_engine() -> inflect.engine:
    """The engine of inflect, without the checks of argument types that it compiles for seconds when imported."""
    from unittest.mock import patch

    import typeguard

    with patch.object(typeguard, "typechecked", lambda function: function):
        import inflect
    return inflect.engine()


_KNOWN = {
    "they": PRONOUN_FORMS,
    "she": ("she", "her", "her", "hers", "herself"),
    "he": ("he", "him", "his", "his", "himself"),
}


@lru_cache(maxsize=4096)
def pronoun_set(cell: str, place: str = "") -> tuple[str, ...]:
    """The five forms that a ``pronouns`` cell stands for."""
    forms = tuple(part.strip() for part in cell.lower().split("/")) if cell.strip() else ("they",)
    if len(forms) == 5 and all(re.fullmatch(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*", form) for form in forms):
        return forms
    if forms[0] in _KNOWN and len(forms) <= 4 and set(forms[1:]) <= set(_KNOWN[forms[0]]):
        return _KNOWN[forms[0]]
    raise TermError(
        f"the pronouns {cell!r} are not known.",
        place=place,
        remedy="Write she, he, they, or five forms: xe/xem/xyr/xyrs/xemself.",
    )


def pronoun(pronouns: str, form: str) -> str:
    """One form of a set of pronouns."""
    return pronoun_set(pronouns)[PRONOUN_FORMS.index(form)]


def choose(pronouns: str, options: str) -> str:
    """The option that agrees with the pronoun: ``"runs|run"`` gives "runs" after she, "run" after they."""
    singular, _bar, several = options.partition("|")
    return several if pronoun_set(pronouns)[0] == "they" else singular
