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
from build_findings import scored
from command_line import Call, caller

import fairness_checklist as fc
from fairness_checklist.core.errors import InputError, TableError
from fairness_checklist.extensions.compare.gate_config import GateConfig, Waiver, read_config
from fairness_checklist.extensions.compare.words import gate_reason
from fairness_checklist.reports.finding_text import leads_with_rates

KEY = {"attribute": "shift", "harm": "called:rejected", "title": "called rejected", "measure": "probability"}
FIGURES = ("gap", "ci_low", "high_alone", "rate_gap", "rate_ci_low", "rate_high_alone")


@pytest.fixture(scope="module")
def run() -> fc.Result:
    return evaluated(table())


def with_records(run: fc.Result, **groups: tuple[float, ...]) -> fc.Result:
    """The run with these figures, in points, of its first groups; clear where the bound in probability is above 0."""
    records = run.findings.set_index("group").astype(dict.fromkeys(FIGURES, float))
    for group, figures in groups.items():
        records.loc[group, list(FIGURES)] = [value / 100 for value in figures]
        records.loc[group, ["status", "reason"]] = ["clear" if figures[1] > 0 else "none found", ""]
    return replace(run, findings=pd.DataFrame(records.reset_index())[list(run.findings.columns)])


PASSES, FAILS, OPEN = (2, -3, 7, 1, -4, 8), (20, 12, 28, 25, 14, 36), (6, -2, 14, 7, -3, 17)


@pytest.mark.parametrize(
    ("night", "options", "decision"),
    [
        (PASSES, {}, "pass"),
        (FAILS, {}, "fail"),
        (OPEN, {}, "inconclusive"),
        (OPEN, {"limit": 0.15}, "pass"),
        (OPEN, {"limit": 0.15, "unit": "decisions"}, "inconclusive"),
        (FAILS, {"limit": 0.13}, "inconclusive"),
        (FAILS, {"limit": 0.13, "unit": "decisions"}, "fail"),
        (FAILS, {"limits": {"shift": 0.3}}, "pass"),
        (FAILS, {"limits": {"shift": 0.3, "shift.called:rejected": 0.1}}, "fail"),
        # the point alone decides nothing: 9 points of gap are below a limit of 10, and 11 above
        ((9, -5, 25, 9, -5, 25), {}, "inconclusive"),
        ((11, -5, 25, 11, -5, 25), {}, "inconclusive"),
        # the report shows 25 points in decisions, whatever the unit of the gate
        ((3, 1, 5, 25, 14, 36), {}, "inconclusive"),
        ((3, 1, 5, 25, 14, 36), {"unit": "decisions"}, "fail"),
        ((3, 1, 5, 25, -1, 36), {}, "pass"),
        ((25, 14, 36, 3, -1, 5), {"unit": "decisions"}, "inconclusive"),
    ],
)
def test_bounds_decide(run: fc.Result, night: tuple[float, ...], options: dict[str, Any], decision: str) -> None:
    decided = fc.gate(with_records(run, night=night, day=PASSES, late=PASSES), config=GateConfig(**options))

    assert decided.decision == decision
    assert decided.code == {"pass": 0, "fail": 1, "inconclusive": 4}[decision]
    assert decided.comparisons["group"].iloc[0] == "night" or decision == "pass"


STATUSES = ("clear", "suspected", "none found", "too few to say", "clear but small", "shown to be small")


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_clear_finding_fails(run: fc.Result, status: str) -> None:
    above = with_records(run, night=FAILS, day=PASSES, late=PASSES)
    above.findings.loc[above.findings["group"] == "night", ["status", "reason"]] = [status, "no interval"]
    decided = fc.gate(above)
    row = decided.comparisons.iloc[0]

    if status == "clear":
        assert (decided.decision, row["reason_code"]) == ("fail", "")
        return
    assert (row["group"], row["decision"], decided.code) == ("night", "inconclusive", 4)
    if status == "too few to say":
        assert (row["reason_code"], gate_reason(decided, row.to_dict())) == (status, "no interval")
        return
    assert (row["reason_code"], row["n_more_sources"]) == ("not clear", 0)
    assert str(decided).splitlines() == [
        "Gate: inconclusive. No gap is shown to be above its limit, but some may be (limit 10 points in probability).",
        "3 comparisons of groups and errors: 2 pass, 0 fail, 1 inconclusive.",
        '  Inconclusive: The group "night", called rejected without being so: gap 20 points (at least 12, at most 28), '
        f"limit 10 points; no clear finding ({status}: no interval).",
        "Unit: mean probability of the error. The report leads with wrong decisions where they show a gap (--unit "
        "decisions).",
        "Lower bounds hold for all comparisons together, upper ones for each alone: the report's are wider.",
        "Next: read the findings that are above the limit in the report of this run.",
    ]


