"""Every value of a classifier's metrics.csv, recomputed from its examples.parquet: plain loops, nothing of the package.

A score is the average of something over the rows that enter it. A metric compares the scores of two sides, or of all
groups, over all rows or inside each source; pairs and products are listed. What is told of pairs of terms is in
`rederive_terms`: label distances and chance. In neither: taggers, intervals, adjusted p, options of one's own.
150 lines, blank ones apart. A key is (metric, options, class, left, right), a figure (value, n, n_undefined).
"""

from collections.abc import Callable, Sequence
from itertools import chain, combinations, product
from math import isnan, log, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wasserstein_distance

SCORES = """tpr gold hit, fnr gold miss, fpr other hit, tnr other miss, selection every hit, accuracy labelled right,
    las parsed score:las, f1 labelled right, p every p, p_true gold p, p_other other p, p_target labelled p_gold,
    rank labelled p, said every answer, said_true gold answer, gold_said decided truth"""  # which rows, what of them
OVER_CLASSES = ("accuracy", "las", "p_target", "said")  # one number over all classes: "*"
METRICS = {  # level, compared with what, N of the total: metric, score, comparison
    "group everyone sum": """fped fpr apart, fned fnr apart, independence said kl, separation said_true kl, sufficiency
        gold_said kl, auc_equality_difference rank apart, pinned_auc_equality_difference rank pinned_apart""",
    "group everyone mean": "fped_normalised fpr apart, fned_normalised fnr apart, avg_gf p w1, avg_gf_tc p_true w1",
    "group everyone none": "pinned_auc rank pinned",
    "group everyone_else none": """fpr_gap fpr minus, fnr_gap fnr minus, fpr_ratio fpr over, fnr_ratio fnr over,
        avg_eg p_true higher, pos_avg_eg p_true higher, neg_avg_eg p_other higher, positive_aeg p_true higher,
        negative_aeg p_other higher, bpsn_auc rank turned, bnsp_auc rank area""",
    "group itself none": "subgroup_auc rank area",
    "group pair groups": "disparity_score f1 apart",
    "group pair mean": """disparity_score_normalised f1 apart, tpr_gap tpr apart, tnr_gap tnr apart,
        parity_gap selection apart, accuracy_gap accuracy apart, impact_ratio selection share""",
    "group pair signed": """accuracy_difference accuracy minus, tpr_difference tpr minus, f1_difference f1 minus,
        las_difference las minus, recall_difference tpr minus, f1_ratio f1 over, recall_ratio tpr over""",
    "group all none": """demographic_parity_difference selection range, demographic_parity_ratio selection share,
        equal_opportunity_difference tpr range, equal_opportunity_ratio tpr share, equalized_odds_ratio fpr+tpr share,
        equalized_odds_difference fpr+tpr range, fnr_range fnr range, fpr_range fpr range, f1_range f1 range,
        accuracy_range accuracy range""",
    "source pair mean": """cf_gap p cross, cf_gap_tc p_true cross, pert_ss p_target cross, avg_if p w1,
        avg_if_tc p_true w1, changed_answers selection cross""",
    "source pair signed": "avg_score_difference p minus, answer_difference selection minus",
    "source control mean": "cf_gap_unmarked p cross",
    "source control none": "pert_ss_unmarked p_target cross",
    "source all none": "pert_sd p_target sd, pert_sr p_target spread",
    "source each_else none": "pi_metric tpr missed",
}
LINES = {line.split()[0]: (*k.split(), *line.split()[1:]) for k, v in METRICS.items() for line in v.split(",")}
WHAT = {name: (enters, value) for name, enters, value in map(str.split, SCORES.split(","))}
Rows = list[dict[Any, Any]]
Side = tuple[Any, Any]  # values, and their weights
Figures = dict[tuple[str, ...], tuple[float, int, int]]


