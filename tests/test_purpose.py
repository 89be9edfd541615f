"""Harms that are declared before a run: by option, and in fairness.toml."""

import json
from pathlib import Path

import pandas as pd
import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.run.options import Purpose, RunOptions, read_purpose

FRAME = pd.DataFrame(
    {"group": ["a", "b"] * 40, "label": ["yes", "yes", "no", "no"] * 20, "predicted": ["no", "yes", "no", "no"] * 20}
)


def test_a_purpose_is_read_applied_and_recorded(tmp_path: Path) -> None:
    file = tmp_path / "fairness.toml"
    stated = 'harm = ["missed:yes"]\nto_whom = "applicants"\nwanted = "ask a person"\nmargin = 0.03\n'
    file.write_text(f"[purpose]\n{stated}", "utf-8")

    purpose = read_purpose(file)
    result = fc.evaluate(FRAME, classes=["no", "yes"], harm=purpose)

    assert purpose == Purpose(("missed:yes",), "applicants", "ask a person", 0.03)
    assert result.info["options"]["purpose"] == vars(purpose)
    assert result.info["options"]["margin"] == 0.03
    assert RunOptions(harm=purpose, margin=0.1).margin == 0.1
    assert RunOptions(harm="missed:yes").margin == 0.05
    assert result.info["options"]["harm"] == ["missed:yes"]
    worse = result.findings.iloc[0]
    assert worse[["group", "error", "lexemes"]].tolist() == ["a", "missed:yes", 0]
    assert worse[["rate", "others_rate"]].tolist() == pytest.approx([1.0, 0.0])


def test_a_table_without_a_harm_says_how_to_declare_one() -> None:
    result = fc.evaluate(FRAME, classes=["no", "yes"])
    assert len(result.findings) == 0
    assert result.info["findings"]["group"]["left_out"] == {
        "called_negative": "no class",
        "praise_not_recognised": "no class",
    }
    assert "Declare what hurts with harm= (--harm called:CLASS)." in result.verdict(width=None)


@sweep(("text", "message"), [
    ("[purpose]\n", '[purpose] names no error.\n    Write [purpose] and below it harm = ["called:CLASS"].'),
    ('[purpose]\nharm = "called:no"\nwantd = "x"\n', "[purpose] has the key 'wantd', which is not known.\n"
     "    Did you mean wanted? Known: harm, to_whom, wanted, margin."),
    ('[purpose]\nharm = "called:no"\nwanted = 3\n', 'wanted in [purpose] is no text.\n    Write wanted = "...".'),
    *(
        (f'[purpose]\nharm = "called:no"\nmargin = {text}\n',
         f"margin={shown} is not a number above 0 and below 1.\n    Write 5 points as 0.05.")
        for text, shown in (("2", "2"), ("0.0", "0.0"), ("true", "True"), ('"small"', "'small'"), ("nan", "nan"))
    ),
    ('[purpose]\nharm = "caled:no"\n', "the error 'caled:no' is not known.\n"
     "    Did you mean called? Write called:CLASS, missed:CLASS or predicted:CLASS, or one of "
     "called_negative, praise_not_recognised, called_toxic, attack_not_recognised, entity_missed."),
    ("[other]\nkey = 1\n", "other is not a table of this file.\n"
     "    Tables: [purpose], [gate], [suite], [model], [endpoint], [run]."),
    ("purpose = 1\n", "purpose is not a table of this file.\n"
     "    Did you mean purpose? Tables: [purpose], [gate], [suite], [model], [endpoint], [run]."),
    ("[purpose\n", "the file cannot be read: Expected ']' at the end of a table declaration (at line 1, column 9)"),
])  # fmt: skip
def test_errors_of_the_file(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text, "utf-8")
    assert refusal(fc.errors.OptionError, read_purpose, file) == f"x.toml: {message}"


def test_the_command_reads_the_file_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from fairness_checklist.cli.app import main

    FRAME.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "fairness.toml").write_text('[purpose]\nharm = "missed:yes"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["fairness-checklist", "evaluate", "t.csv", "--out", "out", "--classes", "no,yes"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code in (0, None)
    capsys.readouterr()
    assert json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))["options"]["harm"] == ["missed:yes"]
    assert pd.read_csv(tmp_path / "out" / "findings.csv")["error"].unique().tolist() == ["missed:yes"]
