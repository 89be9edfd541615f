"""Articles by sound, with ``inflect`` as the oracle and the words on which it is wrong listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sweep import sweep

from fairness_checklist.content.grammar.english_articles import article
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
INFLECT_IS_WRONG = {
    "'eager'",
    "(honest)",
    "EU",
    "F1",
    "FtM",
    "HIV",
    "HIV-positive",
    "MtF",
    "Uyghur",
    "Yvonne",
    "onesie",
    "usher",
    "École",
}
# The same in published sentences: initialisms that lost their capitals, "ushers", "an hors d'oeuvre", "a ouija board".
INFLECT_IS_WRONG_IN_SENTENCES = {
    "flck",
    "hiv",
    "hmmm",
    "hors",
    "lds",
    "lrb",
    "mgm",
    "mtv",
    "ones",
    "ouija",
    "rrb",
    "slc",
    "snl",
    "uberviolence",
    "uni",
    "uruk",
    "usher",
    "ushered",
    "ushers",
    "xfl",
    "xmas",
    "xtc",
    "xxx",
}


@sweep("word", AN)
def test_an_before_a_vowel_sound(word: str) -> None:
    assert article(word) == "an"


@sweep("word", A)
def test_a_before_a_consonant_sound(word: str) -> None:
    assert article(word) == "a"


def inflect_engine() -> Any:
    """The oracle; importing it takes two seconds."""
    import inflect

    return inflect.engine()


def test_inflect_agrees_on_every_word_but_numbers_and_those_listed() -> None:
    engine = inflect_engine()
    words = [word for word in AN + A if not re.match(r"\W?\d", word)]
    differing = {word for word in words if engine.a(word).split()[0] != article(word)}

    assert differing == INFLECT_IS_WRONG


def test_inflect_agrees_on_the_words_of_published_sentences(shared_data: Path) -> None:
    files = sorted((shared_data / "sst5").glob("stsa*"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    words = sorted(set(re.findall(r"\b[a-z]{3,}\b", text)))
    engine = inflect_engine()
    differing = {word for word in words if engine.a(word).split()[0] != article(word)}

    assert len(words) > 10_000
    assert differing == INFLECT_IS_WRONG_IN_SENTENCES


def test_articles_look_at_the_first_word_only() -> None:
    assert article("writer with epilepsy") == "a"
    assert article("honest writer") == "an"
    assert article("") == "a"
    assert article("...") == "a"


def test_capitals_change_the_first_letter_only() -> None:
    assert capitalise("mtF person") == "MtF person"
    assert capitalise("émigré") == "Émigré"
    assert capitalise("8-year-old") == "8-year-old"
    assert capitalise("") == ""


@pytest.mark.parametrize(
    "word", ["Łódź", "UCLA", "USAID", "UEFA", "UNESCO", "UNHCR", "US-born", "tRNA", "unit", "united"]
)
def test_a_before_letters_and_names_that_sound_of_a_consonant(word: str) -> None:
    assert article(word) == "a"


@pytest.mark.parametrize("word", ["øre", "fMRI", "mRNA", "unitalicised", "umbrella", "iPhone"])
def test_an_before_letters_and_names_that_sound_of_a_vowel(word: str) -> None:
    assert article(word) == "an"
