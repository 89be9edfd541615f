"""The verb `import`: what it prints and writes of a suite that CheckList saved."""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Call

NAMES = ["Ana", "Leo", "Kim", *(f"N{number}" for number in range(21))]


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checklist: Any) -> Path:
    """A suite with an invariance test of two groups, a test of words, and one with a function of its own."""
    suite = checklist.test_suite.TestSuite()
    pairs = [[f"{name} is a deaf cook.", f"{name} is a hearing cook."] for name in NAMES]
    suite.add(checklist.test_types.INV(pairs, name="protected: hearing", capability="Fairness"))
    suite.add(checklist.test_types.MFT(["Good.", "Bad."], labels=[2, 2], name="words", capability="Vocabulary"))
    own = checklist.expect.Expect.single(lambda x, pred, conf, label=None, meta=None: len(x) > pred)
    suite.add(checklist.test_types.MFT(["Fine."], expect=own, name="own", capability="Vocabulary"))
    wrap = checklist.pred_wrapper.PredictorWrapper.wrap_softmax
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", _closing(tmp_path))
        suite.save("suite.pkl")
        suite.run(wrap(lambda texts: np.array([_answer(text) for text in texts])), verbose=False)
        suite.save("answered.pkl")
    return tmp_path


def _answer(text: str) -> list[float]:
    return [0.7, 0.1, 0.2] if "deaf" in text or text == "Bad." else [0.2, 0.1, 0.7]


def _closing(folder: Path) -> Any:
    """`open` for CheckList, which leaves its file to the garbage collector: the file is written without buffer."""
    import io

    return lambda path, mode: io.FileIO(folder / path, mode)


pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def test_tests_are_listed_and_groups_are_named(call: Call, saved: Path) -> None:
    assert call("import", "suite.pkl") == (
        0,
        "suite.pkl: 3 tests, 51 texts\n"
        "\n"
        "Vocabulary\n"
        "  MFT  words               2 cases\n"
        "  MFT  own                 1 case\n"
        "\n"
        "Fairness\n"
        "  INV  protected: hearing  24 cases\n"
        "\n"
        "1 test has no results: what it expects is a function that the file only names.\n"
        "  own: <lambda>(x, pred, conf, label, meta) of test_cli_import.py\n"
        'Give it one in Python: suite["NAME"].set_expect(Expect.pairwise(function)).\n'
        "\n"
        "Groups are found for hearing (2 groups). Compare them: --model MODEL.\n",
        "",
    )


def test_stored_predictions_give_findings_by_group_and_failure_rates(call: Call, saved: Path) -> None:
    code, out, err = call("import", "answered.pkl", "--out", "imported")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("sentiment · answered.pkl · ")
    said = [" ".join(line.split()) for line in lines if line.startswith("  word")]
    assert said == ['word "deaf" called negative 70 % : 20 % +50 100 % : 0 %']
    assert "  INV  protected: hearing  100.0 % fail, 24 of 24" in lines
    assert "  MFT  words                50.0 % fail, 1 of 2" in lines
    assert "  MFT  own                 no results" in lines
    assert lines[-1] == "Table of all tests: imported/tests.csv"
    table = pd.read_csv(saved / "imported" / "tests.csv").set_index("test")
    assert table.loc["words", ["type", "cases", "fails", "state"]].tolist() == ["MFT", 2, 1, "run"]
    assert table.loc["own", "state"] == "no expectation"
    assert json.loads((saved / "imported" / "run.json").read_text(encoding="utf-8"))["model"] == {
        "name": "answered.pkl"
    }
    found = json.loads(call("import", "answered.pkl", "--out", "imported", "--json")[1])
    assert [test["fails"] for test in found["tests"]] == [24, 1, None]
    assert found["groups"]["findings"][0]["group"] == "deaf"


def test_a_python_object_as_the_model(call: Call, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    code = 'def predict(texts):\n    return [{"negative": 0.75, "neutral": 0, "positive": 0.25} for _ in texts]\n'
    (saved / "ours.py").write_text(code, encoding="utf-8")
    assert call("import", "suite.pkl", "--model", saved / "ours.py:predict", "--out", "x")[::2] == (0, "")
    recorded = json.loads((saved / "x" / "run.json").read_text(encoding="utf-8"))["model"]
    assert (recorded["name"], recorded["source_sha256"]) == ("ours.py:predict", sha256(code.encode()).hexdigest())


def test_a_model_and_groups_from_a_table(call: Call, saved: Path) -> None:
    (saved / "terms.csv").write_text("term,group\nAna,first\nLeo,second\nKim,first\n", encoding="utf-8")
    options = ("suite.pkl", "--model", "bundled", "--terms", "terms.csv", "--test", "protected: hearing")
    code, out, err = call("import", *options, "--out", "x")
    assert code == 2
    assert err == (
        "SuiteError: no source of the test 'protected: hearing' has texts of two groups.\n"
        "    Name the groups: --terms FILE, a table with the columns term and group.\n"
    )
    (saved / "terms.csv").write_text("term,group\ndeaf,deaf\nhearing,hearing\n", encoding="utf-8")
    code, out, _ = call("import", *options)
    assert code == 0
    assert out.splitlines()[0].startswith("sentiment · bundled/sentiment · ")
    assert "\nhearing · 2 words in 24 sentences · 48 texts\n" in out


def test_tests_without_groups_are_written_into_a_folder_of_their_own(call: Call, saved: Path) -> None:
    assert call("import", "suite.pkl", "--out", "x")[1].endswith("\nTables in x: tests.csv, import.json\n")
    assert call("import", "suite.pkl", "--out", "x", "--force")[0] == 0
    older = "OptionError: the folder x holds an older answer of import.\n"
    remedy = "    Name another folder, or replace that answer: --force.\n"
    assert call("import", "suite.pkl", "--out", "x") == (2, "", older + remedy)
    (saved / "run").mkdir()
    (saved / "run" / "run.json").write_text("{}", encoding="utf-8")
    other = "OptionError: the folder run holds something else than an answer of import.\n    Name another folder.\n"
    assert call("import", "suite.pkl", "--out", "run", "--force") == (2, "", other)
    assert [path.name for path in (saved / "run").iterdir()] == ["run.json"]
