"""How a template is written: pronouns, spelling, language, the full stop, brands."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairness_checklist.content.lint.attitude_rules import NAME, SINGULAR
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.locations import data_files

_GENDERED = re.compile(r"\b(?:he|she|his|her|hers|him|himself|herself)\b", re.IGNORECASE)
_OF_BOTH = re.compile(
    r"\b(?:he or she|she or he|his or her|her or his|him or her|her or him|s/he|he/she|his/her)\b", re.IGNORECASE
)
_ANTECEDENT = re.compile(
    r"\b(?:(?:grand|step|god|great-?)?-?(?:m[ou]ther|father|son|daughter|ma|pa|mom|mum|dad|papa)s?(?:-in-law)?|mommy|mummy|daddy|sisters?|brothers?|nieces?|nephews?"
    r"|aunts?|auntie|uncles?|wife|wives|husbands?|girls?|boys?|wom[ae]n|m[ae]n|lad(?:y|ies)|gentlem[ae]n|guys?|girlfriends?|boyfriends?|brides?|grooms?"
    r"|queens?|kings?|princess|prince|duke|duchess|lords?|waitress(?:es)?|actress(?:es)?|hostess|\w+wom[ae]n|\w+(?<!hu)m[ae]n|widow(?:er)?s?|nuns?|monks?"
    r"|priests?|popes?|bishops?|Mr|Mrs|Ms|Miss|Sir|Madam|Mister|landlad(?:y|ies)|landlords?|heroines?|goddess|god|dogs?|cats?|hors(?:e|es)|mares?|cows?|bulls?"
    r"|pony|parrots?|pupp(?:y|ies)|kittens?|pets?|birds?|ships?|Dr|Prof(?:essor)?|fellows?|bachelors?|maids?|sirs?|tomcats?)\b",
    re.IGNORECASE,
)
_MID_NAME = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z][\w'\u2019-]+")
_STARTS = re.compile(r"(?:^|[.!?:\"\u201c] ?)([A-Z][\w\u2019'-]+)")
_DATES = frozenset(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
    October November December Christmas Easter English Spanish French German Internet TV DVD PDF GPS ID
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_OWN = re.compile(r"\b(?:their|theirs|themself|themselves|they)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\x02|\b(?:people|folk|men|women|children|kids|staff|team|police|crew|family|couple|everyone|everybody|someone|somebody|nobody|anyone|anybody"
    r"|each|company|council|band|group|class|jury|choir|bank|office|they|them|who(?:ever)?|person|both|all|two|three)\b"
    r"|\b(?!(?:was|is|as|has|his|this|us|its|yes|always|perhaps|towards|besides|afterwards|sometimes|does|glass|dress|address|class|less|across"
    r"|press|express|gas|canvas|atlas|lens|news)\b)\w{2,}(?<![su\x27\u2019])s\b|\band\s+(?:my|the|a|an|his|her|our|I|[A-Z])",
    re.IGNORECASE,
)


def pronouns_in(text: str) -> Iterator[str]:
    """The first pronoun in a text with marks that is written out where the term's own belongs.

    A pronoun of a woman or man named by other words of the text is fine.

    >>> list(pronouns_in("\\x01 lost his hat.")), list(pronouns_in("My aunt lent \\x01 her hat."))
    (['his'], [])
    """
    if SINGULAR not in text and NAME not in text:
        return
    plain = _OF_BOTH.sub(" ", text)
    if _OF_BOTH.search(text):
        yield _OF_BOTH.search(text).group()  # type: ignore[union-attr]  # it was found in the line above
        return
    found = _GENDERED.search(plain)
    if found:
        if not _has_antecedent(plain) and not _OTHER_PERSON.match(plain):
            yield found.group()
        return
    for sentence in re.split(r"(?<=[.!?])\s+", plain):
        own = _OWN.search(sentence)
        before = sentence[: own.start()] if own else ""
        slot = before.find(SINGULAR) if SINGULAR in before else before.find(NAME)
        if own and 0 <= slot < _FRONT and not _SEVERAL.search(before):
            yield own.group()
            return


_OTHER_PERSON = re.compile(
    r"[\"\u201c\u2018']?(?:He|She)\b(?!(?:\s+(?:is|was|has\s+been)|['\u2019]s)\s+(?:an?\s+|the\s+)?[\x01\x03])"
)
_FRONT = 12  # characters: a slot that far from the start is the subject


def _has_antecedent(text: str) -> bool:
    if _ANTECEDENT.search(text):
        return True
    if any(found.group() not in _DATES for found in _MID_NAME.finditer(text)):
        return True
    return any(
        found[1].removesuffix("'s").removesuffix("\u2019s") in _first_names() for found in _STARTS.finditer(text)
    )


@cache
def _first_names() -> frozenset[str]:
    files = [path for path in data_files("identity_terms", None, "") if path.stem.startswith(("names", "neutral"))]
    listed = {term.term for path in files for term in read_terms(path).terms if term.pos == "name"}
    return frozenset(listed) | frozenset(
        [
            "Alex",
            "Sam",
            "Jamie",
            "Jo",
            "Anna",
            "Maria",
            "John",
            "Mary",
            "Tom",
            "Ben",
            "Paul",
            "Peter",
            "Jane",
            "Emma",
            "Lisa",
            "Laura",
        ]
    )


_FUNCTION_WORDS = {
    "en": "the and of to is was were am in on it that with for at my his her they we you this had have not but from by when who are be been",
    "es": "cerca hoy ayer tiene es el la los las en y que un una con por para del se le lo mi su al era muy pero como está estaba fue nos más cuando qué de ha he",
    "fr": "hier avec ce cette suis le la les des du et est une un dans avec pour qui sur pas je nous vous il elle mon ma au aux était très mais de à ont a",
    "de": "gestern heute ich habe haben gestern nach bei der die das und ist war nicht mit auf den dem ein eine einen zu von für wir sie er sich auch im am hat mich mir aber wie",
    "it": "il lo gli di che è un una con per del della nel non sono era mi si ma molto al alla ho ha come dei le anche",
    "pt": "o os as um uma de do da em no na que com para não é foi muito mas se meu minha ao eu ele ela dos das estava",
    "nl": "de het een en van is was niet met op te voor dat die ik we ze zijn had er maar ook naar bij om mijn",
}
_ENGLISH_TOO = frozenset(
    [
        "ce",
        "a",
        "am",
        "as",
        "come",
        "die",
        "do",
        "had",
        "has",
        "he",
        "ha",
        "ho",
        "met",
        "me",
        "no",
        "par",
        "per",
        "son",
        "van",
        "war",
        "was",
        "is",
        "een",
        "on",
        "in",
        "at",
        "an",
        "so",
    ]
)
_SETS = {
    code: frozenset(words.split()) - (frozenset() if code == "en" else _ENGLISH_TOO)
    for code, words in _FUNCTION_WORDS.items()
}
_NAMES = {
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "de": "German",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
}
QUOTED = re.compile(
    r"[\"\u201c][^\"\u201d]*[\"\u201d]|(?<!\w)['\u2018][^'\u2019]*['\u2019](?!\w)|\u00ab[^\u00bb]*\u00bb"
)
_LETTERS = {
    "es": re.compile("[\u00f1\u00bf\u00a1]|\\w\u00f3\\b"),
    "de": re.compile("\u00df"),
    "fr": re.compile("\\b(?:[jJcC]|qu|l|n)['\u2019][a-z\u00e0-\u00ff]"),
}


def other_language(text: str, language: str) -> str:
    """The language in which a text is written if it is another than this, by its function words; else "".

    Words in quotes and with capitals do not count.

    >>> other_language("Ayer vi el mar y la casa.", "en"), other_language("We sang 'La vida es un sue\u00f1o'.", "en")
    ('Spanish', '')
    """
    if language not in _SETS:
        return ""
    plain = QUOTED.sub(" ", text)
    start = plain.lstrip("\u00a1\u00bf ")
    plain = start[:1].lower() + start[1:]
    words = re.findall(r"(?<![\w'\u2019])[^\W\d_A-Z]+(?![\w'\u2019])", plain)
    counts = {code: sum(word in some for word in words) for code, some in _SETS.items()}
    for code, letters in _LETTERS.items():
        counts[code] += 2 * (letters.search(plain) is not None)
    best = max(counts, key=lambda code: (counts[code], code == language))
    enough = counts[best] >= (2 if counts[language] == 0 else 3) and counts[best] > 2 * counts[language]
    return _NAMES[best] if best != language and enough else ""


_SIGNED = re.compile(r"(?:[,:;\u2013\u2014-]\s*|\n\s*)\{\}$")
_CLOSES = re.compile(r"[.!?\u2026][)\]\"'\u201d\u2019\u00bb*_~]*$")


def lacks_stop(text: str) -> bool:
    """Whether a sentence ends without a mark: in a letter, a digit, a bracket or a comma; smileys and slots may end it.

    >>> [lacks_stop(text) for text in ("It rained", "It rained,", "It rained.", '"It rained."', "It rained :)")]
    [True, True, False, False, False]
    """
    bare = text.rstrip()
    if not bare or _CLOSES.search(bare):
        return False
    if _SIGNED.search(bare):
        return False
    last = bare.rstrip(")]\"'\u201d\u2019\u00bb*_~")[-1:]
    return (last.isalnum() or last in "},;:\u2013\u2014-") and not re.search(
        r"[:;=8xX]['-]?[()DPpO/|3]$|<3$|\bx{1,3}$|#\w+$", bare
    )


_BRANDS = (
    r"ikea|starbucks|iphones?|ipads?|macbooks?|airpods|facebook|instagram|twitter|tiktok|snapchat|linkedin|netflix|hulu|airbnb|google|gmail|youtube|walmart"
    r"|microsoft|samsung|huawei|xiaomi|nokia|motorola|toyota|tesla|bmw|mercedes(?:-benz)?|volkswagen|porsche|ferrari|honda|hyundai|nissan|mazda|subaru|volvo|audi"
    r"|renault|peugeot|mcdonald['\u2019]?s|burger king|kfc|coca[ -]?cola|pepsi|nike|adidas|puma sneakers|reebok|lego|sony|playstation|xbox|nintendo|spotify|whatsapp|paypal"
    r"|ebay|etsy|costco|lidl|aldi|tesco|sainsbury['\u2019]?s|carrefour|mercadona|zara|h&m|uniqlo|primark|gucci|prada|chanel|rolex|disney(?:land)?|fedex|dhl|ryanair|lufthansa"
    r"|easyjet|photoshop|powerpoint|chatgpt|openai|dunkin['\u2019]?|nespresso|nescaf[e\u00e9]|nestl[e\u00e9]|heineken|budweiser|red bull|kleenex|colgate|l['\u2019]or[e\u00e9]al|sephora"
    r"|tripadvisor|expedia|booking\.com|doordash|deliveroo|lyft|best buy|home depot|trader joe['\u2019]?s|whole foods|nutella|oreos?|barbie|hewlett|lenovo|asus|android phone|windows 1[01]"
    r"|wikipedia|reddit|yelp|vodafone|verizon|marlboro|harley[ -]davidson|levi['\u2019]?s|pizza hut|kellogg['\u2019]?s|philips|bosch|dyson|kindle|alexa"
)
_PLAIN_BRANDS = r"Amazon|Apple|Coke|Target|Ford|Shell|Gap|Delta|Visa|Subway|Oracle|Dove|Uber|Zoom|Skype|Twitch|Chevron|Domino['\u2019]?s|Wendy['\u2019]?s|Jaguar|Puma|Dell|Intel|Mastercard|Tinder|Word|Excel|Meta|Boots|Orange|Sprint|Fanta|Sprite|Pampers|Jeep|Opel|Fiat|Seat|Mini|Chevy|Chevrolet|Cadillac"
_BRAND = re.compile(rf"\b(?:{_BRANDS}|googl(?:ed|ing))(?:e?s|['\u2019]s)?\b", re.IGNORECASE)
_PLAIN_BRAND = re.compile(
    rf"(?<=[a-z,;] )(?<!\bthe )(?:{_PLAIN_BRANDS})\b(?! (?:river|basin|rainforest|Street|Road|Avenue|Island|Valley))"
)


def brands_in(text: str) -> Iterator[str]:
    """The first brand in a text; those that are common words count inside a sentence and with a capital only.

    >>> list(brands_in("A coffee at Starbucks.")), list(brands_in("I ate an apple.")), list(brands_in("I work at Apple."))
    (['Starbucks'], [], ['Apple'])
    """
    found = _BRAND.search(text) or _PLAIN_BRAND.search(text)
    if found:
        yield found.group()
