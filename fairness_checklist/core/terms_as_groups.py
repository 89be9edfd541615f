"""The same outcomes with every identity term as a group of its own, as in Dixon et al. 2018."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, IntArray, ranges
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import RESERVED
from fairness_checklist.core.outcomes import Outcomes, take_rows


def by_term(outcomes: Outcomes) -> Outcomes:
    """Every identity term as a group of its own; rows of a group without a term are left out and noted."""
    last = len(outcomes.groups)
    named = (outcomes.group < last) & (outcomes.term >= 0)
    if not named.any():
        whose, remedy = outcomes.attribute or "the table", "Add a column term to the table, or compare groups."
        raise OptionError(f'by="term" needs the identity terms of {whose}, and no row names one.', remedy=remedy)
    grouped = np.flatnonzero(outcomes.term_group >= 0)
    seen = Counter(outcomes.terms[t] for t in grouped.tolist())
    pairs = [(outcomes.terms[t], outcomes.groups[outcomes.term_group[t]]) for t in grouped.tolist()]
    unclear = {term for term in seen if seen[term] > 1 or term in RESERVED or term.startswith("group:")}
    names = tuple(f"{term} ({group})" if term in unclear else term for term, group in pairs)
    number = np.full(len(outcomes.terms) + 1, -1, dtype=np.int64)
    number[grouped] = np.arange(len(grouped))
    group = np.where(named, number[outcomes.term], len(grouped))
    of_terms: dict[str, Any] = {
        name: tuple(getattr(outcomes, name)[t] for t in grouped.tolist()) if getattr(outcomes, name) else ()
        for name in ("concepts", "lexemes", "pos")
    }
    changed = replace(
        outcomes,
        groups=names,
        group=group,
        terms=names,
        term_group=np.arange(len(names), dtype=np.int64),
        term=np.where(named, group, -1),
        **of_terms,
        intersection=(),
        views={},
    )
    nameless = (outcomes.group < last) & ~named
    if nameless.any():
        note = f"{int(nameless.sum()):,} of {len(nameless):,} rows name no term and are left out by term"
        changed = replace(take_rows(changed, np.flatnonzero(~nameless)), notes=(*outcomes.notes, note))
    return replace(changed, views={name: by_term(view) for name, view in outcomes.views.items() if name != "term"})


@dataclass(frozen=True, eq=False)
class MatchedOutcomes:
    """The rows of terms that have a concept, with Q cells instead of the sources."""

    outcomes: Outcomes  # each of its sources is a cell: the examples of one source and one concept
    source: IntArray  # (Q,) the source that each cell is of, out of ``size``
    size: int
    row: IntArray  # (m,) the row of the original outcomes that each of these rows is

    def any(self, condition: BoolArray) -> BoolArray:
        """(S, ...) whether the condition (Q, ...) holds for any cell of a source."""
        anywhere = np.zeros((self.size, *condition.shape[1:]), dtype=np.bool_)
        np.logical_or.at(anywhere, self.source, condition)
        return anywhere


def match_concepts(outcomes: Outcomes) -> MatchedOutcomes:
    """The outcomes with each source cut into its concepts, a control in each of them; other rows are left out."""
    names = [name for name in dict.fromkeys(outcomes.concepts) if name]
    if not names:
        raise OptionError(
            f'matching="concept" compares terms of the same concept, and no term of '
            f"{outcomes.attribute or 'the table'} has one.",
            remedy="Name it in the column concept of the terms (girl and boy: child), or leave matching out.",
        )
    number = {name: position for position, name in enumerate(names)} | {"": -1}
    of_term = np.array([*(number[name] for name in outcomes.concepts), -1], dtype=np.int64)
    marked = outcomes.group < len(outcomes.groups)
    concept = np.where(marked, of_term[outcomes.term], -1)
    rows = np.flatnonzero((concept >= 0) & (outcomes.source >= 0))
    cells, cell = np.unique(outcomes.source[rows] * len(names) + concept[rows], return_inverse=True)
    source = cells // len(names)
    controls = np.flatnonzero(~marked & (outcomes.source >= 0))
    first, last = (np.searchsorted(source, outcomes.source[controls], side=side) for side in ("left", "right"))
    control, cell_of_control = ranges(first, last)
    take = np.concatenate([rows, controls[control]])
    split = replace(
        take_rows(replace(outcomes, aligned=None, views={}), take),
        sources=tuple(outcomes.sources[s] for s in source.tolist()),
        source=np.concatenate([cell, cell_of_control]).astype(np.int64),
    )
    return MatchedOutcomes(split, source, len(outcomes.sources), take)
