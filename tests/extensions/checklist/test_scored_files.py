"""Texts out as a file, scored elsewhere, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairness_checklist as fc
from fairness_checklist.api.scoring import score_table
from fairness_checklist.cli.app import app
from fairness_checklist.core.errors import InputError
from fairness_checklist.extensions.checklist.scored_files import read_scored, text_id, write_texts
from fairness_checklist.tables.files import read_table, write_table

TEXTS = ["Anna is here.", 'Ben, "B.", is here; là.', "Anna is here.", "=1+1 is sad.", "[] 12e4"]
UNIQUE = list(dict.fromkeys(TEXTS))


def p(text: str) -> float:
    return sum(map(ord, text)) % 89 / 100


EXPECTED = np.array([[1 - p(text), p(text)] for text in TEXTS])


def scored(path: Path, seed: int = 0) -> pd.DataFrame:
    """What somebody does elsewhere: read the file, score it, in another order."""
    frame = pd.read_json(path, lines=True) if path.suffix == ".jsonl" else pd.read_csv(path)
    frame["p:negative"] = [1 - p(text) for text in frame["text"]]
    frame["p:positive"] = [p(text) for text in frame["text"]]
    return frame.sample(frac=1, random_state=seed)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_predict_scores_a_table_of_any_texts(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"id": [7, 8], "text": ["You are a stupid fool.", "Thank you for the train ticket."]})
    write_table(frame, tmp_path / f"t{ending}")
    given = ["predict", "--texts", str(tmp_path / f"t{ending}"), "--task", "toxicity", "--model", "bundled"]
    done = CliRunner().invoke(app, [*given, "--out", str(tmp_path / f"s{ending}")])
    assert (done.exit_code, done.stdout) == (0, f"2 rows in {tmp_path / f's{ending}'}\n")
    found = read_table(tmp_path / f"s{ending}")
    assert found[["id", "text", "predicted"]].values.tolist() == [
        [7, frame["text"][0], "toxic"],
        [8, frame["text"][1], "nontoxic"],
    ]
    assert np.allclose(found["p:toxic"], fc.load_model("bundled/toxicity").predict(frame["text"]).probabilities[:, 1])
    for table, more, message in (
        ("s", [], "the table has a column predicted already.\n    Rename it, or leave it out."),
        (
            "t",
            ["--max-terms", "2"],
            "--texts without --attribute scores the table as it is, with --model and --out.\n"
            "    Name an attribute to rewrite the texts: --attribute gender; or leave out the other options.",
        ),
    ):
        given[2] = str(tmp_path / f"{table}{ending}")
        failed = CliRunner().invoke(app, [*given, *more, "--out", str(tmp_path / "again.csv")])
        assert str(failed.exception) == message


def test_a_text_that_the_model_fails_on_keeps_its_row() -> None:
    def fails(text: str) -> list[float]:
        return [float("nan") if "bad" in text else 0.5] * 2

    frame = pd.DataFrame({"text": ["good", "bad", *map(str, range(200))]})
    scored_table = score_table(
        frame, fc.load_model(fails, task="toxicity", classes=["nontoxic", "toxic"]), progress=False
    )
    assert scored_table["p:toxic"].isna().tolist() == [False, True, *[False] * 200]
    assert [one["source"] for one in scored_table.attrs["failed"]] == ["2"]


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@pytest.mark.parametrize("keys", [["id", "text"], ["id"], ["text"]])
def test_any_order_of_rows_comes_back(tmp_path: Path, ending: str, keys: list[str]) -> None:
    path, back = tmp_path / f"texts{ending}", tmp_path / f"back{ending}"
    assert write_texts(TEXTS, path) == 4
    frame = scored(path)[[*keys, "p:positive", "p:negative"]]
    if ending == ".csv":
        frame.to_csv(back, index=False)
    else:
        frame.to_json(back, orient="records", lines=True)
    found = read_scored(back, TEXTS).model("sentiment").predict(TEXTS)
    assert np.allclose(found.probabilities, EXPECTED, atol=1e-9)


@pytest.mark.parametrize(
    ("form", "line", "labels"),
    [
        ("softmax", lambda text: f"{1 - p(text)} {p(text)}", {"0": "negative", "1": "positive"}),
        (
            "pred_and_softmax",
            lambda text: f"{round(p(text))} {1 - p(text)} {p(text)}",
            {"0": "negative", "1": "positive"},
        ),
        ("binary_conf", lambda text: f"{p(text)}", {"0": "negative", "1": "positive"}),
        ("pred_only", lambda text: "pos" if p(text) >= 0.5 else "neg", None),
    ],
)
def test_the_forms_of_checklist(tmp_path: Path, form: str, line: Any, labels: Any) -> None:
    path, back = tmp_path / "texts.txt", tmp_path / "back.txt"
    write_texts(TEXTS, path)
    listed = path.read_text(encoding="utf-8").splitlines()
    assert listed == UNIQUE
    back.write_text("".join(f"{line(text)}\n" for text in listed), encoding="utf-8")
    found: Any = read_scored(back, TEXTS, file_format=form).model("sentiment", labels).predict(TEXTS)
    if form == "pred_only":
        assert found.probabilities is None
    else:
        assert np.allclose(found.probabilities, EXPECTED, atol=1e-9)
    assert [found.classes[at] for at in found.predicted] == [
        "negative" if p(text) < 0.5 else "positive" for text in TEXTS
    ]


def test_decisions_of_a_table_and_their_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "back.csv"
    frame = pd.DataFrame({"text": UNIQUE, "predicted": ["positive"] * 3 + ["negative"]})
    frame.to_csv(path, index=False)
    found: Any = read_scored(path, TEXTS).model("sentiment").predict(UNIQUE)
    assert [found.classes[at] for at in found.predicted] == ["positive"] * 3 + ["negative"]
    frame.assign(**{"p:negative": 0.75, "p:positive": 0.25}).to_csv(path, index=False)
    found = read_scored(path, TEXTS).model("sentiment").predict(UNIQUE)
    assert [found.classes[at] for at in found.predicted] == ["positive"] * 3 + ["negative"]
    assert np.allclose(found.probabilities, [[0.75, 0.25]] * 4)


def test_spans_of_a_tagger(tmp_path: Path) -> None:
    path = tmp_path / "back.jsonl"
    spans = [[{"start": 0, "end": 4, "label": "PERSON"}] if text.startswith("Anna") else [] for text in UNIQUE]
    lines = [json.dumps({"id": text_id(text), "spans": one}) for text, one in zip(UNIQUE, spans, strict=True)]
    path.write_text("\n".join(lines[::-1]) + "\n", encoding="utf-8")
    found = read_scored(path, TEXTS).model("ner").predict(TEXTS)
    assert found.spans.row.tolist() == [0, 2]


def row(text: str, **other: Any) -> dict[str, Any]:
    return {"id": text_id(text), "text": text, "p:negative": 0.5, "p:positive": 0.5} | other


ALL = [row(text) for text in UNIQUE]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (
            ALL[:3],
            f'back.jsonl has no row for 1 text of 4; the first is {text_id(UNIQUE[3])}, "[] 12e4".\n'
            "    Score every text of the file of texts; one that cannot be scored has a row with empty cells.",
        ),
        ([*ALL, ALL[1]], "back.jsonl, row 5: the text is that of row 2 again.\n    Keep one of them."),
        (
            [*ALL[:2], row("Who?"), *ALL[2:]],
            f"back.jsonl, row 3: the id '{text_id('Who?')}' is none of the texts.\n    "
            "Give the same task and options as for the file of texts; or write that file again.",
        ),
        (
            [ALL[0] | {"text": UNIQUE[1]}, *ALL[1:]],
            f"back.jsonl, row 1: the id '{text_id(UNIQUE[0])}' belongs to the text \"Anna is here.\", and the row has "
            '"Ben, "B.", is here; là.".\n    Keep ids and texts together.',
        ),
        (
            [{"id": one["id"]} for one in ALL],
            "back.jsonl: the table has no predictions.\n"
            "    Add p:<label> for each label, or predicted; for a tagger tags or spans. Its columns: id.",
        ),
        (
            [{"id": one["id"], "p_positive": 0.5} for one in ALL],
            "back.jsonl: the table has no predictions.\n"
            "    Add p:<label> for each label, or predicted; for a tagger tags or spans. Its columns: id, p_positive. "
            "Write p:positive for p_positive.",
        ),
        (
            [{"id": one["id"], "tags": "[1"} for one in ALL],
            "the cell \"[1\" is not a list in JSON: Expecting ',' delimiter.",
        ),
    ],
)
def test_rows_that_do_not_fit_are_named(tmp_path: Path, rows: list[dict[str, Any]], text: str) -> None:
    path = tmp_path / "back.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_scored(path, TEXTS)
    assert str(caught.value) == text


def test_lines_that_are_too_few_or_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "back.txt"
    path.write_text("0.5 0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"^back.txt has 1 line for 4 texts"):
        read_scored(path, TEXTS, file_format="softmax")
    with pytest.raises(InputError, match=r"^text 1 has several lines, and x.txt is to hold one text a line"):
        write_texts(["a\nb"], tmp_path / "x.txt")


def test_the_verb(tmp_path: Path) -> None:
    texts, back, out = tmp_path / "texts.csv", tmp_path / "back.csv", tmp_path / "predictions.csv"
    source = ["predict", "--attribute", "gender", "--templates", "generic-neg-01", "--max-terms", "2"]
    run = CliRunner().invoke
    done = run(app, [*source, "--to-file", str(texts)])
    assert done.exit_code == 0, done.output
    frame = scored(texts)
    assert f"{len(frame)} texts in" in done.output
    frame.to_csv(back, index=False)
    done = run(app, [*source, "--from-file", str(back), "--out", str(out)])
    assert done.exit_code == 0, done.output
    table = pd.read_csv(out)
    assert np.allclose(table["p:positive"], [p(text) for text in table["text"]], atol=1e-9)
    done = run(app, ["evaluate", str(out), "--json"])
    assert done.exit_code == 0, done.output
    for wrong, text in (
        (["--to-file", str(texts), "--out", str(out)], "--to-file writes texts without predictions."),
        ([], "no table is named."),
        (["--from-file", str(back), "--out", str(out), "--model", "x"], "--model and --from-file exclude each other."),
    ):
        assert str(run(app, [*source, *wrong]).exception).startswith(text)


def test_a_text_that_could_not_be_scored_is_reported(tmp_path: Path) -> None:
    texts, back, out = tmp_path / "texts.csv", tmp_path / "back.csv", tmp_path / "predictions.csv"
    source = ["predict", "--attribute", "gender", "--templates", "generic-neg-01", "--max-terms", "2"]
    run = CliRunner().invoke
    run(app, [*source, "--to-file", str(texts)])
    frame = scored(texts)
    frame.loc[frame.index[3], ["p:negative", "p:positive"]] = None
    frame.to_csv(back, index=False)
    done = run(app, [*source, "--from-file", str(back), "--out", str(out)])
    assert done.exit_code == 0, done.output
    text = frame["text"].iloc[3]
    assert f'No prediction for "{text}": the probabilities hold NaN or infinity' in done.output
    assert "\nThe table has no rows for these texts (" in done.output
    assert done.output.endswith(" 1), and evaluate cannot count them.\n")
    assert text not in pd.read_csv(out)["text"].tolist()
