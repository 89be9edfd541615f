"""Sets of pronouns, and verbs that agree with them."""

from __future__ import annotations

import pytest

from fairness_checklist.content.grammar.english_articles import choose, pronoun
from fairness_checklist.content.grammar.language import PRONOUN_FORMS
from fairness_checklist.core.errors import TermError


@pytest.mark.parametrize(
    ("cell", "forms"),
    [
        ("", "they them their theirs themself"),
        ("they", "they them their theirs themself"),
        ("they/them", "they them their theirs themself"),
        ("she", "she her her hers herself"),
        ("She/Her", "she her her hers herself"),
        ("he/him/his", "he him his his himself"),
        ("xe/xem/xyr/xyrs/xemself", "xe xem xyr xyrs xemself"),
    ],
)
def test_the_five_forms(cell: str, forms: str) -> None:
    assert [pronoun(cell, form) for form in PRONOUN_FORMS] == forms.split()


def test_the_verb_agrees() -> None:
    assert [choose(cell, "has|have") for cell in ("she", "he", "", "xe/xem/xyr/xyrs/xemself")] == [
        "has",
        "has",
        "have",
        "has",
    ]
    assert choose("they", "s|") == ""
    assert choose("they/them/their/theirs/themselves", "runs|run") == "run"


@pytest.mark.parametrize("cell", ["it", "she/they", "xe/xem", "a/b/c/d/e/f", "he/her"])
def test_an_unknown_set_is_an_error(cell: str) -> None:
    with pytest.raises(TermError) as error:
        pronoun(cell, "they")

    assert str(error.value) == (
        f"the pronouns {cell!r} are not known.\n    Write she, he, they, or five forms: xe/xem/xyr/xyrs/xemself."
    )
