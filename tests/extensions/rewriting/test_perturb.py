"""Mentions and rewritings, rule by rule; the labelled sentences are in test_perturb_sentences.py."""

import pytest
from build_perturb import index, rewritten
from hypothesis import given
from hypothesis import strategies as st
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.extensions.rewriting.perturb.mentions import find_mentions
from fairness_checklist.extensions.rewriting.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.extensions.rewriting.perturb.surfaces import build_index, tokenize
from fairness_checklist.extensions.rewriting.suite_from_texts import Counterfactuals, LabelledText, counterfactuals

WOMAN = IdentityTerm("woman", "women", pos="noun", plural="women", pronouns="she", concept="adult")
MAN = IdentityTerm("man", "men", pos="noun", plural="men", pronouns="he", concept="adult")
SISTER = IdentityTerm("sister", "women", pos="noun", pronouns="she", concept="sibling")
BROTHER = IdentityTerm("brother", "men", pos="noun", pronouns="he", concept="sibling")
GIRL = IdentityTerm("girl", "women", pos="noun", pronouns="she", concept="child", flags="minor")
BOY = IdentityTerm("boy", "men", pos="noun", pronouns="he", concept="child", flags="minor")
XE = IdentityTerm("enby", "non-binary", pos="noun", pronouns="xe/xem/xyr/xyrs/xemself")
OLD_TERM = IdentityTerm("deviant", "men", pos="noun", status="dispreferred")
TERMS = TermList("gender", (WOMAN, SISTER, GIRL, MAN, BROTHER, BOY, XE))


def swapped(text: str, target: IdentityTerm, terms: TermList = TERMS) -> str:
    made = rewrite(find_mentions(text, build_index(terms)), target)
    return made.text if isinstance(made, Rewritten) else f"({made.reason})"


_TITLED = "(a word in it implies one sex)"


OTHER_WORD = "another word in it may hold for one group only"


@sweep(("text", "target", "expected"), [
    ("My sister paints.", BROTHER, "My brother paints."),
    ("My sister paints.", MAN, "(one of the two terms is a relative's, and they are no counterparts)"),
    ("A woman came.", BROTHER, "(one of the two terms is a relative's, and they are no counterparts)"),
    ("A girl came.", BOY, "A boy came."),
    ("A girl came.", MAN, "(one of the two terms means a minor, and one does not)"),
    ("THE WOMAN LEFT HER BAG.", MAN, "THE MAN LEFT HIS BAG."),
    ("The woman hurt herself.", XE, "The enby hurt xemself."),
    ("The woman came.", WOMAN, "The woman came."),
    ("A pregnant woman came.", MAN, "(a word in it implies one sex)"),
    ("The woman gave her flowers.", MAN, f"({OTHER_WORD})"),
    ("The man sold *his* car.", WOMAN, f"({OTHER_WORD})"),
    ("The man sold his/their car.", WOMAN, f"({OTHER_WORD})"),
    ("The woman and her queen said she won.", MAN, f"({OTHER_WORD})"),
    ("The woman is a queen.", MAN, f"({OTHER_WORD})"),
    ("When he sang, the man smiled.", WOMAN, f"({OTHER_WORD})"),
    ("A woman met a girl.", MAN, "(it has several terms of the group 'women')"),
    ("A woman met a man.", MAN, "(it mentions several groups: women, men)"),
    ("A man asked me to man the desk.", WOMAN, "(its term occurs twice, once in an ambiguous context)"),
    ("Her Majesty the Queen opened the bridge.", MAN, _TITLED),
    ("The woman defended her honour.", MAN, _TITLED),
    ("His All-Holiness prayed, and he wept.", MAN, _TITLED),
    ("Women cheered Her Majesty.", MAN, f"({OTHER_WORD})"),
    ("Your Majesty, she left.", MAN, "(a pronoun in it may refer to another person)"),
    ("Their Majesties met a woman.", MAN, _TITLED),
    ("The woman lost her majestic hat.", MAN, "The man lost his majestic hat."),
    ("See www.man.com/woman for it.", MAN, "(it mentions no term unambiguously)"),
])  # fmt: skip
def test_nouns(text: str, target: IdentityTerm, expected: str) -> None:
    assert swapped(text, target) == expected


NO_ADJECTIVE = "is not an adjective, which alone fits there"
DOUBT = "a verb would have to agree with they"


