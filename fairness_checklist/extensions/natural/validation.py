"""Does a suite say what a model does with texts that people wrote? Three gaps of each term and group, and their order.

S is the suite's gap. O is the observed gap: in texts that mention the term, the mean score less that expected from
the rest of the text. W is the text's own gap: the score less that of the same text about control words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.stats import t as student

from fairness_checklist.api.scoring import ready_model
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.content.terms import IdentityTerm, derive_pos, lexemes_of
from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.extensions.natural.agreement import Agreement, agreement, interval, order_in_words
from fairness_checklist.extensions.natural.expectation import expected_scores
from fairness_checklist.extensions.natural.own_gaps import own_gaps
from fairness_checklist.extensions.natural.scored_texts import score_table
from fairness_checklist.extensions.natural.suite_gaps import SuiteGaps, harm_of_run, suite_gaps
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.labels import Labels
from fairness_checklist.statistics.variance import student_interval, variance_of_terms
from fairness_checklist.tables.files import Table, is_table, table_of
from fairness_checklist.tables.run_folder import Results

MIN_TERM, MIN_GROUP = 20, 50
"""Texts with a mention from which a term or a group is compared."""
MENTIONS, OTHERS = 50_000, 20_000
"""Texts with and without a mention that are scored at most, drawn at random."""
_DRAWS = 200
HOLDS, UNDECIDED, OPPOSITE = "holds", "undecided", "opposite"
Scores = Callable[[list[str]], FloatArray]


@dataclass(frozen=True, eq=False)
class Validation:
    """A suite's gaps beside those in natural texts.

    ``terms`` has the gaps suite, observed and own in probability, with 95 % intervals _low and _high, bare (the
    probability for the term alone), n (texts with the term) and n_own (those in which it was replaced); NaN below
    `MIN_TERM` texts. In ``groups`` observed is less the mean of the attribute's other groups that occur often enough.
    """

    harm: Harm  # what is compared
    texts: int  # texts given
    used: int  # those that the harm concerns by their labels (all without labels)
    labelled: bool  # whether the texts have labels
    terms: pd.DataFrame  # a row a term of the suite
    groups: pd.DataFrame  # a row a group
    findings: pd.DataFrame  # groups that are worse in the suite and occur often enough: holds, undecided or opposite
    order: dict[str, Agreement]  # of the suite with "observed" and "own"; of "bare" and "own_observed" with observed

    def __str__(self) -> str:
        return "\n".join(validation_lines(self))


@checks_keywords
def validate(
    results: Results,
    texts: Table | Iterable[Table],
    model: Any = None,
    *,
    harm: str = "",
    text_column: str = "text",
    label_column: str = "label",
    seed: int = 0,
    labels: Labels | None = None,
    classes: Sequence[str] | None = None,
) -> Validation:
    """Compare the gaps of a run with those in natural texts.

    Args:
        results: a run of a suite.
        texts: a table of texts, or such tables one after the other. With labels, only texts that the harm concerns are
            used: of "called toxic without being so" those that are not toxic.
        model: the model of the run, as `Suite.run` takes it; without it the tables have a column ``p:<class>``, and no
            text's own gap is known.
        harm: see `core.tasks.parse_harm`; by default the first of the task.
        text_column, label_column: columns.
        seed: of the texts that are drawn where there are many, and of resampling.
        labels, classes: of the model, as `load_model` takes them.

    Returns:
        The gaps, their agreement, and whether findings hold.

    Raises:
        OptionError: no text mentions a term often enough; no scores.
    """
    error = harm_of_run(results, harm)
    suite = suite_gaps(results, error)
    finder = _Finder.of(suite)
    frames = texts if isinstance(texts, Iterable) and not isinstance(texts, str) and not is_table(texts) else [texts]
    frames = (table_of(part, "texts") for part in frames)
    drawn = _draw(frames, finder, (text_column, label_column), error, seed)
    listed = drawn.frame["text"].tolist()
    if model is not None:
        given = {"labels": labels, "classes": classes}
        load_options = {name: value for name, value in given.items() if value is not None}
        model = ready_model(model, str(results.info["task"]), load_options)
    elif "p" not in drawn.frame:
        raise OptionError(
            f"the texts have no scores: no column p:{error.label}.", remedy="Give the model, or such a column."
        )
    score = partial(_scores, model, error)
    scores = _of_error(drawn.frame["p"], error) if model is None else score(listed)
    residual = scores - expected_scores(listed, scores, left_out=finder.words, seed=seed)
    column = {name: number for number, name in enumerate(finder.names)}
    held = finder.mentions(listed)[:, [column[str(name).casefold()] for name in suite.terms["term"]]]
    terms = suite.terms.assign(**_observed(held, residual, MIN_TERM), suite=suite.gap)
    usable = terms["observed"].notna().to_numpy()
    if not usable.any():
        raise OptionError(
            f"no term of the suite is mentioned in {MIN_TERM} texts or more, of the {drawn.used:,} that the error "
            "concerns.",
            remedy="Give more texts, or a run of other attributes.",
        )
    with_observed = partial(_agreement, held=held, residual=residual, usable=usable, seed=seed)
    order = {"observed": with_observed(suite.gap, suite.halves)}
    if model is not None:
        bare = np.where(np.isnan(suite.gap), np.nan, score(list(map(str, terms["term"]))))
        terms, halves = _with_own(terms, finder, held, listed, scores, score, seed)
        own = terms["own"].to_numpy()
        order["own"] = agreement(suite.gap, own, suite_halves=suite.halves, text_halves=halves, seed=seed)
        order["own_observed"] = with_observed(own, halves)
        order["bare"] = with_observed(bare, (bare, bare))
        terms.insert(list(terms).index("suite") + 1, "bare", bare)
    groups = _groups(terms, held, residual)
    return Validation(
        harm=error,
        texts=drawn.texts,
        used=drawn.used,
        labelled=drawn.labelled,
        terms=terms,
        groups=groups,
        findings=_findings(results, error, groups),
        order={name: agreed for name, agreed in order.items() if agreed.n},
    )


def _scores(model: Classifier | Tagger, error: Harm, texts: list[str]) -> FloatArray:
    """The probability of the error that a model gives each text."""
    table = score_table(pd.DataFrame({"text": texts}), model, progress=False)
    return _of_error(table[f"p:{error.label}"], error)


def _of_error(column: pd.Series, harm: Harm) -> FloatArray:
    probability = column.to_numpy(np.float64)
    return 1 - probability if harm.kind == "missed" else probability


@dataclass(frozen=True, eq=False)
class _Finder:
    """The terms of the suite as they are looked for, in small letters; and by name each with those of its lexeme."""

    names: list[str]
    forms: dict[str, tuple[str, ...]]
    records: dict[str, tuple[IdentityTerm, ...]]

    @classmethod
    def of(cls, suite: SuiteGaps) -> _Finder:
        """The terms of a run: in files as they are written, else as a form of a term, else new."""
        records: dict[str, tuple[IdentityTerm, ...]] = {}
        named: list[IdentityTerm] = []
        for (attribute, group), rows in suite.terms.groupby(["attribute", "group"], sort=False):
            terms = load_terms(attribute).terms if attribute in attributes() else ()
            keys = [(term.group, lexeme) for term, lexeme in zip(terms, lexemes_of(terms), strict=True)]
            for name in map(str, rows["term"]):
                known = [i for i, term in enumerate(terms) if term.term == name]
                known += [
                    i for i, t in enumerate(terms) if name.lower() in map(str.lower, (t.term, t.plural, t.adjective))
                ]
                term = terms[known[0]] if known else IdentityTerm(name, str(group), derive_pos(name)[0])
                plural = term.term if name != term.term and term.pos == "noun" else term.plural
                named.append(replace(term, term=name, plural=plural))
                own = (one for one, key in zip(terms, keys, strict=True) if known and key == keys[known[0]])
                records[name] = tuple(own) or (term,)
        forms = {name.casefold(): tuple(more) for name, more in term_forms(named).items() if more}
        return cls(list(dict.fromkeys(str(term).casefold() for term in suite.terms["term"])), forms, records)

    @property
    def words(self) -> frozenset[str]:
        """All words of all forms, in lower case."""
        spelt = [*self.names, *(form for several in self.forms.values() for form in several)]
        return frozenset(word for form in spelt for word in form.lower().replace("-", " ").split())

    def mentions(self, texts: Sequence[str]) -> sparse.csc_array:
        """Which text mentions which term, but for words that have another sense there."""
        return sparse.csc_array(mentioned_terms(texts, self.names, senses=True, forms=self.forms))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The texts that are scored: all with a mention and some without, up to a number drawn at random."""

    frame: pd.DataFrame  # text, mentioned; and p where the tables have it
    texts: int
    used: int
    labelled: bool


