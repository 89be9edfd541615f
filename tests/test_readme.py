"""The README, followed by the letter: every command and every line of Python in it runs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial, partialmethod
from pathlib import Path
from types import SimpleNamespace

import pytest
from record_outputs import FENCE, dateless, with_demo
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.cli import app as cli
from fairness_checklist.cli import runs

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)


def _lines(block: str) -> list[str]:
    """The commands of a block; a backslash at the end of a line continues it."""
    return [line for line in re.sub(r"\\\n *", "", block).splitlines() if line.strip()]


COMMANDS = [line for kind, block in BLOCKS if kind == "bash" for line in _lines(block)]
OURS = [line for line in COMMANDS if line.startswith("fairness-checklist")]
FILES = dict(re.findall(r"`(\w+/\w+\.csv)`:\n\n```csv\n(.*?)```", README, flags=re.DOTALL))
BUNDLED = ROOT / "fairness_checklist" / "bundled_models"
QUICK = ["--draws", "19", "--no-control-words"]
"""What the tests add to a run: the README shows what a user would type."""
FEW = "*-00[1-4]"
"""The templates of the tests: `make demo` fills all of them."""
MOST_WORDS = 900


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader would stand: the README's files, and models of their own."""
    place = tmp_path_factory.mktemp("reader")
    for name, content in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, encoding="utf-8")
    shutil.copytree(BUNDLED / "sentiment-2", place / "MODEL")
    config = json.loads((place / "MODEL" / "config.json").read_text(encoding="utf-8"))
    labels = {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1}}
    (place / "MODEL" / "config.json").write_text(json.dumps(config | labels), encoding="utf-8")
    shutil.copytree(BUNDLED / "ner", place / "TAGGER")
    return place


@pytest.fixture(scope="module")
def own_models() -> dict[str, object]:
    """What the Python of the README takes for granted: a pipeline of scikit-learn, and an analyzer as Presidio's."""
    texts = ["A good day.", "I love this.", "A bad day.", "I hate this."]
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, [1, 1, 0, 0])

    def analyze(text: str, language: str) -> list[SimpleNamespace]:
        assert language == "en"
        found = re.finditer(r"\b(?:Adam|Maria)\b", text)
        return [SimpleNamespace(entity_type="PERSON", start=one.start(), end=one.end(), score=0.85) for one in found]

    return {"pipeline": pipeline, "analyzer": SimpleNamespace(analyze=analyze)}


def test_the_readme_has_what_it_promises() -> None:
    assert len(README.split()) <= MOST_WORDS
    assert f"the {len(fc.list_attributes())} attributes and sets of terms" in README
    assert FILES.keys() == {"my_terms/diet.csv", "texts/reviews.csv"}
    verbs = {shlex.split(line)[1] for line in COMMANDS if line.startswith("fairness-checklist")}
    assert {"run", "lint", "perturb"} <= verbs
    assert COMMANDS[:3] == ["make demo", "make test", "pip install ."]
    attributes = {one for line in OURS for one in _value(line, "--attribute").split(",")}
    assert {"gender", "religion", "disability", "names.origin", "names.gender_origin", "diet"} <= attributes
    for picture in re.findall(r"\]\(([\w/.]+\.png)\)", README):
        assert (ROOT / picture).is_file()
    for named in re.findall(r"`(docs/\w+\.md|CHANGELOG\.md)`", README):
        assert (ROOT / named).is_file(), named


def _value(line: str, option: str) -> str:
    words = shlex.split(line)
    return words[words.index(option) + 1] if option in words else ""


@pytest.fixture
def follow(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Follows a command of the README in this process: torch is loaded once, and what it prints is the same."""
    monkeypatch.chdir(folder)

    def command(line: str) -> str:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        capsys.readouterr()
        code: object = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code
        output = capsys.readouterr()
        assert not code, f"{line}\n{output.out}\n{output.err}"
        assert "Warning" not in output.err, output.err
        return output.out

    return command


@sweep("command", OURS)
def test_every_command_of_the_readme_runs(command: str, folder: Path, follow: Callable[[str], str]) -> None:
    words = shlex.split(command)
    if words[1] == "report" and not (folder / words[2]).exists():
        follow(_quick(next(line for line in OURS if _value(line, "--out") == words[2])))
    quick = _quick(command)
    printed = follow(quick)
    assert printed.strip()
    if words[1] == "run":
        assert (folder / _value(command, "--out") / "report.html").is_file()
        assert f"Report: {_value(command, '--out')}/report.html" in printed


def _quick(line: str) -> str:
    """A run with fewer terms, templates and draws; texts of one's own are few already."""
    words = shlex.split(line)
    few = [] if "--texts" in words else ["--max-terms", "2", "--templates", FEW]
    return shlex.join([*words, *QUICK, *few]) if words[1] == "run" else line


def test_the_python_of_the_readme_runs(
    folder: Path, own_models: dict[str, object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(fc.Suite, "build", partial(fc.Suite.build, max_terms=2, templates=[FEW]))
    monkeypatch.setattr(fc.Suite, "run", partialmethod(fc.Suite.run, draws=19, control_words=False))
    names = dict(own_models)
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "README.md", "exec"), names)
    assert (folder / "report.html").is_file()
    printed = capsys.readouterr().out
    assert all(f"\n{attribute} · " in printed for attribute in ("gender", "religion", "disability", "names.origin"))


def test_the_demo_prints_what_the_readme_shows(follow: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its run of toxicity is that of the first page, which is followed in `test_docs`."""
    first_page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    of_toxicity = "".join(block for kind, block in FENCE.findall(first_page) if kind == "text")
    monkeypatch.setattr(runs, "DEMO", {task: runs.DEMO[task] for task in runs.DEMO if task != "toxicity"})
    printed = follow("fairness-checklist demo")
    assert dateless(with_demo(README, printed + of_toxicity)) == dateless(README)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_make_demo_calls_the_demo() -> None:
    done = subprocess.run(["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ".venv/bin/fairness-checklist demo" in done.stdout.splitlines()
