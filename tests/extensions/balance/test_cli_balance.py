"""The verb `balance`: the answer in words, the tables, warnings and errors."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refusal

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.extensions.balance.balance_report import balanced_report
from fairness_checklist.extensions.balance.balance_verb import balance as verb
from fairness_checklist.extensions.balance.properties import position_of_answer, read_properties


@pytest.fixture
def table(tmp_path: Path) -> Path:
    random = np.random.default_rng(4)
    group = np.repeat(["women", "men"], 150)
    length = random.integers(2, 6, 300) + (group == "women") * random.integers(0, 2, 300)
    right = random.random(300) < 1 - 0.1 * length
    label = random.choice(["negative", "positive"], 300)
    wrong = np.where(label == "negative", "positive", "negative")
    made = pd.DataFrame({"sex": group, "text": [" ".join(["word"] * n) + "." for n in length]})
    made["oov"] = random.integers(0, 2, 300)
    made["label"], made["predicted"] = label, np.where(right, label, wrong)
    made["right"], made["other"] = right.astype(int), (random.random(300) < 0.7).astype(int)
    made.to_csv(tmp_path / "data.csv", index=False)
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


def test_models_and_groups_are_compared_and_few_rows_are_too_few() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"sex": ["f", "m"] * 200, "kind": random.integers(0, 3, 400)})
    frame["ok"] = random.random(400) < np.where(frame["sex"] == "f", 0.5, 0.9)
    for name in ("same", "again", "third"):
        frame[name] = random.random(400) < 0.7
    found = balanced_report(frame, "sex", ["kind"], correct=["ok", "same"], draws=60)
    biases, tests = found.tables["biases"].set_index("answers"), found.tables["tests"]
    assert biases.loc["ok", "ci_high"] < 1 < biases.loc["same", "ci_high"]
    assert tests["p_value"].tolist() == tests["p_adjusted"].tolist()
    assert tests["p_value"][0] < 0.01
    assert found.sentences[-1].startswith("ok and same differ in W-Bias, f over m: ")
    alike = balanced_report(frame, "sex", ["kind"], correct=["same", "again", "third"], draws=30)
    least = alike.tables["tests"]["p_adjusted"].min()
    assert alike.sentences[-1] == (
        f"No two models differ clearly in W-Bias (3 tests, smallest adjusted p {least:.3f})."
    )
    few = balanced_report(frame[:12], "sex", ["kind"], correct=["ok"], draws=20)
    assert "; too few rows to say). Without weights " in few.sentences[-1]
    # three groups in pairs, with joint weights
    frame = pd.DataFrame({"g": random.choice(list("abc"), 240), "x": random.integers(0, 3, 240)})
    frame["ok"] = frame["x"] > 0
    biases = balanced_report(frame, "g", ["x"], between=["c", "a", "b"], correct=["ok"], draws=0).tables["biases"]
    assert biases[["left", "right"]].values.tolist() == [["c", "a"], ["c", "b"], ["a", "b"]]
    assert biases["ratio"].tolist() == pytest.approx([1, 1, 1])


def coreference_table() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Texts with annotated names and a pronoun, and the truth: names, position of the right name."""
    random = np.random.default_rng(3)
    people = ["Ana Roe", "Bo", "Cid Lee", "Dan", "Eve", "Flo Hay"]
    rows, truth = [], []
    for k in range(120):
        female = bool(k % 2)
        count = int(random.integers(2, 6 + female))
        before, right = int(random.integers(1, count + 1)), int(random.integers(0, count))
        words, starts = ["then", "came"], []
        for name in people[:count]:
            if len(starts) == before:
                words += ["soon", "she" if female else "he", "and", "of"]
            starts.append(len(" ".join(words)) + 1)
            words += name.split()
        words += [] if before < count else ["and", "she" if female else "he"]
        pronoun = words.index("she" if female else "he")
        first = [words.index(name.split()[0]) for name in people[:count]]
        ends = zip(first, people, strict=False)
        distance = [(min(abs(at - pronoun), abs(at + name.count(" ") - pronoun)), at) for at, name in ends]
        truth.append((count, sorted(distance).index(distance[right]) + 1))
        spans = " ".join(f"{start}-{start + len(name)}" for start, name in zip(starts, people, strict=False))
        start = len(" ".join(words[:pronoun])) + 1
        rows.append((("male", "female")[female], " ".join(words), start, people[right], starts[right], spans))
    columns = ["group", "text", "pronoun_start", "answer", "answer_start", "name_spans"]
    return pd.DataFrame(rows, columns=columns), pd.DataFrame(truth, columns=["names", "position"])


def test_names_and_positions_are_counted_and_the_nearest_name_is_unbiased(tmp_path: Path) -> None:
    table, truth = coreference_table()
    found, notes = read_properties(table, ["names", "position"])

    assert found["names"].tolist() == truth["names"].tolist()
    assert found["position"].tolist() == truth["position"].tolist()
    assert notes[0] == "names was computed from text and name_spans"
    frame = table.assign(nearest=(truth["position"] == 1).astype(int))
    report = balanced_report(
        frame, "group", ["names", "position"], between=["female", "male"], correct=["nearest"], draws=0
    )
    [bias] = report.tables["biases"].to_dict("records")
    assert bias["ratio"] == pytest.approx(1)
    assert bias["plain_ratio"] != pytest.approx(1, abs=0.01)


def test_position_is_the_rank_of_the_right_name() -> None:
    text = "Kathleen first appears when Theresa and Myra visit her in a prison."  # the paper's example
    answers, starts = ["Kathleen", "Theresa", "Myra"], [0.0, 28.0, 40.0]
    spans = ["0-8 28-35 40-44"] * 3
    assert position_of_answer([text] * 3, [51.0] * 3, answers, starts, spans) == [3, 2, 1]
    missing = position_of_answer([text] * 3, [51, np.nan, 51], ["Myra", "Myra", ""], [40, 40, 40], ["0-8", "", ""])
    assert np.isnan(missing).all()
    assert refusal(TableError, position_of_answer, ["Ana."], [0], ["Ana"], [0], ["0-3 7"]) == (
        "name_spans holds '7', which is no place in a text of 4 characters.\n"
        "    Write start-end in characters, the end not included, with spaces between: 0-8 28-35."
    )


GUESS = (
    "Names are not guessed: name_spans holds them as annotated, start-end in characters (0-8 28-35); for GAP "
    "gap-test-name-spans.json of github.com/vid-koci/weightingGAP does. Columns of the numbers do as well."
)


ERRORS: list[tuple[dict[str, list[str]], str]] = [
        ({"properties": ["size"]}, "there is no column size.\n    Columns: sex, text, oov, label, predicted, right, "
         "other. Can be computed: length, names, position."),
        ({"properties": ["names"]}, "names is computed from the column name_spans, and the table has none.\n"
         "    names needs text and name_spans. The table has sex, text, oov, label, predicted, right, other. " + GUESS),
        ({"properties": ["position"]}, "position is computed from the column pronoun_start, and the table has none.\n"
         "    position needs text, pronoun_start, answer, answer_start and name_spans. The table has sex, text, oov, "
         "label, predicted, right, other. " + GUESS),
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
    bins = {"1: 0 to 7": 8, "2: 8 to 15": 8, "3: 16 to 24": 9, "4: 25 to 31": 7, "5: 32 to 39": 8}
    assert found["size"].value_counts(sort=False).to_dict() == bins
    assert found["few"].nunique() == 30
    assert notes == ["size has 40 values and was put into 5 bins"]