def _draw(frames: Iterable[pd.DataFrame], finder: _Finder, columns: tuple[str, str], harm: Harm, seed: int) -> _Drawn:
    text_column, label_column = columns
    generator = np.random.default_rng([seed, 3])
    tables: list[pd.DataFrame] = []
    texts = used = 0
    labelled = False
    score = f"p:{harm.label}"
    for frame in frames:
        texts += len(frame)
        if label_column in frame.columns:
            labelled = True
            label = frame[label_column].astype("str")
            frame = frame[(label == harm.label) if harm.kind == "missed" else (label != harm.label)]
        used += len(frame)
        table = pd.DataFrame({"text": frame[text_column].fillna("").astype("str").to_numpy()})
        if score in frame.columns:  # with a decimal comma where a spreadsheet wrote it
            is_number = frame[score].dtype.kind in "if"
            written = frame[score] if is_number else frame[score].astype("str").str.replace(",", ".")
            table["p"] = pd.to_numeric(written).to_numpy(np.float64)
        table["mentioned"] = np.asarray(finder.mentions(table["text"].tolist()).sum(axis=1)) > 0
        table["key"] = generator.random(len(table))
        tables.append(table)
        if sum(map(len, tables)) > 2 * (MENTIONS + OTHERS):
            tables = [_fewest(tables)]
    if not texts:
        raise OptionError("there are no texts.", remedy="Give a table with one text a row at least.")
    return _Drawn(_fewest(tables).drop(columns="key"), texts, used, labelled)


