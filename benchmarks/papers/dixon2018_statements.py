"""The statements of Dixon et al. 2018, decided by our numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from dixon2018_data import MODELS, PAPER, DixonData
from paper import Statement, paper_numbers, statement

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, join_names, percent
from fairness_checklist.extensions.corpora.audit import ALL, Audit
from fairness_checklist.extensions.corpora.exact_tests import skew_p_values
from fairness_checklist.extensions.corpora.mitigation_loop import LOW_AREA
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import TermBias, compare_runs
from fairness_checklist.statistics.multiplicity import holm, significant

__all__ = ["audit_statements", "bias_statements", "mitigation_statements", "toy_statements"]

_LARGEST_LOSS = 0.005


def toy_statements(bias: TermBias) -> list[Statement]:
    """What Table 3 shows."""
    own = bias.table.set_index("term")
    inside, pinned = own["subgroup_auc"], own["pinned_auc"]
    return [
        statement(
            "Table 3",
            "Where one group's scores are shifted for both classes, the AUC inside each group does not show it, and "
            "that of all groups together falls.",
            bool(np.ptp(inside) < 0.005 and bias.auc < inside.min() - 0.05),
            f"AUC inside the groups {decimal(inside.min(), places=2)} to {decimal(inside.max(), places=2)}, together "
            f"{decimal(bias.auc, places=2)}; seen if the first differ by less than .005 and the last is .05 lower.",
        ),
        statement(
            "Table 3",
            "Pinned AUC is lowest for the group whose scores are shifted.",
            bool(pinned["short"] < pinned.drop("short").min() - 0.005),
            f"pinned AUC of short {decimal(pinned['short'], places=2)}, of the others "
            f"{decimal(pinned.drop('short').min(), places=2)}.",
        ),
    ]


def audit_statements(audit: Audit | None) -> list[Statement]:
    """Table 1 and Figure 1, of the user's corpus."""
    says = "Identity terms are disproportionately frequent in toxic comments of the training data."
    lengths = "Shorter comments are more often toxic."
    if audit is None:
        missing = "no corpus was given (train.csv in the folder of data)."
        return [statement("Table 1", says, None, missing), statement("Figure 1", lengths, None, missing)]
    more = audit.terms[audit.terms["skew"] == "more"]
    there = int((audit.terms["n"] > 0).sum())
    whole = audit.buckets[(audit.buckets["term"] == ALL) & audit.buckets["share"].notna()]
    known = whole[whole["bucket"].isin(list(paper_numbers(PAPER, "Figure 1").columns))]
    shares = known["share"].tolist()
    falls = all(first >= second for first, second in pairwise(shares)) if len(shares) > 1 else None
    return [
        statement(
            "Table 1",
            says,
            bool(len(more)) if there else None,
            f"{len(more)} of {count(there, 'term')} found are clearly more frequent in toxic comments (exact test, "
            "adjusted).",
        ),
        statement(
            "Figure 1",
            lengths,
            falls,
            f"toxic by length, short to long: {', '.join(map(percent, shares)) or 'no comments of these lengths'}; "
            "seen if it never rises.",
        ),
    ]


def clearly_higher(bias: TermBias) -> int:
    """How many error rates of terms are clearly above that of all phrases.

    The texts of one gold class with the term are compared with the others of this class by Fisher's exact test,
    adjusted over both rates of all terms (Holm).
    """
    p_values, above = [], []
    n_negative = bias.n - bias.n_positive
    with_term = bias.table["n_positive"].to_numpy()
    for rate, overall, n, size in (
        (bias.table["fpr"], bias.fpr, bias.table["n"].to_numpy() - with_term, n_negative),
        (bias.table["fnr"], bias.fnr, with_term, bias.n_positive),
    ):
        errors = np.rint(np.nan_to_num(rate) * n).astype(np.int64)
        p_values.append(np.where(n > 0, skew_p_values(errors, n, round(overall * size), size), np.nan))
        above.append((rate > overall).to_numpy())
    return int((significant(holm(np.concatenate(p_values))) & np.concatenate(above)).sum())


