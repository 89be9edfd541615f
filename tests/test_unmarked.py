"""The control without the identity: where grammar allows it, and what it says."""

from sweep import sweep

from fairness_checklist.content.rendering import unmarked_text
from fairness_checklist.content.slots import parse

ALLOWED = [
    ("{A:identity_np} won.", "Someone won."),
    ("{The:identity_pl} won.", "The people won."),
    ("I met {a:identity.engineer}.", "I met an engineer."),
    ("{Identity.writers} won.", "Writers won."),
    ("{A:identity_adj} engineer", "An engineer"),
    ("{Identity_adj} writers love rain.", "Writers love rain."),
    ("That {identity_adj} poet won.", "That poet won."),
    ("Alex's {identity_adj} friend won.", "Alex's friend won."),
    ("She is my {identity_adj} boss.", "She is my boss."),
    ("We saw many {identity_adj} people; {they:identity} {was|were:identity} kind.",
     "We saw many people; they were kind."),
    ("{A:identity_np} lost {their:identity} hat. {Their:identity} hat!", "Someone lost their hat. Their hat!"),
    ("The {identity_adj} family of {a:identity_adj} elderly {identity.singer}.", "The family of an elderly singer."),
    ("A town of {{x}}: {identity_pl}.", "A town of {x}: people."),
]  # fmt: skip

NOT_ALLOWED = [
    "She is {identity_adj} and kind.",
    "They're not {identity_adj} yet.",
    "The word is '{identity_adj}'.",
    "{Identity_adj} or not, they won.",
    "A {identity_adj}, kind writer.",
    "{A:identity_adj} and kind writer.",
    "{A:identity_adj}-owned firm.",
    "{Identity_adj}",
    "Sam {is:identity}.",
    "{Person} won.",
    "{A:identity_np} from {country}.",
    "An openly {identity_adj} senator spoke.",
    "The most {identity_adj} town in Ohio.",
    "An {identity_adj} engineer met a {identity_adj} artist.",
]


@sweep(("template", "text"), [*ALLOWED, *((template, None) for template in NOT_ALLOWED)])
def test_the_identity_goes_and_grammar_follows_unless_the_sentence_would_break(template: str, text: str | None) -> None:
    assert unmarked_text(parse(template)) == text
