"""Two attributes in one sentence: the words of a pair, the sentences beside it, effects and interactions."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refusal
from scipy import stats
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.identity_pairs import pair, pair_lists
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.templates import Template, load_templates
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.extensions.analyses.interactions import ValuesByTerms, pair_effects
from fairness_checklist.suites.parts import make_part
from fairness_checklist.tables.columns import grouped_by
from fairness_checklist.tables.run_folder import Results

AGE = TermList(
    "age",
    (
        IdentityTerm("middle-aged", "older people"),
        IdentityTerm("in their seventies", "older people", pos="pp"),
        IdentityTerm("young", "younger people"),
        IdentityTerm("in their twenties", "younger people", pos="pp"),
    ),
)
HEARING = TermList(
    "disability",
    (
        IdentityTerm("deaf", "deaf people"),
        IdentityTerm("hard-of-hearing", "deaf people"),
        IdentityTerm("hearing", "hearing people"),
        IdentityTerm("with good hearing", "hearing people", pos="pp"),
    ),
)
TEMPLATES = [
    Template("met", "I met {a:identity1_adj} {identity2.writer}, and all was well.", "positive"),
    Template("keys", "{A:identity_np} lost {their:identity} keys.", "negative"),
    Template("bus", "Two {identity_pl} took the bus.", "neutral"),
    Template("bus-2", "The bus was taken by two {identity_pl}.", "neutral", rewords="bus"),
]


def suite(first: TermList = HEARING, second: TermList = AGE) -> fc.Suite:
    return fc.Suite((make_part(TEMPLATES, first, second, task="sentiment"),))


def model(old: float, deaf: float, both: float, *, logits: bool = False) -> object:
    """A classifier whose probability of positive has these effects of a mention."""

    def says(texts: list[str]) -> np.ndarray:
        found = []
        for text in texts:
            is_old = "middle-aged" in text or "seventies" in text
            is_deaf = "deaf" in text or "hard-of-hearing" in text
            score = old * is_old + deaf * is_deaf + both * (is_old and is_deaf)
            p = 1 / (1 + np.exp(-score)) if logits else 0.4 + score
            found.append([0.7 * (1 - p), 0.3 * (1 - p), p])
        return np.array(found)

    return fc.load_model(says, classes=["negative", "neutral", "positive"])


def effects(table: pd.DataFrame) -> dict[str, float]:
    rows = table[
        (table["class"] == "positive") & (table["first"] == "deaf people") & (table["second"] == "older people")
    ]
    return dict(zip(rows["effect"], rows["value"], strict=True))


def test_pairs_are_written_in_the_order_that_english_wants() -> None:
    texts = suite().texts()

    assert texts[:3] == [
        "I met a writer, and all was well.",
        "I met a middle-aged deaf writer, and all was well.",
        "I met a deaf writer in their seventies, and all was well.",
    ]
    assert "A middle-aged hard-of-hearing person lost their keys." in texts
    assert "Two people in their twenties with good hearing took the bus." in texts
    assert set(suite(AGE, HEARING).texts()) == set(texts)


@sweep(
    ("early", "late", "phrase"),
    [
        (IdentityTerm("young", ""), IdentityTerm("man", "", pos="noun", pronouns="he"), "young man"),
        (IdentityTerm("65-year-old", "", pos="noun", adjective="65-year-old"), IdentityTerm("trans", ""),
         "trans 65-year-old"),
        (IdentityTerm("65-year-old", "", pos="noun", adjective="65-year-old"),
         IdentityTerm("woman", "", pos="noun", plural="women"), "65-year-old woman"),
        (IdentityTerm("with low vision", "", pos="pp"), IdentityTerm("with a tall build", "", pos="pp"),
         "person with low vision and a tall build"),
        (IdentityTerm("Islam", "", pos="faith", adjective="Muslim"), IdentityTerm("woman", "", pos="noun"),
         "Muslim woman"),
        (IdentityTerm("Anna", "", pos="name"), IdentityTerm("deaf", ""), "- a name is no part of a phrase"),
        (IdentityTerm("Deaf", ""), IdentityTerm("deaf", ""), "- 'Deaf' is a term of both attributes"),
        (IdentityTerm("king", "", pos="noun", pronouns="he"), IdentityTerm("female", "", pronouns="she"),
         "- the pronouns of 'king' and 'female' differ"),
    ],
)  # fmt: skip
def test_a_pair_is_one_phrase_or_has_a_reason(early: IdentityTerm, late: IdentityTerm, phrase: str) -> None:
    made = pair(early, late, "x")
    assert (f"- {made.reason}" if isinstance(made, Unfit) else made.term) == phrase


def test_a_phrase_with_a_pronoun_agrees_with_its_person() -> None:
    woman = IdentityTerm("woman", "women", pos="noun", plural="women", pronouns="she")
    female = IdentityTerm("female", "women", pronouns="she")
    gender = TermList("gender", (woman, female, IdentityTerm("trans", "trans")))
    templates = [*TEMPLATES, Template("several", "The two {identity.writers} took a cab.", "neutral")]

    texts = fc.Suite((make_part(templates, gender, AGE, task="sentiment"),)).texts()

    assert "A woman in her seventies lost her keys." in texts
    assert "I met a female writer in her seventies, and all was well." in texts
    assert "A trans person in their seventies lost their keys." in texts
    assert "Two women in their seventies took the bus." in texts
    assert "The two female writers in their seventies took a cab." in texts


def test_terms_of_both_attributes_and_thin_pairs_are_named() -> None:
    grandmother = IdentityTerm("grandmother", "women", pos="noun", also="age")
    first = TermList("gender", (grandmother, IdentityTerm("female", "women"), IdentityTerm("uncle", "men", pos="noun")))
    second = TermList("age", (IdentityTerm("old", "old people"), IdentityTerm("pensioner", "pensioners", pos="noun")))

    made, remarks = pair_lists(first, second)

    assert [term.term for term in made.terms] == ["old female person", "female pensioner", "old uncle"]
    assert remarks == (
        "women & old people: thin, one pair of terms only",
        "women & pensioners: thin, one pair of terms only",
        "men & old people: thin, one pair of terms only",
        "men & pensioners: no pair of terms makes a phrase ('pensioner' and 'uncle' are both nouns)",
    )


def test_the_controls_of_pairs_are_each_identity_alone() -> None:
    part = suite().parts[0]
    texts = {control.variant: control.examples.render() for control in part.controls}

    assert "I met a deaf writer, and all was well." in texts["first"]
    assert "I met a writer in their seventies, and all was well." in texts["second"]
    assert set(texts) == {"first", "second"}


@sweep("between", [0.0, 0.15, -0.1])
def test_effects_and_interaction_are_those_of_the_model(between: float) -> None:
    table = suite().run(model(-0.1, 0.2, between), draws=0, progress=False).interactions()

    found = effects(table)
    assert found == pytest.approx(
        {"first": 0.2, "second": -0.1, "joint": 0.1 + between, "interaction": between}, abs=1e-12
    )
    assert table.groupby("class").size().unique().tolist() == [16]


def interaction(cells: ValuesByTerms) -> pd.Series:
    """The row of the interaction."""
    return pd.Series(pair_effects(cells)[-1])


def test_the_interval_over_these_terms_is_students_over_templates() -> None:
    generator = np.random.default_rng(4)
    cells = ValuesByTerms(
        generator.normal(size=(8, 3, 2)),
        generator.normal(size=(8, 3)),
        generator.normal(size=(8, 2)),
        generator.normal(size=8),
        np.arange(8),
    )
    found = interaction(cells)
    by_source = (cells.joint - cells.first[:, :, None] - cells.second[:, None, :] + cells.neither[:, None, None]).mean(
        axis=(1, 2)
    )
    test = stats.ttest_1samp(by_source, 0)
    ends = test.confidence_interval(0.95)

    assert found.value == pytest.approx(by_source.mean(), abs=1e-12)
    assert (found.ci_low, found.ci_high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert found.ci_high_terms - found.ci_low_terms > ends.high - ends.low
    assert (found["n"], found["pairs"]) == (8, 6)


def test_rewordings_are_one_cluster_and_one_term_gives_no_interval_over_others() -> None:
    values = np.array([0.1, 0.3, 0.2, 0.6])
    cells = ValuesByTerms(
        values[:, None, None], np.zeros((4, 1)), np.zeros((4, 1)), np.zeros(4), np.array([0, 0, 1, 1])
    )
    found = interaction(cells)
    spread = np.sqrt(2 * (2 * 0.2**2)) / 4  # two clusters, 0.1 a source either way from the mean 0.3

    assert found.ci_high - found.value == pytest.approx(stats.t.ppf(0.975, 1) * spread, abs=1e-12)
    assert np.isnan(found.ci_low_terms)


def test_the_interval_over_terms_like_these_holds_its_rate() -> None:
    generator = np.random.default_rng(7)
    held, runs = 0, 200
    for _ in range(runs):
        of_source, of_a, of_b = generator.normal(size=12), generator.normal(size=4), generator.normal(size=4)
        joint = of_source[:, None, None] + of_a[:, None] + of_b + generator.normal(size=(12, 4, 4))
        found = interaction(ValuesByTerms(joint, np.zeros((12, 4)), np.zeros((12, 4)), np.zeros(12), np.arange(12)))
        held += found.ci_low_terms <= 0 <= found.ci_high_terms

    assert 0.93 <= held / runs <= 1


def test_predictions_come_back_from_the_table_the_run_folder_and_the_saved_suite(tmp_path: Path) -> None:
    built = suite()
    asked = model(-0.1, 0.2, 0.1)
    result = built.run(asked, draws=0, progress=False)
    again = fc.evaluate(built.predict(asked, progress=False), draws=0)
    built.save(tmp_path / "suite")
    result.save(tmp_path / "run")

    pd.testing.assert_frame_equal(again.interactions(), result.interactions())
    pd.testing.assert_frame_equal(fc.Result.load(tmp_path / "run").interactions(), result.interactions())
    pd.testing.assert_frame_equal(
        fc.evaluate(tmp_path / "run" / "examples.parquet", draws=0).interactions(), result.interactions()
    )
    assert fc.Suite.load(tmp_path / "suite").texts() == built.texts()
    assert len(fc.Suite.load(tmp_path / "suite").to_frame()) == len(built.to_frame()) > len(built)
    written = pd.read_csv(tmp_path / "run" / "interactions.csv")
    assert written["value"].to_numpy() == pytest.approx(result.interactions()["value"].to_numpy(), abs=1e-12)


def test_the_verdict_is_about_the_words_of_a_pair() -> None:
    result = suite().run(model(-0.1, 0.2, 0.1), progress=False)
    said = result.verdict(width=None)

    assert "\ndisability+age · 16 words in 4 sentences · 68 texts\n" in said
    assert "interaction" not in said
    lexemes = result.findings.groupby("group")["lexemes"].unique().explode().to_dict()
    assert lexemes == {  # of the side with fewer: "hearing" and "with good hearing" are one
        "deaf people & older people": 2,
        "deaf people & younger people": 2,
        "hearing people & older people": 1,
        "hearing people & younger people": 1,
    }


def test_shipped_pairs_use_generic_templates_and_those_for_two() -> None:
    built = fc.Suite.build("gender+age", groups=["women", "men", "older adults"], max_terms=2)
    ids = {source.template for source in built.parts[0].examples.sources}

    assert {"generic-004", "intersections-001"} <= ids
    assert built.parts[0].examples.groups == ("women & older adults", "men & older adults")
    assert not any(one.id.startswith("intersections") for one in load_templates("sentiment", "gender"))
    assert "female" not in " ".join(fc.Suite.build("age+gender", groups=["men", "older adults"], max_terms=2).texts())


def table(n: int = 400) -> pd.DataFrame:
    generator = np.random.default_rng(3)
    frame = pd.DataFrame({"sex": generator.choice(["f", "m"], n), "age": generator.choice(["old", "young"], n)})
    p = 0.5 + 0.1 * (frame["sex"] == "f") - 0.05 * (frame["age"] == "old") + generator.normal(0, 0.02, n)
    p += 0.2 * ((frame["sex"] == "f") & (frame["age"] == "old"))
    return frame.assign(**{"p:no": 1 - p, "p:yes": p})


def test_groups_of_a_table_are_crossed_and_small_cells_named() -> None:
    frame = pd.concat(
        [table(), pd.DataFrame({"sex": ["x"] * 3, "age": ["old", "old", None], "p:no": 0.5, "p:yes": 0.5})]
    )
    result = fc.evaluate(frame, group_columns=["sex", "age"], min_cell=10, metrics=["parity_gap"])

    assert result.attributes == ("sex", "age", "sex+age")
    assert set(result.examples["group"]) >= {"f", "old", "f & old"}
    assert [note for note in result.info["notes"]["sex+age"] if "left" in note or "without a value" in note] == [
        "1 row without a value of sex or age",
        "left out, fewer than 10 rows: x & old (2)",
    ]


@sweep(("call", "message"), [
    (lambda: fc.Suite.build("gender+gender"),
     "gender and gender are one attribute; an intersection has two.\n    Name two, as in"),
    (lambda: fc.Suite.build("gender+age+names"),
     "'gender+age+names' is not an intersection of two attributes.\n    Name two, as in"),
    (lambda: fc.Suite.build("gender+"),
     "'gender+' is not an intersection of two attributes.\n    Name two, as in gender+age."),
    (lambda: fc.Suite.build("gender+age", task="ner"),
     "the intersection gender+age is for whole texts; the task ner tags words."),
    (lambda: fc.Suite.build("gender+age", groups=["womem"]),
     "neither gender nor age has the group 'womem'.\n    Did you mean"),
    (lambda: pair_lists(TermList("x", (IdentityTerm("a", "rock & roll"),)), AGE),
     "the name of the group 'rock & roll' of x contains ' & ', which separates two groups.\n    Rename it."),
    (lambda: grouped_by(table(40), ["sex", "income"], 1),
     "the table has no column income.\n    Its columns are sex, age, p:no, p:yes."),
    (lambda: grouped_by(table(40), ["sex", "sex"], 1),
     "group columns are one column or two different ones, not sex, sex.\n    Name them:"),
    (lambda: fc.evaluate(table(40), group_columns=["sex"], min_cell=0), "min_cell=0 is too small; expected 1 or more."),
    (lambda: grouped_by(table(40), ["sex"], 999), "no group of sex has 999 rows.\n    Ask for fewer: min_cell=."),
])  # fmt: skip
def test_what_is_no_intersection_and_no_pair_of_columns_is_refused(call: Callable[[], object], message: str) -> None:
    assert refusal(fc.errors.InputError, call).startswith(message)


def alike(texts: list[str]) -> list[dict[str, float]]:
    return [{"negative": 0.2, "neutral": 0.3, "positive": 0.5} for _ in texts]


def test_an_attribute_and_groups_with_a_plus_and_an_ampersand_are_no_intersection(tmp_path: Path) -> None:
    groups = {"R & B": ["soulful", "groovy"], "rock & roll": ["rocking", "rolling"]}
    suite = fc.Suite.from_templates(
        ["I met {a:identity.writer}.", "I like {the:identity.writer}."],
        terms=groups,
        attribute="R&B+soul",
        label="neutral",
    )
    ran = suite.run(alike, draws=20, progress=False)
    assert ran.intersections == ()
    assert ran.info["intersections"] == {}
    ran.save(tmp_path / "run")
    assert Results.load(tmp_path / "run").intersections == ()
    suite.save(tmp_path / "suite")
    assert fc.Suite.load(tmp_path / "suite").texts() == suite.texts()

    folder = tmp_path / "mine" / "identity_terms"
    folder.mkdir(parents=True)
    (folder / "R&B+soul.csv").write_text("term,group\nsoulful,R & B\nrocking,rock & roll\n", encoding="utf-8")
    [part] = fc.Suite.build("R&B+soul", terms=tmp_path / "mine", templates=["generic-0*"]).parts
    assert (part.attribute, part.crossed, part.examples.intersection) == ("R&B+soul", None, ())
