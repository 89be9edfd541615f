"""Two small runs whose figures are known by hand: a tagger that misses some names, and a model of toxicity."""

from __future__ import annotations

import pandas as pd
from build_results import values_only

from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.texts import split_table
from fairness_checklist.tables.tokens import split_any

CLASSES = ["PER", "LOC", "ORG", "O"]
NAMES = {"female": ("Alice", "Li Wei", "Grace"), "male": ("Tom", "Omar Khan")}
MISSED = {("Grace", "s1"), ("Grace", "s2"), ("Li Wei", "s2"), ("Tom", "s2")}
"""The names that are not found; of the first source's "Tom" the neighbour Kenya is missed."""

# p(toxic) of each term in the sources s1 to s4, of which the first two are toxic and the others not
TERMS = {
    ("women", "woman"): (0.9, 0.8, 0.1, 0.2),
    ("women", "lady"): (0.9, 0.4, 0.2, 0.1),
    ("trans", "trans"): (0.9, 0.8, 0.7, 0.6),
    ("trans", "transgender"): (0.9, 0.9, 0.6, 0.1),
}


def tagged_table(*, probabilities: bool = True, sources: int = 2) -> pd.DataFrame:
    """A table of tagged sentences, source by source: "In Kenya <name> met the World Bank ."."""
    rows = []
    for source in (f"s{k + 1}" for k in range(sources)):
        for group, names in NAMES.items():
            for name in names:
                rows.append(_row(source, group, name))
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


def toxicity_table(attribute: str = "gender") -> pd.DataFrame:
    """A prediction table of toxicity."""
    rows = [
        {
            "attribute": attribute,
            "source": f"s{k + 1}",
            "group": group,
            "term": term,
            "text": f"The {term} writer came to place {k + 1}.",
            "label": ("toxic", "nontoxic")[k // 2],
            "p:nontoxic": 1 - p[k],
            "p:toxic": p[k],
        }
        for k in range(4)
        for (group, term), p in TERMS.items()
    ]
    return pd.DataFrame(rows)


def toxicity_run(table: pd.DataFrame | None = None, choices: RunOptions | None = None) -> Results:
    """The results of a table of toxicity."""
    used = toxicity_table() if table is None else table
    return values_only(split_table(used, task="toxicity"), choices, task="toxicity")
