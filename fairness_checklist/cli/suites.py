"""The verbs about suites: list, build, lint."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.content import print_card
from fairness_checklist.core import parameters as default


class ListSubject(StrEnum):
    """What `list` can list."""

    attributes = "attributes"
    groups = "groups"
    terms = "terms"
    templates = "templates"
    metrics = "metrics"
    models = "models"


def list_(
    what: Annotated[ListSubject, typer.Argument(help="What to list.")] = ListSubject.attributes,
    name: Annotated[str, typer.Argument(help="Of metrics: one metric's id, for its card.", show_default=False)] = "",
    attribute: arguments.Attributes = [],  # noqa: B006  # typer reads the default, nobody changes it
    task: arguments.TaskName = default.TASK,
    terms: Annotated[Path | None, typer.Option("--terms", help="A folder or CSV file that adds terms to ours.")] = None,
    templates: Annotated[
        Path | None, typer.Option("--templates", help="A folder or CSV file that adds templates to ours.")
    ] = None,
    language: arguments.Language = default.LANGUAGE,
    as_json: arguments.Json = False,
) -> None:
    """List attributes, groups, terms, templates, metrics or bundled models.

    Example: fairness-checklist list terms --attribute gender

    The card of one metric: fairness-checklist list metrics fped
    """
    if name:
        print_card(what.value, name, as_json)
        return
    names = arguments.split(attribute)
    listing: dict[ListSubject, Callable[[], list[dict[str, Any]]]] = {
        ListSubject.attributes: lambda: _attributes(names, terms, language),
        ListSubject.groups: lambda: _groups(names, terms, language),
        ListSubject.terms: lambda: _terms(names, terms, language),
        ListSubject.templates: lambda: _templates(names, terms, language, task, templates),
        ListSubject.metrics: _metrics,
        ListSubject.models: lambda: _models(task),
    }
    rows = listing[what]()
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    _print_columns(rows)
    if what is ListSubject.terms:
        _print_hidden(names, terms, language, len(rows))


def _print_hidden(names: list[str] | None, extra: Path | None, language: str, shown: int) -> None:
    """How many dispreferred terms the list leaves out."""
    from fairness_checklist.content.term_files import load_terms

    hidden = sum(len(load_terms(name, extra, language)) for name in _named(names, extra, language)) - shown
    if hidden:
        are = "term is" if hidden == 1 else "terms are"
        typer.echo(
            f"{hidden} dispreferred {are} not shown; they are used only when named with --include-terms.", err=True
        )


def _print_columns(rows: list[dict[str, Any]]) -> None:
    if not rows:
        typer.echo("None.")
        return
    names = list(rows[0])
    width = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in names[:-1]}
    for row in [dict(zip(names, names, strict=True)), *rows]:
        typer.echo("  ".join([*(str(row[name]).ljust(width[name]) for name in names[:-1]), str(row[names[-1]])]))


def _named(names: list[str] | None, extra: Path | None, language: str) -> list[str]:
    from fairness_checklist.content.term_files import attributes

    return names or list(attributes(extra, language))


def _attributes(names: list[str] | None, extra: Path | None, language: str) -> list[dict[str, Any]]:
    from fairness_checklist.content.term_files import load_terms

    found = ((name, load_terms(name, extra, language)) for name in _named(names, extra, language))
    return [{"attribute": name, "terms": len(terms.terms), "groups": ", ".join(terms.groups)} for name, terms in found]


def _groups(names: list[str] | None, extra: Path | None, language: str) -> list[dict[str, Any]]:
    from fairness_checklist.content.term_files import load_terms

    found = ((name, load_terms(name, extra, language)) for name in _named(names, extra, language))
    return [
        {"attribute": name, "group": group, "terms": len(terms.of_group(group))}
        for name, terms in found
        for group in terms.groups
    ]


def _terms(names: list[str] | None, extra: Path | None, language: str) -> list[dict[str, Any]]:
    """Terms that are used by default; dispreferred ones are counted, and shown to no one who does not ask for them."""
    from fairness_checklist.content.term_files import load_terms

    return [
        {
            "attribute": name,
            "group": term.group,
            "term": term.term,
            "pos": term.pos,
            "status": term.status,
            "source": term.source,
        }
        for name in _named(names, extra, language)
        for term in load_terms(name, extra, language).select().terms
    ]


def _templates(
    names: list[str] | None, extra: Path | None, language: str, of_task: str, more: Path | None
) -> list[dict[str, Any]]:
    from fairness_checklist.content.templates import is_for_other_terms, load_templates
    from fairness_checklist.content.term_files import load_terms

    found = {}
    for name in _named(names, extra, language):
        families = load_terms(name, extra, language).families
        for one in load_templates(of_task, name, more, more_terms=extra, language=language):
            if one.attribute or not is_for_other_terms(one, families):
                found[one.id] = one
    return [
        {
            "id": one.id,
            "attribute": one.attribute or "every",
            "label": one.label,
            "target": one.target,
            "template": one.text,
        }
        for one in found.values()
    ]


def _metrics() -> list[dict[str, Any]]:
    from fairness_checklist.metrics.metric import METRICS

    return [
        {"metric": one.name, "kind": f"{one.level} {one.family}", "source": one.source, "question": one.question}
        for one in METRICS.values()
    ]


def _models(task: str) -> list[dict[str, Any]]:
    from fairness_checklist.models.folders import bundled_folder, bundled_models, default_bundled

    rows = []
    for name in bundled_models():
        folder = bundled_folder(name)
        figures = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        rows.append(
            {
                "model": f"bundled/{name}",
                "classes": ", ".join(figures["classes"]),
                **_figure(figures["test"]),
                "size": f"{size / 1e6:.1f} MB",
                "default": "of --model" if name == default_bundled(task) else "",
            }
        )
    return rows


def _figure(test: dict[str, Any]) -> dict[str, Any]:
    """The held-out figure of a model: the F1 of a tagger or of unequal classes, else the share that is right."""
    if "types" in test:
        return {"measure": "F1", "test": test["types"]["micro"]["f1"]}
    name = "macro_f1" if "auc" in test else "accuracy"
    return {"measure": name.replace("_f1", " F1"), "test": test[name]}


def build(
    attribute: arguments.Attributes,
    task: arguments.TaskName = default.TASK,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Save the suite in this folder.")] = None,
    table: Annotated[Path | None, typer.Option("--table", help="Write the texts to this .csv or .parquet.")] = None,
    show: Annotated[int, typer.Option("--show", help="Print so many texts, spread over the suite.")] = 10,
    groups: arguments.Groups = None,
    terms: arguments.Terms = None,
    templates: arguments.Templates = None,
    include_terms: arguments.IncludeTerms = None,
    max_terms: arguments.MaxTerms = None,
    term_set: arguments.TermSet = "",
    lists: arguments.Lists = None,
    language: arguments.Language = default.LANGUAGE,
    max_sources: arguments.MaxSources = default.MAX_SOURCES,
    escape_formulas: arguments.EscapeFormulas = False,
    dry_run: arguments.DryRun = False,
) -> None:
    """Build a suite, show some of its texts, and save it.

    Example: fairness-checklist build --attribute gender --groups women,men --out suites/gender
    """
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.suites.save import check_replaceable
    from fairness_checklist.tables.columns import split_controls
    from fairness_checklist.tables.files import write_table

    if table is not None:
        arguments.check_table(table)
        check_writable(table, folder=False)
    if out is not None:
        check_replaceable(out)
    built = arguments.suite_from_options(
        attribute,
        None,
        task=task,
        groups=groups,
        terms=terms,
        templates=templates,
        include_terms=include_terms,
        max_terms=max_terms,
        term_set=term_set,
        lists=lists,
        language=language,
        max_sources=max_sources,
    )
    if dry_run:
        arguments.print_size(built)
        return
    typer.echo(repr(built)[1:-1])
    for part in built.parts:
        if part.not_applicable:
            typer.echo(_for_other_terms(part.not_applicable))
        for one in part.dropped:
            typer.echo(f"Left out: {one.template_id}: {one.reason}")
        for remark in part.crossed.remarks if part.crossed else ():
            typer.echo(f"Few terms: {remark}")
    texts = built.to_frame()
    own, _controls = split_controls(texts)
    for at in _spread(list(own["source"]), list(own["group"]), show):
        row = own.iloc[at]
        label = f", {row['label'] or 'no label'}" if "label" in texts.columns else ""
        typer.echo(f"  {row['group']}{label}: {row['text']}")
    if table is not None:
        write_table(texts, table, escape_formulas=escape_formulas)
        typer.echo(f"The texts: {table}")
    if out is not None:
        built.save(out)
        typer.echo(f"The suite: {out}")


def _for_other_terms(ids: Sequence[str]) -> str:
    """What is said of templates for every attribute whose slots are for other terms."""
    have = "template has" if len(ids) == 1 else "templates have"
    return f"{len(ids):,} {have} no slot for these terms ({', '.join(ids[:2])}{', ...' if len(ids) > 2 else ''})."


def _spread(sources: Sequence[str], groups: Sequence[str], number: int) -> list[int]:
    """The rows to show: of sources evenly spread, each time of the next group and of another of its terms.

    >>> _spread(["a"] * 4 + ["b"] * 4, ["unmarked", "women", "women", "men"] * 2, 3)
    [1, 3, 5]
    """
    if number >= len(sources):
        return list(range(len(sources)))
    starts = [at for at in range(len(sources)) if at == 0 or sources[at] != sources[at - 1]]
    ends = [*starts[1:], len(sources)]
    shown: set[int] = set()
    for turn in range(max(number, 0)):
        which = turn * len(starts) // number
        marked = [at for at in range(starts[which], ends[which]) if groups[at] != "unmarked"]
        kinds = list(dict.fromkeys(groups[at] for at in marked))
        group = kinds[turn % len(kinds)]
        of_group = [at for at in marked if groups[at] == group]
        first = of_group[turn % len(of_group)]
        rest = [*range(first, ends[which]), *range(len(sources))]
        shown.add(next(at for at in rest if at not in shown))
    return sorted(shown)


def lint(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder with templates and identity_terms; ours by default.")
    ] = None,
    lists: arguments.Lists = None,
    language: Annotated[str, typer.Option("--language", help="Only files in this language, en or es.")] = "",
    fix: Annotated[
        bool, typer.Option("--fix", help="Correct spaces, doubled words, articles and capitals in the files of FOLDER.")
    ] = False,
    as_json: arguments.Json = False,
) -> None:
    """Prove that templates and terms fit together: exit code 0 where nothing is wrong, 1 else.

    Example: fairness-checklist lint my_terms --fix
    """
    from fairness_checklist.content.fills import read_lists
    from fairness_checklist.content.lint.linter import autofix, count_checked
    from fairness_checklist.content.lint.linter import lint as find

    values = read_lists(lists) if lists else None
    if fix:
        fixed, findings = autofix(folder, lists=values, language=language)
    else:
        fixed, findings = [], find(folder, lists=values, language=language)
    if as_json:
        parts = [dataclasses.asdict(finding) for finding in findings]
        changes = [dataclasses.asdict(one) for one in fixed]
        content = {"mended": changes, "findings": parts} if fix else parts
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        for one in fixed:
            typer.echo(f"Mended: {one}")
        for finding in findings:
            typer.echo(str(finding))
        if findings:
            from fairness_checklist.core.errors import count

            typer.echo(f"{count(len(findings), 'finding')}.")
        else:
            templates, terms = count_checked(folder, language=language)
            typer.echo(f"Nothing found in {templates:,} templates and {terms:,} terms.")
    if findings:
        raise typer.Exit(1)