@pytest.mark.parametrize("unit", ["probability", "decisions"])
@pytest.mark.parametrize("seed", range(12))
def test_the_gate_and_the_report_of_any_table_agree(seed: int, unit: str) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 9, size=int(random.integers(2, 5)))
    words = {f"g{at}": [f"{at}w{k}" for k in range(n)] for at, n in enumerate(sizes)}
    noise, sources = random.choice([0.02, 0.1, 0.3]), int(random.integers(8, 30))
    frame = scored(float(random.choice([0, 0.03, 0.1, 0.3])), words, noise=noise, sources=sources, seed=seed)
    lift = frame["term"].map({word: random.normal() * 0.2 for word in frame["term"].unique()}) * random.integers(0, 2)
    p = (frame["p:rejected"] + lift).clip(0.001, 0.999)
    result = evaluated(frame.assign(**{"p:rejected": p, "p:hired": 1 - p}), metrics=["parity_gap"], draws=39)
    findings = result.findings.set_index(["group", "harm"])
    for limit in (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4):
        try:
            decided = fc.gate(result, limit, unit=unit).comparisons
        except TableError:  # no gap has bounds
            assert set(findings["status"]) == {"too few to say"}
            return
        for row in decided.to_dict("records"):
            found = findings.loc[(row["group"], row["harm"])]
            clear = found["status"] == "clear"
            lead = found["rate_gap"] if leads_with_rates(found.to_dict() | {"harm": row["harm"]}) else found["gap"]
            assert clear or row["decision"] != "fail"
            assert not (row["decision"] == "pass" and clear and max(lead, row["gap"]) > limit)
            assert not (row["decision"] == "fail" and row["low"] <= limit)
            assert (row["decision"] == "inconclusive") or not row["reason_code"]


def test_what_would_decide_is_said_where_more_data_can(run: fc.Result) -> None:
    decided = fc.gate(with_records(run, night=(6, -2, 14, 7, -3, 17), day=PASSES, late=PASSES))
    row = decided.comparisons.iloc[0]

    # the bound is 8 points above the gap and has to be 4: a quarter of the variance
    assert (row["n_more_words"], row["n_more_sources"]) == (8 * 3, 30 * 3)
    assert str(decided).splitlines() == [
        "Gate: inconclusive. No gap is shown to be above its limit, but some may be (limit 10 points in probability).",
        "3 comparisons of groups and errors: 2 pass, 0 fail, 1 inconclusive.",
        '  Inconclusive: The group "night", called rejected without being so: gap 6 points (at most 14), '
        "limit 10 points.",
        "Unit: mean probability of the error. The report leads with wrong decisions where they show a gap (--unit "
        "decisions).",
        "Lower bounds hold for all comparisons together, upper ones for each alone: the report's are wider.",
        "Next: add about 24 more words a group and 90 more sentences (fairness-checklist plan), or set a higher limit.",
    ]


