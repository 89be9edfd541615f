"""The groups of a table of texts, from the identity terms that the texts mention."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pandas as pd

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.core.errors import OptionError, TableError, count, first_ten
from fairness_checklist.core.option_defaults import names
from fairness_checklist.core.progress import followed
from fairness_checklist.tables.columns import text_column

Mentions = str | Sequence[str] | Mapping[str, Sequence[str]]


def groups_of_mentions(
    frame: pd.DataFrame, mentions: Mentions, attribute: str
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table with the groups whose terms its texts mention, as whole words in any case.

    Of terms that overlap the longest counts: "African American" mentions no "American".

    Args:
        frame: a prediction table with the column ``text``; its own ``group``, ``term`` and ``attribute`` are not used.
        mentions: the name of an attribute, whose shipped terms and their forms are looked for; or terms, each of which
            is a group; or the terms of each group.
        attribute: its name, where ``mentions`` is none.

    Returns:
        The rows whose text mentions terms of one group, with ``attribute``, ``group``, ``term`` (the first one) and,
        where the table has none and texts of several groups differ in the terms only, ``source``. And by attribute
        what was left out.

    Raises:
        OptionError, TermError: no terms, or no such attribute.
        TableError: no column ``text``, or texts of fewer than two groups.

    >>> frame = pd.DataFrame({"text": ["I am gay", "I am deaf", "gay and deaf", "Hello"], "predicted": list("abab")})
    >>> made, left_out = groups_of_mentions(frame, ["gay", "deaf"], "identity")
    >>> made[["text", "group", "source"]].values.tolist(), left_out["identity"]
    ([['I am gay', 'gay', 'i am _'], ['I am deaf', 'deaf', 'i am _']],
     ['2 of 4 texts left out: no term in 1, terms of several groups in 1'])
    """
    if "text" not in frame.columns:
        raise TableError(
            "mentions= looks for terms in the column text, and the table has none.",
            remedy=f"Its columns: {first_ten(frame.columns)}.",
        )
    attribute = mentions if isinstance(mentions, str) else attribute
    owners = _owners(mentions)
    longest = sorted(owners, key=len, reverse=True)
    wanted = "|".join(r"\s+".join(map(re.escape, form.split())) for form in longest)
    pattern = re.compile(rf"(?<!\w)(?:{wanted})(?!\w)", re.IGNORECASE)
    rows, several, sources = [], 0, []
    for text in followed(text_column(frame, "text"), "terms in texts", "texts"):
        plain = text.replace("\u2019", "'")
        mentioned = [pair for match in pattern.finditer(plain) for pair in owners.get(_folded(match.group()), ())]
        single = len({group for group, _ in mentioned}) == 1
        several += bool(mentioned) and not single
        rows.append(mentioned[0] if single else ("", ""))
        sources.append(re.sub(r"\ban? _", "a _", pattern.sub("_", plain).casefold()))
    made = frame.assign(attribute=attribute, group=[group for group, _ in rows], term=[term for _, term in rows])
    kept = made["group"] != ""
    if made.loc[kept, "group"].nunique() < 2:
        there = first_ten(dict.fromkeys(made.loc[kept, "group"])) or "none"
        raise TableError(
            f"the texts mention terms of fewer than two groups of {attribute}: {there}.",
            remedy="Name other terms, or another attribute.",
        )
    if "source" not in made.columns:
        source = pd.Series(sources, index=made.index)[kept]
        if made.loc[kept, "group"].groupby(source).nunique().max() > 1:
            made["source"] = source
    gone = len(made) - int(kept.sum())
    left_out = (
        f"{gone:,} of {count(len(made), 'text')} left out: no term in {gone - several:,}, terms of several groups in "
        f"{several:,}"
    )
    return made[kept].reset_index(drop=True), {attribute: [left_out] if gone else []}


def _owners(mentions: Mentions) -> dict[str, list[tuple[str, str]]]:
    """The groups and terms that each form in small letters belongs to."""
    listed: list[tuple[str, str, str]] = []
    if isinstance(mentions, str):
        known = load_terms(mentions)
        for group in known.groups:
            used = [term for term in known.of_group(group) if term.status != "dispreferred"]
            for term, forms in term_forms(used).items():
                listed += [(form, group, term) for form in (term, *forms)]
    elif isinstance(mentions, Mapping):
        listed = [(term, str(group), term) for group, own in mentions.items() for term in names("mentions", own)]
    else:
        listed = [(term, term, term) for term in names("mentions", mentions)]
    owners: dict[str, list[tuple[str, str]]] = {}
    for form, group, term in listed:
        owners.setdefault(_folded(form), []).append((group, term))
    if not owners:
        raise OptionError("mentions= names no terms.", remedy='Write mentions="religion", or mentions=["gay", "deaf"].')
    return owners


def _folded(form: str) -> str:
    return " ".join(form.casefold().replace("\u2019", "'").split())
