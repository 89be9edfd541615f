"""The column except_groups: a template is not filled with these groups, and the linter knows their names."""

from pathlib import Path

from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.counterfactuals import Dropped, expand
from fairness_checklist.content.templates import Template, load_templates
from fairness_checklist.content.term_files import terms_from_mapping
from fairness_checklist.extensions.authoring.lint.linter import lint

SENSES = terms_from_mapping("senses", {"deaf": ["deaf"], "blind": ["blind"], "neither": ["hearing"]})
ALL = Template("all", "{A:identity_np} won.", "positive")
SOME = Template("some", "{A:identity_np} sang.", "neutral", except_groups="deaf; tall people")
ONE = Template("one", "{A:identity_np} lost.", "negative", except_groups="deaf; blind")


def test_a_source_has_the_other_groups_and_its_control() -> None:
    made = expand([ALL, SOME], SENSES, task="sentiment")

    assert made.dropped == ()
    assert made.examples.render() == [
        "Someone won.",
        "A deaf person won.",
        "A blind person won.",
        "A hearing person won.",
        "Someone sang.",
        "A blind person sang.",
        "A hearing person sang.",
    ]
    assert made.examples.group.tolist() == [-1, 0, 1, 2, -1, 1, 2]
    assert made.examples.groups == ("deaf", "blind", "neither")


def test_with_fewer_than_two_groups_left_the_template_is_dropped_with_the_reason() -> None:
    made = expand([ALL, ONE], SENSES, task="sentiment")

    assert made.dropped == (Dropped("one", "it is not for these groups (except_groups)"),)
    assert [source.id for source in made.examples.sources] == ["all"]


def test_pairs_with_such_a_group_are_left_out() -> None:
    one = Template("one", "{A:identity_np} sang.", "neutral", except_groups="deaf and hard-of-hearing people")
    terms = ["deaf", "blind", "middle-aged", "older adult"]
    suite = fc.Suite.build("disability+age", terms=terms, templates=[one])

    rows = suite.to_frame()
    assert rows.loc[(rows["template"] == "one") & (rows["variant"] == ""), "text"].tolist() == [
        "Someone sang.",
        "A middle-aged blind person sang.",
        "A blind older adult sang.",
    ]


def _linted(folder: Path, except_groups: str) -> list[str]:
    (folder / "templates").mkdir()
    (folder / "identity_terms").mkdir()
    (folder / "identity_terms" / "senses.csv").write_text(
        "term,group,status,source,flags\nlong-sighted,far,accepted,ours,thin\nshort-sighted,near,accepted,ours,thin\n",
        encoding="utf-8",
    )
    rows = f'sentence,label,except_groups\n"{{A:identity_np}} won.",positive,{except_groups}\n'
    (folder / "templates" / "x.csv").write_text(rows + '"{A:identity_np} lost.",negative,\n', encoding="utf-8")
    return [str(one).replace(f"{folder}/templates/", "") for one in lint(folder)]


def test_groups_of_shipped_and_given_attributes_may_be_named(tmp_path: Path) -> None:
    assert _linted(tmp_path, "far; women; deaf and hard-of-hearing people; skin_tone") == []


@sweep("attribute", ["senses", "senses.near", "gender+senses"])
def test_an_attribute_that_is_named_does_not_use_the_template(attribute: str) -> None:
    other = Template("other", "I met {a:identity_np}.", "neutral")
    given = [Template("one", "I met {a:identity_np}.", "neutral", except_groups="far; senses"), other]

    assert [t.id for t in load_templates("sentiment", attribute, given) if t.id in {"one", "other"}] == ["other"]
    assert [t.id for t in load_templates("sentiment", "age", given) if t.id in {"one", "other"}] == ["one", "other"]


def test_a_group_of_no_attribute_is_found(tmp_path: Path) -> None:
    assert _linted(tmp_path, "womens; far") == [
        "x.csv:2: fill: except_groups names 'womens', which is no group and no attribute. Write it as "
        "`fairness-checklist list` shows it, and '; ' between two groups. Did you mean women?"
    ]
