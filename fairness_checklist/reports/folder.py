"""The run folder with its pictures: tables, heat map and report appear together or not at all."""

from __future__ import annotations

from pathlib import Path

from fairness_checklist.results import Results
from fairness_checklist.table_files import escape_formulas as escaped

__all__ = ["save_run"]


def save_run(results: Results, folder: str | Path, *, text: bool = True, escape_formulas: bool = False) -> Path:
    """Write a run folder with ``heatmap.png`` and ``report.html``, of intersections whose predictions are
    probabilities ``interactions.csv`` as well.

    Args:
        results: a run.
        folder: where to; an older run of that name is replaced.
        text: False keeps only hashes of the texts, in the report too.
        escape_formulas: see `Results.save`.
    """
    from fairness_checklist.analysis.interactions import crossed_attributes, interactions
    from fairness_checklist.analysis.run_view import cached_views
    from fairness_checklist.reports.heatmap import save_heat_map
    from fairness_checklist.reports.html import write

    shown = results if text else results.without_text()

    def add_pictures(scratch: Path) -> None:
        with cached_views():
            drawn = save_heat_map(shown, scratch / "heatmap.png").read_bytes()
            write(shown, scratch / "report.html", drawn=drawn if len(shown.attributes) == 1 else b"")
        sentences = any(str(name).startswith("p:") and shown.examples[name].notna().any() for name in shown.examples)
        if sentences and crossed_attributes(shown):
            table = interactions(shown)
            table = escaped(table) if escape_formulas else table
            table.to_csv(scratch / "interactions.csv", index=False, encoding="utf-8", lineterminator="\n")

    return shown.save(folder, also=add_pictures, escape_formulas=escape_formulas)
