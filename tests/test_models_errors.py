"""What models return, and how their labels are given, where it is wrong: one table, swept by one test a group."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refusal

from fairness_checklist.core.errors import AlignmentError, InputError, LabelError, OptionError, PredictionError
from fairness_checklist.models.labels import match_labels, match_multilabel
from fairness_checklist.models.load import load_model
from fairness_checklist.models.tag_labels import match_tags

TWO: dict[str, Any] = {"classes": ["negative", "positive"]}
TOXIC: dict[str, Any] = {"task": "toxicity"}
MATRIX: dict[str, Any] = {"classes": ["B-PER", "O"]}
SENTIMENT, TOXICITY = ("negative", "neutral", "positive"), ("nontoxic", "toxic")
GOOD = [0.25, 0.75]
NAN = float("nan")


def each(row: Any) -> Callable[[list[str]], Any]:
    """A function that gives each text the same answer."""
    return lambda texts: [row] * len(texts)


def fails(_texts: list[str]) -> Any:
    raise ZeroDivisionError("no luck")


# what is given, the kind of the error, and what its message says
OUTPUTS: list[tuple[Any, type[Exception], str]] = [
    ((lambda texts: [GOOD] * 2, TWO), AlignmentError, "the function f: 2 predictions for 3 examples: row 3 has none."),
    ((each([0.25] * 4), TWO), PredictionError, "4 columns; expected 2: negative, positive."),
    ((lambda texts: np.zeros((3, 2, 2)), TWO), PredictionError, "an array of the shape (3, 2, 2) for 3 texts;"),
    ((each("mixed"), TWO), LabelError, "the function f predicted 'mixed', which is none of its labels."),
    ((each(["positive", "joy"]), TWO), PredictionError, "a list of labels for a text, positive, joy; expected one"),
    ((each(["0", "1"]), TWO), PredictionError, "a list of labels for a text, 0, 1; expected one label, or one"),
    ((each([0.33, 0.66]), TWO), PredictionError, '"Anna is sad.", does not sum to 1: negative=0.33, positive=0.66'),
    ((each([0.7, 0.6]), TWO), PredictionError, '"Anna is sad.", does not sum to 1: negative=0.7, positive=0.6 (3'),
    ((lambda texts: None, TWO), PredictionError, "an array of the shape () for 3 texts; expected (3, classes)."),
    ((lambda texts: [[NAN, 1.0] if "sad" in text else GOOD for text in texts], TWO), PredictionError,
     '"Anna is sad.", holds NaN or infinity: negative=nan, positive=1 (1 such texts in this batch of 3).'),
    ((each([-1.5, 2.5]), TWO), PredictionError, '"Anna is sad.", is not between 0 and 1: negative=-1.5,'),
    ((lambda texts: ([3] * 3, [GOOD] * 3), TWO), LabelError, "the function f predicted 3, which is none of its"),
    ((lambda texts: ([1], [GOOD] * 3), TWO), AlignmentError, "predictions of the shape (1,) for 3 texts."),
    ((lambda texts: (["positive"] * 3, {"s": [0.5]}), TWO), AlignmentError, "scores of the shape (1,) for 3 texts."),
    ((lambda texts: ["positive", None, "positive"], TWO), PredictionError, "no label for 1 of 3 texts."),
    ((each(1), {}), PredictionError, "decisions, the first 1; expected probabilities."),
    ((each(True), {}), PredictionError, "decisions, the first 1; expected probabilities."),
    ((each([0.2] * 5), {}), LabelError, "5 columns without names; it is not known which class each one is."),
    ((each([0.2, 0.3, 0.5]), {}), LabelError, "3 columns without names; it is not known which class each one is."),
    ((each("POS"), {}), LabelError, "labels, the first 'POS'; it is not known which labels it has."),
    ((fails, TWO), PredictionError, 'the function f failed on a batch of 3 texts that starts with "so good":'),
    ((each({"positive": 0.75, "negative": 0.25}), {"classes": ["NEG", "POS"]}), LabelError,
     "numbers under the names positive, negative; expected NEG, POS, by classes= or by the texts before."),
    ((lambda texts: pd.DataFrame({1: [0.75] * 3, 0: 0.25}), TWO), LabelError, "numbers under the names 1, 0;"),
    ((each({"label": "toxic", "score": 0.75}), TOXIC), LabelError, "the best label of each text; expected all of"),
    ((lambda texts: [[{"label": label, "score": 1.0}] for label in ("toxic", "nontoxic", "toxic")], TOXIC), LabelError,
     "the best label of each text; expected all of them."),
    ((each(0.75), {"classes": ["positive", "negative"]}), LabelError, "one number a text, and the order of the"),
    ((each({"obscene": 0.75, "insult": 0.5}), TOXIC), LabelError, "none of the labels obscene, insult is named as a"),
    ((each({"toxic": 1.75, "insult": 0.5}), TOXIC), PredictionError, '"Anna is sad.", is not between 0 and 1:'),
    ((lambda texts: [{"toxic": 0.75}, {"insult": 0.5}, {"toxic": 0.5}], TOXIC), PredictionError,
     '"I met Ben.", holds NaN or infinity: nontoxic=nan, toxic=nan (1 such texts in this batch of 3).'),
    ((lambda texts: {"toxic": 0.5, "insult": 0.5}, TOXIC), PredictionError, "a mapping that does not hold one"),
    ((lambda texts: {"toxic": [0.5]}, TOXIC), AlignmentError, "the function f: 1 predictions for 3 examples: rows 2"),
    ((each({"toxic": object()}), TOXIC), PredictionError, "a list that is no table of numbers."),
    ((each([0.5, 0.75]), {**TOXIC, "labels": {"obscene": "toxic"}}), LabelError, "columns without names, and"),
    ((each([{"label": f"LABEL_{code}", "score": 0.5} for code in "01"]), {**TOXIC, "labels": {1: "toxic"}}), LabelError,
     "labels= names column 1, and the function f gives labels by name: LABEL_0, LABEL_1."),
    ((lambda texts: [[0.5]] * 3 if len(texts) == 1 else [GOOD] * 3, {**TWO, "batch_size": 2}), AlignmentError,
     "the function f: 3 predictions for 2 examples: 1 too many."),
]  # fmt: skip
TAGS: list[tuple[Any, type[Exception], str]] = [
    ((lambda texts: [[], []], {}), AlignmentError, "2 answers for 1 text."),
    ((lambda texts: 0.5, {}), PredictionError, "a float; expected a list, one answer a text."),
    ((0.5, {}), PredictionError, "neither tags, nor spans, nor matrices."),
    (({"O"}, {}), PredictionError, "neither tags, nor spans, nor matrices."),
    (([("PER", 0, 4)], {}), PredictionError, "neither tags, nor spans, nor matrices."),
    (([("Anna", "PER")], {}), PredictionError, "neither tags, nor spans, nor matrices."),
    (([(0, 4, None)], {}), PredictionError, "neither tags, nor spans, nor matrices."),
    ((fails, {}), PredictionError, 'the function f failed on the text "Anna left.": ZeroDivisionError: no luck'),
    ((["O"], {}), AlignmentError, "1 tag for 3 words."),
    ((["O", 1, "O"], {}), PredictionError, "1 among its tags; expected strings."),
    ((["B-LOC", "O", "O"], MATRIX), LabelError, "the tag 'B-LOC', which is none of its classes."),
    ((["B-PROTEIN", "O", "O"], {}), LabelError, "types PROTEIN match none of the suite's PER, LOC, ORG, MISC."),
    (([(0, 4, "LOC")], {"classes": ["PER", "ORG"]}), LabelError, "the label 'LOC', which is none of its classes."),
    (([(0, 99, "PER")], {}), PredictionError, "a span from 0 to 99; the text has the characters 0 to 10."),
    (([{"entity_group": "PER", "start": None, "end": None}], {}), PredictionError, "{'entity_group': 'PER',"),
    (([[1.0]] * 3, {}), LabelError, "probabilities, and it is not known what their columns are."),
    (([[1.0]] * 3, MATRIX), PredictionError, "a matrix of the shape (3, 1); expected 3 words x 2 classes: B-PER, O."),
    (([[0.5, 0.5]], MATRIX), AlignmentError, "a matrix of the shape (1, 2); expected 3 words x 2 classes: B-PER, O."),
    (([[0.5, 0.5]] * 3, {"classes": ["PER", "LOC"]}), LabelError, "probabilities, and none of its classes PER, LOC"),
    (([[NAN, 1.0]] * 3, MATRIX), PredictionError, "row 1 of what the function f returned holds NaN or infinity:"),
    (([[0.5, 0.25]] * 3, MATRIX), PredictionError, "row 1 of what the function f returned does not sum to 1:"),
    (([["a", "b"], [0.5, 0.5], [0.5, 0.5]], MATRIX), PredictionError, "neither tags, nor spans, nor matrices."),
    (([], {"labels": ["PER"]}), LabelError, "labels=['PER'] is no mapping from the function's types to those of the"),
    (([], {"labels": {"GPE": "PLACE"}}), LabelError, "the suite has no type 'PLACE'."),
    (([], {"max_length": 8, "dtype": "float16"}), OptionError, "dtype=, max_length= belong to a transformers model,"),
    (([], {"scheme": "BIOU"}), OptionError, "the tag scheme 'BIOU' is not known."),
]
LABELS: list[tuple[Any, type[Exception], str]] = [
    ((["LABEL_0", "LABEL_1"], None), LabelError, "labels LABEL_0, LABEL_1 match none of the task's classes"),
    ((["negative", "mixed", "positive"], None), LabelError, "label mixed matches none of the task's classes"),
    ((["nontoxic", "toxic"], None), LabelError, "labels nontoxic, toxic match none of the task's classes negative,"),
    ((["negative", "neutral"], None), LabelError, "none of the model's labels negative, neutral belongs to the"),
    ((["LABEL_0", "LABEL_1"], {"LABEL_0": "negative", "LABEL_2": "positive"}), LabelError,
     "labels names the label LABEL_2, which the model does not have; its labels are LABEL_0, LABEL_1."),
    ((["LABEL_0", "LABEL_1"], {0: "negative", 2: "positive"}), LabelError, "labels names the label 2, which the"),
    ((["LABEL_0", "LABEL_1"], {"LABEL_0": "negativ", "LABEL_1": "positive"}), LabelError, "the label LABEL_0 is"),
    ((["LABEL_0", "LABEL_1"], {"LABEL_0": "negative", "LABEL_1": "negative"}), LabelError,
     "none of the model's labels LABEL_0, LABEL_1 belongs to the class positive of the task (negative,"),
    ((["LABEL_0", "LABEL_1"], ["negative", "neutral", "positive"]), LabelError, "3 classes are given for the"),
    ((["LABEL_0", "LABEL_1"], "positive"), LabelError, 'labels="positive" is one word; expected a mapping from the'),
    ((["LABEL_0", "LABEL_1"], ["LABEL_0", "LABEL_1"]), LabelError, "labels= lists the model's own labels LABEL_0,"),
    ((["negative", "positive", "positive"], None), LabelError, "the label positive appears twice among the labels"),
    ((["neg", "pos"], ["positive", "negative"]), LabelError, "neg is given the class positive, and pos the class"),
    ((["true", "false"], {"0": "negative", "1": "positive"}), LabelError, "labels names the label 0, which the"),
    (([f"LABEL_{code}" for code in range(12)], None), LabelError, "labels LABEL_0, LABEL_1, LABEL_2, LABEL_3,"),
]  # fmt: skip
TAG_LABELS: list[tuple[Any, type[Exception], str]] = [
    ((("O", "B-PER", "I-PER"), {"labels": ["O"]}), LabelError, "1 tags are given for the model's 3 labels O, B-PER,"),
    ((("O", "B-PER"), {"labels": "LOC"}), LabelError, 'labels="LOC" is one word; expected a mapping from the'),
    ((("B-PER", "I-PER"), {}), LabelError, "none of the tagger's labels B-PER, I-PER stands for words outside of"),
    ((("O",), {}), LabelError, "labels O name no type of entity."),
    ((("O", "O"), {}), LabelError, "the label O appears twice among the labels O, O; expected each once."),
    ((("O", "B-PROTEIN"), {}), LabelError, "types PROTEIN match none of the suite's PER, LOC, ORG, MISC."),
    ((("O", "B", "I"), {}), LabelError, "labels B, I name no type of entity."),
    ((("S", "E", "O", "B", "M"), {}), LabelError, "labels S, E, B, M name no type of entity."),
    ((("O", "0", "1"), {"labels": {"1": "PER"}}), LabelError, "labels 0, 1 name no type of entity."),
    ((("O", "B-PER", "E-PER"), {"scheme": "BILOU"}), LabelError, "the tag 'E-PER' is not a tag of the scheme BILOU."),
    ((("LABEL_0", "LABEL_1"), {}), LabelError, "labels LABEL_0, LABEL_1 do not identify entity types; expected tags"),
    ((("O", "B-PER", "X"), {}), LabelError, "labels X have no prefix, and others have one, as B-PER."),
    ((("O", "B-PER"), {"labels": {"GPE": "LOC"}}), LabelError, "the tagger has no type 'GPE'."),
]


# labels that do not exclude each other: names, classes, labels=
MULTILABEL: list[tuple[Any, type[Exception], str]] = [
    ((("NEGATIVE", "POSITIVE"), SENTIMENT, None), LabelError, "the labels NEGATIVE, POSITIVE has a probability"),
    ((("toxic", "nontoxic"), TOXICITY, None), LabelError, "each of the labels toxic, nontoxic has a probability"),
    ((("obscene", "hate"), TOXICITY, None), LabelError, "none of the labels obscene, hate is named as a class"),
    ((("joy", "calm"), SENTIMENT, {"calm": "neutral"}), LabelError, "the labels joy, calm has a probability by itself"),
]


def predict_classes(case: Any) -> None:
    model, options = case
    load_model(model, name="f", **options).predict(["Anna is sad.", "I met Ben.", "so good"])


def predict_tags(case: Any) -> None:
    answer, options = case
    model = answer if callable(answer) else each(answer)
    load_model(model, task="ner", name="f", **options).predict(["Anna left."])


TABLES: dict[str, tuple[Callable[[Any], Any], list[tuple[Any, type[Exception], str]]]] = {
    "outputs": (predict_classes, OUTPUTS),
    "outputs of taggers": (predict_tags, TAGS),
    "labels": (lambda case: match_labels(case[0], SENTIMENT, case[1]), LABELS),
    "labels of taggers": (lambda case: match_tags(case[0], ("PER", "LOC", "ORG", "MISC"), **case[1]), TAG_LABELS),
    "multi-label": (lambda case: match_multilabel(*case), MULTILABEL),
}


@pytest.mark.parametrize("table", TABLES)
def test_what_is_wrong_is_said(table: str) -> None:
    call, cases = TABLES[table]
    for case, kind, message in cases:
        with pytest.raises(InputError) as caught:
            call(case)
        first, _, remedy = str(caught.value).partition("\n    ")
        assert isinstance(caught.value, kind), message
        assert message in first
        assert remedy.endswith((".", "?")) or "appears twice" in first, message


REMEDIES: list[tuple[Callable[[], Any], str]] = [
    (lambda: match_labels(["LABEL_0", "tone_positive"], SENTIMENT),
     'Give the class of each label: labels={"LABEL_0": "CLASS", "tone_positive": "positive"}; see the model\'s '
     "card."),
    (lambda: match_labels(["nontoxic", "toxic"], SENTIMENT),
     'They are classes of the task toxicity: task="toxicity"; or map each label: labels=.'),
    (lambda: match_labels(["a", "b"], SENTIMENT, {"a": "negativ", "b": "positive"}), "Did you mean negative?"),
    (lambda: match_tags(("O", "B", "I"), ("PER", "LOC")),
     'Add the type that it finds, PER for instance: labels={"B": "B-PER", "I": "I-PER"}.'),
    (lambda: match_tags(("O", "0", "1"), ("PER", "LOC"), {"1": "PER"}),
     'Add the type that it finds, PER for instance: labels={"0": "B-PER", "1": "I-PER"}.'),
    (lambda: match_tags(("O", "B-PER", "I-PER", "X", "[CLS]"), ("PER", "LOC")),
     'Give their meaning: labels={"X": "O", "[CLS]": "O"}; or, if all are types, scheme="plain".'),
    (lambda: match_tags(("LABEL_0", "LABEL_1"), ("PER", "LOC")),
     'Give their meaning: labels={"LABEL_0": "O", "LABEL_1": "B-PER"}. See the model\'s card.'),
    (lambda: load_model(each([0.2, 0.3, 0.5]), name="f").predict(["a"]),
     'Name the columns: for instance classes=["negative", "neutral", "positive"], in the order of the columns.\n'
     '    Or return them by name, {"negative": [...], ...}; of a scikit-learn estimator give the estimator.'),
    (lambda: load_model(each([0.33, 0.66]), **TWO).predict(["a"]),
     "The probabilities look rounded: give them with more digits, or divide each row by its sum."),
]  # fmt: skip


def test_remedies_can_be_followed() -> None:
    for call, remedy in REMEDIES:
        assert refusal(InputError, call).partition("\n    ")[2] == remedy


def test_labels_without_a_prefix_are_outside_where_it_is_said() -> None:
    reported = match_tags(["O", "B-PER", "I-PER", "X", "[CLS]"], ("PER", "LOC"), {"X": "O", "[CLS]": "O"})
    assert (reported.types, reported.tags.scheme, reported.outside_label) == (("PER",), "IOB2", 0)
    assert reported.sum_by_type(np.array([[0.25, 0.25, 0.125, 0.25, 0.125]])).tolist() == [[0.375, 0.625]]
