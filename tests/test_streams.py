"""Tables in batches: the rows of `read_table`, from files and folders, and what cannot be read."""

from pathlib import Path

import pandas as pd
from sweep import sweep

from fairness_checklist.tables.files import read_batches, read_table, write_table

ROWS = pd.DataFrame(
    {
        "text": [f'He said "no",\nnumber {at}' for at in range(25)],
        "label": ["yes", "7", None, "x", "ä"] * 5,
        "p:toxic": 0.25,
    }
)


@sweep("ending", ["csv", "parquet", "jsonl"])
def test_batches_are_the_rows_of_the_table_as_they_are_written(tmp_path: Path, ending: str) -> None:
    write_table(ROWS, tmp_path / f"a.{ending}")
    batches = list(read_batches(tmp_path / f"a.{ending}", ["text"], optional=["p:toxic", "label", "set"], size=10))
    assert [len(batch) for batch in batches] == [10, 10, 5]
    whole = pd.concat(batches, ignore_index=True)
    assert whole.columns.tolist() == ["text", "p:toxic", "label"]
    read = read_table(tmp_path / f"a.{ending}")
    assert whole["text"].tolist() == read["text"].tolist() == ROWS["text"].tolist()
    assert whole["label"].tolist() == read["label"].fillna("").tolist() == ROWS["label"].fillna("").tolist()
    assert whole["p:toxic"].tolist() == ["0.25"] * 25


def test_a_table_of_a_spreadsheet_has_semicolons(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\ufeffsep=;\ntext;p:toxic\nhi, you;0,5\n", encoding="utf-8")
    (batch,) = read_batches(tmp_path / "a.csv", ["text"], optional=["p:toxic"])
    assert batch.to_numpy().tolist() == [["hi, you", "0,5"]]


def test_a_folder_is_read_by_name_with_the_folders_below(tmp_path: Path) -> None:
    for name in ("b/c.jsonl", "b/a.parquet", "a.csv", "_old/x.csv", ".hidden.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_table(pd.DataFrame({"text": [name]}), tmp_path / name)
    (tmp_path / "README.md").write_text("no table", encoding="utf-8")
    assert [batch["text"].item() for batch in read_batches(tmp_path, ["text"])] == ["a.csv", "b/a.parquet", "b/c.jsonl"]
