"""Verbs of predicates: "has epilepsy" for the forms am, is, are, was, were, be and being."""

from __future__ import annotations

import re

from fairness_checklist.grammar.language import BE_FORMS

__all__ = ["BE_FORMS", "conjugate", "is_third_person"]


# third person -> base, past
_IRREGULAR = {
    third: (base, past)
    for third, base, past in (
        row.split()
        for row in """
        has have had; does do did; goes go went; gets get got; comes come came; wears wear wore; speaks speak spoke;
        feels feel felt; knows know knew; keeps keep kept; takes take took; makes make made; grows grow grew;
        says say said; thinks think thought; sees see saw; holds hold held; leads lead led; leaves leave left;
        loses lose lost; means mean meant; meets meet met; pays pay paid; rides ride rode; runs run ran; sits sit sat;
        sleeps sleep slept; stands stand stood; tells tell told; writes write wrote; drinks drink drank; eats eat ate;
        drives drive drove; gives give gave; finds find found; begins begin began; becomes become became;
        brings bring brought; builds build built; buys buy bought; chooses choose chose; draws draw drew;
        falls fall fell; fights fight fought; flies fly flew; forgets forget forgot; hears hear heard; reads read read;
        sends send sent; sings sing sang; spends spend spent; swims swim swam; teaches teach taught; wins win won;
        understands understand understood; sells sell sold; rises rise rose; throws throw threw; bears bear bore;
        breaks break broke; catches catch caught; cuts cut cut; puts put put; sets set set; lies lie lay;
        focuses focus focused; prays pray prayed; stutters stutter stuttered; dies die died; ties tie tied
        """.split(";")  # noqa: SIM905 - a list of words reads better as text
    )
}
_OF_BE = {"am": "am", "is": "is", "are": "are", "was": "was", "were": "were", "be": "be", "being": "being"}


def is_third_person(predicate: str) -> bool:
    """Whether a predicate starts with a verb in the third person singular, as ``conjugate`` needs it.

    >>> is_third_person("uses a wheelchair"), is_third_person("cannot see"), is_third_person("epilepsy")
    (True, False, False)
    """
    verb = predicate.partition(" ")[0]
    return re.fullmatch(r"[a-z]+(?:-[a-z]+)*s", verb) is not None and not verb.endswith("ss") and verb != "was"


def conjugate(predicate: str, form: str) -> str:
    """A predicate in the third person singular of the present, put into the form of *be* that a slot asks for.

    Args:
        predicate: "has epilepsy", "uses a wheelchair", "is on the spectrum".
        form: am, is, are, was, were, be or being.

    >>> [conjugate("has epilepsy", form) for form in ("is", "are", "was", "be", "being")]
    ['has epilepsy', 'have epilepsy', 'had epilepsy', 'have epilepsy', 'having epilepsy']
    >>> [conjugate("identifies as trans", form) for form in ("am", "were", "being")]
    ['identify as trans', 'identified as trans', 'identifying as trans']
    """
    verb, space, rest = predicate.partition(" ")
    if verb == "is":
        return _OF_BE[form] + space + rest
    if form == "is":
        return predicate
    if verb == "does" and rest.startswith("not "):
        return _negated(rest.removeprefix("not "), form)
    if form in {"was", "were"}:
        return _past(verb) + space + rest
    if form == "being":
        return _gerund(_base(verb)) + space + rest
    return _base(verb) + space + rest


def _negated(rest: str, form: str) -> str:
    """ "does not hear" in another form."""
    if form in {"am", "are"}:
        return f"do not {rest}"
    if form in {"was", "were"}:
        return f"did not {rest}"
    verb, space, more = rest.partition(" ")
    return f"not {_gerund(verb) if form == 'being' else verb}{space}{more}"


def _irregular(third: str) -> tuple[str, str] | None:
    """(base, past) of a listed verb, also with a word or prefix in front: lip-reads, undergoes."""
    if third in _IRREGULAR:
        return _IRREGULAR[third]
    compound = re.fullmatch(r"(.*-|under|over|out|fore|with|re|mis|un|up)([a-z]+)", third)
    if compound is None or compound[2] not in _IRREGULAR:
        return None
    base, past = _IRREGULAR[compound[2]]
    return compound[1] + base, compound[1] + past


def _base(third: str) -> str:
    irregular = _irregular(third)
    if irregular:
        return irregular[0]
    if third.endswith("ies"):
        return third[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", third):
        return third[:-2]
    return third[:-1]


def _past(third: str) -> str:
    irregular = _irregular(third)
    if irregular:
        return irregular[1]
    base = _base(third)
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return _doubled(base) + "ed"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if re.search(r"[^eoy]e$", base) and len(base) > 2:
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


def _doubled(base: str) -> str:
    """The last consonant doubled after one short vowel that is stressed (shop, get, prefer; not wear, show, suffer)."""
    stressed = re.search(r"(?:re|pre|in|trans|con|de)fer$|cur$", base) or base in {"begin", "forget"}
    if stressed or re.fullmatch(r"(?:.*-)?[^aeiou]*[aeiou][bdgklmnprtvz]", base):
        return base + base[-1]
    return base
