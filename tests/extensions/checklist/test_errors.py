"""Errors of CheckList's calls: the first sentence of each names the value, and what was expected."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.checklist import INV, MFT, Editor, Expect, TestSuite
from fairness_checklist.checks.directional import DirectionalExpectation
from fairness_checklist.checks.invariance_and_mft import Invariance
from fairness_checklist.core.errors import FairnessChecklistError
from fairness_checklist.extensions.checklist.editor.editor import OPTIONS

NAMES = ["Ana", "Jim", "Lee"]
PAIRS = [["She came.", "He came."], ["She left.", "He left."]]
NOISE = [["Fine.", "Fine!"], ["Good.", "Gooood."]]


def suite(test: Any = None, *, run: bool = False) -> TestSuite:
    made = TestSuite()
    made.add(test or MFT(["a"], labels=0), "words", "Vocabulary")
    if run:
        made.run(lambda texts: [[1.0, 0.0]] * len(texts), verbose=False)
    return made


def answered(preds: list[int], confs: list[Any]) -> INV:
    test = INV(PAIRS, name="two", capability="Fairness")
    test.run(lambda texts: (preds, confs), verbose=False)
    return test


def small() -> fc.Suite:
    return fc.Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "blind": ["blind"]})


def fill(*arguments: Any, **lists: Any) -> Callable[[], Any]:
    return lambda: Editor().template(*arguments, **lists)


def lexicon(*arguments: Any, **options: Any) -> Callable[[], Any]:
    return lambda: Editor().add_lexicon(*arguments, **options)


def groups(test: Any, **options: Any) -> Callable[[], Any]:
    return lambda: fc.Suite.from_checklist(suite(test), **options)


def run(test: Any, *answer: Any) -> Callable[[], Any]:
    return lambda: test.run(lambda texts: answer[0] if len(answer) == 1 else answer, verbose=False)


UNKNOWN_CLASSES = "and the classes are negative, neutral, positive."
ERRORS: list[tuple[Callable[[], Any], str]] = [
    # the editor
    (fill("{naem}", name=NAMES), "the tag {naem} has no list of values.\n    Did you mean {name}? Lists given: name."),
    (fill("{x1}", x1=NAMES), "the list 'x1' ends in a digit, which numbers copies of a tag.\n    Name it 'x': {x1}"),
    (fill("{labels}", labels=["a"]), "the tag {labels} has the name of an option of template()."),
    (lexicon("meta", ["a"]), "a list cannot have the name 'meta', which template() uses itself.\n    Give it another "
     f"name. Not free: {', '.join(OPTIONS)}."),
    (fill("{x}", x=NAMES, nsample=5), "template() has no option nsample=, and the template has no tag {nsample}."),
    (fill("{x} {y1}", x=NAMES, y=["a"], product=False), "product=False pairs lists of one length; these have {x}: 3"),
    (fill("{x}", x=[]), "the list x is empty."),
    (fill("{x}", x={1}), "the list x is a set, which has no order."),
    (fill({"a": 3}), "templates={'a': 3} holds no string."),
    (fill("{x"), "the template '{x' does not parse: expected '}' before end of string."),
    (fill("{} {x}", x=NAMES), "the tag {} has no name, or more than a name."),
    (fill("{b:x}", x=NAMES), "the tag {b:x} has the option 'b', which is not known."),
    (fill("{x.nam}", x=[{"name": "Ana"}]), "the tag {x.nam} takes .nam of the value {'name': 'Ana'}, which does not"),
    (fill("{x.__doc__}", x=["a"]), "the tag {x.__doc__} takes .__doc__ of the value 'a', which does not have it."),
    (fill("{x1}{x2}{x3}", x=range(1000)), "the product of the lists has 1,000,000,000 fills; expected 5,000,000"),
    (lexicon("fruit", ["fig"], overwrite=True, append=True), "overwrite=True and append=True exclude each other."),
    (lexicon("male", ["fig"]), "the lexicon 'male' exists already.\n    Give overwrite=True to replace it, or append"),
    (lambda: fill("a")() + fill("a", labels=1)(), "cases with data cannot be joined to data, labels.\n    Give"),
    (lambda: fill("a")().__add__(["b"]), "cases with data cannot be joined to a list."),
    (lambda: Editor("german"), "the language 'german' has no lexicons here.\n    Known: en, english, es, spanish."),
    (lambda: Editor("es").template("{a:x}", x=["mesa"]), "the tag {a:x} asks for an English article, and the editor's"),
    # tests and suites
    (lambda: MFT([], labels=0), "a test needs cases, and data holds none."),
    (lambda: MFT(["a"]), "an MFT needs labels or an expectation."),
    (lambda: MFT(["a", "b"], labels=[1]), "labels has 1 entries for 2 cases or texts."),
    (lambda: suite().add(MFT(["a"], labels=0)), "the test has no name.\n    Give it one: suite.add(test, name=...)."),
    (lambda: suite().add(MFT(["a"], labels=0), "words", "c"), "there is a test 'words' in the suite."),
    (lambda: suite()["word"], "there is no test 'word' in the suite.\n    Did you mean words? Its tests: words."),
    (lambda: MFT(["a"], labels=0).get_stats(), "the test None has no results.\n    Run it first."),
    (lambda: suite(run=True).run(lambda texts: [[1.0, 0.0]]), "words: there are results."),
    (lambda: suite().run_from_preds_confs([], []), "0 predictions and 0 confidences for the 1 texts of the suite."),
    (run(suite(), [0, 1]), "2 predictions and 2 confidences for the 1 texts of the model's answer."),
    (lambda: Expect.aggregate_testcase([1], "any"), "agg_fn='any' is not known.\n    Known: all, all_except_first"),
    (run(suite(), [0.5]), "the model gave one number a text, 0.5 for the first."),
    (run(INV(["a"]), [0], [1.0]), "a pairwise expectation compares the texts of a case, and the cases of this test"),
    (lambda: suite().chosen(capabilities=["Vocab"]), "capabilities='Vocab' is not known.\n    Did you mean Vocab"),
    (run(MFT(["a"], labels="good"), [[0.5, 0.5]]), "the expected class 'good' is no position among the 2 classes"),
    (lambda: TestSuite.from_file("no.json"), "no.json cannot be read as a suite: [Errno 2] No such file or directory"),
    (lambda: TestSuite.from_checklist(3), "a int is neither a test nor a suite of CheckList's."),
    # groups in the cases
    (groups(INV(NOISE), tests=["word"]), "there is no test 'word'.\n    Did you mean words? The tests: words."),
    (groups(INV(NOISE)), "groups are found in none of the 1 tests."),
    (groups(INV(NOISE), tests=["words"]), "no groups are found in the test 'words': its meta has no key group, and"),
    (groups(INV(NOISE), groups="who"), "groups='who' is no key of the meta of the test 'words'."),
    (groups(INV(NOISE), groups={}), "groups= names no term."),
    (groups(INV(NOISE), tests=["words"], groups={"foo": "F"}), "no source of the test 'words' has texts of two"),
    (lambda: fc.Suite.from_checklist(answered([0] * 4, [np.array([0.5, 0.5])] * 4)),
     f"the predictions have 2 probabilities, {UNKNOWN_CLASSES}"),
    (lambda: fc.Suite.from_checklist(answered([0, 1, 0, 1], [1.0] * 4)),
     f"the predictions are positions up to 1, {UNKNOWN_CLASSES}"),
    (lambda: small().evaluate(), "the suite has no predictions of its own."),
]  # fmt: skip
OF_FUNCTION = DirectionalExpectation(lambda one, two: "yes", name="word")  # type: ignore[arg-type, return-value]
EXPORT_ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: small().to_checklist(checks=[Invariance(0.1), Invariance(0.2)]), "two tests have the name 'identity: inv"),
    (lambda: small().to_checklist(checks=[DirectionalExpectation("increases", label="positiv")]),
     "label='positiv' is not among the classes negative, neutral, positive."),
    (lambda: fc.Suite.build("names", task="ner", max_terms=1, templates=["ner-001"]).to_checklist(),
     "the suite 'names' is for taggers, and CheckList's tests are about whole texts."),
    (lambda: small().to_checklist(checks=[OF_FUNCTION]), f"checks holds {OF_FUNCTION!r}, which cannot be exported."),
]  # fmt: skip


@sweep(("action", "message"), ERRORS)
def test_errors_say_what_to_do(action: Callable[[], Any], message: str) -> None:
    with pytest.raises(FairnessChecklistError) as caught:
        action()
    assert str(caught.value).startswith(message)
    assert "\n" in str(caught.value), "a remedy"


def test_errors_of_the_export_say_what_to_do() -> None:
    pytest.importorskip("checklist")
    for action, message in EXPORT_ERRORS:
        assert refusal(FairnessChecklistError, action).startswith(message)
