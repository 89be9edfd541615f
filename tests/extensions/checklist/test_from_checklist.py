"""CheckList's suites as ours: in memory, saved, the released one, and files that are not to be trusted."""

import gzip
import io
import pickle
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import golden_figures
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.checklist import INV, MFT, Expect, TestSuite
from fairness_checklist.core.errors import InputError, TableError
from fairness_checklist.extensions.checklist.suite_from_checklist import find_groups


def helper(value: Any) -> bool:
    return bool(value != 1)


def theirs(package: Any) -> Any:
    """A suite of CheckList's with each kind of expectation, data and meta."""
    from munch import Munch

    expect, types = package.expect.Expect, package.test_types
    suite = package.test_suite.TestSuite()
    pairs = [["She came.", "He came."], ["She left.", "He left."], ["She won.", "He won."]]
    for name, test in {
        "labels": types.MFT(["Good.", "Bad."], labels=np.array([1, 0]), meta=[Munch(a=1), {"b": 2}]),
        "nested labels": types.MFT([["a", "b"], ["c", "d"]], labels=[[0, 1], [1, 1]]),
        "a value": types.MFT(["a", "b", "c"], expect=expect.eq(1)),
        "invariance": types.INV(pairs, threshold=0.2),
        "objects": types.MFT(np.array(["a", "b"], dtype=object), labels=1),
        "direction": types.DIR(pairs, expect.monotonic(label=1, increasing=False, tolerance=0.05)),
        "both": types.DIR(pairs, expect.combine_and(expect.inv(0.3), expect.monotonic())),
        "either": types.DIR(pairs, expect.combine_or(expect.inv(0.3), expect.eq(0)), agg_fn="all"),
        "first ignored": types.INV(pairs, agg_fn=expect.all(ignore_first=True)),
        "own function": types.DIR(pairs, expect.slice_orig(expect.inv(0.1), lambda one, other: helper(one))),
        "own test": types.MFT(["a"], expect.test(lambda *args: [np.array([True])])),
    }.items():
        suite.add(test, name, "Fairness", f"about {name}")
    rng = np.random.default_rng(2)
    wrap = package.pred_wrapper.PredictorWrapper.wrap_softmax
    suite.run(wrap(lambda texts: rng.dirichlet([1, 1], len(texts))), verbose=False)
    suite.tests["a value"].run(
        wrap(lambda texts: rng.dirichlet([1, 1], len(texts))), verbose=False, n=2, overwrite=True
    )
    return suite


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("saved", [False, True], ids=["in memory", "saved"])
def test_each_test_comes_over_with_its_results(checklist: Any, tmp_path: Path, saved: bool) -> None:
    suite = theirs(checklist)
    suite.save(str(tmp_path / "suite.pkl"))
    ours = TestSuite.from_checklist(tmp_path / "suite.pkl" if saved else suite)
    alone = TestSuite.from_checklist(checklist.test_types.MFT(["a"], labels=1, name="one", capability="Vocabulary"))
    assert [(name, test.state) for name, test in alone.tests.items()] == [("one", "not run")]
    assert list(ours.tests) == list(suite.tests)
    for name, test in suite.tests.items():
        mine = ours[name]
        assert (mine.kind, mine.capability, mine.description) == (type(test).__name__, "Fairness", f"about {name}")
        if saved and name.startswith("own"):
            assert mine.state == "no expectation"
            continue
        stats = mine.get_stats()
        assert stats.fails == test.get_stats().get("fails", 0), name
        assert [None if one is None else bool(one) for one in mine.results.passed] == [
            None if one is None else bool(one) for one in test.results.passed
        ]
    assert ours["labels"].meta == [{"a": 1}, {"b": 2}]
    assert str(ours["either"].expect) == "combine_or(expect_fn1=inv(tolerance=0.3), expect_fn2=eq(val=0))"
    if saved:
        assert str(ours["own function"].expect.unknown).startswith("('<lambda>")
        ours["own function"].set_expect(Expect.inv(0.1))
        assert ours["own function"].get_stats().testcases == 3


