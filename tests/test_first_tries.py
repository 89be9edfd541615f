"""What people who know transformers try first: a Trainer's folder, tables of datasets, terms of several attributes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from build_models import save_model
from command_line import Call

import fairness_checklist as fc
from fairness_checklist.core import progress
from fairness_checklist.core.errors import InputError, ModelError
from fairness_checklist.models import load, predicting

TEXTS = ["A man sold his car.", "The woman was rude."]
DIET, HOUSING = {"vegans": ["vegan"], "omnivores": ["omnivorous"]}, {"owners": ["home-owning"], "tenants": ["tenant"]}


class Dataset:
    """As one of the package datasets, which is not installed here."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.to_pandas, self.column_names = lambda: pd.DataFrame(rows), tuple(rows[0])


@pytest.mark.parametrize(
    "made", [Dataset, list, tuple, lambda rows: pd.DataFrame(rows).to_dict("list"), pd.DataFrame, pa.Table.from_pylist]
)
def test_what_holds_rows_is_a_table(made: Callable[[Any], Any]) -> None:
    rows = [{"text": text, "label": "neutral"} for text in TEXTS]
    suite = fc.Suite.from_texts(made(rows), "gender", max_terms=1)
    assert suite.texts() == fc.Suite.from_texts(TEXTS, "gender", max_terms=1).texts()
    answers = [
        {"group": g, "label": gold, "predicted": said} for g in "ab" for gold in "ny" for said in ("n", "yn"[g == "a"])
    ]
    found, expected = (
        fc.evaluate(table, metrics=["tpr_gap"]).metrics for table in (made(answers), pd.DataFrame(answers))
    )
    pd.testing.assert_frame_equal(found, expected)


def test_what_is_no_table_is_an_error() -> None:
    split = Dataset([{"text": TEXTS[0], "label": "neutral"}])
    for table, message in (
        ({"train": split, "test": split}, 'has the splits train, test.\n    Choose a split: dataset["train"].'),
        ({"text": ["a"], "label": ["b", "c"]}, "has columns of different lengths"),
    ):
        for call in (fc.evaluate, lambda wrong: fc.Suite.from_texts(wrong, "gender")):
            with pytest.raises(InputError, match="has") as refused:
                call(table)
            assert message in str(refused.value)


def test_the_last_checkpoint_of_a_trainer_is_loaded(tmp_path: Path) -> None:
    plain = save_model(tmp_path / "plain", ("NEGATIVE", "POSITIVE"), 64, "Bert")
    out = tmp_path / "out"
    for step in (90, 500, 1000):
        shutil.copytree(plain, out / f"checkpoint-{step}", ignore=shutil.ignore_patterns("*token*", "vocab*"))
    with pytest.raises(ModelError, match=r"checkpoint-1000 of .* holds no tokenizer"):
        fc.load_model(out)
    for file in plain.iterdir():
        if not (out / "checkpoint-90" / file.name).exists():
            shutil.copy(file, out)
    model: Any = fc.load_model(f"{out}/")
    record, predicted = model.describe(), model.predict(TEXTS)
    assert (record["name"], record["checkpoint"]) == ("out", f"checkpoint-1000 of {out}/")
    assert predicted.notes == (f"the model is checkpoint-1000 of {out}/, the last checkpoint there",)
    same: Any = fc.load_model(plain)
    assert np.array_equal(predicted.probabilities, same.predict(TEXTS).probabilities)
    assert model.fingerprint == same.fingerprint


def test_terms_of_several_attributes() -> None:
    suite = fc.Suite.build(["diet", "housing"], terms={"diet": DIET, "housing": HOUSING})
    assert [part.examples.groups for part in suite.parts] == [("vegans", "omnivores"), ("owners", "tenants")]
    for terms, message in (
        (DIET, r'Give the groups of each attribute: terms=\{"diet": \{"vegans": \[...\]'),
        ({"diet": DIET, "housin": HOUSING}, "Did you mean housing?"),
    ):
        with pytest.raises(InputError, match=message):
            fc.Suite.build(["diet", "housing"], terms=terms)


def test_a_dry_run_says_how_long_the_model_takes(call: Call) -> None:
    small = ("-a", "gender", "--groups", "women,men", "--max-terms", "1", "--templates", "generic-00*", "--dry-run")
    for model, sentence in (
        ("bundled/sentiment-3", "The model takes about "),
        ("nowhere/", "is not measured: the model folder nowhere/ does not exist."),
        ("scoring.py:model", "is not measured: a dry run does not run your code."),
    ):
        said = call("run", *small, "--model", model)
        assert (said.code, sentence in said.out) == (0, True), said


def test_lines_are_printed_of_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for delay, lines in ((-1.0, [f"asking: {10 * tenth} % of 25 texts" for tenth in range(1, 11)]), (5.0, [])):
        monkeypatch.setattr(progress, "_DELAY_OF_LINES", delay)
        list(progress.followed(range(25), "asking", "texts"))
        assert capsys.readouterr().err.splitlines() == lines


def test_a_precision_that_is_slower_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = save_model(tmp_path, ("NEGATIVE", "POSITIVE"), 64, "Bert"), capsys.readouterr()
    for lower, said in ((7.1, "bfloat16 is 7.1 times slower here than float32.\n"), (0.9, "")):
        seconds = iter([lower, 1.0])
        monkeypatch.setattr(predicting, "seconds_for", lambda *_: next(seconds))  # noqa: B023
        model: Any = load.load_model(folder, dtype="bfloat16")
        assert (str(model.engine.model.dtype), capsys.readouterr().err) == ("torch.bfloat16", said)
