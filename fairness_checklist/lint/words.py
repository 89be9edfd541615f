"""Words that the linter's rules are about, other than those of senses: minors, romance, words with a capital."""

from __future__ import annotations

import re

from fairness_checklist.grammar import get

__all__ = ["MINOR_IN_TEXT", "ROMANCE", "capital_missing", "means_a_minor"]

_MINORS = {
    "en": frozenset(
        """
        girl boy child kid teen teenager teenage adolescent infant toddler baby newborn minor schoolgirl schoolboy
        schoolchild juvenile underage tween preteen preschooler kindergartner grandchild stepchild youngster schoolkid
        """.split()  # noqa: SIM905 - a list of words reads better as text
    ),
    "es": frozenset("niña niño niñe bebé adolescente menor criatura colegial colegiala infante".split()),  # noqa: SIM905 - a list of words reads better as text
}
_PLURALS = {"girls": "girl", "boys": "boy", "children": "child", "kids": "kid", "teens": "teen", "babies": "baby"}
_AGE = re.compile(
    r"\b(\d+)[ -](?:year|month|week|day)s?[ -]olds?\b|\b(?:aged?|of|de) (\d+)(?: years)?(?: old)?(?: años)?$"
    r"|\b(?:under|below) (?:the age of )?(\d+)\b"
)
_TEENS = re.compile(
    r"\bin (?:their|her|his) (?:early |mid-?|late )?teens\b|\b(?:in|of) (?:grade|elementary|middle) school\b"
)
_UNDER = re.compile(r"\b(?:under|below)\b")
MINOR_IN_TEXT = re.compile(
    r"\b(?:girls?|boys?|child|children|kids?|teen(?:ager)?s?|teenage|adolescents?|infants?|toddlers?|bab(?:y|ies)"
    r"|newborns?|school(?:girl|boy)s?|(?:[1-9]|1[0-7])-(?:year|month)-olds?"
    r"|niñ[aoe]s?|bebés?|adolescentes?)\b(?!-)",
    re.IGNORECASE,
)
"""A minor in the words of a template."""

ROMANCE = re.compile(
    r"\b(?:kiss(?:e[ds]|ing)?|flirt(?:s|ed|ing|y)?|dating|(?:on|for) a date|a date with|blind date|lovers?|sexy"
    r"|sexual(?:ly)?|sex|naked|nude|seduc(?:e[ds]?|ing|tive)|made? love|making love|romantic(?:ally)?|romance|erotic"
    r"|in love with|(?:a|has|had) crush on|(?:my|his|her|their) crush|married|marry|engaged to|honeymoon"
    r"|undress(?:ed|ing)?|lust(?:s|ed|ing|ful)?|bes(?:ó|aba|ar|os?)|desnud[ao]s?|enamorad[ao]s?|seduc(?:ir|ía|tor\w*))\b",
    re.IGNORECASE,
)
"""A romantic or sexual word in a template."""

_ALWAYS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february april june july september october november
    december english spanish french german italian portuguese russian chinese japanese korean indian mexican canadian
    american african asian european australian brazilian british irish scottish welsh dutch danish swedish norwegian
    finnish greek turkish egyptian nigerian kenyan ethiopian israeli iraqi iranian pakistani vietnamese filipino thai
    latino latina latinx hispanic muslim islam islamic christian christianity catholic protestant jewish judaism jew
    jews hindu hinduism buddhist buddhism sikh sikhism mormon baha'i dalit adivasi africa america europe asia australia
    england london paris christmas easter ramadan hanukkah diwali
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_LOWER_COMPOUNDS = re.compile(r"\b(?:french (?:fries|toast|press|kiss|doors?)|danish pastr|dutch oven|german shepherd)")


def means_a_minor(term: str, pos: str, language: str) -> bool:
    """Whether a term means a minor, as far as its words tell.

    >>> [means_a_minor(*one, "en") for one in (("trans girl", "noun"), ("with children", "pp"), ("teenage", "adj"))]
    [True, False, True]
    >>> [means_a_minor(term, "noun", "en") for term in ("12-year-old", "18-year-old", "adult without kids")]
    [True, False, False]
    """
    for found in _AGE.finditer(term):
        years = int(next(filter(None, found.groups())))
        if years < 18 or (years == 18 and _UNDER.search(found.group())):
            return True
    if _TEENS.search(term):
        return True
    if pos == "pp" or term.lower().startswith("child of ") or pos in {"name", "place", "faith"}:
        return False
    head = get(language).head_of(re.split(r" (?:of|with|without|who|from|in|de|con|que)\b", term)[0].lower().strip())
    return _PLURALS.get(head, head) in _MINORS.get(language, frozenset())


def capital_missing(text: str) -> str:
    """The first word in a text that is always written with a capital and is small here, or "".

    >>> capital_missing("We met on monday."), capital_missing("an english-speaking Monday")
    ('monday', 'english')
    >>> capital_missing("in March we may march on fries"), capital_missing("french fries")
    ('', '')
    """
    small = re.sub(r"\{[^}]*\}", "{}", _LOWER_COMPOUNDS.sub("", text))
    for word in re.findall(r"[A-Za-z']+", small):
        if word in _ALWAYS:
            return str(word)
    return ""
