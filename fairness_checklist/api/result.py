"""`Result`: the tables, texts and figures of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.extensions import extension
from fairness_checklist.core.option_defaults import flag, path
from fairness_checklist.core.progress import stage
from fairness_checklist.tables.run_folder import Results, check_same_suite

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fairness_checklist.extensions.analyses.plots import Plots
    from fairness_checklist.extensions.compare.compare import Comparison
    from fairness_checklist.extensions.compare.gate import Gate
    from fairness_checklist.extensions.natural.validation import Validation


_LEADING = ("attribute", "group", "term", "harm", "status", "rate_gap", "gap", "ci_low", "ci_high")


class _Records(pd.DataFrame):
    """A table of findings that prints eight columns, with a line that says that there are more."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return _Records

    def _printed(self, how: str) -> str:
        names = [name for name in _LEADING if name in self and (name != "group" or "term" not in self)]
        shown = pd.DataFrame(self)[names if self.shape[1] > len(_LEADING) else list(self.columns)]
        with pd.option_context("display.max_columns", None, "display.width", 140, "display.precision", 3):
            return str(getattr(shown, how)())

    @property
    def _more(self) -> str:
        return f"{self.shape[1]} columns: see .columns" if self.shape[1] > len(_LEADING) else ""

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self._printed("__repr__"), self._more)))

    def _repr_html_(self) -> str:
        return self._printed("_repr_html_") + (f"<p>{self._more}</p>" if self._more else "")


@dataclass(frozen=True, eq=False, repr=False)
class Result(Results):
    """The results of a run: tables, texts and figures.

    ``result.findings`` and ``result.term_findings`` are what may be claimed: one record an attribute x group x harm,
    and one an attribute x term x harm, each with its status, such as "clear" or "shown to be small": see
    `docs/findings.md`. `verdict` and the reports put them into words. ``metrics`` and all other tables describe and
    explore; they are the attributes of `Results`.
    """

    def __post_init__(self) -> None:
        for name in ("findings", "term_findings"):
            object.__setattr__(self, name, _Records(getattr(self, name)))

    def verdict(self, *, width: int | None = 100) -> str:
        """The first screen as text: what was found of each attribute, and the next step.

        Args:
            width: lines are wrapped there; None leaves each paragraph on one line.
        """
        from fairness_checklist.reports.first_screen import first_screen

        return first_screen(self, python=True).as_text(width)

    def summary(self) -> None:
        """Print the first screen, as ``print(result)`` does."""
        print(self)

    def tables(self) -> str:
        """The tables of all metrics, tests and scores by group, as text of at most 100 columns."""
        from fairness_checklist.reports.tables import tables

        return tables(self)

    def interactions(self, attribute: str | None = None) -> pd.DataFrame:
        """Marginal and joint effects of two attributes, and their interaction: see `extensions.analyses`."""
        table: pd.DataFrame = extension("analyses.interactions").interactions(self, attribute)
        return table

    def by(self, column: str, attribute: str | None = None) -> pd.DataFrame:
        """Harms and gaps by a column of the sentences, such as "register" or "kind": see `extensions.analyses`."""
        table: pd.DataFrame = extension("analyses.by_column").by_column(self, column, attribute)
        return table

    def validate(self, texts: pd.DataFrame | Iterable[pd.DataFrame], model: Any = None, **options: Any) -> Validation:
        """These gaps beside those that the model shows in texts that people wrote: see `extensions.natural`."""
        found: Validation = extension("natural.validation").validate(self, texts, model, **options)
        return found

    def paired_tests(self, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """Friedman, Wilcoxon, paired t and sign-flip tests: conditional on the terms of the run, not about groups."""
        table: pd.DataFrame = extension("analyses.paired_tests").paired_tests(self, attribute, label)
        return table

    @property
    def plot(self) -> Plots:
        """The figures: ``plot.findings()``, ``plot.terms()``, ``plot.heatmap()``; see `Plots`."""
        plots: Plots = extension("analyses.plots").Plots(self)
        return plots

    def heat_map(self, attribute: str | None = None, *, label: str | None = None) -> Figure:
        """The same as `plot.heatmap`."""
        return self.plot.heatmap(attribute, label)

    def compare(self, base: object, **options: Any) -> Comparison:
        """What changed from the run ``base`` to this one, on the texts of both: see `compare`."""
        comparison: Comparison = extension("compare.compare").compare(base, self, **options)
        return comparison

    def gate(self, limit: float | None = None, **options: Any) -> Gate:
        """Whether the gaps of this run are below a limit: see `gate`."""
        decided: Gate = extension("compare.gate").gate(self, limit, **options)
        return decided

    def to_html(self, path: str | Path) -> Path:
        """Write the report, one self-contained file."""
        from fairness_checklist.reports.html import write

        return write(self, path)

    def save(
        self, folder: str | Path, *, text: bool = True, escape_formulas: bool = False, force: bool = False
    ) -> Path:
        """Write the run folder: tables, heat map and report.

        Args:
            folder: where to; an older run of the same suite is replaced.
            text: False keeps only hashes of the texts.
            escape_formulas: cells of CSV files that begin with ``=``, ``+``, ``-`` or ``@`` get an apostrophe in front,
                so that no spreadsheet program computes them; `load` takes it away again.
            force: True replaces a run of another suite as well.

        Raises:
            TableError: the folder holds something else than a run, or the run of another suite.
        """
        from fairness_checklist.reports.html import save_run

        check_same_suite(Path(path("folder", folder)), self.info, force=flag("force", force))
        with stage("writing the report"):
            return save_run(self, folder, text=text, escape_formulas=escape_formulas)

    def __str__(self) -> str:
        return self.verdict()

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.attributes)}; {len(self.metrics):,} values>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import notebook_view

        return notebook_view(self)
