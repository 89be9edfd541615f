"""The effect of a word's form: noun, phrase, hyphen and length, estimated from identity and control words together.

Sentences with phrases ("a person with dementia") read less naturally than those with nouns, and some groups have
phrases alone. The effects of forms are estimated among the words of one group or control concept, so that groups may
differ as they like. A gap is then that of words of the same form.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.findings.compared import Compared
from fairness_checklist.statistics.two_way import TermEffects

FORMS = ("noun", "phrase", "hyphen", "length")
LEAST_LEXEMES = 20  # lexemes, beside those that groups and forms use up, below which gaps are not adjusted
_NO_VARIATION = 1e-9  # of a form inside all groups: its effect is not known
_CATEGORIES = ("noun", "pp")


@dataclass(frozen=True, eq=False)
class FormEffect:
    """The effect of forms on a figure."""

    # (4,) of `FORMS`: of a noun and of a phrase against an adjective, of a hyphen, and of ten characters
    effect: FloatArray
    covariance: FloatArray  # (4, 4) of the effect


def forms_of(who: Compared) -> FloatArray:
    """(T, 4) the forms of terms, in the order of `FORMS`.

    The length is the number of characters above that of the shortest term, in tens.
    """
    length = np.array([len(term) for term in who.terms], dtype=np.float64)
    columns = [[float(pos == name) for pos in who.pos] for name in _CATEGORIES]
    return np.array([*columns, [float("-" in term) for term in who.terms], (length - length.min(initial=0)) / 10]).T


def form_effect(parts: Sequence[tuple[Compared, TermEffects]]) -> FormEffect:
    """Least squares of term effects on forms within groups, from the terms of an attribute and of its control.

    The covariance is clustered by lexeme, and has what sources add to it. All is 0 where there are too few words
    or sources.
    """
    forms, values, clusters, covariances = [], [], [], []
    freedom, n_lexemes = -len(FORMS), 0
    for who, fit in parts:
        if fit.clusters < 2:  # no variance over sources is known
            continue
        used = np.flatnonzero(~np.isnan(fit.effect))
        group = np.unique(who.term_group[used], return_inverse=True)[1]
        count = np.bincount(group)
        columns = np.column_stack([forms_of(who)[used], fit.effect[used]])
        means = np.array([np.bincount(group, weights=column) / count for column in columns.T]).T
        forms.append((columns - means[group])[:, :-1])
        values.append((columns - means[group])[:, -1])
        lexemes, lexeme = np.unique(who.lexeme[used], return_inverse=True)
        clusters.append(n_lexemes + lexeme)
        covariances.append(fit.covariance[np.ix_(used, used)])
        n_lexemes, freedom = n_lexemes + len(lexemes), freedom + len(lexemes) - len(count)
    if freedom < LEAST_LEXEMES:
        return FormEffect(np.zeros(len(FORMS)), np.zeros((len(FORMS), len(FORMS))))
    x, value = np.concatenate(forms), np.concatenate(values)
    x[:, (x**2).sum(axis=0) < _NO_VARIATION] = 0.0
    inverse = np.linalg.pinv(x.T @ x, rcond=1e-8)
    effect = inverse @ x.T @ value
    scores = np.zeros((n_lexemes, len(FORMS)))
    np.add.at(scores, np.concatenate(clusters), x * (value - x @ effect)[:, None])
    over_sources = sum(form.T @ covariance @ form for form, covariance in zip(forms, covariances, strict=True))
    squares = scores.T @ scores * n_lexemes / freedom + over_sources
    return FormEffect(effect, inverse @ squares @ inverse)


def adjusted(fit: TermEffects, forms: FloatArray, of_form: FormEffect) -> TermEffects:
    """Term effects as if all terms had the mean form; the uncertainty of that is added as clusters of its own.

    Shapes: forms (T, 4).
    """
    eigen, vectors = np.linalg.eigh(of_form.covariance)
    centred = forms - forms[~np.isnan(fit.effect)].mean(axis=0)
    beside = (centred @ vectors * np.sqrt(np.maximum(eigen, 0.0))).T
    return replace(
        fit,
        effect=fit.effect - centred @ of_form.effect,
        scores=None if fit.scores is None else np.vstack([fit.scores, beside]),
        covariance=fit.covariance + beside.T @ beside,
    )


def separable_groups(who: Compared, control_pos: Sequence[str]) -> BoolArray:
    """(G,) False where half of a group's words have parts of speech that no other group and no control word has."""
    separable = np.ones(len(who.groups), dtype=np.bool_)
    pos = np.array(who.pos, dtype=object)
    for group in range(len(who.groups)):
        in_group = who.term_group == group
        shared = {*pos[~in_group], *control_pos}
        alone = np.isin(pos[in_group], [name for name in ("adj", *_CATEGORIES) if name not in shared])
        separable[group] = not alone.any() or 2 * alone.sum() < len(alone)
    return separable
