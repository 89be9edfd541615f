"""Extensions: each can be removed, and the core does not notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairness_checklist.core.errors import MissingExtraError
from fairness_checklist.core.extensions import EXTENSIONS, extension, installed

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "fairness_checklist" / "extensions"
PROGRAM = """
import fairness_checklist as fc
from fairness_checklist.core.extensions import public_names
for name in set(fc.__all__) - set(public_names()):
    getattr(fc, name)
import fairness_checklist.cli.app as cli
from typer.testing import CliRunner
assert CliRunner().invoke(cli.app, ["--help"]).exit_code == 0
suite = fc.Suite.build("gender", task="sentiment", max_terms=1, templates=["gender-pos-01", "gender-neg-01"])
texts_to_labels = lambda texts: ["negative" if len(text) % 2 else "positive" for text in texts]
result = suite.run(texts_to_labels, classes=["negative", "neutral", "positive"])
assert "gender" in str(result) and len(result.findings)
"""


def test_each_folder_is_entered_by_one_line() -> None:
    assert sorted(path.parent.name for path in FOLDER.glob("*/__init__.py")) == list(EXTENSIONS) == list(installed())
    for name in EXTENSIONS:
        folder = extension(name)
        for module, _, function in (verb.rpartition(".") for verb in folder.VERBS.values()):
            assert callable(getattr(extension(f"{name}.{module}"), function))


def test_the_core_names_extensions_in_calls_only() -> None:
    """Imports for types are left out by mypy's block; anything else would be an import of an extension."""
    for path in sorted((ROOT / "fairness_checklist").rglob("*.py")):
        if FOLDER not in path.parents and path.name != "__init__.py":
            for line in path.read_text(encoding="utf-8").splitlines():
                if "import" in line and "fairness_checklist.extensions" in line:
                    assert re.match(r" {4}from ", line), f"{path}: {line}"


def test_a_removed_extension_is_named() -> None:
    with pytest.raises(MissingExtraError) as error:
        extension("nothing.here")
    assert str(error.value) == (
        "the extension nothing is not installed.\n    Install the whole package fairness-checklist."
    )


@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_core_runs_without(name: str, tmp_path: Path) -> None:
    """Without one extension every public name of the core is there, ``--help`` answers, and a run is made."""
    shutil.copytree(
        ROOT / "fairness_checklist",
        tmp_path / "fairness_checklist",
        ignore=lambda folder, names: [name] if Path(folder) == FOLDER else ["bundled_models"],
    )
    for folder in ("templates", "identity_terms"):
        shutil.copytree(ROOT / folder, tmp_path / "fairness_checklist" / folder)
    removed = (
        f"assert {str(tmp_path)!r} in fc.__file__\nassert not {set(extension(name).VERBS)!r} & set(cli.VERBS)\n"
        f"assert not {set(extension(name).PUBLIC)!r} & set(fc.__all__)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM + removed]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
