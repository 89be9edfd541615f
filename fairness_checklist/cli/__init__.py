"""The command line. Every verb loads what it needs when it runs, so that ``--help`` answers at once."""

from __future__ import annotations

import sys
import traceback

import typer

from fairness_checklist.cli import runs, suites
from fairness_checklist.errors import InputError

__all__ = ["app", "main"]

_STOPPED = 130

app = typer.Typer(
    name="fairness-checklist",
    help="A bias test bench for NLP models: templates x identity terms -> invariance tests and fairness metrics.",
    epilog="Example: fairness-checklist run --attribute gender,names --task sentiment --model MODEL --out runs/x",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (runs.demo, runs.run, runs.predict, runs.evaluate, runs.report, suites.build, suites.lint):
    app.command(epilog=(command.__doc__ or "").rpartition("\n\n")[2].strip())(command)
app.command(name="list", epilog="Example: fairness-checklist list terms --attribute gender")(suites.list_)


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
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as stop:
        code = stop.code if isinstance(stop, SystemExit) else _STOPPED
        if code == _STOPPED:
            print("Stopped. What a model has said is kept: the same command goes on from there.", file=sys.stderr)
        sys.exit(code)
    except PermissionError as error:
        print(f"PermissionError: {error.filename} cannot be read or written.", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        traceback.print_exc()
        print(f"Something unexpected happened ({type(error).__name__}). This is a fault of ours.", file=sys.stderr)
        sys.exit(3)
