"""Predictions in bfloat16 and in float32 are not put side by side, whichever way they come."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fairness_checklist.api import Suite, evaluate
from fairness_checklist.core.errors import InputError
from fairness_checklist.models.load import load_model

OPTIONS: Any = {"draws": 0, "metrics": ["fped", "cf_gap"]}
MOVES = "A lower precision moves probabilities by as much as real gaps."


class Lower:
    """A model whose record names a precision."""

    def __init__(self, name: str, dtype: str, at: float) -> None:
        self._model: Any = load_model(lambda texts: [0.25 + at * (" man" in text) for text in texts], name=name)
        self._dtype = dtype

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def describe(self) -> dict[str, object]:
        return {**self._model.describe(), "dtype": self._dtype}


def refused(call: Any) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return Suite.build("gender", groups=["women", "men"], max_terms=2, templates=["generic-004", "generic-002"])


def run(suite: Suite, name: str, dtype: str, at: float) -> Any:
    return suite.run(Lower(name, dtype, at), control_words=False, progress=False, **OPTIONS)


def test_runs_folders_and_evaluated_tables(suite: Suite, tmp_path: Path) -> None:
    """The precision goes with the predictions: into the run, its table, and the run that is evaluated from that."""
    full = run(suite, "m", "float32", 0.125)
    lower = run(suite, "low", "bfloat16", 0.5)
    lower.save(tmp_path / "low")
    lower.save(tmp_path / "without", text=False)
    assert "precision" not in full.examples.columns
    for folder in ("low", "without"):
        again = evaluate(tmp_path / folder / "examples.parquet", **OPTIONS)
        assert again.info["model"] == {"name": "examples.parquet", "dtype": "bfloat16"}
        assert "computed in bfloat16; not to be compared with a run in float32" in again.info["notes"]["gender"]


def test_one_table_has_one_precision(suite: Suite) -> None:
    full, lower = (suite.predict(Lower("m", dtype, 0.5), progress=False) for dtype in ("float32", "bfloat16"))
    both = pd.concat([full, lower.assign(source=lower["source"] + "b")])
    assert refused(lambda: evaluate(both, **OPTIONS)) == (
        "TableError: a table in memory holds predictions of different precisions: one that is not recorded and "
        f"bfloat16. {MOVES}\n    Predict all rows in one precision, such as float32."
    )
