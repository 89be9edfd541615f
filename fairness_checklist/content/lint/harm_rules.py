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

_GROUP = rf"{MODIFIERS}(?:[\x01\x02\x04]|\x03(?:\s+\w+)?|you|them|him|her|{_WHO})"
_SHOULD = r"(?:should|ought\s+to|must|needs?\s+to|deserves?\s+to|had\s+better|ha(?:s|ve)\s+to|belongs?|got\s+to|gotta|could\s+all|can\s+all|will\s+all|are\s+going\s+to|is\s+going\s+to|will|shall)"
_VIOLENT = (
    r"(?:shot|hanged|hung|killed|gassed|beaten(?:\s+up)?|whipped|sterili[sz]ed|castrated|neutered|exterminated|wiped\s+(?:out|off)|put\s+down|put\s+to\s+(?:sleep|death)|locked\s+(?:up|away)|burn(?:ed|t)|executed|eliminated|lynched|slapped"
    r"|punched|smacked|stabbed|strangled|drowned|poisoned|run\s+over|caged|tortured|flogged|crushed|jailed|erased|eradicated|beheaded|decapitated|crucified|stoned|skinned|mauled|gutted|raped|butchered|slaughtered|hunted(?:\s+down)?|culled|buried"
    r"|electrocuted|mutilated|maimed|thrown\s+(?:off|under|out|to|in|into|overboard|from)|kicked|spat\s+(?:on|at)|whacked|choked|bombed|nuked|purged|disposed\s+of|removed\s+from|rounded\s+up|shipped\s+(?:off|back|away)|deported|expelled|banished|taught\s+a\s+lesson|hit\s+by|fed\s+to|dragged|tied\s+up|thrashed|dealt\s+with|taken\s+out\s+(?:and|back|of)|ground|chopped|sent\s+(?:back|to\s+(?:the\s+)?(?:camps?|gulag|front|moon|jail|prison))|swept|trampled|knocked\s+(?:out|down))"
)
_HIT = (
    r"(?:shoot|kill|hang|burn|stab|strangle|punch|smack|slap|lynch|gas|hurt|exterminate|deport|poison|drown|choke|kick|whip|break|smash|murder|torture|execute|cage|bash|eliminate|attack|behead|skin|gut|rape|slaughter|butcher|beat\s+up|beat|run\s+over"
    r"|mow\s+down|throw|toss|push|shove|drag|feed|lock|wipe|string\s+up|knock|bury|crush|slit|cut|hunt(?:\s+down)?|bomb|nuke|purge|get\s+rid\s+of|erase|eradicate|put\s+down|clobber|strike|thrash|chop|sterili[sz]e|castrate|set|spit\s+on|flog|maim|wring|rip|tear|pummel|throttle|club|finish\s+off|take\s+out|teach)"
)
_HOW = r"(?:in\s+the\s+(?:face|head|neck|teeth|stomach|back|throat|mouth|gut|nose|ribs|street|river|ocean|sea|trash|garbage|oven)|to\s+(?:death|pieces|a\s+pulp|the\s+(?:wolves|lions|sharks|dogs|pigs))|off\s+(?:a|the)\s+(?:roof|bridge|cliff|building|train|boat|balcony|plane)|under\s+(?:a|the)\s+(?:bus|train|truck|car)|out\s+(?:of\s+)?(?:a|the)\s+(?:window|plane|country|town)|into\s+(?:a|the)\s+(?:river|oven|wall|sea|pit|fire|ditch)|on\s+fire|up\s+against\s+(?:a|the)\s+wall|with\s+(?:a|an|my|your|the)\s+(?:\w+\s+)?(?:bat|hammer|knife|brick|belt|stick|gun|shovel|axe|whip|rope|club|crowbar|pipe|car|truck)|down\s+the\s+stairs|black\s+and\s+blue|senseless|unconscious|limb\s+from\s+limb|alive|from\s+a\s+(?:tree|lamp\w*|rope|bridge|crane))"
_ILL = r"(?:die|dies|dead|death|hurt|pain|suffer\w*|cancer|tumou?r|plague|disease|covid|aids|stroke|heart\s+attack|accident|crash\w*|drown\w*|burn\w*|chok\w+|bleed\w*|rot\w*|starv\w+|perish\w*|hell|grave|coffin|cemetery|hospital|wheelchair|ambulance|jail|prison|bullet|noose|rope|misery|miserable|agony|ruin(?:ed)?|harm|fall(?:s)?\s+(?:down|off|into|under|through)|slip(?:s)?\s+and|trip(?:s)?\s+and|break(?:s)?\s+(?:\w+\s+)?(?:legs?|necks?|arms?|bones?|backs?|skulls?|teeth|jaw)|hit\s+by|run\s+over|struck\s+by|eaten\s+by|mauled|fired|evicted|homeless|robbed|mugged|beaten|shot|stabbed|electrocuted|never\s+(?:wake|come\s+back|recover|walk|breathe)\w*|disappear\w*|drop(?:s)?\s+(?:dead|off)|crippled|paraly[sz]ed|infected|sick|ill|food\s+poisoning|worst|cries|cry|lose(?:s)?\s+(?:everything|\w+\s+(?:job|house|home|legs?|teeth|family))|fail(?:s)?\s+(?:at\s+everything|miserably)|alone|go(?:es)?\s+(?:bankrupt|blind|extinct|broke))"
_MORE = (
    rf"\b(?:hop(?:e|es|ing)|wish(?:es|ing)?|pray(?:s|ing)?|want(?:s)?|dream(?:s|ing)?\s+of|long(?:s|ing)?\s+for|love\s+(?:it\s+if|to\s+see|seeing)|like\s+to\s+see|let|may|if\s+only|can['\u2019]?t\s+wait\s+(?:for|until|till|to\s+see)|waiting\s+for|happy\s+(?:if|when)|party\s+when|celebrate\s+when|cheer\s+when|laugh\s+when|smile\s+when|would\s+be\s+(?:nice|great|better|good|fun|lovely)\s+if|time\s+(?:that|for)|about\s+time)\s+(?:that\s+|for\s+)?(?:all\s+)?(?:{_GROUP}|\x05|your\s+\w+(?:\s+\w+)?|(?:those|these|their|his|her|\x05)\s+\w+)[^.;!?]{{0,50}}?\b{_ILL}\b(?!\s+(?:better|well\s+soon|of\s+(?:laughter|laughing|shame|boredom)|laughing))",
    rf"{_GROUP}[^.;!?]{{0,40}}?\s{_SHOULD}\s+(?:\w+\s+){{0,2}}?(?:be|get|have\s+been)\s+(?:\w+ly\s+|all\s+|just\s+)?{_VIOLENT}\b",
    rf"{_GROUP}[^.;!?]{{0,30}}?\s(?:should|ought\s+to|must|deserves?\s+to|needs?\s+to|can\s+(?:all\s+)?(?:just\s+)?(?:go\s+)?|had\s+better)\s+(?:all\s+|just\s+|simply\s+|go\s+(?:and\s+)?|slowly\s+|please\s+)*(?:die|burn|rot|choke|drown|bleed|perish|hang|starve|suffer|fry|drop\s+dead|disappear\s+from|cease\s+to|never\s+(?:have\s+been\s+born|breed|reproduce|have\s+kids)|not\s+(?:exist|be\s+(?:alive|allowed\s+to\s+(?:live|breed|breathe|exist|vote|reproduce)))|stop\s+(?:breathing|existing|breeding))\b",
    rf"{_GROUP}[^.;!?]{{0,25}}?\sdeserves?\s+(?:nothing\s+(?:but|better)\s+(?:than\s+)?)?(?:(?:a|an|the|every|some|to\s+feel)\s+)?(?:\w+\s+){{0,2}}?(?:{_ILL}|beating|kicking|slap|punch|thrashing|whipping|spanking|lynching|smack|noose|rope|needle|chair|gallows|firing\s+squad|pain|torture|abuse|whatever\s+(?:they|he|she)\s+gets?)\b",
    rf"\b(?:somebody|someone|we|I|they|you|people|everyone|everybody|one|let['\u2019]?s|let\s+us|please|the\s+(?:police|army|government|state|mob)|who\s+wants\s+to)\s*(?:,\s*)?(?:should|ought\s+to|will|would|could|must|(?:am|are)\s+going\s+to|want\s+to|['\u2019]?(?:d|ll|m|re)?\s*(?:like\s+to|love\s+to|gonna|going\s+to|be\s+glad\s+to)?|wanna|need\s+to|have\s+to|can)\s+(?:all\s+|just\s+|really\s+|gladly\s+|go\s+|please\s+|finally\s+|all\s+just\s+)*{_HIT}\s+(?:up\s+|down\s+|away\s+)?{_GROUP}[^.;!?]{{0,30}}?\s{_HOW}",
    rf"(?:^|[.!?,]\s+)(?:just\s+|go\s+(?:and\s+)?|please\s+|let['\u2019]s\s+)?{_HIT}\s+(?:up\s+|down\s+|away\s+)?{_GROUP}[^.;!?]{{0,30}}?\s{_HOW}",
    rf"(?:^|[.!?,]\s+)(?:just\s+|let['\u2019]s\s+|time\s+to\s+|somebody\s+|someone\s+|please\s+)+(?:shoot|kill|hang|burn|stab|strangle|lynch|gas|exterminate|poison|murder|execute|behead|slaughter|bomb|nuke|eradicate|get\s+rid\s+of|wipe\s+out|lock\s+up|round\s+up|deport|cull|put\s+down)\s+{_GROUP}",
    rf"\b(?:put|stand|line|stick|throw|send|drop|toss|dump|push|lock|set|tie|nail|chuck|shove|hang|string|burn|bury|leave|feed|ship)\s+(?:up\s+)?(?:all\s+)?{_GROUP}\s+(?:all\s+)?(?:up\s+)?(?:in\s+front\s+of\s+a\s+(?:firing\s+squad|train|bus|truck|car)|against\s+(?:a|the)\s+wall|in(?:to)?\s+(?:a\s+|the\s+)?(?:camps?|ovens?|gas\s+chambers?|cages?|cells?|woodchipper|volcano|hole|ditch|zoo|asylum|coffin|fire|river|sea|sack)|on\s+(?:a\s+)?(?:fire|train|boat|rocket|spike|cross|leash|plane\s+back)|to\s+(?:the\s+)?(?:gallows|guillotine|electric\s+chair|camps?|lions|wolves|sharks|dogs|cross|stake|gulag|crocodiles|gas)|up\s+(?:from|by)|alive|to\s+death|by\s+the\s+neck|off\s+a\b|under\s+a\s+(?:bus|train)|behind\s+bars|out\s+to\s+sea|six\s+feet)",
    rf"\b(?:burn|blow|shoot|smash|torch|bomb|set\s+fire\s+to)\s+(?:down\s+|up\s+)?(?:the|their|your|his|her|every|all|that|{_GROUP})\s*(?:['\u2019]s\s+)?(?:\w+\s+)?(?:house|home|church|mosque|synagogue|temple|shop|store|car|office|flat|neighbou?rhood|district|village|place)s?\s*(?:of\s+(?:the\s+|all\s+)?{_GROUP}|down|with\s+(?:them|him|her|you)|['\u2019]s|(?<=your house)|(?<=their house)|(?<=your car)|(?<=their car))",
    rf"\b(?:world|country|planet|town|city|place|earth|everyone|everybody|office|street|we|all\s+of\s+us|society|neighbou?rhood|humanity)\b[^.;!?]{{0,25}}?\b(?:better(?:\s+off|\s+place)?|safer|cleaner|nicer|happier|improved?|great)\s+(?:\w+\s+)?(?:without|if\s+(?:all\s+)?{_GROUP}\s+(?:were|was|did|died|disappeared|left|vanished)|once\s+{_GROUP}|with\s+(?:fewer|no|less))",
    rf"\b(?:world|town|city|country|earth|planet|street|society|face\s+of\s+the\s+earth)\b[^.;!?]*\b(?:rid|free|clean(?:sed)?|purged)\s+of\s+{_GROUP}|\b(?:get|be)\s+rid\s+of\s+(?:all|every|these|those|the)\s+(?:[\x01\x02]|\x03)|\b(?:final\s+solution|genocide|ethnic\s+cleansing|extermination|holocaust)\s+(?:for|of|against)\s+{_GROUP}|\bthe\s+only\s+good\s+{_WHO}[^.;!?]*\bdead\b|\bopen\s+season\s+on\b|\b(?:hitler|stalin|the\s+nazis)\s+(?:was|were|had)\s+(?:right|a\s+point)|\bshould\s+have\s+finished\s+the\s+job\b",
    r"\b(?:you(?:['\u2019]re|\s+are|['\u2019]ll\s+be|\s+will\s+be)|[\x01\x02\x04]\s+(?:is|are|will\s+be)|\x05\s+(?:is|are|will\s+be)|(?:he|she|they)\s+(?:is|are|will\s+be))\s+(?:so\s+|as\s+good\s+as\s+)?(?:dead(?=[.,!?]|\s+(?:meat|man|to\b))|toast\b|next(?=[.!,]|\s+on\s+my)|going\s+to\s+(?:regret|pay|die|bleed|suffer|get\s+(?:hurt|what|it|beaten))|gonna\s+(?:regret|pay|die|get))",
    r"\b(?:I|we)(?:['\u2019]ll|['\u2019]m\s+(?:going\s+to|gonna)|\s+(?:will|am\s+going\s+to|are\s+going\s+to|swear\s+(?:I|to)\b[^.;!?]*|want\s+to|would\s+(?:love|like)\s+to|could|might|shall|promise\s+to))\s+(?:\w+\s+){0,2}?(?:kill|hurt|beat|shoot|stab|punch|strangle|hunt|slap|smash|break|burn|destroy|come\s+for|make|get|bash|wreck|cut|crush|drown|slit|rip|end|bury|choke|ruin|poison|knock|find|kick|wring|whip|smack|set)\s+(?:you\b|them\b|him\b|her\b|\x05|[\x01\x02\x04]|the\s+[\x01\x02]|that\s+[\x01\x03]|every\s+[\x01\x03]|your\s+(?:face|head|neck|nose|legs?|arms?|teeth|throat|life|skull|bones?|house|car|fingers|family)|(?:his|her|their)\s+(?:face|head|neck|nose|legs?|arms?|teeth|throat|skull|bones?|fingers))(?!\s+(?:at\b|in\s+(?:the\s+(?:final|next|race|game)|chess|tennis)|to\s+the\b|a\s+(?:cake|coffee|tea|drink|sandwich|copy|seat|ticket|chair)|some\b|the\s+(?:key|menu|book|address|time)|on\s+(?:the\s+)?(?:list|phone|Monday)|an?\b|when|after|there|here|laugh|proud|happy|dinner|breakfast|lunch|out\s+of\s+here|home|back|soon|later|tomorrow|from\s+the))",
    r"\b(?:kill|hang|shoot|drown|harm|hurt|off|stab|cut|unalive)\s+(?:yourself|yourselves|themsel(?:f|ves)|himself|herself|\x05)(?=[.,!?]|\s+(?:you|and|please|already|now|today))|\b(?:kys|go\s+die|die,?\s+(?:you|\x01|\x02)|die\s+(?:already|slowly|alone|screaming|in\b)|eat\s+(?:a\s+bullet|lead|glass|poison)|drink\s+(?:bleach|poison)|slit\s+your|rope\s+is\s+waiting|end\s+(?:your|it)\s+(?:life|all)|jump\s+(?:off|in\s+front\s+of|under|from|out\s+of)\s+(?:a|the)\b|choke\s+on\s+(?:it|your|a|that|the)|get\s+(?:cancer|aids|hit\s+by|run\s+over|lost\s+and\s+die)|rot\s+in|burn\s+in\s+hell|walk\s+into\s+traffic|play\s+in\s+traffic|take\s+a\s+long\s+walk\s+off|crawl\s+(?:back\s+)?(?:in|under|into)\b[^.;!?]*\bdie|do\s+(?:the\s+world|us\s+all|everyone|everybody|us|me|humanity)\s+a\s+favou?r\s+and\s+(?:die|jump|disappear|drop|end|choke|never|stop\s+breathing|leave\s+this)|dig\s+your\s+(?:own\s+)?grave|dance\s+on\s+(?:your|their|his|her|\x05)\s+grave|spit\s+on\s+(?:your|their|his|her|\x05)\s+grave|sleep\s+with\s+the\s+fishes|waste\s+of\s+(?:oxygen|air|skin)|we\s+know\s+where\s+(?:you|they|he|she)\s+lives?|I\s+know\s+where\s+you\s+(?:live|work|park|sleep)|bullet\s+(?:with\s+your\s+name|in\s+(?:the|your)\s+(?:head|brain))|noose\s+(?:for|around)|(?:better|sleep)\s+with\s+one\s+eye\s+open|your\s+days\s+are\s+(?:numbered|counted)|won['\u2019]t\s+(?:live|wake\s+up|see\s+tomorrow|walk\s+again)|not\s+live\s+to\s+see|last\s+day\s+on\s+earth|you\s+(?:will|['\u2019]ll)\s+(?:regret|pay\s+for|be\s+sorry|wish\s+you))\b",
    rf"\b(?:would(?:n['\u2019]t|\s+not|\s+never)|will\s+not|won['\u2019]t|not\s+going\s+to|nobody\s+would)\s+(?:cry|mind|care|miss|be\s+sad|be\s+sorry|shed\s+a\s+tear|lose\s+(?:any\s+)?sleep|weep|complain)\b[^.;!?]{{0,12}}?\b(?:if|when)\s+(?:{_GROUP}|\x05)[^.;!?]{{0,40}}?\b{_ILL}\b",
    rf"\b(?:death|violence|pain|misery|a\s+plague|damnation|a\s+curse|a\s+pox|shame|ruin|cancer|harm)\s+(?:to|on|upon)\s+(?:all\s+|every\s+)?{_GROUP}|\b(?:wish(?:ed|es)?|wishing)\s+{_GROUP}\s+(?:nothing\s+but\s+|all\s+the\s+|an?\s+|the\s+|only\s+)?(?:\w+\s+)?(?:pain|death|harm|cancer|ill|misery|worst|misfortune|plague|disease|suffering|bad\s+luck|dead|accident|hell|failure)\b",
    rf"{_GROUP}\s+(?:will|shall|is\s+going\s+to|are\s+going\s+to|deserves?\s+to|had\s+it\s+coming|(?:get|got|gets)\s+what\s+(?:they|\x05|he|she|it)\s+deserve[sd]?)\s*(?:burn|rot|pay|die|hang|suffer|bleed|regret)\b|\b(?:had|have|has)\s+it\s+coming\b|\b(?:glad|happy|good)\s+(?:that\s+)?{_GROUP}\s+(?:is|are|was|were|got)\s+(?:dead|killed|hurt|shot|beaten|robbed|sick|ill|run\s+over|hit)|\btoo\s+bad\s+(?:that\s+)?{_GROUP}\s+(?:survived|lived|did\s+not\s+die|didn['\u2019]t\s+die|wasn['\u2019]t\s+(?:killed|hurt))|\b(?:shame|pity)\s+(?:that\s+)?(?:the\s+)?\w+\s+(?:missed|did\s+not\s+(?:hit|kill))\s+{_GROUP}|\b(?:bring\s+back|time\s+for)\s+(?:the\s+)?(?:gallows|lynching|hanging|death\s+penalty|firing\s+squad|gas\s+chambers?|camps?|whip)\b",
    rf"\b(?:go(?:es)?|went|send|sent|ship(?:ped)?|deport(?:ed)?|kick(?:ed)?|throw|get)\s+(?:all\s+)?(?:{_GROUP}\s+)?(?:all\s+)?(?:back|home|out)\s+(?:to\s+(?:where(?:ver)?|your\s+(?:own\s+)?(?:country|cave|jungle|hole)|their\s+(?:own\s+)?(?:country|cave|jungle|hole))|where\s+(?:you|they|he|she|\x05)\b|of\s+(?:our|my|this)\s+(?:country|town|neighbou?rhood|street|land))",
)


_HARMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        *_MORE,
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


_MEANT = re.compile(
    r"\b(?:hop(?:e|es|ing)|hopefully|wish(?:es|ing)?|pray(?:s|ing)?|should|ought|deserves?|belongs?|will|['\u2019](?:ll|d)|going\s+to|gonna|wanna|would|let|let['\u2019]s|may|must|somebody|someone"
    r"|please|if\s+only|can['\u2019]?t\s+wait|wants?|needs?\s+to|better|could|about\s+time|time\s+to|if|next\s+time|or\s+else|until|soon|tonight|one\s+day|too\s+bad|glad|waiting|pay\s+to|love\s+to|dream)\b",
    re.IGNORECASE,
)
_VIOLENCE = re.compile(
    r"\b(?:kill(?:s|ed|ing)?|murder(?:s|ed|ing)?|shoot|shot\s+(?:dead|in)|be\s+shot|bullets?|guns?|rifle|noose|gallows|lynch\w*|hang(?:ed)?\s+(?:[\x01-\x05]|you|them|him|her|from|by)|be\s+h[au]ng(?:ed)?|stab\w*|strangl\w+|throttl\w+|chok(?:e[sd]?|ing)|drown\w*|die[sd]?|dead|death|deadly|lethal|fatal"
    r"|cancer|tumou?rs?|plague|corpse|grave|coffin|morgue|funeral|cliff|bomb(?:s|ed)?|poison\w*|gas\s+chambers?|gassed|cage[sd]?|deport\w*|exterminat\w+|eradicat\w+|execut(?:e|ed|ion)|behead\w*|guillotine|tortur\w+|beat(?:en)?\s+(?:up|some|you|them|him|her|the\s+(?:crap|shit|hell|living|\w+\s+out)|(?:the\s+|that\s+|every\s+|this\s+)?[\x01-\x05]|to\b)|a\s+(?:good\s+)?beating|punch(?:ed)?|slap(?:ped)?|smack(?:ed)?|whip(?:ped)?|flogg\w+|kick(?:ed)?\s+(?:in|you|them|to\s+death|the\s+(?:crap|shit)|[\x01-\x05])"
    r"|ambulance|intensive\s+care|hit\s+by|runs?\s+(?:\S+\s+){0,2}over|fall(?:s)?\s+(?:off|down|under|into)|push\w*\s+(?:\w+\s+){0,3}(?:off|under|down|in\s+front)|throw\w*\s+(?:\w+\s+|[\x01-\x05]\s+){0,3}(?:off|under|down|into|out|overboard)|(?:break|breaks|broken|knock|kick|kicked|punch|pull|tear|smash|crack|bash|cut|slit|rip|snap|crush|split)\s+(?:\w+\s+|[\x05]\s+){0,3}(?:legs?|necks?|arms?|bones?|backs?|skulls?|teeth|jaw|face|nose|heads?|fingers|kneecaps|throat|ribs|open)"
    r"|skull|burn(?:s|ed|t|ing)?\s+(?:in|at|alive|down|to|[\x01-\x05]|you|them|like)|set\s+(?:\w+\s+|[\x01-\x05]\s+){0,3}(?:on\s+fire|ablaze)|on\s+fire|in\s+flames|bleed\w*|blood|rot(?:s|ting)?|starv\w+|suffocat\w+|electrocut\w+|paraly[sz]ed|amputat\w+|castrat\w+|sterili[sz]\w+|lock(?:ed)?\s+up|behind\s+bars|camps|coming\s+for\s+you|come\s+for\s+you|your\s+family|where\s+you\s+live|watch\s+(?:out|your\s+back)|pay\s+for\s+(?:this|that|it)|regret\s+(?:this|it|ever|the\s+day)|disappear\w*|vanish\w*|wiped?\s+(?:out|off)|extinct|suffer\w*|agony|misery|incurable|disease|crash\w*|struck|lightning|sharks?|wolves|crocodiles?|hunt(?:ed)?|baseball\s+bat|bricks?|molotov\w*|petrol\s+bomb|grenade|tram|bulldoz\w+|steamroll\w+|crowbar|knife|knives|hammer|machete|axe|acid|rope|hell\s+out\s+of|unconscious|choking|lesson|(?:hurt|harm|injure)\s+(?:you|them|him|her|[\x01-\x05]))\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:\W*)(?:just\s+|go\s+(?:and\s+)?|so\s+|then\s+|now\s+)?(?:drag|put|throw|toss|grab|take|give|hit|beat|kick|shoot|hang|stab|kill|burn|drown|choke|die|drop|jump|send|lock|tie|cut|break|smash|slap|punch|whip|run|push|shove|feed|string|round|chase|hunt|spit|bury|bash|crush|poison|deport|cage|line|make|get|knock|strangle|set|nail|stone|let)\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:dead\s+(?:wrong|last|end|line|tired|slow|silence|serious|quiet|weight)|bor(?:e|es|ed|ing)\s+(?:\w+\s+){0,2}?to\s+death|boredom|kill(?:s|ed|ing)?\s+(?:it|the\s+(?:mood|vibe|joke|joy|party|fun|buzz|conversation)|time|brain\s+cells|my\s+(?:mood|vibe|appetite)|me)|d(?:ie|ying)\s+(?:of\s+(?:shame|boredom|embarrassment|laughter|laughing)|laughing|to\s+(?:know|see|meet)|for\s+a)|if\s+(?:your|\x05)\s+life\s+depended|hurts?\s+(?:my|the)\s+(?:eyes|ears|brain|head|feelings)"
    r"|painfully|painful\s+to\s+(?:watch|read|listen|hear|sit)|pain\s+in\s+the\s+(?:ass|arse|neck|butt)|brain[ -]?dead|deadline|deadpan|drop[ -]dead\s+gorgeous|sick\s+to\s+death|tired\s+of|over\s+my\s+dead\s+body|scared\s+to\s+death|beat(?:en)?\s+(?:you|me|us|them|him|her|[\x01-\x04])\s+(?:at|in|to)|beat\s+the\s+(?:traffic|rush|queue|line)|wouldn['\u2019]t\s+hurt|learn(?:ed|t|s)?\s+(?:your|a|the|\x05)\s+lessons?|(?:piano|driving|\w+ing|math|french|english|history|music|swimming|free)\s+lessons?|blood\s+(?:boil\w*|pressure|test)|dead\s+(?:fish|plant|battery|phone|houseplant|leaves|mouse|skunk|rat|raccoon|wood|flies|fly|horse|squirrel)|death\s+by\s+\w+|(?:car|computer|laptop|market|phone)\s+crash\w*|crash(?:es|ed)?\s+(?:the\s+party|on\s+the\s+couch)|rot(?:s|ting)?\s+(?:fruit|fish|egg|meat|vegetables|cabbage)|makes?\s+(?:my|the)|disappear(?:s|ed)?\s+(?:when|whenever|before|the\s+moment|every|as\s+soon)|suffer\s+(?:fools|through|your|from\s+your)|fall(?:s)?\s+(?:off\s+the\s+(?:chair|table)|down\s+on)|in\s+pain|a\s+real\s+pain|such\s+a\s+pain)\b",
    re.IGNORECASE,
)
_AT_SOMEBODY = re.compile(rf"{_WHO}|\byour?\b|\b(?:people|everyone|everybody)\b", re.IGNORECASE)


def threats_in(text: str) -> Iterator[str]:
    """The first sentence of a hostile text in which violence, death or illness is wished, ordered or announced.

    To be used with texts that attack somebody: in others such words are harmless.

    >>> list(threats_in("Hopefully \x01 catches something deadly."))
    ['deadly']
    >>> list(threats_in("You should know that your jokes bore us to death.")), list(threats_in("\x01 shot a dull film."))
    ([], [])
    """
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        plain = _HARMLESS.sub(" ", sentence)
        found = _VIOLENCE.search(plain)
        if found and (_MEANT.search(plain) or _ORDERS.match(plain)) and _AT_SOMEBODY.search(plain):
            if not _REFUSES.search(plain[: found.start()]):
                yield found.group()
            return


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
