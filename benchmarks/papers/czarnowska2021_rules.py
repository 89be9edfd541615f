"""How each statement of sections 5 to 7 of Czarnowska, Vyas and Shah (2021) is decided from numbers.

A rule looks at one model, and gives whether the pattern is there, with the figures that decide; None for the first
where its precondition fails, and alone where figures are missing. ``czarnowska2021_statements.toml`` has the
statements, and the wording of the rules.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from czarnowska2021_numbers import TOTAL, Numbers, paper_data, published
from paper import PRINTED, Statement, statement, verdict_of

from fairness_checklist.core.formatting import decimal, join_names

__all__ = ["ATTRIBUTES", "FIGURE_1", "RULES", "judged", "statements"]

Answer = tuple[bool | None, str]
ATTRIBUTES: tuple[str, ...] = tuple(paper_data()["figure_1"]["columns"])
FIGURE_1: tuple[str, ...] = tuple(name for name in paper_data()["figure_1"]["SemEval-2"])
_ON_PROBABILITIES = (
    "cf_gap_tc",
    "avg_if_tc",
    "cf_gap",
    "avg_if",
    "pert_ss",
    "pert_sr",
    "pert_sd",
    "avg_gf",
    "avg_gf_tc",
)
_ON_PREDICTIONS = (
    "fned_normalised", "fped_normalised", "tnr_gap", "tpr_gap", "disparity_score_normalised", "parity_gap",
)  # fmt: skip
SIXTHS: Mapping[str, str] = {
    name: f"{at}q" for at, name in enumerate(paper_data()["figure_3"]["nationality"]["columns"][:-1], start=1)
}
"""The sixths of countries by GDP, from the highest, and what the paper calls them by its text."""


@dataclass(frozen=True)
class Of:
    """The numbers of one model."""

    numbers: Numbers
    model: str

    def value(self, attribute: str, measure: str, group: str = TOTAL) -> float:
        return self.numbers.value(self.model, attribute, measure, group)

    def groups(self, attribute: str, measure: str) -> dict[str, float]:
        return self.numbers.by_group(self.model, attribute, measure)

    def sixths(self, measure: str) -> dict[str, float]:
        """The values of the sixths of countries, by the paper's names 1q to 6q."""
        return {SIXTHS[group]: value for group, value in self.groups("nationality", measure).items()}

    def p_value(self, attribute: str) -> float:
        return self.numbers.p_values.get((self.model, attribute), math.nan)

    def scaled(self) -> pd.Series:
        """The mean of each attribute over the rows of Figure 1 that are not all 0, each scaled by its largest value."""
        rows = self.figure_1()
        largest = rows.max(axis=1)
        return rows.div(largest.where(largest >= PRINTED), axis=0).mean()

    def figure_1(self) -> pd.DataFrame:
        """Figure 1: a row a metric, a column an attribute."""
        cells = [[self.value(attribute, row) for attribute in ATTRIBUTES] for row in FIGURE_1]
        return pd.DataFrame(cells, index=list(FIGURE_1), columns=list(ATTRIBUTES))


Rule = Callable[[Of], Answer | None]
RULES: dict[str, tuple[tuple[str, ...], Rule]] = {}
_SENTIMENT = ("two-class", "three-class")


def _of(*kinds: str) -> Callable[[Rule], Rule]:
    """Enter a rule, with the kinds of models that it is about."""

    def entered(rule: Rule) -> Rule:
        RULES[rule.__name__] = (kinds, rule)
        return rule

    return entered


def _is_first(name: str, values: Mapping[str, float] | pd.Series, *, lowest: bool = False) -> Answer:
    """Whether a name has the largest value, or the lowest; with the next or the first one."""
    known = pd.Series(values, dtype=np.float64).dropna()
    if name not in known or not known.any():
        return False, "no value above 0"
    ordered = [str(other) for other in known.sort_values(ascending=lowest, kind="stable").index]
    shown = list(dict.fromkeys([ordered[0], name, *ordered]))[:2]
    return ordered[0] == name, ", ".join(f"{other} {decimal(values[other])}" for other in shown)


