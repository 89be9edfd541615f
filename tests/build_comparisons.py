"""Pairs of models whose answers are known, for comparisons and gates."""

import numpy as np
import pandas as pd
from build_findings import found_in, scored

WORDS = {"night": [f"n{k}" for k in range(8)], "day": [f"d{k}" for k in range(8)], "late": [f"l{k}" for k in range(8)]}


def table(shift: float = 0.0, own: int = 9, noise: float = 0.05) -> pd.DataFrame:
    """A model: the shared part of the score, the first group's shift, and noise of its own."""
    frame = scored(0.0, WORDS, noise=0.1)
    p = frame["p:rejected"] + shift * (frame["group"] == "night")
    p = (p + noise * np.random.default_rng(own).normal(size=len(frame))).clip(0.001, 0.999)
    predicted = np.where(p > 0.5, "rejected", "hired")
    return frame.assign(**{"p:rejected": p, "p:hired": 1 - p, "predicted": predicted})


run = found_in
