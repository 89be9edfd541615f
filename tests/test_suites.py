"""Building suites: what is chosen, what is added, what is dropped, and that a saved suite gives the same texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Call
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.grammar.language import profane_words
from fairness_checklist.content.term_files import attributes

HEARING = {"deaf": ["deaf"], "hearing": ["hearing"]}
TERMS = "term,group,pos\ndeaf,deaf,adj\nhearing,hearing,adj\n"
TEMPLATES = "sentence,label\n{A:identity_np} won the prize.,positive\nWe met {a:identity.guide}.,neutral\n"


def own_folder(folder: Path, terms: str = TERMS, templates: str | None = TEMPLATES) -> Path:
    """A folder with an attribute of one's own, "hearing"."""
    for name, content in (("identity_terms", terms), ("templates", templates)):
        if content is not None:
            (folder / name).mkdir(parents=True)
            (folder / name / "hearing.csv").write_text(content, encoding="utf-8")
    return folder


def terms_of(suite: fc.Suite) -> list[tuple[str, str]]:
    return [(term.group, term.term) for term in suite.parts[0].terms.terms]


def templates_of(suite: fc.Suite) -> list[str]:
    return [template.id for template in suite.parts[0].templates]


def test_groups_a_number_of_terms_and_templates_are_chosen() -> None:
    chosen: dict[str, Any] = {"groups": ["women", "men"], "max_terms": 2}
    suite = fc.Suite.build("gender", templates=["generic-072"], **chosen)
    assert terms_of(suite) == [("women", "mother"), ("women", "grandmother"), ("men", "father"), ("men", "grandfather")]
    who = [text.removeprefix("Participant B is a ").partition(" and ")[0] for text in suite.texts()]
    assert who == ["mother", "grandmother", "father", "grandfather"]
    for ids, kept in (
        (["generic-00[12]", "gender-002"], ["generic-001", "generic-002", "gender-002"]),
        ("generic-00*", [f"generic-00{n}" for n in range(1, 10)]),
    ):
        assert templates_of(fc.Suite.build("gender", templates=ids, **chosen)) == kept


def test_a_folder_adds_an_attribute_with_its_templates(tmp_path: Path) -> None:
    folder = own_folder(tmp_path / "mine")
    suite = fc.Suite.build("hearing", terms=folder)

    assert suite.parts[0].terms.groups == ("deaf", "hearing")
    assert templates_of(suite)[-2:] == ["hearing-001", "hearing-002"]
    assert suite.texts()[-3:] == ["We met a guide.", "We met a deaf guide.", "We met a hearing guide."]
    assert fc.Suite.build("hearing", terms=str(folder)).texts() == suite.texts()


def test_a_mapping_adds_groups_and_terms_to_shipped_ones() -> None:
    suite = fc.Suite.build(
        "gender",
        terms={"women": ["businesswoman"], "bosses": [{"term": "boss", "pos": "noun"}]},
        groups=["women", "bosses"],
        templates=[fc.Template("hit", "{A:identity_np} won.", "positive")],
    )

    assert suite.parts[0].terms.groups == ("women", "bosses")
    assert {("women", "woman"), ("women", "grandmother"), ("bosses", "boss")} <= set(terms_of(suite))
    assert "A boss won." in suite.texts()


def test_terms_of_all_kinds_fill_one_generic_template() -> None:
    terms: dict[str, Any] = {
        "epilepsy": ["epileptic", "with epilepsy", fc.IdentityTerm("epilepsy patient", "", pos="noun")],
        "cold": ["with a cold", {"term": "cold patient", "pos": "noun", "plural": "cold patients"}],
    }
    suite = fc.Suite.from_templates(["{A:identity_np} met {identity_pl}; one {is:identity}."], terms, label="neutral")

    assert suite.attributes == ("identity",)
    assert suite.texts() == [
        "An epileptic person met epileptic people; one is epileptic.",
        "A person with epilepsy met people with epilepsy; one has epilepsy.",
        "An epilepsy patient met epilepsy patients; one is an epilepsy patient.",
        "A person with a cold met people with colds; one has a cold.",
        "A cold patient met cold patients; one is a cold patient.",
    ]


