"""`gate`: whether a model may go out: every gap below its limit, or no larger than that of a baseline."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import TASK
from fairness_checklist.extensions.compare.changes import WORSE
from fairness_checklist.extensions.compare.compare import Comparison, Run, compare, read_run
from fairness_checklist.extensions.compare.gate_config import KEY, GateConfig, GateReason, read_config
from fairness_checklist.findings.errors import LeftOut
from fairness_checklist.findings.family import MIN_SOURCES
from fairness_checklist.findings.records import FAIL, INCONCLUSIVE, PASS, decision_at
from fairness_checklist.reports.run_view import about_findings
from fairness_checklist.reports.wording import left_out_words
from fairness_checklist.run.options import Harms
from fairness_checklist.tables.run_folder import Results

CODES = {PASS: 0, FAIL: 1, INCONCLUSIVE: 4}
GATE_COLUMNS = (
    *("attribute", "group", "reference", "error", "title", "status", "decision", "reason_code", "unit", "limit"),
    *("gap", "low", "high_alone", "change", "change_high_alone"),
)


@dataclass(frozen=True, eq=False)
class Gate:
    """What a gate decided.

    Attributes:
        decision: "pass", "fail" or "inconclusive", of all comparisons together.
        comparisons: one row a group and error, the columns `GATE_COLUMNS`, failed ones first. ``status``, ``gap``,
            ``low`` and ``high_alone`` are those of the finding: ``high_alone`` is compared with the limit, and of worse
            ones ``low``. ``change`` and ``change_high_alone``: with a baseline the change of the gap, and its upper
            bound alone. ``reason_code``: one of `GateReason`, of open findings one of `findings.records.Reason`; ""
            where the bounds alone decide.
        config: the limits.
        comparison: with the baseline; None without one.
        results: the run.
        folder: of the run, as it was named; "" for a `Result` or a table.
    """

    decision: str
    comparisons: pd.DataFrame
    config: GateConfig
    comparison: Comparison | None
    results: Results
    folder: str = ""

    @property
    def code(self) -> int:
        """The exit code: 0 pass, 1 fail, 4 inconclusive."""
        return CODES[self.decision]

    def __str__(self) -> str:
        from fairness_checklist.extensions.compare.comparison_text import gate_lines

        return "\n".join(gate_lines(self))


@checks_keywords
def gate(
    new: Run,
    limit: float | None = None,
    *,
    baseline: Run | None = None,
    config: GateConfig | str | Path | None = None,
    today: date | None = None,
    task: str = TASK,
    harm: Harms = None,
) -> Gate:
    """Decide whether every gap of a run is below its limit, or no larger than that of a baseline.

    A comparison, of a group and an error, passes where the upper bound of its gap alone is below the limit. It fails
    where its finding is *worse* and the lower bound of the finding is above the limit. With a baseline it fails as well
    where `compare` says worse, and passes where the upper bound of the change alone is below the margin. Everything
    else is inconclusive.

    Args:
        new: a `Result`, a run folder, or a prediction table.
        limit: of all gaps, a share; in place of those of ``config``.
        baseline: an older run on the same texts.
        config: limits, margin and waivers: a `GateConfig`, or a TOML file with a table ``[gate]``.
        today: on which waivers are valid; by default now.
        task, harm: of tables, as in `evaluate`.

    Raises:
        TableError: nothing can be decided because a gap is missing, or the baseline has other texts or labels.
        OptionError: a wrong limit or configuration.
    """
    results = read_run(new, task, harm)
    chosen = GateConfig() if config is None else config
    if not isinstance(chosen, GateConfig):
        chosen = read_config(chosen)
    if limit is not None:
        chosen = replace(chosen, limit=limit, limits={})
    records = _checked(results)
    compared = None
    if baseline is not None:
        compared = compare(baseline, results, margin=chosen.margin, task=task, harm=harm)
        keys = compared.changes.assign(margin=compared.info["margin"]).set_index(KEY)
        lost = [row for row in records[KEY].itertuples(index=False, name=None) if row not in keys.index]
        if lost:
            raise TableError(f"the baseline has no gap of {lost[0][1]} ({lost[0][2]}) to compare with.")
    day = today or date.today()
    rows = []
    for row in records.to_dict("records"):
        change = None if compared is None else keys.loc[tuple(row[name] for name in KEY)].to_dict()
        rows.append(_decided(row, change, chosen, day))
    table = pd.DataFrame(rows, columns=list(GATE_COLUMNS))
    order = table["decision"].map({FAIL: 0, INCONCLUSIVE: 1, PASS: 2})
    table = table.iloc[np.lexsort((-table["gap"], order))].reset_index(drop=True)
    folder = str(new) if isinstance(new, (str, Path)) and Path(new).is_dir() else ""
    return Gate(str(table["decision"][0]), table, chosen, compared, results, folder)


def _checked(results: Results) -> pd.DataFrame:
    """The records of the groups; `TableError` where a gap that was asked for is missing."""
    records = results.findings
    left_out = [
        f"{attribute}{'' if name == '*' else f', {name}'}: {left_out_words(name, code)}"
        for attribute in results.attributes
        for name, code in about_findings(results, attribute).get("left_out", {}).items()
        if code != LeftOut.SAME_FIGURES
    ]
    if left_out or not len(records):
        listed = "; ".join(left_out) or "the run has no findings"
        raise TableError(f"no gap to decide about: {listed}.", remedy="Run with labels, and with errors of the model.")
    if failed := int(results.info.get("n_failed", 0)):
        raise TableError(f"the run has no prediction for {count(failed, 'text')}.", remedy="Run it again.")
    if records["high_alone"].isna().all():
        reasons = ", ".join(sorted(set(records["reason_code"])))
        raise TableError(
            f"the run is too small for a gate: no gap has bounds ({reasons}).",
            remedy=f"Bounds need {MIN_SOURCES} sentences in which the error can occur (rewordings count as one), and "
            "two words of a group. Use more templates and terms: fairness-checklist plan says how many show a gap.",
        )
    return records


def _decided(
    row: Mapping[Any, Any], change: Mapping[str, Any] | None, config: GateConfig, today: date
) -> dict[str, Any]:
    limit = config.limit_of(str(row["attribute"]), str(row["error"]))
    decision, code = _by_bounds(row, limit, change)
    if decision != PASS:
        waiver = config.waiver_of(row)
        if waiver is not None and waiver.expires >= today:
            decision, code = PASS, GateReason.WAIVED
        elif waiver is not None:
            code = GateReason.EXPIRED
    grown = {"change": math.nan, "high_alone": math.nan} if change is None else change
    own = {"decision": decision, "reason_code": str(code), "limit": limit}
    own |= {"change": grown["change"], "change_high_alone": grown["high_alone"]}
    return {name: own[name] if name in own else row[name] for name in GATE_COLUMNS}


def _by_bounds(row: Mapping[Any, Any], limit: float, change: Mapping[str, Any] | None) -> tuple[str, str]:
    """The decision by the bounds of a gap and of its change, with the code of the reason."""
    if change is not None and change["verdict"] == WORSE:
        return FAIL, GateReason.WORSE_THAN_BASELINE
    decision = decision_at(row, limit)
    if decision != PASS and change is not None and change["high_alone"] < change["margin"]:
        return PASS, GateReason.AS_BASELINE
    return decision, str(row["reason_code"]) if decision == INCONCLUSIVE else GateReason.NONE