def read(table: pd.DataFrame, classes: list[str], c: str) -> Rows:
    """The rows, with what scores of class c ask of each; a gold class that the model lacks is none."""
    label, said = table["label"].where(table["label"].isin(classes), ""), table["predicted"]
    rows = table.assign(
        every=True, labelled=label != "", gold=label == c, other=~label.isin(["", c]), p=table[f"p:{c}"]
    )
    rows["p_gold"] = [row[f"p:{one}"] if one else nan for one, row in zip(label, table.to_dict("records"), strict=True)]
    rows = rows.assign(hit=said == c, miss=said != c, right=said == label, decided=(label != "") & (said == c))
    numbers = {"answer": said.map(classes.index), "truth": label.map(["", *classes].index)}
    return rows.assign(**numbers, parsed=rows["score:las"].notna()).to_dict("records")


def average(x: Any, weight: Any) -> float:
    return float((x * weight).sum() / weight.sum()) if weight.sum() else nan


def scored(rows: Rows, score: str) -> Side:
    """The values of the rows that enter, and their weights; F1 = right / (gold or predicted), what is both twice."""
    enters, value = WHAT[score]
    kept = [(r[value], r["weight"] * (r["gold"] + r["hit"] if score == "f1" else 1)) for r in rows if r[enters]]
    return np.array([x for x, w in kept if w], float), np.array([w for _, w in kept if w], float)


def pairs(a: Side, b: Side, d: Callable[..., Any] = lambda x, y: (x > y) + (x == y) / 2) -> float:
    return average(d(a[0][:, None], b[0]), a[1][:, None] * b[1])  # by default an area: the first higher, ties half


def over_product(spread: Any, sides: list[Side]) -> float:  # expected, with one row from each group that is there
    there = [list(zip(*side, strict=True)) for side in sides if len(side[1])]
    rows = np.array(list(product(*there))) if len(there) > 1 else np.zeros((0, 2, 2))
    return average(spread(rows[:, :, 0], axis=1), rows[:, :, 1].prod(axis=1))


def areas(how: str, true: list[Side], other: list[Side]) -> float:
    up, down = (np.array([one[1].sum() for one in sides]) for sides in (true, other))
    area, mass = np.array([[pairs(t, f) for f in other] for t in true]), np.where(up + down > 0, up + down, nan)
    pinned = average(np.nan_to_num(area), np.outer(up / mass, down / mass))  # of both together, each of weight 1
    found = {"area": area[0, 1], "turned": area[1, 0], "apart": abs(area[0, 0] - area[1, 1]), "pinned": pinned}
    return float({**found, "pinned_apart": abs(area[1, 1] - pinned)}[how])


def compare(how: str, score: str, sides: list[Rows]) -> float:  # the first side with the second, or all groups
    if "+" in score:  # of two scores what is further from equal
        return float({"range": np.max, "share": np.min}[how]([compare(how, one, sides) for one in score.split("+")]))
    every = [scored(rows, score) for rows in sides]
    if how in ("sd", "spread"):
        return over_product({"sd": np.std, "spread": np.ptp}[how], every)
    if score == "rank":
        return areas(how, *([scored(rows, name) for rows in sides] for name in ("p_true", "p_other")))
    means = [average(*side) for side in every if len(side[1])]
    if len(means) < 2 or not (len(every[0][1]) or how in ("range", "share")):
        return nan
    (x, u), (y, v), m, k, high = every[0], every[-1], means[0], means[-1], max(means)
    found: dict[str, Any] = {
        "apart": abs(m - k),
        "minus": m - k,
        "over": m / k if k else nan,
        "missed": (1 - m) * np.mean(means[1:]),
    }
    found |= {"range": high - min(means), "share": min(means) / high if high else nan}
    by_value: dict[str, Callable[[], Any]] = {
        "higher": lambda: pairs((x, u), (y, v)) - 1 / 2,
        "cross": lambda: pairs((x, u), (y, v), lambda one, two: abs(one - two)),
        "w1": lambda: wasserstein_distance(x, y, u, v),
        "kl": lambda: sum(p * log(p / average(y == one, v)) for one in set(x) if (p := average(x == one, u))),
    }
    return float(found[how] if how in found else by_value[how]())


