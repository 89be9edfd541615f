"""Slurs, kept as hashes, and derogatory phrases, in any spelling."""

# ruff: noqa: E501 - a pattern is read more easily on one line
from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

_LIST = "slurs.sha256"
_DISGUISES = str.maketrans("@013$!", "aoiesi")
_JOINED = 3  # words that may spell one slur: "half-breed", "half breed"
_SHORTEST = 3
_ENDINGS = tuple(
    (re.compile(end), other) for end, other in (("ies$", "y"), ("(?<=[sxz])es$|(?<=[cs]h)es$", ""), ("s$", ""))
)


def slurs_in(text: str, *, is_term: bool = False) -> Iterator[str]:
    """The slurs in a text, as they are written there.

    Spaces, hyphens, accents, capitals, plural endings and digits in place of letters are ignored.

    Args:
        text: a sentence, or a term.
        is_term: whether the text is a term for people; words with other senses are derogatory there only.

    >>> list(slurs_in("Those midgets and m1d-gets won."))
    ['midgets', 'm1d-gets']
    >>> list(slurs_in("oriental rugs")), list(slurs_in("oriental", is_term=True))
    ([], ['oriental'])
    """
    for part in re.split(r"[^\w\s@$!'\u2019-]+", text):  # no slur across a comma or a slot
        yield from _slurs_in_words(re.findall(r"[^\W_](?:[\w'\u2019@$!-]*[^\W_])?", part), is_term=is_term)


def _slurs_in_words(words: Sequence[str], *, is_term: bool) -> Iterator[str]:
    at = 0
    while at < len(words):
        for number in range(min(_JOINED, len(words) - at), 0, -1):
            scopes = {"any", "term"} if is_term and number == len(words) else {"any"}
            if any(_hashes().get(form) in scopes for form in _forms("".join(words[at : at + number]))):
                yield " ".join(words[at : at + number])
                at += number - 1
                break
        at += 1


def _forms(word: str) -> Iterator[str]:
    """The hashes of a word and of what it may be the plural of."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(one))
    letters = re.sub(r"[^a-z]", "", plain.translate(_DISGUISES))
    stems = {letters} | {end.sub(other, letters) for end, other in _ENDINGS}
    for stem in stems:
        if len(stem) >= _SHORTEST:
            yield hashlib.sha256(stem.encode()).hexdigest()


@cache
def _hashes() -> dict[str, str]:
    """The scope of each hash: "any", or "term" for words that have other senses elsewhere."""
    lines = Path(__file__).with_name(_LIST).read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines if not line.startswith("#"))


_GAP = r"[\s-]*"
_CONDITION = (
    r"(?:deaf|blind|asthma|autis|epilep|diabet|dyslex|dement|depress|disab|disorder|disease|illness|syndrome|palsy|cancer"
    r"|scleros|polio|gout|malaria|tubercul|covid|eczema|schizo|bipolar|adhd|aids|hiv|arthrit|paraly|impairment|condition|alzheimer|parkinson|migraine|anxiety"
    r"|anorexia|stroke|albinism|dwarfism|infertil|obes|addict|allerg|psychos|insomnia)"
)
_PHRASES = {
    rf"\b(?:wheel{_GAP}chair|bed|house|chair){_GAP}(?:bound|ridden)\b": "uses a wheelchair",
    rf"\bspecial{_GAP}needs?\b": "disabled",
    rf"\bsuffer(?:s|ed|ing|ers?)?(?:\s+\w+)?\s+(?:from|of|with)\b(?=[^.;!?]*\b{_CONDITION})": "has",
    rf"\b{_CONDITION}\w*{_GAP}suffer(?:ers?|ing)\b": "with",
    rf"\bconfined\s+to\s+(?:(?:a|an|the|his|her|their|its)\s+|\{{[^}}]*\}}\s+)?(?:wheel{_GAP}chair|bed|home|house|chair)\b": "uses",
    r"\bafflict(?:ed|s|ion|ions)?\b(?:\s+(?:with|by))?": "has",
    rf"\b(?:victims?|stricken|crippled)\s+(?:of|with|by)\b(?=[^.;!?]*\b{_CONDITION})": "with",
    rf"\bstricken{_GAP}(?:with|by)\b": "with",
    rf"\b(?:mentally|visually|hearing|physically){_GAP}(?:challenged|handicapped|retarded|defective)\b": "disabled",
    rf"\b(?:differently{_GAP}abled|handi{_GAP}capable|handicapped|able{_GAP}bodied|birth{_GAP}defects?|abnormal)\b": "disabled",
    rf"\bdeaf{_GAP}(?:and{_GAP})?(?:dumb|mute)\b": "deaf",
    rf"\b(?:brain{_GAP}damaged|mentally{_GAP}ill{_GAP}person|stone{_GAP}deaf|insane|lunatic{_GAP}asylum)\b": "a plain word",
    rf"\b(?:sexual|lifestyle){_GAP}(?:preference|deviant|deviance)s?\b|\b(?:gay|homosexual){_GAP}(?:lifestyle|agenda)\b": "orientation",
    rf"\b(?:sex{_GAP}change|born{_GAP}(?:in{_GAP}the{_GAP}wrong{_GAP}body|a{_GAP}(?:man|woman)))\b": "transition",
    rf"\b(?:transgendered|transgenderism|transsexualism)\b|\breal{_GAP}(?:men|women|man|woman)\b": "transgender, cisgender",
    rf"\b(?:illegal{_GAP}(?:alien|immigrant|migrant)s?|anchor{_GAP}bab(?:y|ies))\b": "undocumented",
    rf"\b(?:the{_GAP}elderly|senior{_GAP}moment|over{_GAP}the{_GAP}hill|golden{_GAP}agers?)\b": "older adults",
    rf"\b(?:exotic|civili[sz]ed|primitive|backward){_GAP}(?:people|peoples|race|races|culture|cultures|tribe|tribes)\b": "a plain name",
}
_COMPILED = {re.compile(pattern, re.IGNORECASE): advice for pattern, advice in _PHRASES.items()}
_AS_A_TERM = re.compile(
    r"^(?:people |person |man |woman )?(?:who )?(?:suffer(?:s|ing)?\b|afflicted|stricken|victims? of|confined to|troubled by|plagued by)"
    r"|^the (?:blind|deaf|disabled|poor|old|homeless|mentally ill|gays?|blacks?|transgenders?)$|\bvictims?$|\bmental patients?$"
    r"|\bsufferers?$|^(?:the )?elderly$|^normal(?: people| person)?$|^healthy$|\b(?:im|de)fect(?:s|ive)?$",
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
        (match.start(), match.group(), advice) for rule, advice in _COMPILED.items() if (match := rule.search(text))
    ]
    if is_term and not found and (match := _AS_A_TERM.search(text)):
        found.append((match.start(), match.group(), "a plain word"))
    for _start, phrase, advice in sorted(found):
        yield phrase, advice
