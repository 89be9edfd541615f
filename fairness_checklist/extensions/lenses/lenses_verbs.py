"""The verb `lenses` with its subcommands extrinsic, intrinsic and preference."""

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, TESTED, add_command, option
from fairness_checklist.cli.printed_answers import Answer, answering
from fairness_checklist.core.errors import OptionError

_SENTENCES = 4  # of a preference: all kinds, and the strongest ones
_Model = Annotated[str, option(MODEL, "Folder or hub id of a transformers model.", "--model", "-m")]


@answering
def extrinsic(
    table: Annotated[Path, typer.Argument(help="Predictions with group, label, predicted: .csv, .parquet, .jsonl.")],
    *,
    groups: arguments.TwoGroups = None,
    draws: arguments.Draws = 400,
) -> Answer:
    """Measure a model by every extrinsic metric that its predictions allow.

    Example: fairness-checklist lenses extrinsic predictions.csv --groups F,M --out runs/lenses
    """
    from fairness_checklist.extensions.lenses.extrinsic import extrinsic as measure

    names = arguments.split_commas(groups) or []
    if len(names) not in (0, 2):
        raise OptionError(f"--groups names {len(names)} groups.", remedy="Name two: --groups F,M.")
    left, right = names or ("", "")
    report = measure(table, left=left, right=right, draws=draws)
    tables = {"metrics": report.metrics, **({"labels": report.labels} if len(report.labels) else {})}
    record = {"groups": [report.left, report.right], "draws": draws}
    record |= {"n": report.n, "unit": report.unit, "left_out": report.left_out}
    return Answer([finding.statement for finding in report.findings], report.findings, tables, record | tables)


@answering
def intrinsic(
    *,
    model: _Model = "bundled/sentiment",
    attribute: Annotated[str, option(TESTED, "Sensitive attribute; see `list`.", "--attribute", "-a")] = "gender",
    groups: arguments.TwoGroups = None,
    words: Annotated[str, option(TESTED, "Attribute words of SEAT and CEAT: pleasant, work or ability.")] = "pleasant",
    layer: Annotated[int, option(MODEL, "Layer of the vectors: 0 is the input embeddings, -1 the last layer.")] = -1,
    max_terms: arguments.MaxTerms = None,
    draws: arguments.Draws = 999,
) -> Answer:
    """Measure a model's hidden vectors for two groups by eight intrinsic measures; they show no harm.

    Example: fairness-checklist lenses intrinsic --model DIR --attribute gender --groups women,men --words work --tables
    """
    from fairness_checklist.extensions.lenses.intrinsic import WARNING
    from fairness_checklist.extensions.lenses.intrinsic import intrinsic as measure

    report = measure(
        model,
        attribute=attribute,
        groups=arguments.split_commas(groups),
        words=words,
        layer=layer,
        max_terms=max_terms,
        draws=draws,
    )
    record = {"warning": WARNING, "model": report.model, "attribute": attribute, "layer": layer}
    record |= {"groups": [report.left, report.right], "words": report.words, "terms": report.terms}
    return Answer(
        [report.sentence(), WARNING],
        report.findings,
        {"measures": report.measures.assign(warning=WARNING)},
        record | {"sentences": report.sentences, "measures": report.measures},
        shown={"measures": report.measures.drop(columns=["title"])},
    )


@answering
def preference(
    table: Annotated[
        Path | None,
        typer.Argument(help="Pairs of sentences: columns source, text, stereotype (pro, anti), label; .csv, .jsonl."),
    ] = None,
    *,
    model: _Model,
    dataset: Annotated[str, option(TESTED, "In place of a table: crows_pairs or stereoset.")] = "",
    path: Annotated[Path | None, option(TESTED, "Your copy of the data set, as published.")] = None,
    targets: Annotated[
        list[str] | None,
        option(TESTED, "In place of pairs: two words to compare, she,he; needs --template and --words."),
    ] = None,
    template: Annotated[
        list[str] | None, option(TESTED, 'Text with {mask} for a target and {term}: "{mask} is a {term}.". Repeatable.')
    ] = None,
    words: Annotated[list[str] | None, option(TESTED, "Words for {term}, such as nurse,engineer.")] = None,
) -> Answer:
    """Measure whether a masked language model prefers stereotypical sentences or words.

    Example: fairness-checklist lenses preference --model DIR --dataset crows_pairs --path crows_pairs_anonymized.csv

    Example, two words: fairness-checklist lenses preference --model DIR --targets she,he
    --template "{mask} is a {term}." --words nurse,engineer
    """
    from fairness_checklist.extensions.lenses.preference import NOTE, stereotype_preference, target_word_preference
    from fairness_checklist.extensions.lenses.readers import read_published
    from fairness_checklist.findings.finding import CLEAR

    pair, terms = arguments.split_commas(targets) or [], arguments.split_commas(words) or []
    named = (table is not None, bool(dataset or path), bool(pair or template or terms))
    if sum(named) != 1 or named != (named[0], bool(dataset and path), len(pair) == 2 and bool(template and terms)):
        raise OptionError(
            "expected either pairs of sentences or two words.",
            remedy="Name a table, or --dataset and --path; or --targets she,he with --template and --words.",
        )
    if pair:
        report = target_word_preference(model, template or [], terms, left=pair[0], right=pair[1])
    else:
        report = stereotype_preference(model, read_published(dataset, path) if path else table)
    strongest = [finding for finding in report.findings[1:_SENTENCES] if finding.status == CLEAR]
    lines = [finding.statement for finding in (report.findings[0], *strongest)]
    return Answer(
        lines if pair else [*lines, f"Note: {NOTE}."],
        report.findings,
        {"preference": report.table, "pairs": report.rows},
        {"model": model, "measure": report.measure, "preference": report.table},
        shown={"preference": report.table},
    )


lenses = typer.Typer(
    help="Measure a model by other metrics: extrinsic, intrinsic, preference (Orgad and Belinkov 2022).",
    epilog="Example: fairness-checklist lenses extrinsic predictions.csv --groups F,M",
    no_args_is_help=True,
    rich_markup_mode=None,
)
for command in (extrinsic, intrinsic, preference):
    add_command(lenses, command.__name__, command)
