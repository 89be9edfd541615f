"""A suite for the tests of the visual summary: records with hostile texts, and many cases."""

from __future__ import annotations

from fairness_checklist.extensions.checklist.matrix.matrix import CaseRecord, ExampleRecord, TestRecord

SCRIPT = '<script>document.title = "run"</script><img src=x onerror="document.title=1">'
SURROGATE = "A lone \ud83d surrogate and a \x00 control character."
ARABIC = "قال المعلم إن الدرس صعب."


def pair(k: int, *, fails: bool, first: str = "", second: str = "") -> CaseRecord:
    """A case of an original and a changed text."""
    original = first or f"Maria is a good writer, and case {k} is about her."
    changed = second or f"Ahmed is a good writer, and case {k} is about him."
    return CaseRecord(
        not fails,
        (
            ExampleRecord(original, "positive", 0.934, "", None, True),
            ExampleRecord(changed, "negative" if fails else "positive", 0.612, "", not fails, False),
        ),
    )


def single(k: int, *, fails: bool, text: str = "") -> CaseRecord:
    """A case of one text with its label."""
    said = text or f"This is not a bad film at all, said viewer {k}."
    answer = "negative" if fails else "positive"
    return CaseRecord(not fails, (ExampleRecord(said, answer, 0.71, "positive", not fails, False),))


def small_suite() -> list[TestRecord]:
    """One test of each state, with texts that must be escaped."""
    hostile = (single(0, fails=True, text=SCRIPT), single(1, fails=True, text=SURROGATE), single(2, fails=False))
    names = tuple(pair(k, fails=k < 12) for k in range(30))
    arabic = pair(0, fails=True, first=ARABIC, second="قالت المعلمة إن الدرس صعب.")
    return [
        TestRecord('quotes "of" <b>names</b>', "Vocabulary", "MFT", "Words & <signs>.", 3, 3, 0, 2, "", hostile),
        TestRecord("two", "Vocabulary", "MFT", "", 5000, 4000, 1000, 1, "", (single(9, fails=True),)),
        TestRecord("names", "Fairness", "INV", "Change the name.", 200, 100, 10, 12, "", names),
        TestRecord("right to left", "Fairness", "INV", "", 1, 1, 0, 1, "", (arabic,)),
        TestRecord("filtered", "Negation", "DIR", "", 7, 7, 7, 0, "", (CaseRecord(None, ()),)),
        TestRecord("not run", "Negation", "MFT", cases=10),
        TestRecord("unknown", "Negation", "INV", "", 10, 10, 0, None, "The expectation is not known."),
    ]


def large_suite(n_tests: int = 38, n_cases: int = 50) -> list[TestRecord]:
    """As many tests as the suite for sentiment of Ribeiro et al. (2020) has, and some cases of each."""
    capabilities = ("Vocabulary", "Taxonomy", "Robustness", "NER", "Fairness", "Temporal", "Negation", "Coref", "SRL")
    found = []
    for at in range(n_tests):
        fails = at * 27 % 430
        shown = tuple((pair if at % 3 else single)(k, fails=k < fails) for k in range(n_cases))
        kind = ("MFT", "INV", "DIR")[at % 3]
        name = f"test number {at} with a name of some words"
        found.append(TestRecord(name, capabilities[at * 7 % 9], kind, "What it tests.", 500, 500, 0, fails, "", shown))
    return found
