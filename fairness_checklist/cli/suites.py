"""The verbs for suites: list, build."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import OUTPUT, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.option_defaults import ContentOptions, SourceOptions

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.terms import TermList


class ListSubject(StrEnum):
    """The kinds of entries that `list` prints."""

    attributes = "attributes"
    groups = "groups"
    terms = "terms"
    templates = "templates"
    metrics = "metrics"
    models = "models"


def list_(
    what: Annotated[ListSubject, typer.Argument(help="Kind of entries to list.")] = ListSubject.attributes,
    name: Annotated[str, typer.Argument(help="With metrics: one of them, to print its card.", show_default=False)] = "",
    attribute: arguments.Attributes = None,
    task: arguments.TaskName = default.TASK,
    terms: Annotated[Path | None, option(TESTED, "Folder or CSV file with terms to add to the shipped ones.")] = None,
    templates: Annotated[
        Path | None, option(TESTED, "Folder or CSV file with templates to add to the shipped ones.")
    ] = None,
    language: arguments.Language = default.LANGUAGE,
    as_json: arguments.Json = False,
) -> None:
    """List attributes, groups, terms, templates, metrics or models.

    Example: fairness-checklist list terms --attribute gender

    Example, the card of one metric: fairness-checklist list metrics fped
    """
    if name:
        _print_card(what.value, name, as_json)
        return
    if what in (ListSubject.metrics, ListSubject.models):
        rows = _metrics() if what is ListSubject.metrics else _models(task)
    else:
        from fairness_checklist.content.term_files import attributes, load_terms

        named = arguments.split_commas(attribute) or attributes(terms, language)
        lists = [(each, load_terms(each, terms, language)) for each in named]
        of_templates = what is ListSubject.templates
        rows = _templates(lists, task, terms, templates, language) if of_templates else _content(what, lists)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from fairness_checklist.reports.render import aligned

    names = list(rows[0]) if rows else []
    table = [[str(cell) for cell in row.values()] for row in rows]
    text = aligned(names, table, words=len(names), width=sys.maxsize, longest=sys.maxsize)
    typer.echo(text if rows else "None.")
    hidden = sum(len(listed.terms) for _, listed in lists) - len(rows) if what is ListSubject.terms else 0
    if hidden:
        typer.echo(
            f"{count(hidden, 'term')} {'is' if hidden == 1 else 'are'} not shown (dispreferred, contested or a variant)"
            ": used only when named with --include-terms.",
            err=True,
        )


def _content(what: ListSubject, lists: list[tuple[str, TermList]]) -> list[dict[str, Any]]:
    """The attributes, their groups, or their terms but for the dispreferred ones."""
    from fairness_checklist.content.term_files import is_control

    if what is ListSubject.attributes:
        return [
            {
                "attribute": name,
                "kind": "control words" if is_control(name) else "identity",
                "terms": len(terms.terms),
                "groups": ", ".join(terms.groups),
            }
            for name, terms in lists
        ]
    if what is ListSubject.groups:
        return [
            {"attribute": name, "group": group, "terms": len(terms.of_group(group))}
            for name, terms in lists
            for group in terms.groups
        ]
    columns = ("group", "term", "pos", "status", "source")
    return [
        {"attribute": name, **{column: getattr(term, column) for column in columns}}
        for name, terms in lists
        for term in terms.select().terms
    ]


def _templates(
    lists: list[tuple[str, TermList]], task: str, extra_terms: Path | None, extra_templates: Path | None, language: str
) -> list[dict[str, Any]]:
    from fairness_checklist.content.templates import is_for_other_terms, load_templates

    rows = {}
    for name, terms in lists:
        for template in load_templates(task, name, extra_templates, more_terms=extra_terms, language=language):
            if template.attribute or not is_for_other_terms(template, terms.families):
                rows[template.id] = {
                    "id": template.id,
                    "attribute": template.attribute or "every",
                    "label": template.label,
                    "about": template.about,
                    "sentence": template.text,
                }
    return list(rows.values())


def _metrics() -> list[dict[str, Any]]:
    from fairness_checklist.metrics.metric_forms import METRICS

    return [
        {
            "metric": metric.name,
            "kind": f"{metric.level} {metric.family}",
            "source": metric.source,
            "question": metric.question,
        }
        for metric in METRICS.values()
    ]


def _models(task: str) -> list[dict[str, Any]]:
    from fairness_checklist.models.huggingface.folders import bundled_folder, bundled_models, default_bundled

    rows = []
    for name in bundled_models():
        folder = bundled_folder(name)
        figures = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
        test = figures["test"]  # F1 for a tagger or unbalanced classes, else accuracy
        measure = "F1" if "types" in test else "macro_f1" if "auc" in test else "accuracy"
        score = test["types"]["micro"]["f1"] if "types" in test else test[measure]
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        rows.append(
            {
                "model": f"bundled/{name}",
                "classes": ", ".join(figures["classes"]),
                "measure": measure.replace("_f1", " F1"),
                "test": score,
                "size": f"{size / 1e6:.1f} MB",
                "default": "of --model" if name == default_bundled(task) else "",
            }
        )
    return rows


@arguments.with_options
def build(
    attribute: arguments.Attributes,
    content: ContentOptions,
    task: arguments.TaskName = default.TASK,
    language: arguments.Language = default.LANGUAGE,
    config: arguments.Config = None,
    out: Annotated[Path | None, option(OUTPUT, "Folder to save the suite in.", "--out", "-o")] = None,
    table: Annotated[
        Path | None,
        option(OUTPUT, "Table of the texts, with control words, for a model elsewhere: .csv, .parquet or .jsonl."),
    ] = None,
    show: Annotated[int, option(OUTPUT, "Number of texts to print, spread over the suite.")] = 10,
    dry_run: arguments.DryRun = False,
) -> None:
    """Build a suite, print some of its texts, and save it.

    Example: fairness-checklist build --attribute gender --groups women,men --out suites/gender

    Example, for a model elsewhere: fairness-checklist build --attribute gender --table texts.csv
    """
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.suites.part_files import check_replaceable
    from fairness_checklist.tables.files import check_ending, write_table

    if table is not None:
        check_ending(table)
        check_writable(table, folder=False)
    if out is not None:
        check_replaceable(out)
    suite = arguments.build_suite(SourceOptions(attribute=attribute, task=task, language=language), content)
    if dry_run:
        arguments.print_text_count(suite)
        return
    _print_suite(suite, show)
    if table is not None:
        texts = suite.to_frame(control_words=True)
        write_table(texts, table)
        typer.echo(f"The texts, {len(texts):,} rows: {table}")
    if out is not None:
        suite.save(out)
        typer.echo(f"The suite: {out}")


def _print_suite(suite: Suite, show: int) -> None:
    """Print the size of a suite, what was left out, and some of its texts."""
    from fairness_checklist.content.templates import NOT_FOR_GROUPS
    from fairness_checklist.tables.columns import split_controls

    typer.echo(repr(suite)[1:-1])
    for part in suite.parts:
        if ids := part.not_applicable:
            have = "has" if len(ids) == 1 else "have"
            listed = f"{', '.join(ids[:2])}{', ...' if len(ids) > 2 else ''}"
            typer.echo(f"{count(len(ids), 'template')} {have} no slot for these terms ({listed}).")
        excepted = [template.template_id for template in part.dropped if template.reason == NOT_FOR_GROUPS]
        if len(excepted) > 2:
            typer.echo(
                f"Left out: {count(len(excepted), 'template')} ({', '.join(excepted[:2])}, ...): "
                "not for these groups (except_groups)"
            )
        for template in part.dropped:
            if len(excepted) <= 2 or template.reason != NOT_FOR_GROUPS:
                typer.echo(f"Left out: {template.template_id}: {template.reason}")
        for remark in part.crossed.remarks if part.crossed else ():
            typer.echo(f"Few terms: {remark}")
    texts = suite.to_frame()
    variants, _controls = split_controls(texts)
    for position in _evenly_spread_rows(list(variants["source"]), list(variants["group"]), show):
        row = variants.iloc[position]
        label = f", {row['label'] or 'no label'}" if "label" in texts.columns else ""
        typer.echo(f"  {row['group']}{label}: {row['text']}")


def _evenly_spread_rows(sources: Sequence[str], groups: Sequence[str], number: int) -> list[int]:
    """The rows to show: of sources evenly spread, each time of the next group and of another of its terms.

    >>> _evenly_spread_rows(["a"] * 4 + ["b"] * 4, ["unmarked", "women", "women", "men"] * 2, 3)
    [1, 3, 5]
    """
    if number >= len(sources):
        return list(range(len(sources)))
    starts = [row for row in range(len(sources)) if row == 0 or sources[row] != sources[row - 1]]
    ends = [*starts[1:], len(sources)]
    chosen: set[int] = set()
    for turn in range(max(number, 0)):
        which = turn * len(starts) // number
        marked = [row for row in range(starts[which], ends[which]) if groups[row] != "unmarked"]
        kinds = list(dict.fromkeys(groups[row] for row in marked))
        terms = [row for row in marked if groups[row] == kinds[turn % len(kinds)]]
        first = terms[turn % len(terms)]
        chosen.add(next(row for row in (*range(first, ends[which]), *range(len(sources))) if row not in chosen))
    return sorted(chosen)


def _print_card(what: str, name: str, as_json: bool) -> None:
    from fairness_checklist.metrics.catalogue import describe

    if what != "metrics":
        raise OptionError(
            f"list {what} takes no name, and {name!r} is one.",
            remedy="Only metrics have cards: fairness-checklist list metrics fped.",
        )
    card = describe(name)
    lines = [
        textwrap.fill(text, 120, initial_indent=f"{heading:<12}", subsequent_indent=" " * 12)
        for heading, text in card.items()
    ]
    typer.echo(json.dumps(card, indent=2, ensure_ascii=False) if as_json else "\n".join(lines))
