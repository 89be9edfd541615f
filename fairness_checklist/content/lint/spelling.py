"""Misspelled words of English, and words that are no English: by a list of words and of common mistakes."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import gzip
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path

_LIST = "english_words.txt.gz"
_SHORT = 4
_LONG = 6
_COMMON = dict(
    pair.split(">")
    for pair in """
    payed>paid wether>weather teh>the thier>their alot>a_lot wich>which wierd>weird freind>friend recieve>receive recieved>received tommorow>tomorrow
    tommorrow>tomorrow yesturday>yesterday becuase>because beacuse>because definately>definitely definatly>definitely
    seperate>separate seperately>separately occured>occurred untill>until truely>truly publically>publicly
    restaraunt>restaurant restaurent>restaurant maintainance>maintenance noticable>noticeable goverment>government
    enviroment>environment embarassed>embarrassed embarassing>embarrassing accomodate>accommodate
    accomodation>accommodation neccessary>necessary neccesary>necessary collegue>colleague calender>calendar
    libary>library buisness>business begining>beginning beleive>believe beleived>believed acheive>achieve
    arguement>argument basicly>basically completly>completely dissapointed>disappointed dissapointing>disappointing
    dissapeared>disappeared existance>existence finaly>finally foward>forward gratefull>grateful happend>happened
    helpfull>helpful immediatly>immediately interupted>interrupted knowlege>knowledge lenght>length mispelled>misspelled
    neigbor>neighbor nieghbor>neighbor occassion>occasion peice>piece posession>possession prefered>preferred
    priviledge>privilege realy>really recomend>recommend recommed>recommend refered>referred remeber>remember
    sincerly>sincerely succesful>successful sucessful>successful suprise>surprise suprised>surprised surprize>surprise
    tounge>tongue transfered>transferred usefull>useful vaccum>vacuum wonderfull>wonderful aswell>as_well abit>a_bit
    beautifull>beautiful writting>writing would_of>would_have could_of>could_have should_of>should_have must_of>must_have
    might_of>might_have infront>in_front noone>no_one incase>in_case atleast>at_least irregardless>regardless
    supposably>supposedly expresso>espresso dont>don't didnt>didn't doesnt>doesn't isnt>isn't wasnt>wasn't cant>can't
    couldnt>couldn't wouldnt>wouldn't shouldnt>shouldn't havent>haven't hasnt>hasn't arent>aren't werent>weren't im>I'm ive>I've
    youre>you're theyre>they're thats>that's whats>what's theres>there's heres>here's shes>she's adn>and taht>that
    hte>the fo>of wiht>with waht>what yuo>you jsut>just sotre>store thru>through nite>night tonite>tonight

    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_CONFUSED = tuple(
    (re.compile(pattern, re.IGNORECASE), right)
    for pattern, right in (
        (r"\b(?:would|could|should|must|might) of\b(?! course)", "have"),
        (
            r"\b(?:more|less|better|worse|rather|other|\w{3,}(?<!oth)(?<!aft)(?<!ev)(?<!nev)(?<!und)(?<!ov)er) then (?:an?|the|my|me|I|any|all|you|we|us|usual|ever|expected|before|that|this|it|most|last|others?)\b(?<!after then I)",
            "than",
        ),
        (
            r"\b(?:there|they're) (?:car|house|dog|cat|friends?|own|keys|bags?|parents|kids|children|neighbou?rs?|money|phones?|shoes|work|jobs?|names?|coats?|boss|bus|books?|home)\b(?= \w|[.,!?])(?<!there home)(?<!there work)",
            "their",
        ),
        (r"\b(?:their|they're) (?:is|are|was|were|has been)\b", "there"),
        (r"\bits (?:a|an|the|been|not|so|very|too|raining|cold|hot|time|late|going)\b", "it's"),
        (
            r"\byour (?:welcome|going|so|very|not|right|wrong|an?|the|kidding|amazing|late|invited)\b(?! \w+ (?:of|to) )(?=[.,!?]| [a-z])(?<!your late)(?<!your right)(?<!your very)(?<!your not)",
            "you're",
        ),
        (
            r"\byou're (?:car|house|dog|cat|friends?|keys|bag|parents|money|phone|shoes|work|job|name|coat|order|seat)\b",
            "your",
        ),
        (
            r"\b(?:to|will|would|might|can|could|not|n't|did) loose\s+(?:the|my|your|his|her|their|a|an|it|any|money|weight|time|\{)",
            "lose",
        ),
        (
            r"\b(?:is|was|are|were|far|much|way) to (?:much|many|late|early|long|big|small|expensive|loud|far|hot|cold|slow|fast|old|young|busy|tired|good|bad|high|low)\b(?! the\b)",
            "too",
        ),
        (r"\b(?:who's) (?:car|dog|house|bag|coat|name|phone|idea|turn|bike|book|keys)\b", "whose"),
        (r"\b(?:an?|the|some|my|your|good|any) advise\b", "advice"),
        (r"\b(?:the|an?|no|any|big|bad|good) (?:affect|effected)\b", "effect"),
        (
            r"\b(?:was|were|is|are|be|been|got) suppose to\b|\buse to (?:be|have|go|live|work|play)\b(?<!did use to be)(?<!n't use to be)",
            "d",
        ),
        (r"\b(?:quite|quit) (?=(?:night|evening|street|room|place|voice)s?\b)(?<=quite )", "quiet"),
        (r"\bwaist of (?:time|money)\b", "waste"),
        (r"\bpeace of (?:cake|cake|pie|paper|advice|furniture|bread)\b", "piece"),
        (r"\bpiece and quiet\b", "peace"),
        (r"\b(?:to|could|can|not|n't) here (?:the|a|about|from)\b", "hear"),
        (r"\b(?:a|one|next|last|this|every) weak\b(?=[.,!?]| (?:ago|later|before))", "week"),
        (r"\bthe hole (?:day|week|year|time|night|story|town|street|family|team)\b", "whole"),
        (r"\b(?:would|could|should|will|can|must) (?:went|gone|ate|took|wrote|saw|came)\b", "the plain verb"),
        (r"\bmore (?:better|worse|nicer|easier|bigger|faster)\b", "one comparative"),
        (
            r"\ba apple\b|\b(?:brake|braked) (?:the|a|my|his|her) (?:vase|window|glass|plate|cup|leg|arm|news)\b",
            "break",
        ),
        (r"\b(?:past|passed) (?:away|the exam)\b(?<=past away)|\bpast the (?:exam|test|salt|ball)\b", "passed"),
        (r"\b\w+['\u2019]nt\b|\bdosen['\u2019]?t\b", "n't"),
    )
)
_SUFFIX = re.compile(r"(?<=\w{3})(?:ings?|ed|e?r?s|ly)$|(?<=\w{5})(?:ness|less|able|like|wise|ish)$")
_BRITISH = (
    (re.compile("our"), "or"),
    (re.compile("(?<=[iy])s(?=e|ing|ation)"), "z"),
    (re.compile("re(?=s?$)"), "er"),
    (re.compile("ll(?=ed|ing|er|ous|or|ist|ish|ery)"), "l"),
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, eq=False)
class _Words:
    """The list of words.

    Attributes:
        ranks: frequent words, the most frequent first, with their rank.
        rare: all others.
        by_consonants: of frequent words of six letters or more those that have the same consonants.
    """

    ranks: dict[str, int]
    rare: frozenset[str]
    by_consonants: dict[str, list[str]]

    def __contains__(self, word: str) -> bool:
        return word in self.ranks or word in self.rare


