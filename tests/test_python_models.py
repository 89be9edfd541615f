"""Python objects as ``--model``: every verb takes them, `run.json` names them, and errors say what to change."""

import ast
import hashlib
import inspect
import json
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Call

import fairness_checklist as fc
from fairness_checklist.cli.app import VERBS
from fairness_checklist.cli.messages import as_command
from fairness_checklist.cli.python_models import is_python_object
from fairness_checklist.core.option_defaults import rare_keys

OURS = """
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import fairness_checklist as fc

LIMIT = 3
class Scorer:
    classes = ["nontoxic", "toxic"]
    def predict_proba(self, texts):
        import beside  # found when it is called
        return [[1 - beside.score(text), beside.score(text)] for text in texts]
def predict(texts):
    return [{"toxic": row[1], "nontoxic": row[0]} for row in scorer.predict_proba(texts)]
def tag(texts):
    return [[(0, 4, "PERSON")] for text in texts]
scorer = Scorer()
pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(["you awful", "thank you"], [1, 0])
named = fc.load_model(predict, task="toxicity", name="ours-1")
"""
BESIDE = "def score(text):\n    return 0.75 if 'gay' in text else 0.25\n"
RUN = ("run", "--task", "toxicity", "--attribute", "gender", "--max-terms", "1", "--templates", "toxicity-001")
SMALL = (*RUN, "--draws", "0", "--no-control-words", "--out", "x")


