"""Atomic writing of files and folders: they are written under another name in the same folder, then renamed."""

import glob
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairness_checklist.core.errors import InputError, OptionError

try:
    import fcntl
except ImportError:  # Windows, where an empty folder counts as taken
    fcntl = None  # type: ignore[assignment]


_NEW, _OLD = ".new", ".old"
_TRIES = 100


def check_writable(path: Path, *, folder: bool = True) -> None:
    """Raise `OptionError` unless a folder (or a file) can be made at that place; nothing stays of the attempt."""
    path = _resolved(path)
    try:
        missing = [parent for parent in path.parents if not parent.exists()]
    except OSError as error:
        raise _write_error(path, str(error.strerror)) from error
    if _kind(path) not in ("", "folder" if folder else "file"):
        raise _write_error(path, f"it is not a {'folder' if folder else 'file'}")
    try:
        with _temporary_folder(path):
            pass
    finally:
        for parent in missing:
            if parent.exists():
                parent.rmdir()


def check_replaceable_folder(
    folder: Path, marker: str, what: str, error: type[InputError], *, files: Collection[str] | None = None
) -> None:
    """Raise unless a folder can be made at that place, or one that holds the file ``marker`` can be replaced.

    ``files`` are the names that this kind of folder (``what``) holds, None for those that the record in it lists.
    """
    name = folder.name or folder.resolve().name
    if _kind(folder) == "file":
        raise error(f"{name} is a file; {what} needs a folder of its own.", remedy="Name another folder.")
    check_writable(folder)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / marker).is_file():
        raise error(f"the folder {name} holds something else than {what}.", remedy="Name another folder.")
    if files is None:
        try:
            files = list(map(str, json.loads((folder / marker).read_text(encoding="utf-8"))["files"]))
        except (OSError, ValueError, KeyError, TypeError):  # there is no record, or none that can be read
            files = []
    names = {marker, *files}
    for file in names:
        _remove_abandoned(folder / file)
    entries = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if foreign := [entry for entry in entries if entry not in names]:
        raise error(
            f"the folder {name} holds files that are no part of {what}: {', '.join(foreign[:3])}.",
            remedy="Move them, or name another folder.",
        )


def _resolved(path: Path) -> Path:
    """The path, or what it leads to where it is a symbolic link; "." and ".." by their names."""
    try:
        return path.resolve() if path.name in ("", "..") or path.is_symlink() else path
    except (OSError, ValueError, RuntimeError) as error:
        raise _write_error(path, getattr(error, "strerror", None) or str(error)) from error


def _kind(path: Path) -> str:
    """The kind of a path: "", "file", "folder" or "device"."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        raise _write_error(path, getattr(error, "strerror", None) or str(error)) from error
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "device"


def _write_error(path: Path, reason: str | Exception) -> OptionError:
    if isinstance(reason, Exception):
        above = next((parent for parent in path.parents if parent.exists()), path.parent)
        strerror = getattr(reason, "strerror", None) or str(reason)
        reason = strerror if above.is_dir() else f"{above} is not a folder"
    return OptionError(f"{path} cannot be written: {reason}.", remedy="Name a place where files can be made.")


def _stem(path: Path) -> str:
    return f".{path.name[:80]}."


@contextmanager
def _temporary_folder(path: Path, ending: str = _NEW) -> Iterator[Path]:
    """A new folder next to a path, locked by this process, which goes at the end; missing parents are created."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        held = None
        while held is None:  # another process may take a new folder for an abandoned one
            scratch = Path(tempfile.mkdtemp(prefix=_stem(path), suffix=ending, dir=path.parent))
            held = _try_lock(scratch)
    except (OSError, ValueError) as error:
        raise _write_error(path, error) from error
    try:
        yield scratch
    finally:
        _remove(scratch, path)
        if held >= 0:
            os.close(held)


def _remove(scratch: Path, path: Path) -> None:
    """Delete a temporary folder of a path, unless it holds the only whole one."""
    if scratch.suffix == _NEW or path.exists():
        shutil.rmtree(scratch, ignore_errors=True)
    with suppress(OSError):
        scratch.rmdir()


