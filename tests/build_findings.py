"""Prediction tables in which it is known which group, or which word, is treated worse."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import fairness_checklist as fc

NIGHT = ("nurse", "guard", "baker", "porter", "cleaner", "printer")
DAY = ("teacher", "clerk", "tailor", "broker", "painter", "lawyer")
SHIFTS = {"night": NIGHT, "day": DAY}
CONTROLS = {f"hobby {k}": (f"fan{k}", f"player{k}") for k in range(8)}


def scored(
    shift: float,
    groups: Mapping[str, Sequence[str]] = SHIFTS,
    *,
    sources: int = 30,
    classes: Sequence[str] = ("hired", "rejected"),
    labels: Sequence[str] = ("hired",),
    noise: float = 0.1,
    seed: int = 3,
    words: Mapping[str, float] | None = None,
    controls: bool = False,
) -> pd.DataFrame:
    """A source a row and term: the last class is more probable by ``shift`` for the first group, and as ``words`` say.

    With ``controls`` rows of control words follow.
    """
    random = np.random.default_rng(seed)
    first = next(iter(groups))
    rows = []
    for s in range(sources):
        for group, terms in (groups | CONTROLS if controls else groups).items():
            for word in terms:
                p = 0.45 + shift * (group == first) + noise * random.normal() + (words or {}).get(word, 0.0)
                p = min(max(p, 0.0), 1.0)
                rows.append(
                    {
                        "attribute": "shift",
                        "source": f"s{s}",
                        "group": group,
                        "term": word,
                        "text": f"The {word} wrote {s}.",
                        "label": labels[s % len(labels)],
                        **{f"p:{name}": (1 - p) / (len(classes) - 1) for name in classes[:-1]},
                        f"p:{classes[-1]}": p,
                        **({"variant": "control word" if group in CONTROLS else ""} if controls else {}),
                    }
                )
    return pd.DataFrame(rows)


def found_in(table: pd.DataFrame, **options: Any) -> fc.Result:
    """Who is called rejected without being so, without intervals of metrics."""
    return fc.evaluate(table, **{"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 0, **options})


def tagged(missed: float, *, sources: int = 30, seed: int = 5) -> pd.DataFrame:
    """A table of a tagger that misses this share of the first group's names, and none of the others'."""
    random = np.random.default_rng(seed)
    groups = {"female": ("Ana", "Eva", "Ida", "Lea", "Mia", "Zoe"), "male": ("Ben", "Gus", "Ian", "Leo", "Max", "Tom")}
    rows = []
    for s in range(sources):
        for group, names in groups.items():
            for name in names:
                lost = group == "female" and random.random() < missed
                rows.append(
                    {
                        "source": f"s{s}",
                        "group": group,
                        "term": name,
                        "text": f"{name} met guest{s}.",
                        "tokens": [name, "met", f"guest{s}", "."],
                        "tags": ["B-PER", "O", "O", "O"],
                        "predicted": ["O" if lost else "B-PER", "O", "O", "O"],
                        "slot": [0, 1],
                    }
                )
    return pd.DataFrame(rows)
