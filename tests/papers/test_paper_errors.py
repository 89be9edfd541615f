"""What the papers' scripts say of a file that they cannot use: its name, what is wrong, and what to give."""

from importlib import import_module
from pathlib import Path

import pytest
from paper import ReproduceOptions
from sweep import sweep

from fairness_checklist.core.errors import InputError

FILES = [
    ("dixon2018", "scored_phrases.csv", "words,label\na,toxic\n",
     "scored_phrases.csv: there is no column text or phrase or Text or comment.\n    Its columns are words, label."),
    ("dixon2018", "scored_phrases.csv", "text,label,score\ngay,toxic,0.5\n",
     "scored_phrases.csv: all of the 1 labels are toxic; expected both classes."),
    ("dixon2018", "scored_phrases.csv", "text,label,score\na,toxic,0.5\nb,nontoxic,0.5\n",
     "scored_phrases.csv: no text mentions one of the 51 terms of the paper.\n    Give its phrases."),
    ("ethayarajh2020", "one.csv", "genre,gold_label\na,x\n",
     "one.csv: the columns are genre, gold_label, expected genre, gold_label and annotator_labels or label1 to"),
    ("ethayarajh2020", "one.csv", "genre,label,predicted\na,x,x\n",
     "one.csv: all rows have the genre 'a', expected two or more."),
    ("kocijan2021", "gap_properties.csv", "gender,n_names,answer\nF,1,A\n",
     "gap_properties.csv: there is no column position.\n    Needed: gender, n_names, answer, position."),
    ("orgad2022", "predictions.csv", "gold,pred\na,a\n",
     "predictions.csv: there is no column gender or group.\n    Its columns are gold, pred."),
    ("orgad2022", "predictions.csv", "gold,pred,gender\na,a,F\na,,M\n",
     "predictions.csv:3: a cell of gold, pred, gender is empty.\n    Fill it, or drop the row."),
    ("orgad2022", "predictions.csv", "gold,pred,gender\na,a,F\na,a,X\n",
     "predictions.csv: the column gender holds F, X; expected F and M.\n    Write F or female, M or male;"),
]  # fmt: skip


@sweep(("script", "name", "text", "message"), FILES)
def test_a_file_that_cannot_be_used(script: str, name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_module(script).reproduce(ReproduceOptions(data=tmp_path / name))
    assert str(error.value).startswith(message)


@sweep(("script", "needed"), [("ethayarajh2020", "*dev*.jsonl"), ("kocijan2021", "gap-test.tsv, gap-*.tsv")])
def test_a_folder_without_its_files(script: str, needed: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"^the folder {tmp_path.name} has none of the files ") as error:
        import_module(script).reproduce(ReproduceOptions(data=tmp_path))
    assert needed in str(error.value)
