"""Why a term does not fit a slot, and what values of lists write; what terms write is in the tables of the pages."""

from __future__ import annotations

from fairness_checklist.content.slot_forms import Unfit, write, write_list
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.terms import IdentityTerm

DEAF = IdentityTerm("deaf", "g")
EPILEPSY = IdentityTerm("with epilepsy", "g", pos="pp", predicate="has epilepsy")
USER = IdentityTerm("wheelchair user", "g", pos="noun")
CHAD = IdentityTerm("Chad", "g", pos="place")

# slot, term, what is written with the term's own words in brackets (None: it does not fit)


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
