"""What is written appears whole or not at all: also with an open file, a crash, two runs at once, and odd places."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist
from fairness_checklist.core.atomic import (
    atomic_file,
    atomic_folder,
    check_replaceable_folder,
    check_writable,
    reserved_folder,
    restore_folder,
)
from fairness_checklist.core.errors import OptionError


def filled(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "a.txt").write_text(text, encoding="utf-8")
    (folder / "b.txt").write_text(text, encoding="utf-8")
    return folder


def replace_with(folder: Path, text: str) -> None:
    with atomic_folder(folder) as scratch:
        for name in ("a.txt", "b.txt"):
            (scratch / name).write_text(text, encoding="utf-8")


def holds(folder: Path, text: str) -> bool:
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    return files == {"a.txt": text, "b.txt": text}


def python_in(folder: Path, code: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(Path(fairness_checklist.__file__).parents[1])}
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_an_old_folder_that_cannot_be_deleted_leaves_the_new_one_and_a_link_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path / "there", "old")
    (tmp_path / "run").symlink_to(folder)
    delete = shutil.rmtree

    def with_an_open_file(path: Any, *given: Any, **named: Any) -> None:
        held = [one for one in Path(path).rglob("b.txt") if one.read_text(encoding="utf-8") == "old"]
        for one in Path(path).rglob("a.txt"):
            one.unlink()  # the first files are gone when the open one is reached
        if held and not (named.get("ignore_errors") or (given and given[0])):
            raise PermissionError(13, "the file is open", str(held[0]))
        if not held:
            delete(path, *given, **named)

    monkeypatch.setattr(shutil, "rmtree", with_an_open_file)
    replace_with(tmp_path / "run", "new")
    assert holds(folder, "new")
    (tmp_path / "link.txt").symlink_to(folder / "a.txt")
    with atomic_file(tmp_path / "link.txt") as scratch:
        scratch.write_text("newer", encoding="utf-8")
    assert (tmp_path / "run").is_symlink()
    assert (tmp_path / "link.txt").is_symlink()
    assert [(folder / name).read_text(encoding="utf-8") for name in ("a.txt", "b.txt")] == ["newer", "new"]


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_rename_that_fails_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    folder = filled(tmp_path / "run", "old")
    rename, calls = Path.rename, []

    def fails_once(self: Path, target: Any) -> Path:
        calls.append(target)
        if len(calls) == failing:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fails_once)
        with pytest.raises(KeyboardInterrupt):
            replace_with(folder, "new")

    assert holds(folder, "old")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("renames", [0, 1, 2, 3])
def test_a_process_that_dies_leaves_the_old_or_the_new_folder_whole(tmp_path: Path, renames: int) -> None:
    folder = filled(tmp_path / "run", "old")
    code = f"""
import os
from pathlib import Path
from fairness_checklist.core.atomic import atomic_folder
rename, calls = Path.rename, []
def dies(self, target):
    if len(calls) == {renames}:
        os._exit(9)
    calls.append(target)
    return rename(self, target)
Path.rename = dies
with atomic_folder(Path("run")) as scratch:
    for name in ("a.txt", "b.txt"):
        (scratch / name).write_text("new")
    if {renames} == 0:
        os._exit(9)
"""
    process = python_in(tmp_path, code)
    process.communicate()
    assert process.returncode in (0, 9)
    restore_folder(folder)
    assert holds(folder, "old") or holds(folder, "new")
    replace_with(folder, "next")
    assert holds(folder, "next")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


WRITING = """
import sys
from pathlib import Path
from fairness_checklist.core.atomic import atomic_file, atomic_folder
with atomic_folder(Path("run")) as scratch, atomic_file(Path("run/a.txt")) as file:
    for path in (scratch / "a.txt", file):
        path.write_text("half")
    print("writing", flush=True)
    sys.stdin.readline()
"""


def test_what_a_killed_process_leaves_goes_at_the_next_start_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    def check() -> None:
        check_replaceable_folder(folder, "a.txt", "a run", OptionError, files=["b.txt"])

    folder = filled(tmp_path / "run", "old")
    for mine in (".run.settings", ".run.abcdefgh.txt", ".running.abcdefgh.new", ".run.x.abcdefgh.new"):
        (tmp_path / mine).mkdir()
    before = sorted(tmp_path.rglob("*"))
    killed, living = python_in(tmp_path, WRITING), python_in(tmp_path, WRITING)
    for process in (killed, living):
        assert process.stdout.readline() == "writing\n"
    assert len(list(tmp_path.rglob("*"))) == len(before) + 8
    killed.kill()
    killed.communicate()

    with pytest.raises(OptionError, match=r"holds files that are no part of a run: \.a\.txt\.\w{8}\.new\."):
        check()
    assert len(list(tmp_path.rglob("*"))) == len(before) + 4
    living.communicate("go on\n")
    assert living.returncode == 0
    assert (folder / "a.txt").read_text("utf-8") == "half"
    assert [path.name for path in folder.iterdir()] == ["a.txt"]
    check()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        {path.relative_to(tmp_path).parts[0] for path in before}
    )


WRITERS: dict[str, Callable[[Path], Any]] = {
    "file": lambda path: atomic_file(path).__enter__(),
    "folder": lambda path: atomic_folder(path).__enter__(),
    "place": check_writable,
    "place of a file": lambda path: check_writable(path, folder=False),
    "reserved": lambda path: reserved_folder(path).__enter__(),
}


@sweep("how", WRITERS)
@sweep(("place", "reason"), [
    ("/dev/null/x/y", "/dev/null is not a folder"),
    ("file/x", "file is not a folder"),
    ("n" * 300, "File name too long"),
    ("/proc/none/x", "No such file or directory"),
    ("a\0b", "embedded null"),
])  # fmt: skip
def test_a_place_where_nothing_can_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, place: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("x", encoding="utf-8")
    output, remedy = refusal(OptionError, WRITERS[how], Path(place)).split("\n")
    assert output.startswith(f"{place} cannot be written: ")
    assert reason in output
    assert remedy == "    Name a place where files can be made."
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_device_and_a_folder_are_not_replaced_by_a_file(tmp_path: Path) -> None:
    for how, path, reason in (
        *((how, Path(os.devnull), "it is not a f") for how in ("file", "place", "place of a file")),
        ("file", tmp_path, "it is not a file."),
    ):
        assert refusal(OptionError, WRITERS[how], path).startswith(f"{path} cannot be written: {reason}")
    assert not Path(os.devnull).is_file()


def test_processes_that_start_together_get_folders_of_their_own(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from fairness_checklist.core.atomic import atomic_folder, reserved_folder
with reserved_folder(Path("runs/gender")) as folder:
    print(folder.name, flush=True)
    with atomic_folder(folder) as scratch:
        (scratch / "run.json").write_text(folder.name)
"""
    started = [python_in(tmp_path, code) for _ in range(6)]
    named = sorted(one.communicate()[0].strip() for one in started)

    assert named == ["gender", *(f"gender-{n}" for n in range(2, 7))]
    for folder in (tmp_path / "runs").iterdir():
        assert (folder / "run.json").read_text(encoding="utf-8") == folder.name
    with pytest.raises(RuntimeError, match="wrong input"), reserved_folder(tmp_path / "failed" / "gender"):
        raise RuntimeError("wrong input")
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]