@_of(*_SENTIMENT)
def bias_in_most(of: Of) -> Answer:
    found = [name for name in ATTRIBUTES if max(of.value(name, "tpr_gap"), of.value(name, "tnr_gap")) >= 0.02]
    return len(found) > len(ATTRIBUTES) / 2, f"{len(found)} of {len(ATTRIBUTES)} attributes"


@_of(*_SENTIMENT)
def disability_most(of: Of) -> Answer:
    return _is_first("disability", of.scaled())


@_of(*_SENTIMENT)
def nationality_least(of: Of) -> Answer:
    return _is_first("nationality", of.scaled(), lowest=True)


@_of(*_SENTIMENT)
def metrics_disagree(of: Of) -> Answer | None:
    rows = of.figure_1().round(6)
    rows = rows[rows.nunique(axis=1) > 1]
    if len(rows) < 2:
        return None
    related = rows.T.corr(method="spearman").to_numpy()[np.triu_indices(len(rows), 1)]
    low = int((related < 0.5).sum())
    median = decimal(float(np.nanmedian(related)))
    return low >= len(related) / 4, f"{low} of {len(related)} pairs below 0.5, median {median}"


@_of(*_SENTIMENT)
def similar_trends(of: Of) -> Answer | None:
    models = [name for name, kind in of.numbers.kinds.items() if kind in _SENTIMENT]
    if len(models) == 1:
        return None, "one model alone"
    cells = pd.DataFrame({name: Of(of.numbers, name).figure_1().to_numpy().ravel() for name in models})
    later = cells.corr(method="spearman")[of.model].iloc[models.index(of.model) + 1 :]  # each pair once
    shown = ", ".join(f"with {other} {decimal(value)}" for other, value in later.items())
    return (bool((later >= 0.5).all()), f"rank correlation {shown}") if len(later) else None


@_of("two-class")
def cis_most(of: Of) -> Answer | None:
    rows = pd.DataFrame({row: of.groups("gender", row) for row in ("fned", "avg_gf", "avg_gf_tc", "avg_eg")}).abs()
    if "cis" not in rows.index:
        return None
    return _is_first("cis", (rows / rows.max().where(rows.max() >= PRINTED)).mean(axis=1))


@_of("tagger")
def richest_apart(of: Of) -> Answer | None:
    gaps, ratios = of.sixths("tpr_gap"), of.sixths("fnr_ratio")
    if not {"1q"} <= gaps.keys() & ratios.keys():
        return None
    first, text = _is_first("1q", gaps)
    return (
        first and gaps["1q"] >= 0.05 and ratios["1q"] >= 1.5,
        f"TPR Gap: {text}; FNR Ratio of 1q {decimal(ratios['1q'])}",
    )


def _fned_alone(of: Of) -> list[str]:
    """The gender groups with a large FNED and hardly any FPED, the largest first."""
    fned, fped = of.groups("gender", "fned"), of.groups("gender", "fped")
    found = [group for group in fned if fned[group] >= 0.05 and fped.get(group, math.nan) < fned[group] / 10]
    return sorted(found, key=lambda group: -fned[group])


@_of("two-class")
def fned_without_fped(of: Of) -> Answer | None:
    if not (fned := of.groups("gender", "fned")):
        return None
    found = _fned_alone(of)
    shown = found or [max(fned, key=fned.__getitem__)]
    texts = [f"{one}: FNED {decimal(fned[one])}, FPED {decimal(of.value('gender', 'fped', one))}" for one in shown]
    return bool(found), "; ".join(texts)


@_of("two-class")
def positive_only(of: Of) -> Answer | None:
    if not of.groups("gender", "fned"):
        return None
    found = _fned_alone(of)
    return _positive_only(of, found[0]) if found else (None, "no such group")


@_of("two-class")
def true_class_locates(of: Of) -> Answer | None:
    return _positive_only(of, TOTAL)


def _positive_only(of: Of, group: str) -> Answer | None:
    positive, negative = (of.value("gender", name, group) for name in ("avg_gf_tc", "avg_gf_tc_negative"))
    if math.isnan(positive + negative):
        return None
    text = f"AvgGF (TC), {group}: positive class {decimal(positive)}, negative class {decimal(negative)}"
    return positive > 0 and positive >= 5 * negative, text


