"""`Result`: the tables, texts and figures of a run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.option_defaults import flag, path
from fairness_checklist.core.progress import stage
from fairness_checklist.tables.files import Table
from fairness_checklist.tables.run_folder import Results, check_same_suite

if TYPE_CHECKING:
    from fairness_checklist.extensions.analyses.plots import Plots
    from fairness_checklist.extensions.compare.compare import Comparison
    from fairness_checklist.extensions.compare.gate import Gate
    from fairness_checklist.extensions.natural.validation import Validation

_LEADING = ("attribute", "group", "word", "error", "status", "said")
_NUMBERS = {"probability": ("probability", "others_probability"), "decisions": ("rate", "others_rate")}
_BOUNDS = ("gap", "low", "high")


class _Records(pd.DataFrame):
    """A table of findings that prints what a reader needs, with a line that says that there are more columns."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return _Records

    def _printed(self, how: str) -> str:
        whole = pd.DataFrame(self)
        if "gap" not in self or "unit" not in self:
            return str(getattr(whole, how)())
        numbers = [name for unit in whole["unit"].unique() for name in _NUMBERS.get(str(unit), ())]
        few = whole[[name for name in (*_LEADING, *numbers, *_BOUNDS) if name in whole]]
        if "attribute" in few and few["attribute"].nunique() < 2:
            few = few.drop(columns="attribute")
        with pd.option_context("display.max_columns", None, "display.width", 140, "display.precision", 3):
            return str(getattr(few, how)())

    @property
    def _more(self) -> str:
        return f"{self.shape[1]} columns: see .columns" if "gap" in self and "unit" in self else ""

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self._printed("__repr__"), self._more)))

    def _repr_html_(self) -> str:
        return self._printed("_repr_html_") + (f"<p>{self._more}</p>" if self._more else "")


class _Failures(pd.DataFrame):
    """A table of pairs that a notebook shows as rows that open on a click."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return _Failures

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import failures_view

        plain = pd.DataFrame(self)
        whole = {"text", "reference_text", "term", "group", "change"} <= set(plain)
        return failures_view(plain) if whole else plain.to_html()


@dataclass(frozen=True, eq=False, repr=False)
class Result(Results):
    """The results of a run: tables, texts and figures.

    ``findings`` and ``word_findings`` are what may be claimed: one record a comparison, and one a
    word, see `docs/findings.md`; `verdict` puts them into words. ``metrics``
    and all other tables describe and explore; they are the attributes of `Results`.
    """

    def __post_init__(self) -> None:
        for name in ("findings", "word_findings"):
            object.__setattr__(self, name, _Records(getattr(self, name)))

    def verdict(self, *, width: int | None = 100) -> str:
        """The first screen as text, wrapped at a width; None leaves each paragraph on one line."""
        from fairness_checklist.reports.screen import first_screen

        return first_screen(self, python=True).as_text(width)

    def tables(self) -> str:
        """The tables of all metrics, tests and scores by group, as text of at most 100 columns."""
        from fairness_checklist.reports.tables import tables

        return tables(self)

    def failures(self, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
        """The pairs with the reference that fail the invariance test, the largest change first.

        By default at the tolerance of the run. A notebook shows pairs that open on a click.
        """
        from fairness_checklist.extensions.analyses.failures import failures

        return _Failures(failures(self, attribute, tolerance=tolerance))

    def interactions(self, attribute: str | None = None) -> pd.DataFrame:
        """Marginal and joint effects of two attributes, and their interaction: see `extensions.analyses`."""
        from fairness_checklist.extensions.analyses.interactions import interactions

        return interactions(self, attribute)

    def by(self, column: str, attribute: str | None = None) -> pd.DataFrame:
        """Harms and gaps by a column of the sentences, such as "register" or "kind": see `extensions.analyses`."""
        from fairness_checklist.extensions.analyses.by_column import by_column

        return by_column(self, column, attribute)

    def validate(self, texts: Table | Iterable[Table], model: Any = None, **options: Any) -> Validation:
        """These gaps beside those that the model shows in texts that people wrote: see `extensions.natural`."""
        from fairness_checklist.extensions.natural.validation import validate

        return validate(self, texts, model, **options)

    def paired_tests(self, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
        """Friedman, Wilcoxon, paired t and sign-flip tests: conditional on the terms of the run, not about groups."""
        from fairness_checklist.extensions.analyses.paired_tests import paired_tests

        return paired_tests(self, attribute, label)

    @property
    def plot(self) -> Plots:
        """The figures: ``plot.findings()``, ``plot.terms()``, ``plot.heatmap()``; see `Plots`."""
        from fairness_checklist.extensions.analyses.plots import Plots

        return Plots(self)

    def compare(self, base: Results | Table, **options: Any) -> Comparison:
        """What changed from the run ``base`` to this one, on the texts of both: see `compare`."""
        from fairness_checklist.extensions.compare.compare import compare

        return compare(base, self, **options)

    def gate(self, limit: float | None = None, **options: Any) -> Gate:
        """Whether the gaps of this run are below a limit: see `gate`."""
        from fairness_checklist.extensions.compare.gate import gate

        return gate(self, limit, **options)

    def to_html(self, path: str | Path) -> Path:
        """Write the report, one self-contained file."""
        from fairness_checklist.reports.html import write

        return write(self, path)

    def save(self, folder: str | Path, *, text: bool = True, force: bool = False) -> Path:
        """Write the run folder: tables, heat map and report.

        Args:
            folder: where to; an older run of the same suite is replaced.
            text: False keeps only hashes of the texts.
            force: True replaces a run of another suite as well.

        Raises:
            TableError: the folder holds something else than a run, or the run of another suite.
        """
        from fairness_checklist.reports.html import save_run

        check_same_suite(Path(path("folder", folder)), self.info, force=flag("force", force))
        with stage("writing the report"):
            return save_run(self, folder, text=text)

    def __str__(self) -> str:
        return self.verdict()

    def __repr__(self) -> str:
        return f"<Result: {', '.join(self.attributes)}; {len(self.metrics):,} values>"

    def _repr_html_(self) -> str:
        from fairness_checklist.reports.html import notebook_view

        return notebook_view(self)
