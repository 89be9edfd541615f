"""The numbers of Czarnowska, Vyas and Shah (2021): those that the paper prints, and those of a model here."""

from __future__ import annotations

import math
import tomllib
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.extensions.analyses.paired_tests import PairedTest, friedman, paired_t, source_means, wilcoxon
from fairness_checklist.metrics import METRICS, Options, compute

__all__ = ["MEASURES", "TOTAL", "Measure", "Numbers", "measured", "pairs_below", "paper_data", "published", "tested"]

TOTAL = "accumulated"
"""The group of a value over all groups."""


@dataclass(frozen=True)
class Measure:
    """A row of the paper's figures.

    Attributes:
        title: what the paper calls it; (P): of probabilities, (*): correctly normalised.
        metric: our metric.
        label: the class; "" for the positive class, of a tagger for LOC.
        released: options with which our metric is what the released code computes; ``max_groupings`` comes on top.
    """

    title: str
    metric: str
    label: str = ""
    released: tuple[tuple[str, str], ...] = ()

    def options(self, released: bool, seed: int) -> Options:
        """The metric's options: our defaults, or those of the released code."""
        given: dict[str, Any] = dict(self.released) if released else {}
        if released and "weight" in given:
            given |= {"max_groupings": 100, "seed": seed}
        return Options(**given)


_GROUPINGS = (("weight", "groupings"),)
_OF_ALL = (("denominator", "all_sources"),)
MEASURES = {
    "cf_gap_tc": Measure("CFGap (P, TC)", "cf_gap_tc", released=_OF_ALL + _GROUPINGS),
    "avg_if_tc": Measure("AvgIF (P, TC)", "avg_if_tc", released=_OF_ALL),
    "cf_gap": Measure("CFGap (P)", "cf_gap", released=_GROUPINGS),
    "avg_if": Measure("AvgIF (P)", "avg_if"),
    "pert_ss": Measure("PertSS (P, all)", "pert_ss", released=_GROUPINGS),
    "pert_sr": Measure("PertSR (P, all)", "pert_sr", released=_GROUPINGS),
    "pert_sd": Measure("PertSD (P, all)", "pert_sd", released=_GROUPINGS),
    "fned": Measure("FNED", "fned"),
    "fped": Measure("FPED", "fped"),
    "fned_normalised": Measure("FNED (*)", "fned_normalised"),
    "fped_normalised": Measure("FPED (*)", "fped_normalised"),
    "fpr_ratio": Measure("FPR Ratio", "fpr_ratio"),
    "fnr_ratio": Measure("FNR Ratio", "fnr_ratio"),
    "avg_gf": Measure("AvgGF (P)", "avg_gf"),
    "avg_gf_tc": Measure("AvgGF (P, TC)", "avg_gf_tc", released=(("background", "everyone_else"),)),
    "avg_gf_tc_negative": Measure(
        "AvgGF (P, TC), negative class", "avg_gf_tc", "negative", (("background", "everyone_else"),)
    ),
    "avg_eg": Measure("AvgEG (P)", "avg_eg"),
    "neg_avg_eg": Measure("NegAvgEG (P)", "neg_avg_eg"),
    "tnr_gap": Measure("TNR Gap", "tnr_gap"),
    "tpr_gap": Measure("TPR Gap", "tpr_gap"),
    "disparity_score": Measure("Disparity Score", "disparity_score"),
    "disparity_score_normalised": Measure("Disparity Score (*)", "disparity_score_normalised"),
    "parity_gap": Measure("Parity Gap", "parity_gap"),
}
"""The rows of Figures 1 to 3, by the names that `czarnowska2021_published.toml` has."""
Key = tuple[str, str, str, str]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Values and p-values of some models.

    Attributes:
        kinds: each model, and what it is: "two-class", "three-class" or "tagger".
        values: by model, attribute, measure and group; `TOTAL` is over all groups, undefined values are left out.
        p_values: by model and attribute: the test that the paper chose, Friedman's or of two groups Wilcoxon's.
    """

    kinds: Mapping[str, str]
    values: Mapping[Key, float]
    p_values: Mapping[tuple[str, str], float]

    def value(self, model: str, attribute: str, measure: str, group: str = TOTAL) -> float:
        """A value; NaN where there is none."""
        return self.values.get((model, attribute, measure, group), math.nan)

    def by_group(self, model: str, attribute: str, measure: str) -> dict[str, float]:
        """The values of the groups of an attribute."""
        here = (model, attribute, measure)
        return {key[3]: value for key, value in self.values.items() if key[:3] == here and key[3] != TOTAL}


@cache
def paper_data() -> dict[str, Any]:
    """What the paper prints, as ``czarnowska2021_published.toml`` has it."""
    return tomllib.loads(Path(__file__).with_name("czarnowska2021_published.toml").read_text(encoding="utf-8"))


KINDS = {"SemEval-2": "two-class", "SemEval-3": "three-class", "CoNLL 2003": "tagger"}
"""The paper's models, by the data that they were trained on."""