@pytest.fixture
def call(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """The command line in a folder with a package and a file beside another one; modules and path are as before."""
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", ".")])
    for folder in (tmp_path, tmp_path / "pack"):
        folder.mkdir(exist_ok=True)
        for name, text in {"ours.py": OURS, "beside.py": BESIDE}.items():
            (folder / name).write_text(text, encoding="utf-8")
    yield call
    assert not {name for name in sys.modules if str(tmp_path) in str(getattr(sys.modules[name], "__file__", ""))}


@pytest.mark.parametrize(("model", "name", "more"), [
    ("ours:predict", "ours:predict", ()),
    ("pack.ours:scorer", "pack.ours:scorer", ()),
    ("pack/ours.py:scorer", "ours.py:scorer", ()),
    ("pack/ours.py:pipeline", "ours.py:pipeline", ("--labels", "0=nontoxic,1=toxic")),
    ("ours.py:named", "ours.py:named", ("--store", "kept.sqlite")),
])  # fmt: skip
def test_a_run_names_the_object_and_the_hash_of_its_file(
    call: Call, tmp_path: Path, model: str, name: str, more: tuple[str, ...]
) -> None:
    assert call(*SMALL, "--model", model, *more)[::2] == (0, "")
    recorded = json.loads((tmp_path / "x" / "run.json").read_text(encoding="utf-8"))["model"]
    assert (recorded["name"], recorded["kind"], recorded["classes"]) == (name, "function", ["nontoxic", "toxic"])
    assert recorded["source_sha256"] == hashlib.sha256(OURS.encode()).hexdigest()


def test_a_tagger_by_name(call: Call, tmp_path: Path) -> None:
    tagger = ("run", "--task", "ner", "--attribute", "names", "--max-terms", "1", "--templates", "ner-027")
    assert call(*tagger, "--no-control-words", "--model", "ours:tag", "--out", "t").code == 0
    assert pd.read_parquet(tmp_path / "t" / "examples.parquet")["predicted"].str[0].unique() == ["B-PER"]


def test_what_is_stored_of_a_file_is_not_that_of_its_next_version(call: Call, tmp_path: Path) -> None:
    for score in (0.75, 0.5):
        named = f"load_model(lambda texts: [{score}] * len(texts), task='toxicity', name='ours')"
        (tmp_path / "ours.py").write_text(f"import fairness_checklist as fc\nnamed = fc.{named}", encoding="utf-8")
        assert call(*SMALL, "-m", "ours.py:named", "--store", "kept", "--force").code == 0
        assert set(pd.read_parquet(tmp_path / "x" / "examples.parquet")["p:toxic"]) == {score}


ELSEWHERE = (
    "It is looked for in the current folder and among installed packages. "
    "A model of another kind is a folder, or a hub id in the form owner/name."
)
KINDS = "Name a function from texts to probabilities, or an object with a method predict_proba or predict."
KNOWN = "Did you mean predict? Functions and models in it: make_pipeline, predict, tag, scorer, pipeline, named."
FOLDER = 'Give an existing folder, a hub id in the form owner/name, or "bundled".'
FROM_HERE = "Give its path from the current folder."
IN_IT = "Name a function or model in it: --model ours.py:NAME."
WHERE = "See where: python -c"
LACKS = "ModuleNotFoundError: No module named 'sklern'"
OTHER_KIND = "belongs to a transformers model, which this model is not."
LOADED = "the model is loaded already: labels belong to load_model."
UNKNOWN = "the model cannot be identified, so that no prediction can be kept for it."
NAME = "Name it in its file, model = fairness_checklist.load_model(function, name=...), and give --model FILE.py:model."


@pytest.mark.parametrize(("model", "error", "remedy"), [
    ("none.deep:f", "none.deep:f: there is no module none.", ELSEWHERE),
    ("pack.our:f", "pack.our:f: there is no module pack.our.", ELSEWHERE),
    ("pack.ours:predct", "pack.ours:predct: there is no object predct.", KNOWN),
    ("pack/our.py:f", "our.py:f: there is no file pack/our.py.", "Did you mean ours.py? " + FROM_HERE),
    ("ours:LIMIT", "ours:LIMIT: an object of the type int is no model.", KINDS),
    ("ours:Scorer", "ours:Scorer: the class Scorer is no model.", KINDS),
    ("ours.py", "ours.py is a file; expected the folder of a model.", IN_IT),
    ("pack/bad.py:f", "bad.py:f: pack/bad.py:1: importing it failed: ValueError: no weights",
     "See where: python pack/bad.py"),
    ("pack.bad:f", "pack.bad:f: pack/bad.py:1: importing it failed: ValueError: no weights",
     f'{WHERE} "import pack.bad"'),
    ("lacks.py:f", f"lacks.py:f: lacks.py:1: importing it failed: {LACKS}", "See where: python lacks.py"),
    ("stops:f", "stops:f: stops.py:1: importing it failed: SystemExit: 4", f'{WHERE} "import stops"'),
    ("ours:predict --workers 2", f"ours:predict: --workers {OTHER_KIND}", "Leave it out."),
    ("ours:named --labels a=toxic", f"ours:named: {LOADED}", "Give them to load_model in the file that loads it."),
    ("ours:predict --store s", UNKNOWN, NAME),
    ("C:models", "the model folder C:models does not exist.", FOLDER),
])  # fmt: skip
def test_what_is_wrong_is_said_without_a_traceback(
    call: Call, tmp_path: Path, model: str, error: str, remedy: str
) -> None:
    codes = {"pack/bad": "raise ValueError('no weights')", "lacks": "import sklern", "stops": "exit(4)"}
    for name, code in codes.items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    said = call(*SMALL, "--model", *model.split())
    assert (said.code, said.out, said.err.partition(": ")[2]) == (2, "", f"{error}\n    {remedy}\n")
    assert not (tmp_path / "x").exists()


def test_an_existing_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert all(map(is_python_object, ("pack.ours:f", "C:/ours.py:f")))
    (tmp_path / "pack.ours:f").mkdir()
    assert not any(map(is_python_object, ("pack.ours:f", "C:/models", "org/name", "bundled/ner", "llama3:8b")))


ACTS = """
import asyncio, os, subprocess, sys, threading, warnings
import numpy as np
class Own(BaseException):
    pass
class Silent(Exception):
    def __str__(self): raise ValueError
def answer(texts): return [{"toxic": 0.25, "nontoxic": 0.75}] * len(texts)
def leaves(texts): exit(0)
def says(texts): sys.exit("no weights")
def own(texts): raise Own("two\\n lines")
def silent(texts): raise Silent
def closes(texts): raise GeneratorExit
def recurs(texts): return recurs(texts)
def interrupts(texts): raise KeyboardInterrupt
def threads(texts):
    thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()
    return answer(texts)
async def waits(texts): return answer(texts)
def later(text: str):
    if done.append(1) or len(done) > 1: exit(0)
    return answer([text])[0]
done = []
class Scorer:
    classes_ = ["nontoxic", "toxic"]
    def predict_proba(self, texts): sys.exit(3)
scorer = Scorer()
class Model:
    name, classes = "own", ("nontoxic", "toxic")
    def describe(self): return {"name": self.name}
    def predict(self, texts, *, progress=False): os.sys.exit()
model = Model()
class Property(Scorer):
    @property
    def classes_(self): exit(0)
late = Property()
class Described(Model):
    def describe(self): return {}["x"]
described = Described()
def noisy(texts):
    print("print"); os.write(1, b"raw"); sys.__stdout__.write("hidden"); subprocess.run(["echo", "child"])
    os.chdir("/"); warnings.simplefilter("error"); np.seterr(all="raise"); sys.stdout.close()
    return answer(texts)
print("import")
"""
STOPS = {
    "leaves": ("Model", 9, "the function leaves", "SystemExit: 0"),
    "says": ("Model", 10, "the function says", "SystemExit: no weights"),
    "own": ("Model", 11, "the function own", "Own: two lines"),
    "silent": ("Prediction", 12, "the function silent", "Silent: its message cannot be shown (ValueError)"),
    "closes": ("Model", 13, "the function closes", "GeneratorExit"),
    "recurs": ("Prediction", 14, "the function recurs", "RecursionError: maximum recursion depth exceeded"),
    "threads": ("Prediction", 17, "the function threads", "ZeroDivisionError: division by zero"),
    "later": ("Model", 21, "the function later", "SystemExit: 0"),
    "scorer": ("Model", 26, "the function Scorer.predict_proba", "SystemExit: 3"),
    "model": ("Model", 31, "the model own", "SystemExit"),
}


@pytest.mark.parametrize("name", STOPS)
def test_whatever_its_code_raises_is_an_error_with_its_place(call: Call, tmp_path: Path, name: str) -> None:
    (tmp_path / "acts.py").write_text(ACTS, encoding="utf-8")
    kind, line, who, what = STOPS[name]
    said = call(*SMALL, "--json", "--templates", "toxicity-002", "--model", f"acts.py:{name}")
    first, second = said.err.splitlines()
    text = re.fullmatch(rf"{kind}Error: acts.py:{line}: {re.escape(who)} failed on (.*): {re.escape(what)}", first)
    assert text, first
    assert re.fullmatch(r'a batch of \d+ texts that starts with ".*"|\d+ texts', text[1])
    assert second in (
        "    Call it on that text to reproduce the error.",
        "    Call its predict(texts, progress=False) to reproduce the error.",
    )
    assert (said.code, said.out, (tmp_path / "x").exists()) == (2, "", False)


def test_a_property_may_raise_and_an_interrupt_interrupts(call: Call, tmp_path: Path) -> None:
    (tmp_path / "acts.py").write_text(ACTS, encoding="utf-8")
    raised = "the code of the model raised"
    for name, error in (("late", "acts.py:35: {} SystemExit: 0"), ("described", "acts.py:38: {} KeyError: 'x'")):
        said = call(*SMALL, "--model", f"acts.py:{name}")
        assert said == (2, "", f"ModelError: acts.py:{name}: {error.format(raised)}\n")
    assert call(*SMALL, "--model", "acts.py:interrupts") == (130, "", "Stopped.\n")


def test_what_its_code_prints_and_changes_reaches_neither_the_json_nor_the_folder(call: Call, tmp_path: Path) -> None:
    (tmp_path / "acts.py").write_text(ACTS, encoding="utf-8")
    filters, errors = warnings.filters[:], np.geterr()
    run = [sys.executable, "-m", "fairness_checklist", *SMALL, "--json", "--model", "acts.py:noisy"]
    package = str(Path(fc.__file__).parents[1])
    said = subprocess.run(run, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": package}, check=False)
    assert said.returncode == 0, said.stderr
    assert json.loads(said.stdout)
    assert all(word in said.stderr for word in ("import\n", "print\n", "raw", "hidden", "child\n"))
    assert (tmp_path / "x" / "run.json").is_file()
    assert call(*SMALL, "--force", "--model", "acts.py:noisy").code == 0
    assert (warnings.filters, np.geterr(), Path.cwd()) == (filters, errors, tmp_path)


@pytest.mark.parametrize("name", ["leaves", "threads", "scorer", "model", "late"])
def test_no_exit_leaves_a_run_in_python(tmp_path: Path, name: str) -> None:
    (tmp_path / "acts.py").write_text(ACTS, encoding="utf-8")
    own: dict[str, Any] = runpy.run_path(str(tmp_path / "acts.py"))
    suite = fc.Suite.build("gender", task="toxicity", templates=["toxicity-001"], max_terms=1)
    with pytest.raises(fc.InputError, match=r"^acts.py:\d+: the .* (failed on|raised) .*"):
        suite.run(own[name], draws=0, control_words=False, progress=False)


TOXICITY = ("run", "-a", "gender", "--groups", "women,men", "--templates", "toxicity-001", "--task", "toxicity",
            "--max-terms", "1", "--no-control-words", "--draws", "0", "--out", "run", "--force")  # fmt: skip


def test_a_later_object_is_that_of_its_own_file(call: Call, tmp_path: Path) -> None:
    """Of the same file with other code, by another form of its name, and of files of one name in two folders.

    The versions of a file differ in length: within a second Python tells them apart by that alone.
    """
    asked = (*TOXICITY, "-m")
    path = sys.path[:]
    for model, file, score in (
        ("ours.py:predict", "beside.py", 0.5),
        ("ours:predict", "beside.py", 0.125),
        ("pack/ours.py:predict", "pack/beside.py", 0.375),
        ("pack.ours:predict", "beside.py", 0.25),
    ):
        (tmp_path / file).write_text(f"def score(text):\n    return {score}\n", encoding="utf-8")
        assert call(*asked, model).code == 0
        assert set(pd.read_parquet(tmp_path / "run" / "examples.parquet")["p:toxic"]) == {score}
        assert (sys.path, {"ours", "beside", "pack"} & set(sys.modules)) == (path, set())


FILE = "    Write it in the file, model = fairness_checklist.load_model(function, ...); --model FILE.py:model.\n"
UNNAMED = {
    "two": ("[[0.25, 0.75]] * len(texts)", "--labels 0=nontoxic,1=toxic"),
    "three": ("[[0.25, 0.5, 0.25]] * len(texts)", "--labels 0=CLASS,1=CLASS,2=CLASS"),
    "words": ("[('bad', 'good')[at % 2] for at in range(len(texts))]", "--labels bad=CLASS,good=CLASS"),
}


@pytest.mark.parametrize("name", UNNAMED)
def test_advice_on_columns_without_names_can_be_followed(call: Call, tmp_path: Path, name: str) -> None:
    code, advice = UNNAMED[name]
    (tmp_path / "unnamed.py").write_text(f"def f(texts): return {code}", encoding="utf-8")
    asked = (*TOXICITY, "-m", "unnamed.py:f")
    said = call(*asked)
    assert (said.code, advice in said.err, "classes=" in said.err) == (2, True, False)
    known = {"good": "nontoxic", "bad": "toxic", "0": "nontoxic", "1": "toxic", "2": "toxic"}
    followed = re.sub(r"(\w+)=CLASS", lambda pair: f"{pair[1]}={known[pair[1]]}", advice)
    assert call(*asked, *followed.split()).code == 0


def remedies_in(node: ast.AST) -> list[ast.expr]:
    """What is given as a remedy in a call, by name or behind what is wrong, or kept as one before it."""
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        targets = [ast.unparse(target) for target in getattr(node, "targets", None) or [node.target]]
        return [node.value] if targets == ["remedy"] else []
    if not isinstance(node, ast.Call) or any(word.arg == "command_remedy" for word in node.keywords):
        return []
    return [*node.args[2:4], *(word.value for word in node.keywords if word.arg == "remedy")]


def test_no_advice_of_a_model_names_an_argument_that_run_lacks() -> None:
    """A remedy that names one of `load_model` alone says on the command line where it is written."""
    options = [*inspect.signature(VERBS["run"]).parameters]
    own = {name for name in inspect.signature(fc.load_model).parameters if name not in (*options, *rare_keys())}
    seen = 0
    for file in (Path(fc.__file__).parent / "models").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for value in remedies_in(node):
                parts = [part.value for part in ast.walk(value) if isinstance(part, ast.Constant)]
                remedy = "".join(part for part in parts if isinstance(part, str))
                if re.search(rf"\b({'|'.join(own)})=|load_model\(", remedy):
                    seen += 1
                    assert f"{as_command(fc.InputError('wrong.', remedy=remedy), options)}\n".endswith(FILE), remedy
    assert seen > 8
