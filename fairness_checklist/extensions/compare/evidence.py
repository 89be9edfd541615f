"""The evidence of a gate, one JSON file: what was tested, how, what was decided, and what it may be input for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from fairness_checklist.cli.answers import plain
from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.extensions.compare.gate import KEY, Gate
from fairness_checklist.extensions.compare.gate_text import gate_lines
from fairness_checklist.findings.status import TOO_FEW
from fairness_checklist.reports.run_tables import groups_left_out, joint_hash, predictions_hash, untested
from fairness_checklist.reports.run_view import View, attribute_views, suite_parts, task_of

STATEMENTS = (
    "This is no statement of conformity.",
    "This is not an audit under New York City Local Law 144 (LL144).",
    "The gaps are those of these texts and words: a pass does not show that the model is fair.",
    "Gaps, bounds and limits are shares: 0.1 is 10 points. Each end of an interval holds in 95 of 100 such tests, for "
    "all groups and errors of an attribute together. The upper bound, of a comparison alone, is what the gate uses.",
)
_RMF, _ACT = "NIST AI RMF 1.0", "EU AI Act, Regulation (EU) 2024/1689"
MAPPING = (
    (_RMF, "MEASURE 2.1", "test sets, metrics and tools, documented", "suite run versions limits"),
    (_RMF, "MEASURE 2.3", "performance, as far as these texts resemble those in use", "accuracy decision limits"),
    (_RMF, "MEASURE 2.5", "validity and reliability, limits of generalisation", "comparisons not_tested"),
    (_RMF, "MEASURE 2.11", "fairness and bias, evaluated and documented", "comparisons decision not_tested"),
    (_ACT, "Article 10(2)(f)", "examination of data sets in view of possible biases", "comparisons not_tested"),
    (_ACT, "Article 10(2)(g)", "measures to detect, prevent and mitigate them", "comparisons limits decision"),
    (_ACT, "Article 15", "accuracy, declared with its metrics", "accuracy suite"),
)
"""Framework, place, subject, and the fields of the evidence that may serve as input for it."""
_OPTIONS = ("seed", "draws", "relevant", "threshold")
_OF_RECORD = ("status", "rate", "others_rate", "n", "n_sources", "n_terms")


def write_evidence(path: Path, gate: Gate) -> None:
    """Write the evidence of a gate: JSON with the fields of `docs/evidence.md`, ``null`` where one is not known."""
    info, views = gate.results.info, attribute_views(gate.results)
    used = {"date": info.get("date"), "task": task_of(gate.results)}
    record = {
        "statements": STATEMENTS,
        "date": date.today(),
        "decision": gate.decision,
        "summary": gate_lines(gate)[:2],
        "limits": vars(gate.config),
        "comparisons": list(_comparisons(gate)),
        "not_tested": {view.attribute: _not_tested(gate, view) for view in views},
        "accuracy": [row for view in views for row in _accuracy(view)],
        "suite": [{**part, "sha256": joint_hash([part])} for part in suite_parts(info)],
        "predictions_sha256": predictions_hash(gate.results),
        "model": info.get("model"),
        "baseline_model": None if gate.comparison is None else gate.comparison.info["base_model"],
        "run": used | {name: info.get("options", {}).get(name) for name in _OPTIONS},
        "versions": info.get("versions", {}),
        "mapping": [
            {"framework": framework, "may_serve_as_input_for": f"{place} ({subject})", "fields": fields.split()}
            for framework, place, subject, fields in MAPPING
        ],
    }
    with atomic_file(path) as scratch:
        scratch.write_text(json.dumps(plain(record), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _comparisons(gate: Gate) -> Iterator[dict[Any, Any]]:
    """The comparisons, with the simultaneous interval in the unit of the limit and the figures of the finding."""
    prefix = "rate_" if gate.config.unit == "decisions" else ""
    records = {tuple(row[key] for key in KEY): row for row in gate.results.findings.to_dict("records")}
    for row in gate.comparisons.drop(columns="low").rename(columns={"high": "upper_bound"}).to_dict("records"):
        found = records[tuple(row[key] for key in KEY)]
        interval = [found[f"{prefix}ci_low"], found[f"{prefix}ci_high"]]
        yield row | {"interval": interval} | {name: found[name] for name in _OF_RECORD}


def _not_tested(gate: Gate, view: View) -> dict[str, Any]:
    found, info, name = gate.results.findings, gate.results.info, view.attribute
    few = found[(found["attribute"] == name) & (found["status"] == TOO_FEW)]
    return {
        "groups": groups_left_out(info, name),
        "errors": info.get("findings", {}).get(name, {}).get("left_out", {}),
        "too_few": few[["group", "harm", "note"]],
        "text": untested(gate.results, view),
    }


def _accuracy(view: View) -> Iterator[dict[str, Any]]:
    """The accuracy of the labelled texts, of all ("*") and of each group."""
    for group in ("*", *view.groups):
        value, n = view.score("accuracy", "*", group)
        yield {"attribute": view.attribute, "group": group, "accuracy": value, "n": n}
