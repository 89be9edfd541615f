"""The experiment of Dixon et al. 2018 on a corpus of one's own: baseline, random control and balanced model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import MissingExtraError, OptionError, count
from fairness_checklist.core.formatting import decimal
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.corpora.audit import Audit, audit
from fairness_checklist.extensions.corpora.mitigation import Additions, add_balancing_texts, random_control
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import TermBias, compare_runs, term_bias
from fairness_checklist.findings.finding import Finding, figures_of, status_of_test

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

LOW_AREA = 0.7  # mean AUC on the phrases below which error rates by term say little
MIN_RUNS = 5  # with fewer runs a change that is not clear is too few to say
_EPOCHS = 8
ARMS = ("baseline", "random control", "balanced")
Fit = Callable[..., Callable[[Sequence[str]], FloatArray]]
"""``fit(texts, positive, seed=1)`` trains a model and returns its function from texts to scores."""
_CHANGES = {"clear": "Clear change", "too few to say": "Too few runs to say"}


@dataclass(frozen=True)
class LabelledTexts:
    """n texts and their n labels."""

    texts: Sequence[str]
    labels: Sequence[str]


@dataclass(frozen=True, eq=False)
class MitigationLoop:
    """What came out: the audit of the training corpus, the texts added to it, and the runs of the three models."""

    audit: Audit
    additions: Additions
    control: pd.DataFrame  # the texts added to the random control's corpus
    runs: dict[str, list[TermBias]]  # for each of `ARMS` a run a seed

    def table(self) -> pd.DataFrame:
        """Tables 4 and 5, see `compare_runs`."""
        return compare_runs(self.runs)

    @cached_property
    def findings(self) -> tuple[Finding]:
        """What is claimed: the change of FPED from the baseline to the balanced model."""
        figures = {(str(row["figure"]), str(row["model"])): row for row in self.table().to_dict("records")}
        change = figures["fped", "balanced"]
        runs = int(change["runs"])
        # The interval shows only whether p is at most .05.
        p = math.nan if runs < 2 else float(change["ci_low"] <= 0 <= change["ci_high"])
        status = status_of_test(p, decisive=runs >= MIN_RUNS)
        changed = Finding(
            question="change of FPED against the baseline",
            subject="balanced",
            status=status,
            statement=f"{_CHANGES.get(status, 'No clear change')}. {self._means(figures)}",
            measure="difference of FPED",
            **figures_of(change | {"value": change["difference"], "n": runs}),
            scope="other training seeds",
            note=self.warning(),
        )
        return (changed,)

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        return self.findings[0].statement

    def _means(self, figures: dict[tuple[str, str], dict[Any, Any]]) -> str:
        """FPED of the three models, and the general AUC before and after."""
        before, after = (decimal(figures["general_auc", arm]["mean"]) for arm in ("baseline", "balanced"))
        first, control, balanced = (decimal(figures["fped", arm]["mean"], places=2) for arm in ARMS)
        change = figures["fped", "balanced"]
        low, high = (decimal(change[end], places=2) for end in ("ci_low", "ci_high"))
        difference = decimal(change["difference"], signed=True, places=2)
        interval = f"difference {difference}, 95 % interval {low} to {high}"
        return (
            f"With {count(len(self.additions), 'text')} added, FPED goes from {first} to {balanced} "
            f"({interval if change['runs'] > 1 else 'one run, no interval'}); random control {control}. "
            f"General AUC: {before}, then {after}."
        )

    def warning(self) -> str:
        """What limits the answer; "" where nothing does."""
        area = float(np.mean([run.auc for runs in self.runs.values() for run in runs]))
        low = f"The models hardly tell the phrases of the two classes apart (mean AUC {decimal(area)}), "
        return "" if area >= LOW_AREA else f"{low}so their error rates by term say little."


def train_text_model(
    texts: Sequence[str], positive: Sequence[bool], *, seed: int
) -> Callable[[Sequence[str]], FloatArray]:
    """Train one hidden layer on TF-IDF weights of words and pairs of words, as a function from texts to scores."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.neural_network import MLPClassifier
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "the model of mitigate needs scikit-learn, which is not installed.",
            remedy='pip install "fairness-checklist[corpora]", or give a function of your own: fit=...',
        ) from error
    words = TfidfVectorizer(ngram_range=(1, 2), max_features=10_000, sublinear_tf=True, dtype=np.float32)
    rows, gold = words.fit_transform(texts), np.asarray(positive, dtype=np.bool_)
    network = MLPClassifier((32,), learning_rate_init=5e-3, batch_size=min(64, len(texts)), random_state=seed)
    for _ in range(_EPOCHS):
        network.partial_fit(rows, gold, classes=[False, True])
    return lambda asked: np.asarray(network.predict_proba(words.transform(asked))[:, 1], dtype=np.float64)


