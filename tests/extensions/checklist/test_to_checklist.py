"""The export to CheckList: case by case the same pass and fail as ours, for all kinds of suites and models."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import forked

import fairness_checklist as fc
from fairness_checklist.checks import Check
from fairness_checklist.checks.directional import DirectionalExpectation, Prediction
from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.core.errors import FairnessChecklistError, ModelError, OptionError, PredictionError, SuiteError
from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import read_sentences
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.checklist.export.exported_expectations import (
    read_tagged,
    read_tagged_line,
    wrap_classifier,
    wrap_tagger,
    write_tagged_line,
)
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.extensions.checklist.to_checklist import to_checklist
from fairness_checklist.run.options import DEFAULT_CHECKS

CLASSES = ("negative", "neutral", "positive")
LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def compare(suite: fc.Suite, model: Any, checks: Sequence[Check] = DEFAULT_CHECKS) -> tuple[int, int]:
    """Compare every case of every test with ours; the numbers of cases and of those that fail."""
    return compare_sets(list(suite.examples.values()), model, checks)


def compare_sets(sets: Sequence[ExampleSet], model: Any, checks: Sequence[Check]) -> tuple[int, int]:
    """The same of example sets."""
    theirs = to_checklist(sets, classes=model.classes, checks=checks)
    theirs.run(wrap_tagger(model) if sets[0].task == "ner" else wrap_classifier(model), verbose=False)
    found = []
    for examples in sets:
        outcomes = reduce_to_outcomes(examples, model.predict(examples.render()))
        for check in checks:
            ours = check.run(outcomes)
            if not ours.cases and isinstance(check, MinimumFunctionality):
                assert ours.test not in theirs.tests
                continue
            test = theirs.tests[ours.test]
            passed = [bool(one) for one in test.results.passed if one is not None]
            assert passed == (~ours.failed).tolist(), ours.test
            assert type(test).__name__ == ours.type
            assert test.capability == ours.capability
            found += passed
    return len(found), len(found) - sum(found)


def grid(classes: Sequence[str], seed: int, **options: Any) -> Any:
    """A classifier whose probabilities are on a grid, so that ties and changes of just the tolerance occur."""

    def predict(texts: list[str]) -> list[list[float]]:
        rows = []
        for text in texts:
            rng = np.random.default_rng(zlib.crc32(text.encode()) + seed)
            cuts = np.sort(rng.integers(0, 11, len(classes) - 1)) / 10
            rows.append(np.diff(np.concatenate([[0.0], cuts, [1.0]])).tolist())
        return rows

    return fc.load_model(predict, classes=classes, **options)


def erring_tagger(sets: Sequence[ExampleSet], seed: int, *, probabilities: bool, errors: float = 0.03) -> Any:
    """A tagger that knows the gold tags, and draws others for some words: terms found in part, ties, wrong types."""
    tags = ["B-LOC", "B-ORG", "B-PER", "I-LOC", "I-ORG", "I-PER", "O"]
    gold: dict[str, list[str]] = {}
    for examples in sets:
        sentences = read_sentences(examples.texts)
        found = [["O"] * n for n in np.diff(sentences.offset)]
        for row, start, end, kind in zip(*vars(sentences.gold).values(), strict=True):
            for at in range(start, end):
                found[row][at] = f"{'B' if at == start else 'I'}-{sentences.types[kind]}".replace("MISC", "ORG")
        gold |= dict(zip(examples.render(), found, strict=True))

    def tag(text: str) -> Any:
        rng = np.random.default_rng(zlib.crc32(text.encode()) + seed)
        codes = np.array([tags.index(one) for one in gold[text]])
        wrong = rng.random(len(codes)) < errors
        codes[wrong] = rng.integers(0, len(tags), wrong.sum())
        if not probabilities:
            return [tags[code] for code in codes]
        share = rng.choice([0.5, 0.6, 0.7, 0.9], len(codes))[:, None]
        return np.eye(len(tags))[codes] * share + (1 - share) / len(tags)

    return fc.load_model(lambda texts: list(map(tag, texts)), task="ner", classes=tags)


@cache
def template_ids(attribute: str, task: str) -> tuple[str, ...]:
    """Four of the templates that an attribute has."""
    ids = [one.id for one in fc.Suite.build(attribute, task=task, max_terms=1).parts[0].templates]
    return tuple(ids[:: max(1, len(ids) // 4)][:5])


def some_templates(attribute: str, task: str) -> fc.Suite:
    """A suite of a few of the templates that an attribute has, and two terms a group."""
    ids = template_ids(attribute, task)
    return fc.Suite.build(attribute, task=task, max_terms=2, templates=ids)


@pytest.mark.parametrize("name", fc.list_models())
def test_the_bundled_models_pass_and_fail_as_ours(name: str) -> None:
    task = next(task for task in ("sentiment", "toxicity", "ner") if name in fc.list_models(task))
    cases, fails = compare(some_templates("names" if task == "ner" else "gender", task), fc.load_model(name))
    assert cases > fails > 0


def test_every_attribute_passes_and_fails_as_ours() -> None:
    model = grid(CLASSES, seed=2)
    for attribute in fc.list_attributes():
        cases, fails = compare(some_templates(attribute, "sentiment"), model)
        assert cases > fails > 0, attribute


def test_the_rates_are_those_of_the_table_of_a_run() -> None:
    suite = fc.Suite.build(["gender", "religion"], max_terms=1, templates=FEW)
    checks: list[Check] = [
        Invariance(0.05),
        MinimumFunctionality(),
        DirectionalExpectation("decreases", label="negative"),
    ]
    model = fc.load_model("bundled/sentiment-3")
    rows = suite.run(model, checks=checks, metrics=["fnr_gap"], draws=0, placebo=False, progress=False).checks
    theirs = suite.to_checklist(checks=checks)
    theirs.run(wrap_classifier(model), verbose=False)
    assert list(rows["test"]) == list(theirs.tests)
    for row in rows.itertuples():
        stats = theirs.tests[row.test].get_stats()
        cases = stats.get("after_filtering", stats.testcases)
        assert (row.cases, row.fails, round(row.fail_rate, 9)) == (cases, stats.fails, round(stats.fail_rate, 9))


def both_ways(reference: Prediction, example: Prediction) -> float | None:
    """Applies to some of the pairs of a case, and returns numbers."""
    if example.group == "women" or not example.term or reference.group:
        return None
    return example.probabilities["positive"] - reference.probabilities["positive"] + 0.1


DIRECTIONS = [
    DirectionalExpectation("decreases", label="negative", tolerance=0.1),
    DirectionalExpectation("increases", label="positive", tolerance=0.2),
    DirectionalExpectation("increases"),
    DirectionalExpectation("decreases", tolerance=0.3),
    DirectionalExpectation(lambda reference, example: reference.label == example.label, name="same label"),
    DirectionalExpectation(both_ways, name="some pairs"),
    DirectionalExpectation(lambda reference, example: None if reference.label == "negative" else 1, name="some cases"),
]


FEW = ["generic-neg-0*", "generic-pos-03"]
SUITES: dict[str, Callable[[], fc.Suite]] = {
    "templates": lambda: fc.Suite.build(["gender", "religion"], max_terms=1, templates=FEW),
    "intersection": lambda: fc.Suite.build("gender+age", max_terms=1, templates=FEW),
    "texts": lambda: fc.Suite.from_texts(
        ["A man sold his car.", "Two women {left}: early.", "My uncle smiled."],
        "gender",
        labels=["neutral", "", "positive"],
    ),
    "Spanish": lambda: fc.Suite.build("gender", language="es", max_terms=1),
}


@pytest.mark.parametrize("classes", [CLASSES, ("positive", "negative")])
@pytest.mark.parametrize("kind", SUITES)
def test_all_kinds_of_tests_pass_and_fail_as_ours(kind: str, classes: tuple[str, ...]) -> None:
    model = grid(classes, seed=1)
    cases, fails = compare(SUITES[kind](), model, [Invariance(0.2), MinimumFunctionality(), *DIRECTIONS])
    assert cases > fails > 0


@pytest.mark.parametrize("probabilities", [True, False])
def test_a_tagger_passes_and_fails_as_ours_and_the_number_of_words_differs(probabilities: bool) -> None:
    suite = fc.Suite.build(["names", "nationality"], task="ner", max_terms=3, templates=["ner-0*"])
    lengths = [
        {len(words(text)) for text in case} for case in suite.to_checklist().tests["nationality: invariance"].data
    ]
    assert any(len(one) > 1 for one in lengths)
    for tolerance in (0.0, 0.3, 1.0):
        for seed in range(2):
            model = erring_tagger(list(suite.examples.values()), seed, probabilities=probabilities)
            cases, fails = compare(suite, model, [Invariance(tolerance), MinimumFunctionality()])
            assert cases > fails > 0


@pytest.mark.parametrize("probabilities", [True, False])
def test_terms_of_several_words_that_are_found_in_part_count_as_ours(probabilities: bool) -> None:
    terms = {"one": ["Ana Maria", "Bo", "Jan de Vries"], "two": ["Li", "Mary Jane Watson", "Noor"]}
    templates = ["{Person} left [Leeds](LOC).", "The editor of [Die Zeit](ORG) met {person} and two others."]
    sets = list(fc.Suite.from_templates(templates, terms, task="ner").examples.values())
    fails = set()
    for seed in range(16):
        model = erring_tagger(sets, seed, probabilities=probabilities, errors=0.1)
        for tolerance in (0.0, 0.45, 0.6, 0.95):
            fails.add(compare_sets(sets, model, [Invariance(tolerance), MinimumFunctionality()])[1])
    assert len(fails) > 5


def test_a_control_with_other_words_is_neither_reference_nor_compared() -> None:
    texts = ("Someone else has left.", "Ana left.", "Bo left.", "Li left.", "Now Noor left.")
    spans = ((), ((0, 3),), ((0, 2),), ((0, 2),), ((4, 8),))
    codes = np.array([-1, 0, 0, 1, 1])
    examples = ExampleSet(
        attribute="names",
        task="ner",
        groups=("one", "two"),
        terms=("Ana", "Bo", "Li", "Noor"),
        term_group=np.array([0, 0, 1, 1]),
        sources=(Source("t"),),
        source=np.zeros(5, dtype=np.int64),
        group=codes,
        term=np.array([-1, 0, 1, 2, 3]),
        classes=(),
        label=np.full(5, -1),
        texts=ListedTexts(texts, spans),
    )
    [test, _] = to_checklist([examples]).tests.values()
    assert test.data == [list(texts[1:])]
    fails = {
        compare_sets([examples], erring_tagger([examples], seed, probabilities=True, errors=0.2), [Invariance()])[1]
        for seed in range(20)
    }
    assert fails == {0, 1}


def test_a_classifier_that_gives_decisions_alone_is_wrapped() -> None:
    suite = SUITES["templates"]()
    model = fc.load_model(lambda texts: [CLASSES[len(text) % 3] for text in texts], classes=CLASSES)
    assert compare(suite, model)[1] > 0


def written_again(test: Any) -> list[str]:
    """The texts that CheckList's editor writes from the templates of a test."""
    import_checklist()
    from checklist.editor import Editor

    editor = Editor()
    written: list[str] = []
    labels: list[int] = []
    for parameters, fill_ins in test.templates:
        filled = editor.template(**parameters, **fill_ins)
        assert filled.templates == [(parameters, fill_ins)]
        written += filled.data
        labels += filled.get("labels", [])
    if labels:
        assert labels == test.labels
    return written


