"""Intrinsic measures of a model: what its hidden vectors tell of two groups, apart from what it predicts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.formatting import decimal, format_p_value
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.hidden_states import Encoder, load_encoder
from fairness_checklist.extensions.lenses.intrinsic_measures import GroupVectors, intrinsic_measures
from fairness_checklist.extensions.lenses.probe_sentences import ROLES, TermTexts, framed, read_word_sets, term_texts
from fairness_checklist.findings.finding import CLEAR, Finding, figures_of, status_of_test
from fairness_checklist.statistics.multiplicity import significant

WARNING = (
    "These measures describe vectors, not predictions: they show no harm. They often do not correlate with extrinsic "
    "metrics (Orgad and Belinkov 2022). Measure the model's errors with the verb run."
)
"""Printed with every output."""
_FEW_TERMS = 40  # of both groups together: with fewer, nothing found says little


@dataclass(frozen=True, eq=False)
class IntrinsicReport:
    """The intrinsic measures of one model; print `WARNING` with them."""

    measures: pd.DataFrame  # a row a measure, see `intrinsic_measures`
    findings: tuple[Finding, ...]  # one a measure, the smallest adjusted p first; their scope is the vectors
    model: str
    left: str  # left, right: the groups; positive SEAT and CEAT: left is nearer to the first set of words
    right: str
    words: tuple[str, ...]  # the names of the two sets of attribute words
    terms: tuple[int, int]  # the number of terms of left and right
    sentences: tuple[int, int]  # bleached and neutral sentences of each term

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        clear = [finding for finding in self.findings if finding.status == CLEAR]
        whom = f"The vectors of {self.model} tell {self.left} from {self.right}"
        if clear:
            first = clear[0]
            return (
                f"{whom} beyond chance in {len(clear)} of {len(self.findings)} measures; strongest: {first.measure} "
                f"{decimal(first.value)} (adjusted p {format_p_value(first.p_adjusted)})."
            )
        none = f"{whom} beyond chance in none of {len(self.findings)} measures (adjusted p at most 0.05)."
        n = sum(self.terms)
        return f"{none} {n} terms: a large difference can go unseen." if n < _FEW_TERMS else none


@checks_keywords
def intrinsic(
    model: str | Path | Encoder,
    *,
    attribute: str = "gender",
    groups: Sequence[str] | None = None,
    words: str | Mapping[str, Sequence[str]] = "pleasant",
    layer: int = -1,
    max_terms: int | None = None,
    draws: int = 999,
    probe_draws: int | None = None,
    seed: int = 0,
    device: str | None = None,
) -> IntrinsicReport:
    """Measure the hidden vectors of a model for two groups by the eight intrinsic measures of Orgad and Belinkov 2022.

    Args:
        model: the folder of a transformers model, a hub id, a bundled model ("bundled/sentiment"), or an encoder.
        attribute: the sensitive attribute, whose shipped terms are used.
        groups: two of its groups; by default the first two.
        words: attribute words of SEAT and CEAT: "pleasant" (and unpleasant), "work" (and family), "ability" (and
            inability), or two sets of one's own by name.
        layer: whose vectors, from 0, the input embeddings; -1 is the last.
        max_terms: at most so many terms a group, drawn at random.
        draws, probe_draws, seed: see `intrinsic_measures`; by default the probes have a fifth of the draws.
        device: where the model runs, the CPU by default.

    Raises:
        OptionError: unknown groups, words or layer, or fewer than three terms in a group.
        ModelError: as `load_encoder`.
        MissingExtraError: scikit-learn is not installed.

    >>> report = intrinsic("bundled/sentiment", groups=["women", "men"], max_terms=3, draws=19, probe_draws=3)
    >>> len(report.measures)
    8
    """
    sets = read_word_sets(words)
    encoder = load_encoder(model, device=device)
    texts = term_texts(attribute, groups, max_terms=max_terms, seed=seed)
    vectors = group_vectors(encoder, texts, sets, layer=layer)
    probe_draws = draws // 5 if probe_draws is None else probe_draws
    measures = intrinsic_measures(vectors, draws=draws, probe_draws=probe_draws, seed=seed)
    n_left = sum(texts.is_left)
    return IntrinsicReport(
        measures=measures,
        findings=_findings(measures, texts, draws, probe_draws),
        model=encoder.name,
        left=texts.left,
        right=texts.right,
        words=tuple(sets),
        terms=(n_left, len(texts.terms) - n_left),
        sentences=(len(texts.bleached[0]), len(texts.neutral[0])),
    )


def group_vectors(
    encoder: Encoder, texts: TermTexts, words: Mapping[str, Sequence[str]], *, layer: int = -1
) -> GroupVectors:
    """The vectors of a model for `intrinsic_measures`, with two sets of attribute words."""
    pools = [texts.bleached, texts.neutral, *(framed(members) for members in (*words.values(), ROLES))]
    flat = [text for pool in pools for texts_of_word in pool for text in texts_of_word]
    vectors, _ = encoder.vectors([text.text for text in flat], [text.spans for text in flat], layer=layer)
    pieces = iter(np.split(vectors, np.cumsum([len(texts_of_word) for pool in pools for texts_of_word in pool])))
    bleached, contexts, a, b, roles = ([next(pieces) for _ in pool] for pool in pools)
    neutral = [text for texts_of_term in texts.neutral for text in texts_of_term]
    _, around = encoder.vectors([text.text for text in neutral], [text.with_article for text in neutral], layer=layer)
    unit = np.repeat(np.arange(len(texts.terms)), [len(texts_of_term) for texts_of_term in texts.neutral])
    return GroupVectors(
        is_left=np.array(texts.is_left, dtype=np.bool_),
        terms=np.stack([rows.mean(axis=0) for rows in bleached]),
        contexts=contexts,
        around=around,
        around_unit=unit.astype(np.int64),
        a=a,
        b=b,
        roles=np.stack([rows.mean(axis=0) for rows in roles]),
        pairs=term_pairs(texts),
    )


def term_pairs(texts: TermTexts) -> IntArray:
    """The pairs (P, 2) of a left and a right term of one concept, where each side has one such term."""
    sides: dict[str, tuple[list[int], list[int]]] = {}
    for term, (concept, is_left) in enumerate(zip(texts.concepts, texts.is_left, strict=True)):
        if concept:
            sides.setdefault(concept, ([], []))[not is_left].append(term)
    pairs = [(left[0], right[0]) for left, right in sides.values() if len(left) == len(right) == 1]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _findings(measures: pd.DataFrame, texts: TermTexts, draws: int, probe_draws: int) -> tuple[Finding, ...]:
    ways = math.comb(len(texts.terms), sum(texts.is_left))
    tests = int(measures["p_adjusted"].notna().sum())
    records: list[dict[Any, Any]] = measures.to_dict("records")
    findings = []
    for row in records:
        p = row["p_adjusted"]
        trains = row["measure"] in ("linear_probe", "mdl_probe")
        least = max(1 / ways, 1 / (1 + (probe_draws if trains else draws)))
        status = status_of_test(p, decisive=bool(significant(least * tests)))
        if np.isnan(p):
            statement = f"{row['title']} is undefined: {row['note']}."
        else:
            beyond = "is beyond" if status == CLEAR else "is not clearly beyond"
            statement = (
                f"{row['title']} is {decimal(row['value'])} for {texts.left} and {texts.right}; chance gives "
                f"{decimal(row['null_mean'])}, and it {beyond} that (adjusted p {format_p_value(p)})."
            )
        about: dict[str, Any] = {"scope": "words like these, in hidden vectors", "note": WARNING}
        question = f"hidden vectors of {texts.left} and {texts.right}"
        about |= {"measure": row["title"], **figures_of(row)}
        findings.append(Finding(question, row["measure"], status, statement, **about))
    return tuple(sorted(findings, key=lambda finding: (np.isnan(finding.p_adjusted), finding.p_adjusted)))
