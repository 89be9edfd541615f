"""Wishes of harm and threats."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Iterator

from fairness_checklist.content.lint.attitude_rules import MODIFIERS

_WHO = r"(?:[\x01-\x05]|you|they|them|him|her|he|she|(?:that|this|those|these|your|such)\s+(?:\w+\s+|\x03\s+)?(?:guy|guys|m[ae]n|wom[ae]n|person|people|idiots?|morons?|clowns?|jerks?|creeps?|losers?|liars?|thugs?|kind|lot|scum|pigs?|rats?|freaks?|trash|vermin|bastards?|assholes?|bitch(?:es)?|types?|fools?|\x01|\x02))"
_WHO_X = rf"{MODIFIERS}{_WHO}"
_DIES = (
    r"(?:die[sd]?|drop(?:s|ped)?\s+dead|burn(?:s|ed)?(?!\s+(?:the|an?|my|our|out))|starves?|starved|freezes?|perish(?:es)?|chokes?|choked|rots?|rotted|drowns?|drowned|suffers?|suffered"
    r"|bleeds?|get(?:s)?\s+(?:\w+\s+)?(?:hurt|beaten|hit|shot|killed|cancer|sick|run\s+over|robbed|fired|what)"
    r"|(?:is|are|be|was|were)\s+(?:dead|shot|hurt|beaten|killed|hit|run\s+over)|fall(?:s)?\s+(?:off|down|under|ill|into)|break(?:s)?\s+(?:an?|their|your|both|every)"
    r"|never\s+(?:wakes?|walks?|recovers?)|crash(?:es)?|ends?\s+up\s+(?:dead|in\s+(?:the\s+)?(?:hospital|jail|prison|an?\s+\w+)))"
)
_DONE = (
    r"(?:shot|hanged|hung|killed|gassed|beaten|whipped|deported|sterili[sz]ed|castrated|exterminated|wiped\s+out|put\s+down|locked\s+up"
    r"|locked\s+away|burned|burnt|executed|eliminated|sent\s+(?:back|home|away)|thrown\s+(?:out|off|into|in|under)|rounded\s+up|lynched|slapped|punched|smacked|stabbed"
    r"|strangled|drowned|poisoned|run\s+over|caged|tortured|banned\s+from|kicked\s+out|flogged|crushed|hurt|put\s+in\s+(?:a\s+)?(?:camps?|cages?|jail|prison)|jailed|erased|eradicated)"
)
_DO = (
    r"(?:shoot|kill|hang|beat|burn|stab|strangle|punch|smack|slap|lynch|gas|hurt|run\s+over|exterminate|deport|poison|drown|choke|kick|whip|hit"
    r"|break|smash|murder|torture|execute|jail|cage|wipe\s+out|get\s+rid\s+of|lock\s+up|throw|bash|knock|eliminate|attack)"
)
_HARMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:hop(?:e|es|ing)|wish(?:es)?|pray(?:s|ing)?|want(?:s)?|love\s+(?:it\s+if|to\s+see)|let|may|if\s+only|can['\u2019]?t\s+wait\s+(?:for|until|till)|waiting\s+for|like\s+to\s+see)"
        rf"\b[^.;!?]{{0,20}}?{_WHO_X}[^.;!?]{{0,30}}?\s(?:to\s+)?{_DIES}(?!\w)",
        rf"^may\s+{_WHO_X}\s+{_DIES}",
        rf"{_WHO_X}[^.,;!?]{{0,25}}?\s(?:should|ought\s+to|must|needs?\s+to|deserves?\s+to|had\s+better|has\s+to|have\s+to|belongs?|wants?\s+to)\s+(?:all\s+)?(?:be|get)\s+{_DONE}",
        rf"{_WHO_X}[^.,;!?]{{0,25}}?\s(?:should|ought\s+to|must|deserves?\s+to|need\s+to)\s+(?:all\s+|just\s+|simply\s+)*(?:die|burn|suffer|rot|choke|drown|disappear|bleed|perish|go\s+(?:back|to\s+hell|die))\b",
        rf"{_WHO_X}[^.,;!?]{{0,25}}?\sdeserves?\s+(?:all\s+the\s+\w+|a\s+(?:beating|bullet|kicking|slap|punch|thrashing|good\s+\w+ing)|death|cancer|pain|to\s+be\s+{_DONE})",
        rf"\b(?:somebody|someone|we|I|they|you|people|everyone)\s+(?:should|ought\s+to|will|would|could|must|(?:am|are)\s+going\s+to|want\s+to|['\u2019]?(?:d|ll)\s+(?:like\s+to\s+)?|would\s+like\s+to|wanna|need\s+to|have\s+to)\s*"
        rf"(?:all\s+|just\s+|really\s+|gladly\s+)*{_DO}\s+(?:up\s+)?{_WHO_X}(?!\s+(?:a|an|the|up|at|in\s+the\s+(?:game|race|final)|to\s+the|for)\b)",
        rf"\b(?:teach|taught)\s+{_WHO_X}\s+a\s+lesson\s+with\b|\bround(?:ed)?\s+up\s+{_WHO_X}|\bthrow\s+{_WHO_X}\s+(?:in|into|off|under|out)\b",
        r"\b(?:get|catch)\s+(?:cancer|aids|the\s+plague)\b|\band\s+die\b(?=[,.!])|\bbreak\s+(?:every|all)\s+(?:the\s+)?bones?\b|\bI(?:['\u2019]ll|\s+will)\s+find\s+(?:you|out\s+where\s+you\s+live)\b",
        r"\bI['\u2019]?(?:ll|m\s+going\s+to|\s+will)\s+(?:\w+\s+)?(?:kill|hurt|beat|shoot|stab|punch|strangle|hunt)\s+(?:you|them|him|her|[\x01-\x04])(?!\s+(?:at|in|to)\b)",
        r"\b(?:kill|hang|shoot|drown|harm|hurt)\s+(?:yourself|yourselves|themsel(?:f|ves))\b|\bdrop\s+dead\b|\bgo\s+(?:and\s+)?die\b|\brot\s+in\s+(?:hell|jail|prison)\b"
        r"|\bburn\s+(?:in\s+hell|at\s+the\s+stake)\b|\bdie\s+in\s+a\s+(?:fire|ditch|hole)\b|\bbetter\s+off\s+(?:dead|without\s+you)\b|\bgo\s+(?:and\s+)?jump\s+(?:off|in\s+front|under)\b"
        r"|\b(?:jump|throw\s+yourself)\s+(?:off|under|in\s+front\s+of)\s+a\b|\bwish\s+(?:you|they)\s+(?:were\s+dead|had\s+never\s+been\s+born)\b|\bshould\s+never\s+have\s+been\s+born\b"
        r"|\bwatch\s+your\s+back\b|\bdrink\s+bleach\b|\bgo\s+to\s+hell\b",
        r"\b(?:death\s+to|kill\s+all|kill\s+the|kill|shoot|gas|hang|lynch|deport)\s+(?:all\s+)?(?:the\s+)?[\x01\x02\x04]",
        r"\b(?:go|sent|send|ship(?:ped)?|deport(?:ed)?)\s+(?:\w+\s+|[\x01-\x05]\s+){0,4}?back\s+(?:to\s+)?where\s+(?:you|they)\b",
        rf"\b(?:somebody|someone),?\s+(?:please\s+|just\s+)?{_DO}\s+{_WHO_X}",
        rf"{_WHO_X}\s+(?:should|must)\s*(?:not|n['\u2019]t|never)\s+(?:be\s+allowed\s+to\s+)?(?:live|exist|breathe|breed|be\s+alive)\b",
        r"\bwish\b[^.;!?]*\b(?:death|harm|pain|cancer|illness)\b|\b(?:slow|painful)\s+(?:and\s+\w+\s+)?death\b",
        rf"\bworld\s+would\s+be\s+(?:\w+\s+)?better\s+(?:place\s+)?without\s+{_WHO_X}",
    )
)
_REFUSES = re.compile(
    r"\b(?:nobody|no\s+one|not|never|n['\u2019]t|nothing|stop|disgusted|wrong|hate|report(?:ed)?|ban(?:ned)?)\b[^.;!?]*$",
    re.IGNORECASE,
)


def harms_in(text: str) -> Iterator[str]:
    """The first wish of harm in a text, unless the words before it refuse it.

    >>> list(harms_in("Somebody should slap \\x01."))
    ['Somebody should slap ...']
    >>> list(harms_in("The vet should help \\x01.")), list(harms_in("Nobody says that \\x02 should be shot."))
    ([], [])
    """
    for rule in _HARMS:
        for found in rule.finditer(text):
            if not _REFUSES.search(text[: found.start()]):
                yield re.sub("[\x01-\x06]", "...", found.group().strip())
                return
