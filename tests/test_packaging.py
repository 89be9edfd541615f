"""The wheel, the sdist, a checkout, and what importing the package costs."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import fairness_checklist

ROOT = Path(__file__).resolve().parents[1]
# What a build reads: the two folders that the product is, the package, and the files that pyproject.toml names.
BUILD_INPUT = ("fairness_checklist", "templates", "identity_terms", "pyproject.toml", "README.md", "LICENSE")
PAGES = (
    *("CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"),
    "llms.txt",
)
MOST_BYTES = 15_000_000
"""Of the wheel: its models are most of it."""
FIND = """
from fairness_checklist.core.locations import find_data_folder
for name in ("templates", "identity_terms"):
    print(*find_data_folder(name))
"""


def python(*arguments: str, cwd: Path, path: Path | None = None) -> str:
    """Run Python in a folder with at most one path in front; what it printed."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "FAIRNESS_CHECKLIST_HOME")}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_of_the_tree(to: Path, names: Sequence[str] = BUILD_INPUT) -> Path:
    """The named files and folders of this checkout in a folder of their own."""
    to.mkdir()
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, to / name)
    return to


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a copy."""
    folder = tmp_path_factory.mktemp("build")
    tree = copy_of_the_tree(folder / "tree", (*BUILD_INPUT, *PAGES))
    shutil.copytree(ROOT / "tests", tree / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    python("-m", "build", "--no-isolation", "--outdir", str(folder / "out"), str(tree), cwd=folder)
    return folder / "out"


CONTENT = (("templates", "*.csv"), ("identity_terms", "*.csv"), ("identity_terms", "*.toml"))


def shipped(folder: str, pattern: str) -> set[str]:
    found = {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob(pattern)}
    assert found, f"nothing in {folder}"
    return found


def test_the_wheel_holds_templates_terms_models_and_types_and_no_tests(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"fairness_checklist-{fairness_checklist.__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < MOST_BYTES
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern in CONTENT:
        assert {f"fairness_checklist/{folder}/{name}" for name in shipped(folder, pattern)} <= names
    for pattern in ("*.safetensors", "*.csv", "*.toml", "*.j2", "*.sha256"):
        assert {f"fairness_checklist/{name}" for name in shipped("fairness_checklist", pattern)} <= names
    assert "fairness_checklist/py.typed" in names
    tops = {name.split("/")[0] for name in names}
    assert tops == {"fairness_checklist", f"fairness_checklist-{fairness_checklist.__version__}.dist-info"}


def test_the_sdist_holds_what_a_wheel_is_built_from_and_the_tests(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/test_packaging.py", *PAGES} <= names
    for folder, pattern in CONTENT:
        assert {f"{folder}/{name}" for name in shipped(folder, pattern)} <= names


def test_an_installed_wheel_finds_templates_and_terms_inside_itself(built: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site"
    (wheel,) = built.glob("*.whl")
    python("-m", "pip", "install", "--quiet", "--no-deps", "--target", str(installed), str(wheel), cwd=tmp_path)
    inside = installed / "fairness_checklist"
    expected = [str(inside / "templates"), str(inside / "identity_terms")]
    assert python("-c", FIND, cwd=tmp_path, path=installed).split() == expected


def test_importing_the_package_loads_nothing_heavy_and_opens_no_shipped_file(tmp_path: Path) -> None:
    script = f"""
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import fairness_checklist
heavy = {{"numpy", "pandas", "scipy", "torch", "transformers", "matplotlib", "inflect", "typer", "checklist"}}
print(sorted(heavy & set(sys.modules)))
print([name for name in opened if name.startswith({str(ROOT)!r}) and "__pycache__" not in name and name[-3:] != ".py"])
"""
    assert python("-c", script, cwd=tmp_path, path=ROOT) == "[]\n[]\n"


def test_no_module_of_the_package_loads_a_late_library_when_it_is_imported(tmp_path: Path) -> None:
    script = """
import pkgutil, sys
from importlib import import_module
import fairness_checklist
late = {"torch", "transformers", "matplotlib", "inflect", "checklist", "ray"}
for module in pkgutil.walk_packages(fairness_checklist.__path__, "fairness_checklist."):
    if not module.name.endswith(("__main__", "reports.figures")):  # a figure is imported where one is drawn
        import_module(module.name)
        if late & set(sys.modules):
            sys.exit(f"{module.name} loads {sorted(late & set(sys.modules))}")
"""
    assert python("-c", script, cwd=tmp_path, path=ROOT) == ""
