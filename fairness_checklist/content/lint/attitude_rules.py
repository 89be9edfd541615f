"""Sentences in which the identity is the point: as cause, concession, exception or type."""

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


MODIFIERS = r"(?:(?:an?|the|some|most|many|all|those|these|such|any|one|two|my|our|every|other|such an?)\s+)*"
_X = rf"{MODIFIERS}(?:[\x01\x02]|\x03(?:\s+\w+)?)"
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

_ABLE = r"(?:can|could|would|will|is|are|was|were|had|has|might|able|ever|actually|really|did|does|do)"
_NO_DOUBT = (
    r"(?:no\s+(?:surprise|wonder|doubt|shock|accident|coincidence)|(?:not|hardly|little)\s+(?:a\s+)?surpris\w+|small\s+wonder|of\s+course|naturally|obviously|predictably"
    r"|unsurprisingly|inevitably|as\s+(?:usual|always|ever|expected|predicted|feared|you(?:['\u2019]d|\s+would|\s+might|\s+can|\s+could)?\s+(?:expect|imagine|guess)(?:ed)?)|what\s+a\s+surprise|surprise,\s+surprise"
    r"|what\s+did\s+(?:I|you|we)\s+expect|what\s+do\s+(?:you|they)\s+expect|go\s+figure|(?:it|that)\s+figures|figures|big\s+surprise|imagine\s+that|believe\s+it\s+or\s+not|you\s+guessed\s+it|wouldn['\u2019]t\s+you\s+know"
    r"|needless\s+to\s+say|we\s+all\s+know|I\s+should\s+have\s+known|just\s+my\s+luck|sure\s+enough)"
)
_TRAIT = r"(?:always|never|usually|generally|typically|naturally|rarely|often|tend|tends|cannot|can['\u2019]t|can\s+never|can\s+hardly|don['\u2019]t|do\s+not|doesn['\u2019]t|does\s+not|won['\u2019]t|just\s+(?:can|do)|only\s+(?:want|care|know|think|ever)|all\s+(?:look|act|think|sound|smell|drive|have|want|hate|love|the\s+same)|simply|know\s+how|have\s+no|lack|aren['\u2019]t|are\s+not|are\s+(?:so|too|such|just|simply|known|famous|born|meant|made|supposed|good|bad|better|worse|the\s+(?:best|worst)|naturally|lazy|all|very|really|terrible|horrible|great|notorious\w*|too|like|more|less|only|cold|rude|loud|cheap|dirty|dangerous|hard|smart|stupid|weird|fun|angry|violent|greedy|emotional))"
_MORE = (
    # as one would expect, as ever, no wonder
    rf"\b(?:as|what)\s+(?:you|one|we|anyone|I|people)(?:['\u2019]d|\s+would|\s+might|\s+could|\s+can)?\s+(?:\w+\s+)?(?:expect(?:ed)?|get|imagine|guess|want)\s+(?:of|from|when|with|for|if)\s+(?:\w+\s+){{0,3}}?{_X}",
    rf"\b{_NO_DOUBT}[,:;.!\u2014]?\s+(?:that\s+|when\s+|if\s+|since\s+|because\s+|with\s+|from\s+|for\s+|of\s+|considering\s+|it\s+was\s+|as\s+|coming\s+from\s+|(?:the|that|this|his|her|my|our)\s+\w+\s+(?:is|was)\s+)*{_X}(?!\w*['\u2019]s\s+(?:office|shop))",
    rf"\b(?:no\s+(?:surprise|wonder)|figures|explains?)\b[^.;!?]*\b(?:when|since|because|as|if|with|,)\s+(?:\w+\s+){{0,3}}?{_X}",
    rf"{_X}[^.;!?]*,\s*(?:so\s+)?(?:it\s+is\s+|that\s+is\s+|which\s+is\s+|it['\u2019]s\s+|that['\u2019]s\s+)?(?:no\s+(?:wonder|surprise)|as\s+(?:they|those\s+people|these\s+people)\s+(?:do|are|always\s+do|tend\s+to)|so\s+what\s+do\s+you\s+expect|what\s+do\s+you\s+expect|what\s+did\s+you\s+expect|go\s+figure|figures|(?:so\s+)?of\s+course)\b",
    rf"{_IS_X}[.;,\u2014]?\s+(?:and\s+)?(?:(?:that|which|it|this)\s+)(?:explains?|accounts?\s+for|says\s+it\s+all|tells\s+you|shows?|figures|speaks\s+for|must\s+be\s+why|is\s+(?:probably\s+)?why|was\s+why|enough\s+said|need\s+I\s+say|what\s+(?:more|else)|go\s+figure)",
    rf"\b(?:what|that['\u2019]s\s+what|this\s+is\s+what)\s+(?:happens|you\s+get|comes\s+of|we\s+get)\s+(?:when|if|for|of|from)\b[^.;!?]*{_X}",
    rf"\b(?:must|had\s+to|has\s+to|probably|surely|bound\s+to|guess)\s+(?:be|have\s+been|been)\s+{_X}|\b(?:probably|surely|obviously|clearly|definitely|undoubtedly)\s+{_X}{_END}",
    rf"\b(?:leave\s+it\s+to|trust|count\s+on|rely\s+on|(?:it\s+)?takes?|took)\s+{_X}\s+to\b|\bonly\s+{_X}\s+(?:would|could|can|will|do|does|did|know|knows|manage[sd]?)\b",
    rf"\byou\s+know\s+(?:how|what)\s+{_X}|\b(?:that|this|it)\s+is\s+(?:how|the\s+way|what)\s+{_X}|\b(?:that|it)['\u2019]s\s+(?:how|the\s+way|just\s+what|what)\s+{_X}|\b(?:the\s+way|how)\s+{_X}\s+(?:always\s+)?(?:are|do|drive|cook|talk|act|behave|think|live)\b",
    rf"{_X}\s+(?:being|will\s+be|would\s+be)\s+{_X}",
    # surprise
    rf"\b(?:nobody|no\s*one|none|never|not|n['\u2019]t|hardly|who|scarcely|few)\b[^.;!?]{{0,25}}?\b(?:expect(?:ed)?|thought|think|believe[sd]?|imagine[sd]?|dream(?:ed|t)?|guess(?:ed)?|knew|know|predicted|suspected|aware|realised|realized|seen|see|met|heard\s+of)\s+(?:\w+\s+)?(?:that\s+|of\s+|to\s+(?:find|see|meet)\s+)?{_X}\s+(?:\w+\s+)?(?:to\b|can\b|could\b|would\b|might\b|able\b|ever\b|actually\b|really\b|who\s+(?:is|was|can|could|does|did|knows?|knew|actually|works?|tips?|pays?)|so\b|this\b|that\b|as\b|run|work|cook)",
    rf"\b(?:surpris\w+|amaz\w+|astonish\w+|shock\w*|impress\w+|astound\w+|stunned|startled|baffled|unusual|rare|odd|strange|refreshing|remarkable|incredible|unheard\s+of|nice|funny|hard\s+to\s+(?:believe|imagine)|unbelievable)\s+(?:that|how|to\s+(?:see|find|meet|hear|have|get)|when|for|in|coming\s+from|from)\s+(?:\w+\s+){{0,3}}?{_X}\s*(?:{_ABLE}\b|who|to\b|so\b|with\b|in\s+charge|[.!]|doing|play\w*|run\w*|speak\w*|behind|on\s+time|kn[eo]w\w*|own\w*|work\w*)",
    rf"\bhad\s+no\s+idea\s+(?:that\s+)?{_X}\s+{_ABLE}|\bwho\s+(?:knew|would\s+have\s+thought|says|said)\s+(?:that\s+)?{_X}|\bto\s+think\s+that\s+{_X}|\bcan\s+you\s+(?:believe|imagine)[^.;!]*{_X}|\b(?:I|we|they|people|everyone|he|she)\s+(?:\w+\s+)?(?:thought|assumed|figured|believed|was\s+sure|were\s+sure|doubted|wondered)\s+(?:that\s+|whether\s+|if\s+)?{_X}\s+(?:would\s+(?:never|not)|could(?:n['\u2019]t|\s+not|\s+never)?|would(?:n['\u2019]t)|can(?:not|['\u2019]t)|had\s+no|were\s+all|are\s+all|only)",
    rf"\b(?:actually|really)\s+{_X}[,!]|\bbelieve\s+it\s+or\s+not,?\s+(?:\w+\s+){{0,3}}?{_IS_X}|\b(?:yes|honest),\s+{_X}\s*[,!]|\(\s*{_X}\s*!\s*\)|{_X}!\)|\u2014\s*{_X}!",
    # concession
    rf"\b(?:despite|notwithstanding|in\s+spite\s+of|regardless\s+of|for\s+all)\s+(?:of\s+)?(?:\x05|his|her|the\s+fact|the|its)?\s*(?:\w+\s+){{0,3}}?(?:{_X}|{_IS_X})",
    rf"\b(?:although|though|albeit|while|whilst|even\s+if|even\s+though|much\s+as|granted)\s*,?\s+(?:\w+\s+){{0,4}}?(?:{_IS_X}|\x03)(?=\s*[,.!?]|\s+and\b|$)",
    rf"\b(?:may|might|could)\s+(?:well\s+)?(?:be|have)\s+{_X}\s*,?\s+(?:but|yet|though)\b|{_X}\s+(?:as|though)\s+(?:he|she|they|\x05|I|you)\s+(?:is|are|was|were|am|may\s+be)|\b(?:overc(?:a|o)m(?:e|es|ing)|rose\s+above|transcend\w*|conquer\w*|defie[sd]|defying|triumph\w*\s+over|looked\s+past|see\s+past|get\s+past|look\s+beyond|ignore[sd]?\s+the\s+fact)\s+(?:that\s+|the\s+fact\s+that\s+)?(?:\w+\s+)?(?:being|\x05|{_IS_X})",
    rf"\b(?:not|n['\u2019]t)\s+let(?:ting)?\s+(?:being|the\s+fact|it|that|\x05)\b[^.;!?]*(?:{_X}|stop|hold|get\s+in)|{_X}\s+(?:and\s+)?(?:yet|still|nevertheless|nonetheless|somehow|anyway)\s+(?:managed|won|got|did|made|became|passed|succeeded|is|was|runs?|ran|has|works?|kn[eo]ws?)|{_X}\s+(?:managed|manages|dared?|bothered)\s+to\b[^.;!?]*(?:all\s+(?:alone|by)|without\s+help|like\s+(?:everyone|anyone|the\s+rest|us)|just\s+like|on\s+(?:time|\x05\s+own))",
    rf"\b(?:apart|aside)\s+from\s+being\s+{_X}|\bif\s+(?:you|one)\s+(?:forget|ignore|overlook|look\s+past|don['\u2019]t\s+mind)\b[^.;!?]*{_X}|\bnot\s+that\s+(?:there\s+is\s+)?anything\s+wrong\s+with",
    # cause
    rf"\b(?:because|cause|cuz|since|as|seeing|given|considering|now|knowing|remembering)\s+(?:that\s+)?(?:he|she|they|I|you|we|it|\x05|\x04|(?:the|a|my|our|his|her|that|this|their)\s+\w+|[A-Z]\w+)(?:\s+(?:himself|herself|too|also|all|both|there|upstairs|downstairs|next\s+door))?\s*(?:{_IS}|happens?\s+to\s+be|turned\s+out\s+to\s+be)\s+(?:\w+\s+)?{_X}",
    rf"\b(?:because|since|as)\s+{_X}\s+(?:are|is|do|does|don['\u2019]t|doesn['\u2019]t|can['\u2019]t|cannot|can|have|has|love|hate|like|tend|won['\u2019]t)\b|\bbecause\s+(?:\w+\s+){{0,4}}?(?:was|were|is|are|got|had\s+been)\s+(?:run|built|made|owned|driven|cooked|designed|managed|written|taught|led|\w+ed)\s+by\s+{_X}",
    rf"\b(?:by\s+virtue\s+of|on\s+account\s+of|as\s+a\s+result\s+of|as\s+a\s+consequence\s+of|thanks\s+to|due\s+to|owing\s+to|for|from|of|about|by|with|through|without|like|not|nor|than|after)\s+(?:(?:\x05|his|her|him|them|\x04|\w+['\u2019]s)\s+)?(?:\w+ly\s+)?being\s+{_X}",
    rf"(?:^|[.!?]\s+)(?:being|living|existing|growing\s+up|going\s+through\s+life|life|dating|marrying|working\s+with|dealing\s+with|sitting\s+next\s+to|imagine)\s+(?:as\s+|being\s+)?{_X}\b[^.;!?]*",
    r"\b(?:blame[sd]?|punish(?:ed)?|pit(?:y|ied)|mock(?:ed)?|laughed\s+at|hired|fired|rejected|admire[sd]?|promoted|picked|chosen|chose|hate[sd]?|love[sd]?|disliked?|respect(?:ed)?|judged|resent(?:ed)?|cursed)\s+(?:\w+\s+){0,3}?(?:for|because\s+of|over)\s+(?:being|\x05|his|her|looking)\b[^.;!?]*(?:[\x01-\x03]|ness\b)",
    rf"\b{_IS_X}\s*[;:\u2014-]\s*(?:no\s+wonder|of\s+course|that|so|what|hence|typical|enough|go|obviously|naturally|this)\b|\b(?:I|he|she|they|we|\x04|\w+)\s+(?:am|is|are|was|were)\s+{_X},?\s+(?:so|hence|thus|therefore)\s+(?:of\s+course\s+|naturally\s+|obviously\s+|he|she|they|I|it|we|the|my|no|nobody|everyone|\x05|don)",
    # types
    rf"(?:^|[.!?]\s+|[,:;]\s+(?:but\s+|and\s+)?|\bthat\s+|\b(?:everyone|everybody|we\s+all)\s+knows?\s+(?:that\s+)?|\bI\s+think\s+|\bsay\s+(?:that\s+)?)(?:all\s+|most\s+|many\s+|these\s+|those\s+|you\s+|some\s+)?(?:\x02|\x03\s+(?:people|folks?|women|men|types?|guys|ones))\s+(?:just\s+|really\s+|simply\s+|these\s+days\s+|like\s+that\s+)?{_TRAIT}\b(?!\s+(?:stood|sat|came|went|met|won|sang|asked|took|left|were\s+asked))",
    rf"(?:^|[.!?]\s+)(?:an?|every|any|no|one\s+thing\s+about)\s+{_X}\s+(?:like\s+that\s+)?(?:can\s+never|will\s+never|will\s+always|should\s+never|should\s+not|cannot\s+be|can['\u2019]t\s+be|is\s+always|is\s+never|always|never|should\s+(?:stay|not|know\s+(?:his|her|\x05|their)\s+place|be\s+(?:seen|grateful|quiet|ashamed|at\s+home))|belongs|has\s+no\s+(?:business|place|right))\b(?!\s+\w+(?:ed|me|ft|w)\b)",
    rf"\b(?:every|each|any)\s+(?:single\s+|other\s+)?{_X}\s+(?:I|we|you|he|she)(?:['\u2019]ve)?\s+(?:\w+\s+)?(?:know|knew|met|meet|hired|have|had|ever|dated|worked|see)|\b(?:all|most|many|half|99|90)\s+(?:%\s+)?(?:of\s+)?(?:the\s+|these\s+|those\s+)?\x02\s+(?:I|we|you)\s+(?:know|met|have|ever)",
    rf"\b(?:never|don['\u2019]t|do\s+not|avoid|beware\s+of|stay\s+away\s+from|keep\s+away\s+from|watch\s+out\s+for|be\s+careful\s+with|careful\s+with|not)\s+(?:ever\s+)?(?:trust(?:ing)?|hire|hiring|marry|date|dating|lend\s+(?:\w+\s+)?to|rent\s+to|renting\s+to|buy\s+(?:\w+\s+){{0,3}}from|argue\s+with|believe|let|send|ask|work\s+(?:for|with)|leave\s+(?:\w+\s+){{0,3}}with|sit\s+next\s+to|invite|mess\s+with|give\s+(?:\w+\s+)?to)?\s*{_X}\s*(?:[.!,]|$|to\b|with\b|near\b|in\s+your|do\b|drive|into|anywhere|,\s*(?:they|\x05))",
    rf"\b(?:the\s+(?:problem|trouble|thing|issue|beauty|difference|bad\s+thing|good\s+thing)\s+(?:with|about|between)|one\s+thing\s+about|that['\u2019]s\s+the\s+(?:problem|thing|trouble)\s+with|something\s+about|what\s+is\s+(?:it|wrong)\s+with|what['\u2019]s\s+(?:wrong|it|the\s+deal|up)\s+with|you\s+can\s+always\s+tell|say\s+what\s+you\s+(?:want|like|will)\s+about)\s+{_X}",
    rf"\b(?:just|exactly|much|more|rather|almost|nothing|so|drives?|drove|driving|cooks?|cooked|dress(?:es|ed)?|acts?|acted|acting|behaves?|behaved|behaving|talks?|talked|talking|walks?|walked|walking|throws?|threw|runs?|ran|sings?|sang|fights?|fought|parks?|parked|shop(?:s|ped)?|smell(?:s|ed)?|dances?|danced|swears?|argues?|argued|complain(?:s|ed|ing)?|looks?\s+just|spends?|spent|haggle[sd]?|thinks?|works?|worked|cries|cried|eats?|ate|drinks?|drank|plays?|played|lies|lied)\s+(?:just\s+|exactly\s+|a\s+bit\s+|so\s+much\s+)?like\s+(?:some\s+|such\s+)?{_X}{_END}",
    r"\b(?:such\s+an?\s+|so\s+|how\s+)\x03\s+(?:thing\s+to|of\s+(?:you|him|her|them|me)|way\s+to)|\b(?:that|this|it)\s+(?:is|was)\s+(?:so|very|such\s+an?)\s+(?:[\x01\x02]|\x03)|\byou(?:['\u2019]re|\s+are)\s+so\s+\x03|\b(?:too|so|very|more|less|pretty)\s+\x03\s*(?:[.!,]|for\b|to\b|than\b|that\b)",
    rf"\b(?:more|less|\w+er|better|worse)\s+(?:\w+\s+){{0,3}}?than\s+(?:the\s+|your\s+|an?\s+)?(?:most|other|average|usual|typical|normal|any|many|all|ordinary)\s+(?:other\s+)?{_X}|\b(?:unlike|compared\s+(?:to|with)|not\s+like|different\s+from|than)\s+(?:the\s+|your\s+|an?\s+|so\s+many\s+)?(?:most|other|others|average|usual|typical|many|all|ordinary|rest\s+of\s+the|normal)\s+(?:other\s+)?{_X}|\b(?:your|the)\s+(?:average|typical|usual|standard|stereotypical|run-of-the-mill|everyday)\s+{_X}|\bmost\s+{_X}\s+(?:would|could|are|do|don|can|have|never|will)\b|\b(?:for|as)\s+(?:most|all|other|many)\s+{_X}",
    rf"\b(?:like|unlike|same\s+as|similar\s+to)\s+(?:so\s+many|all|most|every|any|the\s+other|other|those|these)\s+(?:of\s+(?:the|those)\s+|other\s+)?{_X}",
    rf"\b(?:credit|disgrace|example|role\s+model|inspiration|shame|embarrassment|asset|insult|ambassador|hero|lesson)\s+(?:to|for|of)\s+(?:all\s+|other\s+|every\s+|the\s+)+{_X}|\bgive[sn]?\s+{_X}\s+an?\s+(?:bad|good)\s+name|\bmakes?\s+(?:all\s+)?{_X}\s+look\b|\bas\s+(?:[\x01\x02]|\x03\s+\w+)\s+(?:go|often\s+do|always\s+do|tend\s+to|usually\s+do|will|do|so\s+often)\b",
    rf"\bone\s+of\s+(?:the|those)\s+(?:few\s+|rare\s+|only\s+)?(?:good|decent|nice|honest|smart|normal|clean|better|polite|few|rare|hard-?working|lazy|bad|angry|typical|reliable|sensible|sane|friendly|kind|bearable|tolerable|quiet)\s+(?:few\s+)?{_X}\s+(?:who|that|I|you|with\s+manners)|\b(?:one|some)\s+of\s+the\s+(?:good|decent|nice|better|honest|rare|few)\s+(?:ones|{_X})|\bsome\s+of\s+my\s+best\s+friends\b|\bthe\s+(?:good|nice|right|bad|wrong)\s+kind\s+of\s+{_X}",
    # feelings about the identity itself
    rf"\b(?:thank\s+(?:god|goodness|heaven|heavens)|luckily|fortunately|unfortunately|sadly|alas|regrettably|tragically|thankfully|god\s+forbid)\s*,?\s+(?:that\s+)?(?:\w+\s+){{0,4}}?(?:is|am|are|was|were|['\u2019]m|['\u2019]s|['\u2019]re)(?:\s+not|n['\u2019]t)?\s+{_X}",
    rf"\b(?:wish|wishes|wished|glad|sorry|sad|pity|shame|grateful|ashamed|proud|embarrassed|lucky|unlucky|cursed|blessed|regret\w*|relieved|thrilled|afraid|fear\w*|heartbroken|devastated|happy|angry|upset|furious|disappointed|horrified|delighted|shocked|disgusted|complain\w*|if\s+only)\s+(?:that\s+|because\s+)?(?:I|you|he|she|they|we|it|\x05|\x04|(?:the|my|our|his|her|a|your|this)\s+\w+)(?:\s+\w+)?\s*(?:am|is|are|was|were|be|being|had\s+been|['\u2019](?:m|s|re)|weren['\u2019]t|wasn['\u2019]t|isn['\u2019]t|aren['\u2019]t|turned\s+out\s+to\s+be|would\s+be|became)(?:\s+not|\s+born)?\s+(?:also\s+|only\s+)?{_X}",
    rf"\b(?:poor|brave|inspiring|inspirational|unfortunate|pitiful|tragic|hopeless|helpless|heroic|exotic|suffering|cursed|pathetic\s+little)\s+(?:little\s+|old\s+)?(?:[\x01\x02]|\x03\s+\w+)|\b(?:such\s+an?\s+|an?\s+|so\s+|truly\s+|really\s+)?(?:inspiration|inspiring|brave|heroic|pity|shame|tragedy|waste)\s+(?:to\s+(?:us\s+all|see|watch|everyone)|of)\b[^.;!?]*{_X}",
    r"\b(?:what|how)\s+(?:an?\s+)?(?:\w+\s+){1,3}?(?:it\s+is\s+|it\s+must\s+be\s+|to\s+have\s+been\s+)?(?:to\s+be|to\s+live\s+as|for|being|to\s+have\s+been\s+born)\s+(?:born\s+)?(?:[\x01\x02]|\x03)(?=\s*(?:[.!,?]|in\b|at\b|these|today|right|nowadays|here|$))(?<!for \x02)",
    rf"\b(?:hard|tough|difficult|easy|sad|great|wonderful|terrible|awful|not\s+(?:easy|fun)|no\s+fun|rough|dangerous|fun|miserable|lonely|good|bad|lovely|horrible|exhausting|embarrassing|tiring|depressing|shameful|stressful|a\s+\w+)\s+(?:life\s+|time\s+|day\s+|week\s+|year\s+|world\s+|place\s+|thing\s+)?(?:being|to\s+be|to\s+live\s+as|to\s+grow\s+up|growing\s+up|when\s+you(?:['\u2019]re|\s+are)|if\s+you(?:['\u2019]re|\s+are)|when\s+one\s+is)\s+(?:as\s+)?{_X}",
    rf"\b(?:when|if|whenever)\s+(?:you|one|somebody|someone|people)(?:['\u2019]re|\s+(?:are|is|have|has|happen\s+to\s+be))\s+{_X}|\bmarried\s+to\s+{_X},\s+(?:poor|sadly|of|so)|\b(?:stuck|saddled|cursed|blessed|burdened)\s+with\s+{_X}{_END}",
    rf"\b(?:normal|ordinary|regular|good|real|decent|civili[sz]ed|respectable|honest|clean)\s+(?:people|person|folks?|citizens?|men|women|families)\s+(?:and|or|,|vs\.?|versus|instead\s+of|not|rather\s+than)\s+(?:not\s+)?{_X}|{_X}\s+(?:and|or|,|vs\.?|versus|instead\s+of|not|rather\s+than)\s+(?:not\s+)?(?:normal|ordinary|regular|good|real|decent|civili[sz]ed|respectable)\s+(?:people|person|folks?|citizens?|men|women)",
    rf"\b(?:so|too|far\s+too|yet\s+another|nothing\s+but|full\s+of|crawling\s+with|overrun\s+(?:by|with)|infested\s+with|teeming\s+with|swarming\s+with)\s+(?:many\s+)?(?:all\s+those\s+|these\s+|those\s+|more\s+)?(?:\x02|(?<=another\s)\x01)|\b(?:no|any|some|enough|another|still)\s+more\s+\x02|\b(?:born|die[sd]?|became|turned|wake[s]?\s+up|woke\s+up|reborn|come\s+back|came\s+back)\s+(?:as\s+)?{_X}|\b(?:had|if)\s+(?:I|he|she|they|you|it|\x05)\s+(?:been|were|was|had\s+been|weren['\u2019]t|wasn['\u2019]t|hadn['\u2019]t\s+been)\s+(?:not\s+|only\s+|born\s+)?{_X}",
    r"\b(?:everyone|everybody|we\s+all|people|you|the\s+whole\s+\w+|any\s+\w+)\s+(?:already\s+)?(?:knows?|say|says|agrees?|can\s+see|can\s+tell|believe)\s+(?:that\s+|how\s+)?(?:all\s+|most\s+)?(?:\x02|\x03\s+\w+s\b)",
    rf"\b(?:against\s+(?:all|the)\s+(?:odds|expectations?)|contrary\s+to\s+(?:\w+\s+)?(?:expectations?|expected|popular\s+belief)|miraculously|inexplicably|incredibly|would\s+you\s+believe\s+it|of\s+all\s+(?:people|things)|in\s+spite\s+of\s+(?:everything|it\s+all)|for\s+a\s+change|as\s+if\s+by\s+(?:magic|miracle)|shockingly|ironically|curiously|oddly|defying\s+(?:all\s+)?(?:the\s+)?(?:odds|expectations?))(?:\s+enough)?\s*,?\s+{_X}|{_X}[^.;!?]*\b(?:against\s+(?:all|the)\s+(?:odds|expectations?)|of\s+all\s+people|contrary\s+to\s+(?:all\s+)?(?:expectations?|what\s+\w+\s+expected)|to\s+(?:everyone|everybody|our|my|the\s+\w+)['\u2019]?s?\s+(?:great\s+)?(?:surprise|astonishment|amazement|disbelief)|which\s+(?:is|was)\s+(?:\w+\s+)?(?:surprising|unusual|rare|amazing|remarkable|typical|to\s+be\s+expected|no\s+surprise|not\s+surprising|unexpected|astonishing|impressive)|(?:which|and)\s+(?:surprised|amazed|astonished|shocked|stunned)\s+(?:me|us|everyone|everybody|the))",
    rf"\b(?:what|this|that|it)\s+(?:is|['\u2019]s|was|serves?)\s+(?:what\s+)?(?:I|you|we|me|us|they|one)\s+(?:right\s+)?(?:get|got|gets|deserve)?\s*(?:for|when|if)\s+(?:\w+\s+){{0,5}}?{_X}|['\u2019]s\s+what\s+(?:I|you|we|they)\s+(?:get|got)\s+(?:for|when|if)\s+(?:\w+\s+){{0,5}}?{_X}",
    rf"\bfor\s+(?:someone|somebody|anyone|a\s+\w+|people|those|one)\s+(?:who|that)\s+(?:{_IS_X}|(?:\w+\s+){{1,2}}{_IS_X})|(?:^|[.!?,;]\s+)(?:he|she|I|they|you|\x04|[A-Z]\w+|(?:my|our|the|his|her)\s+\w+(?:\s+\w+)?)\s*{_IS_X}\s*[,;\u2014]?\s+(?:but|yet|still|though|however|nevertheless|nonetheless|and\s+(?:yet|still|even\s+so))\b",
    rf"\b(?:although|though|even\s+though|even\s+if|despite\s+the\s+fact\s+that)\s+(?:it\s+(?:was|had\s+been)\s+\w+\s+by\s+{_X}|{_X}\s+(?:had\s+|has\s+)?\w+\s+(?:it|this|that|them|the\s+\w+)(?=\s*[,.!]))|[\x01-\x03][^.;!?]*\b(?:well|good|nice|great|\w+ly)\s+for\s+(?:one\b(?=[.,!]|\s+of\b)|(?:that|this)\s+(?:kind|sort)\b)",
    rf"{_X}\s+(?:who|that)\s+(?:\w+\s+)?(?:actually|really|even)\s+\w+|{_X}\s+(?:who|that)\s+(?:can|could)\s+(?:\w+\s+)?(?:think|read|write|spell|count|drive|cook|sing|dance|park)\b",
    # for one of them
    rf"\b(?:well|good|great|nice|clean|smart|\w+ly|early|fast|tidy|funny|polite|calm|bad|impressive|young|strong|quiet|decent|okay|fine|excellent|superb|brilliant|wonderful|normal|progress|manners|taste|English|memory|voice|idea|ideas|result|achievement|accomplishment|success|accent|answer|try|effort|read)(?:\s+(?:enough|indeed))?,?\s+(?:for|coming\s+from|considering\s+(?:that\s+)?(?:he|she|they|\x05|it)\s*(?:is|are|was|were|['\u2019]s|['\u2019]re))\s+(?:just\s+|such\s+)?(?<!ly for )(?:an?\s+)?(?:mere\s+)?{_X}{_END}(?<!\x02)(?<!early for \x01)(?<!patiently for \x01)(?<!cake for \x01)",
    rf"(?:^|[.!?,]\s+)for\s+{_X},\s|\b(?:coming|not\s+bad|high\s+praise|rich|ironic)\s+(?:coming\s+)?(?:from|for)\s+{_X}|\b(?:is|was|are|were|seems?|seemed|looks?|looked|sounds?|sounded)\s+(?:\w+\s+){{0,2}}?(?:\w+)\s+for\s+(?:someone|somebody|anyone|one)\s+(?:who|that|so|with|of)\b[^.;!?]*(?:[\x01-\x03]|\bthat\b)",
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
        *_MORE,
        rf"\bfree\s+of\s+(?:any\s+)?{_X}{_END}(?<=\x02)",
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