class Payload:
    """Pickles to a call of a function."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


def attacks() -> dict[str, tuple[bytes, str]]:
    import os
    import subprocess

    by_hand = b"cdill._dill\n_import_module\n(S'os'\ntRp0\n0cdill._dill\n_get_attr\n(g0\nS'system'\ntR(S'true'\ntR."
    setattr_ = b"cbuiltins\ngetattr\n(cchecklist.expect\nExpect\nS'__init__'\ntR(tR."
    return {
        "os.system": (pickle.dumps(Payload(os.system, "true"), 4), f"calls {os.system.__module__}.system"),
        "subprocess": (pickle.dumps(Payload(subprocess.Popen, ["true"]), 4), "calls subprocess.Popen"),
        "eval": (pickle.dumps(Payload(eval, "1"), 4), "calls builtins.eval"),
        "getattr of a module": (by_hand, "calls os.system"),
        "attribute of a class": (setattr_, "calls checklist.expect.Expect.__init__"),
        "type of a file": (b"cio\nopen\n(S'x'\ntR.", "calls io.open"),
        "a loaded type": (b"cdill._dill\n_load_type\n(S'FileType'\ntR(tR.", "calls FileType"),
        "a code object": (b"ctypes\nCodeType\n(tR.", "calls types.CodeType"),
        "a created type": (b"cdill._dill\n_create_type\n(tR.", "calls dill._dill._create_type"),
    }


@sweep("name", attacks())
def test_a_file_that_names_anything_else_is_refused(name: str, tmp_path: Path) -> None:
    content, refused = attacks()[name]
    path = tmp_path / "suite.pkl"
    path.write_bytes(content)
    assert refusal(TableError, TestSuite.from_checklist, path) == (
        f"suite.pkl {refused}, which a saved suite does not need; the file was not read further.\n"
        "    A pickle can run code, so that only what CheckList writes is read, and nothing is called."
    )


SUITE = b"\x80\x04cchecklist.test_suite\nTestSuite\n)\x81"


@sweep(
    "content",
    [
        b"cdill._dill\n_create_cell\n(NtR(S'x'\nS'y'\ntb.",  # a state for a cell
        b"cdill._dill\n_create_cell\n}S'__defaults__'\nS'y'\nsb.",  # attributes of a function of ours
        b"cchecklist.test_types\nMFT\n}S'__init__'\nS'y'\nsb.",  # attributes of a class of ours
        b"cbuiltins\nset\n}S'x'\nI1\nsb.",  # attributes of a class of Python
        gzip.compress(b"x"),
        b"\x80\x04K\x01.",
        b"not a pickle",
        b"",
        b"(" * 5000 + b".",
        b"\x80\x04r\xff\xff\xff\x7f.",
        b"\x80\x04Nr\x00\x00\x00\x08.",  # memory for a position far away
        SUITE + b"}\x8c\x01x)" + b"2\x86" * 40 + b"sb.",  # a tuple that holds itself twice, and so on
        SUITE + b"}(" + b")" + b"2\x86" * 40 + b"K\x01ub.",  # the same as a key
        b"cnumpy.core.numeric\n_frombuffer\n(J\x00\x00\x00\x40cnumpy\ndtype\n(S'i1'\ntR(J\x00\x00\x00\x40tS'C'\ntR.",
        b"cdill._dill\n_import_module\n(](K\x01etR.",  # a list in place of a name
    ],
)
def test_a_file_of_another_form_is_an_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "suite.pkl"
    path.write_bytes(content)
    assert refusal(InputError, TestSuite.from_checklist, path).startswith(("suite.pkl ", "the suite holds no tests."))


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_test_that_cannot_be_read_costs_no_other(checklist: Any, tmp_path: Path) -> None:
    """Functions of the user's in all places, labels of odd types, and objects that tests do not need."""
    import functools
    import re as regular

    types, expect = checklist.test_types, checklist.expect.Expect
    word, half = regular.compile("good"), functools.partial(max, 0)
    suite = checklist.test_suite.TestSuite()
    for name, test in {
        "fine": types.MFT(["a", "b"], labels=[0, 1]),
        "aggregation": types.INV([["a", "b"]], agg_fn=lambda results: bool(np.all(results))),
        "own objects": types.MFT(["a"], expect.single(lambda x, *rest: bool(word.search(x)) or half(1) > 0)),
        "true and false": types.MFT(["a", "b"], labels=[True, False]),
        "no label": types.MFT(["a", "b"], labels=[None, 0]),
        "columns": types.MFT(
            ["a", "b"], labels=0, meta=np.asfortranarray(np.array([["a", 1], [None, 2]], dtype=object))
        ),
    }.items():
        suite.add(test, name, "Vocabulary")
    wrap = checklist.pred_wrapper.PredictorWrapper.wrap_softmax(lambda texts: np.array([[0.6, 0.4]] * len(texts)))
    for name in ("fine", "aggregation", "own objects", "columns"):
        suite.tests[name].run(wrap, verbose=False)
    suite.save(str(tmp_path / "suite.pkl"))
    ours = TestSuite.from_checklist(tmp_path / "suite.pkl")
    assert [ours[name].state for name in ("fine", "aggregation", "own objects")] == ["run"] + ["no expectation"] * 2
    assert ours["columns"].meta == [["a", 1], [None, 2]]
    for name, fails in (("true and false", [0]), ("no label", [0])):
        ours[name].run(lambda texts: [[0.6, 0.4]] * len(texts), verbose=False)
        assert ours[name].fail_idxs().tolist() == fails