@checks_keywords
def mitigation_loop(
    train: LabelledTexts,
    test: LabelledTexts,
    pool: Sequence[str],
    phrases: pd.DataFrame,
    *,
    positive: str = "toxic",
    negative: str = "nontoxic",
    terms: Sequence[str] | None = None,
    seeds: Sequence[int] = (1, 2),
    fit: Fit = train_text_model,
    forms: Mapping[str, Sequence[str]] | None = None,
) -> MitigationLoop:
    """Audit, balance, add a random control of the same size, retrain, and measure on identity phrases.

    Args:
        train, test: the corpus, and the general held-out set.
        pool: texts that are assumed to be negative.
        phrases: text, label and term of each identity phrase, see `identity_phrases`; its terms are audited. No phrase
            is trained on.
        positive, negative: the names of the two classes.
        terms: the terms that texts are added for; by default all.
        seeds: of the runs: run i of all three models has the same seed.
        fit: what trains a model; by default the small network of `train_text_model`. Each is measured at the equal
            error rate on the general set, as in the paper.
        forms: see `audit`.

    Raises:
        OptionError: no seed, no term in need, or texts of one class only.

    >>> def fit(texts, positive, *, seed):  # a model that only knows which share of the texts with "gay" is toxic
    ...     share = np.mean([yes for text, yes in zip(texts, positive) if "gay" in text])
    ...     return lambda asked: np.array([share if "gay" in text else 0.4 for text in asked])
    >>> train = LabelledTexts(["gay fool", "gay clown", "fool", "tea", "milk"], ["toxic"] * 3 + ["nontoxic"] * 2)
    >>> test = LabelledTexts(["a fool", "gay tea"], ["toxic", "nontoxic"])
    >>> rows = [("Gay people", "nontoxic", "gay", 1), ("Fool", "toxic", "tall", 2), ("Tall one", "nontoxic", "tall", 3)]
    >>> phrases = pd.DataFrame(rows, columns=["text", "label", "term", "template"])
    >>> pool = ["my gay aunt", "the gay choir", "a cup of tea", "the milk", "more tea"]
    >>> loop = mitigation_loop(train, test, pool, phrases, seeds=[1], fit=fit)
    >>> len(loop.additions), loop.findings[0].status
    (2, 'too few to say')
    """
    if not len(seeds):
        raise OptionError("seeds= is empty.", remedy="Write seeds=(1, 2).")
    phrased = tuple(dict.fromkeys(phrases["term"].tolist()))
    before = audit(train.texts, train.labels, phrased, positive=positive, forms=forms)
    keep_out = [*test.texts, *phrases["text"]]
    added = add_balancing_texts(before, train.texts, pool, label=negative, terms=terms, exclude=keep_out)
    if not len(added):
        raise OptionError(
            "no text can be added: no term needs one, or the pool has none.",
            remedy="Audit the corpus, and give a larger pool.",
        )
    control = random_control(len(added), train.texts, pool, label=negative, exclude=keep_out)
    held = phrases["term"].to_numpy()[:, None] == np.array(phrased)
    gold = (phrases["label"] == positive).to_numpy()
    runs: dict[str, list[TermBias]] = {arm: [] for arm in ARMS}
    more = dict(zip(ARMS, ([], control["text"].tolist(), added.table["text"].tolist()), strict=True))
    labels, test_labels = ([str(label) == positive for label in side.labels] for side in (train, test))
    for seed, arm in followed(list(product(seeds, ARMS)), "training", "models"):
        model = fit([*train.texts, *more[arm]], [*labels, *[False] * len(more[arm])], seed=seed)
        score = model(phrases["text"].tolist())
        runs[arm].append(term_bias(score, gold, held, phrased, general=(model(test.texts), test_labels)))
    return MitigationLoop(before, added, control, runs)


def split_corpus(texts: Sequence[str], labels: Sequence[str], *, seed: int = 0) -> tuple[LabelledTexts, LabelledTexts]:
    """The training texts, and a fifth of the texts at random as the general set; repeats stay on one side."""
    different = list(dict.fromkeys(texts))
    drawn = np.random.default_rng([seed, 3]).permutation(len(different))[: len(different) // 5]
    away = {different[position] for position in drawn.tolist()}
    rows = ([row for row, text in enumerate(texts) if (text in away) == held_out] for held_out in (False, True))
    train, test = (LabelledTexts([texts[row] for row in side], [labels[row] for row in side]) for side in rows)
    return train, test


@checks_keywords
def identity_phrases(suite: Suite, *, single_words: bool = False) -> pd.DataFrame:
    """The labelled phrases of a suite, each once: text, label, term (in small letters), template."""
    rows = []
    for examples in (part.examples for part in suite.parts):
        codes = zip(examples.render(), examples.label, examples.term, examples.source, strict=True)
        for text, label, term, source in codes:
            name = examples.terms[term].lower()
            if term >= 0 and label >= 0 and not (single_words and re.search("[ -]", name)):
                rows.append((text, examples.classes[label], name, examples.sources[source].template))
    if not rows:
        raise OptionError(
            "no labelled phrase mentions a term.", remedy="Give templates with labels, and terms that fit them."
        )
    table = pd.DataFrame(rows, columns=["text", "label", "term", "template"])
    return table.drop_duplicates(["text", "term"]).reset_index(drop=True)
