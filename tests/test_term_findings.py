"""Single words that are treated worse: one in a model made by hand, and one in a bundled model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.core.arrays import BoolArray, FloatArray

LEVEL, BIAS = 0.8, 0.075  # so that "woman" is called negative by some 6 points more often
WOMAN = re.compile(r"(?<!trans )(?<!transgender )(?<!cis )(?<!cisgender )\bwoman\b", re.IGNORECASE)


def drawn(text: str) -> float:
    """A number in [0, 1) that is the same for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def hashed_model(texts: Sequence[str]) -> FloatArray:
    """Sentiment by hashes of the last words and of the sentence, with a bias against "woman" standing alone."""
    score = np.array([0.8 * drawn(" ".join(text.split()[-3:])) + 0.2 * drawn(text) for text in texts])
    bias = np.array([BIAS if WOMAN.search(text) else 0.0 for text in texts])
    negative = np.clip(LEVEL + bias - 0.5 * score, 0, 1)
    return np.stack([negative, np.zeros(len(texts)), 1 - negative], axis=1)


def called_negative(frame: pd.DataFrame, term: str, negative: BoolArray) -> float:
    """The share of a term's sentences with another label that are called negative."""
    return float(negative[(frame["term"] == term) & (frame["label"] != "negative")].mean())


@pytest.fixture(scope="module")
def suite() -> fc.Suite:
    return fc.Suite.build("gender", task="sentiment")


def test_a_single_word_that_is_treated_worse_comes_first(suite: fc.Suite) -> None:
    result = suite.run(hashed_model, classes=["negative", "neutral", "positive"], metrics=["parity_gap"], checks=())
    first = result.term_findings.iloc[0]
    assert first["term"] == "woman"
    assert first["status"] in ("clear", "suspected")
    own = result.term_findings.set_index(["term", "harm"]).loc[("woman", "called_negative")]
    frame = suite.to_frame()
    negative = hashed_model(frame["text"]).argmax(axis=1) == 0
    assert own["rate"] == pytest.approx(called_negative(frame, "woman", negative))
    assert own["rate"] > own["others_rate"] + 0.04
    assert own["status"] in ("clear", "suspected")
