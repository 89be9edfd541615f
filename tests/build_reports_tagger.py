"""A small run of a tagger that misses some names, whose figures are known by hand."""

import pandas as pd
from build_results import values_only

from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any

CLASSES = ["PER", "LOC", "ORG", "O"]
NAMES = {"female": ("Alice", "Li Wei", "Grace"), "male": ("Tom", "Omar Khan")}
MISSED = {("Grace", "s1"), ("Grace", "s2"), ("Li Wei", "s2"), ("Tom", "s2")}
"""The names that are not found; of the first source's "Tom" the neighbour Kenya is missed."""


def tagged_table(*, probabilities: bool = True) -> pd.DataFrame:
    """A table of tagged sentences, source by source: "In Kenya <name> met the World Bank ."."""
    rows = [_row(source, group, name) for source in ("s1", "s2") for group, names in NAMES.items() for name in names]
    table = pd.DataFrame(rows)
    return table if probabilities else table.drop(columns=["p"])


def _row(source: str, group: str, name: str) -> dict[str, object]:
    words = name.split()
    tags = ["O", "B-LOC", "B-PER", *["I-PER"] * (len(words) - 1), "O", "O", "B-ORG", "I-ORG", "O"]
    predictions = list(tags)
    if (name, source) in MISSED:
        predictions[2 : 2 + len(words)] = ["O"] * len(words)
    if (name, source) == ("Tom", "s1"):
        predictions[1] = "O"
    p = [[0.85 if kind == tag.split("-")[-1] else 0.05 for kind in CLASSES] for tag in predictions]
    tokens = ["In", "Kenya", *words, "met", "the", "World", "Bank", "."]
    return {
        "attribute": "names",
        "source": source,
        "group": group,
        "term": name,
        "text": f"In Kenya {name} met the World Bank.",
        "tokens": tokens,
        "tags": tags,
        "slot": [2, 2 + len(words)],
        "predicted": predictions,
        "classes": CLASSES,
        "p": p,
    }


def tagger_run(table: pd.DataFrame | None = None, **info: object) -> Results:
    """The results of a table of tagged sentences."""
    used = tagged_table() if table is None else table
    return values_only(split_any(used, task="ner"), **{"task": "ner", **info})
