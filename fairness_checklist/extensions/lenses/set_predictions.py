"""A model's predictions for a published set, from a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairness_checklist.core.errors import AlignmentError, TableError, did_you_mean, first_ten
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers import PublishedSet, meant, read_columns, refuse, without_article

COREFERENCE = ("winobias", "winogender", "gap")
"""Sets whose predictions are mentions."""
_NAMED = ("predicted", "score", "probability", "prior")


@checks_keywords
def read_set_predictions(data: PublishedSet, path: str | Path) -> PublishedSet:
    """Add a model's predictions from a file to a published set.

    Args:
        data: from `read_published`.
        path: for GAP the layout of its scorer, tabs and no header: id, whether A is meant, whether B is meant (TRUE,
            FALSE). Else a table (.csv, .parquet, .jsonl) with ``id`` and what the model gives for each example:
            ``predicted`` (a class; for WinoBias and Winogender the mention that the pronoun is resolved to, "the
            developer"), ``p:<class>``, ``score`` or ``score:<name>``, ``probability`` and optionally ``prior`` (of the
            target word; BEC-Pro).

    Returns:
        The set with these columns; of a coreference set also ``correct``.

    Raises:
        TableError: another column, none of these, an id twice, or a cell that is no number.
        AlignmentError: examples without a prediction, or predictions for no example.
    """
    from fairness_checklist.tables.files import read_table

    file = Path(path)
    if data.name == "gap":
        cells = read_columns(file, ("id", "A-coref", "B-coref"), delimiter="\t", header=False)
        answers = pd.DataFrame({"id": cells["id"], "predicted": meant(cells, file)})
    else:
        answers = read_table(file)
        answers.index += 2
        _check_predictions(answers, file)
    answers["id"] = answers["id"].astype(str)
    refuse(answers.loc[answers["id"].duplicated(), "id"], file, "the id {} has a second row.", "Keep one of them.")
    table, ids = data.table, data.table["id"].tolist()
    missing = [name for name in dict.fromkeys(ids) if name not in set(answers["id"])]
    unknown = sorted(set(answers["id"]) - set(ids))
    if missing or unknown:
        lack = f"none for {first_ten(missing)}" if missing else f"of no example: {first_ten(unknown)}"
        message = f"{len(answers):,} predictions for {len(ids):,} examples; {lack}."
        raise AlignmentError(message, remedy="Give one prediction for each id.")
    ordered = answers.set_index("id").loc[ids].reset_index(drop=True)
    if data.name in ("winobias", "winogender"):
        ordered["predicted"] = ordered["predicted"].map(without_article)
    if data.name in COREFERENCE:
        ordered["correct"] = ordered["predicted"].str.lower() == table["label"].str.lower()
    return replace(data, table=pd.concat([table, ordered], axis=1))


def _check_predictions(answers: pd.DataFrame, file: Path) -> None:
    for name in map(str, answers.columns):
        if name not in ("id", *_NAMED) and not name.startswith(("p:", "score:")):
            remedy = f"Known: id, {', '.join(_NAMED)}, p:<class>, score:<name>.{did_you_mean(name, _NAMED)}"
            raise TableError(f"the column {name!r} is not known.", place=f"{file.name}:1", remedy=remedy)
        if name not in ("id", "predicted"):
            wrong = answers.loc[pd.to_numeric(answers[name], errors="coerce").isna(), name]
            refuse(wrong, file, f"{name} is {{}}, expected a number.", "Write one number in each row.")
    if "id" not in answers.columns or len(answers.columns) == 1:
        needed = f"It needs id and one of {', '.join(_NAMED[:3])}, p:<class>, score:<name>."
        raise TableError("the table has no ids with predictions.", place=f"{file.name}:1", remedy=needed)
