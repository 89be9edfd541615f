"""The linter: ours is clean, each rule finds its fault in a user's folder, and good English raises no alarm."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from build_golden_sentences import GOLDEN
from command_line import Call
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.authoring.lint import linter, patterns
from fairness_checklist.extensions.authoring.lint.findings import RULES, WARNINGS, LintFinding
from fairness_checklist.extensions.authoring.lint.linter import lint
from fairness_checklist.extensions.authoring.lint.sentence_faults import sentence_faults

TERMS = "term,group,status,source,flags\ndeaf,deaf,accepted,ours,thin\nhearing,hearing,accepted,ours,thin\n"
GOOD = "sentence,label\n{A:identity_np} won.,positive\n{A:identity_np} lost.,negative\n"

Linted = Callable[..., list[str]]


@pytest.fixture
def linted(tmp_path: Path) -> Linted:
    """Lints a folder with an attribute "hearing" of the user's; the findings as lines, the files' names cut."""

    def look(terms: str = TERMS, templates: str | None = None) -> list[str]:
        for name, content in (("identity_terms", terms), ("templates", templates)):
            if content is not None:
                (tmp_path / name).mkdir(exist_ok=True)
                (tmp_path / name / "hearing.csv").write_text(content, encoding="utf-8")
        lines = [str(finding).replace(f"{tmp_path}/templates/hearing.csv", "templates") for finding in lint(tmp_path)]
        return [line.replace(f"{tmp_path}/identity_terms/hearing.csv", "terms") for line in lines]

    return look


def test_ours_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every English template and term, filled with one attribute of each kind; `make content` fills in all of them."""
    kinds = ("names.origin", "nationality", "disability.passing_ailment")
    monkeypatch.setattr(linter, "attributes", lambda *_: kinds)
    assert [found for found in lint(language="en") if found.rule != "fill"] == []


def test_a_pattern_is_found_by_its_form_for_small_letters_wherever_it_is_found() -> None:
    texts = [line for line in GOLDEN.read_text(encoding="utf-8").splitlines()[::20] if "]" in line]
    for text in (*texts, *(text.upper() for text in texts[::4])):
        for rule in (rule for several in patterns.patterns().values() for rule in several if rule.small):
            assert rule.small.search(text.lower()) or not rule.regex.search(text), (rule.regex.pattern, text)


