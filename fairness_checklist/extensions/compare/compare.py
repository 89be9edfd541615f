"""`compare`: whether a new model treats groups worse than an old one, from their runs on the same texts."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.api.result import Result
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import MARGIN, TASK, UNITS
from fairness_checklist.core.replicates import outcome_harms
from fairness_checklist.extensions.compare.changes import COLUMNS, gap_changes
from fairness_checklist.extensions.compare.pairing import paired_outcomes, paired_texts, shared_attributes
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.run_view import harms_of, task_of
from fairness_checklist.reports.screen import model_name
from fairness_checklist.run.options import Harms
from fairness_checklist.tables.files import Table
from fairness_checklist.tables.run_folder import Results

Run = Results | Table
_CHANGED = 5
CHANGED_COLUMNS = ("attribute", "error", "source", "group", "term", "text", "base", "new", "p_base", "p_new")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one model to another.

    Attributes:
        changes: one row a group and error, the columns of `extensions.compare.changes.gap_changes`, of each attribute
            the worse ones first.
        n_texts: of each attribute, how many texts were compared.
        texts: the texts whose answer changed most, five for each attribute and error, see `CHANGED_COLUMNS`.
        runs: the run folders or tables of both, as they were named; "" for a `Result`.
        info: the names of the two models, the record of the old one, the task and ``margin``.
    """

    changes: pd.DataFrame
    n_texts: dict[str, int]
    texts: pd.DataFrame
    info: dict[str, Any] = field(default_factory=dict)
    runs: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        from fairness_checklist.extensions.compare.comparison_text import comparison_lines

        return "\n".join(comparison_lines(self))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


@checks_keywords
def compare(base: Run, new: Run, *, margin: float | None = None, task: str = TASK, harm: Harms = None) -> Comparison:
    """Compare two models by their runs on the same texts, paired text by text.

    The difference of the two models in each cell of term and sentence goes through the rule of findings, so that what
    both models share takes no part in its error: see `docs/compare.md`.

    Args:
        base, new: a `Result`, a run folder, or a prediction table as `evaluate` takes it (with ``task`` and ``harm``).
        margin: the largest change up to which models are equal, above 0 and below 1; None for the margin of the new
            run. Its reference and unit are those of the changes.

    Raises:
        TableError: the runs have other tasks, classes, texts or labels.
        OptionError: a margin that is no share.

    >>> import fairness_checklist as fc
    >>> rows = [(f"s{k}", group, f"{group}{t}", "yes", p) for k in range(12) for group in "ab" for t in range(5)
    ...         for p in [0.2 + 0.01 * k + 0.02 * t]]
    >>> table = pd.DataFrame(rows, columns=["source", "group", "term", "label", "p:no"])
    >>> worse = table.assign(**{"p:no": table["p:no"] + 0.3 * (table["group"] == "b")})
    >>> old, own = (fc.evaluate(frame.assign(**{"p:yes": 1 - frame["p:no"]}), attribute="shift", harm="called:no")
    ...             for frame in (table, worse))
    >>> compare(old, own).changes[["group", "verdict", "change"]].round(2).values.tolist()
    [['b', 'worse', 0.3], ['a', 'open', -0.3]]
    >>> set(compare(old, old).changes["verdict"])
    {'equal within the margin'}
    """
    if margin is not None and (isinstance(margin, bool) or not 0 < margin < 1):
        raise OptionError(f"margin={margin!r} is not a number above 0 and below 1.", remedy="Write 5 points as 0.05.")
    old_run, new_run = (read_run(run, task, harm) for run in (base, new))
    recorded = new_run.info.get("options", {})
    most = float(margin or recorded.get("margin") or MARGIN)
    options = {"reference": recorded.get("reference"), "decisions": recorded.get("unit") == UNITS[1]}
    changes, n_texts, texts = list[pd.DataFrame](), dict[str, int](), list[pd.DataFrame]()
    for attribute in shared_attributes(old_run, new_run):
        pair = paired_texts(old_run, new_run, attribute)
        outcomes = paired_outcomes(attribute, *pair)
        harms = (*harms_of(new_run, attribute), *outcome_harms(outcomes[1]))
        found = gap_changes(*outcomes, harms, margin=most, **options)
        changes.append(found)
        n_texts[attribute] = len(pair[1].examples)
        texts += [_changed(*pair, attribute, str(harm)) for harm in dict.fromkeys(found["error"])]
    if not any(map(len, changes)):
        raise TableError(
            "no error is known in both runs, so that no gap can be compared.", remedy="Declare what hurts: harm=."
        )
    models = {"base": model_name(old_run), "new": model_name(new_run), "base_model": old_run.info.get("model")}
    return Comparison(
        pd.concat(changes, ignore_index=True)[list(COLUMNS)],
        n_texts,
        pd.concat([pd.DataFrame(columns=list(CHANGED_COLUMNS)), *texts], ignore_index=True),
        {"task": task_of(new_run), **models, "margin": most},
        (_named(base), _named(new)),
    )


def _named(run: Run) -> str:
    """The path that was given, "" for a `Result` or a table in memory."""
    return str(run) if isinstance(run, (str, Path)) else ""


def read_run(run: Run, task: str = TASK, harm: Harms = None) -> Results:
    """A run: as it is, from its folder, or evaluated from a prediction table."""
    if isinstance(run, Results):
        return run
    if isinstance(run, (str, Path)) and Path(run).is_dir():
        return Result.load(run)
    if isinstance(run, (str, Path)) and not Path(run).exists():
        raise TableError(f"there is no run {run}.", remedy="Give a run folder, or a .csv, .parquet or .jsonl table.")
    from fairness_checklist.api.from_predictions import evaluate

    return evaluate(run, task=task, harm=harm, draws=0)


def _changed(base: Results, new: Results, attribute: str, harm: str) -> pd.DataFrame:
    """The texts in which the error became most more or less probable."""
    before, after = (harm_texts(results, attribute, harm) for results in (base, new))
    if before is None or after is None or len(before.frame) != len(after.frame):
        return pd.DataFrame(columns=list(CHANGED_COLUMNS))
    old_rows, new_rows = before.frame, after.frame
    old_p, new_p = (rows["p"].fillna(rows["harmed"].astype(float)) for rows in (old_rows, new_rows))
    flipped = new_rows["harmed"] != old_rows["harmed"]
    order = np.lexsort((-(new_p - old_p).abs().to_numpy(), ~flipped.to_numpy()))[:_CHANGED]
    lines = []
    for row in order.tolist():
        said, says = before.side(row, row), after.side(row, row)
        where = [new_rows[name].iloc[row] for name in ("source", "group", "term")]
        answers = (said["predicted"], says["predicted"], old_rows["p"].iloc[row], new_rows["p"].iloc[row])
        lines.append((attribute, harm, *where, says["text"], *answers))
    return pd.DataFrame(lines, columns=list(CHANGED_COLUMNS))
