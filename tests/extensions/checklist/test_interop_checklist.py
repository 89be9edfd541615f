"""Example sets as CheckList suites: what is in them, and that they pass and fail by CheckList's rule."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import forked
from numpy.typing import NDArray

from fairness_checklist.core.errors import MissingExtraError, OptionError, SuiteError
from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.extensions.checklist.to_checklist import to_checklist

CLASSES = ("negative", "neutral", "positive")
FloatArray = NDArray[np.float64]


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


def fixed(table: dict[str, list[float]]) -> Callable[[list[str]], FloatArray]:
    """A predictor that looks its answers up."""
    return lambda texts: np.array([table[text] for text in texts])


def run(suite: Any, predictor: Callable[[list[str]], FloatArray]) -> Any:
    suite.run(import_checklist().pred_wrapper.PredictorWrapper.wrap_softmax(predictor), verbose=False)
    return suite


def test_the_suite_holds_checklists_own_types_with_everything_filled_in() -> None:
    package = import_checklist()
    suite = to_checklist([example_set("gender"), example_set("names")])
    assert type(suite) is package.test_suite.TestSuite
    assert list(suite.tests) == [
        "gender: invariance",
        "gender: minimum functionality",
        "names: invariance",
        "names: minimum functionality",
    ]
    assert [type(test).__name__ for test in suite.tests.values()] == ["INV", "MFT", "INV", "MFT"]
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


def test_an_invariance_case_is_a_symmetric_source_with_the_reference_in_front() -> None:
    test = to_checklist([example_set()]).tests["gender: invariance"]
    assert test.data == [
        [
            "That writer is great.",
            "That female writer is great.",
            "That woman writer is great.",
            "That male writer is great.",
        ],
        ["The female cook burnt it.", "The male cook burnt it."],
    ]
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


def test_the_reference_does_not_depend_on_the_order_of_the_rows() -> None:
    examples = example_set()
    order = np.arange(len(examples))[::-1]
    texts = examples.render()
    turned = replace(
        examples,
        source=examples.source[order],
        group=examples.group[order],
        term=examples.term[order],
        label=examples.label[order],
        texts=ListedTexts(tuple(texts[row] for row in order)),
    )
    test = to_checklist([turned]).tests["gender: invariance"]
    assert [case[0] for case in test.data] == ["That writer is great.", "The female cook burnt it."]


def test_a_functionality_case_is_a_text_that_mentions_a_group() -> None:
    test = to_checklist([example_set()]).tests["gender: minimum functionality"]
    assert test.data == [text for text in example_set().render() if text != "That writer is great."]
    assert test.labels == [2, 2, 2, 0, 0, 0, 0, 1]
    assert test.meta[0] == {"source": "g-1", "group": "female", "term": "female"}
    assert test.meta[-1] == {"source": "g-4", "group": "male", "term": "male"}


def test_a_change_of_decision_within_the_threshold_passes() -> None:
    examples = example_set()
    table = {text: [0.2, 0.3, 0.5] for text in examples.render()}
    table["That male writer is great."] = [0.45, 0.13, 0.42]
    table["The male cook burnt it."] = [0.1, 0.52, 0.38]
    test = run(to_checklist([examples]), fixed(table)).tests["gender: invariance"]
    assert test.results.passed.tolist() == [True, False]
    assert test.get_stats() == {"testcases": 2, "fails": 1, "fail_rate": 50.0}


def test_two_classes_leave_neutral_texts_out_and_count_labels_in_the_models_order() -> None:
    test = to_checklist([example_set()], classes=("positive", "negative")).tests["gender: minimum functionality"]
    assert "A male clerk came in." not in test.data
    assert test.labels == [0, 0, 0, 1, 1, 1, 1]


def test_parts_with_nothing_in_them_are_left_out() -> None:
    examples = example_set()
    unlabelled = replace(examples, label=np.full(len(examples), -1))
    assert list(to_checklist([unlabelled]).tests) == ["gender: invariance"]
    one_sided = replace(examples, sources=tuple(replace(source, symmetric=False) for source in examples.sources))
    assert list(to_checklist([one_sided]).tests) == ["gender: minimum functionality"]
    with pytest.raises(SuiteError) as error:
        to_checklist([replace(one_sided, label=unlabelled.label)])
    assert str(error.value) == (
        "nothing to export: no symmetric source with two texts, and no text with a gold class.\n"
        "    Build the suite with two terms at least, or with labelled templates."
    )


def test_wrong_arguments_explain_what_is_wrong() -> None:
    with pytest.raises(OptionError) as option:
        to_checklist([example_set()], tolerance=1.5)
    assert str(option.value) == ("tolerance=1.5 is not a number from 0 to 1.")
    with pytest.raises(SuiteError) as twice:
        to_checklist([example_set(), example_set()])
    assert str(twice.value) == (
        "the attribute 'gender' appears twice; a suite of CheckList has one test of a name.\n"
        "    Export the example sets one at a time."
    )


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "checklist":
            raise ModuleNotFoundError("No module named 'checklist'", name="checklist")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtraError) as error:
        to_checklist([example_set()])
    assert str(error.value) == (
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
WITHOUT_PKG_RESOURCES = """
import fairness_checklist.extensions.checklist.library as ours
before = sys.modules.get("pkg_resources", "absent")
find = ours.find_spec
ours.find_spec = lambda name: None if name == "pkg_resources" else find(name)
ours.import_checklist()
assert sys.modules.get("pkg_resources", "absent") == before, "a stand-in was left behind"
sys.modules["pkg_resources"] = None
from checklist.editor import Editor
print(Editor(language="german").template("a {x}", x=["b"]).data)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_checklist_and_its_editor_work_without_pkg_resources_and_leave_ipython_as_it_was(tmp_path: Path) -> None:
    in_the_way = "import sys; sys.modules['pkg_resources'] = None"
    scripts = [AS_IT_WAS, "import sys" + WITHOUT_PKG_RESOURCES, in_the_way + WITHOUT_PKG_RESOURCES]
    for script, printed in zip(scripts, ("['a b', 'a c']", "['a b']", "['a b']"), strict=True):
        done = forked(script, folder=tmp_path, forget=("checklist", "iso639", "IPython", "pkg_resources"))
        assert (done.returncode, done.stdout) == (0, f"{printed}\n"), done.stderr
