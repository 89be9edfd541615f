"""A text with another identity: the words of the mention, articles, capitals, pronouns and their verbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairness_checklist.examples import Spans
from fairness_checklist.forms import Unfit
from fairness_checklist.grammar import capitalise, pronoun_set
from fairness_checklist.identity import IdentityTerm
from fairness_checklist.perturb.agreement import agreed
from fairness_checklist.perturb.edits import Edit, apply
from fairness_checklist.perturb.finding import Mentions
from fairness_checklist.perturb.phrases import replaced
from fairness_checklist.perturb.pronouns import ONE_SEX, Pronoun, swapped, titles, unsafe

__all__ = ["Rewritten", "rewrite"]

_GENDERED = ("she", "he")


@dataclass(frozen=True)
class Rewritten:
    """A text with another identity, and the characters of its words.

    >>> Rewritten("A man left.", ((2, 5),)).text
    'A man left.'
    """

    text: str
    spans: Spans = ()


def rewrite(mentions: Mentions, target: IdentityTerm) -> Rewritten | Unfit:
    """The text with the target in place of the identity that it mentions, or why it is not made.

    Args:
        mentions: what `find` says of the text; it must mention one term.
        target: the other term; the text's own gives the text itself.

    >>> from fairness_checklist.identity import TermList
    >>> from fairness_checklist.perturb.finding import find
    >>> from fairness_checklist.perturb.surfaces import index_of
    >>> woman = IdentityTerm("woman", "women", pos="noun", pronouns="she")
    >>> man = IdentityTerm("man", "men", pos="noun", pronouns="he")
    >>> found = find("The woman lost her keys.", index_of(TermList("gender", (woman, man))))
    >>> rewrite(found, man)
    Rewritten(text='The man lost his keys.', spans=((4, 7),))
    """
    if mentions.reason:
        return Unfit(mentions.reason)
    reading = mentions.reading
    if target == mentions.term:
        return Rewritten(reading.text, tuple((one.start, one.end) for one in mentions.named))
    edits: list[Edit] = []
    for mention in mentions.named:
        if mention.form == "pronoun":
            continue
        words = replaced(reading, mention, target)
        if isinstance(words, Unfit):
            return words
        edits += words
    answer = _pronouns(mentions, target)
    if isinstance(answer, Unfit):
        return answer
    text, spans = apply(reading.text, [*edits, *answer])
    return Rewritten(text, spans)


def _pronouns(mentions: Mentions, target: IdentityTerm) -> list[Edit] | Unfit:
    """The edits of the pronouns that go with the mention, or why they are not safe."""
    own, to = _said(mentions.term), _said(target)
    if own == to or all(mention.form == "plural" for mention in mentions.named):
        return []
    seen = {one.of for one in mentions.pronouns if one.of in _GENDERED}
    of = own
    if own not in _GENDERED:
        if to not in _GENDERED or seen == {to}:
            return []
        if titles(mentions.reading):
            return Unfit(ONE_SEX)
        if len(seen) > 1:
            return Unfit("both she and he stand in it, and one may be that person's")
        if not seen:
            they = mentions.term.pos == "name" and any(one.of == "they" for one in mentions.pronouns)
            return Unfit("they stands in it, and may be that person's") if they else []
        (of,) = seen
    bound = [one for one in mentions.pronouns if one.of == of]
    return _swaps(mentions, bound, of, target.pronouns)


def _said(term: IdentityTerm) -> str:
    return pronoun_set(term.pronouns)[0]


def _swaps(mentions: Mentions, bound: Sequence[Pronoun], of: str, to: str) -> list[Edit] | Unfit:
    """The edits that put pronouns into the set of a cell, or why that is not safe."""
    reading, alone = mentions.reading, mentions.pronouns_only
    taken = [(one.first, one.last) for one in mentions.named]
    doubt = unsafe(reading, [] if alone else taken, bound, of)
    if doubt:
        return Unfit(doubt)
    edits: list[Edit] = []
    for one in bound:
        token = reading.at(one.at)
        if not one.form:
            return Unfit(f"{token.text!r} is read in two ways")
        word = swapped(one, to)
        shown = word.upper() if reading.shouted else capitalise(word) if token.capital else word
        edits.append(Edit(token.start, token.start + len(one.word), shown, term=alone))
        if pronoun_set(to)[0] == "they" and one.form == "they":
            verbs = agreed(reading, one.at)
            if isinstance(verbs, Unfit):
                return verbs
            edits += verbs
    return edits
