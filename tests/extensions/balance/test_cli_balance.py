"""The verb `balance`: the answer in words, the tables, warnings and errors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.extensions.balance.balance_report import balanced_report
from fairness_checklist.extensions.balance.properties import (
    coreference_columns,
    position_of_answer,
    read_properties,
    with_answers,
)
from fairness_checklist.extensions.balance.verb import balance as verb
from fairness_checklist.extensions.balance.weighting import balance
from fairness_checklist.extensions.lenses.readers import read_published


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(4)
    group = np.repeat(["women", "men"], 150)
    length = random.integers(2, 6, 300) + (group == "women") * random.integers(0, 2, 300)
    right = random.random(300) < 1 - 0.1 * length
    label = random.choice(["negative", "positive"], 300)
    wrong = np.where(label == "negative", "positive", "negative")
    return pd.DataFrame(
        {
            "sex": group,
            "text": [" ".join(["word"] * n) + "." for n in length],
            "oov": random.integers(0, 2, 300),
            "label": label,
            "predicted": np.where(right, label, wrong),
            "right": right.astype(int),
            "other": (random.random(300) < 0.7).astype(int),
        }
    )


@pytest.fixture
def table(frame: pd.DataFrame, tmp_path: Path) -> Path:
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_answer_and_tables(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    columns: dict[str, Any] = {"groups_column": "sex", "properties": ["length,oov"], "groups": ["women,men"]}
    verb(table=table, **columns, correct=["right,other"], draws=40, out=out)
    said = capsys.readouterr().out.splitlines()

    assert re.match(
        r"women and men differ in length \(\d+ % of the rows\) and oov \(\d+ % of the rows\); with", said[0]
    )
    assert said[-1].startswith(f"Tables in {out}: biases.csv, ")
    assert max(len(line.split()) for line in said[:-1]) <= 40
    written = pd.read_csv(out / "weights.csv")
    assert written.groupby("sex")["weight"].sum().round(6).tolist() == [150, 150]
    sums = written.groupby([written["text"].str.count("word"), "sex"])["weight"].sum().unstack()
    assert sums["women"].fillna(0).to_numpy() == pytest.approx(sums["men"].fillna(0).to_numpy())
    assert pd.read_csv(out / "biases.csv")["answers"].tolist() == ["right", "other"]

    answer = json.loads((out / "balance.json").read_text(encoding="utf-8"))
    assert answer["answer"] == said[:-1]
    assert answer["biases"][0]["ci_low"] <= answer["biases"][0]["ratio"] <= answer["biases"][0]["ci_high"]
    once = r"^right: women right \d\.\d{3} times as often as men once length and oov are balanced"
    assert re.search(once, "\n".join(said), re.MULTILINE)


def test_the_weights_are_a_column_of_evaluate(frame: pd.DataFrame) -> None:
    """Weighted group metrics of predictions are those of `evaluate` with the column that `balance` writes."""
    weights = balance(frame["sex"], {"length": frame["text"].str.count("word")}, between=["women", "men"])
    rows = frame.assign(group=frame["sex"], weight=weights.weight)
    metrics = fc.evaluate(rows, metrics=["accuracy_difference"]).metrics
    right = frame["right"].to_numpy()
    accuracy = [np.average(right[frame["sex"] == g], weights=weights.weight[frame["sex"] == g]) for g in weights.groups]
    [found] = metrics.loc[(metrics["left"] == "women") & (metrics["right"] == "men"), "value"]
    assert found == pytest.approx(accuracy[0] - accuracy[1])


def test_models_are_compared_and_few_rows_are_too_few() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": ["f", "m"] * 200, "kind": random.integers(0, 3, 400)})
    frame["ok"] = random.random(400) < np.where(frame["sex"] == "f", 0.5, 0.9)
    frame["same"] = random.random(400) < 0.7
    found = balanced_report(frame, "sex", ["kind"], correct=["ok", "same"], draws=60)
    biases, tests = found.tables["biases"].set_index("answers"), found.tables["tests"]
    assert biases.loc["ok", "ci_high"] < 1 < biases.loc["same", "ci_high"]
    assert tests["p_value"].tolist() == tests["p_adjusted"].tolist()
    assert tests["p_value"][0] < 0.01
    assert found.sentences[-1].startswith("ok and same differ in W-Bias, f over m: ")
    few = balanced_report(frame[:12], "sex", ["kind"], correct=["ok"], draws=20)
    assert "; too few rows to say). Without weights " in few.sentences[-1]


def test_three_groups_are_compared_in_pairs_with_joint_weights() -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame({"g": random.choice(list("abc"), 240), "x": random.integers(0, 3, 240)})
    frame["ok"] = frame["x"] > 0
    biases = balanced_report(frame, "g", ["x"], between=["c", "a", "b"], correct=["ok"], draws=0).tables["biases"]

    assert biases[["left", "right"]].values.tolist() == [["c", "a"], ["c", "b"], ["a", "b"]]
    assert biases["ratio"].tolist() == pytest.approx([1, 1, 1])


def gap_file(folder: Path) -> tuple[Path, pd.DataFrame]:
    """Files in the layouts of GAP and of its names, and the truth: group, names, position of the right name."""
    random = np.random.default_rng(3)
    people = ["Ana Roe", "Bo", "Cid Lee", "Dan", "Eve", "Flo Hay"]
    lines = ["ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"]
    truth, spans = [], {}
    for at in range(120):
        group = "female" if at % 2 else "male"
        count = int(random.integers(2, 6 + (group == "female")))
        before = int(random.integers(1, count + 1))
        text, starts = "then came", []
        for k, name in enumerate(people[:count]):
            if k == before:
                text += "; soon"
                pronoun = len(text) + 1
                text += " she and of" if group == "female" else " he and of"
            starts.append(len(text) + 1)
            text += f" {name},"
        if before == count:
            text += " and"
            pronoun = len(text) + 1
            text += " she" if group == "female" else " he"
        a, b = (int(one) for one in random.choice(count, 2, replace=False))
        word = "she" if group == "female" else "he"
        right = [None, a, b][int(random.integers(0, 3))] if at < 20 else a
        cells = [f"test-{at}", text, word, str(pronoun)]
        for one in (a, b):
            cells += [people[one], str(starts[one]), str(right == one).upper()]
        lines.append("\t".join([*cells, "u"]))
        spans[f"test-{at}"] = [[start, start + len(name), name] for start, name in zip(starts, people, strict=False)]
        if right is not None:
            where = text[:pronoun].count(" ") + text[:pronoun].count(",") + text[:pronoun].count(";")
            distance = []
            for k, name in enumerate(people[:count]):
                first = text[: starts[k]].count(" ") + text[: starts[k]].count(",") + text[: starts[k]].count(";")
                last = first + name.count(" ")
                distance.append((min(abs(first - where), abs(last - where)), k))
            truth.append((group, count, sorted(distance).index((distance[right][0], right)) + 1))
    (folder / "gap-test.tsv").write_text("\n".join(lines), encoding="utf-8")
    (folder / "gap-test-name-spans.json").write_text(json.dumps(spans), encoding="utf-8")
    return folder / "gap-test.tsv", pd.DataFrame(truth, columns=["group", "names", "position"])


def test_names_and_positions_of_a_file_of_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, truth = gap_file(tmp_path)
    data = read_published("gap", path)
    nearest = tmp_path / "second.tsv"
    both = [f"{name}\tTRUE\tTRUE" if at % 3 else f"{name}\tFALSE\tFALSE" for at, name in enumerate(data.table["id"])]
    nearest.write_text("\n".join(both), encoding="utf-8")
    table, notes = coreference_columns(with_answers(data, [nearest]))
    found, _ = read_properties(table, ["names", "position"])

    assert table["group"].tolist() == truth["group"].tolist()
    assert found["names"].tolist() == truth["names"].tolist()
    assert found["position"].tolist() == truth["position"].tolist()
    assert notes[0] == f"{120 - len(truth)} texts without a right name left out, as in the paper"
    assert table["second"].tolist() == [
        int(at % 3 > 0) for at, one in enumerate(data.table["label"]) if one != "neither"
    ]

    verb(
        table=path,
        groups_column="group",
        published="gap",
        groups=["female,male"],
        properties=["names,position"],
        answer_files=[str(nearest)],
        draws=5,
        tables=True,
    )
    said = capsys.readouterr().out
    assert "second: female right " in said
    assert "Note: names was computed from text and name_spans." in said
    with pytest.raises(OptionError) as error:
        with_answers(data, [tmp_path / "pronoun.tsv"])
    assert str(error.value) == "the file pronoun.tsv has the name of a column.\n    Name it after the system."


def test_the_nearest_name_is_unbiased_by_the_annotation_and_names_are_never_guessed(tmp_path: Path) -> None:
    path, truth = gap_file(tmp_path)
    data = read_published("gap", path)
    frame = coreference_columns(data)[0].assign(nearest=(truth["position"] == 1).astype(int))
    found = balanced_report(
        frame, "group", ["names", "position"], between=["female", "male"], correct=["nearest"], draws=0
    )
    [bias] = found.tables["biases"].to_dict("records")
    assert bias["ratio"] == pytest.approx(1)
    assert bias["plain_ratio"] != pytest.approx(1, abs=0.05)

    (tmp_path / "gap-test-name-spans.json").rename(tmp_path / "elsewhere.json")
    with pytest.raises(TableError) as found:
        verb(table=path, groups_column="group", published="gap", properties=["names"])
    assert str(found.value) == (
        "names is computed from the column name_spans, and the table has none.\n"
        "    names needs text and name_spans. The table has id, text, pronoun, a, b, pronoun_start, a_start, "
        "b_start, label, group and 2 more. " + GUESS
    )


def test_position_is_the_rank_of_the_right_name() -> None:
    text = "Kathleen first appears when Theresa and Myra visit her in a prison."  # the paper's example
    answers, starts = ["Kathleen", "Theresa", "Myra"], [0.0, 28.0, 40.0]
    spans = ["0-8 28-35 40-44"] * 3
    assert position_of_answer([text] * 3, [51.0] * 3, answers, starts, spans) == [3, 2, 1]
    missing = position_of_answer([text] * 3, [51, np.nan, 51], ["Myra", "Myra", ""], [40, 40, 40], ["0-8", "", ""])
    assert np.isnan(missing).all()
    with pytest.raises(TableError) as found:
        position_of_answer(["Ana."], [0], ["Ana"], [0], ["0-3 7"])
    assert str(found.value) == (
        "name_spans holds '7', which is no place in a text of 4 characters.\n"
        "    Write start-end in characters, the end not included, with spaces between: 0-8 28-35."
    )


GUESS = (
    "Names are not guessed: name_spans holds them as annotated, start-end in characters (0-8 28-35). For GAP put "
    "gap-test-name-spans.json of github.com/vid-koci/weightingGAP beside the file. Columns of the numbers do as well."
)


ERRORS: list[tuple[dict[str, list[str]], str]] = [
        ({"properties": ["size"]}, "there is no column size.\n    Columns: sex, text, oov, label, predicted, right, "
         "other. Can be computed: length, names, position."),
        ({"properties": ["names"]}, "names is computed from the column name_spans, and the table has none.\n"
         "    names needs text and name_spans. The table has sex, text, oov, label, predicted, right, other. " + GUESS),
        ({"properties": ["position"]}, "position is computed from the column pronoun_start, and the table has none.\n"
         "    position needs text, pronoun_start, answer, answer_start and name_spans. The table has sex, text, oov, "
         "label, predicted, right, other. " + GUESS),
        ({"answer_files": ["bert.tsv"]}, "--answers belongs to a published coreference set.\n"
         "    Add --published gap, for instance; for columns of the table use --correct."),
        ({"properties": ["word"]}, "word has 300 different values in 300 rows: no two groups share enough of them.\n"
         "    Balance a property of the texts, such as length or names, or group the values."),
        ({"groups_column": "gender"}, "the table has no column gender.\n"
         "    Its columns are sex, text, oov, label, predicted, right, other."),
        ({"correct": ["label"]}, "the column label holds 'LABEL'; expected 1 (the answer is right), 0 (wrong), or a "
         "number between.\n    Compare the answers with the labels first."),
        ({"correct": ["wrong"]}, "there is no column wrong.\n"
         "    Columns: sex, text, oov, label, predicted, right, other."),
]  # fmt: skip


def test_errors(table: Path) -> None:
    frame = pd.read_csv(table)
    frame.assign(word=[f"word {row}" for row in range(len(frame))]).to_csv(table, index=False)
    for options, message in ERRORS:
        expected = message.replace("LABEL", frame["label"][0]).replace(", other", ", other, word")
        with pytest.raises((TableError, OptionError)) as found:
            verb(table=table, **{"groups_column": "sex", "properties": ["length"], **options})  # type: ignore[arg-type]
        assert str(found.value) == expected


def test_numbers_of_many_values_are_put_into_bins() -> None:
    numbers = pd.DataFrame({"size": np.arange(40.0), "few": np.arange(40) % 30})
    found, notes = read_properties(numbers, ["size", "few"])
    assert found["size"].value_counts(sort=False).to_dict() == dict.fromkeys(
        ("1: 0 to 7", "2: 8 to 15", "3: 16 to 23", "4: 24 to 31", "5: 32 to 39"), 8
    )
    assert found["few"].nunique() == 30
    assert notes == ["size has 40 values and was put into 5 bins"]


def test_models_that_do_not_differ_take_one_sentence() -> None:
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"sex": ["f", "m"] * 150, "kind": random.integers(0, 3, 300)})
    for name in ("one", "two", "three"):
        frame[name] = random.random(300) < 0.7
    report = balanced_report(frame, "sex", ["kind"], correct=["one", "two", "three"], draws=30)

    tests = report.tables["tests"]
    assert len(tests) == 3
    least = tests["p_adjusted"].min()
    assert report.sentences[-1] == (
        f"No two models differ clearly in W-Bias (3 tests, smallest adjusted p {least:.3f})."
    )
