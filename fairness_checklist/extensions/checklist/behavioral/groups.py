"""The groups in the cases of a behavioral test, and the prediction table that they make.

CheckList's invariance test counts the cases of which any text fails. The groups that the texts mention are in the meta,
or stand at the same place of every text, or the user names them; with them the same cases are rows of groups and
sources.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.core.errors import OptionError, PredictionError, SuiteError, first_ten
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expectation import is_list

Groups = str | Sequence[str] | Mapping[str, str] | Callable[[str, Any], str | None]
"""Where the groups come from: a key of the meta, the names by position in each case, the group of each term, or a
function of a text and its meta."""

_FAIRNESS = ("protected", "fairness")
_ARTICLES = ("a", "an", "the")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Mention:
    """The identity in one text.

    Attributes:
        group: its group; "" for the control, which has none.
        term: the words that name it.
        source: what the texts of one source share; "" for the case itself.
    """

    group: str
    term: str
    source: str = ""


Mentions = list[list[Mention | None]]


def find_groups(test: BehavioralTest, groups: Groups | None = None) -> Mentions | None:
    """The mention in each text of each case of a test.

    Args:
        test: the test.
        groups: where they come from; by default ``group`` in the meta, and else the words by which the texts of every
            case differ at the same place.

    Returns:
        One list a case, with None for a text without a group; None where no groups are found.

    Raises:
        OptionError: ``groups`` does not fit the test.

    >>> from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import INV
    >>> cases = [["Ana is a deaf cook.", "Ana is a hearing cook."], ["Leo is a deaf poet.", "Leo is a hearing poet."]]
    >>> [one.group for one in find_groups(INV(cases))[0]]
    ['deaf', 'hearing']
    """
    cases = [list(case) if is_list(case) else [case] for case in test.data]
    metas = [_metas(test.label_and_meta(at)[1], len(case)) for at, case in enumerate(cases)]
    if groups is None:
        by_meta = _from_meta(cases, metas, "group")
        return by_meta if by_meta is not None else _from_differences(cases)
    if isinstance(groups, str):
        found = _from_meta(cases, metas, groups)
        if found is None:
            raise OptionError(
                f"groups={groups!r} is no key of the meta of the test {test.name!r}.",
                remedy=f"Its meta: {metas[0][0]!r}.",
            )
        return found
    if callable(groups):
        return [
            [_mention(groups(str(text), meta)) for text, meta in zip(case, held, strict=True)]
            for case, held in zip(cases, metas, strict=True)
        ]
    if isinstance(groups, Mapping):
        return _from_terms(cases, groups)
    names = [str(name) for name in groups]
    sizes = {len(case) for case in cases}
    if sizes != {len(names)}:
        raise OptionError(
            f"groups= names {len(names):,} groups, and the cases of the test {test.name!r} have "
            f"{first_ten(sorted(sizes))} texts.",
            remedy="Name one group for each text of a case, in their order.",
        )
    differing = _from_differences(cases)
    return [
        [
            Mention(name, "" if differing is None else str(getattr(differing[at][position], "term", "")))
            for position, name in enumerate(names)
        ]
        for at in range(len(cases))
    ]


def is_about_identities(test: BehavioralTest, mentions: Mentions) -> bool:
    """Whether a test is one of fairness by its capability, name or meta, or exchanges terms of a shipped attribute.

    >>> from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import INV
    >>> swapped, noise = INV([["A woman.", "A man."]] * 2), INV([["It's fine.", "It is fine."]] * 2)
    >>> [is_about_identities(test, find_groups(test)) for test in (swapped, noise)]
    [True, False]
    """
    declared = (test.name or "").partition(":")[0].strip().casefold() in _FAIRNESS
    meta = [one for at in range(len(test)) for one in _metas(test.label_and_meta(at)[1], 1)]
    if declared or (test.capability or "").casefold() in _FAIRNESS or any("group" in one for one in meta if one):
        return True
    words = {one.term.casefold() for case in mentions for one in case if one is not None}
    return any(
        words <= {spelling.casefold() for term in load_terms(name).terms for spelling in (term.term, term.plural)}
        for name in attributes()
    )


def attribute_name(name: str) -> str:
    """The attribute that the name of a test speaks of.

    >>> attribute_name("protected: race"), attribute_name("gender: invariance"), attribute_name("names swapped")
    ('race', 'gender', 'names swapped')
    """
    first, colon, last = (part.strip() for part in name.partition(":"))
    if not colon:
        return name
    return (last if first.casefold() in _FAIRNESS else first) or name


def prediction_table(
    test: BehavioralTest, mentions: Mentions, *, task: str, classes: Sequence[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The cases of a test as a prediction table, one row a text that mentions a group.

    Args:
        test: the test; without results the table has no predictions.
        mentions: see `find_groups`.
        task: the task, whose classes the model's are by default.
        classes: the C classes in the order of the probabilities.

    Returns:
        The table with ``source, group, term, text, label`` and, where the test was run, ``predicted`` and
        ``p:<class>``; and the classes.

    Raises:
        PredictionError: another number of classes than the predictions have.
        SuiteError: no source has texts of two groups.
    """
    rows: list[dict[str, Any]] = []
    names = tuple(classes) or test.classes or get_task(task).classes
    for case in test.positions() if test.results is not None else range(len(test)):
        label, _ = test.label_and_meta(case)
        texts = list(test.data[case]) if is_list(test.data[case]) else [test.data[case]]
        for at, (text, mention) in enumerate(zip(texts, mentions[case], strict=True)):
            if mention is None:
                continue
            gold = label[at] if is_list(label) else label
            source = mention.source or f"case {case + 1}"
            row = {"source": source, "group": mention.group or UNMARKED, "term": mention.term, "text": str(text)}
            row["label"] = _name(gold, names) if gold is not None else ""
            if test.results is not None:
                pred, conf = test.results.preds[case], test.results.confs[case]
                if is_list(test.data[case]):
                    pred, conf = pred[at], conf[at]
                row |= _predicted(pred, conf, names)
            rows.append(row)
    _check_positions(test, names, classes)
    frame = pd.DataFrame(rows, columns=None if rows else ["source", "group", "term", "text", "label"])
    frame = frame.drop_duplicates(["source", "group", "term", "text"], ignore_index=True)
    marked = frame[frame["group"] != UNMARKED]
    if not len(marked) or marked.groupby("source")["group"].nunique().max() < 2:
        raise SuiteError(
            f"no source of the test {test.name!r} has texts of two groups.",
            remedy="Name the groups: groups=.",
            command_remedy="Name the groups: --terms FILE, a table with the columns term and group.",
        )
    if not frame["label"].any():
        frame = frame.drop(columns="label")
    return frame, names


