"""`compare`: whether a new model treats groups worse than an old one, from their runs on the same texts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.api.result import Result
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import RELEVANT, TASK, flag
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.replicates import outcome_harms
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.compare.changes import COLUMNS, MARGIN, gap_changes
from fairness_checklist.extensions.compare.pairing import PairedTexts, paired_texts, shared_attributes
from fairness_checklist.findings.family import NULL_DRAWS
from fairness_checklist.reports.first_screen import model_name
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.run_view import attribute_view, task_of
from fairness_checklist.run.options import Harms, RunOptions
from fairness_checklist.tables.run_folder import Results

Run = Results | pd.DataFrame | str | Path
_CHANGED = 5
CHANGED_COLUMNS = ("attribute", "harm", "source", "group", "term", "text", "base", "new", "p_base", "p_new")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one model to another.

    Attributes:
        changes: one row a group and harm, the columns of `extensions.compare.changes.gap_changes`, of each attribute
            the worse ones first.
        accuracy: one row an attribute: ``base`` and ``new``, shares in [0, 1] of the labelled texts that both runs
            have, NaN without labels; ``n``, these texts; ``left_out``, texts of one run only.
        texts: the texts whose answer changed most, five for each attribute and harm, see `CHANGED_COLUMNS`.
        runs: the run folders or tables of both, as they were named; "" for a `Result`.
        info: the names of the two models, the record of the old one, the task, ``margin`` and ``relevant``.
    """

    changes: pd.DataFrame
    accuracy: pd.DataFrame
    texts: pd.DataFrame
    info: dict[str, Any] = field(default_factory=dict)
    runs: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        from fairness_checklist.extensions.compare.words import comparison_lines

        return "\n".join(comparison_lines(self))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"

    def to_html(self, path: str | Path) -> Path:
        """Write the page, one self-contained file."""
        from fairness_checklist.core.atomic import atomic_file
        from fairness_checklist.extensions.compare.words import comparison_document
        from fairness_checklist.reports.render import as_page

        path, page = Path(path), as_page("Comparison of two models", comparison_document(self))
        with atomic_file(path) as scratch:
            scratch.write_text(page, encoding="utf-8", newline="\n")
        return path


@checks_keywords
def compare(
    base: Run,
    new: Run,
    *,
    common: bool = False,
    margin: float = MARGIN,
    relevant: float | None = None,
    draws: int = NULL_DRAWS,
    seed: int = 0,
    task: str = TASK,
    harm: Harms = None,
) -> Comparison:
    """Compare two models by their runs on the same texts, paired text by text.

    The difference of the two models in each cell of term and sentence goes through the same fit as findings, so that
    what both models share takes no part in its error: see `docs/compare.md`.

    Args:
        base, new: a `Result`, a run folder, or a prediction table as `evaluate` takes it (with ``task`` and ``harm``).
        common: True compares the texts that both runs have, where one of them has others; else these are an error.
        margin: the largest change, in decisions and in probability, up to which models are equal; above 0, below 1.
        relevant: the smallest change that is called worse or better; None for that of the new run.
        draws, seed: random signs and assignments of terms, for critical values.

    Raises:
        TableError: the runs have other tasks, classes, texts or labels.
        OptionError: a margin or smallest change that is no share.

    >>> import fairness_checklist as fc
    >>> rows = [(f"s{k}", group, f"{group}{t}", "yes", p) for k in range(12) for group in "ab" for t in range(5)
    ...         for p in [0.2 + 0.01 * k + 0.02 * t]]
    >>> table = pd.DataFrame(rows, columns=["source", "group", "term", "label", "p:no"])
    >>> worse = table.assign(**{"p:no": table["p:no"] + 0.3 * (table["group"] == "b")})
    >>> old, own = (fc.evaluate(frame.assign(**{"p:yes": 1 - frame["p:no"]}), attribute="shift", harm="called:no")
    ...             for frame in (table, worse))
    >>> compare(old, own).changes[["group", "verdict", "change"]].round(2).values.tolist()
    [['b', 'worse', 0.3], ['a', 'undecided', -0.3]]
    >>> set(compare(old, old).changes["verdict"])
    {'equal within the margin'}
    """
    for name, value in {"margin": margin, "relevant": RELEVANT if relevant is None else relevant}.items():
        if isinstance(value, bool) or not 0 < value < 1:
            raise OptionError(
                f"{name}={value!r} is not a number above 0 and below 1.", remedy="Write 5 points as 0.05."
            )
    flag("common", common)
    old, own = (read_run(run, task, harm) for run in (base, new))
    recorded = own.info.get("options", {}).get("relevant")
    smallest = float(relevant or recorded or RELEVANT)
    changes, accuracy, texts = list[pd.DataFrame](), list[dict[str, Any]](), list[pd.DataFrame]()
    for attribute in shared_attributes(old, own, common=common):
        pair = paired_texts(old, own, attribute, common=common)
        outcomes = pair.outcomes(old, own)
        harms = (*_harms(own, attribute, outcomes[1]), *outcome_harms(outcomes[1]))
        found = gap_changes(*outcomes, harms, margin=margin, relevant=smallest, draws=draws, seed=seed)
        changes.append(found)
        accuracy.append({"attribute": attribute, **_accuracy(pair), "left_out": pair.left_out})
        texts += [_changed(old, own, pair, str(harm)) for harm in dict.fromkeys(found["harm"])]
    if not any(map(len, changes)):
        raise TableError(
            "no error is known in both runs, so that no gap can be compared.", remedy="Declare what hurts: harm=."
        )
    models = {"base": model_name(old), "new": model_name(own), "base_model": old.info.get("model")}
    return Comparison(
        pd.concat(changes, ignore_index=True)[list(COLUMNS)],
        pd.DataFrame(accuracy),
        pd.concat([pd.DataFrame(columns=list(CHANGED_COLUMNS)), *texts], ignore_index=True),
        {"task": task_of(own), **models, "margin": margin, "relevant": smallest},
        (_named(base), _named(new)),
    )


