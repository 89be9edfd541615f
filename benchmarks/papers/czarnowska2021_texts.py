"""Table 5 of Czarnowska et al. (2021): accuracy on a user's copy of the SemEval-2018 development set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.models.base import Classifier, Tagger

__all__ = ["accuracies", "read_valence"]

_TEXT, _CLASS = "Tweet", "Intensity Class"


def read_valence(path: Path) -> pd.DataFrame:
    """Texts and labels of a file of the valence task, as published: tab-separated, classes from -3 to 3.

    Returns:
        Columns text and label: negative, neutral or positive, as the paper merges the classes.

    Raises:
        TableError: no such file, a column is missing, or a class is no number.
    """
    if not path.is_file():
        raise TableError("there is no such file.", place=str(path), remedy="Name 2018-Valence-oc-En-dev.txt.")
    frame = pd.read_csv(path, sep="\t", quoting=3, dtype=str, keep_default_na=False)
    for name in (_TEXT, _CLASS):
        if name not in frame.columns:
            raise TableError(
                f"the table has no column {name}.",
                place=path.name,
                remedy="Give the file as SemEval-2018 task 1 publishes it: 2018-Valence-oc-En-dev.txt.",
            )
    score = pd.to_numeric(frame[_CLASS].str.partition(":")[0].str.strip(), errors="coerce")
    if score.isna().any():
        row = int(score.isna().to_numpy().argmax())
        raise TableError(
            f"the class {frame[_CLASS].iloc[row]!r} does not begin with a number.",
            place=f"{path.name}:{row + 2}",
            remedy="Give the file with its labels.",
        )
    label = np.select([score < 0, score > 0], ["negative", "positive"], "neutral")
    return pd.DataFrame({"text": frame[_TEXT], "label": label})


def accuracies(frame: pd.DataFrame, models: Mapping[str, Classifier | Tagger]) -> dict[str, tuple[int, float]]:
    """Of each classifier the number of texts, and its accuracy; a model of two classes gets no neutral texts.

    Args:
        frame: what `read_valence` gives.
        models: by name.
    """
    found = {}
    for name, model in models.items():
        kept = frame[frame["label"].isin(model.classes)]
        answers = model.predict(kept["text"].tolist())
        assert isinstance(answers, Predictions)
        decided = np.array(model.classes)[answers.predicted]
        found[name] = (len(kept), float((decided == kept["label"].to_numpy()).mean()))
    return found