@_of("two-class")
def ratio_amplifies(of: Of) -> Answer | None:
    ratios, total = of.groups("names", "fnr_ratio"), of.value("names", "fned")
    if not ratios:
        return None
    largest = max(ratios.values())
    rates = of.groups("names", "fnr")
    if max(rates.values(), default=0.0) >= 0.2:
        shown = ", ".join(f"{group} {decimal(rate)}" for group, rate in rates.items())
        return None, f"the false negative rates are not low: {shown}"
    return largest >= 1.5 and total <= 0.02, f"FNR Ratio {decimal(largest)}, FNED {decimal(total)}"


@_of("tagger")
def total_dilutes(of: Of) -> Answer | None:
    texts, found = [], False
    for row, title in (("tpr_gap", "TPR Gap"), ("parity_gap", "Parity Gap")):
        gaps, total = of.sixths(row), of.value("nationality", row)
        if not gaps:
            return None
        top = max(gaps, key=gaps.__getitem__)
        found |= gaps[top] >= 2 * total > 0
        texts.append(f"{title}: {top} {decimal(gaps[top])}, total {decimal(total)}")
    return found, "; ".join(texts)


@_of("two-class")
def aab_subtle(of: Of) -> Answer | None:
    return _subtle(of, "gender", "aab")


@_of("three-class")
def names_subtle(of: Of) -> Answer | None:
    return _subtle(of, "names", "female")


def _subtle(of: Of, attribute: str, group: str) -> Answer | None:
    probability, decided = (of.value(attribute, row, group) for row in ("avg_gf_tc", "fned"))
    if math.isnan(probability + decided):
        return None
    text = f"AvgGF (TC) {decimal(probability, places=4)}, FNED {decimal(decided, places=4)}"
    return probability - decided >= 0.005, text


@_of("tagger")
def all_tokens_smaller(of: Of) -> Answer | None:
    whole, true_class = (of.value("nationality", row) for row in ("avg_gf", "avg_gf_tc"))
    if math.isnan(whole + true_class):
        return None
    return 0 < whole <= true_class / 5, f"AvgGF {decimal(whole, places=4)}, AvgGF (TC) {decimal(true_class, places=4)}"


@_of("two-class")
def cis_lowest(of: Of) -> Answer | None:
    gaps = of.groups("gender", "avg_eg")
    if "cis" not in gaps:
        return None
    first, text = _is_first("cis", gaps, lowest=True)
    return first and gaps["cis"] < 0, text


@_of("tagger")
def richest_lower(of: Of) -> Answer | None:
    gaps = of.sixths("avg_eg")
    known = [gaps[name] for name in ("1q", "2q") if name in gaps]
    return (max(known) < 0, f"1q {decimal(known[0])}, 2q {decimal(known[1])}") if len(known) == 2 else None


@_of(*_SENTIMENT)
def p_is_no_size(of: Of) -> Answer | None:
    known = {name: of.p_value(name) for name in ATTRIBUTES if not math.isnan(of.p_value(name))}
    gaps = {name: of.value(name, "cf_gap_tc") for name in known}
    pairs = [sorted(pair, key=gaps.__getitem__) for pair in combinations(known, 2) if gaps[pair[0]] != gaps[pair[1]]]
    found = [(low, high) for low, high in pairs if known[low] < known[high]]
    if not pairs or not found:
        return (False, f"none of {len(pairs)} pairs") if pairs else None
    low, high = max(found, key=lambda pair: gaps[pair[1]] - gaps[pair[0]])
    shown = "; ".join(f"{name} {decimal(gaps[name])}, p = {known[name]:.1e}" for name in (high, low))
    return True, f"{len(found)} of {len(pairs)} pairs, such as {shown}"


@_of(*_SENTIMENT)
def nationality_significant(of: Of) -> Answer | None:
    p, place = of.p_value("nationality"), float(of.scaled().rank()["nationality"])
    text = f"p = {p:.1e}, mean number {place:.0f} of {len(ATTRIBUTES)} from the lowest"
    return None if math.isnan(p + place) else (p < 0.05 and place <= 2, text)