@LEAVES_FILES_OPEN
@pytest.mark.parametrize("kind", [*SUITES, "ner"])
def test_the_editor_of_checklist_writes_all_texts_from_the_templates(kind: str, tmp_path: Path) -> None:
    suite = some_templates("nationality", "ner") if kind == "ner" else SUITES[kind]()
    exported = suite.to_checklist()
    exported.save(tmp_path / "suite")
    package = import_checklist()
    for name, test in package.test_suite.TestSuite.from_file(tmp_path / "suite").tests.items():
        assert test.templates == exported.tests[name].templates
        texts = [text for case in test.data for text in ([case] if isinstance(case, str) else case)]
        assert written_again(test) == texts


def test_a_template_has_the_slots_of_ours() -> None:
    suite = fc.Suite.from_templates(
        ["{A:identity_np} lost {their:identity} bag.", "I met {a:identity.writer}."],
        {"deaf": ["deaf"], "autistic": ["autistic"]},
    )
    [(first, words_of_first), (second, words_of_second)] = suite.to_checklist().tests["identity: invariance"].templates
    assert first == {
        "templates": "{identity_np} lost {their} bag.",
        "nsamples": None,
        "product": False,
        "remove_duplicates": False,
        "mask_only": False,
        "unroll": False,
        "labels": None,
        "meta": False,
        "save": True,
    }
    assert words_of_first == {
        "identity_np": ["Someone", "A deaf person", "An autistic person"],
        "their": ["their", "their", "their"],
    }
    assert second["templates"] == "I met {a:identity}."
    assert words_of_second == {"identity": ["writer", "deaf writer", "autistic writer"]}


