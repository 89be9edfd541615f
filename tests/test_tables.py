"""Prediction tables: there and back, tables that lack much, and tables that are wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_outcomes import BINARY, THREE, example_sets, figures, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.tables.files import read_table, write_table
from fairness_checklist.tables.texts import split_table, to_table
from fairness_checklist.tables.tokens import split_any


def small(**columns: Any) -> pd.DataFrame:
    """Four rows of two groups; ``name=None`` takes a column out."""
    given = {"group": ["a", "a", "b", "b"], "label": ["no", "yes"] * 2, "predicted": ["no", "yes", "no", "no"]}
    return pd.DataFrame({name: column for name, column in {**given, **columns}.items() if column is not None})


def read(frame: pd.DataFrame, **how: Any) -> tuple[ExampleSet, Predictions]:
    [pair] = split_table(frame, **how)
    return pair


def every_figure(examples: ExampleSet, predictions: Predictions) -> dict[str, Any]:
    outcomes = reduce_to_outcomes(examples, predictions)
    return {name: figures(compute(name, outcomes)) for name in METRICS}


@sweep("ending", ["memory", ".csv", ".parquet"])
@sweep("classes", [BINARY, THREE])
def test_there_and_back(tmp_path: Path, ending: str, classes: tuple[str, ...]) -> None:
    rows = random_rows(1, classes=classes, unlabelled=2, weights=True)
    rows = [row.but(symmetric=row.source != "s3") for row in rows]
    examples, predictions = example_sets(rows, classes=classes)
    frame = to_table(examples, predictions)
    if ending != "memory":
        path = tmp_path / f"of {len(classes)}" / ending / f"table{ending}"
        write_table(frame, path)
        assert [p.name for p in path.parent.iterdir()] == [path.name]
        frame = read_table(path)
    again, decisions = read(frame)
    for name in ("attribute", "task", "groups", "sources"):
        assert getattr(again, name) == getattr(examples, name), name
    for one in (examples, again):  # terms are numbered as they appear
        assert [one.terms[t] if t >= 0 else "" for t in one.term] == [row.term for row in rows]
        assert [one.groups[one.term_group[t]] if t >= 0 else "" for t in one.term] == [row.group for row in rows]
    for name in ("source", "group", "label", "weight"):
        np.testing.assert_array_equal(getattr(again, name), getattr(examples, name))
    assert again.classes == examples.classes
    assert again.render() == examples.render()
    assert decisions.classes == predictions.classes
    np.testing.assert_array_equal(decisions.predicted, predictions.predicted)
    np.testing.assert_array_equal(decisions.probabilities, predictions.probabilities)
    np.testing.assert_array_equal(decisions.scores["las"], predictions.scores["las"])
    expected = every_figure(examples, predictions)
    for name, found in every_figure(again, decisions).items():
        assert found == pytest.approx(expected[name], rel=0, abs=1e-14, nan_ok=True), name


class TestTablesThatLackMuch:
    def test_only_groups_and_decisions(self) -> None:
        examples, predictions = read(small(label=None, date=["today"] * 4))
        assert (examples.groups, predictions.classes) == (("a", "b"), ("no", "yes"))
        assert (predictions.probabilities, examples.sources, examples.weight) == (None, (), None)
        assert set(examples.source.tolist()) == set(examples.label.tolist()) == {-1}

    def test_decisions_and_probabilities(self) -> None:
        """Without ``predicted`` the most probable class, ties to the first; with it, whatever it says."""
        frame = small(predicted=None, **{"p:no": [0.5, 0.4, 0.9, 0.1], "p:yes": [0.5, 0.6, 0.1, 0.9]})
        assert read(frame)[1].predicted.tolist() == [0, 1, 0, 1]
        assert read(small(**{"p:no": [0.1] * 4, "p:yes": [0.9] * 4}))[1].predicted.tolist() == [0, 1, 0, 0]

    def test_scores(self) -> None:
        examples, predictions = read(small(label=None, predicted=None, **{"score:las": [1, 2, 3, 4]}))
        assert (predictions.classes, predictions.scores["las"].tolist()) == ((), [1, 2, 3, 4])
        outcomes = reduce_to_outcomes(examples, predictions)
        assert compute("las_difference", outcomes).value.tolist() == [[-2.0]]
        lacking = read(small(**{"score:las": [1, None, 3, 4]}))[1].scores["las"]
        assert np.isnan(lacking).tolist() == [False, True, False, False]

    def test_numbers_as_groups_sources_and_labels_and_the_control(self) -> None:
        examples, _ = read(small(group=["unmarked", "a", "b", "b"], source=["s"] * 4))
        assert (examples.groups, examples.group.tolist()) == (("a", "b"), [-1, 0, 1, 1])
        frame = small(group=[1, 1, 2, 2], source=[10, 20, 10, 20], label=[0, 1, None, 1], predicted=[0, 1, 0, 0])
        examples, predictions = read(frame)
        assert (examples.groups, predictions.classes) == (("1", "2"), ("0", "1"))
        assert [source.id for source in examples.sources] == ["10", "20"]
        assert examples.label.tolist() == [0, 1, -1, 1]

    def test_terms_and_their_places(self) -> None:
        examples, _ = read(small(term=["x", "y", "x", None]))  # the same term in two groups is two terms
        assert (examples.terms, examples.term_group.tolist()) == (("x", "y", "x"), [0, 0, 1])
        assert examples.term.tolist() == [0, 1, 2, -1]
        frame = small(term=["Anna", "deaf", "", "x"], text=["I met anna.", "Deaf people", "No term", None])
        examples, _ = read(frame)
        assert examples.texts.spans(0, 4) == [((6, 10),), ((0, 4),), (), ()]
        assert examples.render() == ["I met anna.", "Deaf people", "No term", ""]

    def test_attributes(self) -> None:
        frame = small(attribute=["x", "y", "x", "y"], source=["s", "s", "t", "t"])
        found = [(e.attribute, len(e), said.predicted.tolist()) for e, said in split_table(frame)]
        assert found == [("x", 2, [0, 0]), ("y", 2, [1, 0])]
        assert read(small(), attribute="gender")[0].attribute == "gender"

    def test_what_is_not_symmetric(self) -> None:
        for no in ("No", "false", False, 0):
            examples, _ = read(small(source=["s", "t"] * 2, symmetric=[no, "yes"] * 2))
            assert [source.symmetric for source in examples.sources] == [False, True]


@sweep(("columns", "how", "classes"), [
    (["positive", "negative"], {}, BINARY),
    (["positive", "negative", "neutral"], {}, THREE),
    (["toxic", "fine"], {}, ("toxic", "fine")),
    (["positive", "negative", "mixed"], {}, ("positive", "negative", "mixed")),
    (["positive", "negative"], {"task": "other"}, ("positive", "negative")),
    (["positive", "negative"], {"classes": ["positive", "negative"]}, ("positive", "negative")),
])  # fmt: skip
def test_classes_are_in_the_order_given_else_of_the_task_else_of_the_columns(
    columns: list[str], how: dict[str, Any], classes: tuple[str, ...]
) -> None:
    frame = small(label=None, predicted=None, **{f"p:{c}": [1 / len(columns)] * 4 for c in columns})
    assert read(frame, **how)[1].classes == classes
    with pytest.raises(fc.errors.OptionError, match=r", which classes= does not name\."):
        read(frame, classes=["other"])


MIXED = small(label=["neutral", "positive", "negative", None], predicted=["negative", "positive"] * 2)
HALVES = {"p:negative": [0.5] * 4, "p:positive": [0.5] * 4}


def test_classes_that_only_one_side_has() -> None:
    assert read(small(label=None, predicted=["yes", "maybe", "no", "no"]))[1].classes == ("maybe", "no", "yes")
    examples, predictions = read(MIXED.drop(columns="predicted").assign(**HALVES))
    assert (predictions.classes, examples.classes) == (BINARY, (*BINARY, "neutral"))
    assert examples.label.tolist() == [2, 1, 0, -1]
    examples, predictions = read(MIXED, classes=BINARY)  # classes that the model lacks
    assert (predictions.classes, predictions.notes) == (BINARY, ())
    assert reduce_to_outcomes(examples, predictions).labelled.tolist() == [False, True, True, False]
    assert read(MIXED)[1].notes == (
        "the class neutral is never predicted; if the model has no such class, give classes=negative,positive",
    )


def with_typo(typo: str, **columns: Any) -> pd.DataFrame:
    return small(label=["positive", "", typo, "negative"], predicted=["positive", "negative"] * 2, **columns)


NO_CLASS = "the label of row 3 is '{}', which is not a class of the task sentiment"
WRONG_CLASSES: list[tuple[pd.DataFrame, dict[str, Any], type[Exception], str, str]] = [
    (MIXED.assign(predicted=["negative", "positive", "positve", "negative"]), {"classes": BINARY}, fc.errors.TableError,
     "row 3 of the column predicted is 'positve'; the classes are negative, positive.",
     "Did you mean positive? Correct the row, or name all classes."),
    (with_typo("great"), {}, fc.errors.LabelError, NO_CLASS.format("great"), "Correct the column label."),
    (with_typo("Negative", **HALVES), {}, fc.errors.LabelError, NO_CLASS.format("Negative"),
     "Did you mean negative? Correct the column label."),
    (small(predicted=None, **{"p:no": [1.0] * 4}), {"classes": ["no", "yes"]}, fc.errors.TableError,
     "the classes yes have no column p:<class>.", ""),
    (small(**{"p:no": [0.5, 0.5, 0.6, 0.5], "p:yes": [0.5, 0.5, 0.6, None]}), {}, fc.errors.PredictionError,
     "row 4 of the probabilities holds NaN or infinity: no=0.5, yes=nan (1 ", ""),
]  # fmt: skip


@sweep(("frame", "how", "kind", "message", "remedy"), WRONG_CLASSES)
def test_classes_and_probabilities_that_are_wrong(
    frame: pd.DataFrame, how: dict[str, Any], kind: type[Any], message: str, remedy: str
) -> None:
    with pytest.raises(kind) as caught:
        read(frame, **how)
    assert caught.value.message.startswith(message)
    assert not remedy or caught.value.remedy == remedy


WRONG: list[tuple[pd.DataFrame, str]] = [
    (small().drop(columns="group"), "the table has no column group."),
    (small()[:0], "the table has no rows."),
    (small(group=["a", " ", "b", "b"]), "the group of row 2 is empty."),
    (small(group=["a", "others", "b", "b"]),
     'the group of row 2 is "others", which has a meaning of its own in the results.'),
    (small(group=["a", "b", "*", "b"]), 'the group of row 3 is "*", which stands for all groups.'),
    (small(attribute=["x", "x", None, "x"]), "row 3 has no attribute."),
    (small(predicted=None), "the table has no predictions."),
    (small(predicted=["no", "yes", None, "no"]), "row 3 has no prediction."),
    (small(source=["s", "s", "t", None]), "row 4 has no source."),
    (small(**{"p:no": [0.5] * 4, "p:maybe": [0.5] * 4}),
     "row 2 of the column predicted is 'yes'; the classes are no, maybe."),
    (small(**{"p:no": ["0.5", "0.5", "half", "0.5"], "p:yes": [0.5] * 4}),
     "the column p:no of row 3 is 'half', which is not a number."),
    (small(weight=[1, 1, None, 1]), "the column weight holds a number that is not finite or is negative."),
    (small(**{"score:las": ["ci_high", "1", "2", "3"]}),
     "the column score:las of row 1 is 'ci_high', which is not a number."),
]  # fmt: skip


@sweep(("frame", "message"), WRONG)
def test_tables_that_are_wrong(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(fc.errors.TableError) as caught:
        list(split_table(frame))
    assert caught.value.message == message


FILES: list[tuple[str, bytes | None, str]] = [
    ("none.csv", None, "there is no table {folder}/none.csv."),
    ("t.xlsx", b"", "t.xlsx: the ending '.xlsx' is not that of a table."),
    ("t.csv", b"\xff\xfe\x00\x01 not a table", "t.csv:1: the file is not UTF-8."),
    ("t.csv", b"", "t.csv: the file is empty."),
    ("t.csv", b"sep=;\ngroup;predicted\na;yes\nb;no;or\n",
     "t.csv:4: the row has 3 cells; expected 2: group;predicted."),
    ("t.csv", b"group,predicted\na,yes,or\n",
     "t.csv:2: the row has more cells than the header; expected 2: group,predicted."),
    ("t.csv", b'group,predicted\na,yes\n"b,no\n', "t.csv:3: a quote is opened and never closed."),
    ("t.csv", b"sep=;\n\ngroup;label;group\na;no;b\n", "t.csv:3: the table has 2 columns named 'group'."),
    ("t.parquet", b"\xff\xfe\x00\x01 not a table", "t.parquet: the file is not Parquet."),
    ("t.parquet", b"", "t.parquet: the file is empty."),
    ("t.jsonl", b'{"group": "a"}\n{"group": "\xe9"}\n', "t.jsonl:2: the file is not UTF-8."),
    ("t.jsonl", b"\n", "t.jsonl: the file is empty."),
    ("t.jsonl", b'{"group": "a"}\n["b"]\n', "t.jsonl:2: the line is no object of JSON."),
    ("t.jsonl", b'{"group": "a"}\n\n{"group" "b"}\n',
     "t.jsonl:3: the line is no JSON: Expecting ':' delimiter, at character 10."),
]  # fmt: skip


class TestFiles:
    def test_csv_with_a_mark_of_byte_order_and_words_that_look_like_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "from excel.csv"
        path.write_text(
            "group,source,term,text,label,predicted,p:negative,p:positive\n"
            "NA,01,None,null,negative,negative,0.75,0.25\n"
            "nan,01,N/A,,,positive,0.25,0.75\n",
            encoding="utf-8-sig",
        )
        examples, predictions = read(read_table(path))
        assert examples.groups == ("NA", "nan")
        assert examples.terms == ("None", "N/A")
        assert [source.id for source in examples.sources] == ["01"]
        assert examples.render() == ["null", ""]
        assert examples.label.tolist() == [0, -1]
        assert predictions.probabilities.tolist() == [[0.75, 0.25], [0.25, 0.75]]

    @sweep(("name", "content", "message"), FILES)
    def test_what_does_not_read(self, tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(fc.errors.TableError) as caught:
            read_table(tmp_path / name)
        assert str(caught.value).partition("\n")[0] == message.format(folder=tmp_path)
        assert caught.value.remedy
        with pytest.raises(fc.errors.TableError, match=r"table\.xlsx: the ending '\.xlsx' is not that of a table\."):
            write_table(small(), tmp_path / "table.xlsx")
        frame = eight()
        frame.insert(0, "group", "men", allow_duplicates=True)
        with pytest.raises(fc.errors.TableError, match=r"^the table has 2 columns named 'group'\."):
            fc.evaluate(frame)

    @sweep(("sep", "decimal", "first"), [(";", ",", ""), (";", ",", "sep=;\r\n"), ("\t", ".", "")])
    def test_as_spreadsheets_write_it(self, tmp_path: Path, sep: str, decimal: str, first: str) -> None:
        lines = ["group,text,label,predicted,p:negative,p:positive", "a,Hi,negative,negative,0.75,0.25"]
        lines.append("b,Oh,positive,positive,0.5,0.5")
        plain = "\r\n".join(lines) + "\r\n"
        (tmp_path / "plain.csv").write_text(plain, encoding="utf-8")
        changed = first + plain.replace(",", sep).replace("0.", f"0{decimal}")
        (tmp_path / "excel.csv").write_bytes(changed.encode("utf-8-sig"))
        pd.testing.assert_frame_equal(read_table(tmp_path / "excel.csv"), read_table(tmp_path / "plain.csv"))
        (tmp_path / "a.csv").write_text("group;label;predicted;;\na;no;no;;\n", encoding="utf-8")
        assert read(read_table(tmp_path / "a.csv"))[0].groups == ("a",)  # columns without a name


@sweep("task", ["sentiment", "ner"])
def test_categories_give_the_order_of_groups_and_one_without_rows_is_no_group(task: str) -> None:
    group = pd.Categorical(["a", "b"], categories=["a", "c", "b", "d "])
    frame = pd.DataFrame({"group": group, "label": ["x", "x"], "predicted": ["x", "x"]})
    if task == "ner":
        frame = frame.assign(tokens=[["In", "Chad"]] * 2, predicted=[["O", "B-LOC"]] * 2).drop(columns="label")
    [(examples, _)] = split_any(frame, task=task)
    assert examples.groups == ("a", "b")
    column = pd.Categorical(["b", "a", "unmarked", "b"], categories=["a", "b", "c", "unmarked"])
    examples, _ = read(small(group=column))
    assert (examples.groups, examples.group.tolist()) == (("a", "b"), [1, 0, -1, 1])
    assert read(small(group=["b", "a", "b", "c"]))[0].groups == ("b", "a", "c")
    spaced = pd.Categorical(["men ", "women"] * 2, categories=["women", "men", "men "])
    assert read(small(group=spaced))[0].groups == ("women", "men")


def notes_of(frame: pd.DataFrame) -> list[str]:
    """What is noted of a table of one attribute."""
    [(examples, predictions)] = split_any(frame)
    return list(reduce_to_outcomes(examples, predictions).notes)


DECIDED = ["negative", "positive"] * 4


def eight(**columns: Any) -> pd.DataFrame:
    given = {
        "group": ["men", "women"] * 4,
        "text": [f"Sentence {i}." for i in range(8)],
        "label": DECIDED,
        "p:negative": [0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.45],
        "p:positive": [0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 0.55],
    }
    return pd.DataFrame({**given, **columns})


def again(frame: pd.DataFrame, *rows: int) -> pd.DataFrame:
    return pd.concat([frame, frame.iloc[list(rows)]])


PLAIN = eight().drop(columns="text")
TERMED = PLAIN.assign(source=["s1"] * 4 + ["s2"] * 4, term=["man", "woman", "boy", "girl"] * 2, label="positive")
TAGGED = pd.DataFrame(
    {"group": ["a", "b"] * 2, "tokens": [["In", "Chad"], ["In", "Peru"]] * 2, "predicted": [["O", "B-LOC"]] * 4}
)
AGAINST = "is not the most probable class{}; predicted decides, unless threshold= is given"
ALIKE = "the {} {!r}, {!r} differ only in capitals, spaces or character encoding; they are kept apart"
TIE = [0.9, 0.2, 0.8, 0.3, 0.7, 0.4, 0.6, 0.5]
DOUBTS: list[tuple[pd.DataFrame, list[str]]] = [
    (eight(), []),
    (eight(predicted=DECIDED), []),
    (again(eight(), 0, 3), ["2 of 10 rows repeat an earlier row in every column: rows 9, 10; they count each time"]),
    (again(TERMED, 7), ["1 of 9 rows repeats an earlier row in every column: row 9; it counts each time"]),
    (TERMED, []),
    (again(PLAIN, *range(8)), []),
    (again(eight(text=""), 1), []),
    (TAGGED, ["2 of 4 rows repeat an earlier row in every column: rows 3, 4; they count each time"]),
    (eight(predicted=["negative"] * 7 + ["positive"]),
     [f"in 3 of 8 rows the column predicted {AGAINST.format(', and no one threshold gives these decisions')}"]),
    (eight(predicted=[*DECIDED[:7], "negative"]), [f"in 1 of 8 rows the column predicted {AGAINST.format('')}"]),
    (eight(predicted=[*DECIDED[:7], "negative"], **{"p:negative": TIE, "p:positive": [1 - p for p in TIE]}), []),
    (eight(group=["men", "Men"] * 4), [ALIKE.format("groups", "men", "Men")]),
    (eight(group=["cafe", "\uff43afe"] * 4), [ALIKE.format("groups", "cafe", "\uff43afe")]),
    (pd.DataFrame({"group": ["a", "b"], "label": ["Yes", "no"], "predicted": ["yes", "no"]}),
     [ALIKE.format("classes", "Yes", "yes")]),
]  # fmt: skip


@sweep(("frame", "notes"), DOUBTS)
def test_what_should_be_questioned(frame: pd.DataFrame, notes: list[str]) -> None:
    assert notes_of(frame) == notes


def test_notes_are_shown_and_a_threshold_of_the_run_decides_whatever_the_table_holds() -> None:
    result = fc.evaluate(eight(predicted=["negative"] * 8), draws=0, metrics=["parity_gap"], threshold=0.5)
    contradicted, decided = result.info["notes"]["group"]
    assert contradicted == f"in 4 of 8 rows the column predicted {AGAINST.format('')}"
    assert decided == "decided by threshold positive >= 0.5"
    assert contradicted in " ".join(str(result).split())


@sweep(("column", "space"), [("group", "\u00a0"), ("label", "\u200b"), ("predicted", "\t\ufeff")])
def test_spaces_around_names(column: str, space: str) -> None:
    frame = eight(predicted=DECIDED)
    name = frame.loc[2, column]
    frame.loc[2, column], frame.loc[4, column] = f"{name}{space}", f"{space}{name}"
    assert notes_of(frame) == [
        f"spaces at either end of 2 cells of the column {column} are ignored: "
        f"{f'{name}{space}'!r}, {f'{space}{name}'!r}"
    ]
    examples, predictions = read(frame)
    assert examples.groups == ("men", "women")
    assert examples.classes == predictions.classes == ("negative", "positive")


LABELS_AS = {
    "int": [1, 0], "float": [1.0, 0.0], "bool": [True, False], "text": ["1", "0"], "text of floats": ["1.0", "0.0"],
    "capitals": ["TRUE", "FALSE"], "small": ["true", "false"],
}  # fmt: skip
KEYS = [("0", "1"), (0, 1), (0.0, 1.0), (np.int64(0), np.int64(1)), (False, True), ("false", "TRUE"), ("0.0", "1.0")]


@sweep("kind", ["csv", "parquet", "jsonl", "frame"])
@sweep("name", LABELS_AS)
def test_numbers_and_truth_values_are_the_same_labels_however_they_are_written(
    name: str, kind: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"group": ["a", "b"] * 4, "predicted": LABELS_AS[name] * 4, "label": LABELS_AS[name] * 4})
    frame["label"] = frame["label"].astype(object)
    frame.loc[7, "label"] = None  # numbers of a column with an empty cell are floats
    frame["label"] = frame["label"].infer_objects()
    table: Any = frame if kind == "frame" else tmp_path / f"table.{kind}"
    if kind != "frame":
        write_table(frame, table)
    for negative, positive in KEYS if (kind, name) == ("frame", "int") else KEYS[:2]:
        labels = {negative: "negative", positive: "positive"}
        found = fc.evaluate(table, labels=labels, metrics=["parity_gap"], draws=0).examples
        assert found["predicted"].tolist() == ["positive", "negative"] * 4
        assert found["label"].tolist() == [*["positive", "negative"] * 3, "positive", ""]
    with pytest.raises(fc.errors.LabelError) as caught:
        fc.evaluate(table, draws=0)
    truth = name in ("bool", "capitals", "small")
    shown = [str(label) for label in LABELS_AS[name][::-1]] if truth else ["0", "1"]
    what, quoted = "truth values" if truth else "numbers", [f'"{label}"' for label in shown]
    assert str(caught.value) == (
        f"the labels in the columns label and predicted are the {what} {', '.join(shown)}; expected the classes of the "
        "task sentiment: negative, neutral, positive.\n"
        f'    Give the class of each: labels={{{quoted[0]}: "CLASS", {quoted[1]}: "CLASS"}}; or, if the {what} are '
        f"the classes, name them: classes=[{', '.join(quoted)}]."
    )
