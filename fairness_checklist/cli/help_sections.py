"""Help in sections: the verbs by purpose, and the options of a verb by what they are about."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from fairness_checklist.core.option_defaults import DATA, MODEL, OUTPUT, SECTIONS, STATISTICS, TESTED

__all__ = ["DATA", "MODEL", "OUTPUT", "STATISTICS", "TESTED", "SectionedGroup", "add_command", "option"]
VERB_SECTIONS = {
    "Start": ["demo", "list"],
    "Test a model": ["run", "evaluate", "report", "import"],
    "Compare and release": ["compare", "gate", "validate"],
    "Templates, terms and suites": ["new", "lint", "build", "review", "perturb"],
    "Data sets": ["balance", "audit", "mitigate", "plan"],
    "Other metrics": ["lenses"],
}
"""All verbs by purpose, in the order of the help."""


def option(section: str, text: str, *names: str, **more: Any) -> Any:
    """An option for `Annotated`: its section of the help, and its names where they are not that of the parameter."""
    return typer.Option(*names, help=text, rich_help_panel=section, **more)


class SectionedGroup(TyperGroup):
    """The command line, with its verbs listed by purpose."""

    def format_commands(self, ctx: typer.Context, formatter: object) -> None:  # type: ignore[override]
        """Write the verbs of each section with the whole first sentence of their help."""
        sections = {}
        for name, verbs in VERB_SECTIONS.items():
            commands = {verb: self.get_command(ctx, verb) for verb in verbs}
            sections[name] = [(verb, cmd.get_short_help_str(limit=200)) for verb, cmd in commands.items() if cmd]
        _write_sections(formatter, sections)


class SectionedCommand(TyperCommand):
    """A verb whose options are listed by section."""

    def format_options(self, ctx: typer.Context, formatter: object) -> None:  # type: ignore[override]
        """Write the arguments, and the options of each section."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *SECTIONS, "Other options")}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if line is not None:
                section = getattr(parameter, "rich_help_panel", None) or "Other options"
                sections["Arguments" if parameter.param_type_name == "argument" else section].append(line)
        _write_sections(formatter, sections)


def _write_sections(formatter: Any, sections: Mapping[str, list[tuple[str, str]]]) -> None:
    for name, lines in sections.items():
        if lines:
            with formatter.section(name):
                formatter.write_dl(lines)


def add_command(app: typer.Typer, name: str, command: Callable[..., None]) -> None:
    """Add a verb, or a subcommand of one; the help is its docstring, the examples come last."""
    description, _, examples = (command.__doc__ or "").partition("\n\n    Example")
    epilog = inspect.cleandoc(f"Example{examples}")
    app.command(name=name, cls=SectionedCommand, help=description, epilog=epilog)(command)