def figures(name: str, rows: Rows, groups: list[str]) -> Figures:  # of one metric and class
    level, against, divisor, score, how = LINES[name]
    others = {g: [x for x in groups if x != g] for g in groups}
    sides = {
        "pair": [(s, t, [[s], [t]]) for s, t in combinations(groups, 2)],
        "all": [("*", "", [[g] for g in groups])],
        "itself": [(g, "", [[g], [g]]) for g in groups],
        "control": [(g, "unmarked", [[g], ["unmarked"]]) for g in groups],
        "everyone": [(g, "everyone", [[g], groups]) for g in groups],
        "everyone_else": [(g, "everyone_else", [[g], others[g]]) for g in groups],
        "each_else": [(g, "everyone_else", [[g], *([x] for x in others[g])]) for g in groups],
    }[against]
    sources = {s: [r for r in rows if r["source"] == s] for s in dict.fromkeys(r["source"] for r in rows)}
    there = {s: {r["group"] for r in part if r[WHAT[score.split("+")[0]][0]]} for s, part in sources.items()}
    blocks = {"": rows} if level == "group" else {s: x for s, x in sources.items() if x[0]["symmetric"] == "yes"}
    found, seen = Figures(), set()
    for left, right, members in sides:
        parts = {s: [[r for r in x if r["group"] in side] for side in members] for s, x in blocks.items()}
        of = {s: x for s, part in parts.items() if not isnan(x := compare(how, score, part))}
        entered = set(of) if level == "source" else {s for s in there if there[s].intersection(*[chain(*members)])}
        lost = sum(bool(there.get(s, 1)) for s in blocks) - len(of)
        found[left, right] = sum(of.values()) / (len(of) or nan), len(entered), lost
        seen |= entered
    return found if against == "all" else with_totals(found, len(seen), divisor, groups)


def with_totals(found: Figures, n_total: int, divisor: str, groups: list[str]) -> Figures:
    if divisor == "none" or (divisor == "signed" and len(groups) > 2):
        return found
    fine = {pair: figure for pair, figure in found.items() if not isnan(figure[0])}
    size = {"sum": 1, "signed": 1, "mean": len(fine), "groups": len(set(chain(*fine)))}[divisor]
    total = sum(x for x, _, _ in fine.values()) / size if fine else nan, n_total, len(found) - len(fine)
    for g in groups if len(groups) > 2 and all(right in groups for _, right in found) else []:
        kept = [figure for pair, figure in fine.items() if g in pair]
        mean, n = sum(x for x, _, _ in kept) / (len(kept) or nan), max((n for _, n, _ in kept), default=0)
        found[g, "others"] = mean, n, len(groups) - 1 - len(kept)
    return {**found, ("*", ""): total}


def derive(table: pd.DataFrame, asked: set[tuple[str, str]], positive: str, order: Sequence[str] = ()) -> Figures:
    defaults = {"label": "", "source": range(len(table)), "weight": 1.0, "symmetric": "yes", "score:las": nan}
    table = pd.DataFrame({**defaults, **table})
    classes, found = [name[2:] for name in table.columns if name.startswith("p:")], Figures()
    for c, options in product(classes, {options for _, options in asked}):
        rows = read(table, classes, c)
        if options == "by=term":
            rows = [{**r, "group": r["group"] if r["group"] == "unmarked" else r["term"]} for r in rows]
        groups = list(order) or [g for g in dict.fromkeys(r["group"] for r in rows) if g != "unmarked"]
        for name in sorted(name for name, way in asked if way == options):
            if name not in ("pos_avg_eg", "neg_avg_eg") or c == positive:
                key = name, options, "*" if LINES[name][3] in OVER_CLASSES else c
                found |= {(*key, *sides): figure for sides, figure in figures(name, rows, groups).items()}
    return found