def test_with_a_baseline_what_does_not_grow_passes_and_what_is_worse_fails(run: fc.Result) -> None:

    old, worse = evaluated(table(0.2, own=10)), evaluated(table(0.4, own=11))
    again = evaluated(table(0.2, own=12, noise=0.02))

    assert fc.gate(old).decision == "fail"
    assert fc.gate(again, baseline=old).decision == "pass"
    assert set(fc.gate(again, baseline=old).comparisons["reason_code"]) >= {"as baseline"}
    assert fc.gate(worse, 0.9).decision == "pass"
    assert "; worse than in the baseline." in str(fc.gate(worse, 0.9, baseline=old))
    doubted = replace(
        worse, findings=worse.findings.assign(status="suspected", reason="may be chance", p_adjusted=0.12)
    )
    again = fc.gate(doubted, 0.9, baseline=old)
    assert again.comparisons.iloc[0][["decision", "reason_code"]].tolist() == ["inconclusive", "not clear"]
    assert "; no clear finding (suspected: adjusted p .12)." in str(again)
    assert fc.gate(worse, 0.3, baseline=run).decision == "fail"


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
        assert "; the waiver of A. Smith expired on 2027-06-01." in str(after)


TOML = """
[gate]
limit = 0.05
unit = "decisions"
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
    assert (config.limit, config.unit, config.margin) == (0.05, "decisions", 0.05)
    assert config.limit_of("shift", "called:rejected") == 0.3
    assert config.waivers[0].covers("shift", "night", "called:rejected")
    assert read('[purpose]\nharm = ["called:x"]\n') == GateConfig()
    for text, message in {
        "[gate]\nlimt = 0.1\n": "fairness.toml: [gate] has the key 'limt', which is not known.\n    Did you mean "
        "limit? Known: limit, unit, margin, limits, waivers.",
        "[gate]\nlimit = 10\n": "fairness.toml: limit=10 is not a share from 0 to 1.\n    Write 10 points as 0.1.",
        '[[gate.waivers]]\nattribute = "gender"\nreason = "x"\n': "fairness.toml: a waiver names no owner and "
        "expires.\n    Each needs attribute, owner, reason and expires: expires = 2027-06-01.",
    }.items():
        with pytest.raises(InputError) as caught:
            read(text)
        assert str(caught.value) == message


def test_nothing_that_is_missing_passes(run: fc.Result, tmp_path: Path) -> None:

    def error(given: Any, **options: Any) -> str:
        with pytest.raises(InputError) as caught:
            fc.gate(given, **options)
        return str(caught.value)

    assert error(evaluated(table(), draws=0)).startswith("no gap to decide about: shift: draws=0.")
    lost = with_records(run, night=(float("nan"),) * 6)
    assert error(lost) == "the gap of night (called rejected without being so) is missing."
    assert error(run, baseline=tmp_path / "nowhere").startswith("there is no run ")
    unseen = {**run.info, "findings": {"shift": {"left_out": {"missed:kept": "no class"}}}}
    assert error(replace(run, info=unseen)) == (
        "no gap to decide about: shift, missed:kept: the model has no class kept.\n    Run with draws, labels, and "
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
    assert error(few) == (
        "the run is too small for a gate: no gap has bounds, with 8 independent sentences, fewer than 10.\n"
        "    Bounds need 10 independent sentences in which the error can occur (rewordings count as one), and 5 names "
        "or places a group. Add 2 sentences or more, or use all templates and terms; fairness-checklist plan says how "
        "many show a gap."
    )


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys, "gate")


def test_the_verb_has_exit_codes(run: fc.Result, tmp_path: Path, call: Call) -> None:
    run.save(tmp_path / "new")
    folder = tmp_path / "new"

    open_one = call(folder, "--limit", "0.02")
    assert open_one.code == 4
    assert call(folder, "--limit", "0.02", "--fail-on", "worse,inconclusive").code == 1
    assert call(folder, "--limit", "0.5").code == 0
    with_records(run, night=FAILS, day=PASSES, late=PASSES).save(tmp_path / "a run")
    assert call(tmp_path / "a run", "--limit", "0.1").out.splitlines()[-1] == (
        f"Next: read the texts that show it in the report: fairness-checklist report '{tmp_path / 'a run'}'"
    )
    assert "limit 50 points in decisions" in call(folder, "--limit", "0.5", "--unit", "decisions").out
    assert call(folder, "--fail-on", "better") == (
        2, "", "OptionError: --fail-on better is not known.\n    Write worse, or worse,inconclusive.\n",
    )  # fmt: skip
