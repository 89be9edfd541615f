"""What a gate decides, from bounds and never from a point; and what it refuses to decide."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_comparisons import run as evaluated
from build_comparisons import table
from command_line import Call, caller
from simulation import crossed

import fairness_checklist as fc
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.extensions.compare.changes import gap_changes
from fairness_checklist.extensions.compare.gate_config import GateConfig, Waiver, read_config
from fairness_checklist.extensions.compare.words import gate_reason
from fairness_checklist.findings.records import find

FIGURES = ("gap", "low", "high_alone")


@pytest.fixture(scope="module")
def run() -> fc.Result:
    return evaluated(table())


def with_records(run: fc.Result, **groups: tuple[str, float, float, float]) -> fc.Result:
    """The run with these statuses and figures, in points, of groups."""
    records = run.findings.set_index("group").astype(dict.fromkeys(FIGURES, float))
    for group, (status, *figures) in groups.items():
        records.loc[group, list(FIGURES)] = [value / 100 for value in figures]
        records.loc[group, ["status", "reason_code"]] = [status, "few words" if status == "open" else ""]
    return replace(run, findings=pd.DataFrame(records.reset_index())[list(run.findings.columns)])


PASSES, FAILS, OPEN = ("small", 2, -3, 4), ("worse", 20, 12, 28), ("open", 6, -2, 14)


@pytest.mark.parametrize(
    ("night", "options", "decision"),
    [
        (PASSES, {}, "pass"),
        (FAILS, {}, "fail"),
        (OPEN, {}, "inconclusive"),
        (OPEN, {"limit": 0.15}, "pass"),
        (FAILS, {"limit": 0.13}, "inconclusive"),
        (FAILS, {"limits": {"shift": 0.3}}, "pass"),
        (FAILS, {"limits": {"shift": 0.3, "shift.called:rejected": 0.1}}, "fail"),
        # the point alone decides nothing: 9 points of gap are below a limit of 10, and 11 above
        (("open", 9, -5, 25), {}, "inconclusive"),
        (("open", 11, -5, 25), {}, "inconclusive"),
        # carried by one word: the lower bound is above the limit, and the report says open
        (("open", 20, 12, 28), {}, "inconclusive"),
        (("better", -20, -28, -12), {"limit": 0.0}, "inconclusive"),  # the others' bounds are above 0
    ],
)
def test_bounds_decide(run: fc.Result, night: Any, options: dict[str, Any], decision: str) -> None:
    decided = fc.gate(with_records(run, night=night, day=PASSES, late=PASSES), config=GateConfig(**options))

    assert decided.decision == decision
    assert decided.code == {"pass": 0, "fail": 1, "inconclusive": 4}[decision]
    assert decided.comparisons["group"].iloc[0] == "night" or night[0] in ("small", "better") or decision == "pass"


def random_outcomes(random: np.random.Generator) -> list[Outcomes]:
    """Two models on the same texts: 2 to 5 groups of 1 to 6 words, effects of groups, words, sentences and of both."""
    sizes = random.integers(1, 7, size=int(random.integers(2, 6)))
    group, n = np.repeat(np.arange(len(sizes)), sizes), int(random.integers(8, 25))
    source, term = np.repeat(np.arange(n), len(group)), np.tile(np.arange(len(group)), n)
    spread, noise = random.choice([0.0, 0.05, 0.2]), random.choice([0.02, 0.1])
    of_words = spread * random.normal(size=len(group)) * (random.random() < 0.7)
    shift = random.choice([-0.3, 0.0, 0.0, 0.03, 0.1, 0.3], size=len(sizes))
    shared = random.choice([0.1, 0.4]) + of_words[term] + 0.1 * random.normal(size=n)[source]
    shared = shared + noise * random.normal(size=len(term))
    models = []
    for own in (shift, shift + random.choice([0.0, 0.0, 0.1, -0.1, 0.3], size=len(sizes))):
        p = (shared + own[group[term]] + 0.03 * random.normal(size=len(term))).clip(0.001, 0.999)
        gold = np.ones(len(term), dtype=np.int64)
        models.append(crossed(np.column_stack([p, 1 - p]), gold, source, group[term], term, len(sizes)))
    return models


def test_gate_report_and_comparison_of_2000_random_tables_agree(run: fc.Result) -> None:
    random, seen = np.random.default_rng(0), set[tuple[str, ...]]()
    harm = parse_harm("called:low")
    for at in range(60):
        old, new = random_outcomes(random)
        margin, decisions = float(random.choice([0.02, 0.05, 0.1])), bool(random.random() < 0.3)
        options: dict[str, Any] = {"margin": margin, "decisions": decisions}
        found = find(new, [harm], **options)
        records = found.groups
        if records["high_alone"].isna().all():
            seen.add(("no bounds",))
            continue
        limit = float(random.choice([0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4]))
        results = replace(run, findings=records, info={**run.info, "findings": {}})
        rows = fc.gate(results, limit).comparisons.set_index("group")
        for record in records.to_dict("records"):
            row = rows.loc[record["group"]]
            decision, status = row["decision"], record["status"]
            seen.add((decision, status))
            assert row["gap"] == record["gap"] or np.isnan(row["gap"])
            if decision == "fail":  # the report says worse, and by more than the limit
                assert status == "worse"
                assert record["gap"] >= record["low"] > limit
            if decision == "pass":  # no gap that the report shows is at or above the limit
                assert record["gap"] < limit
            if status == "better" or (status == "small" and margin <= limit):
                assert decision == "pass"
            if status == "small":
                assert decision != "fail"
            if status == "worse" and record["low"] > limit:
                assert decision == "fail"
        if at % 4 == 0:
            changes = gap_changes(old, new, [harm], **options).set_index("group")
            for record in records.to_dict("records"):
                change = changes.loc[record["group"]]
                seen.add(("compare", change["verdict"]))
                np.testing.assert_allclose(change["new_gap"], record["gap"], atol=1e-9)
                if change["verdict"] == "worse":  # the report does not call the gap small, nor the group treated better
                    assert record["status"] in ("worse", "open")
                    assert change["high_alone"] >= margin
    decisions = {("fail", "worse"), ("inconclusive", "worse"), ("pass", "worse"), ("pass", "better"), ("pass", "small")}
    decisions |= {("inconclusive", "small"), ("pass", "open"), ("inconclusive", "open")}
    verdicts = {("compare", name) for name in ("worse", "better", "equal within the margin", "open")}
    assert seen == decisions | verdicts | {("no bounds",)}
