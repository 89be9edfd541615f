"""The precision that predictions were computed in: those of different precisions are not compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.formatting import join_names

COLUMN = "precision"
"""The column of a prediction table of a model in a lower precision than float32."""
FULL = "float32"
_KNOWN = {FULL, "bfloat16", "float16", ""}


def with_precision(table: pd.DataFrame, model: Mapping[str, Any]) -> pd.DataFrame:
    """A prediction table, with its precision where that is lower than float32.

    >>> with_precision(pd.DataFrame({"group": ["a"]}), {"dtype": "bfloat16"}).to_dict("records")
    [{'group': 'a', 'precision': 'bfloat16'}]
    """
    dtype = str(model.get("dtype", FULL))
    return table if dtype == FULL else table.assign(**{COLUMN: dtype})


def precision_of(table: pd.DataFrame, name: str = "the table") -> str:
    """The precision that a prediction table names; "" where it names none, also by other values.

    >>> precision_of(pd.DataFrame({"precision": ["bfloat16"]})), precision_of(pd.DataFrame({"precision": [0.5]}))
    ('bfloat16', '')
    """
    if COLUMN not in table.columns:
        return ""
    dtypes = [str(dtype) for dtype in table[COLUMN].fillna("").unique()]
    if not set(dtypes) <= _KNOWN:
        return ""
    if len(dtypes) > 1:
        raise TableError(
            f"{name} holds predictions of different precisions: {join_names([_named(dtype) for dtype in dtypes])}. A "
            "lower precision moves probabilities by as much as real gaps.",
            remedy="Predict all rows in one precision, such as float32.",
        )
    return dtypes[0]


def check_precisions(models: Iterable[tuple[str, str]], what: str = "runs") -> None:
    """Raise `OptionError` where things in a lower precision than float32 are to be compared with others."""
    names = {dtype: name for name, dtype in models}
    if len(names) > 1 and set(names) - {FULL, ""}:
        raise OptionError(
            f"the {what} have different precisions: "
            f"{join_names([f'{name} in {_named(dtype)}' for dtype, name in names.items()])}. A lower precision moves "
            "probabilities by as much as real gaps.",
            remedy="Run all models in one precision, such as float32.",
        )


def _named(dtype: str) -> str:
    return dtype or "one that is not recorded"
