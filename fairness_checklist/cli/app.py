"""The command line. Each verb imports what it needs when it runs, so that ``--help`` is fast."""

import errno
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import typer

from fairness_checklist.cli import runs, suites
from fairness_checklist.cli.help_sections import SectionedGroup, add_command
from fairness_checklist.cli.messages import as_command
from fairness_checklist.core.errors import InputError
from fairness_checklist.extensions.authoring.verbs import lint, new, review
from fairness_checklist.extensions.balance.balance_verb import balance
from fairness_checklist.extensions.checklist.import_verb import import_
from fairness_checklist.extensions.compare.compare_and_gate_verbs import compare, gate
from fairness_checklist.extensions.corpora.audit_and_mitigate_verbs import audit, mitigate
from fairness_checklist.extensions.lenses.lenses_verbs import lenses
from fairness_checklist.extensions.natural.validate_verb import validate
from fairness_checklist.extensions.plan.plan_verb import plan
from fairness_checklist.extensions.rewriting.perturb_verb import perturb

__all__ = ["app", "main"]

_INTERRUPTED = 130
_SPACE = "Free some space, or name a place on another disk."
_DISK_ERRORS = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EROFS: "Name a place where files can be made.",
    errno.EFBIG: "Raise the limit on the size of a file (ulimit -f), or name a place that allows larger ones.",
}

app = typer.Typer(
    name="fairness-checklist",
    cls=SectionedGroup,
    help="Test NLP models for bias: templates are filled with identity terms, and the predictions for groups are "
    "compared by invariance tests and fairness metrics.",
    epilog="Example: fairness-checklist run --attribute gender,names --task sentiment --model MODEL --out runs/x",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
VERBS: dict[str, Callable[..., None] | typer.Typer] = {
    "demo": runs.demo,
    "list": suites.list_,
    "run": runs.run,
    "evaluate": runs.evaluate,
    "report": runs.report,
    "build": suites.build,
    "lint": lint,
    "new": new,
    "review": review,
    "balance": balance,
    "import": import_,
    "compare": compare,
    "gate": gate,
    "audit": audit,
    "mitigate": mitigate,
    "lenses": lenses,
    "validate": validate,
    "plan": plan,
    "perturb": perturb,
}
for verb, command in VERBS.items():
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=verb)
    else:
        add_command(app, verb, command)


@app.callback(invoke_without_command=True)
def version(show: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if show:
        from fairness_checklist import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line. Exit codes: 0 success, 2 invalid input, 3 unexpected error, 130 interrupted."""
    try:
        _run()
    except InputError as error:
        print(f"{type(error).__name__}: {as_command(error, _options_of_verb())}", file=sys.stderr)
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
        remedy = f"\n    {_DISK_ERRORS[error.errno]}" if error.errno in _DISK_ERRORS else ""
        print(f"{type(error).__name__}: {what}{reason}.{remedy}", file=sys.stderr)
        sys.exit(2)
    except Exception as error:
        _report_bug(error)


def _run() -> None:
    """Run a verb; what the code of a Python object as ``--model`` raises is explained, and its modules go again."""
    try:
        app(prog_name=app.info.name)
    except BaseException:
        user_code: Any = sys.modules.get("fairness_checklist.models.user_code")
        if user_code is not None and user_code.is_apart():
            with user_code.explained():
                raise
        raise
    finally:
        python_models: Any = sys.modules.get("fairness_checklist.cli.python_models")
        if python_models is not None:
            python_models.unload()


def _options_of_verb() -> list[str]:
    """The options of the verb that is run, by the names of their Python parameters."""
    verb = next((word for word in sys.argv[1:] if word in VERBS), None)
    command = VERBS[verb] if verb else None
    if isinstance(command, typer.Typer):  # a verb with subcommands
        subcommands = {subcommand.name: subcommand.callback for subcommand in command.registered_commands}
        command = next((subcommands[word] for word in sys.argv[1:] if word in subcommands), None)
    return list(inspect.signature(command).parameters) if command else []


def _leave_closed_pipe() -> NoReturn:
    """Exit without a message, also from Python's last flush: the reader of the output has closed the pipe."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # type: ignore[union-attr]
    sys.exit(0)


def _report_bug(error: Exception) -> NoReturn:
    traceback.print_exception(error)
    print(
        f"Something unexpected happened ({type(error).__name__}). This is a bug in fairness-checklist.", file=sys.stderr
    )
    sys.exit(3)
