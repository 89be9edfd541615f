"""She, he and they in a text: the form of each, the person it refers to, and its form with another pronoun."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairness_checklist.content.grammar.english_forms import pronoun
from fairness_checklist.extensions.rewriting.perturb.senses import idioms
from fairness_checklist.extensions.rewriting.perturb.surfaces import Reading
from fairness_checklist.extensions.rewriting.perturb.vocabulary import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION,
    GENDERED,
    PREPOSITIONS,
    TIMES,
    is_adverb,
    is_modifier,
    is_person,
    is_verb,
    word_set,
)

ONE_SEX = "a title in it implies one sex"

_OF = {
    "she": ("she", "they"),
    "herself": ("she", "themself"),
    "hers": ("she", "theirs"),
    "he": ("he", "they"),
    "him": ("he", "them"),
    "himself": ("he", "themself"),
    "they": ("they", "they"),
    "them": ("they", "them"),
    "their": ("they", "their"),
    "theirs": ("they", "theirs"),
    "themself": ("they", "themself"),
    "themselves": ("they", "themself"),
}
_GIVING = word_set("""
    give gives gave given giving send sends sent sending buy buys bought buying show shows showed shown showing offer
    offers offered offering teach teaches taught teaching ask asks asked asking tell tells told telling read reads
    bring brings brought bringing pay pays paid paying cost costs hand hands handed promise promised owe owes owed lend
    lent wish wished write wrote serve served feed fed call calls called calling name named cook cooked order ordered
    grant granted deny denied cause caused save saved get got make makes made making
    """)
_SENSING = word_set("""
    let lets letting see sees saw seen seeing hear hears heard hearing watch watches watched watching help helps helped
    helping feel feels felt had have has having notice noticed make makes made making
    """)
_MOVING = word_set(
    """
    drive drove drives take took takes bring brought brings walk walked send sent follow followed
    get got carry carried escort escorted
    """
)
_OWNED = word_set("""
    own last first next second third past only very best most every right left little favorite favourite present then
    former entire whole home late early long fast hard much most third
    """)
_MARKED = frozenset("*/~+=<>{}[]|")  # next to a pronoun they hide the next word: *his* car, his/her car
_NOT_OBJECT = word_set("back home right better")
_SUBORDINATE = word_set("""
    although though when while if after before because since as despite in with during for at on by until once whenever
    """)
_BEING = frozenset({"is", "was", "am", "are", "were", "be", "been", "'m", "'s", "became", "becomes", "as", ",", "-"})
# Forms of address behind a possessive ("Her Majesty"). The second list has other senses in small letters.
_STYLES = word_set("majesty highness excellency lordship ladyship eminence beatitude")
_STYLES_IN_CAPITALS = word_set("""
    grace honor honour holiness worship reverence serenity magnificence grandeur sanctity nibs dignity
    excellence
    """)
_STYLE_ENDINGS = ("ness", "ship", "ency", "tude", "nesses", "ships", "encies")
_STYLE_MODIFIERS = word_set("""
    late former most very own royal imperial serene gracious grand august britannic catholic christian apostolic
    faithful exalted illustrious sacred eminent honorable honourable
    """)
_DIGNIFIED = frozenset({"he", "his", "him", "himself", "she", "her", "hers", "herself"})


@dataclass(frozen=True)
class Pronoun:
    """A pronoun in a text.

    Attributes:
        at: its token.
        word: the pronoun, without a contracted verb.
        pronoun: she, he or they.
        form: they, them, their, theirs or themself; "" where two readings are possible.
    """

    at: int
    word: str
    pronoun: str
    form: str


def pronouns_of(reading: Reading) -> list[Pronoun]:
    """The pronouns of a text; set phrases such as "his or her" and a capital inside a sentence give form "".

    A possessive that belongs to a title ("Her Majesty") is no pronoun of a mention, and is left out.

    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import tokenize
    >>> [(one.word, one.form) for one in pronouns_of(tokenize("She lost her bag, and I saw her."))]
    [('she', 'they'), ('her', 'their'), ('her', 'them')]
    """
    phrases = idioms(reading.text)
    of_titles = frozenset(title_possessives(reading, {"her", "his", "their"}))
    found = []
    for at, token in enumerate(reading.tokens):
        word = token.lower.partition("'")[0]
        if (word not in _OF and word not in {"her", "his"}) or at in of_titles:
            continue
        of = "she" if word == "her" else "he" if word == "his" else _OF[word][0]
        form = _OF[word][1] if word in _OF else _her(reading, at) if word == "her" else _his(reading, at)
        fixed = any(left <= token.start < right for left, right in phrases)
        divine = word in _DIGNIFIED and token.capital and not token.first and not reading.all_capitals
        odd = word in {"her", "his", "hers"} and token.lower != word
        found.append(Pronoun(at, word, of, "" if fixed or divine or odd or token.title else form))
    return found


def title_possessives(reading: Reading, possessives: Collection[str] = ("her", "his")) -> list[int]:
    """The positions of possessives that belong to a title: "Her Majesty", "His Royal Highness", "Her Honor the Mayor".

    A word that has another sense in small letters counts with a capital, or before *the* ("her grace the duchess").

    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import tokenize
    >>> title_possessives(tokenize("Her late Majesty defended her honour."))
    [0]
    """
    return [at for at in range(len(reading.tokens)) if reading.lower(at) in possessives and _is_title(reading, at + 1)]


def _is_title(reading: Reading, at: int) -> bool:
    """Whether a form of address is here, up to three modifiers passed over."""
    for head in range(at, at + 4):
        token = reading.at(head)
        word = token.lower.rpartition("-")[2]
        one = word[:-3] + "y" if word.endswith("ies") else word
        if not token.is_word:
            return False
        if {one, one.removesuffix("s"), one.removesuffix("es")} & _STYLES:
            return True
        capital = token.capital and not reading.all_capitals
        if capital and not token.first and word.endswith(_STYLE_ENDINGS):
            return True
        if {one, one.removesuffix("s"), one.removesuffix("es")} & _STYLES_IN_CAPITALS:
            return capital or reading.all_capitals or reading.lower(head + 1) == "the"
        if not capital and word not in _STYLE_MODIFIERS:
            return False
    return False


def _her(reading: Reading, at: int) -> str:
    """Before a noun "their", otherwise "them"; "" if the context is ambiguous."""
    before, token = reading.lower(at - 1), reading.at(at + 1)
    after = token.lower
    if _is_marked(reading, at):
        return ""
    if not token.is_word or after == "'s":
        return "them"
    if after in _NOT_OBJECT:
        return _her_back(before, after)
    if after == "very" and reading.lower(at + 2) not in _OWNED:
        return "" if reading.at(at + 3).is_word else "them"
    if after in _OWNED or after == "very":
        return "their" if before not in _GIVING or after == "own" else ""
    if after in FUNCTION or is_adverb(after) or after in {"out", "twice", "well"}:
        return "them"
    if after[:1].isdigit():
        return "them" if before in _GIVING else "their"
    if after in TIMES and token.capital:
        return "" if before not in PREPOSITIONS else "their"
    if after.endswith("ing") and before not in PREPOSITIONS and not reading.at(at).first:
        return "them" if before in _SENSING or before in _GIVING else ""
    return "" if before in _GIVING | _SENSING else "their"


def _is_marked(reading: Reading, at: int) -> bool:
    """Whether a mark that ends no clause follows, or brackets hold the pronoun alone."""
    after = reading.at(at + 1).text
    return after[:1] in _MARKED or ord(after[:1] or " ") > 0x2100 or (after == ")" and reading.lower(at - 1) == "(")


def _her_back(before: str, after: str) -> str:
    if after == "home":
        return "them" if before in _MOVING else "their" if before in PREPOSITIONS | FUNCTION else ""
    return "their" if before in PREPOSITIONS else ""


def _his(reading: Reading, at: int) -> str:
    """Before a noun "their", alone "theirs"."""
    token = reading.at(at + 1)
    if _is_marked(reading, at):
        return ""
    if not token.is_word:
        return "" if token.text in {"'", '"', "\u201c", "\u2018", "("} else "theirs"
    if token.lower == "'s":
        return "theirs"
    if reading.lower(at - 1) == "of" and is_verb(token.lower):  # a friend of his repaired; a friend of his retired aunt
        return "theirs" if reading.lower(at + 2) in FUNCTION else ""
    alone = token.lower in FUNCTION - _OWNED - {"all", "one", "two", "three", "four", "five", "six", "seven"}
    return "theirs" if alone and token.lower not in {"early", "late", "much", "quite", "rather", "either"} else "their"


def swap_pronoun(one: Pronoun, to: str) -> str:
    """The pronoun in another set, in small letters.

    >>> swap_pronoun(Pronoun(0, "her", "she", "their"), "he"), swap_pronoun(Pronoun(0, "his", "he", "theirs"), "she")
    ('his', 'hers')
    """
    return pronoun(to, one.form)


def unsafe_reason(reading: Reading, taken: Sequence[tuple[int, int]], pronouns: Sequence[Pronoun], of: str) -> str:
    """The reason why pronouns may not belong to the mention, or another gender would contradict the text, or "".

    Args:
        reading: the text.
        taken: the tokens of the mentions, as (first, last); none where the pronouns are alone.
        pronouns: those that would be swapped.
        of: she or he.
    """
    if title_possessives(reading):
        return ONE_SEX
    last = max((one.at for one in pronouns), default=-1)
    own = {at for first, end in taken for at in range(first, end)}
    first = min(own, default=0)
    early = next((one for one in pronouns if one.at < first and not _is_subordinate(reading, one.at, first)), None)
    if early is not None:
        return "a pronoun before the mention may refer to another person"
    for at, token in enumerate(reading.tokens):
        if at in own or not token.is_word:
            continue
        word = token.lower if token.capital or token.lower != "miss" else ""  # Miss, but: we miss her
        gendered = word in GENDERED[of] or word.removesuffix("s") in GENDERED[of]
        if gendered and (_describes(reading, at) or at + 1 in own or (reading.lower(at + 1) == "," and at + 2 in own)):
            return "another word may state the same person's gender"
        if at < last and (word in GENDERED[of] or _may_be_name(reading, at)):
            return "a pronoun in it may refer to another person"
    return ""


def _is_subordinate(reading: Reading, at: int, mention: int) -> bool:
    """Whether the mention follows in the same sentence, which starts like "When she arrived, Ana ..."."""
    start = next((i for i in range(at, -1, -1) if reading.at(i).first), 0)
    same = not any(reading.at(i).first for i in range(at + 1, mention + 1))
    return same and reading.lower(start) in _SUBORDINATE and any(reading.lower(i) == "," for i in range(at, mention))


def _describes(reading: Reading, at: int) -> bool:
    """Whether a noun such as *actress* is predicative: after *is*, *as* or a comma, ignoring articles."""
    before = next((reading.lower(i) for i in range(at - 1, at - 5, -1) if not _may_pass(reading, i)), "")
    return before in _BEING


def _may_pass(reading: Reading, at: int) -> bool:
    word = reading.lower(at)
    return word in DETERMINERS - {"'s"} or is_modifier(word) or is_adverb(word)


def _may_be_name(reading: Reading, at: int) -> bool:
    """Whether a capital is that of some person's name: not after a preposition of place, not a day or a country."""
    token = reading.at(at)
    if not token.capital or reading.all_capitals or token.lower in FUNCTION | TIMES or len(token.text) < 2:
        return False
    if token.first:
        after = reading.lower(at + 1)
        acts = after in AUXILIARIES or is_verb(after) or after == ","
        known = is_adverb(token.lower) or is_person(token.lower) or is_verb(token.lower)
        return acts and not known and not reading.at(at + 1).capital
    return reading.lower(at - 1) not in {
        "in",
        "to",
        "at",
        "from",
        "of",
        "on",
        "near",
        "the",
        "a",
        "an",
        "via",
        "through",
    }
