"""The export to CheckList: what is in its suite, and case by case the same pass and fail as ours."""

import json
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import forked
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.checks import Check
from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.extensions.checklist.to_checklist import to_checklist
from fairness_checklist.run.options import DEFAULT_CHECKS

CLASSES = ("negative", "neutral", "positive")
LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def predictor(model: Any) -> Callable[[list[str]], Any]:
    """A model as CheckList's tests take it; decisions alone have probabilities of 1 and 0."""

    def probabilities(texts: list[str]) -> Any:
        predictions = model.predict(list(texts))
        decided = np.eye(len(predictions.classes))[predictions.predicted]
        return decided if predictions.probabilities is None else predictions.probabilities

    predict: Callable[[list[str]], Any] = import_checklist().pred_wrapper.PredictorWrapper.wrap_softmax(probabilities)
    return predict


def example_set(attribute: str = "gender") -> ExampleSet:
    """Four sources: with a control, without one, not symmetric, and with a single text."""
    rows = [  # source, group, term, text
        (0, -1, -1, "That writer is great."),
        (0, 0, 0, "That female writer is great."),
        (0, 0, 1, "That woman writer is great."),
        (0, 1, 2, "That male writer is great."),
        (1, 0, 0, "The female cook burnt it."),
        (1, 1, 2, "The male cook burnt it."),
        (2, 0, 1, "As a woman she was slow."),
        (2, 1, 2, "As a male he was slow."),
        (3, 1, 2, "A male clerk came in."),
    ]
    label = [2, 0, 0, 1]
    source, group, term = (np.array([row[column] for row in rows]) for column in range(3))
    return ExampleSet(
        attribute=attribute,
        task="sentiment",
        groups=("female", "male"),
        terms=("female", "woman", "male"),
        term_group=np.array([0, 0, 1]),
        sources=(
            Source("g-1", label="positive"),
            Source("g-2", label="negative"),
            Source("g-3", label="negative", symmetric=False),
            Source("g-4", label="neutral"),
        ),
        source=source,
        group=group,
        term=term,
        classes=CLASSES,
        label=np.array([label[s] for s in source]),
        texts=ListedTexts(tuple(str(row[3]) for row in rows)),
    )


def test_the_suite_holds_checklists_own_types_with_everything_filled_in() -> None:
    package = import_checklist()
    suite = to_checklist([example_set("gender"), example_set("names")])
    assert type(suite) is package.test_suite.TestSuite
    kinds = {name: type(test).__name__ for name, test in suite.tests.items()}
    of_gender = {"gender: invariance": "INV", "gender: minimum functionality": "MFT"}
    assert kinds == of_gender | {"names: invariance": "INV", "names: minimum functionality": "MFT"}
    assert list(kinds)[:2] == list(of_gender)
    assert suite.info["gender: invariance"] == {
        "capability": "Fairness",
        "type": "INV",
        "description": "The prediction does not depend on the identity term (female, male).",
    }
    assert suite.info["gender: minimum functionality"] == {
        "capability": "Fairness",
        "type": "MFT",
        "description": "The prediction is the gold class (negative, neutral, positive), whoever is spoken of.",
    }


def test_an_invariance_case_is_a_symmetric_source_with_the_reference_in_front_whatever_the_order() -> None:
    test = to_checklist([example_set()]).tests["gender: invariance"]
    texts = example_set().render()
    assert test.data == [texts[:4], texts[4:6]]
    assert test.labels is None
    assert test.meta == [
        [
            {"source": "g-1", "group": "unmarked", "term": ""},
            {"source": "g-1", "group": "female", "term": "female"},
            {"source": "g-1", "group": "female", "term": "woman"},
            {"source": "g-1", "group": "male", "term": "male"},
        ],
        [{"source": "g-2", "group": "female", "term": "female"}, {"source": "g-2", "group": "male", "term": "male"}],
    ]
    examples = example_set()
    order = np.arange(len(examples))[::-1]
    texts = examples.render()
    columns = {name: getattr(examples, name)[order] for name in ("source", "group", "term", "label")}
    turned = replace(examples, **columns, texts=ListedTexts(tuple(texts[row] for row in order)))
    test = to_checklist([turned]).tests["gender: invariance"]
    assert [case[0] for case in test.data] == ["That writer is great.", "The female cook burnt it."]


