"""What further terms write into slots, beside those of the tables in the documentation."""

from __future__ import annotations

from sweep import sweep

from fairness_checklist.content.slot_forms import SlotText, Unfit, write, write_list
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.terms import IdentityTerm

DEAF = IdentityTerm("deaf", "g")
ASEXUAL = IdentityTerm("asexual", "g")
EPILEPSY = IdentityTerm("with epilepsy", "g", pos="pp", predicate="has epilepsy")
LIMP = IdentityTerm("with a limp", "g", pos="pp")
USER = IdentityTerm("wheelchair user", "g", pos="noun")
WOMAN = IdentityTerm("woman", "g", pos="noun", adjective="female", pronouns="she")
HEIR = IdentityTerm("heir", "g", pos="noun", plural="heirs apparent")
GAMBIA = IdentityTerm("the Gambia", "g", pos="place", adjective="Gambian")
CHAD = IdentityTerm("Chad", "g", pos="place")
ISLAM = IdentityTerm("Islam", "g", pos="faith", adjective="Islamic")
FAITH = IdentityTerm("the Baha'i Faith", "g", pos="faith")

# slot, term, what is written with the term's own words in brackets (None: it does not fit)
TABLE = [
    ("{identity_adj}", DEAF, "[deaf]"),
    ("{identity_adj}", USER, None),
    ("{identity_adj}", WOMAN, None),
    ("{identity_adj}", CHAD, None),
    ("{a:identity_adj}", ASEXUAL, "an [asexual]"),
    ("{A:identity_adj}", DEAF, "A [deaf]"),
    ("{identity_np}", USER, "[wheelchair user]"),
    ("{a:identity_np}", ASEXUAL, "an [asexual person]"),
    ("{a:identity_np}", HEIR, "an [heir]"),
    ("{Identity_pl}", EPILEPSY, "[People with epilepsy]"),
    ("{identity_pl}", USER, "[wheelchair users]"),
    ("{the:identity_pl}", HEIR, "the [heirs apparent]"),
    ("{Identity.writers}", EPILEPSY, "Writers [with epilepsy]"),
    ("{identity.writers}", WOMAN, "[female] writers"),
    ("{identity.writers}", USER, None),
    ("{a:identity.writer}", ASEXUAL, "an [asexual] writer"),
    ("{being:identity}", EPILEPSY, "having [epilepsy]"),
    ("{is:identity}", LIMP, "is a [person with a limp]"),
    ("{were:identity}", LIMP, "were [people with a limp]"),
    ("{Is:identity}", USER, "Is a [wheelchair user]"),
    ("{are:identity}", USER, "are [wheelchair users]"),
    ("{be:identity}", HEIR, "be an [heir]"),
    ("{am:identity}", GAMBIA, "am [Gambian]"),
    ("{is:identity}", CHAD, None),
    ("{them:identity}", WOMAN, "her"),
    ("{Runs|run:identity}", DEAF, "Run"),
    ("{the:country}", GAMBIA, "the [Gambia]"),
    ("{the:country}", CHAD, "[Chad]"),
    ("{country_adj}", CHAD, None),
    ("{the:religion}", FAITH, "the [Baha'i Faith]"),
    ("{a:religion_adj}", ISLAM, "an [Islamic]"),
    ("{religion_adj}", IdentityTerm("Sikh", "g"), "[Sikh]"),
]


@sweep(("text", "term", "expected"), TABLE)
def test_the_table(text: str, term: IdentityTerm, expected: str | None) -> None:
    slot = parse(text)[0]
    assert isinstance(slot, Slot)
    written = write(slot, term)
    if isinstance(written, SlotText):
        shown = written.text[: written.start] + "[" + written.text[written.start : written.end] + "]"
        shown = shown + written.text[written.end :] if written.end > written.start else written.text
        assert shown == expected
    else:
        assert expected is None


def test_reasons_explain_what_is_missing() -> None:
    def reason(text: str, term: IdentityTerm) -> str:
        slot = parse(text)[0]
        assert isinstance(slot, Slot)
        written = write(slot, term)
        assert isinstance(written, Unfit)
        return written.reason

    assert reason("{identity_adj}", EPILEPSY) == "'with epilepsy' is not an adjective"
    assert reason("{identity.writer}", USER) == "'wheelchair user' is a noun without an adjective"
    assert reason("{identity_np}", CHAD) == "'Chad' has no adjective"
    assert reason("{person}", DEAF) == "'deaf' is an adjective, which fills no person slot"


def test_values_of_lists_take_articles_and_capitals() -> None:
    article, the, plain = parse("{A:job}{the:job}{Job}", lists=["job"])
    assert isinstance(article, Slot)
    assert isinstance(the, Slot)
    assert isinstance(plain, Slot)

    written = [write_list(slot, "engineer") for slot in (article, the, plain)]
    assert written == ["An engineer", "the engineer", "Engineer"]
