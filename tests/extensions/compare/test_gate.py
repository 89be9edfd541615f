"""What a gate decides, from bounds and never from a point; and what it refuses to decide."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_comparisons import run as evaluated
from build_comparisons import table
from command_line import Call
from refusals import refusal
from simulation import crossed

import fairness_checklist as fc
from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.extensions.compare.changes import gap_changes
from fairness_checklist.extensions.compare.comparison_text import gate_reason
from fairness_checklist.extensions.compare.gate_config import GateConfig, Waiver, read_config
from fairness_checklist.findings.records import find
from fairness_checklist.findings.rule import FittedError, Words, decide
from fairness_checklist.statistics.two_way import TermEffects

FIGURES = ("gap", "low", "high_alone")
N_TABLES = 24
DECISIONS_AND_STATUSES = {
    ("fail", "worse"),
    *((decision, status) for decision in ("pass", "inconclusive") for status in ("worse", "small", "open")),
    ("pass", "better"),
}


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


@pytest.mark.parametrize(("night", "options", "decision"), [
    (PASSES, {}, "pass"),
    (FAILS, {}, "fail"),
    (OPEN, {}, "inconclusive"),
    (OPEN, {"limit": 0.15}, "pass"),
    (FAILS, {"limit": 0.13}, "inconclusive"),
    (FAILS, {"limits": {"shift": 0.3}}, "pass"),
    (FAILS, {"limits": {"shift": 0.3, "shift.called:rejected": 0.1}}, "fail"),
    (("open", 11, -5, 25), {}, "inconclusive"),
    (("open", 20, 12, 28), {}, "inconclusive"),
    (("better", -20, -28, -12), {"limit": 0.0}, "inconclusive"),
])  # fmt: skip
def test_bounds_decide(run: fc.Result, night: Any, options: dict[str, Any], decision: str) -> None:
    decided = fc.gate(with_records(run, night=night, day=PASSES, late=PASSES), config=GateConfig(**options))

    assert decided.decision == decision
    assert decided.code == {"pass": 0, "fail": 1, "inconclusive": 4}[decision]
    assert decided.comparisons["group"].iloc[0] == "night" or night[0] in ("small", "better") or decision == "pass"


def agree(record: dict[str, Any], row: dict[str, Any], limit: float, margin: float) -> None:
    """A finding of the report, and what the gate decides about it."""
    decision, status = row["decision"], record["status"]
    if decision == "fail":  # the report says worse, and by more than the limit
        assert status == "worse"
        assert record["gap"] >= record["low"] > limit
    if decision == "pass":  # the report shows no gap at or above the limit
        assert record["gap"] < limit
    if status == "better" or (status == "small" and margin <= limit):
        assert decision == "pass"
    if status == "worse" and record["low"] > limit:
        assert decision == "fail"


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


def compared(run: fc.Result, seed: int) -> set[tuple[str, str]]:
    """The decision of the gate and the status of each finding of two random tables, which agree."""
    random, seen = np.random.default_rng(seed), set[tuple[str, str]]()
    old, new = random_outcomes(random)
    margin, limit = float(random.choice([0.02, 0.05, 0.1])), float(random.choice([0.0, 0.02, 0.05, 0.1, 0.2, 0.4]))
    options: dict[str, Any] = {"margin": margin, "decisions": bool(random.random() < 0.3)}
    harm = parse_harm("called:low")
    records = find(new, [harm], **options).groups
    changes = gap_changes(old, new, [harm], **options).set_index("group").to_dict("index")
    there = records["high_alone"].notna()
    rows: dict[Any, Any] = {}
    if there.any():
        decided = fc.gate(replace(run, findings=records, info={**run.info, "findings": {}}), limit).comparisons
        rows = decided.set_index("group").to_dict("index")
    for record in records.to_dict("records"):
        change = changes[record["group"]]
        assert change["new_gap"] == pytest.approx(record["gap"], abs=1e-9, nan_ok=True)
        assert change["base_gap"] + change["change"] == pytest.approx(change["new_gap"], abs=1e-9, nan_ok=True)
        if change["verdict"] == "worse":  # the report calls the gap not small, and the group not treated better
            assert record["status"] in ("worse", "open")
            assert change["high_alone"] >= margin
        if rows:
            assert rows[record["group"]]["gap"] == record["gap"]
            agree(record, rows[record["group"]], limit, margin)
            seen.add((rows[record["group"]]["decision"], record["status"]))
    return seen


def test_the_gate_the_findings_and_the_comparison_of_random_tables_agree(run: fc.Result) -> None:
    seen = set().union(*(compared(run, seed) for seed in range(N_TABLES)))
    assert seen == DECISIONS_AND_STATUSES


def random_fit(random: np.random.Generator, group: IntArray) -> TermEffects:
    n_groups = int(group.max()) + 1
    spread, shift = random.choice([0.0, 0.02, 0.1], n_groups), random.choice([0.0, 0.05, 0.15, -0.15], n_groups)
    effect = spread[group] * random.normal(size=len(group)) + shift[group]
    scores = random.choice([0.0, 0.03, 0.1]) * random.normal(size=(20, len(group))) / 20
    return TermEffects(effect, scores, scores.T @ scores, 0.0, np.eye(len(group)), 20, True, (), 0.3)


def test_the_gate_and_the_statuses_of_2000_random_designs_agree(run: fc.Result) -> None:
    random, margin, seen = np.random.default_rng(0), 0.05, set[tuple[str, str]]()
    row = run.findings.iloc[0].to_dict()
    for limit in (0.0, 0.005, 0.05, 0.1, 0.4):
        rows = []
        for design in range(400):
            n_groups = int(random.integers(2, 5))
            group = np.repeat(np.arange(n_groups), random.integers(1, 9, n_groups))
            fit = random_fit(random, group)
            [found] = decide([FittedError(fit, fit, fit)], Words(group, np.ones(len(group)), n_groups), margin=margin)
            for g, status in enumerate(found.status):
                figures = {name: float(getattr(found, name)[g]) for name in FIGURES}
                rows.append(row | figures | {"group": f"{design}, {g}", "status": str(status), "reason_code": ""})
        decided = fc.gate(replace(run, findings=pd.DataFrame(rows)), limit).comparisons
        of_group = decided.set_index("group").to_dict("index")
        for record in rows:
            agree(record, of_group[record["group"]], limit, margin)
            seen.add((of_group[record["group"]]["decision"], record["status"]))
    assert seen == DECISIONS_AND_STATUSES


def test_what_is_inconclusive_has_the_reason_of_the_open_finding(run: fc.Result) -> None:
    decided = fc.gate(with_records(run, night=OPEN, day=PASSES, late=PASSES))

    assert str(decided).splitlines() == [
        "Gate: inconclusive. No gap is shown to be above its limit, but some may be. Limit 10 points; mean probability "
        "of the error.",
        "3 comparisons of groups and errors: 2 pass, 0 fail, 1 inconclusive.",
        '  inconclusive  the group "night", called rejected without being so: gap +6 points (up to 14), limit 10; few '
        "words",
        "Next: add words and sentences (fairness-checklist plan), set another limit, or --baseline OLD.",
    ]


def test_with_a_baseline_what_does_not_grow_passes_and_what_is_worse_fails(run: fc.Result) -> None:
    old, worse = evaluated(table(0.2, own=10)), evaluated(table(0.4, own=11))
    again = evaluated(table(0.2, own=12, noise=0.02))

    assert fc.gate(old).decision == "fail"
    assert fc.gate(again, baseline=old).decision == "pass"
    assert set(fc.gate(again, baseline=old).comparisons["reason_code"]) >= {"as baseline"}
    assert fc.gate(worse, 0.9).decision == "pass"
    failed = str(fc.gate(worse, 0.9, baseline=old)).splitlines()
    assert failed[0].startswith("Gate: fail. A gap is shown to be larger than in the baseline. Limit 90 points; ")
    assert failed[2].endswith("change +19, limit 90; worse than in the baseline")
    assert fc.gate(worse, 0.3, baseline=run).decision == "fail"
    repaired = fc.gate(run, baseline=old)  # the others' gaps grow, from -10 points to 0
    assert (repaired.decision, repaired.comparisons["change"].max() > 0.09) == ("pass", True)


def test_waivers_hold_until_their_day(run: fc.Result) -> None:
    failing = with_records(run, night=FAILS, day=PASSES, late=PASSES)
    waiver = Waiver("shift", "night", "", "A. Smith", "retrained in May", date(2027, 6, 1))
    config = GateConfig(waivers=(waiver,))

    before = fc.gate(failing, config=config, today=date(2027, 6, 1))
    assert before.decision == "pass"
    waived = before.comparisons[before.comparisons["reason_code"] == "waived"].iloc[0]
    assert gate_reason(before, waived) == "waived by A. Smith until 2027-06-01: retrained in May"
    assert "1 comparison waived (--tables)." in str(before)
    assert set(before.comparisons["reason_code"]) == {"", "waived"}
    for figures, decision in ((FAILS, "fail"), (OPEN, "inconclusive")):
        given = with_records(run, night=figures, day=PASSES, late=PASSES)
        after = fc.gate(given, config=config, today=date(2027, 6, 2))
        assert (after.decision, after.comparisons["reason_code"].iloc[0]) == (decision, "waiver expired")
        assert "; the waiver of A. Smith expired on 2027-06-01\n" in str(after)


TOML = """
[gate]
limit = 0.05
[gate.limits]
"shift.called:rejected" = 0.3
[[gate.waivers]]
attribute = "shift"
owner = "A. Smith"
reason = "known"
expires = 2027-06-01
"""


def test_a_configuration_is_read_whole_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "fairness.toml"

    def read(text: str) -> Any:
        file.write_text(text, encoding="utf-8")
        return read_config(file)

    config = read(TOML)
    assert (config.limit, config.margin) == (0.05, None)
    assert config.limit_of("shift", "called:rejected") == 0.3
    assert config.waivers[0].covers("shift", "night", "called:rejected")
    assert read('[purpose]\nharm = ["called:x"]\n') == GateConfig()
    for text, message in {
        "[gate]\nlimt = 0.1\n": "fairness.toml: [gate] has the key 'limt', which is not known.\n    Did you mean "
        "limit? Known: limit, margin, limits, waivers.",
        "[gate]\nlimit = 10\n": "fairness.toml: limit=10 is not a share from 0 to 1.\n    Write 10 points as 0.1.",
        '[[gate.waivers]]\nattribute = "gender"\nreason = "x"\n': "fairness.toml: a waiver names no owner and "
        "expires.\n    Each needs attribute, owner, reason and expires: expires = 2027-06-01.",
    }.items():
        assert refusal(fc.errors.InputError, read, text) == message


def test_nothing_that_is_missing_passes(run: fc.Result, tmp_path: Path) -> None:

    def error(given: Any, **options: Any) -> str:
        return refusal(fc.errors.InputError, fc.gate, given, **options)

    nan = float("nan")
    lost = fc.gate(with_records(run, night=("open", nan, nan, nan), day=PASSES, late=PASSES))
    assert str(lost).splitlines()[2].endswith("called rejected without being so: gap not known, limit 10; few words")
    assert error(run, baseline=tmp_path / "nowhere").startswith("there is no run ")
    unseen = {**run.info, "findings": {"shift": {"left_out": {"missed:kept": "no class"}}}}
    assert error(replace(run, info=unseen)) == (
        "no gap to decide about: shift, missed:kept: the model has no class kept.\n    Run with labels, and with "
        "errors of the model."
    )
    twins = evaluated(table(), harm=["called:rejected", "missed:hired"])
    assert twins.info["findings"]["shift"]["left_out"] == {"missed:hired": "same figures"}
    assert fc.gate(twins).decision == fc.gate(run).decision
    assert error(replace(run, info={**run.info, "n_failed": 3})) == (
        "the run has no prediction for 3 texts.\n    Run it again."
    )
    others = evaluated(table(), harm="missed:hired")
    assert fc.gate(run, baseline=others).comparison is not None
    few = evaluated(table()[lambda t: t["source"].isin([f"s{k}" for k in range(8)])])
    assert error(few).startswith(
        "the run is too small for a gate: no gap has bounds (few sentences).\n    Bounds need 10 "
    )


def test_the_verb_has_exit_codes(run: fc.Result, tmp_path: Path, call: Call) -> None:
    folder = run.write_folder(tmp_path / "new")

    assert call("gate", folder, "--limit", "0.01").code == 4
    assert call("gate", folder, "--limit", "0.5").code == 0
    failing = with_records(run, night=FAILS, day=PASSES, late=PASSES).write_folder(tmp_path / "a run")
    assert call("gate", failing, "--limit", "0.1").out.splitlines()[-1] == (
        f"Next: read the texts that show it in the report: fairness-checklist report '{failing}'"
    )