def test_every_rule_is_in_the_docs() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
    table = page.split("| about | rules |\n")[1].split("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(RULES)
    assert set(re.findall(r"`(\w+)`", table.split("| warnings |")[1])) == set(WARNINGS)


@sweep(("template", "finding"), [
    ("{A:identity_np won.", "parse: the brace { at character 1 is never closed: "
     "'{A:identity_np won.'. Close the slot with }, or write {{ for a brace in the text."),
    ("{A:identity_np} waited a hour.", "article: 'a hour' should be 'an': Someone waited a hour."),
    ("A {identity.usher} won.", "article: 'A usher' should be 'an': A usher won."),
    ("{A:identity_np} won the the cup.", "doubled: 'the' appears twice: Someone won the the cup."),
    ("{A:identity_np} won .", "spacing: a space too many: Someone won ."),
    ("{a:identity_np} won.", "capital: no capital at the start: someone won."),
    ("Somebody won.", "fill: it has no slot: write {a:identity_np} or {person}."),
    ("It rained. {Identity_np} won.", "article: no article comes before {Identity_np}: write {A:identity_np}."),
    ("{They:identity} {is:identity}.", "agreement: {is:identity} does not agree with the pronoun {They:identity} of "
     "'deaf': write {A:identity_np} in place of one of the two."),
    ("I met my {identity_np}.", ""),
    ("I met Anna's very old {identity_np}.", ""),
    ("They ticked '{identity_np}'.", ""),
    ("{Their:identity} {identity_np} won.", ""),
    ("{A:identity_np} left. {They:identity} {is|are:identity} late.", ""),
    ("A {identity.guide} won.", ""),  # "A agender guide" is not theirs to mend
])  # fmt: skip
def test_an_error_in_a_template_is_found_with_file_and_line(linted: Linted, template: str, finding: str) -> None:
    assert linted(TERMS, f"sentence\n{template}\n") == ([f"templates:2: {finding}"] if finding else [])


@sweep(("row", "finding"), [
    ("redheads,deaf,noun,thin", "the noun 'redheads' looks like a plural: give the singular, 'redhead'."),
    ("deaf people,deaf,noun,thin", "the noun 'deaf people' looks like a plural: give the singular, 'deaf person'."),
    ("red hair,deaf,pp,thin",
     "the phrase 'red hair' does not begin with a preposition: give it as pp, noun or adj as it is used."),
    ("boss,deaf,noun,thin", ""),
    ("living with HIV,deaf,pp,thin", ""),
])  # fmt: skip
def test_terms_of_another_kind_than_declared_are_found(linted: Linted, row: str, finding: str) -> None:
    found = linted(
        f"term,group,pos,flags,status,source\n{row},accepted,ours\nhearing,hearing,adj,thin,accepted,ours\n", None
    )
    of_terms = [one for one in found if one.startswith("terms:2")]
    assert of_terms == ([f"terms:2: term: {finding}"] if finding else [])


def test_the_neutral_name_of_a_template_is_none_of_the_terms_of_any_attribute(tmp_path: Path) -> None:
    for name, rows in (("first", "Priya,one\nKofi,two\n"), ("second", "Alex,one\nSam,two\n")):
        terms = "term,group,pos,status,pronouns\n" + rows.replace("\n", ",name,accepted,they\n")
        (tmp_path / "identity_terms").mkdir(exist_ok=True)
        (tmp_path / "identity_terms" / f"{name}.csv").write_text(terms, encoding="utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "mine.csv").write_text("sentence\n{person1} and {person2} left.\n", encoding="utf-8")
    assert [found for found in lint(tmp_path, language="en") if found.rule == "fill"] == []


def test_a_sentence_with_two_labels_is_reported_once_for_all_attributes(tmp_path: Path) -> None:
    rows = "{A:identity_np} won.,positive,a\n{A:identity_np} won.,negative,b\n"
    (tmp_path / "mine.csv").write_text(f"sentence,label,id\n{rows}", encoding="utf-8")

    [finding] = lint(tmp_path)
    assert (finding.place, finding.rule) == (f"{tmp_path}/mine.csv:3", "label")
    assert finding.message == "negative here, positive there: the sentence is that of a too"
    assert finding.sentence.endswith(" won.")


@sweep(("templates", "finding"), [
    (GOOD + "{A:identity_np} sank.,negative\n",
     "templates: balance: the labels are not balanced: 2 negative, 1 positive."),
    ("sentence,label,about\n{A:identity_np} won.,positive,person\n{A:identity_np} sang well.,positive,person\n"
     "{A:identity_np} lost.,negative,speaker\nI told {a:identity_np} that I lost.,negative,speaker\n",
     "templates: balance: the sentences about person are not balanced over the labels: 0 negative, 2 positive.\n"
     "templates: balance: the sentences about speaker are not balanced over the labels: 2 negative, 0 positive."),
    ("sentence,rewords\n{A:identity_np} won.,hearing-009\n",
     "templates:2: paraphrase: there is no template hearing-009."),
    ("sentence,label,rewords\n"
     "{A:identity_np} won.,positive,\n{A:identity_np} lost.,negative,hearing-001\n",
     "templates:3: paraphrase: its label is not that of hearing-001."),
    ("sentence,id,rewords\n{A:identity_np} won.,a,\n{A:identity_np} has won.,b,a\n"
     "{A:identity_np} had won.,c,b\n", "templates:4: paraphrase: b is a rewording itself, of a: name the original."),
    ("sentence\n{A:identity_np} won.\n\n{A:identity_np} won.\n",
     "templates:4: duplicate: the sentence is that of hearing-001 too: A deaf person won."),
    ("sentence,id\n{A:identity_np} won.,a\n{A:identity_np} lost.,a\n", "templates:3: parse: the id 'a' is "
     "already that of templates:2. Give each template an id of its own, or leave the column empty."),
])  # fmt: skip
def test_an_error_in_a_templates_file_is_found(linted: Linted, templates: str, finding: str) -> None:
    assert linted(TERMS, templates) == finding.split("\n")


@sweep(("terms", "finding"), [
    ("term,group,status,source\ndeaf,deaf,accepted,ours\nhearing,hearing,accepted,ours\n",
     "terms:2: thin: the group deaf has 1 preferred or accepted word (deaf): add some, or write "
     '"thin" in the column flags.\n'
     "terms:3: thin: the group hearing has 1 preferred or accepted word (hearing): add some, or write "
     '"thin" in the column flags.'),
    ("term,group,flags,status,source\ndeaf,deaf,thin,accepted,ours\ndeaf,hearing,thin,accepted,ours\n",
     "terms:3: parse: the term 'deaf' of the group 'hearing' is already in the group 'deaf' "
     "(terms:2). A term belongs to one group of an attribute: remove one of the two rows."),
    ("term,group,flags,source,status\ndeaf,deaf,thin,APA Style,accepted\nhearing,hearing,thin,,accepted\n",
     "terms:3: source: the term hearing has no source."),
    ("term,group,flags,status,source\ndeaf,deaf,thin,dispreferred,ours\nhearing,hearing,thin,accepted,ours\n",
     "hearing: parse: the group 'deaf' is left without a term. Its terms are dispreferred or not among those "
     "chosen: name one in include_terms= or terms=, or leave the group out with groups=."),
])  # fmt: skip
def test_an_error_in_a_terms_file_is_found(linted: Linted, terms: str, finding: str) -> None:
    assert linted(terms, None) == finding.split("\n")


def test_a_group_that_cannot_fill_a_template_is_found(linted: Linted) -> None:
    terms = TERMS.replace("hearing,hearing", "with a cold,cold")

    assert linted(terms, "sentence\nMy {identity_adj} friend won.\n") == [
        "templates:2: fill: the template cannot be filled by every group of 'hearing'. hearing-001: no term "
        "of the group 'cold' fills it ({identity_adj}: 'with a cold' is not an adjective)."
    ]


def test_a_shipped_term_in_another_group_of_the_user_is_found(tmp_path: Path) -> None:
    (tmp_path / "gender.csv").write_text(
        "term,group,flags,status,source\nwoman,bosses,thin,accepted,ours\n", encoding="utf-8"
    )

    assert lint(tmp_path) == [
        LintFinding(
            f"{tmp_path}/gender.csv:2",
            "parse",
            "the term 'woman' of the group 'bosses' is already in the group 'women' (identity_terms/gender.csv:2). "
            "A term belongs to one group of an attribute: remove one of the two rows.",
        )
    ]


def test_generic_templates_of_theirs_are_filled_with_every_attribute(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("sentence\nA {identity.guide} won.\n", encoding="utf-8")

    found = lint(tmp_path)
    # a word for an occupation is no adjective
    assert {(finding.rule, finding.place) for finding in found} == {
        (rule, f"{tmp_path}/mine.csv:2") for rule in ("article", "fill")
    }
    assert "A AMAB guide won." in {finding.sentence for finding in found}
    assert len(found) == len({finding.message for finding in found})  # the same is told once


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path, f"'{tmp_path}' holds no CSV file.\n    Give a folder with CSV files in it."),
        (tmp_path / "no", f"the folder '{tmp_path}/no' does not exist.\n    Give a folder with CSV files in it."),
        (Path(__file__), f"'{__file__}' is a file; expected a folder.\n    Give its folder: {Path(__file__).parent}"),
    ):
        assert refusal(OptionError, lint, path) == message


def test_plain_files_are_read_by_their_first_row_with_comments_and_semicolons(tmp_path: Path) -> None:
    (tmp_path / "sentences.csv").write_text("# mine\nid,sentence\na,{A:identity_np} won the the cup.\n", "utf-8")
    (tmp_path / "hearing.csv").write_text(
        "\ufeff# mine\nstatus;source;term;group;flags\n;ours;deaf;deaf;thin\n", "utf-8"
    )
    (tmp_path / "es").mkdir()
    (tmp_path / "es" / "mine.csv").write_text("sentence\n{A:identity_np} vio a el gato.\n", "utf-8")
    spanish = [("contraction", "mine.csv:2")]

    def found(folder: Path, language: str = "") -> list[tuple[str, str]]:
        return [(finding.rule, Path(finding.place).name) for finding in lint(folder, language=language)]

    english = [("status", "hearing.csv:3"), ("doubled", "sentences.csv:3")]
    assert sorted(found(tmp_path)) == sorted([*spanish, *english])
    assert found(tmp_path, "en") == english
    assert found(tmp_path / "es") == spanish


def test_an_error_of_a_user_term_in_a_shipped_sentence_is_reported_once_and_at_the_term(linted: Linted) -> None:
    rows = "term,group,status,source,flags\ndeaf deaf,deaf,accepted,ours,thin\nhearing,hearing,accepted,ours,thin\n"

    [finding] = linted(rows, None)
    assert finding.startswith("terms:2: doubled: 'deaf' appears twice: ")


@sweep(("sentence", "rules"), [
    ("They were here, she has one, and he does his work.", []),
    ("My mother and she have one; neither she nor he have two.", []),
    ("I insist that she have a seat, and he insisted that they do it.", []),
    ("Two people and a person met three women, each a writer.", []),
    ("He waited an hour at a university for an HIV-positive person.", []),
    ("An 80-year-old met a European, an 11-year-old and a 100-year-old.", []),
    ("An LGBTQ group, an MTF person, a US citizen, an NHS nurse and an X-ray.", []),
    ("I know that that is so, and he had had enough; what it is is good.", []),
    ("She got a grade A in it, and he got an A, too.", []),
    ("Anna A. Bell paid a \u20ac5 fee, .5 more than ... well, than I did.", []),
    ('"An hour," she said, "is a long time." (It is.)', []),
    ("\u201cA European,\u201d he said.", []),
    ("The thing that it is, is that she works in the shop, in the house, in all of it.", []),
    ("""Beside the errors of `test_lint_seeded.py`.""", []),
    ("I met an university teacher.", ["article"]),
    ("I met a HIV-positive person and a 80-year-old.", ["article"]),
    ("She left. ", ["spacing"]),
    ("She {left}.", ["parse"]),
    ("I know that they always has one.", ["agreement"]),
    ("It is said that she don't swim, she do run.", ["agreement"]),
])  # fmt: skip
def test_good_english_raises_no_alarm_and_bad_english_one(sentence: str, rules: list[str]) -> None:
    """Beside the errors of `test_lint_seeded.py`."""
    assert [rule for rule, _message in sentence_faults(sentence)] == rules


@sweep(("sentence", "finding"), [
    ("Vi a el hombre de la tienda.", "contraction: 'a el' should be 'al'"),
    ("Llegaron Marta y Inés.", "contraction: 'y Inés' should be 'e Inés'"),
    ("¿Qué tal estás.", "punctuation: ¿ and ? are not equally many"),
    ("Fue al al cine.", "doubled: 'al' appears twice"),
    ("Fue  al cine.", "spacing: a space too many"),
    ("¿vino ayer?", "capital: no capital at the start"),
    ("La amiga llamó a él y a ella.", ""),
    ("¿Y Inés?", ""),
    ("Una persona dijo que no, y otra persona como ella vino de El Salvador.", ""),
    ("Les amigues y les escritores y las escritoras se fueron.", ""),
    ("«¿Vienes?», preguntó una persona.", ""),
])  # fmt: skip
def test_spanish_sentences(sentence: str, finding: str) -> None:
    assert [": ".join(fault) for fault in sentence_faults(sentence, "es")] == ([finding] if finding else [])


def test_spanish_terms_of_another_kind_than_declared_are_found(tmp_path: Path) -> None:
    (tmp_path / "es").mkdir()
    rows = "mujeres,noun\nmujer,noun\nepilepsia,pp\n".replace("\n", ",thin,accepted,ours,g\n")
    (tmp_path / "es" / "mine.csv").write_text(f"term,pos,flags,status,source,group\n{rows}", encoding="utf-8")
    phrase = "the phrase 'epilepsia' does not begin with a preposition: give it as pp, noun or adj as it is used."
    assert [(one.order[1], one.message) for one in lint(tmp_path) if one.rule == "term"] == [
        (2, "the noun 'mujeres' looks like a plural: give the singular."),
        (4, phrase),
    ]


def test_thin_counts_own_terms_together_with_shipped_ones(tmp_path: Path) -> None:
    rows = (
        "term,group,status,source\nfemale individual,women,accepted,ours\nwoman of the moon,moon women,accepted,ours\n"
    )
    (tmp_path / "gender.csv").write_text(rows, encoding="utf-8")

    assert [str(finding) for finding in lint(tmp_path) if finding.rule == "thin"] == [
        f"{tmp_path}/gender.csv:3: thin: the group moon women has 1 preferred or accepted word (woman of the "
        'moon): add some, or write "thin" in the column flags.'
    ]


def test_idioms_are_faults_where_an_identity_has_the_word_only(tmp_path: Path) -> None:
    rows = "{A:identity_np} gave me a straight answer.\n{A:identity_np} told a white lie to us.\n"
    for name in ("gender", "race_ethnicity", "sexual_orientation", "all"):
        (tmp_path / f"{name}.csv").write_text(f"sentence\n{rows}", encoding="utf-8")
    found = [(Path(one.order[0]).stem, one.order[1]) for one in lint(tmp_path) if one.rule == "sense"]
    assert found == [("all", 2), ("all", 3), ("race_ethnicity", 3), ("sexual_orientation", 2)]


def test_phrases_that_attach_to_clauses_brands_and_lemmas_in_other_terms_are_warnings(linted: Linted) -> None:
    rows = ("in a blind family,blind,pp,blind", "with blind kin,blind,pp,", "tall,blind,adj,", "hearing,hearing,adj,")
    listed = "\n".join(f"{row},thin,accepted,ours" for row in rows)
    assert linted(f"term,group,pos,lemma,flags,status,source\n{listed}\n", None) == [
        "terms:3: lemma: with blind kin counts as another word than the terms with the lemma blind: give it that lemma."
    ]
    rows = ("deaf,deaf,adj,", "with a hearing aid,deaf,pp,", "living with noise,hearing,pp,lives with noise")
    listed = "\n".join(f"{row},thin,accepted,ours" for row in rows)
    templates = (
        "sentence\nI met {a:identity_np} at the bakery.\nI met {a:identity_np} of our club.\n"
        "My iPhone is {a:identity.writer}'s.\n"
    )
    assert [
        line.split(": write")[0]
        for line in linted(f"term,group,pos,predicate,flags,status,source\n{listed}\n", templates)
    ] == [
        "templates:2: attachment: 'at the bakery' stands right after a slot, where it belongs to 'living with noise'",
        "templates:3: attachment: 'of our club' stands right after a slot, where it belongs to 'with a hearing aid'",
        "templates:4: brand: 'iPhone' is a brand: take a common noun.",
    ]
    assert {"attachment", "brand", "lemma"} <= WARNINGS


def test_the_example_of_the_docs_is_clean(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "templates.md").read_text(encoding="utf-8")
    files = re.findall(r"`mine/(\S+\.csv)`:\n\n```csv\n(.*?)```", page, flags=re.DOTALL)
    for name, content in files:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(files) == 2
    assert lint(tmp_path) == []


def test_without_the_extra_the_rules_that_need_it_are_left_out(
    linted: Linted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    caches = (patterns.rules_left_out, patterns.word_counts)
    monkeypatch.setitem(sys.modules, "spellchecker", None)
    for function in caches:
        function.cache_clear()
    rows = "{A:identity_np} recieved it.\n{A:identity_np} waited a hour.\n"
    try:
        found = linted(TERMS, f"sentence\n{rows}")
        said = call("lint", tmp_path)
    finally:
        for function in caches:
            function.cache_clear()
    assert [line.split(": ")[:2] for line in found] == [["templates:3", "article"]]
    assert (said.code, said.err) == (1, "Left out: spelling. Install fairness-checklist[lint].\n")
