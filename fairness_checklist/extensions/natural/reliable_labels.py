"""Which labels of a corpus a template may keep: those that its words show and that a model of the others expects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.extensions.authoring.lint.patterns import pattern, words_of
from fairness_checklist.extensions.natural.expectation import FOLDS, word_weights
from fairness_checklist.extensions.natural.usable_texts import cleaned
from fairness_checklist.extensions.rewriting.perturb.surfaces import word_lists

__all__ = ["RUN", "LabelSample", "label_doubts", "near_key", "words_of_text"]

FITTED = 50_000
"""Labelled texts at most that the model is fitted on: those with the smallest hashes."""
FEWEST, FEWEST_OF_LABEL = 500, 50
"""Labelled texts, and texts of a label, without which no label can be checked."""
RIGHT = 0.95
"""Of the texts with the probability that is asked for, the share that has the label in the corpus."""
RUN = 8
"""Words in common that make two texts near-duplicates."""
_PENALTY = 1.0  # of the squared weights; the rows have length 1
_LISTS = word_lists(Path(__file__).with_name("words.toml"))
_SHOWN = {
    "positive": words_of("positive") | _LISTS["praise"],
    "negative": words_of("negative") | _LISTS["blame"],
    "toxic": _LISTS["insults"] - _LISTS["expletives"],
}
_AGAINST = {
    "positive": _SHOWN["negative"],
    "negative": _SHOWN["positive"],
    "neutral": _SHOWN["positive"] | _SHOWN["negative"],
    "nontoxic": _SHOWN["negative"].union(*(_LISTS[name] for name in ("insults", "contempt", "addressed"))),
}
_SLOT = re.compile(r"\{[^{}]*\}")
_WORD = re.compile(r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?![\w-])")


def near_key(words: Sequence[str]) -> int:
    """A hash that two near-duplicates mostly share: the smallest of those of their runs of eight words.

    >>> words = "it was so cold that my bike froze to the gate".split()
    >>> near_key(words) == near_key(words[1:]) or near_key(words) == near_key(words[:-1])
    True
    """
    runs = np.array([" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))], dtype=object)
    hashes = pd.util.hash_array(runs, categorize=False)
    return int(pd.util.hash_array(hashes.min(keepdims=True))[0])  # hashed again: long texts have no smaller ones


def words_of_text(text: str) -> list[str]:
    """The words of a text in lower case, without a tokeniser's spaces."""
    return cleaned(text).lower().split()


@dataclass
class LabelSample:
    """A sample of the labelled texts of a corpus, which does not depend on how it is cut into batches.

    Attributes:
        texts, labels: those with the smallest hashes, each text once.
    """

    hashes: IntArray = field(default_factory=lambda: np.empty(0, np.uint64))
    texts: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def add(self, texts: Sequence[str], labels: Sequence[str]) -> None:
        """Take part of a batch into the sample; texts without a label are none of it."""
        most = self.hashes[-1] if len(self.hashes) == FITTED else np.iinfo(np.uint64).max
        hashes = pd.util.hash_array(np.array(texts, dtype=object), categorize=False) if texts else self.hashes[:0]
        new = np.flatnonzero((hashes < most) & np.array([label != "" for label in labels], dtype=bool))
        if not len(new):
            return
        every, first = np.unique(np.concatenate([self.hashes, hashes[new]]), return_index=True)
        old, chosen = len(self.hashes), first[:FITTED]
        self.hashes = every[:FITTED]
        self.texts, self.labels = (
            [mine[at] if at < old else theirs[new[at - old]] for at in chosen]
            for mine, theirs in ((self.texts, texts), (self.labels, labels))
        )


