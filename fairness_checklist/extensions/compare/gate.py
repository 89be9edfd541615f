"""`gate`: whether a model may go out: every gap below its limit, or no larger than that of a baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import TableError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.options import TASK
from fairness_checklist.extensions.compare.changes import WORSE
from fairness_checklist.extensions.compare.compare import Comparison, Run, compare, read_run
from fairness_checklist.extensions.compare.gate_config import (
    FAIL,
    INCONCLUSIVE,
    KEY,
    PASS,
    GateConfig,
    GateReason,
    read_config,
)
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES
from fairness_checklist.findings.harm_cells import LeftOut
from fairness_checklist.findings.status import CLEAR, TOO_FEW
from fairness_checklist.reports.finding_text import leads_with_rates
from fairness_checklist.reports.wording import left_out_words, reason_words
from fairness_checklist.run.options import Harms
from fairness_checklist.tables.run_folder import Results

CODES = {PASS: 0, FAIL: 1, INCONCLUSIVE: 4}
GATE_COLUMNS = (
    *("attribute", "group", "harm", "title", "decision", "unit", "limit", "gap", "low", "high"),
    *("change", "change_high", "n_more_words", "n_more_sources", "reason_code"),
)


@dataclass(frozen=True, eq=False)
class Gate:
    """What a gate decided.

    Attributes:
        decision: "pass", "fail" or "inconclusive", of all comparisons together.
        comparisons: one row a group and error, the columns `GATE_COLUMNS`, failed ones first. ``high``: the upper bound
            that is compared with the limit, of each alone; ``low``: the simultaneous lower bound. ``change`` and
            ``change_high``: with a baseline the change of the gap and its upper bound. ``n_more_words`` and
            ``n_more_sources``: about how many more words of the group and sentences would decide; 0 where decided.
            ``reason_code``: one of `GateReason`, "" where the bounds alone decide.
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
        from fairness_checklist.extensions.compare.words import gate_lines

        return "\n".join(gate_lines(self))


@checks_keywords
def gate(
    new: Run,
    limit: float | None = None,
    *,
    unit: str | None = None,
    baseline: Run | None = None,
    config: GateConfig | str | Path | None = None,
    today: date | None = None,
    task: str = TASK,
    harm: Harms = None,
) -> Gate:
    """Decide whether every gap of a run is below its limit, or no larger than that of a baseline.

    A comparison, of a group and an error, passes where the upper bound of its gap is below the limit: of each alone,
    since all must pass. It fails where its finding is clear and the simultaneous lower bound is above the limit. With a
    baseline a clear one fails as well where the gap is shown to be worse, in either unit; and a comparison passes where
    the upper bound of the change of the gap is below the margin. Everything else is inconclusive, and so is a clear
    finding that the report shows in the other unit with a gap above the limit.

    Args:
        new: a `Result`, a run folder, or a prediction table.
        limit: of all gaps, a share; in place of those of ``config``.
        unit: "probability" or "decisions"; in place of that of ``config``.
        baseline: an older run on the same texts.
        config: limits, margin and waivers: a `GateConfig`, or a TOML file with a table ``[gate]``.
        today: on which waivers are valid; by default now.
        task, harm: of tables, as in `evaluate`.

    Raises:
        TableError: nothing can be decided because a gap is missing, or the baseline has other texts or labels.
        OptionError: a wrong limit or configuration.
    """
    results = read_run(new, task, harm, findings=True)
    chosen = config if isinstance(config, GateConfig) else read_config(config) if config is not None else GateConfig()
    if limit is not None:
        chosen = replace(chosen, limit=limit, limits={})
    if unit is not None:
        chosen = replace(chosen, unit=unit)
    records = _checked(results)
    compared = None
    if baseline is not None:
        compared = compare(baseline, results, margin=chosen.margin, task=task, harm=harm)
        keys = compared.changes.set_index(KEY)
        lost = [row for row in records[KEY].itertuples(index=False, name=None) if row not in keys.index]
        if lost:
            raise TableError(f"the baseline has no gap of {lost[0][1]} ({lost[0][2]}) to compare with.")
    day = today or date.today()
    rows = []
    for row in records.to_dict("records"):
        change = None if compared is None else keys.loc[tuple(row[name] for name in KEY)].to_dict()
        rows.append(_decided(row, change, chosen, day))
    table = pd.DataFrame(rows, columns=list(GATE_COLUMNS))
    order = {FAIL: 0, INCONCLUSIVE: 1, PASS: 2}
    table = table.assign(order=table["decision"].map(order)).sort_values(["order", "gap"], ascending=[True, False])
    worst = min(table["decision"], key=order.__getitem__)
    folder = str(new) if isinstance(new, (str, Path)) and Path(new).is_dir() else ""
    return Gate(worst, table.drop(columns="order").reset_index(drop=True), chosen, compared, results, folder)


