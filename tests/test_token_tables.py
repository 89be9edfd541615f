"""Tables of taggers: there and back, as files, what may be absent, names of types, and tables that are wrong."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_tagger import spans_of
from golden import cases, read_tagger_case
from refusals import refusal
from sweep import sweep

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import terms_from_mapping
from fairness_checklist.core.errors import InputError, LabelError, PredictionError, TableError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.core.tagging import TagSet
from fairness_checklist.tables.files import read_table, write_table
from fairness_checklist.tables.texts import to_table
from fairness_checklist.tables.token_cells import is_tagged
from fairness_checklist.tables.tokens import HIDDEN, hide_texts, split_any, split_tagged, to_tagged_table

FILE_COLUMNS = Path(__file__).resolve().parents[1] / "fairness_checklist" / "tables" / "file_columns.toml"
TYPES = ("PER", "LOC", "ORG", "MISC")
TEXTS = {
    "repeated": "{The:country} and [Alex](PER) of the [Red Cross](ORG), who's in {the:country}.",
    "misc": "A {country_adj} friend met {person}.",
    "outside": '"{A:identity.writer}" met [Alex Moss](PER) in [Oslo](LOC).',
    "not symmetric": "[Mia Berg](PER) left {the:country}",
}


@cache
def made() -> ExampleSet:
    """Sentences with "the Gambia", names of two words, unmarked controls, repeated slots and all four types."""
    terms = terms_from_mapping(
        "nationality", {"west": ["the Gambia", "Guinea-Bissau"], "south": ["New Zealand", "Chad"]}
    )
    templates = [
        Template(name, text, "", task="ner", symmetric=name != "not symmetric", about="third_party")
        for name, text in TEXTS.items()
    ]
    return expand(templates, terms, task="ner").examples


def said_of(
    sentences: Sentences, types: Sequence[str] = TYPES, *, probabilities: bool = True, seed: int = 1
) -> TokenPredictions:
    """Random tags and probabilities; some tags break their scheme and are repaired."""
    rng = np.random.default_rng(seed)
    tags = TagSet.of(["O", *(f"{prefix}-{kind}" for kind in types for prefix in "BI")])
    n_words = len(sentences.words)
    spans, repaired = tags.decode(rng.integers(0, len(tags.tags), n_words), sentences.offset)
    matrix = rng.dirichlet(np.ones(len(types) + 1), n_words) if probabilities else None
    return TokenPredictions(tuple(types), sentences.offset, spans, matrix, repaired)


def assert_same(one: Any, other: Any) -> None:
    """Equal in all that records hold, but for the texts of templates and labels of sources, which a table lacks."""

    def plain(record: Any) -> Any:
        if not isinstance(record, Outcomes):
            return record
        views = {name: plain(view) for name, view in record.views.items()}
        sources = tuple(replace(source, text="", label="") for source in record.sources)
        return replace(record, views=views, sources=sources)

    assert plain(one) == plain(other)


def through(frame: pd.DataFrame, folder: Path, ending: str) -> pd.DataFrame:
    if ending == "memory":
        return frame
    path = folder / ending / f"table{ending}"
    write_table(frame, path)
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    return read_table(path)


def read(frame: pd.DataFrame, **how: Any) -> tuple[ExampleSet, TokenPredictions]:
    [pair] = split_tagged(frame, **how)
    return pair


def small(**columns: Any) -> pd.DataFrame:
    """Two sentences of two groups; ``name=None`` takes a column out."""
    given = {
        "group": ["a", "b"],
        "tokens": [["In", "Chad", "."], ["In", "New", "Zealand", "."]],
        "tags": [["O", "B-LOC", "O"], ["O", "B-LOC", "I-LOC", "O"]],
        "predicted": [["O", "B-LOC", "O"], ["O", "O", "B-LOC", "O"]],
    }
    return pd.DataFrame({name: column for name, column in {**given, **columns}.items() if column is not None})


class TestThereAndBack:
    @sweep("ending", ["memory", ".parquet", ".jsonl", ".ndjson", ".json", ".csv"])
    @sweep("probabilities", [True, False])
    def test_a_run_of_a_tagger(self, tmp_path: Path, ending: str, probabilities: bool) -> None:
        examples = made()
        predictions = said_of(read_sentences(examples.texts), probabilities=probabilities)
        assert predictions.repaired.any()
        again, model_output = read(through(to_tagged_table(examples, predictions), tmp_path, ending))

        assert_same(reduce_to_outcomes(examples, predictions), reduce_to_outcomes(again, model_output))
        assert_same(model_output, predictions)
        assert again.render() == examples.render()
        assert (again.task, again.attribute) == ("ner", "nationality")

    def test_without_texts_the_figures_are_the_same(self, tmp_path: Path) -> None:
        examples = made()
        predictions = said_of(read_sentences(examples.texts))
        frame = hide_texts(to_tagged_table(examples, predictions))
        assert "text" not in frame.columns
        assert frame["sha256"].tolist() == [sha256(text.encode()).hexdigest() for text in examples.render()]
        assert {word for line in frame["tokens"] for word in line} == {HIDDEN, "The", "the"}
        again, model_output = read(through(frame, tmp_path, ".parquet"))
        assert_same(reduce_to_outcomes(examples, predictions), reduce_to_outcomes(again, model_output))

    def test_the_sentences_alone(self) -> None:
        frame = to_tagged_table(made())
        columns = "attribute source template about rewords symmetric group term lexeme pos text tokens tags slot"
        assert list(frame.columns) == columns.split()
        assert frame["slot"][0] == [[1, 2], [13, 14]]
        assert frame["tags"][0][:8] == ["O", "B-LOC", "O", "B-PER", "O", "O", "B-ORG", "I-ORG"]

    def test_the_reference_lists_all_columns(self) -> None:
        cells = set(tomllib.loads(FILE_COLUMNS.read_text(encoding="utf-8"))["tagger_table"])
        examples = made()
        written = set(hide_texts(to_tagged_table(examples, said_of(read_sentences(examples.texts)))).columns)
        assert written - (set(to_table(examples).columns) - {"label"}) <= cells
        assert written >= cells - {"spans"}

    def test_sentences_that_are_not_tagged_stay_so(self, tmp_path: Path) -> None:
        frame = through(small(tags=[None, ["O", "B-LOC", "I-LOC", "O"]]), tmp_path, ".jsonl")
        examples, model_output = read(frame)
        assert reduce_to_outcomes(examples, model_output).labelled.tolist() == [False, True]
        assert to_tagged_table(examples, model_output)["tags"].tolist() == [None, ["O", "B-LOC", "I-LOC", "O"]]


@sweep("case", cases("ner"))
def test_a_golden_case_as_json_lines(case: dict[str, Any], tmp_path: Path) -> None:
    examples, predictions = read_tagger_case(case)
    offset, slot = read_sentences(examples.texts).offset, read_sentences(examples.texts).slot
    listed = [
        (str(s), group, one)
        for s, example in enumerate(case["source_examples"])
        for group in case["groups"]
        for one in example["variations"][group]
    ]
    lines = []
    for row, (source, group, one) in enumerate(listed):
        at = np.flatnonzero(slot[offset[row] : offset[row + 1]] == 0).tolist()
        record = {"source": source, "group": group, "tokens": one["tokens"], "tags": one["gold_tags_expanded"]}
        record |= {"predicted": one["pred_tags"], "classes": case["label_vocab"], "p": one["probs"]}
        lines.append(json.dumps(record | {"slot": [at[0], at[-1] + 1] if at else None}))
    (tmp_path / "golden.jsonl").write_text("\n".join(lines), encoding="utf-8")
    again, model_output = read(read_table(tmp_path / "golden.jsonl"), attribute="golden")
    ours, theirs = reduce_to_outcomes(again, model_output), reduce_to_outcomes(examples, predictions)

    assert (model_output.types, again.groups) == (TYPES, examples.groups)
    columns = [theirs.classes.index(name) for name in ours.classes]
    np.testing.assert_array_equal(ours.source, theirs.source)
    np.testing.assert_array_equal(model_output.repaired, predictions.repaired)
    for name in ("correct", "gold", "predicted"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name)[:, columns[:-1]], name)
    np.testing.assert_allclose(ours.units.probability, theirs.units.probability[:, columns], rtol=0, atol=1e-12)
    for name in ("row", "position"):
        np.testing.assert_array_equal(getattr(ours.units, name), getattr(theirs.units, name), name)
    np.testing.assert_array_equal(np.array(columns)[ours.units.label], theirs.units.label)


class TestWhatMayBeAbsent:
    def test_only_groups_words_and_decisions(self) -> None:
        examples, model_output = read(small(tags=None))
        assert (examples.groups, examples.sources) == (("a", "b"), ())
        assert (model_output.types, model_output.probabilities) == (("LOC",), None)
        assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 2, 3, "LOC")]
        sentences = read_sentences(examples.texts)
        assert (sentences.tagged.tolist(), set(sentences.slot.tolist())) == ([False, False], {-1})
        assert examples.render() == ["In Chad .", "In New Zealand ."]
        examples, model_output = read(small(tokens=None, text=["In Chad.", "In New Zealand."]))  # the words of the text
        assert read_sentences(examples.texts).words == ("In", "Chad", ".", "In", "New", "Zealand", ".")
        assert examples.render() == ["In Chad.", "In New Zealand."]
        assert len(model_output.spans) == 2

    def test_without_predicted_the_most_probable_tag(self) -> None:
        p = [[[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [1, 0, 0]], [[0.2, 0.4, 0.4], [0, 0, 1], [0, 0, 1], [1, 0, 0]]]
        model_output = read(small(predicted=None, classes=[["O", "B-LOC", "I-LOC"]] * 2, p=p))[1]
        assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 0, 3, "LOC")]  # ties to the first class
        np.testing.assert_allclose(model_output.probabilities[:2], [[0.4, 0.6], [0.9, 0.1]])

    def test_probabilities_over_types_with_tags(self) -> None:
        p = [[[0.25, 0.25, 0.5]] * 3, [[0.5, 0.25, 0.25]] * 4]
        model_output = read(small(classes=[["LOC", "PER", "O"]] * 2, p=p))[1]
        assert model_output.classes == ("PER", "LOC", "O")
        assert model_output.probabilities[0].tolist() == [0.25, 0.25, 0.5]
        assert model_output.probabilities[-1].tolist() == [0.25, 0.5, 0.25]
        assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 2, 3, "LOC")]

    def test_missing_cells_of_any_kind(self) -> None:
        for missing in (None, float("nan"), pd.NA, ""):
            tokens = pd.Series([["In", "Chad", "."], missing], dtype=object)
            examples, model_output = read(
                small(tokens=tokens, text=[missing, "In New Zealand."], slot=[missing, [1, 3]])
            )
            assert model_output.offset.tolist() == [0, 3, 7]
            assert read_sentences(examples.texts).slot.tolist() == [-1, -1, -1, -1, 0, 0, -1]

    def test_one_slot_several_or_none(self) -> None:
        examples, _ = read(small(slot=[[1, 2], [[1, 3], [0, 1]]]))
        assert read_sentences(examples.texts).slot.tolist() == [-1, 0, -1, 1, 0, 0, -1]
        examples, _ = read(small(slot=[None, []]))
        assert set(read_sentences(examples.texts).slot.tolist()) == {-1}

    def test_a_sentence_without_words(self) -> None:
        frame = small(tokens=[["In", "Chad", "."], []], tags=[["O", "B-LOC", "O"], []])
        examples, model_output = read(
            frame.assign(predicted=frame["tags"], classes=[["LOC", "O"]] * 2, p=[[[1, 0]] * 3, []])
        )
        assert model_output.offset.tolist() == [0, 3, 3]
        assert reduce_to_outcomes(examples, model_output).correct.tolist() == [[1], [0]]

    def test_tags_that_break_their_scheme_are_repaired_and_counted(self) -> None:
        frame = small(predicted=[["O", "B-LOC", "O"], ["O", "I-LOC", "I-LOC", "O"]], repaired=[2, None])
        model_output = read(frame)[1]
        assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 1, 3, "LOC")]
        assert model_output.repaired.tolist() == [2, 1]


class TestSpansOfCharacters:
    def test_of_the_text_whatever_the_tokens_else_of_the_tokens_with_a_space_between(self) -> None:
        spans = [[{"start": 3, "end": 7, "label": "LOC", "score": 0.9}], [{"start": 3, "end": 14, "label": "LOC"}]]
        frame = small(predicted=None, text=["In Chad.", "In New Zealand."], spans=spans)
        for one in (frame, frame.drop(columns="tokens")):
            examples, model_output = read(one)
            assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 1, 3, "LOC")]
            assert reduce_to_outcomes(examples, model_output).all_correct.all()
        spans = [[], [{"start": 3, "end": 14, "label": "LOC"}, {"start": 15, "end": 16, "label": "PER"}]]
        assert spans_of(read(small(predicted=None, spans=spans))[1]) == [(1, 1, 3, "LOC"), (1, 3, 4, "PER")]

    def test_of_those_that_overlap_the_one_with_the_highest_score_stays(self) -> None:
        scored = [(0, 7, "ORG", 0.2), (3, 7, "LOC", 0.4)]
        spans = [
            [dict(zip(("start", "end", "label", "score"), one, strict=True)) for one in scored],
            [{"start": 3, "end": 6, "label": "PER"}, {"start": 3, "end": 14, "label": "LOC"}],
        ]
        model_output = read(small(predicted=None, spans=spans))[1]
        assert spans_of(model_output) == [(0, 1, 2, "LOC"), (1, 1, 3, "LOC")]
        assert model_output.notes[0] == "2 of the spans overlap another of a higher score, or no word: left out"


class TestNamesOfTypes:
    @sweep(("gold", "predicted", "how", "types"), [
        (["GPE", "PERSON"], ["PERSON", "GPE"], {}, ["PERSON", "GPE"]),
        (["PER", "LOC"], ["PERSON", "GPE", "DRUG", "DATE"], {}, ["PER", "LOC", "DRUG"]),
        (["PER", "DRUG"], ["PERSON", "DRUG"], {}, ["PERSON", "DRUG"]),
        (["PER", "MISC"], ["DRUG", "GPE", "DATE"], {"labels": {"DRUG": "MISC", "GPE": "ORG", "DATE": "O"}},
         ["MISC", "ORG"]),
    ])  # fmt: skip
    def test_names_are_kept_where_the_gold_types_have_them_else_read_as_the_suites_or_as_labels_say(
        self, gold: list[str], predicted: list[str], how: Any, types: list[str]
    ) -> None:
        n = max(len(gold), len(predicted))
        tags, decided = ([[*own, *["O"] * (n - len(own))]] for own in (gold, [f"U-{kind}" for kind in predicted]))
        frame = pd.DataFrame({"group": ["x"], "tokens": [["a"] * n], "tags": tags, "predicted": decided})
        examples, model_output = read(frame, **how)
        assert read_sentences(examples.texts).types == tuple(gold)
        assert [kind for *_place, kind in spans_of(model_output)] == types

    def test_probabilities_follow_their_types(self) -> None:
        p = [[[0.125, 0.25, 0.125, 0.25, 0.25]] * 3, [[0, 0, 0, 0, 1]] * 4]
        frame = small(tags=[["B-PER", "B-LOC", "O"], ["O"] * 4], predicted=None, p=p)
        model_output = read(frame.assign(classes=[["O", "B-GPE", "I-GPE", "U-DATE", "U-PERSON"]] * 2))[1]
        assert model_output.classes == ("PER", "LOC", "O")
        assert model_output.probabilities[0].tolist() == [0.25, 0.375, 0.375]
        assert model_output.notes == ("types of the predictions are read as others: GPE = LOC, DATE = O, PERSON = PER",)

    def test_notes_on_types_that_only_one_side_has(self) -> None:
        gold = [["B-PER", "B-LOC", "O"], ["O"] * 4]
        model_output = read(small(tags=gold, predicted=[["U-DRUG", "U-LOC", "O"], ["O"] * 4]))[1]
        assert model_output.types == ("PER", "LOC", "DRUG")
        assert model_output.notes == (
            "no gold entity is a DRUG",
            "the type PER is never predicted; if the tagger has no such type, give classes=LOC,DRUG",
        )
        assert read(small(tags=gold), classes=["LOC"])[1].types == ("LOC",)

    @sweep(("labels", "message"), [
        ({"GPA": "LOC"}, "the table has no type 'GPA'.\n    Did you mean GPE? Its types: LOC, GPE."),
        ({"GPE": "LOK"}, "labels gives GPE the name 'LOK', which neither the table nor the task has.\n"
         "    Did you mean LOC? Types: PER, LOC, ORG, MISC, GPE, O."),
    ])  # fmt: skip
    def test_labels_that_name_what_is_not_there(self, labels: dict[str, str], message: str) -> None:
        assert refusal(LabelError, read, small(predicted=[["O", "B-GPE", "O"], ["O"] * 4]), labels=labels) == message


class TestTablesOfBothKinds:
    def test_a_taggers_table_is_reported_by_its_lists(self) -> None:
        assert is_tagged(small())
        assert is_tagged(pd.DataFrame({"group": ["a"], "text": ["In Chad"], "spans": ['[{"start": 3}]']}))
        assert not is_tagged(pd.DataFrame({"group": ["a"], "predicted": ["yes"], "tokens": [4], "p": [0.5]}))
        assert not is_tagged(pd.DataFrame({"group": ["a"], "predicted": ["[yes]"], "tags": ["news"]}))

    def test_each_is_read_as_what_it_is(self) -> None:
        [(examples, model_output)] = split_any(small())
        assert (type(model_output), examples.task) == (TokenPredictions, "ner")
        [(examples, decided)] = split_any(pd.DataFrame({"group": ["a"], "predicted": ["yes"]}), classes=["yes", "no"])
        assert (type(decided), decided.classes) == (Predictions, ("yes", "no"))
        with pytest.raises(TableError) as caught:
            list(split_any(pd.DataFrame({"group": ["a"], "tokens": ["In Chad"], "predicted": ["O LOC"]}), task="ner"))
        assert str(caught.value) == (
            "the column tokens of row 1 is 'In Chad'; expected a list.\n"
            '    Write a list of words: ["In", "the", "Gambia"].'
        )


P = [[[0.5, 0.5]] * 3, [[0.5, 0.5]] * 4]
CLASSES = [["LOC", "O"]] * 2
WRONG: list[tuple[pd.DataFrame, str]] = [
    (small(group=["a", ["b"]]), "the column group of row 2 holds a list; expected one text."),
    (small(tokens=[["In", "Chad", "."], None]), "row 2 has neither tokens nor a text."),
    (small(tokens=[["In", "Chad", 1], None]), "the column tokens of row 1 holds 1, which is not a text."),
    (small(text=["In Chad.", "In Newer Zealand ."], tokens=[["In", "Chad", "."], ["In", "New", "Zeeland", "."]]),
     'token 3 of row 2, "Zeeland", is not in its text after "In New".'),
    (small(tags=[["O", "B-LOC", "O"], ["O", "B-LOC", "O"]]), "row 2 has 4 tokens and 3 tags in the column tags."),
    (small(predicted=[["O", "O", "O"], ["O", "B", "I", "O"]]),
     "the column predicted, row 2, token 2: the tag 'B' names no type of entity."),
    (small(predicted=[["O", "U-LOC", "O"], ["O", "B-LOC", "E-LOC", "O"]]),
     "the column predicted, row 2, token 3: the tag 'E-LOC' is not a tag of the scheme BILOU."),
    (small(predicted=[["O", "B-LOC", "O"], ["O", "B-LOK", "O", "O"]], classes=[["O", "B-LOC", "I-LOC"]] * 2),
     "row 2 of the column predicted has a LOK; the classes are O, B-LOC, I-LOC."),
    (small(predicted=None), "the table has no predictions."),
    (small(predicted=[["O", "B-LOC", "O"], None]), "row 2 has no prediction."),
    (small(spans=[None, []]), "row 2 has predicted and spans."),
    (small(p=P), "the table has p and no classes."),
    (small(p=P, classes=[["LOC", "O"], ["O", "LOC"]]), "the classes of row 2 are O, LOC; those of row 1 are LOC, O."),
    (small(p=P, classes=[["O", "O"]] * 2), "the class 'O' appears twice in the column classes."),
    (small(p=[P[0], None], classes=CLASSES), "the p of row 2 has 0 rows of 0 numbers; expected 4 tokens x 2 classes."),
    (small(p=[P[0], [[0.5, 0.5], [1], [1, 0], [1, 0]]], classes=CLASSES),
     "the p of row 2 has 4 rows of 1 or 2 numbers; expected 4 tokens x 2 classes."),
    (small(predicted=None, spans=[[], [{"start": 0, "end": 2}]]),
     "row 2 has the span {'start': 0, 'end': 2}, without a label."),
    (small(p=[P[0], P[0]], classes=CLASSES), "the p of row 2 has 3 rows of 2 numbers; expected 4 tokens x 2 classes."),
    (small(p=[P[0], [[0.5, 0.5], [0.5, 0.75], [1, 1], [1, 0]]], classes=CLASSES),
     'row 2: the p of its token 2, "New", does not sum to 1: LOC=0.5, O=0.75 (2 such tokens).'),
    (small(p=[P[0], [[0.5, 0.5], [0.5, 0.5], [None, 1], [1, 0]]], classes=CLASSES),
     'row 2: the p of its token 3, "Zealand", holds NaN or infinity: LOC=nan, O=1 (1 such tokens).'),
    (small(slot=[[1, 2], [2, 5]]), "the slot [2, 5] of row 2 is not within its 4 tokens."),
    (small(slot=[None, [[0, 1], 2]]), "the slot of row 2 is [[0, 1], 2]."),
    (small(slot=["Chad", None]), "the column slot of row 1 is 'Chad'; expected a list."),
    (small(slot=[None, [[1, 3], [2, 3]]]), "the slots of row 2 overlap: [[1, 3], [2, 3]]."),
    (small(predicted=None, spans=[[], [{"start": 0, "label": "LOC"}]]),
     "row 2 has the span {'start': 0, 'label': 'LOC'}."),
    (small(predicted=None, spans=[[{"start": 3, "end": 10, "label": "LOC"}], []]),
     "row 1 has a span of the characters 3 to 10; its text has 9."),
]  # fmt: skip


@sweep(("frame", "message"), WRONG)
def test_tables_that_are_wrong(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(split_tagged(frame))
    assert (str(caught.value).splitlines()[0], type(caught.value)) == (
        message,
        PredictionError if "the p of its token" in message else TableError,
    )
    assert caught.value.remedy


class TestFilesOfJsonLines:
    def test_a_mark_of_byte_order_windows_lines_and_columns_that_some_lines_lack(self, tmp_path: Path) -> None:
        content = '{"group": "a", "source": 1}\r\n{"group": "b", "source": 2, "term": "caf\u00e9\\u2028"}\r\n'
        (tmp_path / "t.jsonl").write_text(content, encoding="utf-8-sig", newline="")
        frame = read_table(tmp_path / "t.jsonl")
        assert list(frame.columns) == ["group", "source", "term"]
        assert frame["term"].tolist() == [None, "caf\u00e9\u2028"]
        assert set(frame.dtypes.astype(str)) == {"object"}
