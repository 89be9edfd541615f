"""The verb mitigate: a corpus is balanced, and a small model is trained on it again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import DATA, STATISTICS, TESTED, option
from fairness_checklist.extensions.corpora import options
from fairness_checklist.extensions.corpora.inputs import (
    ATTRIBUTES,
    negative_class,
    numbers,
    read_labelled,
    read_prior,
    read_texts,
    train_and_test,
)
from fairness_checklist.extensions.corpora.outputs import notes_of


@answering
def mitigate(
    corpus: options.Corpus,
    *,
    pool: Annotated[Path, option(DATA, "Table of texts that are assumed to be negative.")],
    test: Annotated[
        Path | None, option(TESTED, "General held-out set; by default a fifth of the corpus, at random.")
    ] = None,
    attribute: options.Attributes = None,
    exact_words: options.ExactWords = False,
    text_column: options.TextColumn = "text",
    label_column: options.LabelColumn = "label",
    positive: options.Positive = None,
    lengths: options.Lengths = options.LENGTHS,
    senses: options.Senses = False,
    prior: options.Prior = "bucket",
    held_out: Annotated[float, option(STATISTICS, "Share of the terms in need that are kept out of the balancing.")] = 1
    / 3,
    seeds: Annotated[int, option(STATISTICS, "Number of runs of each model.")] = 2,
    seed: arguments.Seed = 0,
    threshold_on: Annotated[
        str, option(STATISTICS, "Set of the equal error rate: general (the paper) or phrases.")
    ] = "general",
) -> Answer:
    """Balance a corpus, retrain a small model, and measure whether errors by identity term change.

    Three models are trained with each seed: on the corpus, with texts that balance the terms, and with as many random
    ones. They are measured on the shipped templates for toxicity. Ten seeds are better than two.

    Example: fairness-checklist mitigate comments.csv --pool articles.csv --seeds 2 --out audits/mitigation
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.corpora.mitigation import augmented
    from fairness_checklist.extensions.corpora.mitigation_loop import mitigation_loop
    from fairness_checklist.extensions.corpora.page import (
        addition_grids,
        additions_note,
        audit_grids,
        audit_heat,
        audit_page,
        loop_grids,
    )
    from fairness_checklist.extensions.corpora.phrases import identity_phrases
    from fairness_checklist.extensions.corpora.term_bias import scatter_of_runs
    from fairness_checklist.suites.build import build_parts

    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is too small.", remedy="Give 1 or more.")
    texts, labels, name, _ = read_labelled(corpus, text_column, label_column, positive)
    train, general = train_and_test((texts, labels), test, (text_column, label_column, positive), seed)
    attributes = arguments.split_commas(attribute) or ATTRIBUTES
    parts = build_parts(
        attributes,
        task="toxicity",
        terms=None,
        templates=None,
        term_set="",
        lists=None,
        language="en",
        max_sources=100_000,
    )
    phrases = identity_phrases(parts, single_words=True)
    own = phrases["label"].map({"toxic": name, "nontoxic": negative_class(labels, name)})
    found = mitigation_loop(
        train,
        general,
        read_texts(pool, text_column),
        phrases.assign(label=own),
        positive=name,
        negative=negative_class(labels, name),
        prior=read_prior(prior),
        lengths=numbers(lengths),
        senses=senses,
        held_out=held_out,
        seeds=range(seed + 1, seed + 1 + seeds),
        threshold_on=threshold_on,
        forms=None if exact_words else _forms_of(attributes, set(phrases["term"])),
        report=lambda line: typer.echo(line, err=True),
    )
    written = {
        "models": found.table(),
        "term_sets": found.by_set(),
        "runs_by_term": scatter_of_runs(found.runs),
        "terms": found.audit.terms,
        "added_texts": found.additions.table,
        "control_texts": found.control,
        "needed_texts": found.additions.plan,
        "augmented_corpus": augmented(train.texts, train.labels, found.additions.table, pool=pool.name),
    }
    notes = [
        *notes_of(found.audit),
        additions_note(found.additions),
        "Intervals over runs are about training with other seeds. Templates, terms and the added texts are the same in "
        "all runs, so they say nothing about other texts.",
        f"{found.phrases:,} phrases of {found.templates:,} templates, of which no model has seen one.",
    ]
    answers = [one for one in (found.sentence(), found.warning(), found.additions.sentence()) if one]
    grids = [*loop_grids(found), *addition_grids(found.additions.plan), *audit_grids(found.audit)]
    heat, title = audit_heat(found.audit), f"Mitigation on {corpus.name}"
    return Answer(
        answers,
        [*found.findings, *found.additions.findings, *found.audit.findings],
        written,
        {"models": written["models"], "term_sets": written["term_sets"]},
        page=lambda: audit_page(title, answers, grids=grids, heat=heat, notes=notes, loop=found),
        shown=grids,
    )


def _forms_of(attributes: Sequence[str], terms: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The forms of the terms that the phrases have, in small letters as there."""
    from fairness_checklist.content.term_files import load_terms
    from fairness_checklist.content.term_forms import term_forms

    known = [term for name in attributes for term in load_terms(name).terms if term.term.lower() in terms]
    return {term.lower(): forms for term, forms in term_forms(known, merge_spellings=False).items()}
