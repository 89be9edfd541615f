"""The further jobs in `extensions`: plain subpackages, which the core imports where a method or a verb needs them."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fairness_checklist as fc

PACKAGE = Path(fc.__file__).parent
SKIPPED = {PACKAGE / name for name in ("cli/app.py", "cli/runs.py", "__init__.py", "checklist.py")}


def test_every_public_function_names_a_keyword_that_it_does_not_have() -> None:
    functions = [name for name in dir(fc) if inspect.isfunction(getattr(fc, name))]
    functions = [name for name in functions if getattr(fc, name).__module__.startswith("fairness_checklist.extensions")]
    assert len(functions) >= 5
    for name in functions:
        with pytest.raises(fc.errors.OptionError, match=rf"^{name}\(\) has no option nonsense=\."):
            getattr(fc, name)(nonsense=1)


def test_the_core_imports_extensions_inside_functions_only() -> None:
    """Imports for types stand in the block that only the type checker reads; verbs stand in one table."""
    indented = 0
    for path in sorted(PACKAGE.rglob("*.py")):
        if PACKAGE / "extensions" in path.parents or path in SKIPPED:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"\bimport\b", line) and "fairness_checklist.extensions" in line:
                assert line.startswith("    "), f"{path}: {line}"
                indented += 1
    assert indented > 10


def test_importing_the_package_and_building_a_suite_load_no_extension() -> None:
    program = (
        "import sys, fairness_checklist as fc\n"
        "fc.Suite.build('gender', task='sentiment', max_terms=1)\n"
        "print([name for name in sys.modules if name.startswith('fairness_checklist.extensions.')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