def _named(run: Run) -> str:
    """The path that was given, "" for a `Result` or a table in memory."""
    return str(run) if isinstance(run, (str, Path)) else ""


def read_run(run: Run, task: str = TASK, harm: Harms = None, *, findings: bool = False) -> Results:
    """A run: as it is, from its folder, or evaluated from a prediction table, with its findings if they are wanted."""
    from fairness_checklist.api.from_predictions import evaluate

    if isinstance(run, Results):
        return run
    if isinstance(run, (str, Path)) and Path(run).is_dir():
        return Result.load(run)
    if isinstance(run, (str, Path)) and not Path(run).exists():
        raise TableError(f"there is no run {run}.", remedy="Give a run folder, or a .csv, .parquet or .jsonl table.")
    return evaluate(run, task=task, harm=harm, draws=RunOptions.draws if findings else 0)


def _harms(results: Results, attribute: str, outcomes: Outcomes) -> tuple[Harm, ...]:
    """The errors that hurt: those of the run's findings, else those that were declared or are the task's."""
    if (results.findings["attribute"] == attribute).any():
        return attribute_view(results, attribute).harms
    choices = RunOptions.of_record(results.info.get("options", {}))
    return choices.harms_of(task_of(results), labelled=bool(outcomes.labelled.any()))


def _accuracy(pair: PairedTexts) -> dict[str, float]:
    """The shares of right decisions of both models, over the labelled texts."""
    figures: dict[str, float] = {"base": np.nan, "new": np.nan, "n": len(pair.new)}
    if {"label", "predicted"} <= set(pair.base) & set(pair.new):
        gold = pair.new["label"].astype("object").fillna("").astype("str")
        for side, frame in (("base", pair.base), ("new", pair.new)):
            right = frame["predicted"].astype("object").astype("str") == gold
            figures[side] = float(right[gold != ""].mean()) if (gold != "").any() else np.nan
    return figures


def _changed(base: Results, new: Results, pair: PairedTexts, harm: str) -> pd.DataFrame:
    """The texts in which the harm became most more or less probable."""
    sides = [
        harm_texts(replace(results, examples=examples, tagged={}), pair.attribute, harm)
        for results, examples in ((base, pair.base), (new, pair.new))
    ]
    if sides[0] is None or sides[1] is None or len(sides[0].frame) != len(sides[1].frame):
        return pd.DataFrame(columns=list(CHANGED_COLUMNS))
    old, own = (texts.frame for texts in sides if texts is not None)
    moved = (own["p"].fillna(own["harmed"].astype(float)) - old["p"].fillna(old["harmed"].astype(float))).abs()
    flipped = own["harmed"] != old["harmed"]
    order = np.lexsort((-moved.to_numpy(), ~flipped.to_numpy()))[:_CHANGED]
    rows = []
    for at in order.tolist():
        before, after = sides[0].side("x", at, at), sides[1].side("x", at, at)
        where = [own[name].iloc[at] for name in ("source", "group", "term")]
        answers = (before["x_predicted"], after["x_predicted"], old["p"].iloc[at], own["p"].iloc[at])
        rows.append((pair.attribute, harm, *where, after["x_text"], *answers))
    return pd.DataFrame(rows, columns=list(CHANGED_COLUMNS))
