"""The pytest plugin: what a marked test does with a passing, a failing and an undecided model, and what it says."""

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from command_line import PLUGIN

import fairness_checklist as fc

pytest_plugins = ["pytester"]

PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
POINTS = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["entry-points"]["pytest11"]
CONFTEST = """
import pytest
class Words:
    word, calls = "none", 0
    def __call__(self, texts):
        self.calls += 1
        wrong = (0.8 if self.word in text else 0.1 for text in texts)
        return [{"negative": p, "neutral": 0.05, "positive": 0.95 - p} for p in wrong]
@pytest.fixture(scope="session")
def fairness_model():
    return Words()
"""
FEW = 'groups=["agender", "women"], max_terms=2, templates=["generic-0[0-2]?"]'
OPTIONS = FEW.replace("-0[0-2]?", "") + ', harm="called:negative"'
TERMS = 'terms=["agender", "agender blogger", "agender student", "woman", "girl", "mother"]'
MARK_IT = '@pytest.mark.fairness(attribute="gender", limit=0.1)'
FAILS = """\
Gate: fail. A gap is shown to be above its limit. Limit 10 points; mean probability of the error.
2 comparisons of groups and errors: 1 pass, 1 fail, 0 inconclusive.
  fail  agender people, called negative without being so: gap +70 points (at least 70), limit 10
Next: read the texts that show it in the report of this run."""
UNDECIDED = """\
Gate: inconclusive. No gap is shown to be above its limit, but some may be. Limit 10 points; mean probability of the \
error.
4 comparisons of groups and errors: 2 pass, 0 fail, 2 inconclusive. 4 of 15 terms.
  inconclusive  women, positive and not recognised as such: gap 0 points, limit 10; few sentences
  inconclusive  agender people, positive and not recognised as such: gap 0 points, limit 10; few sentences
Next: use all terms, set another limit, or --baseline OLD."""


@pytest.fixture(scope="module", autouse=True)
def _libraries_are_loaded() -> None:
    """pytester forgets what is loaded in an inner session, and NumPy is loaded once only."""
    suite = fc.Suite.build("gender", groups=["agender", "women"], max_terms=2, templates=["generic"])
    fc.gate(suite.run(lambda texts: [{"negative": 0.5, "positive": 0.5}] * len(texts), progress=False))


def session(pytester: pytest.Pytester, tests: str, *options: str, conftest: str = CONFTEST) -> list[tuple[str, ...]]:
    """Name, outcome and message of each test of an inner session; "error": it could not start."""
    pytester.makeconftest(conftest)
    pytester.makepyfile("import pytest\n\n" + tests)
    ran = pytester.inline_run(*PLUGIN, "--strict-markers", *options).getreports("pytest_runtest_logreport")
    found = []
    for report in (one for one in ran if one.when == "call" or not one.passed):
        outcome = "error" if report.failed and report.when == "setup" else report.outcome
        said = "" if report.passed else report.longrepr[2] if report.skipped else report.longreprtext
        found.append((report.nodeid.partition("::")[2], outcome, said))
    return sorted(found)


