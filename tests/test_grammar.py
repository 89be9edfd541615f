"""English: articles by sound (``inflect`` is the oracle), plurals, pronouns and verbs."""

import re

from refusals import refusal
from sweep import sweep

from fairness_checklist.content.grammar.english import English
from fairness_checklist.content.grammar.english_articles import article, choose, inflect_engine, plural, pronoun
from fairness_checklist.content.grammar.language import BE_FORMS, PRONOUN_FORMS
from fairness_checklist.core.errors import TermError
from fairness_checklist.core.formatting import capitalise

AN = """
hour hour-long honest honesty honour honorary heir heiress HIV HIV-positive LGBTQ LGBTQ+ FTM MtF FtM MTFs X-ray F1 SSRI
HBCU RSVP MP MPs FBI NGO EU AMAB AFAB ADHD ESL e-mail 8 80 800 8th 80-year-old 8-year-old 11 11-year-old 11th 18
18-year-old 11,000 18,500 8,000,000 85 1850s 1100-page undocumented unemployed unmarried unaware unarmed unimportant
uninsured unidentified unusual unable urban upset ugly uncle Uzbek Urdu under ultra usher umbrella asexual agender
intersex older elderly Irish Asian African Indian American atheist agnostic Orthodox Evangelical Inuit ethnic autistic
enby androgyne aromantic adoptive undergraduate unlikely onerous Oneida Yvonne $8 (honest) 'eager' O'Brien École
""".split()  # noqa: SIM905 - a list of words reads better as text
A = """
university uniform unicorn unique unisex universal unanimous union unit United Unitarian UK UK-born US USA UN U.S. UFO
user useful usual Ugandan Ukrainian Uruguayan Utah utopian urologist Uyghur European Eurasian eulogy ewe one once
one-time one-legged onesie hotel historic house Hindu Hispanic heterosexual homosexual homeless hijab hearing
SAG-AFTRA NASA NATO FEMA PhD BIPOC POC person woman deaf trans cis Muslim Jewish yellow young year Yemeni Xhosa
1 2 10 19
70-year-old 65-year-old 100 108 1,100 1990s 12 wheelchair Québécois Mr Dr two-spirit non-binary veteran LaToya McDonald
D'Angelo 7-year-old
""".split()  # noqa: SIM905 - a list of words reads better as text

# Where the oracle is known to be wrong: mixed capitals, marks in front, some initialisms, French "Yv-", "wee-gur".
INFLECT_IS_WRONG = set(
    re.findall(r"\S+", "'eager' (honest) EU F1 FtM HIV HIV-positive MtF Uyghur Yvonne onesie usher École")
)


FURTHER = {
    "an": ("øre", "fMRI", "mRNA", "unitalicised", "iPhone"),
    "a": ("Łódź", "UCLA", "USAID", "UEFA", "UNESCO", "UNHCR", "US-born", "tRNA"),
}


@sweep(
    ("word", "expected"), [(word, form) for form, listed in (("an", AN), ("a", A), *FURTHER.items()) for word in listed]
)
def test_the_article_goes_by_the_sound_of_the_first_word(word: str, expected: str) -> None:
    assert article(word) == article(f"{word} writer") == expected
    assert [article(words) for words in ("", "...")] == ["a", "a"]
    assert [capitalise(words) for words in ("mtF person", "émigré", "")] == ["MtF person", "Émigré", ""]


def test_inflect_agrees_on_every_word_but_numbers_and_those_listed() -> None:
    engine = inflect_engine()
    words = [word for word in AN + A if not re.match(r"\W?\d", word)]
    assert {word for word in words if engine.a(word).split()[0] != article(word)} == INFLECT_IS_WRONG