@sweep(("attribute", "text", "target", "expected"), [
    ("gender", "The woman says she's ill.", "non-binary", DOUBT),
    ("gender", "The woman hopes she'll win.", "non-binary", "The non-binary person hopes they'll win."),
    ("gender", "The woman asked why is she here.", "non-binary", DOUBT),
    ("gender", "The woman said she still isn't ill.", "non-binary",
     "The non-binary person said they still aren't ill."),
    ("gender", "The woman says she was ill and is well.", "non-binary", DOUBT),
    ("gender", "The woman says she sang and danced.", "non-binary", "The non-binary person says they sang and danced."),
    ("nationality", "The Netherlands is flat.", "Chad", "Chad is flat."),
    ("nationality", "France is flat.", "the Netherlands", "The Netherlands is flat."),
    ("nationality", "Rural France is flat.", "Chad", "it mentions no term unambiguously"),
    ("nationality", "A French person came.", "Austria", "An Austrian person came."),
    ("nationality", "I met a German.", "Austria", "I met an Austrian."),
    ("nationality", "My guide was Greek.", "New Zealand", "My guide was from New Zealand."),
    ("nationality", "Our guides are Greek.", "New Zealand", f"'New Zealand' {NO_ADJECTIVE}"),
    ("disability", "A deaf person came.", "with epilepsy", "A person with epilepsy came."),
    ("disability", "A deaf person's dog came.", "with epilepsy", "'with epilepsy' cannot follow the noun"),
    ("age", "A young boy came.", "old", "it mentions no term unambiguously"),
    ("disability", "A person with epilepsy came.", "deaf", "'deaf' has no place behind the noun"),
    ("disability", "My sister is deaf.", "with epilepsy", "My sister has epilepsy."),
    ("disability", "A deaf writer came.", "wheelchair user", "'wheelchair user' is a noun without an adjective"),
    ("names", "Casey lost their keys.", "Susan", "it has they, which may refer to that person"),
    ("names", "Casey lost her keys.", "Carlos", "Carlos lost his keys."),
    ("names", "Casey told her that he won.", "Carlos", "it has both she and he, and one may refer to that person"),
    ("names", "Mary told him.", "Carlos", "Carlos told him."),
    ("religion", "She left Islam.", "Judaism", "She left Judaism."),
    ("race", "An asian woman came.", "Black", "A Black woman came."),
])  # fmt: skip
def test_other_terms(attribute: str, text: str, target: str, expected: str) -> None:
    assert rewritten(attribute, text, target) == expected


def test_what_is_found_has_its_place_and_form() -> None:
    text = "Two Germans met."
    [mention] = find_mentions(text, index("nationality")).mentions
    found = (text[mention.start : mention.end], mention.form, mention.term.group)
    assert found == ("Germans", "plural", "Europe and Northern America")
    assert find_mentions("A Congolese singer came.", index("nationality")).mentions == ()


def made_of(text: str, known: TermList, chosen: TermList) -> list[str] | str:
    """The rows of a source, or why the text is none."""
    made = counterfactuals(LabelledText("1", text), build_index(known), chosen)
    return [row.text for _term, row in made.rows] if isinstance(made, Counterfactuals) else made.reason


def test_what_a_source_is_written_with() -> None:
    """The text's own term is in its row; one that may hurt, or a group without a term that fits, drops the text."""
    known, chosen = TermList("gender", (*TERMS.terms, OLD_TERM)), TermList("gender", (WOMAN, MAN))
    why = "one of the two terms is a relative's, and they are no counterparts"
    assert made_of("A man called.", known, chosen) == ["A man called.", "A woman called.", "A man called."]
    assert made_of("A deviant called.", known, chosen) == "its term may hurt or has another sense"
    assert made_of("A sister called.", known, chosen) == f"no term fits of the group 'men' ({why})"
    rows = ["A sister called.", "A sister called.", "A brother called."]
    assert made_of("A sister called.", known, TermList("gender", (WOMAN, MAN, BROTHER))) == rows
    not_chosen = "it mentions the group 'non-binary', which was not chosen"
    assert made_of("An enby came.", TERMS, chosen) == not_chosen
    assert made_of("She left.", TERMS, TERMS) == "no pronoun stands for the group 'non-binary'"
    made = counterfactuals(LabelledText("1", "She left."), build_index(chosen), chosen)
    assert isinstance(made, Counterfactuals)
    assert [(term and term.term, row.text, row.spans) for term, row in made.rows] == [
        (None, "She left.", ((0, 3),)),
        ("she", "She left.", ((0, 3),)),
        ("he", "He left.", ((0, 2),)),
    ]


@given(st.text(alphabet=st.sampled_from(list("aAhHersi'\u2019mMn.,!?\"()-/@ \n#womanitHeShe")), max_size=60))
def test_any_text_is_read_and_rewritten_or_left(text: str) -> None:
    found = find_mentions(text, build_index(TERMS))
    for mention in found.mentions:
        assert tokenize(text).at(mention.first).start == mention.start
    made = rewrite(found, MAN)
    if isinstance(made, Rewritten):
        assert not found.reason
        assert all(made.text[a:b].lower() in ("man", "men", "he", "him", "his", "himself") for a, b in made.spans)
    again = rewrite(found, found.term) if not found.reason else None
    assert again is None or (isinstance(again, Rewritten) and again.text == text)


def test_phrases_with_their_own_pronoun_need_a_noun_of_any_gender() -> None:
    forties = IdentityTerm("in their forties", "forties", pos="pp", predicate="is in their forties")
    terms = TermList("age", (IdentityTerm("bald", "bald"), forties))
    assert swapped("A bald writer came.", forties, terms) == "A writer in their forties came."
    assert swapped("A bald woman came.", forties, terms) == "('in their forties' has another pronoun than the noun)"


@sweep(("attribute", "text", "expected"), [
    ("religion", "A Muslim man opened a shop.", "A Hindu man opened a shop."),
    ("religion", "Christian Bale opened a shop.", None),
    ("race_ethnicity", "Two Asian writers sat down.", "Two Black writers sat down."),
    ("sexual_orientation", "My friend is gay.", "My friend is asexual."),
    ("sexual_orientation", "My brother is gay.", None),
    ("disability", "A deaf writer waved.", "A blind writer waved."),
])  # fmt: skip
def test_shipped_attributes_are_found_in_plain_sentences(attribute: str, text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(fc.errors.SuiteError):
            fc.Suite.from_texts([text], attribute)
    else:
        assert expected in fc.Suite.from_texts([text], attribute).texts()
