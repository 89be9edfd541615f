"""The family of an attribute: what the rule reads of each error, and what it says of each group."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.compared import Compared, compared
from fairness_checklist.findings.errors import HarmRows, LeftOut, Levels, clipped_logit, harm_rows, same_figures
from fairness_checklist.findings.forms import adjusted, form_effect, forms_of, separable_groups
from fairness_checklist.findings.rule import Decided, FittedError, Words, decide
from fairness_checklist.statistics.two_way import TermEffects, fit_figures, merge_terms

MIN_SOURCES = 10  # families of sources below which nothing is said of a comparison
NEAR = 0.01
"""How far a counted gap may lie beside the fitted one and still be the estimate; the square joins its variance."""


@dataclass(frozen=True, eq=False)
class Counts:
    """What can be counted of an error, by term: arrays (T,)."""

    texts: IntArray  # rows of the term that the error concerns
    weight: FloatArray  # the sum of their weights
    figure: FloatArray  # the weighted sum of the probabilities of the error, of decisions without probabilities
    harmed: FloatArray  # the weighted sum of the decisions that are the error

    def means(self, member: BoolArray) -> tuple[FloatArray, FloatArray]:
        """The mean figure and the share of decisions of sets of terms (..., T); NaN where a set has no rows."""
        weight = member @ self.weight
        return divide(member @ self.figure, weight), divide(member @ self.harmed, weight)


@dataclass(frozen=True, eq=False)
class HarmFit:
    """An error: the rows it concerns, what can be counted of it, and the effects of terms and lexemes."""

    rows: HarmRows
    counts: Counts
    terms: TermEffects  # on the probability, or on decisions
    lexemes: TermEffects  # the same of lexemes
    tested: TermEffects  # of lexemes on the logit of the probability; as ``lexemes`` of decisions
    adjusted: TermEffects  # of lexemes, as if all words had the same form

    @property
    def harm(self) -> Harm:
        return self.rows.harm


ControlFits = tuple[Compared, dict[str, HarmFit]]  # the control words, and the fit of each error among them by its name


@dataclass(frozen=True, eq=False)
class Family:
    """What the rule says of the groups of an attribute: H errors, G groups."""

    who: Compared  # the terms and lexemes
    words: Words  # the lexemes as the rule reads them
    fits: tuple[HarmFit, ...]  # H errors
    decided: tuple[Decided, ...]  # H records of all groups
    # (H, 2, 2, G) the mean figures and the shares of decisions, of the group and of what it is compared with; the gap
    # is the difference of the two figures
    counted: FloatArray
    # (H, G) whether the figure of the others is that of the same sentences as the group's, because the groups do not
    # stand in the same sentences: it is fitted then, and cannot be counted
    standardised: BoolArray
    sources: IntArray  # (H, G) families of sources behind a comparison
    comparable: BoolArray  # (H, G) whether the group shares sentences with the others
    margin: float  # the largest gap that is called small
    left_out: dict[str, LeftOut]  # {error: the code of why it has no comparisons}
    controls: ControlFits | None = None


def family_of(
    outcomes: Outcomes,
    harms: Sequence[Harm],
    *,
    controls: Outcomes | None = None,
    reference: str | None = None,
    decisions: bool = False,
    margin: float,
) -> Family:
    """Compare each group with all others, or with a reference, in each error.

    The effects of the forms of words are estimated with those of ``controls``, which decide nothing else.
    """
    who, fits, left_out = fit_harms(outcomes, harms, unmarked=reference == UNMARKED, decisions=decisions)
    control_fits: ControlFits | None = None
    if controls is not None:
        control_words, fits_of_controls, _ = fit_harms(controls, [fit.harm for fit in fits], decisions=decisions)
        control_fits = control_words, {fit.harm.name: fit for fit in fits_of_controls}
    if who.named.all():
        fits = tuple(_adjusted(who, fit, control_fits) for fit in fits)
    separable = separable_groups(who, () if control_fits is None else control_fits[0].pos)
    family = decided_family(who, fits, left_out, reference=reference, margin=margin, separable=separable)
    return replace(family, controls=control_fits)


def fit_harms(
    outcomes: Outcomes, harms: Sequence[Harm], *, unmarked: bool = False, decisions: bool = False
) -> tuple[Compared, tuple[HarmFit, ...], dict[str, LeftOut]]:
    """The terms that are compared, the fit of each error, and the errors that are left out with a code."""
    found = {harm.name: harm_rows(outcomes, harm, unmarked=unmarked, decisions=decisions) for harm in harms}
    left_out = {name: rows for name, rows in found.items() if isinstance(rows, LeftOut)}
    distinct: list[HarmRows] = []
    for rows in found.values():
        if not isinstance(rows, LeftOut) and not any(same_figures(rows, other) for other in distinct):
            distinct.append(rows)
    names = {rows.harm.name for rows in distinct}
    left_out |= {name: LeftOut.SAME_FIGURES for name in found if name not in names and name not in left_out}
    who = compared(outcomes, unmarked=unmarked)
    return who, tuple(fit_harm(outcomes, who, rows) for rows in distinct), left_out


def fit_harm(
    outcomes: Outcomes, who: Compared, rows: HarmRows, figures: Sequence[tuple[FloatArray, Levels]] = ()
) -> HarmFit:
    """The effects of terms and lexemes on an error: a cell is the mean of a source's rows of one term.

    ``figures`` are those of `figures_of`, but for changes from one model to another.
    """
    fits = fit_effects(outcomes, who, rows.row, figures or figures_of(rows))
    lexemes = [merge_terms(fit, who.lexeme, who.size) for fit in fits]
    term, weight = who.term[rows.row], outcomes.weight[rows.row]
    size = len(who.terms)
    texts, weights = np.bincount(term, minlength=size), np.bincount(term, weight, size).astype(np.float64)
    figure, harmed = (np.bincount(term, weight * values, size) for values in (rows.figure, rows.harmed))
    counts = Counts(texts, weights, figure.astype(np.float64), harmed.astype(np.float64))
    return HarmFit(rows, counts, fits[0], lexemes[0], lexemes[-1], lexemes[0])


def figures_of(rows: HarmRows) -> list[tuple[FloatArray, Levels]]:
    """The figures (m,) of an error with their levels: the probability and its logit, or the decisions alone."""
    if rows.probability is None:
        return [(rows.harmed, rows.levels)]
    on_logit = tuple(tuple(map(clipped_logit, way)) for way in rows.levels)
    return [(rows.probability, rows.levels), (clipped_logit(rows.probability), on_logit)]


def fit_effects(
    outcomes: Outcomes, who: Compared, row: IntArray, parts: Sequence[tuple[FloatArray, Levels]]
) -> list[TermEffects]:
    """The effects of the T terms on figures of some rows (m,), each with its figures at the levels of random factors.

    Topics that are too few to be clusters are one more random factor: their variance is added to that over sources.
    """
    figures = [figure for figure, _levels in parts]
    fits = _fitted(outcomes, who, row, figures)
    levels = [_effects_at_levels(outcomes, who, row, ways) for _figure, ways in parts]
    if who.topic is not None:
        by_topics = _fitted(outcomes, replace(who, cluster=who.topic), row, figures)
        for of_figure, by_topic in zip(levels, by_topics, strict=True):
            if by_topic.scores is not None and by_topic.clusters > 1:  # what each topic adds, as a level
                of_figure.append(by_topic.scores * np.sqrt(by_topic.clusters * (by_topic.clusters - 1)))
    return [replace(fit, levels=tuple(of_figure)) for fit, of_figure in zip(fits, levels, strict=True)]


def _effects_at_levels(outcomes: Outcomes, who: Compared, row: IntArray, ways: Levels) -> list[FloatArray]:
    """For each random factor of the model the effects (R, T) at each of its levels."""
    levels = []
    for way in ways:
        known = [(figure, ~np.isnan(figure)) for figure in way]
        fits = [_fitted(outcomes, who, row[there], [figure[there]])[0] for figure, there in known if there.any()]
        if len(fits) > 1:
            levels.append(np.array([of_level.effect for of_level in fits]))
    return levels


def _fitted(outcomes: Outcomes, who: Compared, row: IntArray, figures: Sequence[FloatArray]) -> list[TermEffects]:
    """The effects of the T terms on figures of some rows (m,)."""
    size = len(who.terms)
    block, cluster = (np.unique(codes[row], return_inverse=True)[1] for codes in (who.block, who.cluster))
    n_clusters = int(cluster.max(initial=-1)) + 1
    cells, cell = np.unique((block * n_clusters + cluster) * size + who.term[row], return_inverse=True)
    weight = np.bincount(cell, weights=outcomes.weight[row], minlength=len(cells))
    values = [
        np.bincount(cell, weights=outcomes.weight[row] * figure, minlength=len(cells)) / weight for figure in figures
    ]
    count = np.bincount(cell, minlength=len(cells))
    return fit_figures(
        cells // size // n_clusters, cells % size, cells // size % n_clusters, np.array(values), weight / count, size
    )


def _adjusted(who: Compared, fit: HarmFit, controls: ControlFits | None) -> HarmFit:
    """A fit with the effects of lexemes as if all their terms had the same form."""
    sides = [(who, fit.terms)]
    if controls is not None and fit.harm.name in controls[1]:
        sides.append((controls[0], controls[1][fit.harm.name].terms))
    of_form = form_effect(sides)
    if not of_form.effect.any():
        return fit
    return replace(fit, adjusted=merge_terms(adjusted(fit.terms, forms_of(who), of_form), who.lexeme, who.size))


def decided_family(
    who: Compared,
    fits: tuple[HarmFit, ...],
    left_out: dict[str, LeftOut],
    *,
    reference: str | None = None,
    margin: float,
    separable: BoolArray | bool = True,
    changes: bool = False,
) -> Family:
    """Apply the rule to fits, of figures or of their ``changes`` from one model to another."""
    words, shape = who.words(reference), (len(fits), len(who.groups))
    counted, standardised = np.full((len(fits), 2, 2, shape[1]), np.nan), np.zeros(shape, dtype=np.bool_)
    sources, comparable = np.zeros(shape, dtype=np.int64), np.ones(shape, dtype=np.bool_)
    errors = []
    for h, fit in enumerate(fits):
        fitted = words.without(np.isnan(fit.lexemes.effect)).contrasts() @ np.nan_to_num(fit.lexemes.effect)
        counted[h] = counted_means(who, fit.counts, words)
        beside = np.nan_to_num(counted[h, 0, 0] - counted[h, 0, 1] - fitted)
        standardised[h] = np.abs(beside) > NEAR
        counted[h, 0, 1] = np.where(standardised[h], counted[h, 0, 0] - fitted, counted[h, 0, 1])
        sources[h] = sources_behind(who, fit.rows)
        if not fit.lexemes.connected:
            comparable[h] = _comparable(who, fit.rows, words)
        decisions = fit.rows.probability is None
        errors.append(
            FittedError(
                gap=fit.lexemes,
                tested=fit.tested,
                adjusted=fit.adjusted,
                moved=np.where(standardised[h], 0.0, beside),
                at_least=_least_variance(fit, who) if decisions else None,
                separable=separable,
                is_share=not changes,
            )
        )
    no_word_varies = np.bincount(who.lexeme_group, minlength=1).max(initial=0) < 2  # no group has two lexemes
    enough = (sources >= MIN_SOURCES) & comparable & ~(who.named & no_word_varies)
    decided = decide(errors, words, margin=margin, named=who.named, enough=enough)
    return Family(who, words, fits, tuple(decided), counted, standardised, sources, comparable, margin, left_out)


def counted_means(who: Compared, counts: Counts, words: Words) -> FloatArray:
    """(2, 2, G) mean figures and shares of decisions, of each group and of what it is compared with."""
    member = who.term_group == np.arange(len(who.groups))[:, None]
    others = ~member if words.reference is None else np.broadcast_to(member[words.reference], member.shape)
    sides = [counts.means(side.astype(np.float64)) for side in (member, others)]
    return np.array([[side[unit] for side in sides] for unit in (0, 1)])


def _least_variance(fit: HarmFit, who: Compared) -> FloatArray:
    """(L,) the least variance of decisions over sources that a lexeme can have, so that rare errors are not certain."""
    size, n = who.size, fit.lexemes.clusters
    harmed, weight = (np.bincount(who.lexeme, values, size) for values in (fit.counts.harmed, fit.counts.weight))
    share = (n * np.abs(divide(harmed, weight, fill=0.0)) + 2) / (n + 4)
    return np.asarray(share * (1 - share) / (n + 4))


def sources_behind(who: Compared, rows: HarmRows) -> IntArray:
    """(G,) families of sources with rows of each group."""
    size = len(who.groups)
    pairs = np.unique(who.cluster[rows.row] * size + who.term_group[who.term[rows.row]])
    return np.bincount(pairs % size, minlength=size).astype(np.int64)


def _comparable(who: Compared, rows: HarmRows, words: Words) -> BoolArray:
    """(G,) whether a group can be compared with the others where sources fall into parts that share no term.

    Each part must have the same share of the group's terms as of the others': then what distinguishes the parts takes
    no part in the gap.
    """
    block, term = np.unique(who.block[rows.row], return_inverse=True)[1], who.term[rows.row]
    size, start = len(who.terms), int(block.max(initial=-1)) + 1
    graph = csr_array((np.ones(len(term)), (start + term, block)), shape=(start + size, start + size))
    n_parts, part = connected_components(graph, directed=False)
    there = np.unique(term)
    lexeme = who.lexeme[there]
    contrast = words.without(~np.isin(np.arange(who.size), lexeme)).contrasts()[:, lexeme]
    share = contrast / np.bincount(lexeme, minlength=who.size)[lexeme]
    sums = [np.bincount(part[start + there], weights=of_group, minlength=n_parts) for of_group in share]
    return np.asarray(np.abs(sums).max(axis=1) < 1e-9)
