"""How a template is written: pronouns, spelling, language, the full stop, brands."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.lint.attitude_rules import ADJECTIVE, NAME, SINGULAR
from fairness_checklist.content.lint.spelling import is_english, is_frequent, right_spelling
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
    r"|priests?|popes?|bishops?|Mr|Mrs|Ms|Miss|Sir|Madam|Mister|landlad(?:y|ies)|landlords?|heroines?|goddess|god|Dr|Prof(?:essor)?|fellows?|bachelors?|maids?|sirs?|tomcats?)\b",
    re.IGNORECASE,
)
_ANIMAL = re.compile(
    r"\b(?:dogs?|cats?|hors(?:e|es)|mares?|cows?|bulls?|pony|parrots?|pupp(?:y|ies)|kittens?|pets?|birds?|ships?|hens?|geese|goose|foal)\b"
    r"[^.!?]*\b(?:he|she|his|her|hers|him|himself|herself)\b",
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
        before, mark, after = text.partition(ADJECTIVE)
        found = _GENDERED.search(_OF_BOTH.sub(" ", after)) if mark and _ROLE.search(before) else None
        if found and not _has_antecedent(text) and not _GENDERED.search(before):
            yield found.group()
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
_ROLE = re.compile(
    r"\b(?:my|our|the|an?|this|that|your)\s+(?:\w+\s+){0,4}?(?:who\s+|that\s+)?(?:is|was|are|were|has|had)\s+$",
    re.IGNORECASE,
)
_FRONT = 12  # characters: a slot that far from the start is the subject


def _has_antecedent(text: str) -> bool:
    if _ANTECEDENT.search(text) or _ANIMAL.search(text):
        return True
    if any(found.group() not in _DATES for found in _MID_NAME.finditer(text)):
        return True
    starts = [found[1].removesuffix("'s").removesuffix("\u2019s") for found in _STARTS.finditer(text)]
    return any(word in _first_names() or not is_english(word.lower()) for word in starts if word not in _DATES)


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
    "sv": "och det att som p\u00e5 \u00e4r av f\u00f6r med till den inte om ett jag har de s\u00e5 han men hon var fr\u00e5n vid min mitt ig\u00e5r ny en",
    "da": "og det at som p\u00e5 er af for med til den ikke om et jeg har de s\u00e5 han men hun var fra ved min mit i",
    "pl": "i w na z do nie si\u0119 to jest \u017ce co jak po za od przez by\u0142 by\u0142a ma ale tak moja m\u00f3j bardzo",
    "tr": "ve bir bu da i\u00e7in ile \u00e7ok ama gibi daha ben var yok benim",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada saya",
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
        "for",
        "i",
        "to",
        "by",
        "den",
        "min",
        "till",
        "men",
        "dan",
        "by",
        "om",
        "ben",
        "pa",
        "z",
        "w",
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
    "sv": "Swedish",
    "da": "Danish",
    "pl": "Polish",
    "tr": "Turkish",
    "id": "Indonesian",
}
QUOTED = re.compile(
    r"[\"\u201c][^\"\u201d]*[\"\u201d]|(?<!\w)['\u2018][^'\u2019]*['\u2019](?!\w)|\u00ab[^\u00bb]*\u00bb"
)
_TWO = 2
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c00-\ua71f\ua800-\ufdff\ufe70-\uffdf]")
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
    if re.search(r"[^\W\d_]", plain) and len(_OTHER_SCRIPT.findall(plain)) * 2 > len(re.findall(r"[^\W\d_]", plain)):
        return "another script"
    if (language == DEFAULT and best == language) or not counts[best]:
        strange = [word for word in words if len(word) > _TWO and not is_english(word) and not right_spelling(word)]
        long = [word for word in words if len(word) > _TWO]
        foreign = sum(not is_english(word) for word in long)
        many = len(strange) > 1 and len(strange) * 2 >= len(long)
        if language == DEFAULT and (many or (foreign > _TWO and foreign * 5 >= len(long) * 3)):
            return "another language"
    elif language == DEFAULT and counts[best] > counts[language]:
        strange = [word for word in words if len(word) > _TWO and not is_english(word)]
        if strange and (counts[best] + len(strange)) * 2 >= sum(len(word) > 1 for word in words):
            return _NAMES[best]
    if language != DEFAULT and not counts[language]:
        long = [word for word in words if len(word) > _TWO]
        if len(long) > 1 and all(is_english(word) for word in long) and any(is_frequent(word) for word in long):
            return _NAMES[DEFAULT]
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
    # shops and food
    r"ikea|starbucks|walmart|costco|lidl|aldi|tesco|sainsbury['\u2019]?s|waitrose|asda|carrefour|mercadona|kroger|safeway|publix|walgreens|rewe|edeka|spar\s+supermarket|7-eleven|wawa|best buy|home depot|lowe['\u2019]s|trader joe['\u2019]?s|whole foods"
    r"|macy['\u2019]?s|nordstrom|bloomingdale['\u2019]?s|kohl['\u2019]?s|jc\s?penney|tj\s?maxx|marshalls|ross dress|poundland|argos|john lewis|marks (?:and|&) spencer|boots pharmacy|decathlon|wayfair|wish\.com|temu|shein|alibaba|aliexpress|zalando|asos|instacart|ebay|etsy|craigslist|gumtree|vinted|depop"
    r"|mcdonald['\u2019]?s|mcnuggets?|big mac|burger king|kfc|pizza hut|papa john['\u2019]?s|chipotle|taco bell|chick-fil-a|five guys|shake shack|dunkin['\u2019]?(?: donuts)?|tim hortons|nando['\u2019]?s|applebee['\u2019]?s|olive garden|ihop|denny['\u2019]?s|krispy kreme|ben (?:and|&) jerry['\u2019]?s|h[a\u00e4]agen-?dazs|costa coffee|greggs|pret a manger|popeyes|panera|baskin[ -]robbins"
    r"|coca[ -]?cola|pepsi|fanta|dr\.? pepper|mountain dew|gatorade|powerade|red bull|nespresso|nescaf[e\u00e9]|nestl[e\u00e9]|lipton|evian|perrier|heineken|budweiser|guinness|carlsberg|stella artois|bacardi|smirnoff|jack daniel['\u2019]?s|johnnie walker|jameson whiskey|absolut vodka|nutella|oreos?|pringles|doritos|cheetos|lay['\u2019]s|skittles|snickers bars?|kit\s?kat|m&m['\u2019]?s?|twix|haribo|toblerone|lindt|hershey['\u2019]?s?|cadbury|ferrero|kellogg['\u2019]?s|cheerios|heinz|danone|activia|ritz crackers"
    # things
    r"|iphones?|ipads?|imacs?|macbooks?|airpods|apple watch|samsung|galaxy s\d+|huawei|xiaomi|nokia|motorola|blackberry phone|sony|panasonic|toshiba|hewlett|lenovo|thinkpads?|asus|acer laptop|chromebooks?|android phone|windows 1[01]|microsoft|nvidia|playstations?|xbox|nintendo|gameboy|fitbits?|garmin|gopro|canon camera|nikon|kodak|polaroid|kindle|alexa|siri|roomba|dyson|bosch|philips|siemens|miele|whirlpool fridge|tupperware|thermos flask|kleenex|tampax|pampers|huggies|colgate|oral-b|gillette|nivea|l['\u2019]or[e\u00e9]al|maybelline|sephora|lego|playmobil|barbie|hot wheels|play-doh|sharpies?|post-its?|velcro|jacuzzi|zippo|swatch|rolex|casio|tylenol|advil|aspirin bayer|viagra|botox|prozac|band-aids?"
    r"|nike|adidas|puma (?:sneakers|shoes|trainers)|reebok|new balance (?:shoes|sneakers)|converse sneakers|birkenstocks?|crocs|uggs?|timberlands?|doc martens|dr\.? martens|vans sneakers|north face|patagonia (?:jacket|fleece|vest)|lululemon|levi['\u2019]?s|wrangler jeans|abercrombie|hollister|zara|h&m|uniqlo|primark|gucci|prada|chanel|louis vuitton|versace|armani|herm[e\u00e8]s bag|burberry|dior|calvin klein|tommy hilfiger|ralph lauren|victoria['\u2019]?s secret|ray-?bans?|samsonite"
    # cars and travel
    r"|toyota|tesla|bmw|mercedes(?:-benz)?|volkswagen|vw|porsche|ferrari|lamborghini|maserati|bugatti|bentley|rolls[ -]royce|honda|hyundai|nissan|mazda|subaru|mitsubishi|suzuki|volvo|audi|renault|peugeot|citro[e\u00eb]n|skoda|\u0161koda|kia|lexus|chevrolet|chevy|cadillac|buick|chrysler|jeep|opel|fiat|alfa romeo|land rover|range rover|prius|mini cooper|yamaha|kawasaki|ducati|vespa|harley[ -]davidson|greyhound bus|michelin tyres?|goodyear|airbnb|vrbo|couchsurfing|booking\.com|tripadvisor|expedia|kayak\.com|doordash|deliveroo|uber(?:\s?eats)?|grubhub|just eat|lyft|blablacar|amtrak|flixbus|eurostar|fedex|dhl|ups truck|hermes parcel|ryanair|lufthansa|easyjet|british airways|air france|klm|emirates flight|qantas|turkish airlines|american airlines|united airlines|southwest airlines|jetblue|delta air\s?lines|boeing|airbus|hilton|marriott|hyatt|sheraton|holiday inn|best western|motel 6|travelodge|premier inn|disney(?:land|\s?world)?|legoland"
    # on line, money, software
    r"|facebook|instagram|insta|twitter|tweet(?:s|ed|ing)|tiktoks?|snapchat|linkedin|pinterest|reddit|tumblr|quora|discord server|telegram app|whatsapp(?:ed)?|facetim(?:e|ed|ing)|skyp(?:e|ed|ing)|wechat|youtubers?|youtube|netflix|hulu|hbo|prime video|spotify|soundcloud|deezer|shazam|google|gmail|google maps|waze|bing search|yahoo|wikipedia|yelp|nextdoor app|tinder|bumble app|grindr|hinge date|okcupid|duolingo|strava|peloton|chatgpt|openai|photoshop(?:ped)?|powerpoint|ms word|dropbox|github|stack overflow|slack (?:message|channel)|microsoft teams|zoom (?:call|meeting|link)|whats?app|paypal|venmo|revolut|klarna|cash app|mastercard|american express|amex|western union|hsbc|barclays|goldman sachs|jpmorgan|wells fargo|citibank|santander|deutsche bank|bank of america|vodafone|verizon|t-mobile|at&t|comcast|xfinity|marlboro|lucky strike|juul|minecraft|fortnite|roblox|pok[e\u00e9]mon|monopoly board|cnn|bbc|fox news|espn|mtv|new york times|washington post|guardian newspaper|harry potter|star wars|game of thrones|marvel movie|taylor swift|beyonc[e\u00e9]"
)
_PLAIN_BRANDS = r"Amazon|Apple|Coke|Target|Ford|Shell|Gap|Delta|Visa|Subway|Oracle|Dove|Zoom|Twitch|Chevron|Domino['\u2019]?s|Wendy['\u2019]?s|Jaguar|Puma|Dell|Intel|Word|Excel|Meta|Boots|Orange|Sprint|Sprite|Seat|Mini|Slack|Telegram|Discord|Outlook|Windows|Android|Chrome|Safari|Firefox|Threads|Bumble|Hinge|Office Depot|Old Navy|Banana Republic|Forever 21|Vans|Converse|Lay['\u2019]?s|Snickers|Beck['\u2019]?s|Dodge|Mustang|Emirates|Hertz|Canon|HP|LG|Acer|Patagonia|Hermes|Swatch|Lush|Superdrug|Spar|Iceland store|Twix|Milka|Dettol|Lysol|Vaseline|Chapstick|Xerox|Siri|Cortana|Nescafe|Kia|Canva|Notion|Trello"
_BRAND = re.compile(
    rf"\b(?:{_BRANDS}|googl(?:ed|ing)|uber(?:ed|ing)|photoshop(?:ped|ping)|venmo(?:ed)?)(?:e?s|['\u2019]s)?\b",
    re.IGNORECASE,
)
_PLAIN_BRAND = re.compile(
    rf"(?<=[a-z,;] )(?<!\bthe )(?<!\bin )(?<!\bMount )(?:{_PLAIN_BRANDS})\b(?! (?:river|basin|rainforest|Street|Road|Avenue|Island|Valley|[A-Z]))|^Amazon\b(?! (?:river|basin|rainforest))"
)


def brands_in(text: str) -> Iterator[str]:
    """The first brand in a text; those that are common words count inside a sentence and with a capital only.

    >>> list(brands_in("A coffee at Starbucks.")), list(brands_in("I ate an apple.")), list(brands_in("I work at Apple."))
    (['Starbucks'], [], ['Apple'])
    """
    found = _BRAND.search(text) or _PLAIN_BRAND.search(text)
    if found:
        yield found.group()
