"""`Result`: what a run found, in tables, words and pictures; and `evaluate`, which needs no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.api.asking import the_threshold
from fairness_checklist.checks import Check
from fairness_checklist.metrics import Metric, Options
from fairness_checklist.results import Results
from fairness_checklist.run import ADJUSTMENTS, DEFAULT_CHECKS, DRAWS, RunOptions, evaluate_sets
from fairness_checklist.table_columns import split_controls
from fairness_checklist.table_groups import MIN_CELL, grouped_by
from fairness_checklist.tables import read_table
from fairness_checklist.token_tables import is_tagged, split_any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fairness_checklist.analysis.mechanisms import Mechanisms
    from fairness_checklist.metrics import GapCurve
    from fairness_checklist.reports.stability import Stability

__all__ = ["Result", "evaluate"]


@dataclass(frozen=True, repr=False)
class Result:
    """What a run found: tables, and what they say in words and pictures.

    Attributes:
        results: the tables, see `Results`.
    """

    results: Results

    @property
    def metrics(self) -> pd.DataFrame:
        """One number a row; see `Results`."""
        return self.results.metrics

    @property
    def scores(self) -> pd.DataFrame:
        """Every base score by group, term and overall."""
        return self.results.scores

    @property
    def checks(self) -> pd.DataFrame:
        """One test a row."""
        return self.results.checks

    @property
    def checks_by_group(self) -> pd.DataFrame:
        """The tests by group, with the direction of the change."""
        return self.results.checks_by_group

    @property
    def examples(self) -> pd.DataFrame:
        """The texts with what the model said."""
        return self.results.examples

    @property
    def info(self) -> dict[str, Any]:
        """What `run.json` keeps."""
        return self.results.info

    def verdict(self, *, width: int | None = 100) -> str:
        """The finding in words, wrapped at width; None leaves each paragraph on one line."""
        from fairness_checklist.reports.text import verdict

        return verdict(self.results, width=width)

    def explain(
        self, metric: str, group: str | None = None, *, label: str | None = None, attribute: str | None = None
    ) -> str:
        """One number in a sentence: what it compares, the rows behind it, where it comes from."""
        from fairness_checklist.reports.text import explain

        return explain(self.results, metric, group, label=label, attribute=attribute)

    def failures(self, attribute: str | None = None, *, threshold: float | None = None) -> pd.DataFrame:
        """The pairs with the reference that fail the invariance test, the largest change first.

        By default at the threshold of the run.
        """
        from fairness_checklist.analysis.failures import failures

        return failures(self.results, attribute, threshold=threshold)

    def worst(self, attribute: str | None = None, n: int = 10) -> pd.DataFrame:
        """The source pairs that differ most, side by side."""
        from fairness_checklist.analysis.worst_pairs import worst_pairs

        return worst_pairs(self.results, attribute or self.results.attributes[0], n)

    def interactions(self, attribute: str | None = None) -> pd.DataFrame:
        """Marginal and joint effects of two attributes and their interaction: see `analysis.interactions`."""
        from fairness_checklist.analysis.interactions import interactions

        return interactions(self.results, attribute)

    def capitals(self, attribute: str | None = None) -> pd.DataFrame:
        """What a small letter changes, in pairs of terms such as Deaf and deaf: see `analysis.capitals`."""
        from fairness_checklist.analysis.capitals import capitals

        return capitals(self.results, attribute)

    def without(
        self, terms: str | Sequence[str] | None = None, attribute: str | None = None, *, draws: int | None = None
    ) -> Result:
        """The run again without some terms, by default the ambiguous ones: see `analysis.terms_left_out`."""
        from fairness_checklist.analysis.terms_left_out import without

        return Result(without(self.results, terms, attribute, draws=draws))

    def these_terms(self, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """Friedman, Wilcoxon, paired t and sign flips: tests of these very terms, which say nothing about groups."""
        from fairness_checklist.analysis.these_terms import these_terms

        return these_terms(self.results, attribute, label)

    def heat_map(self, attribute: str | None = None, *, label: str | None = None) -> Figure:
        """Metrics by group as a matplotlib figure."""
        from fairness_checklist.reports.heatmap import heat_map

        return heat_map(self.results, attribute, label=label)

    def gap_curve(self, metric: str = "fpr_gap", *, label: str | None = None, attribute: str | None = None) -> GapCurve:
        """A metric of rates at every threshold, with the area under it: see `GapCurve`."""
        from fairness_checklist.analysis.gap_curves import gap_curve_of

        return gap_curve_of(self.results, metric, label=label, attribute=attribute)

    def influence(self, metric: str, *, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """A metric's values without each template and each term, the one that moves furthest first."""
        from fairness_checklist.analysis.stability import influence_table

        return influence_table(self.results, metric, attribute=attribute, label=label)

    def stability(self, metric: str, *, attribute: str | None = None, splits: int = 200, seed: int = 0) -> Stability:
        """Whether a metric's findings rest on one sentence or term, survive rewording, and order the groups alike."""
        from fairness_checklist.reports.stability import stability

        return stability(self.results, metric, attribute=attribute, splits=splits, seed=seed)

    def mechanisms(
        self, model: object = None, text: str | Path | Iterable[str] | None = None, *, attribute: str | None = None
    ) -> Mechanisms:
        """Words, sub-words, unknown tokens and frequency of each term beside its own result: see `Mechanisms`."""
        from fairness_checklist.analysis.mechanisms import mechanisms

        return mechanisms(self.results, model, text, attribute=attribute)

    def to_html(self, path: str | Path) -> Path:
        """Write the report, one self-contained file."""
        from fairness_checklist.reports.html import write

        return write(self.results, path)

    def save(self, folder: str | Path, *, text: bool = True) -> Path:
        """Write the run folder: tables, heat map and report."""
        from fairness_checklist.reports.folder import save_run

        return save_run(self.results, folder, text=text)

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a run folder."""
        return cls(Results.load(folder))

    def __str__(self) -> str:
        from fairness_checklist.reports.text import tables

        return f"{self.verdict()}\n\n{tables(self.results)}"

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.results.attributes)}; {len(self.metrics):,} values>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import notebook_view

        return notebook_view(self.results)


def evaluate(
    table: pd.DataFrame | str | Path,
    *,
    task: str = "sentiment",
    attribute: str = "group",
    classes: Sequence[str] = (),
    metrics: Sequence[str | Metric] | None = None,
    primary: Sequence[str] | None = None,
    checks: Sequence[Check] = DEFAULT_CHECKS,
    options: Options | None = None,
    unlabelled: str = "keep",
    threshold: float | str | Mapping[str, float] | None = None,
    threshold_on: pd.DataFrame | str | Path | None = None,
    draws: int = DRAWS,
    adjust: str = ADJUSTMENTS[0],
    labels: Mapping[str, str] | None = None,
    group_columns: Sequence[str] = (),
    min_cell: int = MIN_CELL,
) -> Result:
    """Metrics and checks from predictions that are there already; no model is needed.

    Args:
        table: a prediction table, or the path of a CSV, Parquet or (of a tagger) JSON lines file.
        task: whose classes the labels are.
        attribute: the attribute's name where the table has no column ``attribute``.
        classes: the classes in order, where the table's own order is not the one meant.
        metrics, primary, checks, options, unlabelled, threshold, threshold_on, draws, adjust: as in `Suite.run`; a
            table for "eer" holds ``p:<class>``.
        labels: of a tagger's table the suite's type for a type of the tagger's, {"GPE": "LOC"}.
        group_columns: the columns whose values are the groups: one, or two, of which the pairs are groups as well; in
            place of the column ``group``.
        min_cell: groups of such columns with fewer rows are left out, and the notes name them.

    Raises:
        TableError: the table is wrong; see `tables.split_table`.

    >>> frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "label": ["no", "yes"] * 2,
    ...                       "predicted": ["no", "yes", "no", "no"]})
    >>> evaluate(frame, metrics=["tpr_gap"]).metrics[["class", "left", "right", "value"]].values.tolist()
    [['no', '*', '', 0.0], ['no', 'a', 'b', 0.0], ['yes', '*', '', 1.0], ['yes', 'a', 'b', 1.0]]
    """
    frame, controls = split_controls(table if isinstance(table, pd.DataFrame) else read_table(table))
    name = "a table in memory" if isinstance(table, pd.DataFrame) else Path(table).name
    decided = the_threshold(threshold, threshold_on, None, task)
    choices = RunOptions(metrics, primary, checks, options or Options(), unlabelled, decided, draws, adjust)
    remarks: dict[str, list[str]] = {}
    if group_columns:
        columns = [group_columns] if isinstance(group_columns, str) else list(group_columns)
        frame, remarks = grouped_by(frame, columns, min_cell)
        controls = controls.iloc[:0]
    sets = split_any(frame, task=task, attribute=attribute, classes=classes, labels=labels)
    task = "ner" if is_tagged(frame) else task
    results = evaluate_sets(sets, choices, info={"task": task, "model": {"name": name}})
    if len(controls):
        results = replace(results, examples=frame, controls=controls)
    for attribute, told in remarks.items():
        results.info["notes"][attribute] += told
    return Result(results)
