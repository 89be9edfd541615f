"""The statements of Kocijan et al. 2021, decided by our numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
from kocijan2021_data import BASELINES, GROUND_TRUTH, GapData, kept_percent, largest_mean
from paper import Statement, paper_numbers, statement
from scipy.stats import spearmanr

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal
from fairness_checklist.extensions.balance.weighted_accuracy import randomization_test
from fairness_checklist.extensions.balance.weighting import Balance

__all__ = ["NO_NAMES", "PAPER", "bias_statements", "data_statements", "pair_statements", "weight_statements"]

PAPER = "kocijan2021"
_VISIBLE, _SYSTEMS, _LEVEL = 0.02, 5, 0.05
NO_NAMES = "the texts have no annotation of names (gap-test-name-spans.json)."


def data_statements(data: GapData, weights: Mapping[str, Balance]) -> list[Statement]:
    says = {
        "n_names": "Feminine examples hold more personal names than masculine ones.",
        "position": "The right name is further away from the pronoun in feminine examples.",
    }
    smaller = "A subsample that is balanced in both properties keeps less than 70 percent of the examples."
    if not data.annotated:
        places = {**dict.fromkeys(says.values(), "section 3.3"), smaller: "section 3.4"}
        return [statement(place, text, None, NO_NAMES) for text, place in places.items()]
    n = len(data.table)
    means = data.table.groupby("gender")[list(says)].mean()
    found = [
        statement(
            "section 3.3",
            text,
            bool(means[name]["F"] > means[name]["M"]),
            f"means {means[name]['F']:.2f} (feminine) and {means[name]['M']:.2f} (masculine).",
        )
        for name, text in says.items()
    ]
    kept, pairs = kept_percent(weights["W"], n), 100 * matched_rows(weights["W"]) / n
    because = (
        f"the largest subsample matched in both jointly keeps {pairs:.1f} percent; balanced in each property, as the "
        f"weights are, {kept:.1f} percent. Seen if the first is below 70."
    )
    return [*found, statement("section 3.4", smaller, pairs < 70, because)]


def matched_rows(weights: Balance) -> int:
    """The rows of the largest subsample in which every combination of values is as frequent in both groups."""
    cells = weights.cells
    pairs: dict[tuple[int, ...], list[int]] = {}
    for value, group, n in zip(cells.value.tolist(), cells.group.tolist(), cells.count.tolist(), strict=True):
        pairs.setdefault(tuple(value), [0, 0])[group] += int(n)
    return 2 * sum(map(min, pairs.values()))


def bias_statements(own: pd.DataFrame, systems: pd.DataFrame) -> list[Statement]:
    """What Tables 1 and 2 show; a distance is that of a ratio from 1."""
    own = own[own["acc-Bias"].notna()]  # without baselines that are never right for one gender
    apart = (own - 1).abs()
    weighted = "W-Bias" in own.columns
    known = own["F1-Bias"].notna()
    found = [
        statement(
            "section 3.2",
            "Unbiased baselines get ratios of accuracies that are far from 1.",
            bool((apart["acc-Bias"] > 0.05).all()) if len(own) else None,
            f"acc-Bias from {decimal(own['acc-Bias'].min())} to {decimal(own['acc-Bias'].max())} in "
            f"{count(len(own), 'baseline')}; seen if all are .05 or more from 1.",
        ),
        statement(
            "section 3.2",
            "acc-Bias is usually further from 1 than F1-Bias.",
            bool((apart["acc-Bias"] > apart["F1-Bias"])[known].mean() > 0.5) if known.any() else None,
            f"so in {(apart['acc-Bias'] > apart['F1-Bias'])[known].sum()} of {known.sum()} baselines."
            if known.any()
            else "F1 needs the texts (gap-test.tsv).",
        ),
    ]
    printed = (paper_numbers(PAPER, "Table 1") - 1).abs()
    for random, alone, middle in ((True, "position", "Wdist-Bias"), (False, "number of names", "Wnum-Bias")):
        says = (
            f"For {'random' if random else 'Dist-k'} baselines balancing the {alone} alone does not move the ratio "
            "away from 1, and balancing both properties brings it nearer."
        )
        ours, theirs = (_in_order(one, random, middle) for one in (apart, printed))
        other = ", ".join(name for name, holds in theirs.items() if not holds)
        because = f"holds in {sum(ours.values())} of {count(len(ours), 'baseline')} (seen if in all); in the paper's "
        because += f"own table in {sum(theirs.values())} of {len(theirs)}{other and f', not for {other}'}."
        found.append(
            statement("section 3.4", says, all(ours.values()) if ours else None, because if ours else NO_NAMES)
        )
    exact = apart[[str(name).startswith(GROUND_TRUTH) for name in apart.index]]
    most = float(exact["W-Bias"].max()) if weighted else math.nan
    found.append(
        statement(
            "section 3.4",
            "With weights the ratio of baselines on annotated names is 1.",
            None if math.isnan(most) else most < 0.01,
            f"W-Bias is at most {decimal(most, places=4)} from 1; seen if below .01." if weighted else NO_NAMES,
        )
    )
    return [*found, *_system_statements(systems)]


def _in_order(apart: pd.DataFrame, random: bool, middle: str) -> dict[str, bool]:
    """Of each baseline whether the distances from 1 fall from acc-Bias over one property's weights to W-Bias."""
    rows = apart[[str(name).endswith(BASELINES[0]) == random for name in apart.index]]
    if "W-Bias" not in rows.columns:
        return {}
    order = (rows["W-Bias"] <= rows[middle] + 1e-9) & (rows[middle] <= rows["acc-Bias"] + 1e-9)
    return {str(name): bool(one) for name, one in order.items()}


