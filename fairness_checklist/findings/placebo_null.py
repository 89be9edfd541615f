"""The placebo as a null: how far apart as many groups of placebo words lie, on the same templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.family import MIN_LEXEMES, SCOPES, GroupFamily, HarmFit, fit_harms, with_forms
from fairness_checklist.statistics.two_way import TermEffects, group_gaps

PLACEBO_DRAWS = 1000
PERCENTILE = 95.0
"""A finding is clear where it is larger than in so many of 100 draws."""
_TAIL_DF = 5  # gaps of words have heavier tails than normal ones
_MOST_LEXEMES = 0.9  # of the placebo's that one draw may take


@dataclass(frozen=True, eq=False)
class PlaceboNull:
    """The largest value of each draw of as many placebo groups of as many lexemes as the attribute has, by harm.

    Attributes:
        t, gaps: {harm: (D,)} the largest t and gap over the groups of the scope *group*; empty without such a group.
        words: {harm: (D,)} the largest gap over the groups of the scope *words*.
        terms: {harm: values} the gap of each of its terms against its other terms.
        sizes: {harm: {scope: [gap, rate gap]}} what the largest gap of a draw stays below in 95 of 100 draws.
        spread: {harm: value} the standard deviation of a single placebo group's gap in the scope *words*.
        cells: the attribute's groups of the scope *words* times the harms.
        single: concepts of one lexeme; ``concepts`` and ``lexemes`` are all that the draws are from.
        texts: how many texts of the placebo the model was asked about.
        fitted: of the scopes whose groups are too large for the placebo, how many lexemes were drawn, and of how many.
        pos: the parts of speech of its terms.
    """

    t: Mapping[str, FloatArray]
    words: Mapping[str, FloatArray]
    terms: Mapping[str, FloatArray]
    gaps: Mapping[str, FloatArray]
    sizes: Mapping[str, Mapping[str, Sequence[float]]]
    spread: Mapping[str, float]
    cells: int
    single: int
    concepts: int
    lexemes: int
    texts: int
    fitted: tuple[tuple[int, int], ...] = ()
    pos: tuple[str, ...] = ()

    def recorded(self) -> dict[str, Any]:
        """What the comparison rests on, for ``run.json``."""
        return {name: getattr(self, name) for name in ("concepts", "lexemes", "texts", "fitted")}

    def of_group(self, t: float, gap: float, harm: str) -> float:
        """In how many of 100 draws a group is larger than the largest placebo group, both in t and in its gap."""
        return float(np.fmin(percentile(t, self.t[harm]), percentile(gap, self.gaps[harm])))

    def size(self, scope: str, harm: str) -> tuple[float, float]:
        """The gap and the rate gap that placebo words reach: see ``sizes``; NaN without draws."""
        gap, rate = self.sizes.get(harm, {}).get(scope, (np.nan, np.nan))
        return float(gap), float(rate)

    def of_words(self, gap: float, harm: str) -> float:
        """In how many of 100 draws a gap of the scope *words* is larger than the largest placebo gap.

        Draws from few concepts cannot show the tail. So the smaller one of two numbers is taken: the share of draws,
        and the probability that as many new gaps are all smaller, where gaps of that spread are Student-t(5).
        """
        drawn, spread = percentile(gap, self.words[harm]), self._new_spread(harm)
        if np.isnan(drawn) or not spread > 0:
            return drawn
        return min(drawn, 100 * float(stats.t.cdf(gap / spread, self._df)) ** self.cells)

    def of_term(self, gap: float, harm: str, cells: int) -> float:
        """In how many of 100 draws a term's gap is larger than the largest of as many placebo terms as are tested.

        As in `of_words` the smaller one of two numbers: from the placebo terms, and from their spread.
        """
        drawn = self.terms[harm]
        share = percentile(gap, drawn) / 100
        if np.isnan(share) or not len(drawn):
            return share
        spread = float(np.std(drawn)) * np.sqrt(1 + 1 / len(drawn))
        tail = float(stats.t.cdf(gap / spread, _TAIL_DF)) if spread > 0 else 1.0
        return float(100 * min(share, tail) ** cells)

    def _new_spread(self, harm: str) -> float:
        """The standard deviation of a further placebo gap, of which the spread is an estimate too."""
        return float(self.spread.get(harm, 0.0) * np.sqrt(1 + 1 / max(1, self.single)))

    @property
    def _df(self) -> int:
        return max(1, min(_TAIL_DF, self.single - 1))

    def smallest_clear(self, scope: str, harm: str) -> float:
        """The t of a group, or the gap of words, from which the placebo allows a clear finding; NaN without draws."""
        drawn = self.t[harm] if scope == "group" else self.words[harm]
        if not len(drawn):
            return float("nan")
        limit = float(np.quantile(drawn, PERCENTILE / 100))
        if scope == "group":
            return limit
        each = (PERCENTILE / 100) ** (1 / max(1, self.cells))
        return max(limit, self._new_spread(harm) * float(stats.t.ppf(each, self._df)))


def percentile(value: float, drawn: FloatArray) -> float:
    """In how many of 100 draws (or terms) the value is larger than what placebo words show.

    NaN without draws.
    """
    if not len(drawn) or np.isnan(value):
        return float("nan")
    return float(100 * (drawn < value).mean())


def placebo_null(
    family: GroupFamily, outcomes: Outcomes, harms: Sequence[Harm], *, draws: int = PLACEBO_DRAWS, seed: int = 0
) -> PlaceboNull | None:
    """Draw placebo groups of the sizes of a family's groups, and keep the largest value of each draw.

    A group of the scope *group* is drawn from concepts of several lexemes: a larger one is made of several concepts, a
    smaller one is part of a concept. One of the scope *words* is drawn from concepts of one lexeme in several phrases.

    Returns the null; None where no harm of the family concerns the placebo's texts.
    """
    own_noise = {fit.harm.name: fit.terms.gap for fit in family.fits}
    who, fits, _ = fit_harms(outcomes, [harm for harm in harms if harm.name in own_noise])
    fits = tuple(fit for fit in with_forms(who, fits, family.of_forms) if fit.lexemes.gap.clusters > 1)
    if not fits or not who.size:
        return None
    random = np.random.default_rng(seed)
    there = ~np.isnan(np.array([fit.lexemes.gap.effect for fit in fits])).any(axis=0)
    concepts = [np.flatnonzero((who.lexeme_group == c) & there) for c in range(len(who.groups))]
    several = [lexemes for lexemes in concepts if len(lexemes) > 1]
    single = [lexemes for lexemes in concepts if len(lexemes) == 1]
    pools = (several or single, single or several)
    scope = family.scope
    sizes, kept, fitted = np.bincount(family.who.lexeme_group, minlength=len(scope)), np.zeros(0, dtype=np.int64), []
    for at, pool in enumerate(pools):
        groups = np.flatnonzero(scope == at)
        if len(groups) and pool:
            wanted = int(sizes[groups].sum())
            sizes[groups], drawn_groups = _fitting_sizes(sizes[groups], at == 0, sum(map(len, pool)))
            kept = np.append(kept, groups[drawn_groups])
            if (n := int(sizes[groups[drawn_groups]].sum())) < wanted:
                fitted.append((n, wanted))
    labels = np.full((draws, who.size), -1, dtype=np.int64)
    for row in labels:
        for at, pool in enumerate(pools):
            _draw(row, pool, {int(g): int(sizes[g]) for g in kept if scope[g] == at}, random)
    t, words, terms, largest = (dict.fromkeys(own_noise, np.zeros(0)) for _ in range(4))
    reached: dict[str, dict[str, list[float]]] = {name: {} for name in t}
    spread = dict.fromkeys(t, 0.0)
    for fit in fits:
        name = fit.harm.name
        matched = _matched_noise(fit, own_noise[name])
        t[name] = _largest(group_gaps(fit.lexemes.tested, labels, len(sizes)).t(), scope == 0)
        gaps = group_gaps(fit.lexemes.gap, labels, len(sizes)).gap * matched
        rates = group_gaps(fit.lexemes.rate, labels, len(sizes)).gap * matched
        largest[name], words[name] = (_largest(gaps, scope == at) for at in (0, 1))
        for at, drawn in ((0, largest[name]), (1, words[name])):
            if len(drawn):
                both = (drawn, _largest(rates, scope == at))
                reached[name][SCOPES[at]] = [round(float(np.quantile(one, PERCENTILE / 100)), 6) for one in both]
        if len(words[name]):
            spread[name] = float(np.nanstd(gaps[:, scope == 1]))
        effect = fit.terms.gap.effect[~np.isnan(fit.terms.gap.effect)] * matched
        if len(effect) > 2:
            terms[name] = np.sort((effect - effect.mean()) * len(effect) / (len(effect) - 1))
    return PlaceboNull(
        t=t,
        words=words,
        terms=terms,
        gaps=largest,
        sizes=reached,
        spread=spread,
        cells=int((scope == 1).sum()) * len(family.fits),
        single=len(single),
        concepts=len(several) + len(single),
        lexemes=int(there.sum()),
        texts=int((outcomes.group < len(outcomes.groups)).sum()),
        fitted=tuple(fitted),
        pos=tuple(sorted(set(who.pos))),
    )


def _matched_noise(fit: HarmFit, own: TermEffects) -> float:
    """What placebo effects are multiplied by, so that sources add as much noise to them as to the attribute's terms.

    The placebo stands in fewer sources, so that its effects vary more than those of equal words in the attribute would.
    """
    placebo = fit.terms.gap
    effect = placebo.effect
    there, ours = ~np.isnan(effect), ~np.isnan(own.effect)
    total = float(np.var(effect[there])) if there.sum() > 1 else 0.0
    if total < 1e-12:
        return 1.0
    noise, wanted = float(np.diag(placebo.covariance)[there].mean()), float(np.diag(own.covariance)[ours].mean())
    if np.isnan(noise) or np.isnan(wanted):
        return 1.0
    return float(np.sqrt((max(total - noise, 0.0) + wanted) / total))


def _largest(values: FloatArray, cells: BoolArray) -> FloatArray:
    """(D,) the largest value of the cells; draws without one are left out."""
    if not cells.any():
        return np.zeros(0)
    largest: FloatArray = np.nan_to_num(values[:, cells], nan=-np.inf).max(axis=1)
    return largest[np.isfinite(largest)]


def _fitting_sizes(sizes: IntArray, large: bool, available: int) -> tuple[IntArray, IntArray]:
    """Sizes that fit into a pool of lexemes: large groups shrink, and with too many groups the last are left out."""
    most = int(_MOST_LEXEMES * available)
    kept = np.arange(len(sizes))
    if sizes.sum() <= most:
        return sizes, kept
    least = np.minimum(sizes, MIN_LEXEMES) if large else sizes
    while least[kept].sum() > most and len(kept) > 1:
        kept = kept[:-1]
    room = max(0, most - int(least[kept].sum()))
    over = sizes[kept] - least[kept]
    fitted = sizes.copy()
    fitted[kept] = least[kept] + np.floor(over * min(1.0, room / max(1, int(over.sum())))).astype(np.int64)
    return fitted, kept


def _draw(
    labels: IntArray, concepts: Sequence[IntArray], sizes: Mapping[int, int], random: np.random.Generator
) -> None:
    """Give lexemes of a pool to groups of some sizes, whole concepts first; other lexemes are left as they are."""
    order = random.permutation(len(concepts)).tolist()
    spare: list[int] = []
    for group in sorted(sizes, key=lambda g: -sizes[g]):
        need = sizes[group]
        while need and order:
            own = random.permutation(concepts[order.pop()])
            labels[own[:need]] = group
            spare += own[need:].tolist()
            need -= min(need, len(own))
        while need and spare:
            labels[spare.pop()] = group
            need -= 1