@cache
def _words() -> _Words:
    text = gzip.decompress(Path(__file__).with_name(_LIST).read_bytes()).decode("ascii")
    _licence, frequent, rare = text.split("\n\n")
    ranks = {word: rank for rank, word in enumerate(frequent.split("\n"))}
    groups: dict[str, list[str]] = {}
    for word in ranks:
        if len(word) >= _LONG:
            groups.setdefault(_consonants(word), []).append(word)
    return _Words(ranks, frozenset(rare.split("\n")), groups)


_SOUNDS = str.maketrans("cqzv", "kksf", "aeiouyhw")


def _consonants(word: str) -> str:
    """The first letter and the consonants after it, each of doubled ones once.

    >>> _consonants("definately"), _consonants("definitely")
    ('dfntl', 'dfntl')
    """
    rest = word[1:].replace("ph", "f").replace("ck", "k").translate(_SOUNDS)
    return re.sub(r"(.)\1+", r"\1", word[0] + rest)


@lru_cache(maxsize=65536)
def is_english(word: str) -> bool:
    """Whether a word in small letters, or what it is derived from, is in the list of English words.

    >>> is_english("organised"), is_english("gestern")
    (True, False)
    """
    words, forms = _words(), {word}
    for rule, other in _BRITISH:
        forms |= {rule.sub(other, form) for form in forms}
    stems = {_SUFFIX.sub("", form) for form in forms}
    return any(form in words for form in (*forms, *stems, *(f"{stem}e" for stem in stems)))


