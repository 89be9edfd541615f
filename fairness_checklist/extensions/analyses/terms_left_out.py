"""A run without some of its terms: those with a second meaning (Chad, Jordan), or any that are named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from fairness_checklist.checks import Check
from fairness_checklist.checks.directional import DirectionalExpectation
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.core.arrays import BoolArray
from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.extensions.analyses.failures import tolerances
from fairness_checklist.findings.placebo_null import PlaceboNull
from fairness_checklist.metrics.contrasts import check_groups
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.reports.run_view import attribute_view, one_of, suite_parts, task_of, with_hashed_words
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any

AnyResults = TypeVar("AnyResults", bound=Results)
_WORDS = ("term", "first", "second")
_TABLES = ("metrics", "scores", "findings", "term_findings", "checks", "checks_by_group")


def ambiguous_terms(results: Results, attribute: str) -> tuple[str, ...]:
    """The terms of an attribute that are flagged as ambiguous, as recorded in ``run.json``.

    >>> kept = {"suite": [{"attribute": "nationality", "ambiguous": ["Chad", "Jordan"]}]}
    >>> ambiguous_terms(Results(*[pd.DataFrame()] * 5, info=kept), "nationality")
    ('Chad', 'Jordan')
    """
    parts = [part for part in suite_parts(results.info) if part.get("attribute") == attribute]
    return tuple(str(term) for part in parts for term in part.get("ambiguous", ()))


def _words_of(rows: pd.DataFrame) -> set[str]:
    """The terms in a table; of an intersection also those of either attribute."""
    return {str(term) for name in _WORDS if name in rows.columns for term in rows[name].dropna().unique()} - {""}


def _with_words(rows: pd.DataFrame, names: Sequence[str]) -> BoolArray:
    """(n,) whether a row has one of the terms."""
    inside = [rows[name].isin(names).to_numpy() for name in _WORDS if name in rows.columns]
    return np.logical_or.reduce(inside) if inside else np.zeros(len(rows), dtype=np.bool_)


def exclude_terms(
    results: AnyResults,
    terms: str | Sequence[str] | None = None,
    attribute: str | None = None,
    *,
    draws: int | None = None,
) -> AnyResults:
    """A run's findings, metrics, base scores and checks again, without some terms, from its stored predictions.

    The findings are computed without a placebo, whose predictions are not stored.

    Args:
        results: a run.
        terms: as in the column ``term`` of the examples; of an intersection also those of either attribute. By default
            those that are flagged as ambiguous.
        attribute: of which attribute; all by default. Attributes without such a term stay as they are.
        draws: as in `Suite.run`; by default as many as the run had.

    Returns:
        The same tables. User-defined metrics that are not registered are left out, with a note.

    Raises:
        OptionError: no such attribute or term, no ambiguous term, fewer than two groups left, or given groupings.

    >>> from fairness_checklist.api.from_predictions import evaluate
    >>> frame = pd.DataFrame({"group": ["a", "a", "b"], "term": ["x", "y", "z"], "label": ["no", "yes", "no"],
    ...                       "predicted": ["no", "yes", "yes"]})
    >>> exclude_terms(evaluate(frame, metrics=["fnr_gap"]), "x").examples["term"].tolist()
    ['y', 'z']
    """
    attributes = results.attributes if attribute is None else (one_of(attribute, results.attributes, "attribute"),)
    examples = results.examples.reset_index(drop=True)
    named = _without_named_terms(results, examples[examples["attribute"].isin(attributes)], attributes, terms)
    gone = np.zeros(len(examples), dtype=np.bool_)
    taken: dict[str, list[str]] = {}
    for name, left_out in named.items():
        lost = (examples["attribute"] == name).to_numpy() & _with_words(examples, left_out)
        gone |= lost
        if there := [term for term in left_out if term in _words_of(examples[lost])]:
            taken[name] = there
    kept = examples[~gone].reset_index(drop=True)
    choices, forgotten = run_choices(results, draws)
    recorded = {name: record.get("placebo") for name, record in results.info.get("findings", {}).items()}
    placebos = {name: PlaceboNull.of_record(draws) for name, draws in recorded.items() if draws}  # as the run drew them
    fresh = evaluate_sets(_remaining_sets(results, kept, list(taken)), choices, placebos=placebos)
    tables = {name: _joined(results, fresh, name, taken) for name in _TABLES}
    info = {**results.info, **_info(results, fresh, kept, taken, forgotten), "without": taken}
    info["options"] = {**results.info.get("options", {}), "draws": choices.draws}
    return replace(results, **tables, examples=kept, info=info)


def _without_named_terms(
    results: Results, rows: pd.DataFrame, attributes: Sequence[str], terms: str | Sequence[str] | None
) -> dict[str, Sequence[str]]:
    """The terms to leave out of each attribute; each named term must be in at least one attribute."""
    known = _words_of(rows)
    if terms is None:
        flagged = {name: [term for term in ambiguous_terms(results, name) if term in known] for name in attributes}
        if not any(flagged.values()):
            raise OptionError(
                "no term of the run is noted as ambiguous.",
                remedy="Name the terms to leave out as in the column term of the examples.",
            )
        return dict(flagged)
    chosen = [terms] if isinstance(terms, str) else list(terms)
    if not chosen:
        raise OptionError("terms=[] leaves nothing out.", remedy="Name one term at least.")
    for name in chosen:
        if name not in known:
            near = did_you_mean(name, sorted(known)).strip()
            raise OptionError(
                f"the run has no term {name!r}.", remedy=near or "The column term of the examples has all of them."
            )
    return dict.fromkeys(attributes, chosen)


def _remaining_sets(
    results: Results, kept: pd.DataFrame, attributes: Sequence[str]
) -> Iterator[tuple[ExampleSet, Predictions | TokenPredictions]]:
    for name in attributes:
        view = attribute_view(results, name)
        rows = kept[kept["attribute"] == name].dropna(axis="columns", how="all")
        there = set(rows["group"])
        check_groups(name, [group for group in view.groups if group in there])
        yield from split_any(
            with_hashed_words(results, rows), task=task_of(results), attribute=name, classes=view.classes
        )


def run_choices(results: Results, draws: int | None = None) -> tuple[RunOptions, tuple[str, ...]]:
    """The choices of the run again, and the metrics and tests that are not known any more: functions are not kept."""
    if results.metrics["options"].str.contains(r"(?:^|; )groupings=").any():
        raise OptionError(
            "metrics were computed from groupings that the run does not keep.",
            remedy="Run it again without groupings=, or with max_groupings=.",
        )
    parts: dict[str, Any] = results.info.get("options", {})
    names = [str(name) for name in results.metrics["metric"].unique()]
    known = [name for name in names if name in METRICS]
    if not known:
        raise OptionError(
            f"none of the metrics of the run is registered in this process: {join_names(names)}.",
            remedy="Register them, as where the run was made.",
        )
    every = any(results.info.get("metrics_left_out", {}).values())  # only a run of all metrics leaves some out
    tests = set(results.checks["type"])
    checks: list[Check] = [Invariance(tolerance) for tolerance in tolerances(results)] if "INV" in tests else []
    checks += [MinimumFunctionality()] if "MFT" in tests else []
    lost = [name for name in names if name not in METRICS]
    for expectation in parts.get("directional", ()):
        if expectation["expectation"] in ("increases", "decreases"):
            checks.append(DirectionalExpectation(**expectation))
        else:
            lost.append(expectation["name"] or f"directional expectation {expectation['expectation']}")
    chosen = {"metrics": None if every else known, "checks": checks} | ({} if draws is None else {"draws": draws})
    return RunOptions.of_record(parts, **chosen), tuple(lost)


def _joined(results: Results, fresh: Results, name: str, taken: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """A table with the new rows of the attributes that lost terms, in the order of the run."""
    old, new = getattr(results, name), getattr(fresh, name)
    tables = {attribute: new if attribute in taken else old for attribute in results.attributes}
    rows = [table[table["attribute"] == attribute] for attribute, table in tables.items()]
    rows = [part for part in rows if len(part)]
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(old.iloc[:0])


def _info(
    results: Results, fresh: Results, kept: pd.DataFrame, taken: Mapping[str, Sequence[str]], lost: Sequence[str]
) -> dict[str, Any]:
    """The changed entries of ``run.json``: the remaining content, without the hashes of the original content."""
    suite = []
    for part in results.info.get("suite", []):
        if part["attribute"] in taken:
            rows = kept[kept["attribute"] == part["attribute"]]
            terms = rows[rows["group"] != UNMARKED].groupby("group", sort=False)["term"].nunique()
            ambiguous = [term for term in part.get("ambiguous", ()) if term not in taken[part["attribute"]]]
            part = {name: value for name, value in part.items() if name != "terms_sha256"} | {
                "groups": {str(group): int(n) for group, n in terms.items()},
                "sources": int(rows["source"].nunique()),
                "texts": len(rows),
                "ambiguous": ambiguous,
            }
        suite.append(part)
    notes = {**results.info.get("notes", {})}
    for name, gone in taken.items():
        parts = [f"without the {'term' if len(gone) == 1 else 'terms'} {join_names(list(gone), 5)}"]
        parts += [f"not computed again: {join_names(list(lost))}"] if lost else []
        notes[name] = [*fresh.info["notes"][name], *parts]
    changed = {"notes": notes, **({"suite": suite} if suite else {})}
    for name in ("metrics_left_out", "pairs_with_reference", "findings"):
        changed[name] = {**results.info.get(name, {}), **fresh.info[name]}
    return changed