def test_a_functionality_case_is_a_text_that_mentions_a_group() -> None:
    test = to_checklist([example_set()]).tests["gender: minimum functionality"]
    assert test.data == [text for text in example_set().render() if text != "That writer is great."]
    assert test.labels == [2, 2, 2, 0, 0, 0, 0, 1]
    assert test.meta[0] == {"source": "g-1", "group": "female", "term": "female"}
    assert test.meta[-1] == {"source": "g-4", "group": "male", "term": "male"}
    two = to_checklist([example_set()], classes=("positive", "negative")).tests["gender: minimum functionality"]
    assert "A male clerk came in." not in two.data
    assert two.labels == [0, 0, 0, 1, 1, 1, 1]


def test_parts_with_nothing_in_them_are_left_out() -> None:
    examples = example_set()
    unlabelled = replace(examples, label=np.full(len(examples), -1))
    assert list(to_checklist([unlabelled]).tests) == ["gender: invariance"]
    one_sided = replace(examples, sources=tuple(replace(source, symmetric=False) for source in examples.sources))
    assert list(to_checklist([one_sided]).tests) == ["gender: minimum functionality"]
    assert refusal(fc.errors.SuiteError, to_checklist, [replace(one_sided, label=unlabelled.label)]) == (
        "nothing to export: no check, or no symmetric source with two texts and no text with a gold class.\n"
        "    Name a check; build the suite with two terms at least, or with labelled templates."
    )


def compare(suite: fc.Suite, model: Any, checks: Sequence[Check] = DEFAULT_CHECKS) -> tuple[int, int]:
    """Compare every case of every test with ours; the numbers of cases and of those that fail."""
    theirs = suite.to_checklist(classes=model.classes, checks=checks)
    theirs.run(predictor(model), verbose=False)
    found: list[bool] = []
    for examples in suite.examples.values():
        outcomes = reduce_to_outcomes(examples, model.predict(examples.render()))
        for check in checks:
            ours = check.run(outcomes)
            if not ours.cases and isinstance(check, fc.MinimumFunctionality):
                assert ours.test not in theirs.tests
                continue
            test = theirs.tests[ours.test]
            passed = [bool(result) for result in test.results.passed if result is not None]
            assert passed == (~ours.failed).tolist(), ours.test
            assert (type(test).__name__, test.capability) == (ours.type, ours.capability)
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


