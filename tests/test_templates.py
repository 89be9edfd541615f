"""Template files, and which of them serve an attribute."""

from pathlib import Path

import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.templates import Template, load_templates, read_templates


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_empty_cells_have_defaults_and_ids_count_rows(tmp_path: Path) -> None:
    text = "\ufeffsentence;label;symmetric;id;about\n{Person} won, again.;positive;no;w;person\n\n{Person} sat.;;;;\n"
    path = write(tmp_path / "names.csv", text)

    assert read_templates(path) == (
        Template("w", "{Person} won, again.", "positive", symmetric=False, about="person"),
        Template("names-002", "{Person} sat."),
    )
    assert read_templates(path)[1].place == f"{tmp_path}/names.csv:4"


@sweep(("text", "message"), [
    ("sentence\n", "t.csv: the file holds no template.\n    Add a row with a sentence."),
    ("zzz,label\n", "t.csv:1: the column 'zzz' is not known.\n    Known columns: id, sentence, label,"),
    ("sentence,label\n,positive\n", "t.csv:2: the sentence is empty.\n    Write a sentence with a slot."),
    ("sentence,label\n{Person} won.,postive\n", "t.csv:2: the label 'postive' is not known.\n    Did you mean"),
    ("sentence,task\n{Person} won.,sentimental\n", "t.csv:2: the task 'sentimental' is not known.\n    Did you"),
    ("sentence,about\n{Person} won.,me\n", "t.csv:2: the value of about 'me' is not known.\n    Known: (empty),"),
    ("sentence,symmetric\n{Person} won.,maybe\n", "t.csv:2: the value of symmetric 'maybe' is not known."),
    ("sentence,id\n{Person} won.,a\n{Person} sat.,a\n", "t.csv:3: the id 'a' is already that of t.csv:2."),
    ("sentence,label\nWell, {person} won.,positive\n", "t.csv:2: the row has 3 cells; expected 2: sentence,label."),
])  # fmt: skip
def test_bad_files_are_refused_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "t.csv", text)
    assert refusal(fc.errors.TemplateError, read_templates, path).replace(str(path), "t.csv").startswith(message)


def test_an_attribute_has_the_generic_templates_and_its_own() -> None:
    gender = load_templates("sentiment", "gender")

    assert {one.id.partition("-")[0] for one in gender} == {"generic", "gender"}
    assert [one.attribute for one in gender] == sorted(one.attribute for one in gender)
    assert load_templates("sentiment", "gender.czarnowska2021") == gender
    assert {one.attribute for one in load_templates("sentiment", "names")} == {"", "names"}


def test_a_users_files_extend_shipped_ones_and_replace_by_id(tmp_path: Path) -> None:
    ours = load_templates("sentiment", "gender")
    write(tmp_path / "gender.csv", f"sentence,id\nI know {{a:identity_np}}.,{ours[-1].id}\nI met {{a:identity_np}}.,\n")
    write(tmp_path / "shop.csv", "sentence,attribute\nI saw {a:identity_np}.,\nI saw {person}.,names\n")
    write(tmp_path / "names.csv", "sentence\nI saw {person}.\n")
    templates = load_templates("sentiment", "gender", extra=tmp_path)

    assert [one.id for one in templates] == [*(one.id for one in ours), "user-gender-002", "shop-001"]
    assert templates[len(ours) - 1].text == "I know {a:identity_np}."
    assert templates[-2].attribute == "gender"
    assert templates[-1].attribute == ""


def test_unknown_tasks_and_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(fc.errors.OptionError) as error:
        load_templates("sentimnt", "gender")
    assert (
        str(error.value) == "the task 'sentimnt' is not known.\n"
        "    Did you mean sentiment? Known tasks: sentiment, toxicity, ner."
    )

    with pytest.raises(fc.errors.OptionError) as error:
        load_templates("sentiment", "gender", extra=tmp_path / "no.csv")
    assert str(error.value) == f"'{tmp_path}/no.csv' does not exist.\n    Give a CSV file or a folder of templates."


def test_characters_that_do_not_show_are_refused_in_templates(tmp_path: Path) -> None:
    path = tmp_path / "gender.csv"
    remedy = "    Remove it: it does not show in a sentence, and a model reads it."
    path.write_text('sentence\n{A:identity_np} won.\n"{A:identity_np}\nlo\0st."\n', encoding="utf-8")
    assert refusal(fc.errors.TemplateError, read_templates, path) == (
        f"{path}:3: the sentence '{{A:identity_np}}\\nlo\\x00st.' holds U+0000 (NUL) at character 19.\n{remedy}"
    )
    with pytest.raises(fc.errors.TemplateError) as in_memory:
        fc.Suite.from_templates(["{A:identity_np} w\u200bon."], terms={"a": ["deaf"], "b": ["hearing"]})
    assert str(in_memory.value) == (
        "template-001: the template '{A:identity_np} w\\u200bon.' holds U+200B (ZERO WIDTH SPACE) at character 18.\n"
        f"{remedy}"
    )
    with pytest.raises(fc.errors.SuiteError) as in_list:
        fc.Suite.from_templates(
            ["{A:identity_np} left {city}."], terms={"a": ["deaf"], "b": ["hearing"]}, lists={"city": ["Ro\u202eme"]}
        )
    assert str(in_list.value) == (
        f"the value of the list 'city': 'Ro\\u202eme' holds U+202E (RIGHT-TO-LEFT OVERRIDE) at character 3.\n{remedy}"
    )
