"""`Result`: the tables, texts and figures of a run; and `evaluate`, which needs no model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.api.scoring import resolved_threshold
from fairness_checklist.checks import Check
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import (
    GROUP_ATTRIBUTE,
    MIN_CELL,
    TASK,
    items,
    names,
    path,
    string,
    whole_number,
)
from fairness_checklist.core.tasks import get_task
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import DEFAULT_CHECKS, Harms, RunOptions
from fairness_checklist.run.progress import stage
from fairness_checklist.tables.columns import grouped_by, split_controls
from fairness_checklist.tables.files import read_table
from fairness_checklist.tables.from_arrays import SensitiveFeatures, table_of_arrays
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.token_cells import is_tagged
from fairness_checklist.tables.tokens import split_any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fairness_checklist.analysis.mechanisms import Mechanisms
    from fairness_checklist.api.plots import Plots
    from fairness_checklist.metrics.curves import GapCurve
    from fairness_checklist.reports.analyses import Stability


@dataclass(frozen=True, repr=False)
class Result:
    """The results of a run: tables, texts and figures.

    ``result.findings`` and ``result.term_findings`` are what may be claimed: one record an attribute x group x harm,
    and one an attribute x term x harm, each with its status ("clear", "suspected", "none found", "too few to say"), see
    `docs/findings.md`. `verdict` and the reports put them into words. ``metrics`` and all other tables describe and
    explore.

    Attributes:
        results: the tables, see `Results`.
    """

    results: Results

    @property
    def findings(self) -> pd.DataFrame:
        """The findings, one row an attribute x group x harm, of each attribute the strongest first.

        The columns stand in `docs/findings.md`.
        """
        return self.results.findings

    @property
    def term_findings(self) -> pd.DataFrame:
        """The same of single terms against the attribute's other terms, the worst first."""
        return self.results.term_findings

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
        """The texts with their predictions."""
        return self.results.examples

    @property
    def info(self) -> dict[str, Any]:
        """The content of ``run.json``."""
        return self.results.info

    def verdict(self, *, width: int | None = 100) -> str:
        """The first screen as text: what was found of each attribute, and the next step.

        Args:
            width: lines are wrapped there; None leaves each paragraph on one line.
        """
        from fairness_checklist.reports.first_screen import first_screen

        return first_screen(self.results, python=True).as_text(width)

    def tables(self) -> str:
        """The tables of all metrics, tests and scores by group, as text of at most 100 columns."""
        from fairness_checklist.reports.text import tables

        return tables(self.results)

    def kpi(self) -> pd.DataFrame:
        """The figure to track, one row an attribute: see `reports.tracked.kpi_table`."""
        from fairness_checklist.reports.tracked import kpi_table

        return kpi_table(self.results)

    def explain(
        self, metric: str, group: str | None = None, *, label: str | None = None, attribute: str | None = None
    ) -> str:
        """One number in a sentence: what it compares, the rows behind it, where it comes from."""
        from fairness_checklist.reports.explain import explain

        return explain(self.results, metric, group, label=label, attribute=attribute)

    def failures(self, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
        """The pairs with the reference that fail the invariance test, the largest change first.

        By default at the tolerance of the run.
        """
        from fairness_checklist.analysis.failures import failures

        return failures(self.results, attribute, tolerance=tolerance)

    def worst(self, attribute: str | None = None, n: int = 10) -> pd.DataFrame:
        """The source pairs that differ most, side by side."""
        from fairness_checklist.analysis.worst_pairs import worst_pairs

        return worst_pairs(self.results, attribute or self.results.attributes[0], n)

    def interactions(self, attribute: str | None = None) -> pd.DataFrame:
        """Marginal and joint effects of two attributes and their interaction: see `analysis.interactions`."""
        from fairness_checklist.analysis.interactions import interactions

        return interactions(self.results, attribute)

    def capitals(self, attribute: str | None = None) -> pd.DataFrame:
        """The effect of a small letter, in pairs of terms such as Deaf and deaf: see `analysis.mechanisms`."""
        from fairness_checklist.analysis.mechanisms import capitals

        return capitals(self.results, attribute)

    def exclude_terms(
        self, terms: str | Sequence[str] | None = None, attribute: str | None = None, *, draws: int | None = None
    ) -> Result:
        """The run again without some terms, by default the ambiguous ones: see `analysis.terms_left_out`."""
        from fairness_checklist.analysis.terms_left_out import exclude_terms

        return Result(exclude_terms(self.results, terms, attribute, draws=draws))

    def paired_tests(self, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """Friedman, Wilcoxon, paired t and sign-flip tests: conditional on the terms of the run, not about groups."""
        from fairness_checklist.analysis.recompute import paired_tests

        return paired_tests(self.results, attribute, label)

    @property
    def plot(self) -> Plots:
        """The figures: ``plot.findings()``, ``plot.terms()``, ``plot.heatmap()``; see `Plots`."""
        from fairness_checklist.api.plots import Plots

        return Plots(self.results)

    def heat_map(self, attribute: str | None = None, *, label: str | None = None) -> Figure:
        """The same as `plot.heatmap`."""
        return self.plot.heatmap(attribute, label)

    def gap_curve(self, metric: str = "fpr_gap", *, label: str | None = None, attribute: str | None = None) -> GapCurve:
        """A metric of rates at every threshold, with the area under it: see `GapCurve`."""
        from fairness_checklist.analysis.recompute import gap_curve_of

        return gap_curve_of(self.results, metric, label=label, attribute=attribute)

    def influence(self, metric: str, *, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """A metric's values without each template and each term, the one that moves furthest first."""
        from fairness_checklist.analysis.recompute import influence_table

        return influence_table(self.results, metric, attribute=attribute, label=label)

    def stability(self, metric: str, *, attribute: str | None = None, splits: int = 200, seed: int = 0) -> Stability:
        """Whether a metric's findings rest on one sentence or term, survive rewording, and order the groups alike."""
        from fairness_checklist.reports.analyses import stability

        return stability(self.results, metric, attribute=attribute, splits=splits, seed=seed)

    def mechanisms(
        self, model: object = None, text: str | Path | Iterable[str] | None = None, *, attribute: str | None = None
    ) -> Mechanisms:
        """Words, sub-words, unknown tokens and frequency of each term with its result: see `Mechanisms`."""
        from fairness_checklist.analysis.mechanisms import mechanisms

        return mechanisms(self.results, model, text, attribute=attribute)

    def to_html(self, path: str | Path) -> Path:
        """Write the report, one self-contained file."""
        from fairness_checklist.reports.html import write

        return write(self.results, path)

    def save(self, folder: str | Path, *, text: bool = True, escape_formulas: bool = False) -> Path:
        """Write the run folder: tables, heat map and report.

        Args:
            folder: where to; an older run of that name is replaced.
            text: False keeps only hashes of the texts.
            escape_formulas: cells of CSV files that begin with ``=``, ``+``, ``-`` or ``@`` get an apostrophe in front,
                so that no spreadsheet program computes them; `load` takes it away again.
        """
        from fairness_checklist.reports.html import save_run

        with stage("writing the report"):
            return save_run(self.results, folder, text=text, escape_formulas=escape_formulas)

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a run folder."""
        return cls(Results.load(folder))

    def __str__(self) -> str:
        return self.verdict()

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.results.attributes)}; {len(self.metrics):,} values>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import notebook_view

        return notebook_view(self.results)


def evaluate(
    table: pd.DataFrame | str | Path | ArrayLike | None = None,
    y_pred: ArrayLike | None = None,
    *,
    y_true: ArrayLike | None = None,
    y_prob: ArrayLike | pd.DataFrame | None = None,
    sensitive_features: SensitiveFeatures | None = None,
    sample_weight: ArrayLike | None = None,
    task: str = TASK,
    attribute: str = GROUP_ATTRIBUTE,
    classes: Sequence[Any] = (),
    metrics: Sequence[str | Metric] | None = None,
    primary: Sequence[str] | None = None,
    checks: Sequence[Check] = DEFAULT_CHECKS,
    options: Options | None = None,
    unlabelled: str = RunOptions.unlabelled,
    threshold: float | str | Mapping[str, float] | None = None,
    threshold_on: pd.DataFrame | str | Path | None = None,
    draws: int = RunOptions.draws,
    adjust: str = RunOptions.adjust,
    harm: Harms = None,
    labels: Mapping[str, str] | None = None,
    group_columns: Sequence[str] = (),
    min_cell: int = MIN_CELL,
) -> Result:
    """Metrics and checks from predictions that are there already; no model is needed.

    Called as ``evaluate(table)``, or as ``evaluate(y_true, y_pred, sensitive_features=...)`` with arrays, lists or
    pandas objects of n rows, as in scikit-learn and fairlearn.

    Args:
        table: a prediction table, or the path of a CSV, Parquet or (of a tagger) JSON lines file; or y_true.
        y_pred: (n,) predicted classes, strings or numbers; by default the most probable class of ``y_prob``.
        y_true: (n,) gold classes; None, or a missing value, where there is none.
        y_prob: probabilities: (n,) of the second of two classes, (n, C) of all in the order of ``classes``, or
            a DataFrame whose columns are the classes.
        sensitive_features: (n,) groups; or several columns, a DataFrame, a mapping from names or an array (n, k), each
            of which is an attribute. Rows without a group take no part in the attribute, and the notes count them.
        sample_weight: (n,) weights, 0 or more.
        task: the task, which defines the classes.
        attribute: the attribute's name where the table has no column ``attribute``, or the feature no name.
        classes: the C classes in order, where the table's own order is not the one meant; of ``y_prob`` its columns.
        metrics, primary, checks, options, unlabelled, threshold, draws, adjust, harm: as in `Suite.run`.
        threshold_on: as in `Suite.run`; a table for "eer" holds ``p:<class>``.
        labels: of a tagger's table the suite's type for a type of the tagger's, {"GPE": "LOC"}.
        group_columns: the columns of the table, or the sensitive features, whose values are the groups: one, or two, of
            which the pairs are groups as well; in place of the column ``group``.
        min_cell: groups of such columns with fewer rows are left out, and the notes name them.

    Raises:
        TableError: the table is wrong; see `tables.texts.split_table`.
        AlignmentError: arrays of different lengths, or pandas objects whose indexes differ.
        PredictionError, OptionError: arrays or ``classes`` that are wrong; see `tables.from_arrays.table_of_arrays`.

    >>> frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "label": ["no", "yes"] * 2,
    ...                       "predicted": ["no", "yes", "no", "no"]})
    >>> evaluate(frame, metrics=["tpr_gap"]).metrics[["class", "left", "right", "value"]].values.tolist()
    [['no', '*', '', 0.0], ['no', 'a', 'b', 0.0], ['yes', '*', '', 1.0], ['yes', 'a', 'b', 1.0]]
    >>> found = evaluate([0, 1, 0, 1], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"], metrics=["tpr_gap"])
    >>> found.metrics[["class", "left", "right", "value"]].values.tolist()[-1]
    ['1', 'a', 'b', 1.0]
    """
    get_task(task)
    string("attribute", attribute, empty=False)
    whole_number("min_cell", min_cell)
    columns: list[Any] = list(items("group_columns", group_columns, (str, int), "names of columns", empty=True))
    if labels is not None and not isinstance(labels, Mapping):
        raise OptionError(f"labels={labels!r} is not a mapping.", remedy='Write labels={"GPE": "LOC"}.')
    chosen = Options() if options is None else options
    choices = RunOptions(metrics, primary, checks, chosen, unlabelled, threshold, draws, adjust, harm)
    remarks: dict[str, list[str]] = {}
    if sensitive_features is None:
        given = _checked_table(table, y_true=y_true, y_pred=y_pred, y_prob=y_prob, sample_weight=sample_weight)
        classes = names("classes", classes, empty=True)
        name = "a table in memory" if isinstance(given, pd.DataFrame) else Path(given).name
    else:
        name = "arrays in memory"
        given, classes, remarks = table_of_arrays(
            _gold(table, y_true),
            y_pred,
            y_prob=y_prob,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            classes=classes,
            task=task,
            attribute=attribute,
            group_columns=columns,
            min_cell=min_cell,
        )
        columns = []
    with stage("reading the table"):
        frame, controls = split_controls(given if isinstance(given, pd.DataFrame) else read_table(path("table", given)))
    choices = replace(choices, threshold=resolved_threshold(threshold, threshold_on, None, task))
    if columns:
        frame, remarks = grouped_by(frame, columns, min_cell)
        controls = controls.iloc[:0]
    sets = split_any(frame, task=task, attribute=attribute, classes=classes, labels=labels)
    info = {"task": "ner" if is_tagged(frame) else task, "model": {"name": name}}
    with stage("evaluating the table"):
        results = evaluate_sets(sets, choices, info=info)
    return Result(_completed(results, frame, controls, remarks))


def _completed(
    results: Results, frame: pd.DataFrame, controls: pd.DataFrame, remarks: Mapping[str, Sequence[str]]
) -> Results:
    """The results with the controls of intersections, and with notes on what was left out of each attribute."""
    if len(controls):
        results = replace(results, examples=frame, controls=controls)
    for attribute, parts in remarks.items():
        results.info["notes"][attribute] += parts
    return results


def _checked_table(table: Any, **arrays: Any) -> pd.DataFrame | str | Path:
    """The table; `OptionError` where none is given, or arrays are without their groups."""
    named = [f"{name}=" for name, value in arrays.items() if value is not None]
    if not isinstance(table, (pd.DataFrame, str, Path)):
        raise OptionError(
            "sensitive_features= is not given, and there is no table."
            if table is not None or named
            else "there is nothing to evaluate.",
            remedy="Call evaluate(y_true, y_pred, sensitive_features=...), or evaluate(table).",
        )
    if named:
        raise OptionError(
            f"{', '.join(named)} {'belong' if len(named) > 1 else 'belongs'} to arrays, and a table is given.",
            remedy="A table has the columns label, predicted, p:<class> and weight.",
        )
    return table


def _gold(table: Any, y_true: Any) -> Any:
    """The gold classes, given by their position or by name."""
    if isinstance(table, (str, Path)) or (isinstance(table, pd.DataFrame) and table.shape[1] > 1):
        raise OptionError(
            "sensitive_features= belongs to y_true and y_pred, and a table is given.",
            remedy="Name the table's columns: group_columns=.",
        )
    if table is not None and y_true is not None:
        raise OptionError("y_true is given twice, by its position and by name.", remedy="Give it once.")
    return table if y_true is None else y_true