def bias_statements(runs: Mapping[str, Sequence[TermBias]]) -> list[Statement]:
    """Error rates by term of the first model, the baseline where there is one."""
    says = "Error rates of a model without mitigation differ between identity terms."
    if not runs:
        return [statement("Figure 3", says, None, "no phrases with scores.")]
    model = MODELS[0] if MODELS[0] in runs else next(iter(runs))
    first = runs[model][0]
    higher = clearly_higher(first)
    low, high = first.table["fpr"].min(), first.table["fpr"].max()
    return [
        statement(
            "Figure 3",
            says,
            higher > 0,
            f"{model}: false positive rates by term from {percent(low)} to {percent(high)}, all phrases "
            f"{percent(first.fpr)}; clearly higher rates of terms (exact test, adjusted): {higher}.",
        )
    ]


def mitigation_statements(data: DixonData) -> list[Statement]:
    """Tables 4 and 5: the mitigated model beside the baseline and the control."""
    says = {
        "fped": ("Table 5", "Balancing the training data lowers the false positive equality difference, and as much "
                 "random text does not lower it as far."),
        "pinned_auc_equality_difference": ("Table 5", "Balancing lowers the pinned AUC equality difference."),
        "fned": ("Figure 4, Table 5", "Balancing does not increase the false negative equality difference."),
        "phrase_auc": ("Table 4", "The mitigated model has the highest AUC on the phrases."),
        "general_auc": ("Table 4", "Mitigation costs no AUC on the general test set."),
    }  # fmt: skip
    if not set(MODELS) <= set(data.runs):
        missing = f"needs scores of the three models {join_names(list(MODELS))}, or a corpus to train them on."
        return [statement(place, text, None, missing) for place, text in says.values()]
    table = compare_runs(data.runs).set_index(["figure", "model"])
    area = float(np.mean([run.auc for model in MODELS for run in data.runs[model]]))
    if area < LOW_AREA:
        low = f"the models hardly tell toxic phrases from others (mean AUC {decimal(area)}), so their rates say little."
        return [statement(place, text, None, low) for place, text in says.values()]
    return [_mitigated(table, figure, place, text) for figure, (place, text) in says.items()]


def _mitigated(table: pd.DataFrame, figure: str, place: str, text: str) -> Statement:
    """The mitigated model less the baseline; with several runs a change counts where its interval leaves out 0."""
    names = ["mean", "difference", "ci_low", "ci_high"]
    wanted = pd.MultiIndex.from_tuples([(figure, model) for model in MODELS])
    rows = table.reindex(wanted)[names].to_numpy(dtype=np.float64)
    before, control, after = rows[:, 0].tolist()
    difference, low, high = rows[2, 1:].tolist()
    if math.isnan(after):
        return statement(place, text, None, "no scores of a general test set (scored_general.csv).")
    single = math.isnan(low)
    falls, rises = (difference < 0, difference > 0) if single else (high < 0, low > 0)
    seen, rule = {
        "fped": (falls and after < control, "is lower, also than the control"),
        "pinned_auc_equality_difference": (falls, "is lower"),
        "fned": (not rises, "is not higher"),
        "phrase_auc": (rises and after > control, "is higher, also than the control"),
        "general_auc": (after >= before - _LARGEST_LOSS, f"loses at most {_LARGEST_LOSS}"),
    }[figure]
    change = "one run" if single else f"change {_two(difference)}, 95 % interval {_two(low)} to {_two(high)}"
    because = (
        f"baseline {decimal(before)}, control {decimal(control)}, mitigated {decimal(after)} ({change}); seen if the "
        f"mitigated model {rule}."
    )
    return statement(place, text, seen, because)


def _two(value: float) -> str:
    return decimal(value, signed=True, places=2)
