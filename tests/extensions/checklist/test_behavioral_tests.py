"""Behavioral tests and their expectations: the same results as CheckList's, test by test, and the differences."""

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sweep import sweep

from fairness_checklist import checklist as ours
from fairness_checklist.checklist import DIR, INV, MFT, Expect, TestSuite
from fairness_checklist.core.errors import SuiteError, TableError
from fairness_checklist.extensions.checklist.behavioral.behavioral_predictions import read_predictions
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest

SENTENCES = ["The seat is good.", "The seat is bad.", "She liked it.", "He liked it.", "They came late.", "A fine day."]


def grid(seed: int, n_classes: int = 3, ties: bool = True) -> Callable[[list[Any]], tuple[list[int], list[Any]]]:
    """A model with probabilities on a grid of tenths, so that ties and changes of just a tolerance occur; or with any.

    Without ties the failing texts of a case have one order.
    """
    rng = np.random.default_rng(seed)

    def model(texts: list[Any]) -> tuple[list[int], list[Any]]:
        cuts = np.sort(rng.integers(0, 11, (len(texts), n_classes - 1)), axis=1) / 10
        edges = np.hstack([np.zeros((len(texts), 1)), cuts, np.ones((len(texts), 1))])
        confs = np.diff(edges, axis=1) if ties else rng.dirichlet(np.ones(n_classes), len(texts))
        return [int(one) for one in confs.argmax(axis=1)], list(confs)

    return model


def longer(x: Any, pred: Any, conf: Any, label: Any = None, meta: Any = None) -> Any:
    return None if pred == 1 else len(x) - 14


def moved(orig_pred: Any, pred: Any, orig_conf: Any, conf: Any, labels: Any = None, meta: Any = None) -> Any:
    return float(conf[0] - orig_conf[0] + 0.3)


def kept_pair(orig_pred: Any, pred: Any, *rest: Any, **more: Any) -> bool:
    return bool(orig_pred != 1)


def whole_case(xs: Any, preds: Any, confs: Any, labels: Any = None, meta: Any = None) -> Any:
    return np.array([bool(pred != 2) for pred in preds])


EXPECTATIONS: dict[str, Callable[[Any], Any]] = {
    "eq, a label": lambda e: e.eq(),
    "eq, a value": lambda e: e.eq(1),
    "inv": lambda e: e.inv(0.2),
    "inv, no tolerance": lambda e: e.inv(),
    "monotonic, own class": lambda e: e.monotonic(tolerance=0.1),
    "monotonic, falls": lambda e: e.monotonic(label=2, increasing=False, tolerance=0.2),
    "single": lambda e: e.single(longer),
    "pairwise": lambda e: e.pairwise(moved),
    "testcase": lambda e: e.testcase(whole_case),
    "slice_pairwise": lambda e: e.slice_pairwise(e.inv(0.1), kept_pair),
    "slice_single": lambda e: e.slice_single(e.monotonic(), longer),
    "slice_testcase": lambda e: e.slice_testcase(e.inv(0.1), whole_case, "all_except_first"),
    "and": lambda e: e.combine_and(e.inv(0.1), e.single(longer)),
    "or": lambda e: e.combine_or(e.monotonic(tolerance=0.2), e.single(longer)),
    "combine": lambda e: e.combine(e.inv(0.3), e.single(longer), lambda one, other: one * 1.0 + other * 1.0),
    "combine, with None": lambda e: e.combine(
        e.single(longer), e.inv(0.3), lambda one, other: None if one is None else one * 1.0, ignore_none=False
    ),
}


def cases(seed: int, n: int = 40) -> tuple[list[list[str]], list[list[int]]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, n)
    data = [[SENTENCES[at] for at in rng.integers(0, len(SENTENCES), size)] for size in sizes]
    return data, [rng.integers(0, 3, size).tolist() for size in sizes]


def summary_of(suite: TestSuite) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        suite.summary()
    return out.getvalue()


def plain(results: Any) -> list[Any]:
    return [[None if one is None else round(float(one), 12) for one in case] for case in results]