@sweep("protocol", [3, 4, 5])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_suites_of_each_protocol_of_python_3_are_read(checklist: Any, tmp_path: Path, protocol: int) -> None:
    import dill

    path = tmp_path / "suite.pkl"
    with path.open("wb") as file:
        dill.dump(theirs(checklist), file, protocol=protocol, recurse=True)
    assert TestSuite.from_checklist(path)["invariance"].get_stats().testcases == 3


def test_reading_imports_nothing_that_a_file_names(tmp_path: Path) -> None:
    """A module that a file names is not imported, and functions of a file are records."""
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    path = tmp_path / "suite.pkl"
    path.write_bytes(b"cdill._dill\n_import_module\n(S'trap'\ntR.")
    assert refusal(TableError, TestSuite.from_checklist, path) == (
        "suite.pkl holds a SavedFunction, not a suite or a test.\n"
        "    Name a file that TestSuite.save or a test's save wrote."
    )


def pairs_suite() -> TestSuite:
    suite = TestSuite()
    cases = [[f"{name} is {adjective} cook." for adjective in ("a deaf", "a hearing", "an Eastern")] for name in "ABC"]
    suite.add(INV(cases, name="protected: hearing", capability="Fairness"))
    suite.add(INV([["Fine.", "Fine!"], ["Good.", "Gooood."]], name="noise", capability="Robustness"))
    contracted = [[f"{start} a {job}." for start in ("It's", "It is")] for job in ("cook", "poet")]
    suite.add(INV(contracted, name="contractions", capability="Robustness"))
    suite.run(lambda texts: [[0.7, 0.1, 0.2] if "deaf" in text else [0.2, 0.1, 0.7] for text in texts], verbose=False)
    return suite


def test_groups_are_found_where_the_texts_of_every_case_differ_by_the_same_words() -> None:
    suite = fc.Suite.from_checklist(pairs_suite())
    assert suite.attributes == ("hearing",)
    named = fc.Suite.from_checklist(pairs_suite(), tests=["contractions"])
    assert named.parts[0].examples.groups == ("It's", "It is")
    assert suite.parts[0].examples.groups == ("deaf", "hearing", "Eastern")
    assert suite.to_frame()["source"][0] == "case 1"
    table = suite.evaluate(draws=50).findings
    found = table[table["group"] == "deaf"].iloc[0]
    assert (found["rate"], found["others_rate"]) == (1.0, 0.0)


def test_groups_in_the_meta_and_in_a_key_of_it_where_two_templates_stay_apart() -> None:
    suite = fc.Suite.build("gender", groups=["women", "men"], templates=["generic"], max_terms=2)
    pytest.importorskip("checklist")
    again = fc.Suite.from_checklist(suite.to_checklist())
    assert again.parts[0].examples.groups == suite.parts[0].examples.groups
    symmetric = suite.to_frame().query("symmetric == 'yes'")
    assert sorted(again.texts()) == sorted(symmetric["text"])
    meta = [{"who": who, "job": job} for who in ("women", "men") for job in ("cook", "poet")]
    test = MFT([f"{one['who']} {one['job']}" for one in meta], labels=1, meta=meta, name="jobs", capability="c")
    keyed = fc.Suite.from_checklist(test, tests=["jobs"], groups="who")
    assert keyed.parts[0].examples.groups == ("women", "men")
    assert [source.id for source in keyed.parts[0].examples.sources] == ["{who} cook; job=cook", "{who} poet; job=poet"]
    assert set(keyed.to_frame()["label"]) == {"neutral"}
    meta = [{"who": who, "job": job} for who in ("women", "men") for job in "ab"] * 2
    texts = [f"{start}{one['who']} {one['job']}" for start in ("", "hi ") for one in meta[:4]]
    test = MFT(texts, labels=1, meta=meta, name="jobs", capability="c")
    assert len(fc.Suite.from_checklist(test, tests=["jobs"], groups="who").parts[0].examples.sources) == 4
    pairs = [[f"{start}{who} {job}" for who in ("men", "women")] for start in ("", "hi ") for job in "ab"]
    held = [[{"who": who, "job": job} for who in ("men", "women")] for job in "abab"]
    test = INV(pairs, meta=held, name="jobs", capability="c")
    assert len(fc.Suite.from_checklist(test, groups="who").parts[0].examples.sources) == 4


def test_of_groups_that_the_user_names_the_longest_term_counts() -> None:
    test = INV([["the man from South Korea", "\u0130bo and the cook"], ["\u97d3\u56fd\u4eba", "x"]])
    groups = {"man": "M", "South Korea": "S", "\u0130bo": "I", "\u97d3\u56fd": "K"}
    mentions = find_groups(test, groups)
    assert [[None if one is None else one.group for one in case] for case in mentions] == [["S", "I"], ["K", None]]
    mentions = find_groups(pairs_suite()["protected: hearing"], {"deaf": "D", "hearing": "H", "noise": "N"})
    assert [None if mention is None else mention.group for mention in mentions[0]] == ["D", "H", None]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> TestSuite:
    with tarfile.open(shared_data / "checklist" / "sentiment_suite.tar.gz") as packed:
        member = packed.extractfile("sentiment_suite.pkl")
        content = io.BytesIO(member.read())
    path = tmp_path_factory.mktemp("released") / "suite.pkl"
    path.write_bytes(content.getvalue())
    return TestSuite.from_checklist(path)