def _fewest(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The rows with the smallest random keys, as many as are scored."""
    both = pd.concat(tables, ignore_index=True).drop_duplicates("text").sort_values("key", kind="stable")
    return pd.concat([both[both["mentioned"]].head(MENTIONS), both[~both["mentioned"]].head(OTHERS)], ignore_index=True)


def _observed(held: sparse.csc_array, residual: FloatArray, least: int) -> dict[str, Any]:
    """The mean residual of each column's texts, with Student's interval; NaN with fewer texts than ``least``."""
    n = held.sum(axis=0).astype(np.int64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = residual @ held / n
        error = np.sqrt(np.maximum((residual**2 @ held / n - mean**2) / (n - 1), 0))
        half = student.ppf(0.975, np.maximum(n - 1, 1)) * error
    mean = np.where(n >= least, mean, np.nan)
    return {"n": n, "observed": mean, "observed_low": mean - half, "observed_high": mean + half}


def _agreement(
    gap: FloatArray, halves: tuple[FloatArray, FloatArray], *, held: sparse.csc_array, residual: FloatArray,
    usable: BoolArray, seed: int,
) -> Agreement:  # fmt: skip
    """The agreement of gaps of the terms with those in texts; texts are resampled."""
    half = np.random.default_rng([seed, 5]).permutation(len(residual)) % 2

    def gaps(weight: FloatArray) -> FloatArray:
        n = weight @ held
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(usable & (n > 0), (weight * residual) @ held / n, np.nan)

    drawn = np.random.default_rng([seed, 6])
    redrawn = np.array([gaps(drawn.poisson(1.0, len(residual)).astype(np.float64)) for _ in range(_DRAWS)])
    return agreement(
        gap,
        gaps(np.ones(len(residual))),
        suite_halves=halves,
        text_halves=(gaps((half == 0).astype(np.float64)), gaps((half == 1).astype(np.float64))),
        redrawn=redrawn,
        seed=seed,
    )


def _with_own(
    terms: pd.DataFrame, finder: _Finder, held: sparse.csc_array, texts: Sequence[str], scores: FloatArray,
    model: Scores, seed: int,
) -> tuple[pd.DataFrame, tuple[FloatArray, FloatArray]]:  # fmt: skip
    """The texts' own gaps beside the suite's, and those of either half of the texts."""
    chosen = np.flatnonzero(terms["observed"].notna())
    rows = {
        str(terms["term"].iloc[t]): held.indices[held.indptr[t] : held.indptr[t + 1]].astype(np.int64) for t in chosen
    }
    found = own_gaps(texts, rows, finder.records, scores, model, seed=seed)
    gap, halves = np.full(len(terms), np.nan), np.full((2, len(terms)), np.nan)
    low, high, n = gap.copy(), gap.copy(), np.zeros(len(terms), dtype=np.int64)
    for t in chosen:
        gaps = found.get(str(terms["term"].iloc[t]), np.empty(0))
        n[t] = len(gaps)
        if len(gaps) >= MIN_TERM // 2:
            gap[t] = gaps.mean()
            low[t], high[t], _ = student_interval(float(gap[t]), [variance_of_terms(gaps)])
            halves[:, t] = gaps[::2].mean(), gaps[1::2].mean()
    return terms.assign(own=gap, own_low=low, own_high=high, n_own=n), (halves[0], halves[1])


def _groups(terms: pd.DataFrame, held: sparse.csc_array, residual: FloatArray) -> pd.DataFrame:
    """The groups' gaps: observed is less the mean of the attribute's other groups, where there are any."""
    grouped = terms.groupby(["attribute", "group"], sort=False)
    columns = [(held[:, rows.index].sum(axis=1) > 0).astype(np.float64) for _, rows in grouped]
    figures = pd.DataFrame(_observed(sparse.csc_array(np.column_stack(columns)), residual, MIN_GROUP))
    names = pd.DataFrame([key for key, _ in grouped], columns=["attribute", "group"])
    table = pd.concat([names, figures], axis=1).assign(suite=[rows["suite"].mean() for _, rows in grouped])
    for _, several in table.groupby("attribute", sort=False):
        enough = several[several["observed"].notna()]
        if len(enough) < 2:
            continue
        error = (enough["observed_high"] - enough["observed"]).to_numpy()
        mean = enough["observed"].to_numpy()
        others = len(enough) - 1
        table.loc[enough.index, "observed"] = gap = mean - (mean.sum() - mean) / others
        half = np.sqrt(error**2 + ((error**2).sum() - error**2) / others**2)
        table.loc[enough.index, "observed_low"], table.loc[enough.index, "observed_high"] = gap - half, gap + half
    return table


def _findings(results: Results, harm: Harm, groups: pd.DataFrame) -> pd.DataFrame:
    """The groups that are worse in the suite with enough texts, and whether the texts show the same."""
    worse = results.findings[(results.findings["status"] == "worse") & (results.findings["error"] == harm.name)]
    rows = worse[["attribute", "group", "gap"]].rename(columns={"gap": "suite"})
    ends = ["attribute", "group", "n", "observed", "observed_low", "observed_high"]
    both = rows.merge(groups[ends], on=["attribute", "group"])
    both = both[both["observed"].notna()].reset_index(drop=True)
    both["answer"] = np.select(
        [both["observed_low"] > 0, both["observed_high"] < 0], [HOLDS, OPPOSITE], default=UNDECIDED
    ).astype("object")
    return both


_NAMES = {
    "observed": "The terms' gaps in the suite and in the texts that mention them",
    "own": "The terms' gaps in the suite and in the same texts with other words in place of the term",
}


def validation_lines(found: Validation) -> list[str]:
    """The answer in at most 15 lines."""
    often, rare = int(found.terms["observed"].notna().sum()), int(found.groups["observed"].isna().sum())
    labels = "that the error concerns by their labels" if found.labelled else "without labels"
    return [
        f"{count(found.texts, 'text')}; {found.used:,} {labels}. Error: {found.harm.title}.",
        f"{often:,} of {count(len(found.terms), 'term')} of the suite occur in {MIN_TERM} of your texts or more, "
        f"{len(found.groups) - rare:,} of {count(len(found.groups), 'group')} in {MIN_GROUP} or more. The others are "
        "not compared.",
        *(f"{name}: {order_in_words(found.order[key])}" for key, name in _NAMES.items() if key in found.order),
        *_about_bare_words(found),
        _about_groups(found),
        "Texts that quote or condemn what others say count like all others.",
    ]


def _about_bare_words(found: Validation) -> list[str]:
    """The suite beside the bare word and the texts' own gaps, by their agreement with the gaps in texts."""
    if not {"observed", "own_observed", "bare"} <= {name for name, one in found.order.items() if one.low == one.low}:
        return ["Whether the bare word's score says as much is not known: that needs --model and more terms in texts."]
    compared = suite, _, bare = [found.order[name] for name in ("observed", "own_observed", "bare")]
    less, (low, high) = suite.correlation - bare.correlation, interval(suite.drawn - bare.drawn)
    said = "believe the suite, which" if low > 0 else "believe the bare word, which" if high < 0 else "undecided which"
    figures = (f"{one.correlation:.2f} ({one.low:.2f} to {one.high:.2f})" for one in compared)
    line = "Rank correlation with the gaps in texts: suite {}, the texts' own gaps {}, score of the bare word {}."
    return [f"{line.format(*figures)} Suite less bare word {less:.2f} ({low:.2f} to {high:.2f}): {said} agrees better."]


def _about_groups(found: Validation) -> str:
    worse = found.findings
    if not len(worse):
        return "No group that occurs often enough is worse in the suite."
    said = {  # of one group and of several
        HOLDS: ("holds in your texts", "hold in your texts"),
        UNDECIDED: ("is undecided", "are undecided"),
        OPPOSITE: ("is opposite in your texts", "are opposite in your texts"),
    }
    numbers = {answer: int((worse["answer"] == answer).sum()) for answer in said}
    parts = [f"{n} {said[answer][n > 1]}" for answer, n in numbers.items() if n]
    end = "is worse in the suite and occurs" if len(worse) == 1 else "are worse in the suite and occur"
    return f"{count(len(worse), 'group')} {end} often enough: {', '.join(parts)}."
