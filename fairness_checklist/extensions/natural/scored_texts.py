"""Any texts with a classifier's answers."""

from typing import Any

import pandas as pd

from fairness_checklist.core.errors import ModelError, TableError
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.predicting import predict_with_store
from fairness_checklist.tables.columns import text_column as text_cells
from fairness_checklist.tables.files import check_has_column
from fairness_checklist.tables.notes import with_precision


def score_table(
    frame: pd.DataFrame, model: Classifier | Tagger, *, text_column: str = "text", progress: bool = True
) -> pd.DataFrame:
    """A table of any texts with a classifier's answers: ``predicted``, ``p:<class>`` and ``score:<name>``.

    Returns:
        n rows; the answer is missing where the model failed on the text, which ``attrs["failed"]`` lists.
    """
    check_has_column(frame, text_column)
    if not len(frame):
        raise TableError("the table has no rows.", remedy="Give one text a row at least.")
    texts = text_cells(frame, text_column)
    answers = predict_with_store(model, texts, None, progress=progress, keep_going=True)
    if isinstance(answers, TokenPredictions):
        raise ModelError(
            "the model tags words, and a table of texts gets one class a text.", remedy="Name a classifier."
        )
    columns: dict[str, Any] = {"predicted": [answers.classes[c] for c in answers.predicted]}
    if answers.probabilities is not None:
        columns |= {f"p:{name}": answers.probabilities[:, c] for c, name in enumerate(answers.classes)}
    columns |= {f"score:{name}": values for name, values in answers.scores.items()}
    taken = [name for name in columns if name in frame.columns]
    if taken:
        raise TableError(f"the table has a column {taken[0]} already.", remedy="Rename it, or leave it out.")
    failed = pd.Series([text in answers.failed for text in texts])
    scored = pd.concat([frame.reset_index(drop=True), pd.DataFrame(columns).mask(failed)], axis=1)
    scored.attrs["failed"] = [
        {"group": "", "source": str(row + 1), "text": texts[row], "error": answers.failed[texts[row]]}
        for row in failed[failed].index
    ]
    return with_precision(scored, model.describe())
