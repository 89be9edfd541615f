"""Why a term does not fit a slot, and what values of lists write; what terms write is in the tables of the pages."""

from sweep import sweep

from fairness_checklist.content.slot_forms import Unfit, write, write_list
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.terms import IdentityTerm

DEAF = IdentityTerm("deaf", "g")
EPILEPSY = IdentityTerm("with epilepsy", "g", pos="pp", predicate="has epilepsy")
USER = IdentityTerm("wheelchair user", "g", pos="noun")
CHAD = IdentityTerm("Chad", "g", pos="place")


@sweep(("text", "term", "reason"), [
    ("{identity_adj}", EPILEPSY, "'with epilepsy' is not an adjective"),
    ("{identity.writer}", USER, "'wheelchair user' is a noun without an adjective"),
    ("{identity_np}", CHAD, "'Chad' has no adjective"),
    ("{person}", DEAF, "'deaf' is an adjective, which fills no person slot"),
])  # fmt: skip
def test_reasons_explain_what_is_missing(text: str, term: IdentityTerm, reason: str) -> None:
    [slot] = parse(text)
    assert isinstance(slot, Slot)
    assert write(slot, term) == Unfit(reason)


def test_values_of_lists_take_articles_and_capitals() -> None:
    slots = parse("{A:job}{the:job}{Job}", lists=["job"])
    written = [write_list(slot, "engineer") for slot in slots if isinstance(slot, Slot)]
    assert written == ["An engineer", "the engineer", "Engineer"]