def _check_positions(test: BehavioralTest, names: Sequence[str], given: Sequence[str]) -> None:
    """Raise `PredictionError` where decisions alone do not say how many classes there are."""
    if test.results is None or given or test.classes:
        return
    preds = [one for at in test.positions() for one in np.ravel(np.asarray(test.results.preds[at], dtype=object))]
    confs = [test.results.confs[at] for at in test.positions()[:1]]
    if all(np.ndim(one) > is_list(test.data[0]) for one in confs) or not all(
        isinstance(one, (int, np.integer)) for one in preds
    ):
        return
    if max(preds) != len(names) - 1:
        raise PredictionError(
            f"the predictions are positions up to {max(preds)}, and the classes are {', '.join(names)}.",
            remedy="Name the classes in their order: classes=[...].",
        )


def _predicted(pred: Any, conf: Any, names: Sequence[str]) -> dict[str, Any]:
    if isinstance(conf, np.ndarray) and conf.ndim:
        if len(conf) != len(names):
            raise PredictionError(
                f"the predictions have {len(conf)} probabilities, and the classes are {', '.join(names)}.",
                remedy="Name the classes in the order of the probabilities: classes=[...].",
            )
        return {"predicted": _name(pred, names)} | {
            f"p:{name}": float(value) for name, value in zip(names, conf, strict=True)
        }
    return {"predicted": _name(pred, names)}


