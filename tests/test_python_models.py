"""Python objects as ``--model``: every verb takes them, `run.json` names them, and errors say what to change."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from command_line import Call

from fairness_checklist.cli.python_models import is_python_object

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
CORPUS = "text,label,group\nI am gay,nontoxic,F\nI am tall,nontoxic,M\nBad gay women,toxic,F\nBad tall men,toxic,M\n"
RUN = ("run", "--task", "toxicity", "--attribute", "gender", "--max-terms", "1", "--templates", "tox-01")
SMALL = (*RUN, "--draws", "0", "--no-placebo", "--out", "x")


@pytest.fixture
def call(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Call]:
    """The command line in a folder with a package and a file beside another one; modules and path are as before."""
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder not in ("", ".")])
    for folder in (tmp_path, tmp_path / "pack"):
        folder.mkdir(exist_ok=True)
        for name, text in {"ours.py": OURS, "beside.py": BESIDE, "corpus.csv": CORPUS}.items():
            (folder / name).write_text(text, encoding="utf-8")
    before = set(sys.modules)
    yield call
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")) or name == "pack":
            del sys.modules[name]


@pytest.mark.parametrize(
    ("model", "name", "more"),
    [
        ("ours:predict", "ours:predict", ()),
        ("pack.ours:scorer", "pack.ours:scorer", ()),
        ("pack/ours.py:scorer", "ours.py:scorer", ()),
        ("pack/ours.py:pipeline", "ours.py:pipeline", ("--labels", "0=nontoxic,1=toxic")),
        ("ours.py:named", "ours.py:named", ("--store", "kept.sqlite")),
    ],
)
def test_a_run_names_the_object_and_the_hash_of_its_file(
    call: Call, tmp_path: Path, model: str, name: str, more: tuple[str, ...]
) -> None:
    assert call(*SMALL, "--model", model, *more)[::2] == (0, "")
    recorded = json.loads((tmp_path / "x" / "run.json").read_text(encoding="utf-8"))["model"]
    assert (recorded["name"], recorded["kind"], recorded["classes"]) == (name, "function", ["nontoxic", "toxic"])
    assert recorded["source_sha256"] == hashlib.sha256(OURS.encode()).hexdigest()


def test_every_verb_with_a_model_takes_one(call: Call, tmp_path: Path) -> None:
    audit = call("audit", "corpus.csv", "--terms", "gay,tall", "--threshold", "0.5", "--model", "ours:predict")
    assert "Highest false positive rate: gay, 100 %; all texts 50 %." in audit.out
    scrub = ("perturb", "corpus.csv", "--attribute", "gender", "--kind", "scrub", "--groups", "F,M")
    scrubbed = call(*scrub, "--task", "toxicity", "--model", "ours.py:predict")
    assert "accuracy gap (F less M): 0.000 before, 0.000 after" in scrubbed.out
    tagger = ("run", "--task", "ner", "--attribute", "names", "--max-terms", "1", "--templates", "ner-27")
    assert call(*tagger, "--no-placebo", "--model", "ours:tag", "--out", "t").code == 0
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


@pytest.mark.parametrize(
    ("model", "error", "remedy"),
    [
        ("none.deep:f", "none.deep:f: there is no module none.", ELSEWHERE),
        ("pack.our:f", "pack.our:f: there is no module pack.our.", ELSEWHERE),
        ("pack.ours:predct", "pack.ours:predct: there is no object predct.", KNOWN),
        ("pack/our.py:f", "our.py:f: there is no file pack/our.py.", "Did you mean ours.py? " + FROM_HERE),
        ("ours:LIMIT", "ours:LIMIT: an object of the type int is no model.", KINDS),
        ("ours:Scorer", "ours:Scorer: the class Scorer is no model.", KINDS),
        ("ours.py", "ours.py is a file; expected the folder of a model.", IN_IT),
        ("pack/bad.py:f", "bad.py:f: importing it raised ValueError: no weights", "See where: python pack/bad.py"),
        ("pack.bad:f", "pack.bad:f: importing it raised ValueError: no weights", f'{WHERE} "import pack.bad"'),
        ("lacks.py:f", f"lacks.py:f: importing it raised {LACKS}", "See where: python lacks.py"),
        ("stops:f", "stops:f: importing it raised SystemExit: 4", f'{WHERE} "import stops"'),
        ("ours:predict --workers 2", f"ours:predict: --workers {OTHER_KIND}", "Leave it out."),
        ("ours:named --labels a=toxic", f"ours:named: {LOADED}", "Give them to load_model in the file that loads it."),
        ("ours:predict --store s", UNKNOWN, NAME),
        ("C:models", "the model folder C:models does not exist.", FOLDER),
    ],
)
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