def _system_statements(systems: pd.DataFrame) -> list[Statement]:
    says = ("Only a few systems change their ratio visibly with the weights.", "Systems with a higher F1 change less.")
    if len(systems) < _SYSTEMS or "W-Bias" not in systems.columns:
        missing = f"needs the names' annotation and answers of {_SYSTEMS} systems or more ({len(systems)} given)."
        return [statement("section 3.6", text, None, missing) for text in says]
    change = (systems["W-Bias"] - systems["acc-Bias"]).abs()
    rho = float(spearmanr(systems["F1"], change).statistic)
    return [
        statement(
            "section 3.6",
            says[0],
            bool((change > _VISIBLE).mean() < 0.5),
            f"{(change > _VISIBLE).sum()} of {len(change)} change by more than {_VISIBLE}; seen if fewer than half do.",
        ),
        statement("section 3.6", says[1], rho < 0, f"rank correlation of F1 and the change: {decimal(rho, places=2)}."),
    ]


def pair_statements(data: GapData, weights: Mapping[str, Balance]) -> list[Statement]:
    """The randomization tests of section 3.6, of systems with the names of Table 2."""
    printed = paper_numbers(PAPER, "Section 3.6")["p"]
    kept = data.table["has_answer"].to_numpy()
    found = []
    for pair, p in printed.items():
        first, second = str(pair).split("|")
        says = f"{first} and {second} {'differ' if p < _LEVEL else 'do not differ'} significantly in Wt-Bias (p = {p})."
        if not weights or not {first, second} <= set(data.systems):
            missing = f"needs the names' annotation and the answers {first}.tsv and {second}.tsv."
            found.append(statement("section 3.6", says, None, missing))
            continue
        answers = [data.systems[name].right[kept] for name in (first, second)]
        ours = randomization_test(answers[0], answers[1], weights["Wt"]).p_value
        found.append(statement("section 3.6", says, (ours < _LEVEL) == (p < _LEVEL), f"p = {decimal(ours)}."))
    return found


def weight_statements(weights: Mapping[str, Balance]) -> list[Statement]:
    says = (
        "Fewer than 1 percent of the weights are 0, and a few are large.",
        "Trimming solves the problem of large weights: the ten largest are smaller, and none is 0.",
    )
    if not weights:
        return [statement("section 3.5", text, None, NO_NAMES) for text in says]
    whole, trimmed = weights["W"], weights["Wt"]
    zero, large = whole.zero_rows.sum() / whole.n, int((whole.weight > 4).sum())
    before, after = largest_mean(whole, 10), largest_mean(trimmed, 10)
    return [
        statement(
            "section 3.5",
            says[0],
            bool(zero < 0.01 and 0 < large < 0.01 * whole.n),
            f"{whole.zero_rows.sum()} of {whole.n:,} are 0, {large} above 4, the largest {largest_mean(whole, 1):.2f}.",
        ),
        statement(
            "section 3.5",
            says[1],
            bool(after < before and not trimmed.zero_rows.sum()),
            f"mean of the ten largest {after:.2f} after {before:.2f}; {trimmed.zero_rows.sum()} are 0.",
        ),
    ]
