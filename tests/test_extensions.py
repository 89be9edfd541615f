"""Extensions: each can be removed, and the core does not notice."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fairness_checklist as fc
from fairness_checklist.core.errors import MissingExtraError, OptionError
from fairness_checklist.core.extensions import EXTENSIONS, extension, installed, public_names

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "fairness_checklist" / "extensions"
PROGRAM = """
import os, sys, traceback
import numpy, pandas, pydantic, scipy.stats, sqlite3, typer.testing  # shared by the processes of all extensions

def without(name, verbs, names):
    import fairness_checklist as fc
    from fairness_checklist.core.extensions import EXTENSIONS, installed, public_names
    assert fc.__file__.startswith(os.getcwd())
    assert set(EXTENSIONS) - set(installed()) == {name}
    assert not set(names) & set(fc.__all__)
    for known in set(fc.__all__) - set(public_names()):
        getattr(fc, known)
    import fairness_checklist.cli.app as cli
    assert not set(verbs) & set(cli.VERBS)
    for command in (["--help"], ["run", "--attribute", "gender", "--max-terms", "1", "--dry-run"]):
        assert typer.testing.CliRunner().invoke(cli.app, command).exit_code == 0
    suite = fc.Suite.build("gender", task="sentiment", max_terms=1, templates=["gender-pos-01", "gender-neg-01"])
    texts_to_labels = lambda texts: ["negative" if len(text) % 2 else "positive" for text in texts]
    result = suite.run(texts_to_labels, classes=["negative", "neutral", "positive"])
    assert "gender" in str(result) and len(result.findings)

folder = "fairness_checklist/extensions/"
for case in CASES:
    os.rename(folder + case[0], "removed")
    if not (child := os.fork()):
        try:
            without(*case)
        except BaseException:
            print("without", case[0], traceback.format_exc(), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    os.rename("removed", folder + case[0])
"""


def test_each_folder_is_entered_by_one_line() -> None:
    assert sorted(path.parent.name for path in FOLDER.glob("*/__init__.py")) == list(EXTENSIONS) == list(installed())
    for name in EXTENSIONS:
        folder = extension(name)
        for module, _, function in (verb.rpartition(".") for verb in folder.VERBS.values()):
            assert callable(getattr(extension(f"{name}.{module}"), function))


def test_every_public_function_names_a_keyword_that_it_does_not_have() -> None:
    for name in public_names():
        if inspect.isfunction(function := getattr(fc, name)):
            with pytest.raises(OptionError, match=rf"^{name}\(\) has no option nonsense=\."):
                function(nonsense=1)


def test_the_core_names_extensions_in_calls_only() -> None:
    """Imports for types are left out by mypy's block; anything else would be an import of an extension."""
    for path in sorted((ROOT / "fairness_checklist").rglob("*.py")):
        if FOLDER not in path.parents and path.name not in ("__init__.py", "checklist.py"):
            for line in path.read_text(encoding="utf-8").splitlines():
                if "import" in line and "fairness_checklist.extensions" in line:
                    assert re.match(r" {4}from ", line), f"{path}: {line}"


def test_a_removed_extension_is_named() -> None:
    with pytest.raises(MissingExtraError) as error:
        extension("nothing.here")
    assert str(error.value) == (
        "the extension nothing is not installed.\n    Install the whole package fairness-checklist."
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_the_core_runs_without_any_of_them(tmp_path: Path) -> None:
    """Without each extension in turn every public name of the core is there, ``--help`` answers, and a run is made."""
    ignored = shutil.ignore_patterns("bundled_models", "__pycache__")
    shutil.copytree(ROOT / "fairness_checklist", tmp_path / "fairness_checklist", ignore=ignored)
    for folder in ("templates", "identity_terms"):
        shutil.copytree(ROOT / folder, tmp_path / "fairness_checklist" / folder)
    cases = [(name, list(extension(name).VERBS), list(extension(name).PUBLIC)) for name in EXTENSIONS]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", f"CASES = {cases}\n{PROGRAM}"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