@_of("three-class")
def names_significant(of: Of) -> Answer | None:
    p, fned = of.p_value("names"), of.value("names", "fned")
    return None if math.isnan(p) else (p < 0.05 and fned <= 0.1, f"p = {p:.1e}, FNED {decimal(fned)}")


@_of(*_SENTIMENT)
def probability_sensitive(of: Of) -> Answer | None:
    rows = of.figure_1()
    kinds = [rows.loc[list(names)].to_numpy().ravel() for names in (_ON_PROBABILITIES, _ON_PREDICTIONS)]
    known = [values[~np.isnan(values)] for values in kinds]
    if not all(map(len, known)):
        return None
    one, two = (float((values < 0.01).mean()) for values in known)
    return one < two, f"{one:.0%} on probabilities, {two:.0%} on predictions"


def judged(rule: str, numbers: Numbers) -> tuple[bool | None, str]:
    """Whether a pattern is in the numbers of every model it is about, and the figures; None where none can decide."""
    kinds, function = RULES[rule]
    models = [name for name, kind in numbers.kinds.items() if kind in kinds]
    answers = {name: answer for name in models if (answer := function(Of(numbers, name))) is not None}
    if not answers:
        wanted = join_names([f"{kind} model" if kind != "tagger" else kind for kind in kinds], last="or")
        return None, f"No {wanted} with these figures was measured"
    ends = {True: "", False: " (not seen)", None: " (not testable)"}
    shown = [f"{name}: {text}{ends[seen]}" for name, (seen, text) in answers.items()]
    decided = [seen for seen, _ in answers.values() if seen is not None]
    return all(decided) if decided else None, "; ".join(shown)


def _other_reading(numbers: Numbers) -> Numbers:
    """The numbers with 1q as the sixth of the lowest GDP, as the released files have it."""
    turned = dict(zip(SIXTHS, [*SIXTHS][::-1], strict=True))
    values = {(*key[:3], turned.get(key[3], key[3])): value for key, value in numbers.values.items()}
    return Numbers(numbers.kinds, values, numbers.p_values)


@cache
def _listed() -> list[dict[str, Any]]:
    text = Path(__file__).with_name("czarnowska2021_statements.toml").read_text(encoding="utf-8")
    listed: list[dict[str, Any]] = tomllib.loads(text)["statement"]
    return listed


class Judged(NamedTuple):
    """A statement, and what else is known of its verdict."""

    statement: Statement
    differs: bool = False  # whether it is another one by the definitions of the released code
    by_chance: bool = False  # whether more than half of the random assignments of terms to groups show the pattern


def statements(ours: Numbers, released: Numbers, chance: Sequence[Numbers]) -> list[Judged]:
    """Each statement with its verdict by our definitions, and beside it those by others.

    Args:
        ours, released: numbers by our definitions, and by those of the released code.
        chance: numbers by our definitions with terms assigned to groups at random.
    """
    found = []
    for entry in _listed():
        place, says = entry["place"], entry["says"]
        if "rule" not in entry:
            found.append(Judged(statement(place, says, None, entry["because"])))
            continue
        seen, here = judged(entry["rule"], ours)
        verdict, other = verdict_of(seen), verdict_of(judged(entry["rule"], released)[0])
        parts = [here, f"In the paper: {judged(entry['rule'], published())[1]}", f"Rule: {entry['seen_if']}"]
        if entry.get("sixths"):
            read, text = judged(entry["rule"], _other_reading(ours))
            parts.append(
                "1q is the sixth with the highest GDP, as the paper's text says; its released files put the lowest GDP "
                f"in 1q, and read so it is {verdict_of(read)}" + (f" ({text})" if read is not None else "")
            )
        random = sum(judged(entry["rule"], numbers)[0] is True for numbers in chance)
        if chance and seen is not None:
            parts.append(f"With terms assigned to groups at random: seen in {random} of {len(chance)}")
        if other != verdict:
            parts.append(f"With the released code's definitions: {other}")
        because = " ".join(f"{part}." for part in parts)
        found.append(Judged(statement(place, says, seen, because), other != verdict, random > len(chance) / 2))
    return found