def test_templates_come_as_sentences_dictionaries_records_and_files(tmp_path: Path) -> None:
    file = own_folder(tmp_path) / "templates" / "hearing.csv"
    sentence = "{A:identity_np} won the prize."
    expected = ["Someone won the prize.", "A deaf person won the prize.", "A hearing person won the prize."]

    one, several = (sentence, {"sentence": sentence}, fc.Template("one", sentence)), ([sentence], [{"text": sentence}])
    for given in (*one, *several, iter([sentence])):
        assert fc.Suite.from_templates(given, HEARING).texts() == expected
    for path in (file, str(file)):
        assert fc.Suite.from_templates(path, HEARING).texts()[:3] == expected


def test_the_label_is_for_templates_that_bring_none(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("sentence,label\n{A:identity_np} won.,positive\n{A:identity_np} sat.,\n", encoding="utf-8")

    listed: list[str | dict[str, str]] = [{"text": "{A:identity_np} won.", "label": "positive"}, "{A:identity_np} sat."]
    for given in (file, listed):
        suite = fc.Suite.from_templates(given, HEARING, label="neutral")
        assert [template.label for template in suite.parts[0].templates] == ["positive", "neutral"]
        for labels in (["negative", ""], ("negative", "neutral"), np.array(["", "negative"])):
            several = fc.Suite.from_templates(given, HEARING, label=labels)
            assert [template.label for template in several.parts[0].templates] == ["positive", labels[1]]


def test_shipped_templates_and_those_of_the_user_are_told_apart(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    rows = "sentence,label,id\n{A:identity_np} won.,positive,\n{A:identity_np} sat.,neutral,mine-2\n"
    (tmp_path / "mine" / "generic.csv").write_text(rows, encoding="utf-8")
    own = fc.Suite.build("hearing", terms=HEARING, templates=tmp_path / "mine")

    assert repr(own).startswith("<Suite for sentiment: hearing: 92 sources (templates: 90 shipped and 2 of yours) x 2")
    assert " of yours" not in repr(fc.Suite.build("hearing", terms=HEARING))
    chosen = fc.Suite.build("hearing", terms=HEARING, templates=[tmp_path / "mine", "user-*", "mine-2", "generic-003"])
    assert chosen.parts[0].origin == "1 shipped and 2 of yours"
    options = "-a gender --max-terms 1 --templates ./mine --model bundled/sentiment --dry-run"
    assert "Templates of gender: 114 shipped and 2 of yours." in call("run", *options.split()).err


@sweep("wrong", ["t-001", "t-03", "gender-1"])
def test_a_rewording_of_itself_or_of_nothing_is_refused_with_its_line(wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"sentence,rewords\n{{A:identity_np}} won.,{wrong}\n{{A:identity_np}} sat.,\n", encoding="utf-8")
    what = "names the template itself, 't-001'." if wrong == "t-001" else f"is {wrong!r}, which is no id of a template."
    remedy = "Name the id of the original, and leave rewords empty for a template that rewords no other."
    for make in (lambda: fc.Suite.from_templates(file, HEARING), lambda: fc.Suite.build("age", templates=file)):
        lines = refusal(fc.errors.TemplateError, make).split("\n")
        assert lines[0] == f"{file}:2: rewords {what}"
        assert lines[1].strip().endswith(remedy)
    file.write_text("sentence,rewords\n{A:identity_np} won.,gender-002\n", encoding="utf-8")
    assert fc.Suite.build("age", templates=file).parts[0].origin.endswith(" of yours")  # of another attribute's file


def test_templates_for_other_terms_are_no_part_and_counted_and_kept(tmp_path: Path) -> None:
    suite = fc.Suite.build("names", max_terms=1)
    [part] = suite.parts
    [loaded] = fc.Suite.load(suite.save(tmp_path / "names")).parts

    assert len(part.not_applicable) == part.describe()["templates_for_other_terms"] == 90
    assert not set(part.not_applicable) & {template.id for template in part.templates}
    assert loaded.not_applicable == part.not_applicable


@sweep(("options", "message"), [
    ({"attribute": "gendr"}, "the attribute 'gendr' is not known.\n"
     f"    Did you mean gender? Known attributes: {', '.join(attributes())}. A file gendr.csv in a folder of "
     "yours adds it."),
    ({"attribute": ["names", "names"]}, "names, names names an attribute twice.\n    Name each once."),
    ({"terms": ["wooman"]}, "gender: the term 'wooman' is not known.\n    Did you mean woman?"),
    ({"task": "toxicity", "terms": ["girl", "woman", "man"]},
     "the term 'girl' means a minor; such terms are excluded from hostile sentences.\n    Leave it out for the task "
     "toxicity."),
    ({"templates": ["gender-1"]}, "'gender-1' is not a template or set of templates of gender.\n    Did"),
    ({"templates": "nowhere.csv"}, "'nowhere.csv' does not exist.\n    Give a CSV file or a folder of"),
    ({"terms": Path("nowhere")}, "'nowhere' does not exist.\n    Give a CSV file or a folder of identity_terms."),
    ({"terms": ["woman", "mine.csv"]}, "woman, mine.csv mixes names (woman) and paths (mine.csv).\n    Give either"),
    ({"lists": {"city": []}}, "the list 'city' is empty.\n    Give it at least one value, or leave it out."),
])  # fmt: skip
def test_what_cannot_be_built_has_the_full_message(options: dict[str, Any], message: str) -> None:
    assert refusal(fc.InputError, fc.Suite.build, **{"attribute": "gender", **options}).startswith(message)


def test_a_chosen_template_that_is_not_for_the_attribute_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    rows = "{A:identity_np} won.,a,caste,\n{A:identity_np} sat.,b,,gender\n"
    file.write_text(f"sentence,id,except_groups,only\n{rows}", encoding="utf-8")
    for name in "ab":
        assert refusal(fc.InputError, fc.Suite.build, "caste", templates=[file, name]).startswith(
            f"the template {name!r} is not filled with caste: its columns except_groups and only say so."
        )


@sweep(("templates", "terms", "options", "message"), [
    ([], HEARING, {}, 'no templates are given.\n    Give sentences with a slot: ["I met {a:identity_np}."].'),
    ("A guide.", HEARING, {}, "the template cannot be filled by every group of 'identity'.\n    template-001:"),
    (["A {identity_adj} guide.", "A guide."], {"a": ["deaf"], "b": ["with a cold"]}, {},
     "none of the 2 templates can be filled by every group of 'identity'.\n    template-001: no term of"),
    (["{person} left {country}."], {"a": ["Zed"], "b": ["Ben"]}, {"task": "ner"},
     "the template cannot be filled by every group of 'identity'.\n"
     "    template-001: it has no slot that these terms fill (identity).\n"
     '    Plain strings are adjectives here; of names write {"term": "Alex", "pos": "name"}; or "place".'),
    ("{A:identity_np} won.", 3, {}, 'terms= is neither a mapping nor a file.\n    Give {"group": ["term", ...],'),
    ([3], HEARING, {}, "3 is not a template.\n    Give a sentence, a Template or a dictionary of its columns."),
    ("{A:identity_np} won.", HEARING, {"label": "postive"}, "template-001: the label 'postive' is not known."),
    (["A {identity_adj} guide."] * 2, HEARING, {"label": ["positive"]}, "label= holds 1 label for 2 templates."),
    ("{A:identity_np} won.", HEARING, {"label": 1}, "label=1 is no label.\n    Give one for all templates, or a"),
    ([{"sentence": "{A:identity_np} won.", "rewords": "x"}], HEARING, {},
     "template-001: rewords is 'x', which is no id of a template."),
    ("{A:identity_np} won.", HEARING, {"attribute": "a/b"}, "the attribute 'a/b' cannot name a file.\n    Leave"),
    ("{A:identity_npp} won.", HEARING, {}, "template-001: the slot {A:identity_npp} is not known.\n    Did you"),
])  # fmt: skip
def test_what_cannot_be_filled_has_the_full_message(templates: Any, terms: Any, options: Any, message: str) -> None:
    assert refusal(fc.InputError, fc.Suite.from_templates, templates, terms, **options).startswith(message)


@sweep(("field", "cell", "stands"), [
    ("flags", "minor", False),
    ("flags", "Thin, Minor", False),
    ("flags", "", True),
    ("note", "minority language signer", True),
    ("note", "minor; of our own", True),
])  # fmt: skip
def test_words_for_minors_are_known_by_their_flag(field: str, cell: str, stands: bool) -> None:
    pupil = {"term": "pupil", "pos": "noun", field: cell}
    terms: Any = {"a": [pupil, {"term": "grocer", "pos": "noun"}], "b": [{"term": "baker", "pos": "noun"}]}
    suite = fc.Suite.from_templates("I met {a:identity_np}.", terms, task="toxicity", label="nontoxic")
    assert ("I met a pupil." in suite.texts()) is stands
    [part] = suite.parts
    assert sum(part.describe()["groups"].values()) == len(part.examples.terms) == 2 + stands


def make_suites(tmp_path: Path) -> list[fc.Suite]:
    odd = fc.Template("odd", 'She said "{{so}}", met {a:identity.guide} in {city},\nand left.', symmetric=False)
    deaf = fc.IdentityTerm("deaf", "", pronouns="xe/xem/xyr/xyrs/xemself")
    xe: dict[str, list[str | fc.IdentityTerm]] = {"deaf": [deaf], "hearing": ["hearing"]}
    return [
        fc.Suite.build(["gender", "names"], max_terms=2),
        fc.Suite.build("gender.czarnowska2021", include_terms=["transsexual"], max_terms=1),
        fc.Suite.build("hearing", terms=own_folder(tmp_path / "mine")),
        fc.Suite.from_templates([odd, " {Their:identity} hat. "], xe, lists={"city": ["Leeds", "Turin"]}),
    ]


def test_a_saved_suite_gives_the_same_texts_and_leaves_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "suite"
    for suite in make_suites(tmp_path):  # an older suite is replaced whole
        assert suite.save(folder) == folder
        again = fc.Suite.load(folder)
        assert again.to_frame().equals(suite.to_frame())
        assert repr(again) == repr(suite)
        assert again.dropped.equals(suite.dropped)
        assert again.task == suite.task
    files = sorted(str(path.relative_to(tmp_path / "deep")) for path in folder.rglob("*") if path.is_file())
    parts = ("card.md", "identity_terms/identity.csv", "suite.json", "templates/identity.csv")
    assert files == [f"suite/{name}" for name in parts]


NO_SUITE = "suite: suite.json is not that of a suite.\n    Build and save it again."
FOLDERS: list[tuple[str | None, str]] = [
    (None, "{folder} is not a saved suite: it has no suite.json.\n    Name a folder that Suite.save wrote."),
    ("{", "suite: suite.json is not readable JSON: Expecting property name enclosed in double quotes: line 1"),
    ("[]", NO_SUITE),
    ('{"version": 1, "parts": [{"task": "sentiment"}]}', NO_SUITE),
    ('{"version": 2, "parts": []}', "suite: the suite has the version 2; this version reads up to 1."),
]


def test_folders_that_are_refused(tmp_path: Path) -> None:
    suite = fc.Suite.build("gender", terms=["woman", "man"])
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work", encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    for name, message in (
        ("thesis", "the folder thesis holds something else than a suite."),
        ("file", "file is a file; a suite needs a folder of its own."),
    ):
        assert refusal(fc.errors.SuiteError, suite.save, tmp_path / name) == f"{message}\n    Name another folder."
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["chapter.txt", "file", "thesis"]
    folder = tmp_path / "suite"
    for file, old, new in (("templates", "comic", "novel"), ("identity_terms", "man", "guy")):
        path = suite.save(folder) / file / "gender.csv"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        assert refusal(fc.errors.SuiteError, fc.Suite.load, folder) == (
            f"suite: {file}/gender.csv was changed after the suite was saved.\n"
            "    Build the suite anew, or give the files with templates= and terms=."
        )
    for content, message in FOLDERS:
        (folder / "suite.json").unlink()
        if content is not None:
            (folder / "suite.json").write_text(content, encoding="utf-8")
        with pytest.raises(fc.errors.SuiteError) as error:
            fc.Suite.load(folder)
        assert str(error.value).startswith(message.replace("{folder}", str(folder)))
        (folder / "suite.json").touch()


def test_a_folder_in_the_working_directory_changes_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {"groups": ["women"], "terms": "woman", "templates": "generic"}
    before = fc.Suite.build("gender", **options).texts()
    for name in ("woman", "generic"):
        (tmp_path / name / "identity_terms").mkdir(parents=True)
        assert fc.Suite.build("gender", **options).texts() == before


def test_profanity_can_be_left_out():
    whole = fc.Suite.build("gender", task="toxicity", max_terms=1)
    clean = fc.Suite.build("gender", task="toxicity", max_terms=1, profanity=False)
    said = {text for text in whole.texts() if profane_words(text)}
    assert said
    assert set(clean.texts()) == set(whole.texts()) - said
