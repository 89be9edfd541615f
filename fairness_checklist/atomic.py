"""Files and folders that appear whole or not at all: written under another name beside their place, then renamed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairness_checklist.errors import OptionError

__all__ = ["check_place", "whole_file", "whole_folder"]


def check_place(path: Path) -> None:
    """Raise `OptionError` unless a file or folder can be made at that place; nothing stays of the attempt.

    >>> check_place(Path(tempfile.mkdtemp()) / "new" / "run")
    """
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        _scratch(path).rmdir()
    finally:
        for folder in missing:
            if folder.exists():
                folder.rmdir()


def _scratch(path: Path) -> Path:
    """A new folder beside a path, whose own folder is made where it is missing."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        reason = f"{path.parent} is not a folder" if path.parent.is_file() else error.strerror
        raise OptionError(
            f"{path} cannot be written: {reason}.", remedy="Name a place where files can be made."
        ) from error


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place (and the name) of ``folder`` when the block ends well.

    >>> place = Path(tempfile.mkdtemp()) / "run"
    >>> with whole_folder(place) as scratch:
    ...     _ = (scratch / "a.txt").write_text("a")
    ...     place.exists()
    False
    >>> [path.name for path in place.iterdir()]
    ['a.txt']
    """
    scratch = _scratch(folder)
    try:
        yield scratch
        scratch.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` when the block ends well; its ending is the same.

    >>> place = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with whole_file(place) as scratch:
    ...     _ = scratch.write_text("a")
    >>> place.read_text()
    'a'
    """
    scratch = _scratch(path)
    try:
        yield scratch / path.name
        (scratch / path.name).chmod(0o644)
        (scratch / path.name).replace(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