@sweep("name", EXPECTATIONS)
@sweep("kind", [MFT, INV, DIR])
def test_the_results_are_those_of_checklist(checklist: Any, name: str, kind: type[BehavioralTest]) -> None:
    data, labels = cases(len(name))
    theirs = getattr(checklist.test_types, kind.kind)(
        data, expect=EXPECTATIONS[name](checklist.expect.Expect), labels=labels, name="t", capability="c"
    )
    ours = kind(data, expect=EXPECTATIONS[name](Expect), labels=labels, name="t", capability="c")
    flat = [text for case in data for text in case]
    theirs.run(lambda texts: grid(3)(texts), verbose=False)
    ours.run(grid(3), verbose=False)
    assert len(ours.examples()) == len(flat)
    assert plain(ours.results.expect_results) == plain(theirs.results.expect_results)
    assert [None if one is None else bool(one) for one in ours.results.passed] == [
        None if one is None else bool(one) for one in theirs.results.passed
    ]
    stats = theirs.get_stats()
    found = ours.get_stats()
    assert found.fails == stats.get("fails", 0)
    assert found.after_filtering == stats.get("after_filtering", stats.testcases)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_summary_is_the_text_of_checklist(
    checklist: Any, n_classes: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, _ = cases(5, 12)
    made = {}
    for package, suite in ((checklist.test_types, checklist.test_suite.TestSuite()), (ours, TestSuite())):
        expect = checklist.expect.Expect if package is not ours else Expect
        suite.add(package.INV(data, name="pairs", capability="Fairness", description="d"))
        suite.add(package.MFT(SENTENCES, labels=1, name="words", capability="Vocabulary"))
        suite.add(package.MFT([["one"], ["two"]], expect=expect.single(longer), name="one each", capability="Manners"))
        suite.add(
            package.DIR(
                data, expect=expect.slice_pairwise(expect.monotonic(), kept_pair), name="slice", capability="Fairness"
            )
        )
        suite.run(grid(1, n_classes, ties=False), verbose=False)
        made[package] = suite
    monkeypatch.setattr(
        np.random, "choice", lambda fails, n, replace: np.sort(fails)[:n]
    )  # CheckList's sample is random
    capsys.readouterr()
    made[checklist.test_types].summary(n=100, n_per_testcase=4)
    theirs = capsys.readouterr().out
    made[ours].summary(n=100, n_per_testcase=4)
    assert capsys.readouterr().out.rstrip("\n") == theirs.rstrip("\n")
    assert "Example fails" in theirs


def test_decisions_alone_and_labels_of_any_type(checklist: Any) -> None:
    answers = {"a": "yes", "b": "no", "c": "yes"}

    def model(texts: list[str]) -> tuple[list[str], Any]:
        return [answers[text] for text in texts], np.ones(len(texts))

    for expect in (lambda e: e.eq("yes"), lambda e: e.inv(0.1), lambda e: e.monotonic()):
        theirs = checklist.test_types.INV([["a", "b"], ["a", "c"]], expect=expect(checklist.expect.Expect))
        ours = INV([["a", "b"], ["a", "c"]], expect=expect(Expect))
        theirs.run(model, verbose=False)
        ours.run(model, verbose=False)
        assert ours.results.passed.tolist() == theirs.results.passed.tolist()


def test_slice_orig_hands_over_the_confidence_that_its_documentation_names() -> None:
    seen = []
    expect = Expect.slice_orig(Expect.inv(), lambda pred, conf: bool(seen.append((pred, conf.tolist())) or pred == 0))
    test = INV([["a", "b"], ["c", "d"]], expect=expect, name="t", capability="c")
    test.run(
        lambda _: ([0, 1, 1, 1], [np.array(p) for p in ([0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.2, 0.8])]), verbose=False
    )
    assert seen[0] == (0, [0.9, 0.1])
    assert test.get_stats().after_filtering == 1


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    suite = TestSuite()
    suite.add(MFT([f"text {k}" for k in range(50)], labels=0, name="many", capability="Vocabulary"))
    first = suite.get_raw_examples(n=5, seed=3)
    assert suite.get_raw_examples(n=5, seed=3) == first != suite.get_raw_examples(n=5, seed=4)
    suite.get_raw_examples(n=5, seed=3)
    assert suite.get_raw_examples(new_sample=False) == first
    suite.run_from_preds_confs([0, 0, 0, 1, 1], [1.0] * 5)
    assert str(suite["many"].get_stats()) == "Test cases:      50\nTest cases run:  5\nFails (rate):    2 (40.0%)"


@sweep("first", [None, 3])
def test_texts_that_are_asked_for_after_a_run_leave_its_results(tmp_path: Path, first: int | None) -> None:
    suite = TestSuite()
    suite.add(MFT([f"text {k}" for k in range(9)], labels=0, name="texts", capability="Vocabulary"))
    suite.add(INV([[f"{k} a", f"{k} b"] for k in range(9)], name="cases", capability="Fairness"))
    suite.run(grid(5), verbose=False, n=first)
    before, run = summary_of(suite), [list(test.positions()) for test in suite.tests.values()]

    lines = suite.get_raw_examples(n=5, seed=1)
    suite.to_raw_file(tmp_path / "raw.txt", n=5, seed=1)
    suite["texts"].set_expect(Expect.eq())  # computed again, for the cases that were run

    assert (tmp_path / "raw.txt").read_text(encoding="utf-8").splitlines() == lines
    assert summary_of(suite) == before
    assert "Not run." not in before
    assert [list(test.positions()) for test in suite.tests.values()] == run
    with pytest.raises(SuiteError) as error:
        suite.run_from_preds_confs([0] * 15, [1.0] * 15)
    assert str(error.value) == "texts, cases: there are results.\n    Replace them: overwrite=True."
    suite.run_from_preds_confs([0] * 15, [1.0] * 15, overwrite=True)  # of the texts that were written last
    assert [len(test.positions()) for test in suite.tests.values()] == [5, 5]


@sweep(("form", "line", "expected"), [
    ("pred_only", "positive", ("positive", 1.0)),
    ("softmax", "0.2 0.8", (1, [0.2, 0.8])),
    ("binary_conf", "0.25", (0, [0.75, 0.25])),
    ("pred_and_conf", "1 0.9", (1, 0.9)),
    ("pred_and_softmax", "0 0.6 0.4", (0, [0.6, 0.4])),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_file_of_predictions_is_read_as_checklist_reads_it(
    checklist: Any, tmp_path: Path, form: str, line: str, expected: tuple[Any, Any]
) -> None:
    path = tmp_path / "predictions.txt"
    path.write_text(f"header\n{line}\n{line}\n", encoding="utf-8")
    preds, confs = read_predictions(path, form, ignore_header=True)
    theirs = checklist.abstract_test.read_pred_file(str(path), form, ignore_header=True)
    assert preds == list(theirs[0]) == [expected[0]] * 2
    assert np.allclose(np.asarray(confs[0]), np.asarray(theirs[1][0]))
    assert np.allclose(np.asarray(confs[0]), np.asarray(expected[1]))


def test_texts_go_to_a_file_and_predictions_come_from_one(tmp_path: Path) -> None:
    suite = TestSuite()
    suite.add(MFT(["one\ntwo", "three"], labels=[0, 1], name="words", capability="Vocabulary"))
    suite.add(INV([["a", "b"], ["c", "d"]], name="pairs", capability="Fairness"))
    raw = suite.to_raw_file(tmp_path / "raw.txt", header="text")
    assert raw.read_text(encoding="utf-8") == "text\none two\nthree\na\nb\nc\nd"
    (tmp_path / "p.txt").write_text("0 .9 .1\n0 .9 .1\n1 .1 .9\n1 .1 .9\n0 .6 .4\n1 .2 .8\n", encoding="utf-8")
    suite.run_from_file(tmp_path / "p.txt")
    assert suite.to_frame()[["test", "fails", "fail_rate"]].values.tolist() == [["words", 1, 50.0], ["pairs", 1, 50.0]]


def test_a_suite_is_kept_as_text(tmp_path: Path) -> None:
    suite = TestSuite()
    meta = [{"k": np.int64(3)}, None]
    suite.add(MFT(["a", "b"], labels=np.array([0, 1]), meta=meta, name="m", capability="Vocabulary"))
    suite.add(DIR([["a", "b"]], Expect.monotonic(label=1), name="d", capability="Fairness", description="what"))
    suite.add(DIR([["a", "b"]], Expect.pairwise(moved), name="own", capability="Fairness"))
    suite.add(MFT([("a", "b"), ("c", "d")], labels=1, name="two fields", capability="Vocabulary"))
    again = TestSuite.from_file(suite.save(tmp_path / "tests.json"))
    assert [str(again[name].expect) for name in "md"] == [str(suite[name].expect) for name in "md"]
    assert (again["m"].labels, again["m"].meta) == ([0, 1], [{"k": 3}, None])
    assert again["two fields"].examples() == [("a", "b"), ("c", "d")]
    assert again["own"].expect.unknown == ("pairwise(fn=moved)",)
    again.run(lambda texts: [[0.4, 0.6]] * len(texts), verbose=False)
    assert again["own"].state == "no expectation"
    assert "No results: the expectation is a function that the file names only" in summary_of(again)
    again["own"].set_expect(Expect.pairwise(moved))
    assert again["own"].get_stats().fails == 0


def test_the_matrix_has_the_highest_rate_of_a_capability_and_type() -> None:
    suite = TestSuite()
    for name, labels in (("most", [1, 1, 1]), ("none", [0, 0, 0]), ("some", [0, 0, 1])):
        suite.add(MFT(["a", "b", "c"], labels=labels, name=name, capability="Vocabulary"))
    suite.add(INV([["a", "b"]], name="pair", capability="<b>Fairness"))
    suite.run(lambda texts: [[0.75, 0.25]] * len(texts), verbose=False)
    suite.add(DIR([["a", "b"]], Expect.monotonic(), name="later", capability="Vocabulary"))
    table = suite.visual_summary_table()
    assert table.columns.tolist() == ["MFT", "INV", "DIR"]
    assert table.index.tolist() == ["Vocabulary", "<b>Fairness"]
    assert table.fillna(-1).values.tolist() == [[100, -1, -1], [-1, 0, -1]]
    assert suite.visual_summary_table(types=["INV"]).shape == (1, 3)
    assert suite.visual_summary_table(capabilities=["Vocabulary"]).shape == (1, 3)
    html = suite._repr_html_()
    assert "&lt;b&gt;Fairness" in html
    assert "100.0 %" in html


def test_any_model_of_the_package_runs_a_suite() -> None:
    suite = TestSuite()
    suite.add(
        MFT(["What a wonderful film.", "What a horrible film."], labels=[2, 0], name="m", capability="Vocabulary")
    )
    suite.run("bundled", verbose=False)
    assert suite["m"].classes == ("negative", "neutral", "positive")
    assert suite["m"].get_stats().fails == 0


def test_cases_and_predictions_may_be_arrays_and_lists_of_any_length() -> None:
    tagger = INV([["Ana ran.", "Mae Lee ran."]])
    tagger.run(lambda texts: ([["PER", "O"], ["PER", "PER", "O"]], [1.0, 1.0]), verbose=False)
    assert tagger.fail_idxs().tolist() == [0]
    arrays = INV([np.array(["a", "b"])])
    arrays.run(lambda texts: [[0.9, 0.1]] * 2, verbose=False)
    assert arrays.fail_idxs().tolist() == []
    nothing = MFT(["a"], expect=Expect.wrap_slice(Expect.eq(0), Expect.single(lambda *_, **__: False)))
    nothing.run(lambda texts: [[0.9, 0.1]], verbose=False)
    assert np.isnan(nothing.get_stats().fail_rate)


def test_the_functions_of_a_summary_write_cases_and_texts(capsys: pytest.CaptureFixture[str]) -> None:
    test = MFT(["a"], labels=1, name="one", capability="Logic")
    test.summary()
    test.run(lambda texts: [[0.9, 0.1]], verbose=False)
    test.summary(print_fn=lambda xs, preds, *_: f"case {xs} {preds}")
    test.summary(format_example_fn=lambda x, pred, *_: f"text {x} {pred}")
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line[:1].islower() or "Not" in line] == [
        "Not run.",
        "case a 0",
        "text a 0",
    ]


def test_an_estimator_runs_with_positions_and_names_of_classes() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts = ["good", "fine", "bad", "poor"]
    for classes in ([1, 1, 0, 0], ["praise", "praise", "blame", "blame"]):
        model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, classes)
        test = MFT(texts, labels=[1, 1, 1, 0], name="words", capability="Vocabulary")
        test.run(model, verbose=False)
        assert test.fail_idxs().tolist() == [2]
    assert test.classes == ("blame", "praise")
    named = MFT(texts, labels=["praise", "praise", "praise", "blame"], name="words", capability="Vocabulary")
    named.run(model, verbose=False)
    assert named.fail_idxs().tolist() == [2]


def test_a_line_of_another_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    remedy = "    Name the form of its lines: pred_and_softmax, softmax, binary_conf, pred_and_conf, pred_only."
    for content, form in (("0 0.5 0.5\n0 0.25\n", None), ("0 a\n", "pred_and_conf"), ("0\n\n", "binary_conf")):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(TableError) as caught:
            read_predictions(path, form)
        line = content.count("\n")
        named = form or "pred_and_softmax"
        assert str(caught.value) == f"p.txt:{line}: a line is not of the form {named}.\n{remedy}"
    for content in ("0 1\n0 0.5 0.5\n", ""):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(TableError, match=r"p\.txt cannot be read as pred_and_softmax: "):
            read_predictions(path)