# The known faults of ``inflect`` among them.
PLURALS = """
person/people, non-binary person/non-binary people, chairperson/chairpeople, child/children, grandchild/grandchildren,
Swiss/Swiss, passer-by/passers-by, passerby/passersby, elderly/elderly, Chinese/Chinese, woman/women,
trans woman/trans women, Frenchman/Frenchmen, human/humans, German/Germans, Roman/Romans, shaman/shamans,
policeman/policemen, man/men, mother-in-law/mothers-in-law, person of color/people of color, wife/wives,
wheelchair user/wheelchair users, Latino/Latinos, Latter-day Saint/Latter-day Saints, Israeli/Israelis,
Filipina/Filipinas, lady/ladies, boy/boys, witch/witches, MtF/MtFs, enby/enbies, boss/bosses, Jew/Jews,
65-year-old/65-year-olds, Inuit/Inuit, man with a cane/men with a cane, Woman/Women, Person/People,
Filipino/Filipinos, Chicano/Chicanos, Navajo/Navajos, Inuk/Inuit, Sioux/Sioux, Manx/Manx, thief/thieves, hero/heroes
"""
# No Latin word, which has no English plural.
UNCHANGED = ("50+", "女性", "--", "-", "a-", "&", "😀", "", " ", "people of 50+", "1980s")


@sweep(("singular", "several"), [
    *(pair.strip().split("/") for pair in PLURALS.split(",")),
    *((word, word) for word in UNCHANGED),
    ("person (he/him)", "people (he/him)"),
])  # fmt: skip
def test_plurals(singular: str, several: str) -> None:
    assert plural(singular) == several


def test_pronouns_have_five_forms_and_the_verb_agrees() -> None:
    for cell, forms, verb in (
        *((cell, "they them their theirs themself", "have") for cell in ("", "they", "they/them")),
        *((cell, "she her her hers herself", "has") for cell in ("she", "She/Her")),
        ("he/him/his", "he him his his himself", "has"),
        ("xe/xem/xyr/xyrs/xemself", "xe xem xyr xyrs xemself", "has"),
    ):
        assert [pronoun(cell, form) for form in PRONOUN_FORMS] == forms.split()
        assert choose(cell, "has|have") == verb
    assert choose("they/them/their/theirs/themselves", "has|have") == "have"
    assert choose("they", "s|") == ""
    for cell in ("it", "she/they", "xe/xem", "a/b/c/d/e/f", "he/her"):
        assert refusal(TermError, pronoun, cell, "they") == (
            f"the pronouns {cell!r} are not known.\n    Write she, he, they, or five forms: xe/xem/xyr/xyrs/xemself."
        )


# am, is, are, was, were, be, being
CONJUGATED = {
    "has epilepsy": "have has have had had have having",
    "uses a wheelchair": "use uses use used used use using",
    "identifies as trans": "identify identifies identify identified identified identify identifying",
    "is on the spectrum": "am is are was were be being",
    "wears a hijab": "wear wears wear wore wore wear wearing",
    "goes to church": "go goes go went went go going",
    "stutters": "stutter stutters stutter stuttered stuttered stutter stuttering",
    "teaches": "teach teaches teach taught taught teach teaching",
    "passes": "pass passes pass passed passed pass passing",
    "plays": "play plays play played played play playing",
    "sees ghosts": "see sees see saw saw see seeing",
    "shops": "shop shops shop shopped shopped shop shopping",
    "gets migraines": "get gets get got got get getting",
    "needs a cane": "need needs need needed needed need needing",
    "dies": "die dies die died died die dying",
    "prefers tea": "prefer prefers prefer preferred preferred prefer preferring",  # stressed, and compound verbs
    "suffers": "suffer suffers suffer suffered suffered suffer suffering",
    "undergoes care": "undergo undergoes undergo underwent underwent undergo undergoing",
    "lip-reads": "lip-read lip-reads lip-read lip-read lip-read lip-read lip-reading",
}


@sweep("predicate", CONJUGATED)
def test_the_verb_follows_the_form_and_the_rest_stays(predicate: str) -> None:
    _verb, space, rest = predicate.partition(" ")
    expected = [verb + space + rest for verb in CONJUGATED[predicate].split()]
    assert [English().conjugate(predicate, form) for form in BE_FORMS] == expected


def test_negated_verbs_and_other_forms_than_the_third_person() -> None:
    negated = [English().conjugate("does not hear well", form) for form in ("are", "was", "being")]
    assert negated == ["do not hear well", "did not hear well", "not hearing well"]
    for predicate in ("epilepsy", "cannot see", "Uses a cane", "be deaf", "less able", "was born deaf"):
        assert not English().is_third_person(predicate), predicate