def _checked(results: Results) -> pd.DataFrame:
    """The records of the groups; `TableError` where a gap that was asked for is missing."""
    records = results.findings
    recorded = {name: results.info.get("findings", {}).get(name, {}) for name in results.attributes}
    left_out = [
        f"{attribute}{'' if name == '*' else f', {name}'}: {left_out_words(name, code)}"
        for attribute, known in recorded.items()
        for name, code in known.get("left_out", {}).items()
        if code != LeftOut.SAME_FIGURES
    ]
    if left_out or not len(records):
        listed = "; ".join(left_out) or "the run has no findings"
        raise TableError(
            f"no gap to decide about: {listed}.", remedy="Run with draws, labels, and errors of the model."
        )
    if failed := int(results.info.get("n_failed", 0)):
        raise TableError(f"the run has no prediction for {count(failed, 'text')}.", remedy="Run it again.")
    if records["high_alone"].isna().all():
        raise _without_bounds(records)
    lost = records[records["gap"].isna() & (records["status"] != TOO_FEW)]
    if len(lost):
        raise TableError(f"the gap of {lost['group'].iloc[0]} ({lost['title'].iloc[0]}) is missing.")
    return records


def _without_bounds(records: pd.DataFrame) -> TableError:
    """Why no gap has bounds, of the comparison with the most sentences, and how many would do."""
    most = records.sort_values("n_sources").iloc[-1]
    lacking = {"sentence": MIN_SOURCES - int(most["n_sources"]), "name or place": MIN_LEXEMES - int(most["n_lexemes"])}
    needed = next((f"{count(n, what)} or more" for what, n in lacking.items() if n > 0), "sentences and terms")
    reason = reason_words(most.to_dict()) or "few terms or sentences"
    return TableError(
        f"the run is too small for a gate: no gap has bounds, with {reason}.",
        remedy=f"Bounds need {MIN_SOURCES} independent sentences in which the error can occur (rewordings count as "
        f"one), and {MIN_LEXEMES} names or places a group. Add {needed}, or use all templates and terms; "
        "fairness-checklist plan says how many show a gap.",
    )


def _decided(
    row: Mapping[Any, Any], change: Mapping[str, Any] | None, config: GateConfig, today: date
) -> dict[str, Any]:
    """The decision about one group and error."""
    rates = config.unit == "decisions"
    gap, low, high = (
        float(row[name])
        for name in (("rate_gap", "rate_ci_low", "rate_high_alone") if rates else ("gap", "ci_low", "high_alone"))
    )
    limit = config.limit_of(str(row["attribute"]), str(row["harm"]))
    grown = grown_high = math.nan
    if change is not None:
        names = ("rate_change", "rate_high_alone") if rates else ("change", "high_alone")
        grown, grown_high = (float(change[name]) for name in names)
    decision, code = _by_bounds(row, limit, (low, high), grown_high < config.margin, change)
    if decision == FAIL and row["status"] != CLEAR:
        decision, code = INCONCLUSIVE, GateReason.NOT_CLEAR
    if decision != PASS:
        waiver = next((waiver for waiver in config.waivers if waiver.covers(*(str(row[name]) for name in KEY))), None)
        if waiver is not None and waiver.expires >= today:
            decision, code = PASS, GateReason.WAIVED
        elif waiver is not None:
            code = GateReason.EXPIRED
    more = _more(row, gap, high, limit) if decision == INCONCLUSIVE else (0, 0)
    figures = (decision, config.unit, limit, gap, low, high, grown, grown_high, *more, code)
    return {name: row[name] for name in (*KEY, "title")} | dict(zip(GATE_COLUMNS[4:], figures, strict=True))


def _by_bounds(
    row: Mapping[Any, Any],
    limit: float,
    bounds: tuple[float, float],
    as_baseline: bool,
    change: Mapping[str, Any] | None,
) -> tuple[str, GateReason]:
    """The decision by the bounds of a gap and of its change, with the code of the reason."""
    if row["status"] == TOO_FEW:
        return INCONCLUSIVE, GateReason.TOO_FEW
    if change is not None and change["verdict"] == WORSE:
        return FAIL, GateReason.WORSE_THAN_BASELINE
    lead = float(row["rate_gap" if leads_with_rates(row) else "gap"])  # what the report shows
    if bounds[1] < limit and not (row["status"] == CLEAR and lead > limit):
        return PASS, GateReason.NONE
    if as_baseline:
        return PASS, GateReason.AS_BASELINE
    if bounds[1] < limit:
        return INCONCLUSIVE, GateReason.OTHER_UNIT
    return (FAIL if bounds[0] > limit else INCONCLUSIVE), GateReason.NONE


def _more(row: Mapping[Any, Any], gap: float, high: float, limit: float) -> tuple[int, int]:
    """About how many more words and sentences bring the upper bound below the limit if the gap stays as it is."""
    if not gap < limit <= high:
        return 0, 0
    times = ((high - gap) / (limit - gap)) ** 2
    return math.ceil(int(row["n_lexemes"]) * (times - 1)), math.ceil(int(row["n_sources"]) * (times - 1))
