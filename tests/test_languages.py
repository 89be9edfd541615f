"""A language from its folder to a saved run: which files are read, what is saved, what is refused."""

import json
from pathlib import Path

import pytest
from command_line import Call
from refusals import refusal

import fairness_checklist as fc
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.errors import ModelError, OptionError, SuiteError
from fairness_checklist.core.locations import display_path
from fairness_checklist.extensions.authoring.lint.linter import lint

ROOT = Path(__file__).resolve().parents[1]
TERMS = """\
term,group,pos,status,pronouns,source,flags
vegano,vegan,adj,accepted,,DLE,thin
vegetariana,vegetarian,noun,accepted,ella,DLE,thin
"""
TEMPLATES = "sentence,label,id\nVi a {the:identity_np}.,neutral,vi-1\n"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user's with one attribute in Spanish."""
    for name, file, text in (("identity_terms", "dieta", TERMS), ("templates", "dieta", TEMPLATES)):
        (tmp_path / name / "es").mkdir(parents=True)
        (tmp_path / name / "es" / f"{file}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_folder_determines_the_language() -> None:
    assert read_terms(ROOT / "identity_terms" / "es" / "gender.csv").language == "es"
    assert read_terms(ROOT / "identity_terms" / "gender.csv").language == "en"
    assert {one.language for one in read_templates(ROOT / "templates" / "es" / "names.csv")} == {"es"}
    assert display_path(ROOT / "templates" / "es" / "names.csv") == "templates/es/names.csv"


def test_a_folder_of_the_users(mine: Path) -> None:
    suite = fc.Suite.build("dieta", terms=mine, language="es")

    assert suite.texts()[-3:] == ["Vi a la persona.", "Vi a la persona vegana.", "Vi a la vegetariana."]
    assert lint(mine) == []
    message = refusal(OptionError, fc.Suite.build, "dieta", terms=mine)
    assert message.splitlines()[0] == "the attribute 'dieta' is not known."


def test_findings_in_a_folder_of_the_users(mine: Path) -> None:
    path = mine / "templates" / "es" / "dieta.csv"
    path.write_text("sentence,id\nVi a el amigo de {the:identity_np}.,t-1\n{A:identity_np} es alto.,t-2\n")

    assert [str(one) for one in lint(mine)] == [
        f"{path}:2: contraction: 'a el' should be 'al': Vi a el amigo de la persona."
    ]


def test_a_language_that_is_not_there() -> None:
    message = "the language 'pt' is not known.\n    Known languages: en (English), es (Spanish)."
    assert refusal(OptionError, fc.Suite.build, "gender", language="pt") == message
    with pytest.raises(OptionError) as error:
        fc.Suite.from_templates(["Vi a {the:identity_np}."], {"a": ["alto"], "b": ["bajo"]}, language="pt")
    assert str(error.value) == message


def test_a_saved_suite_keeps_its_language(tmp_path: Path) -> None:
    suite = fc.Suite.build("gender", language="es", max_terms=2)
    folder = suite.save(tmp_path / "suite")
    again = fc.Suite.load(folder)

    assert again.texts() == suite.texts()
    assert again.parts[0].terms.language == "es"
    assert (folder / "templates" / "es" / "gender.csv").is_file()
    assert json.loads((folder / "suite.json").read_text(encoding="utf-8"))["parts"][0]["language"] == "es"
    (folder / "templates" / "es" / "gender.csv").write_text("sentence\nVi a {the:identity_np}.\n", encoding="utf-8")
    assert refusal(SuiteError, fc.Suite.load, folder) == (
        "suite: templates/es/gender.csv was changed after the suite was saved.\n"
        "    Build the suite anew, or give the files with templates= and terms=."
    )


def test_a_bundled_model_is_not_used_for_spanish() -> None:
    message = refusal(
        ModelError, fc.Suite.build("control_words", language="es", max_terms=1).run, "bundled", progress=False
    )
    assert message == (
        "the model bundled/sentiment-3 reads English, and the suite is in Spanish.\n"
        "    Name a model that reads Spanish."
    )


def test_the_verbs_take_a_language(call: Call) -> None:
    listed = call("list", "attributes", "--language", "es").out.splitlines()
    assert any(line.startswith("gender ") for line in listed)
    shown = call("build", "-a", "gender", "--language", "es", "--groups", "women,men", "--show", "600")
    assert "Un señor" in shown.out
    assert call("build", "-a", "gender", "--language", "es", "--dry-run").out.startswith("4,407 texts")
    assert "es-names-014" in call("list", "templates", "--language", "es", "--attribute", "names").out