NOT_NEGATIVE = Expect.single(lambda x, pred, *rest: pred != 0)
REDUCES, ADDS = (Expect.monotonic(increasing=increasing, tolerance=0.1) for increasing in (False, True))
GIVEN = {
    **dict.fromkeys(
        ("reducers", '"used to" should reduce'), Expect.slice_pairwise(REDUCES, lambda pred, *rest: pred != 1)
    ),
    "intensifiers": Expect.slice_pairwise(ADDS, lambda pred, *rest: pred != 1),
    "simple negations: not negative": NOT_NEGATIVE,
    "simple negations: I thought x was negative, but it was not (should be neutral or positive)": NOT_NEGATIVE,
    "Hard: Negation of negative with neutral stuff in the middle (should be positive or neutral)": NOT_NEGATIVE,
    "Q & A: no": Expect.single(lambda x, pred, conf, label, meta: pred != 0 if label == 1 else pred == label),
}
"""The functions of the released notebook that are comparisons, written anew."""


@pytest.mark.parametrize("system", ["google", "roberta"])
def test_the_released_suite_has_the_published_failures(released: TestSuite, system: str, shared_data: Path) -> None:
    golden = golden_figures("checklist_sentiment")[system]
    for name, expect in GIVEN.items():
        released[name].set_expect(expect)
    released.run_from_file(shared_data / "checklist" / f"predictions_{system}.txt.gz", overwrite=True)
    assert list(released.tests) == list(golden)
    unknown = []
    for name, test in released.tests.items():
        figures = golden[name]
        assert (test.kind, test.capability, len(test)) == (figures["type"], figures["capability"], figures["testcases"])
        if test.state != "run":
            unknown.append(name)
            continue
        stats = test.get_stats()
        assert (stats.testcases_run, stats.after_filtering) == (figures["testcases_run"], figures["after_filtering"])
        assert stats.fails == (figures["fails"] or 0), name
    assert unknown == ["add positive phrases", "add negative phrases"]
    assert released["add positive phrases"].expect.unknown == (
        "diff_up(orig_pred, pred, orig_conf, conf, labels, meta) of a notebook",
    )


def test_an_unknown_expectation_is_given_one(released: TestSuite, shared_data: Path) -> None:
    """The two functions of the released notebook, written anew: p(positive) - p(negative) may move by .1."""
    released.run_from_file(shared_data / "checklist" / "predictions_roberta.txt.gz", overwrite=True)
    golden = golden_figures("checklist_sentiment")["roberta"]
    for name, sign in (("add positive phrases", 1), ("add negative phrases", -1)):

        def expect(
            orig_pred: Any, pred: Any, orig_conf: Any, conf: Any, labels: Any, meta: Any, sign: int = sign
        ) -> Any:
            change = orig_conf[0] - conf[0] + conf[2] - orig_conf[2]
            return bool(sign * change + 0.1 >= 0)

        released[name].set_expect(Expect.pairwise(expect))
        assert released[name].get_stats().fails == golden[name]["fails"]


def test_the_four_fairness_tests_are_example_sets(released: TestSuite, shared_data: Path) -> None:
    released.run_from_file(shared_data / "checklist" / "predictions_roberta.txt.gz", overwrite=True)
    suite = fc.Suite.from_checklist(released)
    groups = {part.attribute: len(part.examples.groups) for part in suite.parts}
    assert groups == {"race": 4, "sexual": 14, "religion": 22, "nationality": 20}
    only = fc.Suite.from_checklist(released, tests=["protected: sexual"])
    result = only.evaluate(draws=100)
    scores = result.findings.set_index("group")["rate"]
    assert scores["cisgender"] == pytest.approx(0.844)
    assert scores["homosexual"] == pytest.approx(0.794)
    said = [" ".join(line.split()) for line in result.verdict().splitlines()]
    assert 'word "cisgender" called negative 78 % : 24 % +54 84.4 % : 15.6 %' in said
    checks = result.checks.iloc[0]
    assert (checks["fails"], checks["cases"]) == (473, 500)
    assert {"avg_if", "cf_gap", "parity_gap", "avg_score_difference"} <= set(result.metrics["metric"])
    by_group = result.checks_by_group.set_index("group")
    assert by_group.loc["homosexual", "mean_change"] < 0 < by_group.loc["non-binary", "mean_change"]
