"""What is compared: the terms of an attribute, their lexemes and groups, and the sources that they stand in."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.examples import UNMARKED, families_and_topics
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.findings.rule import Words
from fairness_checklist.statistics.bootstrap import families_of_rows


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: T terms of L lexemes of G groups, and the sources that they stand in."""

    groups: tuple[str, ...]  # G names
    terms: tuple[str, ...]  # T names; the rows of a group that name no term are one term, with the group's name
    term_group: IntArray  # (T,) the group of each
    lexeme: IntArray  # (T,) the lexeme of each, in [0, L)
    lexeme_group: IntArray  # (L,) the group of each lexeme
    lexemes: tuple[str, ...]  # the shortest term of each lexeme
    pos: tuple[str, ...]  # T parts of speech, "" where not known
    named: BoolArray  # (G,) whether all rows of the group name their terms
    count: FloatArray  # (L,) how many terms each lexeme has
    # (n,) the term of each row of the outcomes; -1 of rows without a group, unless they are the reference
    term: IntArray
    cluster: IntArray  # (n,) a number for the family that the row's source belongs to; a row of its own without
    block: IntArray  # (n,) the source inside which terms are compared; 0 for all where sources hold one group each
    sources: bool  # whether the rows have sources
    # (n,) the topic of each row's source where topics are declared and too few to be clusters
    topic: IntArray | None = None

    @property
    def size(self) -> int:
        """L."""
        return len(self.lexemes)

    def words(self, reference: str | None = None) -> Words:
        """The lexemes as the rule reads them, compared with a group."""
        position = None if reference is None else self.groups.index(reference)
        return Words(self.lexeme_group, self.count, len(self.groups), position)


def compared(outcomes: Outcomes, *, unmarked: bool = False) -> Compared:
    """The terms, lexemes and sources of the outcomes; with ``unmarked`` the rows without a group are one more group."""
    groups = (*outcomes.groups, UNMARKED) if unmarked else outcomes.groups
    n_groups, n = len(groups), len(outcomes)
    marked = outcomes.group < n_groups
    nameless = marked & (outcomes.term < 0)
    term = np.where(marked, np.where(nameless, len(outcomes.terms) + outcomes.group, outcomes.term), -1)
    used, code = np.unique(term[marked], return_inverse=True)
    number = np.full(n, -1, dtype=np.int64)
    number[marked] = code
    group = np.zeros(len(used), dtype=np.int64)
    group[code] = outcomes.group[marked]
    known = len(outcomes.terms)
    names = [outcomes.terms[t] if t < known else groups[t - known] for t in used.tolist()]
    pos = [outcomes.pos[t] if outcomes.pos and t < known else "" for t in used.tolist()]
    lexemes = outcomes.lexemes or ("",) * known
    lexeme = [lexemes[t] or name if t < known else name for t, name in zip(used.tolist(), names, strict=True)]
    words = pd.DataFrame({"group": group, "lexeme": lexeme, "term": names}).groupby(["group", "lexeme"], sort=False)
    number_of_lexeme = words.ngroup().to_numpy().astype(np.int64)
    shortest = words["term"].agg(lambda terms: min(terms, key=len))
    _families, topics = families_and_topics(outcomes.sources)
    return Compared(
        groups=groups,
        terms=tuple(names),
        term_group=group,
        lexeme=number_of_lexeme,
        lexeme_group=shortest.index.get_level_values("group").to_numpy(np.int64),
        lexemes=tuple(shortest),
        pos=tuple(pos),
        named=np.bincount(outcomes.group[nameless], minlength=n_groups)[:n_groups] == 0,
        count=words.size().to_numpy().astype(np.float64),
        term=number,
        cluster=families_of_rows(outcomes),
        block=_blocks(outcomes, marked),
        sources=bool(len(outcomes.sources)),
        topic=np.unique(topics, return_inverse=True)[1][outcomes.source] if topics else None,
    )


def _blocks(outcomes: Outcomes, marked: BoolArray) -> IntArray:
    """(n,) the source of each row, or 0 for all where fewer than half of the rows share theirs with another group."""
    size = len(outcomes.sources)
    there = marked & (outcomes.source >= 0)
    pairs = np.unique(outcomes.source[there] * (len(outcomes.groups) + 1) + outcomes.group[there])
    several = np.bincount(pairs // (len(outcomes.groups) + 1), minlength=size) > 1
    shared = int(several[outcomes.source[there]].sum()) if size else 0
    if 2 * shared < int(marked.sum()):
        return np.zeros(len(outcomes), dtype=np.int64)
    return np.where(outcomes.source < 0, size + np.arange(len(outcomes)), outcomes.source).astype(np.int64)
