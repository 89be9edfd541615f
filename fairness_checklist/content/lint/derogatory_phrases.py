"""Derogatory phrases: about illness as a burden, about who is normal, nouns for people made of adjectives, slights."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import re
from collections.abc import Iterator

_CONDITION = (
    r"(?:deaf|blind|asthma|autis|epilep|diabet|dyslex|dement|depress|disab|disorder|disease|illness|syndrome|palsy|cancer|tumou?r|lupus|sclerosis|ms\b"
    r"|scleros|polio|gout|malaria|tubercul|covid|eczema|schizo|bipolar|adhd|add\b|aids|hiv|arthrit|paraly|plegi|impairment|condition|alzheimer|parkinson|migraine|anxiety"
    r"|anorexia|bulimia|stroke|albinism|dwarfism|infertil|obes|overweight|addict|alcoholism|allerg|psychos|insomnia|stutter|stammer|tourette|down['\u2019]?s|ptsd|trauma"
    r"|burns?\b|leprosy|seizures?|hearing loss|sight loss|vision loss|gender dysphoria|dysphoria|handicap|homosexual|chronic pain|fibromyalgia|brain (?:damage|injury)|spinal|injury)"
)
_WHOSE = r"(?:(?:a|an|the|his|her|their|its|my|your)\s+|\{[^}]*\}\s+)?"
_BODY = r"(?:wheel\s*chairs?|beds?|house|home|chair|scooter|crutches|walker)"
_PEOPLE = r"(?:people|persons?|peoples|m[ae]n|wom[ae]n|guys?|gals?|girls?|boys?|kids?|child(?:ren)?|folks?|famil(?:y|ies)|couples?|lad(?:y|ies)|gentlem[ae]n|students?|workers?|neighbou?rs?|colleagues?|families|driver|drivers|voters?|customers?|ones?)"
_JOBS = r"(?:doctor|judge|driver|boss|lawyer|cop|officer|soldier|engineer|pilot|surgeon|professor|scientist|mechanic|plumber|president|manager|programmer|writer|author|poet|painter|comedian|dentist|firefighter|reporter|coder|astronaut|teacher|golfer)s?"
_ENDS = r"(?=\s*(?:[.,;:!?)\"\u201d\u2019]|$|\{|\b(?:and|or|who|that|are|were|was|is|have|had|has|in|on|at|from|to|with|by|near|under|should|can|could|will|would|must|do|did|live|lives|need|needs|get|got|as|than|but|into|during|after|before|off|out|up)\b))"
_TOWARDS = r"(?:for|help(?:s|ed|ing)?|teach(?:es|ing)?|taught|among|serve[sd]?|serving|feed(?:s|ing)?|fed|assist(?:s|ed|ing)?|visit(?:s|ed|ing)?|all|guid(?:e|es|ed|ing))"
_PHRASES = {
    # illness and disability as a burden
    r"\b(?:wheel\s*chair|bed|house|chair|home)\s*(?:bound|ridden)\b": "uses a wheelchair",
    rf"\b(?:bound|confined|chained|tied|condemned|consigned|doomed|restricted|stuck|trapped|imprisoned|limited|reduced)\s+(?:to|in)\s+{_WHOSE}(?:\w+\s+)?wheel\s*chairs?\b": "uses a wheelchair",
    rf"\bconfined\s+to\s+{_WHOSE}{_BODY}\b": "uses",
    r"\bspecial(?:ly)?\s*(?:needs?|abled?|able)\b|\bspecial\s+(?:ed|education)\s+(?:kids?|students?|class(?:es)?|pupils?|child(?:ren)?)\b|\bspecial\s+(?:kids|children|people|child)\b": "disabled",
    rf"(?<!plants )(?<!trees )(?<!crops )(?<!roses )(?<!harvest )(?<!garden )(?<!company )\bsuffer(?:s|ed|ing|ers?)?(?:\s+\w+){{0,2}}?\s+(?:from|of|with|under)\b(?=[^.;!?]*\b\w*{_CONDITION})": "has",
    rf"\b{_CONDITION}\w*\s*suffer(?:ers?|ing)\b|\b(?:sufferers?|victims?)\s+of\b(?=[^.;!?]*\b\w*{_CONDITION})": "with",
    r"\b(?:long|fellow|chronic)\s+sufferers?\b": "with",
    rf"\b{_CONDITION}[\w'\u2019]*\s+(?:victims?|patients?\s+victims?|cripple[sd]?)\b": "with",
    r"\bafflict(?:ed|s|ion|ions|ing)?\b(?:\s+(?:with|by))?": "has",
    rf"\b(?:stricken|struck(?:\s+down)?|crippled|plagued|tormented|cursed|burdened|tortured|debilitated|incapacitated|felled|ravaged|troubled|handicapped|hampered)\s+(?:of|with|by)\b(?=[^.;!?]*\b\w*{_CONDITION})": "with",
    rf"\b(?:stricken\s*(?:with|by)|fell\s+victim\s+to(?=[^.;!?]*\b\w*{_CONDITION})|fall(?:s|en)?\s+prey\s+to(?=[^.;!?]*\b\w*{_CONDITION}))": "with",
    r"\b(?:battl(?:es|ed|ing)|brave(?:ly)?\s+(?:fight|fought|bear|endure)\w*|overc(?:a|o)m(?:e|es|ing)|conquer(?:s|ed|ing)?|triumph(?:s|ed)?\s+over|defied|defies|rose\s+above|despite|in\s+spite\s+of|let(?:s|ting)?)\s+(?:his|her|their|\{[^}]*\}|a|the|an)\s+(?:\w+\s+)?(?:disabilit(?:y|ies)|handicaps?|deafness|blindness|autism|affliction|infirmity|deformity)\b": "say what happened",
    r"\b(?:mentally|visually|hearing|physically|intellectually|vertically|developmentally|emotionally|sight|orthopedically|motor)\s*(?:challenged|handicapped|retarded|defective|deficient|disturbed|unstable|abnormal|crippled|deranged|slow)\b": "disabled",
    r"\bhearing\s*impaired\b|\b(?:vision|speech|mobility)\s*handicapped\b": "hard of hearing",
    r"\b(?:differently\s*abled|handi\s*capable|handicapped|handicaps?\b(?!\s+(?:of|in\s+golf|is\s+\d))|able\s*bodied|birth\s*defects?|abnormal(?:it(?:y|ies))?|deform(?:ed|it(?:y|ies))|diffability)\b": "disabled",
    r"\bdeaf\s*(?:and\s*|or\s*)?(?:dumb|mutes?)\b|\bdeaf\s+as\s+a\s+post\b|\bblind\s+as\s+a\s+bat\b|\b(?:stone|tone)\s*deaf\b|\bblind\s+leading\s+the\s+blind\b|\bdumb\s+(?:boy|girl|man|woman|person)\b|\bmute\s+(?:boy|girl|man|woman|person|child)\b": "deaf",
    r"\b(?:brain\s*damaged|mentally\s*ill\s*(?:person|people|man|woman)|insane|lunatics?|psychotics?|schizophrenics?|paranoid\s+schizo\w*|paraplegics|quadriplegics|epileptics|an?\s+(?:schizophrenic|epileptic|autistic|paraplegic|quadriplegic|dyslexic|bipolar|anorexic)(?=[.,;!?]|\s+(?:who|and|from|in|on|at|with|is|was|has|had|next|asked|told)\b)|mental\s+(?:patients?|cases?|retardation|defects?|handicaps?|defectives?|home|asylum)|loony\s+bin|nut\s*house|mad\s*house|funny\s+farm|asylum\s+inmates?|straitjacket|off\s+(?:his|her|their)\s+(?:meds|rocker)|split\s+personality|psycho\s*path\w*|schizo\b)\b": "a plain word",
    r"\b(?:high|low)\s*functioning\b|\bmental\s+age\b|\bmind\s+of\s+a\s+(?:child|\w+-year-old)\b|\bslow\s+(?:learners?|kids?|child|children|student)\b|\bvegetative\b|\b(?:hopeless|poor|tragic|helpless)\s+(?:cripples?|invalids?|case|condition|souls?)\b|\bcripple[sd]?\b|\binvalids\b|\ban\s+invalid(?!\s+\w+)\b": "a plain word",
    r"\btrapped\s+in\s+(?:his|her|their|the|a|an?\s+\w+|\{[^}]*\})\s+(?:own\s+)?(?:\w+\s+)?(?:body|bodies|world)\b|\bprisoners?\s+(?:of|in)\s+(?:his|her|their)\s+(?:own\s+)?(?:body|bodies|wheelchairs?)\b|\bburdens?\s+(?:on|to)\s+(?:society|the\s+state|(?:his|her|their)\s+famil\w+|taxpayers?|everyone|others|us\s+all)\b": "a plain word",
    r"\bcommit(?:s|ted|ting)?\s+suicide\b|\b(?:failed|successful)\s+suicide\b|\b(?:substance|drug|alcohol)\s+abusers?\b|\b(?:drug|heroin|crack)\s+(?:addicts?|fiends?)\b|\bjunk(?:ies|ie)\b": "a plain word",
    # who is normal
    rf"\b(?:normal|regular|abnormal|typical|non-?crippled|healthy\s+normal|proper|decent\s+normal)\s+(?:{_PEOPLE}|human(?:\s+being)?s?|citizens?|americans?|sexuality|relationships?|marriage|life\s+for\s+(?:them|people\s+like))\b(?!['\u2019]s\s+(?:price|price))(?<!regular customers)(?<!regular customer)(?<!regular workers)(?<!regular students)(?<!regular drivers)(?<!regular driver)": "name the group",
    rf"\b(?:than|unlike|with|like|as|from|beside|next\s+to|among|between)\s+(?:the\s+|an?\s+)?(?:ordinary|healthy|average|whole|sane|civili[sz]ed|able|everyday|real)\s+{_PEOPLE}\b": "name the group",
    # orientation and gender
    r"\b(?:sexual|lifestyle)\s*(?:preferences?|deviants?|deviance|choices?)\b|\b(?:gay|homosexual|lesbian|alternative|queer|trans\w*|lgbt\w*)\s*(?:lifestyles?|agenda|propaganda|ideology|lobby|recruit\w*)\b|\bhomosexuals\b|\b(?:an?|the|admitted|practi[cs]ing|avowed|self-?confessed|known)\s+homosexual\b(?!\s+\w+(?<!who|and|for|was|has))|\bhomosexuality\s+is\b|\b(?:turn(?:ed|s)?|chose\s+to\s+be|choos\w+\s+to\s+be|went|became)\s+(?:gay|lesbian|homosexual|trans)\b": "orientation",
    r"\b(?:so|that['\u2019]?s|how|totally)\s+gay\b(?=[.,!?]|$)|\bno\s+homo\b|\blimp\s*wristed\b|\b(?:bats?|play(?:s|ed|ing)?|batting)\s+for\s+the\s+other\s+(?:team|side)\b|\bflam(?:ing|boyantly)\s+(?:gay|homosexual|queer)\b|\bgay\s+best\s+friends?\b|\bin\s+the\s+closet\b": "orientation",
    r"\bsex\s*(?:change|reassign\w*|swap)\b|\b(?:was|were|is|been|be|are)?\s*born\s*(?:in\s*the\s*wrong\s*body|(?:as\s+)?an?\s+(?:man|woman|boy|girl|male|female))\b|\bused\s+to\s+be\s+an?\s+(?:man|woman|boy|girl|guy|he|she|male|female|dude)\b|\b(?:biological(?:ly)?|genetic(?:ally)?|born)\s+(?:a\s+)?(?:m[ae]n|wom[ae]n|males?|females?|boys?|girls?)\b|\b(?:pre|post)\s*-?\s*op\b|\b(?:turned|changed|turning|changing)\s+into\s+an?\s+(?:man|woman)\b|\b(?:became|becoming|become)\s+an?\s+(?:man|woman)\b|\breally\s+an?\s+(?:man|woman|he|she|boy|girl|guy)\b|\bman\s+in\s+a\s+dress\b|\bpass(?:es|ed|ing)?\s+(?:as|for)\s+an?\s+(?:\w+\s+)?(?:man|woman)\b": "transition",
    r"\b(?:transgendered|transgenders|transgenderism|transsexual(?:s|ism)|a\s+transgender(?=[.,;!?]|\s+(?:who|and|from|in|at|on|is|was|has))|gender\s+(?:confused|bender|identity\s+disorder)|cross\s*dressers?|transvestites?|hermaphrodites?)\b|\breal\s*(?:men|women|man|woman|lad(?:y|ies))\b|\breal\s+(?:names?|sex|gender)\s+(?:was|is)\b": "transgender, cisgender",
    r"\b(?:fair(?:er)?|weaker|gentler?|gentle)\s+sex\b|\b(?:like|as)\s+a\s+(?:little\s+)?girl\b(?=[.,!?]|\s+(?:and|when|who))|\bold\s+wives['\u2019]?\s+tales?\b|\bcat\s*fights?\b|\bboys\s+will\s+be\s+boys\b|\b(?:wom[ae]n['\u2019]?s?|m[ae]n['\u2019]s)\s+(?:work|job|place|brains?)\b|\b(?:on\s+(?:her|their)\s+period|that\s+time\s+of\s+the\s+month|hysterical\s+(?:wom[ae]n|females?)|nagging\s+(?:wife|woman|wives)|dumb\s+blondes?|man\s+up\b|belongs?\s+in\s+the\s+kitchen|damsel\s+in\s+distress|trophy\s+wi(?:fe|ves)|wears?\s+the\s+(?:pants|trousers))\b": "a plain word",
    rf"\b(?:lady|woman|women|female|male|girl|gay|lesbian|colou?red)\s+(?:nurse|secretary|driver)s?\b|\b(?:lady|woman|girl)\s+{_JOBS}\b": "the job alone",
    # origin, colour, status
    rf"\bcolou?red\s+{_PEOPLE}\b|\b(?:orientals|oriental\s+{_PEOPLE}|oriental\s+(?:eyes|features|looks))\b|\bslant(?:ed|y)?\s*eye[ds]\b|\bnon-?\s*whites?\b|\b(?:pure|mixed|half|full)\s*-?\s*blood(?:ed|s)?\b": "a plain name",
    r"\b(?:illegal\s*(?:alien|immigrant|migrant|worker|person)s?|illegals|are\s+illegals?|anchor\s*bab(?:y|ies)|boat\s+people|bogus\s+(?:asylum|refugee)\w*|fresh\s+off\s+the\s+boat|mail\s*-?\s*order\s+(?:bride|wife)|third\s*-?\s*world\s+(?:countr\w+|people|immigrants?|accent|family|hellhole|mentality)|shithole\s+countr\w+)\b": "undocumented",
    r"\b(?:floods?|flooded|waves?|swarm(?:s|ed|ing)?|tides?|hordes?|influx|invasion|invaded|invading|avalanche|plague|infest(?:ed|ation)|overrun|swamp(?:ed|ing)|horde)\s+(?:of|by|with)\s+(?:\{[^}]*\}|\w+\s+)?(?:immigrants?|refugees?|migrants?|foreigners?|asylum|\{)": "a plain number",
    r"\b(?:exotic|civili[sz]ed|uncivili[sz]ed|primitive|backwards?|savage|tribal|inferior|superior|lesser|master)\s*(?:people|peoples|races?|cultures?|tribes?|castes?|natives?|beaut(?:y|ies)|features|looks)\b|\blooked\s+exotic\b|\bnatives\s+(?:are|were)\s+restless\b|\bdark\s+continent\b|\bindian\s+(?:giver|style)\b|\bchinese\s+fire\s+drill\b|\boff\s+the\s+reservation\b|\bgo(?:ne|es|ing)?\s+native\b|\bpaddy\s+wagon\b|\bjewed\b|\bgypp?(?:ed)\b|\bsold\s+down\s+the\s+river\b|\bmexican\s+standoff\b|\byellow\s+peril\b|\bscalp(?:ed)?\s+him\b|\binner\s*-?\s*city\s+(?:youths?|kids?|thugs?)\b|\burban\s+(?:youths?|thugs?)\b|\bghetto\b": "a plain name",
    r"\b(?:low(?:er)?|high(?:er)?|upper|backward|inferior|superior)\s*-?\s*castes?\b|\buntouchables?\b": "caste-oppressed, dominant castes",
    r"\b(?:broken\s+english|(?:funny|weird|thick|heavy|strange|broken|bad)\s+accents?|speaks?\s+(?:no|without\s+an?)\s+accent|speaks?\s+with(?:out)?\s+an?\s+(?:funny|thick|weird|heavy|foreign-sounding)\s+accent|proper\s+english)\b": "the name of the accent",
    r"\b(?:godless|heathens?|infidels?|devil\s+worship\w*|bible\s+(?:bash|thump)\w*|religious\s+(?:nuts?|fanatics?|freaks?|zealots?)|jihadis?|terrorist\s+(?:religion|faith|sympathi\w+)|christ\s+killers?|cult\s+members?)\b": "the name of the religion",
    # age, body, class, record
    rf"\belderly\b(?!\s+(?:dog|cat|horse|car|house|pet|parrot|tortoise|bus|computer|laptop|van|tree|elm|oak))|\bthe\s+(?:aged|infirm|old){_ENDS}(?<!the old and)|\b(?:senior\s+(?:moments?|citizens?)|over\s+the\s+hill|golden\s+agers?|past\s+(?:his|her|their|its)\s+(?:prime|sell-by\s+date)|second\s+childhood|(?:little\s+)?old\s+(?:lady|ladies)|old\s+(?:folks?|geezers?|codgers?|bats?|hags?|maids?|farts?|coots?|crones?|biddy|biddies|timers?|fogeys?)|years\s+young|silver\s+tsunami|senile|senility|geriatrics?|doddering|(?:one|a)\s+foot\s+in\s+the\s+grave|young\s+at\s+heart|spry|spinsters?|long\s+in\s+the\s+tooth)\b": "older adults",
    r"\b(?:morbidly\s+obese|the\s+obese|obese\s+(?:people|person|m[ae]n|wom[ae]n|guy|kid|child|couple|lady)|fat\s+(?:cows?|pigs?|slobs?|whales?|lard|asses|ass|arse|bastards?|people|person|guy|lady|man|woman|kid)|fatt(?:y|ies)|lard\s*-?\s*ass(?:es)?|beached\s+whale|vertically\s+challenged|midgets?|dwarfs)\b": "a plain word",
    rf"\bthe\s+(?:disabled|handicapped|mentally\s+(?:ill|disabled)|homeless|insane|autistic|obese|unemployed|needy|underprivileged|destitute|less\s+fortunate|poverty-?stricken|visually\s+impaired|hearing\s+impaired|crippled|infertile|illiterate|uneducated|transgendered|undocumented|gays|lesbians|transgenders|blacks|whites|browns|asians|hispanics|latinos|jews|muslims|foreigners|homosexuals|orientals|incarcerated){_ENDS}": "people who ...",
    rf"\b{_TOWARDS}\s+the\s+(?:blind|deaf|poor|old|sick|rich|black|dumb|mad|weak|white){_ENDS}|\b(?:blacks|gays|hispanics|orientals|asiatics|browns|an?\s+(?:gay|black|hispanic|asian|oriental|white)(?=[.,;!?]|\s+(?:who|and\s+an?)\b))(?!\s+(?:and\s+whites\s+of|in\s+the\s+painting))": "people who ...",
    r"\b(?:poverty\s*-?\s*stricken|welfare\s+(?:queens?|moms?|mothers?|cheats?|recipients?)|trailer\s+(?:park\s+)?(?:trash|people|folks?)|white\s+trash|low\s*-?\s*class|dregs\s+of\s+society|underclass|slum\s+dwellers?|street\s+people|benefit\s+(?:scroungers?|cheats?)|scroungers?|bums\b|hobos?\b|vagrants?|winos?|the\s+great\s+unwashed|unwashed\s+masses|riff\s*-?\s*raff|bag\s+lad(?:y|ies)|gutter\s*snipes?|spongers?)\b": "people without a home, low-income people",
    r"\b(?:ex\s*-?\s*con(?:vict)?s?|ex\s*-?\s*felons?|jail\s*birds?|convicted\s+felons?|hardened\s+criminals?|career\s+criminals?|felons?|convicts|ex\s*-?\s*offenders?|thugs?\s+from|shell\s*-?\s*shocked|baby\s+killers?|crazed\s+vet(?:eran)?s?)\b": "people with a record",
    r"\b(?:unwed\s+(?:mothers?|moms?|parents?)|illegitimate\s+(?:child(?:ren)?|sons?|daughters?|bab\w+)|out\s+of\s+wedlock|broken\s+homes?|bastard\s+(?:child(?:ren)?|sons?|kids?)|(?:adopted|adoptive)\b[^.;!?]*\breal\s+(?:parents?|mother|father|mom|dad|kids|child(?:ren)?)|real\s+(?:parents?|mother|father|mom|dad)\b(?=[^.;!?]*\badopt)|(?:put|gave|given)\s+up\s+for\s+adoption|barren\s+wom[ae]n|crack\s+bab(?:y|ies)|test\s*-?\s*tube\s+bab(?:y|ies)|deadbeat\s+(?:dads?|moms?|fathers?|mothers?|parents?))\b": "a plain word",
    rf"\b(?:those|these|you)\s+(?:{{[^}}]*}}|kind\s+of)\s*people\b|\b(?:you|those|their|your)\s+(?:kind|sort|lot|type)\b(?=[.,!?]|\s+(?:is|are|of\s+{_PEOPLE}|always|never|should|can|do|don))": "name no group so",
}
_COMPILED = {
    re.compile(pattern.replace(r"\s*", r"[\s-]*"), re.IGNORECASE): advice for pattern, advice in _PHRASES.items()
}
_AS_A_TERM = re.compile(
    r"^(?:people |person |man |woman |those |someone |somebody )?(?:who )?(?:suffer(?:s|ing)?\b|afflicted|stricken|victims? of|confined to|troubled by|plagued by|burdened|cursed|struck (?:by|with|down)|tormented|crippled)"
    r"|^(?:the )?(?:blind|deaf|disabled|poor|old|homeless|mentally ill|gays?|blacks?|transgenders?|whites?|browns?|lesbian|infirm|aged|needy)$(?<!^blind)(?<!^deaf)(?<!^disabled)(?<!^poor)(?<!^old)(?<!^homeless)(?<!^gay)(?<!^black)(?<!^transgender)(?<!^white)(?<!^brown)(?<!^lesbian)"
    r"|\bvictims?$|\bmental (?:patients?|cases?)$|\bsufferers?$|^(?:the )?elderly\b|^(?:ab)?normal(?: people| person| man| woman)?$|^healthy$|^regular (?:people|person)$"
    r"|\b(?:im|de)fect(?:s|ive)?$|^(?:wrong|unnatural|deviant|dirty|filthy|sick|weird|strange|ugly|freakish|impure|unclean|defective|inferior|savage|exotic|foreign-looking|sinful|confused|so-called)\b|\bproblems?$(?<!^problem)|\bissues$|\bfreaks?$|\btrash$|\bscum$"
    r"|\b(?:unfortunate|pitiful|tragic|hopeless|helpless)\b|\bdisgusting\b|\bunfit\b|\bless fortunate\b|\bunderprivileged\b",
    re.IGNORECASE,
)


def phrases_in(text: str, *, is_term: bool = False) -> Iterator[tuple[str, str]]:
    """The derogatory phrases in a text, with what to write instead.

    Args:
        text: a sentence, or a term.
        is_term: whether the text is a term for people: "suffering from" is derogatory there whatever follows.

    >>> list(phrases_in("She is wheel-chair bound."))
    [('wheel-chair bound', 'uses a wheelchair')]
    >>> list(phrases_in("The harvest suffered from frost.")), list(phrases_in("with special needs", is_term=True))
    ([], [('special needs', 'disabled')])
    """
    found = [
        (match.start(), match.group().strip(), advice)
        for rule, advice in _COMPILED.items()
        if (match := rule.search(text))
    ]
    if is_term and not found and (match := _AS_A_TERM.search(text)):
        found.append((match.start(), match.group(), "a plain word"))
    for _start, phrase, advice in sorted(found):
        yield phrase, advice