def is_listed(word: str) -> bool:
    """Whether a word in small letters is in the list itself."""
    return word in _words()


def is_frequent(word: str) -> bool:
    """Whether a word in small letters is one of the frequent words of English."""
    return word in _words().ranks


_UNDOUBLED = re.compile(r"([^aeiou][aeiou])([bdgklmnprtv])(ed|ing)$")


def _badly_inflected(word: str) -> str:
    """What was meant by "stoped", "makeing" and "tryed", or "".

    >>> [_badly_inflected(word) for word in ("stoped", "makeing", "tryed", "visited", "seeing", "hoped")]
    ['stopped', 'making', 'tried', '', '', '']
    """
    ranks = _words().ranks
    if word in ranks:
        return ""
    meant = (
        _UNDOUBLED.sub(r"\1\2\2\3", word),
        re.sub(r"eing$", "ing", word),
        re.sub(r"(?<=[^aeiou])yed$", "ied", word),
        re.sub(r"(?<=[^aeiou])y(?=s$)", "ie", word),
    )
    return next((one for one in meant if one != word and one in ranks), "")


def right_spelling(word: str) -> str:
    """The frequent word that was meant by a word that is not in the list, or "".

    One letter too many, too few, wrong or moved; wrong vowels or doubled consonants of a long word; two frequent words
    in one.

    >>> [right_spelling(word) for word in ("bougt", "restarant", "eachother", "blockchain")]
    ['bought', 'restaurant', 'each other', '']
    """
    words = _words()
    near = [one for one in _one_letter_off(word) if one in words.ranks]
    if len(word) == _SHORT:  # too many words of four letters are one letter apart: only letters that changed places
        near = [one for one in near if sorted(one) == sorted(word)]
    if near:
        return min(near, key=lambda one: words.ranks[one])
    if len(word) >= _LONG:
        alike = words.by_consonants.get(_consonants(word), [])
        close = [(SequenceMatcher(None, one, word).ratio(), one) for one in alike if abs(len(one) - len(word)) < 3]
        if close and max(close)[0] >= _ALIKE:
            return max(close)[1]
    for at in range(2, len(word) - 1):
        if max(words.ranks.get(part, _JOINED) for part in (word[:at], word[at:])) < _JOINED:
            return f"{word[:at]} {word[at:]}"
    return ""


_ALIKE = 0.75
_JOINED = 250


def _one_letter_off(word: str) -> Iterator[str]:
    for at in range(len(word) + 1):
        before, after = word[:at], word[at:]
        if after:
            yield before + after[1:]
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
        for letter in _LETTERS:
            if after:
                yield before + letter + after[1:]
            yield before + letter + after


_SMALL = re.compile(r"(?<![\w'\u2019.@#/-])[^\W\d_A-Z]{2,}(?![\w'\u2019@/-])")
_AT_START = re.compile(r"(?:^|[.!?] )([A-Z][a-z]{5,})(?![\w'\u2019-])(?= [a-z{\x01-\x06])")
_OFTEN = 4000


def misspelled(text: str, known: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Misspelled words of an English text, and words that were taken for others, with what is right.

    Args:
        text: a sentence, without what is quoted.
        known: words that are right, in small letters.

    >>> list(misspelled("I definately saw the rain, wich was louder then usual."))
    [('louder then usual', 'than'), ('definately', 'definitely'), ('wich', 'which')]
    """
    for rule, right in _CONFUSED:
        found = rule.search(text)
        if found:
            yield found.group(), right
    for word in dict.fromkeys(_SMALL.findall(text)):
        if word in _COMMON:
            yield word, _COMMON[word].replace("_", " ")
        elif word not in known and word not in _words() and _badly_inflected(word):
            yield word, _badly_inflected(word)
        elif len(word) >= _SHORT and word.isascii() and word not in known and not is_english(word):
            right = right_spelling(word)
            if right:
                yield word, right
    for first in _AT_START.findall(text):
        word = first.lower()
        right = _COMMON.get(word, "")
        if not right and word not in known and not is_english(word):
            right = right_spelling(word)
            right = right if _words().ranks.get(right, _OFTEN) < _OFTEN else ""
        if right:
            yield first, right.replace("_", " ")
