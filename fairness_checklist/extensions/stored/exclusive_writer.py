"""A lock beside an output, so that one process at a time writes it."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from fairness_checklist.core.errors import OptionError


@contextmanager
def exclusive_writer(out: Path) -> Iterator[None]:
    """Exclude other processes from an output by a lock on ``.NAME.lock`` next to it, which ends with this process."""
    path = out.parent / f".{out.name}.lock"
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = _try_lock(path)
    except OSError as error:
        raise OptionError(
            f"{out} cannot be written: {error.strerror}.", remedy="Name a place where files can be made."
        ) from error
    if lock is None:
        raise OptionError(
            f"another process writes {out}: {_lock_holder(path)}.",
            remedy="Wait until it has ended, or name another place.",
            command_remedy="Wait until it has ended, or name another place (--out).",
        )
    try:
        lock.write(f"pid {os.getpid()}, since {datetime.now().astimezone():%Y-%m-%d %H:%M:%S %z}".encode())
        lock.flush()
        yield
    finally:
        if sys.platform == "win32":  # an open file cannot be deleted there
            lock.close()
        with suppress(OSError):
            path.unlink()
        lock.close()
        for folder in missing:
            with suppress(OSError):  # there is something in it
                folder.rmdir()


def _try_lock(path: Path) -> BinaryIO | None:
    """The file, locked by this process and empty; None where another process has the lock."""
    while True:
        lock = path.open("a+b")
        try:
            if sys.platform == "win32":
                import msvcrt

                lock.seek(1 << 20)  # locked bytes cannot be read there
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            lock.close()
            return None
        except OSError:  # a file system without locks
            return lock
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                lock.truncate(0)
                return lock
        lock.close()  # its holder deleted it just now


def _lock_holder(path: Path) -> str:
    """The description that the process with the lock has written."""
    for _ in range(20):
        with suppress(OSError):
            output = path.read_text(encoding="utf-8")
            if output:
                return output
        time.sleep(0.05)  # it has the lock and has not written yet
    return "it does not say which"
