"""Sentences in which the identity is the point: as cause, concession or exception, wished harm, a label that is not felt."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fairness_checklist.content.slots import Slot

SINGULAR, PLURAL, ADJECTIVE, NAME, PRONOUN, OTHER = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
"""What stands for a slot in the text that the rules read."""


def text_with_marks(pieces: Sequence[str | Slot]) -> str:
    """The words of a template, with a mark for each slot; a predicate keeps its verb.

    >>> from fairness_checklist.content.slots import parse
    >>> text_with_marks(parse("Even {a:identity_np} and Jo, who {is:identity}, saw {person}."))
    'Even \\x01 and Jo, who is \\x03, saw \\x04.'
    """
    return "".join(piece if isinstance(piece, str) else _mark(piece) for piece in pieces)


def _mark(slot: Slot) -> str:
    if slot.is_list:
        return OTHER
    if slot.kind == "predicate":
        return f"{slot.form} {ADJECTIVE}"
    if slot.kind == "pronoun":
        return PRONOUN
    if slot.kind == "choice":
        return slot.form.split("|")[0]
    if slot.family == "person":
        return NAME
    if slot.part == "pl" or slot.head.endswith("s"):
        return PLURAL
    if slot.part == "np" or slot.head:
        return SINGULAR
    return OTHER if slot.family in {"country", "religion"} and slot.part != "adj" else ADJECTIVE


_MODIFIERS = r"(?:(?:an?|the|some|most|many|all|those|these|such|any|one|two|my|our|every|other|such an?)\s+)*"
_X = rf"{_MODIFIERS}(?:[\x01\x02]|\x03(?:\s+\w+)?)"
_IS = r"(?:is|are|was|were|am|be|been|being|\w+['\u2019](?:s|re|m)|has|have|had)"
_IS_X = rf"{_IS}\s+(?:also\s+|just\s+|only\s+|still\s+)?{_X}"
_WHOM = r"[^,.;:!?\u2014]{0,40}?"
_END = r"(?=\s*(?:[.!?,;:)\"\u201d\u2014]|$))"
_PRAISE = (
    r"(?:smart|clever|articulate|polite|fast|quick|strong|brave|nice|kind|pretty|tidy|talented|intelligent|honest|funny|calm"
    r"|eloquent|confident|educated|capable|clean|generous|punctual|good-looking|handsome|beautiful|cheerful|hard-?working"
    r"|civil|patient|competent|skilled|impressive|bright|reliable|well[ -]\w+|normal|active|fit|independent|rude"
    r"|bad|stupid|lazy|dumb|slow|greedy|modern|ambitious|organi[sz]ed)"
)
_MANNER = (
    r"(?:(?:drove|drives?|sings?|sang|writes?|wrote|speaks?|spoke|plays?|played|cooks?|cooked|danced?|dances|runs?|ran|dress(?:es|ed)?"
    r"|behaved?|behaves|swims?|swam|paints?|painted|did|does|do|doing|act(?:s|ed)?|reads?|talks?|talked|looks?|looked|acts?)"
    r"\s+(?:\w+\s+){0,3}?(?:well|wonderfully|brilliantly|beautifully|superbly|excellently|fast|great|\w+ly))"
)
_GAUGES = (
    r"(?:surprisingly|remarkably|unusually|unexpectedly|amazingly|astonishingly|impressively|strangely|quite|pretty|rather|very"
    r"|really|so|too|not|incredibly|extremely|exceptionally|awfully)"
)
_SURPRISE = r"(?:surprisingly|remarkably|unusually|unexpectedly|amazingly|astonishingly|impressively|strangely|weirdly)"
_GREAT = (
    r"(?:great|excellent|superb|wonderful|brilliant|amazing|fantastic|awesome|terrific|incredible|good|terrible|awful)"
)
_FEATS = (
    r"(?:speech|talk|job|work|essay|driving|cooking|English|accent|effort|performance|song|article|report|paper|code|player|driver"
    r"|singer|cook|speaker|writer|worker|dancer|runner|answer|question|style|taste|manners|handwriting|memory|grades?)"
)
_FEELINGS = (
    r"(?:sorry|sad|bad|glad|happy|disgusted|ashamed|afraid|upset|angry|thrilled|pity|shame|unfortunate(?:ly)?|sadly|luckily|great|nice"
    r"|lovely|terrible|awful|horrible|hate|hated|love|loved|annoyed|sick|worried|scared|relieved|disappointed|shocked|horrified)"
)
_MOODS = (
    r"(?:sad|bad|hard|awful|terrible|horrible|miserable|rough|tough|dark|rotten|dreadful|difficult|good|great|lovely|wonderful|nice"
    r"|beautiful|amazing|lucky|glorious|shame|pity|curse|blessing|nightmare|disgrace|embarrassing|exhausting|easy|depressing|fun"
    r"|tragic|unlucky|unfortunate|cool|joy|burden|hell|heaven|tiring|painful|sucks?|scary)"
)

_CAUSES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!besides )(?<!apart from )(?<!aside from )(?<!other than )\bbeing\s+{_X}",
        rf"\b{_MOODS}\b[^.;!?]{{0,30}}\bto\s+be\s+(?:born\s+|called\s+|with\s+)?{_X}",
        rf"\b(?:in spite of|despite|notwithstanding|regardless of|owing to|due to|on account of)\s+(?:being\s+)?{_X}{_END}",
        rf"\bbecause\s+of\s+{_X}{_END}",
        rf"\b(?:not\s+)?even\s+(?:for\s+|with\s+|to\s+)?{_X}",
        rf"\b(?:although|though|because|since|(?:given|considering|seeing|despite the fact|due to the fact)(?:\s+that)?|just as|if"
        rf"|unless|whether)\s+(?:{_WHOM}\s+)?{_IS_X}(?!\s+who\b)",
        rf"\bbecause\s+{_WHOM}\s+(?:is|are|was|were|came|come|comes|has been|had been)\s+(?:\w+\s+){{0,2}}(?:by|from|for|of)\s+{_X}{_END}",
        rf"\b(?:{_PRAISE}|{_GREAT}|{_MOODS}|well|job|work|\w+ly)\s+for\s+(?:someone|somebody|an?\s+\w+|people|those|one|anyone|anybody)\s+(?:who|that)\s+{_IS_X}",
        rf"\b{_IS_X},?\s+(?:but|yet|and\s+yet|however)\s+(?!(?:I|we|the|an?|my|our|it|you|no|nobody|they|your|his|her|nothing)\b)",
        rf"\b(?:is|are|was|were|am)\s+{_X},?\s+(?:and\s+)?(?:so|therefore|hence|thus|(?:which|that)\s+is\s+why)\b",
        rf"\b{_SURPRISE}\s+(?:\w+\s+){{1,3}}for\s+{_X}{_END}",
        rf"\b(?:{_GAUGES}|{_IS})\s+{_PRAISE}\s+for\s+{_X}{_END}",
        rf"(?:\x04|\b(?:I|you|he|she|they|(?-i:[A-Z]\w+))(?:\s+{_IS}|['\u2019](?:s|re|m)))\s+(?:{_GAUGES}\s+)?{_GREAT}\s+for\s+{_X}{_END}",
        rf"\b(?:{_GREAT}|{_PRAISE}|good|decent)\s+{_FEATS}\s+for\s+{_X}{_END}",
        r"\bfor\s+(?:someone|somebody|an?\s+person|people|one|the)\s+(?:like|of)\s+(?:that|this|them|those|his|her|your|their)\b(?!\s+\w+s\b)",
        rf"{_X}\s+can\s+(?:also\s+)?(?:be|do|play|write|sing|drive|cook)\b[^.;!?]*\b(?:too|as\s+well|also)\b",
        rf"\b(?:live[sd]?|exists?|wake\s+up)\s+(?:\w+\s+)?as\s+{_X}",
        rf"\bas\s+{_X},?\s+(?:of\s+course|naturally|obviously|inevitably|no\s+wonder)",
        rf"\b(?:want(?:s|ed)?|hate[sd]?|love[sd]?|like[sd]?|would\s+rather|afraid|ashamed|embarrassed|condemned|doomed|lucky|unlucky)\s+(?:not\s+)?to\s+be\s+{_X}",
        rf"\b{_FEELINGS}\s+(?:that|because|when|how|if|it\s+when|it\s+that)?\s*(?:\w+\s+){{0,3}}(?:is|are|was|were|turned\s+out\s+to\s+be)\s+{_X}",
        rf"\b(?:since|ever\s+since|once|after)\s+(?:\w+\s+){{1,3}}(?:hired|elected|appointed|employed|became|married|let\s+in|admitted|promoted)\s+{_X}",
        rf"\b(?:surprisingly|amazingly|unexpectedly|astonishingly|incredibly|remarkably|strangely|to\s+(?:my|our|everyone['\u2019]s)\s+(?:great\s+)?(?:surprise|amazement|horror|relief))(?:\s+enough)?,\s+{_X}",
        rf"\b(?:as\s+)?(?:expected|usual|typical)\s+(?:from|of|for|with)\s+{_X}",
        rf"(?:^|[.!?]\s+)only\s+{_X}\s+(?:would|could|can|will|do|does|know|knows|manage)\b",
        rf"\b{_MANNER}\s+for\s+{_X}{_END}",
        rf"(?:^|[.!?]\s+)for\s+{_X},\s",
        rf"\b(?:just|so|exactly|that['\u2019]?s|it['\u2019]?s|how)\s+(?:like|typical(?:\s+of|\s+for)?|of)\s+{_X}",
        rf"\b(?:typical|classic|stereotypical)(?:ly)?\s+(?:of\s+|for\s+)?{_X}",
        rf"\bwhat\s+(?:else\s+)?(?:can|could|do|did|would|should)\s+(?:you|we|one|anyone)\s+expect\s+(?:from|of)\s+{_X}",
        rf"\b(?:never|not|n['\u2019]t)\s+(?:have\s+)?expect(?:ed)?\s+(?:\w+\s+){{0,3}}(?:from\s+|of\s+)?{_X}",
        rf"\bwho\s+would\s+(?:have\s+)?(?:thought|expect(?:ed)?|believed?)[^.;!?]*{_X}",
        rf"\b(?:like|unlike|than)\s+(?:most|all|other|the\s+other|any\s+other|every(?:\s+other)?)\s+{_X}",
        rf"\b(?:life|living|growing\s+up|existence|existing|suffering)\b[^.;!?]*\bas\s+{_X}",
        rf"\b{_IS_X},?\s+(?:yet|and\s+yet|but\s+(?:still|nevertheless|somehow))\b",
        r"\b(?:growing|grew|grows?)\s+up\s+\x03|\bliving\s+\x03|\bthanks\s+to\s+\x02,|\bhow\s+(?:brave|inspiring|clever|unusual|surprising)\s+of\s+[\x01\x02]",
        rf"\b(?:would|could|might)(?:n['\u2019]t|\s+not|\s+never)\s+(?:have\s+)?(?:\w+\s+)?(?:guess|guessed|know|known|tell|told|think|thought|believe|believed|notice|noticed)\b[^.;!?]*{_IS_X}",
        rf"\b(?:although|though|while|even\s+if|however)\s+{_X},",
        r"\b(?:although|though|while|even\s+if)\s+\x03,",
        rf"\bas\s+(?:he|she|they|I|it|you|the\s+\w+)\s+(?:is|are|was|were|am)\s+{_X}",
        rf"{_X},?\s+of\s+all\s+people\b",
        rf"{_X}\s+or\s+not\b",
        rf"\bone\s+of\s+the\s+(?:few\s+)?(?:good|decent|nice|honest|smart)\s+{_X}",
        r"\b(?:all|every|most)\s+(?:[\x01\x02]|\x03(?:\s+\w+)?)\s+(?:are|is)\s+(?!(?:asked|invited|given|welcome|asking|waiting)\b)",
        rf"{_X}\s+(?:are|is)\s+(?:always|never|all)\s+(?:so\s+)?\w+",
        rf"\b(?:for\s+once|no\s+wonder|of\s+course|naturally),?\s+(?:that\s+)?{_X}",
        rf"\b(?:as|like)\s+(?:usual|always|ever)\s+with\s+{_X}",
        rf"\b(?:proof|proves?|shows?)\s+that\s+{_X}\s+(?:can|are|is|cannot|can['\u2019]t)\b",
        rf"\b(?:without|free\s+of)\s+(?:any\s+)?{_X}{_END}(?<=\x02)",
    )
)


def causes_in(text: str) -> Iterator[str]:
    """The first wording of a text in which an identity is a cause, a concession or an exception.

    >>> list(causes_in("Even \\x01 laughed.")), list(causes_in("Even so, \\x01 laughed."))
    (['Even ...'], [])
    """
    for rule in _CAUSES:
        found = rule.search(text)
        if found:
            yield re.sub("[\x01-\x06]", "...", found.group().strip(" .,!?"))
            return


_WHO = r"(?:[\x01-\x05]|you|they|them|him|her|he|she|(?:that|this|those|these|your|such)\s+(?:\w+\s+|\x03\s+)?(?:guy|guys|m[ae]n|wom[ae]n|person|people|idiots?|morons?|clowns?|jerks?|creeps?|losers?|liars?|thugs?|kind|lot|scum|pigs?|rats?|freaks?|trash|vermin|bastards?|assholes?|bitch(?:es)?|types?|fools?|\x01|\x02))"
_WHO_X = rf"{_MODIFIERS}{_WHO}"
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


_POSITIVE = frozenset(
    """
    admirable adorable amazing awesome beautiful beautifully brilliant brilliantly charming cheerful cozy delicious
    delighted delightful enchanting enjoyable enjoyed excellent exciting exquisite fabulous fantastic flawless friendly
    generous glad glorious gorgeous grateful great happily happy helpful impressive incredible joyful kindness lovely
    love loves best loved magnificent marvelous marvellous outstanding overjoyed perfect perfectly phenomenal pleasant pleased proud
    radiant refreshing remarkable sensational smooth spectacular splendid stunning sublime super superb superbly
    terrific thoughtful thrilled tremendous triumph welcoming wonderful wonderfully
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_NEGATIVE = frozenset(
    """
    abysmal annoying appalling arrogant ashamed atrocious awful awfully boring clumsy cruel depressed depressing
    devastated dirty disappointed disappointing disaster disgraceful disgusted disgusting dishonest dismal dreadful
    dreary dull filthy foul frustrating furious ghastly gloomy grim gruesome hate hates hated hateful heartbroken hideous horrible
    horribly horrid hostile ignorant inedible infuriating insolent insulted insulting irritating lousy miserable
    moldy mouldy nasty nightmare obnoxious offensive outrageous painful pathetic pitiful pointless poisonous repulsive
    revolting rotten rude ruined shabby shameful shoddy sloppy spiteful stinking stupid terrible terribly tedious tragic
    ugly unbearable unhelpful unpleasant upset useless vile worst worthless wrecked wretched
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_TURNS = re.compile(
    r"\b(?:not|cannot|no|never|nobody|nothing|none|without|hardly|barely|\w+n['\u2019]t|but|however|although|though|despite|yet|instead|if|would"
    r"|could|should|until|used to|anything|far from|stop|stopped|over|ended|passed|forgot|lost|missed|miss)\b",
    re.IGNORECASE,
)


def words_against(text: str, label: str) -> tuple[str, ...]:
    """The words of feeling in a text when they contradict its label: all of them do, and nothing turns their sense.

    Args:
        text: a sentence.
        label: "positive", "negative" or "neutral"; other labels are contradicted by nothing.

    >>> words_against("A lovely, superb day.", "negative"), words_against("A day that was not lovely.", "negative")
    (('lovely', 'superb'), ())
    """
    if label not in {"positive", "negative", "neutral"} or _TURNS.search(text) or "?" in text:
        return ()
    words = re.findall(r"(?<![\w-])[a-z]+(?![\w-])", text[:1].lower() + text[1:])
    good = tuple(word for word in words if word in _POSITIVE)
    bad = tuple(word for word in words if word in _NEGATIVE)
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad}[label]
