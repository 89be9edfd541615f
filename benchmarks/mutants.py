"""How many random errors in the core the tests catch.

    python benchmarks/mutants.py [--quick] [--n 80] [--seed 26] [--json FILE] [--checkout FOLDER]
    python benchmarks/mutants.py --mutants FILE [--json FILE] [--checkout FOLDER]

A mutant is one change of one expression: an operator, a comparison, `and` for `or`, a number, a truth value, or None
for what a function returns. It is found again by its module, its function and the text of its line, so that the same
ones are tried on an older checkout and on a newer one. The tests of a mutant are the doctests of its module and the
test files that import it, or a module that does, the quickest first (`--junit`: durations of a run of the suite);
`--all` runs the whole suite instead. `--mutants` takes those of a file that `--json` wrote; the test file that caught a
mutant comes first then. The checkout is copied, and only the copy is changed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

CORE = ("statistics", "metrics", "core", "tables", "findings", "run", "checks", "suites", "content")
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is not": "is", "is": "is not"}
SWAPS |= {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*", "&": "|", "|": "&", "@": "*"}
SWAPS |= {"in": "not in", "not in": "in", "and": "or", "or": "and"}
ROOMS = ("fairness_checklist/**/*.py", "tests/**/test_*.py")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*_cache", ".hypothesis", "runs")


def changes(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None, str]]:
    """Expressions to replace by a text; with a second expression, the operator that stands between both is."""
    for name, value in ast.iter_fields(tree):
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and name not in ("annotation", "returns", "decorator_list"):
                yield from changes(node)
    if isinstance(tree, ast.Compare):
        yield from ((a, b, "") for a, b in zip([tree.left, *tree.comparators], tree.comparators, strict=False))
    elif isinstance(tree, ast.BinOp):
        yield tree.left, tree.right, ""
    elif isinstance(tree, ast.BoolOp):
        yield from ((a, b, "") for a, b in zip(tree.values, tree.values[1:], strict=False))
    elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        yield tree, None, ast.unparse(tree.operand)
    elif isinstance(tree, ast.Constant) and isinstance(tree.value, bool | int | float):
        yield tree, None, str(not tree.value if isinstance(tree.value, bool) else tree.value + 1)
    elif isinstance(tree, ast.Return) and tree.value and ast.unparse(tree.value) != "None":
        yield tree.value, None, "None"


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        inner = f"{prefix}{node.name}." if isinstance(node, ast.FunctionDef | ast.ClassDef) else prefix
        if isinstance(node, ast.FunctionDef):
            yield inner[:-1], node
        else:
            yield from functions(node, inner)


def mutants_of(path: Path, root: Path) -> Iterator[dict[str, Any]]:
    """Every mutant of a module that stands on one line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for function, tree in functions(ast.parse("\n".join(lines))):
        for first, second, text in changes(tree):
            a, b = (first.col_offset, first.end_col_offset or 0)
            if first.lineno != (second or first).end_lineno:
                continue
            line = lines[first.lineno - 1].encode()
            if second:
                a, b = b, second.col_offset
                operator = re.fullmatch(rb"(\W*?)\s*(not in|is not|\w+|[^\w\s()]+)\s*\W*?", line[a:b])
                text = SWAPS.get(operator[2].decode(), "") if operator else ""
                if not operator or not text:
                    continue
                a, b = a + operator.start(2), a + operator.end(2)
            old, new = line.decode().strip(), (line[:a] + text.encode() + line[b:]).decode().strip()
            yield {"module": path.relative_to(root).as_posix(), "function": function, "old": old, "new": new}