def _remove_abandoned(path: Path) -> None:
    """Delete temporary folders of a path whose process has died: none has their lock."""
    for scratch in path.parent.glob(f"{glob.escape(_stem(path))}{'[a-z0-9_]' * 8}.*"):
        held = _try_lock(scratch) if scratch.suffix in (_NEW, _OLD) else None
        if held is not None and held >= 0:
            _remove(scratch, path)
            os.close(held)


def _try_lock(folder: Path) -> int | None:
    """The lock of a folder; None where another process has it or the folder is gone, -1 where there are no locks."""
    if fcntl is None:
        return -1
    try:
        held = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(folder.stat(), os.fstat(held)):
            return held
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:  # a file system without locks
        os.close(held)
        return -1
    os.close(held)
    return None


@contextmanager
def atomic_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place (and the name) of ``folder`` when the block ends well.

    Until then an older folder is whole, at its place or where `restore_folder` finds it.
    """
    folder = _resolved(folder)
    restore_folder(folder)
    with _temporary_folder(folder) as scratch:
        yield scratch
        scratch.chmod(0o755)
        _replace_folder(scratch, folder)


def _replace_folder(scratch: Path, folder: Path) -> None:
    """Move a folder to the place of another, which is moved aside and then deleted."""
    for _ in range(_TRIES):  # another process may write the same folder
        try:
            scratch.rename(folder)  # the place is free, or an empty folder
            return
        except OSError:
            if not folder.is_dir():
                raise
        with _temporary_folder(folder, _OLD) as aside:
            older = aside / folder.name
            try:
                folder.rename(older)
                scratch.rename(folder)
                return
            except OSError:
                continue
            finally:
                with suppress(OSError):
                    if not folder.exists():
                        older.rename(folder)
    raise OptionError(
        f"{folder} cannot be replaced: a file in it is open, or another process writes it.",
        remedy="Close it and run again, or name another folder.",
    )


def restore_folder(folder: Path) -> None:
    """Move an older folder back that a process which died had moved aside; else nothing."""
    if folder.exists():
        return
    for aside in sorted(folder.parent.glob(f"{glob.escape(_stem(folder))}*{_OLD}")):
        if (aside / folder.name).is_dir():
            with suppress(OSError):  # another process was faster
                (aside / folder.name).rename(folder)
                aside.rmdir()
            return


@contextmanager
def reserved_folder(first: Path) -> Iterator[Path]:
    """The first of ``first``, ``first-2``, ``first-3``, ... that is free, made and held for this process alone."""
    missing = [parent for parent in first.parents if not parent.exists()]
    number, held = 1, None
    while held is None:
        folder = first if number == 1 else first.with_name(f"{first.name}-{number}")
        held = _lock(folder)
        number += 1
    try:
        yield folder
    except BaseException:
        with suppress(OSError):
            for made in (folder, *missing):
                made.rmdir()
        raise
    finally:
        if held >= 0:
            os.close(held)


def _lock(folder: Path) -> int | None:
    """The lock of a folder that was made just now, or that stood empty; None where another process has it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        is_new = True
    except FileExistsError as error:
        if not folder.parent.is_dir():
            raise _write_error(folder, error) from error
        is_new = False
        if fcntl is None or not folder.is_dir() or any(folder.iterdir()):
            return None
    except (OSError, ValueError) as error:
        raise _write_error(folder, error) from error
    held = _try_lock(folder)
    if held == -1:  # without locks only a folder that this process made is held
        return held if is_new else None
    if held is not None and any(folder.iterdir()):
        os.close(held)
        return None
    return held


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes ``path`` when the block ends well; its ending is the same."""
    name, path = path.name, _resolved(path)
    if _kind(path) not in ("", "file"):
        raise _write_error(path, "it is not a file")
    with _temporary_folder(path) as scratch:
        yield scratch / name
        (scratch / name).chmod(0o644)
        (scratch / name).replace(path)
