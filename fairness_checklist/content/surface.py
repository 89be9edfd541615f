"""Templates as people type them: with typing errors, in casual spelling, with an emoji. Slots stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.templates import Template
from fairness_checklist.core.errors import OptionError, did_you_mean

SURFACES = ("casual", "emoji", "typos")
MARK = "~"
"""What stands in an id between that of the template and its surface: ``generic-neg-01~casual+typos``."""
_KEPT = re.compile(r"(\{\{|\}\}|\{[^{}]*\}|\[[^\[\]]*\]\([A-Z]+\))")  # braces, slots, marked entities
_PER_TYPO = 12  # words
_LONG = 5  # letters of a word that gets an error
_NEVER_WRONG = frozenset({"never", "nobody", "nothing", "hardly", "without"})  # an error there could turn the sense
_EMOJI = "\U0001f4cc\U0001f4ce\U0001f4ac\U0001f5d2\U0001f516\U0001f4dd"  # things: one of feeling would tell the label
_VERBS = ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "would", "should")
_CONTRACTED = {
    **{f"{verb} not": f"{verb}n't" for verb in _VERBS},
    "will not": "won't",
    "cannot": "can't",
    **{f"{who} am": f"{who}'m" for who in ("i",)},
    **{f"{who} are": f"{who}'re" for who in ("we", "you", "they")},
    **{f"{who} is": f"{who}'s" for who in ("it", "that", "there", "what")},
    **{f"{who} have": f"{who}'ve" for who in ("i", "we", "you", "they")},
    **{f"{who} will": f"{who}'ll" for who in ("i", "we", "you", "they", "it")},
}
_LONG_FORM = re.compile(rf"(?<![\w'\u2019])(?:{'|'.join(_CONTRACTED)})(?= [a-z])(?! not)")


def check_surface(names: Iterable[str]) -> tuple[str, ...]:
    """The names of surfaces, sorted, each once.

    Raises:
        OptionError: an unknown name.

    >>> check_surface(["typos", "casual", "typos"])
    ('casual', 'typos')
    """
    chosen = tuple(sorted(set(names)))
    for name in chosen:
        if name not in SURFACES:
            raise OptionError(
                f"the surface {name!r} is not known.",
                remedy=f"Known: {', '.join(SURFACES)}.{did_you_mean(name, SURFACES)}",
            )
    return chosen


def with_surface(template: Template, surface: Sequence[str], seed: int) -> Template:
    """A template in another surface, under an id that names it; nothing in a slot or a marked entity changes.

    The change depends on the template and the seed alone, so that it is the same for all terms of all groups.

    - casual: small letters, contractions (English), no full stop at the end.
    - typos: in words of five letters or more two letters are swapped, one is left out or doubled; once in every twelve
      words, and at least once.
    - emoji: one of things, without a feeling, at the end.

    >>> with_surface(Template("t", "{A:identity_np} did not call. I am waiting."), ["casual"], 0).text
    "{a:identity_np} didn't call. i'm waiting"
    >>> made = with_surface(Template("t", "The letter from {a:identity_np} arrived yesterday."), ["typos"], 0)
    >>> made.id, made.text
    ('t~typos', 'The letter from {a:identity_np} arrived yeterday.')
    """
    if not surface:
        return template
    random = Random(f"{seed} {template.id}")
    pieces = _KEPT.split(template.text)
    if "casual" in surface:
        pieces = _casual(pieces, english=template.language == DEFAULT)
    if "typos" in surface:
        pieces = _with_typos(pieces, random)
    text = "".join(pieces)
    if "emoji" in surface:
        text = f"{text} {random.choice(_EMOJI)}"
    ending = MARK + "+".join(surface)
    original = template.paraphrase_of and template.paraphrase_of + ending
    return replace(template, id=template.id + ending, text=text, paraphrase_of=original)


def _casual(pieces: Sequence[str], *, english: bool) -> list[str]:
    """The pieces (text and kept ones, in turn) in small letters; a slot writes no capital of its own."""
    written = []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            small = piece.lower()
            written.append(_LONG_FORM.sub(lambda match: _CONTRACTED[match.group()], small) if english else small)
        else:
            written.append(piece[:1] + piece[1:2].lower() + piece[2:] if piece.startswith("{") else piece)
    written[-1] = re.sub(r"(?<!\.)\.$", "", written[-1])
    return written


def _with_typos(pieces: Sequence[str], random: Random) -> list[str]:
    changed = list(pieces)
    words = [
        (at, match)
        for at in range(0, len(pieces), 2)
        for match in re.finditer(rf"(?<![\w@#'\u2019-])[^\W\d_]{{{_LONG},}}(?![\w'\u2019-])", pieces[at])
        if match.group().lower() not in _NEVER_WRONG
    ]
    number = max(1, round(sum(len(piece.split()) for piece in pieces) / _PER_TYPO))
    chosen = random.sample(words, min(number, len(words)))
    for at, match in sorted(chosen, key=lambda one: (one[0], -one[1].start())):
        changed[at] = changed[at][: match.start()] + _misspelled(match.group(), random) + changed[at][match.end() :]
    return changed


def _misspelled(word: str, random: Random) -> str:
    """A word with two of its inner letters swapped, or one of them left out or doubled.

    >>> [_misspelled("letter", Random(seed)) for seed in range(3)]
    ['lettter', 'leetter', 'lteter']
    """
    at = random.randrange(1, len(word) - 2)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    shorter = word[:at] + word[at + 1 :]
    longer = word[: at + 1] + word[at:]
    return random.choice([one for one in (swapped, shorter, longer) if one != word])
