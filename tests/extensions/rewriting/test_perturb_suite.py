"""Suites of a user's own texts: what is read, what the metrics against the text itself give, and the command line."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sweep import sweep
from typer.testing import CliRunner

import fairness_checklist as fc
from fairness_checklist.cli.app import app
from fairness_checklist.extensions.rewriting.suite_from_texts import read_texts

TEXTS = ["A man sold me his car.", "The woman was rude.", "She never called.", "Oh boy, it rained."]
LABELS = ["neutral", "negative", "negative", "positive"]
TWO: dict[str, Any] = {"groups": ["women", "men"], "terms": ["woman", "lady", "man"]}


def suite(**options: Any) -> fc.Suite:
    return fc.Suite.from_texts(TEXTS, "gender", labels=LABELS, **{**TWO, **options})


def model(texts: Sequence[str]) -> list[list[float]]:
    """Probabilities that depend on each letter."""
    shares = np.array([[len(text) % 7 + 1, sum(map(ord, text)) % 11 + 1, text.count("e") + 1] for text in texts])
    predictions: list[list[float]] = (shares / shares.sum(axis=1, keepdims=True)).tolist()
    return predictions


def test_each_source_is_the_text_itself_and_then_all_terms_and_is_what_they_are_compared_with() -> None:
    table = suite().to_frame()
    assert table[["source", "group", "term", "text", "label"]].values.tolist()[:8] == [
        ["1", "unmarked", "", "A man sold me his car.", "neutral"],
        ["1", "women", "woman", "A woman sold me her car.", "neutral"],
        ["1", "women", "lady", "A lady sold me her car.", "neutral"],
        ["1", "men", "man", "A man sold me his car.", "neutral"],
        ["2", "unmarked", "", "The woman was rude.", "negative"],
        ["2", "women", "woman", "The woman was rude.", "negative"],
        ["2", "women", "lady", "The lady was rude.", "negative"],
        ["2", "men", "man", "The man was rude.", "negative"],
    ]
    assert table["text"].tolist()[8:] == ["She never called.", "She never called.", "He never called."]
    assert table["term"].tolist()[8:] == ["", "she", "he"]
    assert suite().dropped.values.tolist() == [["gender", "4", "it mentions no term unambiguously"]]
    result = suite().run(model, classes=["negative", "neutral", "positive"], progress=False, draws=0)
    metrics, checks = result.metrics, result.checks
    assert checks.loc[checks["type"] == "INV", "note"].iloc[0].startswith("reference: the unmarked control in 3 of 3")
    assert set(metrics[metrics["metric"].isin(["cf_gap_unmarked", "pert_ss_unmarked"])]["n"]) == {3}


def test_tables_and_files_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["x", "y"], "text": TEXTS[:2], "label": [1, 0], "more": ["", ""]})
    frame.to_csv(tmp_path / "texts.csv", index=False)
    frame.to_parquet(tmp_path / "texts.parquet", index=False)
    lines = [
        read_texts(given, {"1": "positive", "0": "negative"}, task="sentiment")
        for given in (frame, tmp_path / "texts.csv", str(tmp_path / "texts.parquet"))
    ]
    assert lines[0] == lines[1] == lines[2]
    assert [(line.id, line.label) for line in lines[0]] == [("x", "positive"), ("y", "negative")]
    numbers = read_texts(frame, {1: "positive", 0: "negative"}, task="sentiment")  # type: ignore[dict-item]
    assert numbers == lines[0]
    missing = read_texts(TEXTS[:2], ["positive", float("nan")], task="sentiment")  # type: ignore[list-item]
    assert [line.label for line in missing] == ["positive", ""]


def test_a_word_has_at_most_so_many_terms() -> None:
    deaf = [{"term": term, "lemma": "deaf"} for term in ("deaf", "hard-of-hearing")]
    given = ["A deaf person sold it."], "ears"
    one, both = (
        fc.Suite.from_texts(*given, terms={"deaf": deaf, "hearing": ["hearing"]}, terms_per_lexeme=n) for n in (1, None)
    )
    assert both.texts()[1:] == [f"A {word} person sold it." for word in ("deaf", "hard-of-hearing", "hearing")]
    assert one.texts()[1:] == [f"A {word} person sold it." for word in ("deaf", "hearing")]


CLASSES = "negative, neutral, positive"


NOT_A_SUITE: list[tuple[Any, dict[str, Any], str]] = [
    (pd.DataFrame({"t": ["a"]}), {}, "the table has no column text.\n    Its columns are t."),
    ([], {}, "there are no texts.\n    Give one at least: a text a row in the column text."),
    (pd.DataFrame({"text": ["a", "b"], "id": ["x", "x"]}), {}, "the id 'x' appears 2 times.\n    Give each text its"),
    (pd.DataFrame({"text": ["a"], "id": [""]}), {}, "the id '' is empty.\n    Give each text its own id, or leave the"),
    (["a"], {"labels": ["negative", "positive"]}, "there are 2 labels for 1 texts.\n    Give one per text, or none."),
    (["a"], {"labels": ["postive"]},
     f"the label of row 1 is 'postive', which is not a class of the task sentiment: {CLASSES}.\n"
     '    Did you mean positive? Correct it, or map it to a class: labels={"postive": "CLASS"}.'),
    (TEXTS, {"task": "ner"}, "the task ner needs gold entities, which texts given by the user do not have.\n    Take"),
    (TEXTS, {"attribute": "gender+age"}, "the intersection gender+age is of templates; a text is rewritten for one"),
    (["Oh boy.", "It rained."], {}, "none of the texts can be a source for gender.\n"
     "    2 of 2: it mentions no term unambiguously.\n    Fewer groups leave more texts: groups=."),
]  # fmt: skip


@sweep(("given", "options", "message"), NOT_A_SUITE)
def test_what_cannot_be_a_suite_is_reported(given: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.errors.InputError) as caught:
        fc.Suite.from_texts(given, **{"attribute": "gender", **TWO, **options})
    assert str(caught.value).startswith(message)


def test_terms_for_minors_are_in_no_hostile_text() -> None:
    texts, both = ["A girl came in.", "A woman came in."], ["women", "men"]
    hostile = fc.Suite.from_texts(texts, "gender", groups=both, task="toxicity")
    assert not {"A girl came in.", "A boy came in."} & set(hostile.texts())
    assert hostile.dropped["template"].tolist() == ["1"]
    assert "A boy came in." in fc.Suite.from_texts(texts, "gender", groups=both).texts()


def test_no_word_of_a_text_is_kept_where_texts_are_not(tmp_path: Path) -> None:
    texts = [*TEXTS, "Zebulon said she would call.", "A pregnant woman came."]
    result = fc.Suite.from_texts(texts, "gender", **TWO).run(
        model, classes=["negative", "neutral", "positive"], progress=False, draws=0
    )
    result.save(tmp_path / "run", text=False)
    kept = (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    assert "Zebulon" not in kept
    assert "pregnant" not in kept
    described = json.loads(kept)["suite"][0]
    assert described["texts_given"] == 6
    assert described["texts_left_out"] == {
        "it mentions no term unambiguously": 1,
        "a pronoun in it may refer to another person": 1,
        "a word in it implies one sex": 1,
    }


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    pd.DataFrame({"text": TEXTS, "label": LABELS}).to_csv(tmp_path / "texts.csv", index=False)
    return tmp_path / "texts.csv"


def test_perturb_writes_texts_and_what_was_left_out(texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--attribute", "gender", "--groups", "women,men", "--terms", "woman,lady,man", "--out", str(out)]
    done = CliRunner().invoke(app, ["perturb", str(texts), *options], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.output == (
        "Suite for sentiment: gender: 3 sources x 3 terms of 2 groups, 11 texts\n"
        "  A man sold me his car.\n    woman: A woman sold me her car.\n"
        "  The woman was rude.\n    lady: The lady was rude.\n"
        "  She never called.\n    he: He never called.\n"
        "Texts left out: 1 of 4 (25%): it mentions no term unambiguously\n"
        f"Tables in {out}: left_out.csv, texts.csv, perturb.json\n"
    )
    assert json.loads((out / "perturb.json").read_text("utf-8"))["share_left_out"] == 0.25
    assert len(pd.read_csv(out / "texts.csv")) == 11


WRONG_CALLS: list[tuple[list[str], str]] = [
    (["perturb", "--out", "FOLDER"],
     "the folder NAME holds something else than an answer of perturb.\n    Name another folder."),
    (["run", "--dry-run", "--templates", "generic", "--texts"],
     "--templates selects templates, and --texts replaces them.\n    Leave out --templates."),
]  # fmt: skip


def test_run_takes_texts_and_wrong_calls_are_errors(texts: Path, tmp_path: Path) -> None:
    options = ["--attribute", "gender", "--groups", "women,men"]
    done = CliRunner().invoke(app, ["run", "--texts", str(texts), *options, "--dry-run"], catch_exceptions=False)
    assert " of them different.\nThe model takes about " in done.output
    for arguments, message in WRONG_CALLS:
        words = [str(tmp_path) if word == "FOLDER" else word for word in arguments]
        with pytest.raises(fc.errors.OptionError) as caught:
            CliRunner().invoke(app, [*words, str(texts), *options], catch_exceptions=False)
        assert str(caught.value) == message.replace("NAME", tmp_path.name)
    with pytest.raises(fc.errors.SuiteError) as not_saved:
        suite().save(tmp_path / "s")
    assert str(not_saved.value) == "a suite of texts has no templates to save.\n    Keep the texts and build it anew."
