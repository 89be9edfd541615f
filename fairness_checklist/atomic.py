"""Files and folders that appear whole or not at all: written under another name beside their place, then renamed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["whole_file", "whole_folder"]


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
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
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
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield scratch / path.name
        (scratch / path.name).chmod(0o644)
        (scratch / path.name).replace(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