@cache
def published(*, totals: str = "figure_1") -> Numbers:
    """The paper's own numbers; ``totals``: the figure of the totals, as Figures 1 and 2 differ in some of gender."""
    data = paper_data()
    values: dict[Key, float] = {}
    for model in ("SemEval-2", "SemEval-3"):
        for measure, row in data["figure_1"][model].items():
            for attribute, value in zip(data["figure_1"]["columns"], row, strict=True):
                values[model, attribute, measure, TOTAL] = value
    for name in ("figure_2", "figure_3"):
        for attribute, table in data[name].items():
            for model, rows in table.items():
                for measure, row in rows.items() if model != "columns" else ():
                    for group, value in zip(table["columns"], row, strict=False):  # ratios have no total
                        of = "nationality" if name == "figure_3" else attribute
                        key = (model, of, measure, group)
                        values[key] = values.get(key, value) if totals == "figure_1" else value
    tests = data["table_7"]
    p_values = {
        (model, attribute): p
        for model in ("SemEval-2", "SemEval-3")
        for attribute, p in zip(tests["columns"], tests[model], strict=True)
    }
    return Numbers(KINDS, values, p_values)


def measured(outcomes: Outcomes, *, released: bool, seed: int) -> dict[tuple[str, str], float]:
    """Each measure that the outcomes of a model define, by measure and group.

    A group's value of a pairwise metric is the mean over its pairs. "fnr" is each group's false negative rate itself.
    """
    at = outcomes.positive if outcomes.units is None else outcomes.units.positive
    positive = outcomes.classes[at]
    values: dict[tuple[str, str], float] = {}
    for group, name in enumerate(outcomes.groups):
        kept = outcomes.labelled & (outcomes.group == group)
        if gold := float(outcomes.gold[kept, at].sum()):
            values["fnr", name] = 1 - float(outcomes.correct[kept, at].sum()) / gold
    for name, measure in MEASURES.items():
        label = measure.label or positive
        if label not in outcomes.classes or (name == "neg_avg_eg" and len(outcomes.classes) != 2):
            continue
        rows = compute(measure.metric, outcomes, measure.options(released, seed)).rows()
        known = [row for row in rows if row["class"] in (label, "*") and not math.isnan(row["value"])]
        pairs = METRICS[measure.metric].family == "pairwise" and len(outcomes.groups) > 2
        for row in known:
            if row["left"] == "*" or not pairs or row["right"] == "others":
                values[name, TOTAL if row["left"] == "*" else row["left"]] = float(row["value"])
    return values


def tested(outcomes: Outcomes) -> list[PairedTest]:
    """Friedman's test of three groups or more, Wilcoxon's and the paired t-test of two; nothing of tags."""
    if outcomes.units is None:
        return []
    means = source_means(outcomes, outcomes.classes[outcomes.units.positive])
    if means.shape[1] > 2:
        return [friedman(means)]
    return [_quietly(test, means) for test in (wilcoxon, paired_t)]


def pairs_below(outcomes: Outcomes) -> dict[str, tuple[int, int]]:
    """Of three groups or more the pairs for which Wilcoxon's and the paired t-test are below 0.05, and all pairs."""
    if outcomes.units is None or len(outcomes.groups) < 3:
        return {}
    means = source_means(outcomes, outcomes.classes[outcomes.units.positive])
    pairs = [means[:, pair] for pair in combinations(range(means.shape[1]), 2)]
    return {
        name: (sum(_quietly(test, pair).p_value < 0.05 for pair in pairs), len(pairs))
        for name, test in (("Wilcoxon", wilcoxon), ("paired t", paired_t))
    }


def _quietly(test: Callable[[FloatArray, FloatArray], PairedTest], pair: FloatArray) -> PairedTest:
    """A test of two columns (S, 2), without scipy's warning on differences that are equal but for rounding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return test(pair[:, 0], pair[:, 1])