def test_the_entry_point_is_the_plugin_and_loads_nothing_heavy(tmp_path: Path) -> None:
    point = EntryPoint("fairness", POINTS["fairness"], "pytest11")
    assert point.load().__name__ == "fairness_checklist.pytest_plugin"
    (tmp_path / "test_nothing.py").write_text(
        "import sys\ndef test():\n    loaded = {name for name in sys.modules if name[:8] == 'fairness'}\n"
        "    assert loaded <= {'fairness_checklist' + name for name in ('', '.core', '.core.lazy', '.pytest_plugin')}\n"
        "    assert not {'numpy', 'pandas', 'torch', 'typer'} & set(sys.modules)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, "-W", "error"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_model_below_the_limit_passes_and_one_run_serves_all_tests(pytester: pytest.Pytester) -> None:
    pytester.makefile(".toml", fairness='[gate]\nlimits = {gender = 0.2}\n[purpose]\nharm = ["called:negative"]\n')
    tests = f"""
@pytest.mark.fairness(attribute="gender", limit=0.1, task="sentiment", {OPTIONS})
def test_with_the_gate(fairness_gate, fairness_run, fairness_model):
    assert (fairness_gate.decision, fairness_gate.config.limit) == ("pass", 0.1)
    asked = fairness_model.calls
    assert fairness_run(fairness_model, "gender", task="sentiment", {OPTIONS}) is fairness_gate.results
    assert fairness_model.calls == asked
    fairness_gate.results.write_folder("old")

@pytest.mark.fairness("gender", baseline="old", {OPTIONS.replace(', harm="called:negative"', "")})
def test_with_a_baseline_and_a_file(fairness_gate):
    assert fairness_gate.comparison is not None
    assert fairness_gate.config.limits == {{"gender": 0.2}}
    assert set(fairness_gate.comparisons["error"]) == {{"called:negative"}}

def test_without_a_mark(request):
    assert "fairness_gate" not in request.fixturenames
"""
    assert [test[1:] for test in session(pytester, tests)] == [("passed", "")] * 3


def test_a_model_above_the_limit_fails_after_the_code_of_the_test(pytester: pytest.Pytester) -> None:
    tests = f"""
@pytest.mark.fairness(attribute="gender", limit=0.1, {OPTIONS.replace("max_terms=2", TERMS)})
@pytest.mark.parametrize("own_code_passes", [False, True])
def test(own_code_passes):
    if not own_code_passes:
        pytest.fail("own code", pytrace=False)
"""
    failed = session(pytester, tests, conftest=CONFTEST.replace('"none"', '"gender"'))
    assert failed == [("test[False]", "failed", "own code"), ("test[True]", "failed", FAILS)]


@pytest.mark.parametrize(("options", "outcome", "message"), [
    ("", "skipped", f"Skipped: {UNDECIDED}"),
    ("--fairness-inconclusive=fail", "failed", UNDECIDED),
    ("-n1", "skipped", f"Skipped: {UNDECIDED}"),
])  # fmt: skip
def test_an_undecided_model_is_skipped_or_fails_here_and_on_workers(
    pytester: pytest.Pytester, options: str, outcome: str, message: str
) -> None:
    mark, function = '@pytest.mark.fairness(attribute="gender", limit=0.1, ', "def test_{}():\n    pass\n"
    tests = f"{mark}{OPTIONS})\n{function.format('a')}\n{mark}{FEW})\n{function.format('b')}"
    assert session(pytester, tests, *options.split()) == [("test_a", "passed", ""), ("test_b", outcome, message)]


@pytest.mark.parametrize(("line", "conftest", "message"), [
    ('@pytest.mark.fairness(attribute="gendre")', CONFTEST, "test_gender: {gendre}"),
    (f'@pytest.mark.fairness("gender", baseline="old", {FEW})', CONFTEST,
     "test_gender: there is no run {folder}/old.\n    Give a run folder, or a .csv, .parquet or .jsonl table."),
    ('@pytest.mark.fairness("gender", 0.1)', CONFTEST,
     f"test_gender: the marker takes one attribute, the rest by name.\n    Write {MARK_IT}."),
    ('@pytest.mark.usefixtures("fairness_gate")', CONFTEST,
     f"test_gender: the test asks for fairness_gate and has no marker.\n    Mark it: {MARK_IT}."),
    (MARK_IT, "",
     "no model to test.\n    Define a fixture fairness_model in conftest.py that returns a folder, a hub id, "
     "an object with predict_proba or a function of texts."),
])  # fmt: skip
def test_what_is_wrong_is_an_error(pytester: pytest.Pytester, line: str, conftest: str, message: str) -> None:
    with pytest.raises(fc.errors.OptionError) as gendre:
        fc.Suite.build("gendre")
    expected = message.format(folder=pytester.path, gendre=gendre.value)
    tests = f"{line}\ndef test_gender():\n    pass\n"
    assert session(pytester, tests, conftest=conftest) == [("test_gender", "error", expected)]