def test_a_source_without_a_template_has_one_slot_for_all_that_differs() -> None:
    suite = fc.Suite.from_texts(["So the man sold it."], "gender", terms=["man", "woman", "guy"])
    [(parameters, fill_ins)] = suite.to_checklist().tests["gender: invariance"].templates
    assert (parameters["templates"], fill_ins) == (
        "So the {variation} sold it.",
        {"variation": ["man", "woman", "man", "guy"]},
    )


LOADED = """
import json, sys
from pathlib import Path
from fairness_checklist.extensions.checklist.library import import_checklist
package = import_checklist()
from fairness_checklist.extensions.checklist.export.exported_expectations import read_tagged_line, wrap_classifier
from fairness_checklist.extensions.checklist.export.exported_expectations import wrap_tagger, write_tagged_line
def passed_of(suite):
    return [[None if one is None else bool(one) for one in test.results.passed] for test in suite.tests.values()]
found = {}
for path in sorted(Path(sys.argv[1]).glob("*.suite")):
    suite = package.test_suite.TestSuite.from_file(path)
    tagger = path.stem == "ner"
    predict = wrap_tagger("bundled") if tagger else wrap_classifier("bundled/sentiment-3")
    suite.run(predict, verbose=False)
    suite.summary()
    passed = passed_of(suite)
    texts, answers = path.with_suffix(".txt"), path.with_suffix(".answers")
    suite.to_raw_file(texts)
    predicted, confidence = predict(texts.read_text().split("\\n"))
    lines = [" ".join(map(repr, map(float, row))) for row in confidence] if not tagger else list(
        map(write_tagged_line, predicted, confidence))
    answers.write_text("\\n".join(lines))
    how = {"format_fn": read_tagged_line} if tagger else {"file_format": "softmax"}
    suite.run_from_file(answers, overwrite=True, **how)
    assert passed == passed_of(suite), path
    if tagger:
        answers.write_text("\\n".join(predicted))
        suite.run_from_file(answers, overwrite=True, file_format="pred_only")
        assert suite.tests["nationality: minimum functionality"].results.passed.any()
    suite.save(path.with_suffix(".run"))
    found[path.stem] = passed
Path(sys.argv[1], "found.json").write_text(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@LEAVES_FILES_OPEN
def test_saved_suites_run_in_another_process_also_from_files(tmp_path: Path) -> None:
    suites = {kind: SUITES[kind]() for kind in ("templates", "texts")}
    suites["ner"] = some_templates("nationality", "ner")
    expected = {}
    for kind, suite in suites.items():
        checks: list[Check] = [Invariance(0.05), MinimumFunctionality(), *(DIRECTIONS if kind != "ner" else [])]
        exported = suite.to_checklist(checks=checks, classes=("PER", "LOC", "ORG") if kind == "ner" else None)
        exported.save(tmp_path / f"{kind}.suite")
        exported.run(wrap_tagger("bundled") if kind == "ner" else wrap_classifier("bundled/sentiment-3"), verbose=False)
        tests = exported.tests.values()
        expected[kind] = [[None if one is None else bool(one) for one in test.results.passed] for test in tests]
    done = forked(LOADED, str(tmp_path), folder=tmp_path, forget=("checklist",))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "found.json").read_text()) == expected
    assert "gender: some pairs\nTest cases:" in done.stdout
    assert '[[0, 1, "PER"]]' in done.stdout or '"LOC"]]' in done.stdout


def other_check() -> Any:
    class Other:
        def __repr__(self) -> str:
            return "Other()"

        def run(self, outcomes: Any) -> None: ...

    return Other()


def small(task: str = "sentiment") -> fc.Suite:
    if task == "ner":
        return fc.Suite.build("names", task="ner", max_terms=1, templates=["ner-01"])
    return fc.Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "blind": ["blind"]})


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        (
            lambda: small().to_checklist(checks=[other_check()]),
            OptionError,
            "checks holds Other(), which has no counterpart in CheckList.\n"
            "    Leave it out: Invariance, MinimumFunctionality and DirectionalExpectation can be exported.",
        ),
        (
            lambda: small().to_checklist(checks=[]),
            SuiteError,
            "nothing to export: checks=[] names no test.\n"
            "    Leave checks out: by default Invariance and MinimumFunctionality are exported.",
        ),
        (
            lambda: small().to_checklist(checks=[Invariance(0.1), Invariance(0.2)]),
            SuiteError,
            "two tests have the name 'identity: invariance'; a suite of CheckList has one test of a name.\n"
            '    Leave one out, or name a directional expectation: DirectionalExpectation(..., name="...").',
        ),
        (
            lambda: small().to_checklist(checks=[DirectionalExpectation("increases", label="positiv")]),
            OptionError,
            "label='positiv' is not among the classes negative, neutral, positive.\n"
            "    Did you mean positive? Name one of them.",
        ),
        (
            lambda: small("ner").to_checklist(checks=[DirectionalExpectation("increases")]),
            OptionError,
            "a directional expectation is about whole texts, and these are a tagger's predictions.\n"
            "    Leave it out of checks=.",
        ),
        (
            lambda: (
                small()
                .to_checklist(checks=[DirectionalExpectation(lambda one, two: "yes", name="word")])
                .run(wrap_classifier(grid(CLASSES, 0)), verbose=False)
            ),
            OptionError,
            "word returned 'yes' for a pair of predictions.\n"
            "    Return True, False, a number (above 0 passes), or None where the test does not apply.",
        ),
        (
            lambda: (
                small("ner").to_checklist().run(lambda texts: (["O O"] * len(texts), [1] * len(texts)), verbose=False)
            ),
            PredictionError,
            "the prediction 'O O' is not a list of entities.\n"
            '    Expected first word, word after the last, and type of each: [[0, 2, "PER"]]; [] where there is none. '
            "wrap_tagger gives such predictions.",
        ),
        (
            lambda: read_tagged_line("PER O"),
            PredictionError,
            "the line 'PER O' is not the prediction of a tagger.\n    Write each line with write_tagged_line.",
        ),
        (
            lambda: wrap_tagger(fc.load_model("bundled/sentiment-3"))(["Hi."]),
            ModelError,
            "the model bundled/sentiment-3 classifies whole texts, and wrap_tagger is for taggers.\n"
            "    Use wrap_classifier.",
        ),
        (
            lambda: wrap_classifier(fc.load_model("bundled/ner"))(["Hi."]),
            ModelError,
            "the model bundled/ner tags words, and wrap_classifier is for classifiers.\n    Use wrap_tagger.",
        ),
    ],
)
def test_errors_say_what_is_expected(
    act: Callable[[], object], kind: type[FairnessChecklistError], message: str
) -> None:
    with pytest.raises(kind) as error:
        act()
    assert str(error.value) == message


def test_the_tolerance_is_that_of_the_checks_unless_one_is_given() -> None:
    suite, model = SUITES["templates"](), grid(CLASSES, 3)

    def passed(**options: Any) -> list[bool]:
        exported = suite.to_checklist(**options)
        exported.run(wrap_classifier(model), verbose=False)
        return list(map(bool, exported.tests["gender: invariance"].results.passed))

    assert passed() == passed(tolerance=0.1) == passed(checks=[Invariance(0.4)], tolerance=0.1)
    assert passed(checks=[Invariance(0.4)]) == passed(tolerance=0.4)
    assert sum(passed(tolerance=0.4)) > sum(passed())


def test_a_line_of_a_file_gives_the_prediction_back() -> None:
    predicted, confidence = wrap_tagger("bundled")(["Anna left Paris.", "A new day"])
    for spans, known in zip(predicted, confidence, strict=True):
        again, given = read_tagged_line(write_tagged_line(spans, known))
        assert (again, given.classes) == (spans, known.classes)
        assert np.array_equal(given.values, known.values)
    assert read_tagged(predicted[0])[0][0] == (0, 1, "PER")