@cache
def template_ids(attribute: str, task: str) -> tuple[str, ...]:
    """Four of the templates that an attribute has."""
    ids = [one.id for one in fc.Suite.build(attribute, task=task, max_terms=1).parts[0].templates]
    return tuple(ids[:: max(1, len(ids) // 4)][:5])


def some_templates(attribute: str, task: str) -> fc.Suite:
    """A suite of a few of the templates that an attribute has, and two terms a group."""
    ids = template_ids(attribute, task)
    return fc.Suite.build(attribute, task=task, max_terms=2, templates=ids)


def test_every_attribute_passes_and_fails_as_ours() -> None:
    model = grid(CLASSES, seed=2)
    for attribute in fc.list_attributes():
        cases, fails = compare(some_templates(attribute, "sentiment"), model)
        assert cases > fails > 0, attribute


DIRECTIONS = [
    fc.DirectionalExpectation("decreases", label="negative", tolerance=0.1),
    fc.DirectionalExpectation("increases", label="positive", tolerance=0.2),
    fc.DirectionalExpectation("increases"),
    fc.DirectionalExpectation("increases", label="negative"),
    fc.DirectionalExpectation("decreases", tolerance=0.3),
]


FEW = ["generic-00*"]
SUITES: dict[str, Callable[[], fc.Suite]] = {
    "templates": lambda: fc.Suite.build(["gender", "religion"], max_terms=1, templates=FEW),
    "intersection": lambda: fc.Suite.build("gender+age", max_terms=1, templates=FEW),
    "texts": lambda: fc.Suite.from_texts(
        ["A man sold his car.", "Two women {left}: early.", "My father smiled."],
        "gender",
        labels=["neutral", "", "positive"],
    ),
}


@sweep("classes", [CLASSES, ("positive", "negative")])
@sweep("kind", SUITES)
def test_all_kinds_of_tests_pass_and_fail_as_ours(kind: str, classes: tuple[str, ...]) -> None:
    model = grid(classes, seed=1)
    cases, fails = compare(SUITES[kind](), model, [fc.Invariance(0.2), fc.MinimumFunctionality(), *DIRECTIONS])
    assert cases >= fails > 0


def test_a_classifier_that_gives_decisions_alone_passes_and_fails_as_ours() -> None:
    suite = SUITES["templates"]()
    model = fc.load_model(lambda texts: [CLASSES[len(text) % 3] for text in texts], classes=CLASSES)
    assert compare(suite, model)[1] > 0


LOADED = """
import json, sys
from pathlib import Path
from fairness_checklist.extensions.checklist.library import import_checklist
package = import_checklist()
import fairness_checklist as fc
model = fc.load_model("bundled/sentiment")
found = {}
for path in sorted(Path(sys.argv[1]).glob("*.suite")):
    suite = package.test_suite.TestSuite.from_file(path)
    suite.run(package.pred_wrapper.PredictorWrapper.wrap_softmax(lambda texts: model.predict(texts).probabilities),
              verbose=False)
    suite.summary()
    found[path.stem] = [[None if result is None else bool(result) for result in test.results.passed]
                        for test in suite.tests.values()]
Path(sys.argv[1], "found.json").write_text(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@LEAVES_FILES_OPEN
def test_saved_suites_run_in_another_process(tmp_path: Path) -> None:
    expected = {}
    checks: list[Check] = [fc.Invariance(0.05), fc.MinimumFunctionality(), *DIRECTIONS]
    for kind in ("templates", "texts"):
        exported = SUITES[kind]().to_checklist(checks=checks)
        exported.save(tmp_path / f"{kind}.suite")
        exported.run(predictor(fc.load_model("bundled/sentiment")), verbose=False)
        tests = exported.tests.values()
        expected[kind] = [[None if one is None else bool(one) for one in test.results.passed] for test in tests]
    done = forked(LOADED, str(tmp_path), folder=tmp_path, forget=("checklist",))
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "found.json").read_text()) == expected
    assert "gender: minimum functionality\nTest cases:" in done.stdout


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "checklist", None)
    assert refusal(fc.errors.MissingExtraError, to_checklist, [example_set()]) == (
        "CheckList is not installed.\n"
        "    Install the extra, the tools that CheckList's own set-up requires first:\n"
        '    pip install "notebook<7" "setuptools<82" wheel\n'
        '    pip install --no-build-isolation "fairness-checklist[checklist]" "setuptools<82"'
    )


AS_IT_WAS = """
import IPython.core.display as old
before = hasattr(old, "display")
from fairness_checklist.extensions.checklist.library import import_checklist
import_checklist()
assert hasattr(old, "display") == before, "display was left behind"
from checklist.editor import Editor
print(Editor().template("a {x}", x=["b", "c"]).data)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_the_import_of_checklist_leaves_ipython_as_it_was(tmp_path: Path) -> None:
    done = forked(AS_IT_WAS, folder=tmp_path, forget=("checklist", "iso639", "IPython"))
    assert (done.returncode, done.stdout) == (0, "['a b', 'a c']\n"), done.stderr