def _name(value: Any, names: Sequence[str]) -> str:
    """A class by its position, or by its name."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, (int, np.integer)) and 0 <= value < len(names):
        return names[int(value)]
    return str(value)


def _metas(meta: Any, n: int) -> list[Any]:
    return list(meta) if is_list(meta) and len(meta) == n else [meta] * n


def _mention(found: Any) -> Mention | None:
    if found is None:
        return None
    group, term = found if isinstance(found, tuple) else (found, "")
    return Mention("" if group == UNMARKED else str(group), str(term))


def _from_meta(cases: Sequence[Sequence[Any]], metas: Sequence[Sequence[Any]], key: str) -> Mentions | None:
    """The groups in a key of the meta, of all texts or of none."""
    held = [[meta if isinstance(meta, Mapping) else {} for meta in case] for case in metas]
    if not any(key in meta for case in held for meta in case):
        return None
    return [
        [_of_meta(str(text), meta, key, alone=len(case) == 1) for text, meta in zip(case, of, strict=True)]
        for case, of in zip(cases, held, strict=True)
    ]


def _of_meta(text: str, meta: Mapping[str, Any], key: str, *, alone: bool) -> Mention | None:
    """The mention that a meta tells; texts that are cases by themselves share a source where the rest is the same."""
    if meta.get(key) is None:
        return None
    group = str(meta[key])
    if key == "group":
        return Mention("" if group == UNMARKED else group, str(meta.get("term", "")), str(meta.get("source", "")))
    if not alone:
        return Mention(group, group)
    others = [f"{name}={value}" for name, value in sorted(meta.items(), key=lambda item: str(item[0])) if name != key]
    frame = re.sub(rf"(\b(an?|the) )?{re.escape(group)}", f"{{{key}}}", text, count=1, flags=re.IGNORECASE)
    return Mention(group, group, "; ".join([frame, *others]))


def _from_terms(cases: Sequence[Sequence[Any]], groups: Mapping[str, str]) -> Mentions:
    """The group of the longest term that stands in a text as whole words."""
    terms = list(groups)
    if not terms:
        raise OptionError("groups= names no term.", remedy='Write groups={"black": "Black", "white": "White"}.')
    patterns = [
        re.compile(f"{_edge(term[:1], '<')}{re.escape(term)}{_edge(term[-1:], '')}", re.IGNORECASE) for term in terms
    ]
    by_length = sorted(zip(terms, patterns, strict=True), key=lambda pair: -len(pair[0]))

    def mention(text: str) -> Mention | None:
        term = next((term for term, pattern in by_length if pattern.search(text)), None)
        return None if term is None else Mention(str(groups[term]), term)

    return [[mention(str(text)) for text in case] for case in cases]


def _edge(letter: str, behind: str) -> str:
    """No letter beside a term; languages that write no spaces have none to look for."""
    return "" if unicodedata.east_asian_width(letter or "a") in "WF" else rf"(?{behind}!\w)"


def _from_differences(cases: Sequence[Sequence[Any]]) -> Mentions | None:
    """The words by which the texts of each case differ, where they are the same in all cases; None elsewhere."""
    if len({len(case) for case in cases}) != 1 or len(cases[0]) < 2 or len(cases) < 2:
        return None
    names = _differing(cases[0])
    if not all(names) or len(set(names)) < len(names):
        return None
    if any(_differing(case) != names for case in cases[1:] if not _ambiguous(case, names)):
        return None
    return [[Mention(name, name) for name in names] for _ in cases]


def _ambiguous(case: Sequence[Any], names: Sequence[str]) -> bool:
    """Whether the texts of a case differ by the names, and by chance share a word of them with its neighbours."""
    texts = [str(text) for text in case]
    return (
        all(name in text for name, text in zip(names, texts, strict=True))
        and len(
            {
                re.sub(r"\b(an?|the) (?=\x00)", "", text.replace(name, "\x00", 1), flags=re.IGNORECASE)
                for name, text in zip(names, texts, strict=True)
            }
        )
        == 1
    )


def _differing(case: Sequence[Any]) -> tuple[str, ...]:
    """The words of each text between those that all texts begin with and end with, without a leading article."""
    split = [_WORD.findall(str(text)) for text in case]
    shortest = min(map(len, split))
    start = 0
    while start < shortest and len({words[start] for words in split}) == 1:
        start += 1
    stop = 0
    while stop < shortest - start and len({words[-1 - stop] for words in split}) == 1:
        stop += 1
    found = []
    for words in split:
        inner = words[start : len(words) - stop]
        while len(inner) > 1 and inner[0].casefold() in _ARTICLES:
            inner = inner[1:]
        found.append(" ".join(inner).strip('.,;:!?"()'))
    return tuple(found)
