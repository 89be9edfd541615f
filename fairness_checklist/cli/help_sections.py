"""Help in sections: the verbs by purpose, and the options of a verb by what they are about."""

from __future__ import annotations

import typer
from typer.core import TyperCommand, TyperGroup

VERB_SECTIONS = {
    "Start": ["demo", "list"],
    "Test a model": ["run", "predict", "evaluate", "report", "import", "cache"],
    "Templates, terms and suites": ["new", "lint", "build", "card", "perturb"],
    "Data sets": ["plan", "balance", "audit", "mitigate"],
    "Other metrics": ["lenses", "intrinsic", "preference"],
}
"""Verbs by purpose, in the order of the help; a verb that is in none comes last."""

SECTIONS = {
    "Data": ["text_column", "label_column", "positive", "pool", "score", "general", "distinct"],
    "What is tested": [
        "groups_column",
        "properties",
        "published",
        "pairwise",
        "drop",
        "trim",
        "largest_weight",
        "bins",
        "mechanisms",
        "attribute",
        "task",
        "suite",
        "texts",
        "dataset",
        "path",
        "over",
        "targets",
        "template",
        "kind",
        "names_column",
        "language",
        "groups",
        "terms",
        "exact_words",
        "senses",
        "include_terms",
        "max_terms",
        "sample_seed",
        "templates",
        "no_profanity",
        "term_set",
        "lists",
        "max_sources",
        "words",
        "group_columns",
        "mentions",
        "min_cell",
        "classes",
        "test",
    ],
    "Model": [
        "correct",
        "answer_files",
        "evaluate",
        "model",
        "predictions",
        "file_format",
        "from_file",
        "labels",
        "layer",
        "of",
        "scheme",
        "max_length",
        "batch_tokens",
        "dtype",
        "device",
        "revision",
        "workers",
        "engine",
        "shard",
    ],
    "Model behind an endpoint": [
        "endpoint",
        "request_template",
        "response_path",
        "key_env",
        "api",
        "prompts",
        "prompt",
        "answers",
        "orders",
        "samples",
        "max_tokens",
        "extra",
        "min_label_mass",
        "timeout",
        "requests_per_minute",
        "concurrency",
        "attempts",
        "as_of",
        "price_per_1k",
    ],
    "Statistics": [
        "harm",
        "config",
        "metrics",
        "primary",
        "threshold",
        "threshold_on",
        "tolerance",
        "denominator",
        "weight",
        "matching",
        "max_groupings",
        "shares",
        "balance",
        "draws",
        "intervals",
        "probe_draws",
        "uncertainty",
        "adjust",
        "seed",
        "unlabelled",
        "undefined",
        "where",
        "by",
        "no_placebo",
        "lengths",
        "mine",
        "prior",
        "held_out",
        "seeds",
    ],
    "Output": [
        "out",
        "store",
        "to_file",
        "no_text",
        "escape_formulas",
        "dry_run",
        "fail_if",
        "tables",
        "show_words",
        "kpi",
        "as_json",
        "force",
    ],
}


class SectionedGroup(TyperGroup):
    """The command line, with its verbs listed by purpose."""

    def format_commands(self, ctx: typer.Context, formatter: object) -> None:  # type: ignore[override]
        """Write the verbs of each section with the whole first sentence of their help."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in (*VERB_SECTIONS, "Other commands")}
        for verb in self.list_commands(ctx):
            section = next((name for name, verbs in VERB_SECTIONS.items() if verb in verbs), "Other commands")
            command = self.get_command(ctx, verb)
            if command is not None:
                sections[section].append((verb, command.get_short_help_str(limit=200)))
        for name, lines in sections.items():
            if lines:
                with formatter.section(name):  # type: ignore[attr-defined]
                    formatter.write_dl(lines)  # type: ignore[attr-defined]


class SectionedCommand(TyperCommand):
    """A verb whose options are listed by section, where it has options of more than one."""

    def format_options(self, ctx: typer.Context, formatter: object) -> None:  # type: ignore[override]
        """Write the arguments, and the options of each section."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", *SECTIONS, "Other options")}
        for parameter in self.get_params(ctx):
            line = parameter.get_help_record(ctx)
            if line is not None:
                sections[_section(parameter.name or "", parameter.param_type_name)].append(line)
        filled = {name: lines for name, lines in sections.items() if lines}
        if len(filled) - ("Arguments" in filled) <= 2:
            options = [line for name, lines in filled.items() if name != "Arguments" for line in lines]
            filled = {"Arguments": filled.get("Arguments", []), "Options": options}
        for name, lines in filled.items():
            if lines:
                with formatter.section(name):  # type: ignore[attr-defined]
                    formatter.write_dl(lines)  # type: ignore[attr-defined]


def _section(name: str, kind: str) -> str:
    if kind == "argument":
        return "Arguments"
    return next((section for section, names in SECTIONS.items() if name in names), "Other options")