def place(mutant: dict[str, Any], root: Path) -> tuple[Path, int] | None:
    """The file and the line of a mutant in a checkout: in its function, or where this line stands nowhere else."""
    there = root / mutant["module"]
    elsewhere = []
    for path in [there] if there.is_file() else sorted((root / "fairness_checklist").rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        at = [number for number, line in enumerate(lines) if line.strip() == mutant["old"]]
        for function, tree in functions(ast.parse("\n".join(lines))) if at else ():
            inside = [number for number in at if tree.lineno <= number + 1 <= (tree.end_lineno or 0)]
            if function == mutant["function"] and inside:
                return path, inside[0]
        elsewhere += [(path, number) for number in at]
    return elsewhere[0] if len(elsewhere) == 1 else None


def tests_of(path: Path, root: Path, seconds: dict[str, float], files: int) -> list[str]:
    """A module, for its doctests, and the test files that import it, or what imports it: closest, then quickest."""
    texts = {file: file.read_text(encoding="utf-8") for room in ROOMS for file in sorted(root.glob(room))}
    chosen, layer = [path], [path]
    while layer and len(chosen) <= files:
        dotted = [".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__") for file in layer]
        forms = [
            rf"\b{name}\b|from {name.rpartition('.')[0]} import .*\b{name.rpartition('.')[2]}\b" for name in dotted
        ]
        imports = re.compile("|".join(forms).replace(".", r"\.").replace(r"\.*", ".*"))
        found = [file for file in texts if imports.search(texts[file]) and file not in layer]
        layer = [file for file in found if file.parts[len(root.parts)] != "tests"]
        tests = [file for file in found if file not in layer]
        chosen += sorted(tests, key=lambda file: seconds[file.stem])
        texts = {file: text for file, text in texts.items() if file not in found}
    return [str(file) for file in chosen[: files + 1]]


def failure(root: Path, *arguments: str, timeout: float = 900) -> str:
    """How the first failing test begins its line, "timeout", or nothing where all tests pass."""
    environment = os.environ | {"PYTHONPATH": str(root), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-qx", "--no-header", "--tb=no", *arguments]
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "" if done.returncode in (0, 5) else (failed or [f"exit status {done.returncode}"])[0][:160]


def outcome(mutant: dict[str, Any], root: Path, seconds: dict[str, float], files: int | None) -> dict[str, Any]:
    """A mutant with what became of it; a test that fails without the mutant as well does not catch it."""
    if (at := place(mutant, root)) is None:
        return mutant | {"outcome": "not there"}
    path, line = at
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines(keepends=True)
    lines[line] = lines[line].replace(mutant["old"], mutant["new"], 1)
    tests = ["tests", "fairness_checklist"] if files is None else tests_of(path, root, seconds, files)
    if (before := re.search(r"\b(?:tests|fairness_checklist)/[\w/]+\.py", mutant.get("by", ""))) and (
        root / before[0]
    ).is_file():
        tests.insert(0, str(root / before[0]))
    path.write_text("".join(lines), encoding="utf-8")
    by = failure(root, tests[0]) or failure(root, *tests[1:])
    path.write_text(source, encoding="utf-8")
    if by not in ("", "timeout") and failure(root, "--last-failed", "--last-failed-no-failures=none", *tests):
        return mutant | {"outcome": "fails without it", "by": by}
    return mutant | {"outcome": "caught" if by else "survived", "by": by}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two mutants")
    parser.add_argument("--n", type=int, default=80, help="mutants")
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--mutants", type=Path, help="mutants that were tried before, instead of random ones")
    parser.add_argument("--checkout", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--files", type=int, default=6, help="test files of a mutant at most")
    parser.add_argument("--all", action="store_true", help="run the whole suite on each mutant")
    parser.add_argument("--junit", type=Path, help="durations of a run (pytest --junitxml)")
    parser.add_argument("--json", type=Path, help="where what became of every mutant is written, as it comes")
    asked = parser.parse_args()
    if asked.mutants:
        mutants = json.loads(asked.mutants.read_text(encoding="utf-8"))
    else:
        paths = [path for room in CORE for path in sorted((asked.checkout / "fairness_checklist" / room).rglob("*.py"))]
        every = [mutant for path in paths for mutant in mutants_of(path, asked.checkout)]
        mutants = random.Random(asked.seed).sample(every, 2 if asked.quick else asked.n)
    seconds: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(asked.junit).iter("testcase") if asked.junit else ():
        seconds[f"{case.get('classname')}.".split(".")[1]] += float(case.get("time", 0))
    answers = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "checkout"
        shutil.copytree(asked.checkout, root, ignore=LEFT_OUT)
        if (data := asked.checkout.resolve().parent / "shared").is_dir():
            (root.parent / "shared").symlink_to(data)
        for mutant in mutants:
            answers.append(outcome(mutant, root, seconds, None if asked.all else asked.files))
            print(answers[-1]["outcome"], mutant["module"], mutant["new"], sep="\t", flush=True)
            if asked.json:
                asked.json.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    print({key: sum(row["outcome"] == key for row in answers) for key in sorted({row["outcome"] for row in answers})})


if __name__ == "__main__":
    main()
