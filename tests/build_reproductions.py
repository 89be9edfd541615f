"""What a script of a paper found, by name."""

import pandas as pd
from paper import PaperTable, Reproduction


def table(found: Reproduction, name: str) -> pd.DataFrame:
    """The table of a name, by its first column."""
    [one] = [one for one in found.tables if isinstance(one, PaperTable) and one.name == name]
    return one.table.set_index(one.table.columns[0])


def verdicts(found: Reproduction) -> list[tuple[str, str]]:
    """The place of each statement, and what is said of it."""
    return [(one.place, one.verdict) for one in found.statements]