def label_doubts(
    templates: Sequence[str], labels: Sequence[str], keys: Sequence[int], sample: LabelSample, masked: frozenset[str]
) -> list[str]:
    """Why the label of a template is not reliable, "" if it is or if there is none.

    1. A word shows that a text is positive, negative or toxic, none speaks against the label, and no negation,
       condition or question may turn its sense. Against nontoxic speak words of abuse, of blame and of sex, and "you";
       words of abuse that friends use, too, do not show that a text is toxic.
    2. The probability of the label is at least the median of the corpus's texts that have this label and pass 1, and so
       large that 95 % of the texts that pass 1 with such a probability have it. The probabilities are those of a
       multinomial logistic regression of the corpus's labels on the words (TF-IDF), five-fold cross-fitted;
       near-duplicates share a fold. (Labels checked by held-out probabilities: Northcutt, Jiang and Chuang 2021,
       Confident Learning, whose threshold is the mean of the class.)

    Args:
        templates, labels, keys: the templates; their labels in the corpus; `near_key` of their texts.
        sample: labelled texts of the corpus. With fewer than 500, or 50 of a label, no label is reliable.
        masked: words that are no content: those of the identity terms.

    >>> label_doubts(["Not one {identity_np} was kind.", "{A:identity.coach} was superb."], ["positive"] * 2, [1, 2],
    ...     LabelSample(), frozenset())
    ['a negation, a condition or a question may turn its sense', 'the corpus has too few labels to check it']
    """
    texts = [_SLOT.sub(" ", text) for text in templates]
    doubts = [_words_doubt(text, label) for text, label in zip(texts, labels, strict=True)]
    counts = Counter(sample.labels)
    names = sorted(name for name, n in counts.items() if n >= FEWEST_OF_LABEL)
    asked = [at for at, (label, doubt) in enumerate(zip(labels, doubts, strict=True)) if label and not doubt]
    if counts.total() < FEWEST or len(names) < 2:
        names = []
    elif asked:
        known = [(cleaned(text), label) for text, label in zip(sample.texts, sample.labels, strict=True)]
        found, least = _probabilities(
            [one for one in known if one[1] in names], names, [texts[at] for at in asked], [keys[at] for at in asked],
            masked,
        )  # fmt: skip
    for place, at in enumerate(asked):
        if labels[at] not in names:
            doubts[at] = "the corpus has too few labels to check it"
        elif found[place, names.index(labels[at])] < least[names.index(labels[at])]:
            doubts[at] = f"a model of the corpus's other labels is not sure that it is {labels[at]}"
    return doubts


def _words_doubt(text: str, label: str) -> str:
    """What the words say against a label."""
    words = set(_WORD.findall(text.lower()))
    if words & _AGAINST.get(label, frozenset()):
        return f"a word speaks against {label}"
    if label not in _SHOWN:
        return ""
    if not words & _SHOWN[label]:
        return f"no word shows plainly that it is {label}"
    if "?" in text or pattern("feeling turned").search(text):
        return "a negation, a condition or a question may turn its sense"
    return ""


def _probabilities(
    known: Sequence[tuple[str, str]],
    names: Sequence[str],
    texts: Sequence[str],
    keys: Sequence[int],
    masked: frozenset[str],
) -> tuple[FloatArray, list[float]]:
    """The probabilities (texts, labels) of a model of known texts with their labels, and the least for each label."""
    gold = np.array([names.index(label) for _, label in known])
    rows = word_weights([*(text for text, _ in known), *texts], masked)
    fold = np.array([*(near_key(words_of_text(text)) for text, _ in known), *keys], dtype=np.uint64) % FOLDS
    found = np.zeros((len(fold), len(names)))
    for one in range(FOLDS):
        inside = fold[: len(gold)] != one
        weights = _logistic(rows[: len(gold)][inside], gold[inside], len(names))
        found[fold == one] = np.exp(_log_probabilities(rows[fold == one], weights))
    least = []
    for at, name in enumerate(names):
        shown = np.array([not _words_doubt(text, name) for text, _ in known])
        least.append(_least(found[: len(gold), at][shown], gold[shown] == at))
    return found[len(gold) :], least


def _least(probabilities: FloatArray, has: BoolArray) -> float:
    """The probability that is asked for; infinity where none will do or fewer than 50 texts have the label."""
    if has.sum() < FEWEST_OF_LABEL:
        return float("inf")
    order = np.argsort(-probabilities, kind="stable")
    share = has[order].cumsum() / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share[FEWEST_OF_LABEL - 1 :] >= RIGHT)
    if not len(enough):
        return float("inf")
    return max(float(probabilities[order[enough[-1] + FEWEST_OF_LABEL - 1]]), float(np.median(probabilities[has])))


def _logistic(rows: sparse.csr_array, gold: IntArray, classes: int) -> FloatArray:
    """The weights (words + 1, classes) of a multinomial logistic regression with a ridge penalty."""
    hot = np.eye(classes)[gold]

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(-1, classes)
        logs = _log_probabilities(rows, weights)
        left = np.exp(logs) - hot
        slope = np.vstack([rows.T @ left + _PENALTY * weights[:-1], left.sum(axis=0)])
        value = -float((hot * logs).sum()) + _PENALTY / 2 * float((weights[:-1] ** 2).sum())
        return value, slope.ravel()

    start = np.zeros((rows.shape[1] + 1) * classes)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60, "ftol": 1e-5})
    return np.asarray(found.x.reshape(-1, classes), dtype=np.float64)


def _log_probabilities(rows: sparse.csr_array, weights: FloatArray) -> FloatArray:
    return np.asarray(log_softmax(rows @ weights[:-1] + weights[-1], axis=1), dtype=np.float64)
