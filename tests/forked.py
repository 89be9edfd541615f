"""Code in a process of its own that has all libraries loaded: a copy of this one that has forgotten our modules."""

import os
import sys
import traceback
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple


class Printed(NamedTuple):
    """The exit code of a process, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def forked(code: str, *arguments: str, folder: Path, forget: tuple[str, ...] = ()) -> Printed:
    """Runs code as ``python -c`` would; our modules, and those of the packages to forget, are imported anew.

    A new process takes up to ten seconds to import torch, transformers and spaCy; a copy has them. What it prints is
    written to two files in the folder.
    """
    out, err = folder / "forked.out", folder / "forked.err"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of the tests wait, and hold no lock
        child = os.fork()
    if not child:
        status = 1
        with out.open("w", encoding="utf-8") as said, err.open("w", encoding="utf-8") as errors:
            try:
                for name in [name for name in sys.modules if name.partition(".")[0] in ("fairness_checklist", *forget)]:
                    del sys.modules[name]
                if "torch" in sys.modules:
                    sys.modules["torch"].set_num_threads(1)  # threads of OpenMP are not copied
                warnings.resetwarnings()
                warnings.simplefilter("ignore")
                sys.argv = ["-c", *arguments]
                with redirect_stdout(said), redirect_stderr(errors):
                    exec(code, {"__name__": "__main__"})
                status = 0
            except BaseException:
                traceback.print_exc(file=errors)
            finally:
                said.flush()
                errors.flush()
                os._exit(status)
    _, ended = os.waitpid(child, 0)
    return Printed(os.waitstatus_to_exitcode(ended), out.read_text("utf-8"), err.read_text("utf-8"))
