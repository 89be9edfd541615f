"""The command line. Every verb loads what it needs when it runs, so that ``--help`` answers at once."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import typer

from fairness_checklist.cli import content as cards
from fairness_checklist.cli import content as new
from fairness_checklist.cli import content as perturb
from fairness_checklist.cli import runs, suites
from fairness_checklist.cli import runs as demo
from fairness_checklist.core.errors import InputError

__all__ = ["app", "main"]

_INTERRUPTED = 130
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)

app = typer.Typer(
    name="fairness-checklist",
    help="A bias test bench for NLP models: templates x identity terms -> invariance tests and fairness metrics.",
    epilog="Example: fairness-checklist run --attribute gender,names --task sentiment --model MODEL --out runs/x",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    demo.demo,
    runs.run,
    runs.predict,
    runs.evaluate,
    runs.report,
    suites.build,
    suites.lint,
    perturb.perturb,
):
    app.command(epilog=(command.__doc__ or "").rpartition("\n\n")[2].strip())(command)
app.command(name="list", epilog="Example: fairness-checklist list terms --attribute gender")(suites.list_)
app.command(name="card", epilog="Example: fairness-checklist card suite --attribute gender --out gender.md")(cards.card)
app.command(name="new", epilog="Example: fairness-checklist new attribute housing --out mine")(new.new)


@app.callback(invoke_without_command=True)
def version(show: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if show:
        from fairness_checklist import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line: exit code 0 fine, 2 the input is wrong, 3 something unexpected, 130 stopped by the user."""
    try:
        app(prog_name=app.info.name)
    except InputError as error:
        print(f"{type(error).__name__}: {_as_command_options(str(error))}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop.__context__, BrokenPipeError):
            _leave_closed_pipe()
        code = stop.code if isinstance(stop, SystemExit) else _INTERRUPTED
        if code == _INTERRUPTED:
            print("Stopped.", file=sys.stderr)
        sys.exit(code)
    except BrokenPipeError:
        _leave_closed_pipe()
    except OSError as error:
        if not isinstance(error, PermissionError) and error.errno not in _DISK_ERRORS:
            _report_bug(error)
        what = f"{error.filename} cannot be read or written" if error.filename else "nothing more can be written"
        reason = "" if isinstance(error, PermissionError) else f": {error.strerror}"
        print(f"{type(error).__name__}: {what}{reason}.", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        _report_bug(error)


def _as_command_options(message: str) -> str:
    """An error with the mapping of labels as the command line takes it.

    >>> _as_command_options('Give labels={"LABEL_0": "negative", "LABEL_1": "positive"}; the card says.')
    'Give --labels LABEL_0=negative,LABEL_1=positive; the card says.'
    """

    def option(found: re.Match[str]) -> str:
        pairs = ",".join(f"{label}={cls}" for label, cls in json.loads(found[1]).items())
        return f"--labels {shlex.quote(pairs)}"

    return re.sub(r"\blabels=(\{[^{}]*\})", option, message)


def _leave_closed_pipe() -> NoReturn:
    """Whoever read our output has what they wanted: no message, not even from Python's last flush."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    sys.exit(0)


def _report_bug(error: Exception) -> NoReturn:
    traceback.print_exception(error)
    print(f"Something unexpected happened ({type(error).__name__}). This is a fault of ours.", file=sys.stderr)
    sys.exit(3)
