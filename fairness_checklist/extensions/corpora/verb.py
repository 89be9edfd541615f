"""The verbs audit (identity terms in a labelled corpus, or in the texts that a model scored) and mitigate."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import DATA, MODEL, OUTPUT, STATISTICS, TESTED, option
from fairness_checklist.extensions.corpora import inputs
from fairness_checklist.extensions.corpora.inputs import negative_class, numbers, read_labelled, read_prior, read_texts

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.corpora.mitigation_loop import LabelledTexts, MitigationLoop

_SAMPLE = 1000


@answering
def audit(
    corpus: inputs.Corpus,
    *,
    attribute: inputs.Attributes = None,
    terms: inputs.Terms = None,
    exact_words: inputs.ExactWords = False,
    text_column: inputs.TextColumn = "text",
    label_column: inputs.LabelColumn = "label",
    positive: inputs.Positive = None,
    author_column: inputs.AuthorColumn = "",
    lengths: inputs.Lengths = inputs.LENGTHS,
    senses: inputs.Senses = False,
    mine: Annotated[int, option(STATISTICS, "Number of skewed words outside the list, each direction.")] = 0,
    show_words: Annotated[
        bool, option(OUTPUT, "With --mine: print offensive words in full, not their first letter.", "--show-words")
    ] = False,
    distinct: Annotated[bool, option(DATA, "Count texts that repeat, such as retweets, once.", "--distinct")] = (False),
    pool: inputs.Pool = None,
    prior: inputs.Prior = "bucket",
    seed: arguments.Seed = 0,
    score: Annotated[
        str, option(DATA, "Column with a model's scores: its errors by term, in place of the corpus.")
    ] = "",
    model: Annotated[
        str | None,
        option(MODEL, "Model that scores the texts, in place of --score: see `run --help`.", "--model", "-m"),
    ] = None,
    labels: arguments.ModelLabels = None,
    task: Annotated[str, option(TESTED, "With --model: sentiment or toxicity.")] = "toxicity",
    general: Annotated[Path | None, option(DATA, "With --score or --model: general set for the threshold.")] = None,
    threshold: Annotated[str, option(STATISTICS, "With --score: eer (equal error rate), or a number.")] = ("eer"),
    workers: arguments.BatchWorkers = 1,
    engine: arguments.BatchEngine = "local",
) -> Answer:
    """Audit a labelled corpus: how often texts with each identity term are positive, by length as well.

    Plurals and other forms of the terms of an attribute count, too. With --pool, negative texts are drawn until each
    bucket meets the prior. With --score or --model, the errors of a model by term: FPR, FNR, AUCs, pinned
    AUC, FPED and FNED.

    Example: fairness-checklist audit comments.csv --label-column label --positive toxic --out audits/comments

    Example, with texts to add: fairness-checklist audit comments.csv --pool articles.csv --out audits/balanced
    """
    from fairness_checklist.core.errors import OptionError

    if score and model:
        raise OptionError("--score and --model both give scores.", remedy="Leave out one of the two.")
    if (score or model) and (pool is not None or mine):
        raise OptionError("--score and --model are for the errors of a model, --pool and --mine for a corpus.")
    if not (score or model) and (general is not None or threshold != "eer"):
        raise OptionError(
            "--general and --threshold need --score or --model.", remedy="Name the column of the scores, or the model."
        )
    forms = inputs.chosen_terms(attribute, terms, exact_words=exact_words)
    columns = (text_column, label_column, positive, author_column)
    if score or model:
        scores: Callable[[pd.DataFrame], list[float]] = partial(inputs.number_column, column=score)
        if model is not None:
            scores = inputs.scores_of_model(model, task, labels, text_column)
        return _score_answer(corpus, forms, columns, scores, general, threshold, senses=senses)
    return _corpus_answer(
        corpus,
        forms,
        columns,
        {
            "lengths": numbers(lengths),
            "senses": senses,
            "mine": mine,
            "distinct": distinct,
            "workers": workers,
            "engine": engine,
        },
        (pool, read_prior(prior), seed),
        show_words=show_words,
    )


def _corpus_answer(
    corpus: Path,
    forms: dict[str, tuple[str, ...]],
    columns: tuple[str, str, list[str] | None, str],
    chosen: dict[str, Any],
    drawing: tuple[Path | None, str | float, int],
    *,
    show_words: bool,
) -> Answer:
    """The skew of each term, and the texts that balance it."""
    from fairness_checklist.core.errors import count
    from fairness_checklist.extensions.corpora import audit_page, mitigation
    from fairness_checklist.extensions.corpora.audit import audit_batches
    from fairness_checklist.extensions.corpora.audit_findings import addition_findings, audit_findings
    from fairness_checklist.tables.streams import read_batches

    batches, name, rows = inputs.labelled_batches(corpus, *columns)
    pool, share, seed = drawing
    own = [] if pool is None else [*batches]  # texts are added to them
    spare = [] if pool is None else read_texts(pool, columns[0])
    report = audit_batches(own or batches, list(forms), positive=name, forms=forms, total=rows, **chosen)
    findings = list(audit_findings(report, show_words=show_words))
    answers = [finding.statement for finding in findings[: 1 + bool(chosen["mine"])]]
    answers.append(_taken_as(report.authors))
    if report.repeated:
        answers.append(f"{count(report.repeated, 'text')} repeat others: the intervals are too narrow. Use --distinct.")
    written: dict[str, Any] = {"terms": report.terms, "length_buckets": report.buckets}
    if chosen["mine"]:
        written["mined_words"] = report.mined
    notes = audit_page.audit_notes(report)
    if pool is None:
        plan = mitigation.additions_needed(report, prior=share)
        needed = addition_findings(plan, _needed(plan))
    else:
        texts, labels = (
            [text for batch in own for text in batch[0]],
            [str(label) for batch in own for label in batch[1]],
        )
        label, senses = negative_class(labels, name), chosen["senses"]
        added = mitigation.add_balancing_texts(report, texts, spare, label=label, prior=share, senses=senses, seed=seed)
        plan, needed = added.plan, added.findings
        notes.append(audit_page.additions_note(added))
        written["added_texts"] = added.table
        given = [label for frame in read_batches(corpus, [columns[1]]) for label in frame[columns[1]]]
        written["augmented_corpus"] = mitigation.augmented(texts, given, added.table, pool=pool.name)
        written["label_sample"] = mitigation.sample_to_label(added.table, _SAMPLE, seed=seed)
    answers += [finding.statement for finding in needed]
    written["needed_texts"] = plan
    figures = {"n": report.n, "n_positive": report.n_positive, "repeated": report.repeated}
    grids = [*audit_page.audit_grids(report, show_words=show_words), *audit_page.addition_grids(plan)]
    heat, title = audit_page.audit_heat(report), f"Audit of {corpus.name}"
    return Answer(
        answers,
        [*findings, *needed],
        written,
        {**figures, "terms": report.terms, "needed_texts": plan},
        page=lambda: audit_page.audit_page(title, answers, grids=grids, heat=heat, notes=notes),
        shown=grids,
    )


def _score_answer(
    corpus: Path,
    forms: dict[str, tuple[str, ...]],
    columns: tuple[str, str, list[str] | None, str],
    scores: Callable[[pd.DataFrame], list[float]],
    general: Path | None,
    threshold: str,
    *,
    senses: bool,
) -> Answer:
    """The errors of a model by term."""
    import numpy as np

    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.corpora import audit_page
    from fairness_checklist.extensions.corpora.term_bias import term_bias
    from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms

    texts, labels, positive, frame = read_labelled(corpus, *columns)
    names = list(forms)
    held = mentioned_terms(texts, names, senses=senses, forms=forms)
    used = np.flatnonzero(held.any(axis=0))
    if not len(used):
        raise OptionError("no text mentions a term.", remedy="Name other terms: --attribute or --terms.")
    there = [names[at] for at in used.tolist()]
    other = None
    if general is not None:
        _, gold, _, table = read_labelled(general, *columns[:3])
        other = (scores(table), [label == positive for label in gold])
    level: float | str = threshold if threshold == "eer" else inputs.number(threshold, "--threshold")
    own = [label == positive for label in labels]
    authors = frame[columns[3]].tolist() if columns[3] else None
    bias = term_bias(scores(frame), own, held[:, used], there, threshold=level, general=other, authors=authors)
    keys = ("n", "threshold", "threshold_on", "fpr", "fnr", "auc", "general_auc", "fped", "fned")
    figures = {name: getattr(bias, name) for name in (*keys, "pinned_auc_equality_difference")}
    answers = [*(finding.statement for finding in bias.findings[:2]), _taken_as(bias.authors)]
    grids = audit_page.bias_grids(bias)
    notes = [*audit_page.notes_on_forms({term: forms[term] for term in there}), *audit_page.BIAS_NOTES]
    return Answer(
        answers,
        bias.findings,
        {"terms": bias.table},
        {**figures, "terms": bias.table},
        page=lambda: audit_page.audit_page("Errors by term", answers, grids=grids, notes=notes),
        shown=grids,
    )


def _taken_as(authors: int) -> str:
    from fairness_checklist.extensions.corpora.authors import taken_as

    more = "" if authors else ": name --author-column where authors wrote several"
    return f"{taken_as(authors)}{more}."


def _needed(plan: Any) -> str:
    from fairness_checklist.core.errors import count

    needed = int(plan["negative"].sum())
    terms = plan[plan["negative"] > 0]["term"].nunique()
    if not needed:
        return "No negative texts are needed to meet the prior."
    return (
        f"To meet the prior, so that texts with a term are positive as often as others of their length: "
        f"{count(needed, 'negative text')} for {count(terms, 'term')}. Draw them with --pool FILE."
    )


@answering
def mitigate(
    corpus: inputs.Corpus,
    *,
    pool: Annotated[Path, option(DATA, "Table of texts that are assumed to be negative.")],
    test: Annotated[
        Path | None, option(TESTED, "General held-out set; by default a fifth of the corpus, at random.")
    ] = None,
    attribute: inputs.Attributes = None,
    exact_words: inputs.ExactWords = False,
    text_column: inputs.TextColumn = "text",
    label_column: inputs.LabelColumn = "label",
    positive: inputs.Positive = None,
    lengths: inputs.Lengths = inputs.LENGTHS,
    senses: inputs.Senses = False,
    prior: inputs.Prior = "bucket",
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
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.term_files import load_terms
    from fairness_checklist.content.term_forms import term_forms
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.corpora.mitigation_loop import identity_phrases, mitigation_loop

    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is too small.", remedy="Give 1 or more.")
    texts, labels, name, _ = read_labelled(corpus, text_column, label_column, positive)
    train, general = inputs.train_and_test((texts, labels), test, (text_column, label_column, positive), seed)
    attributes = arguments.split_commas(attribute) or inputs.ATTRIBUTES
    suite = Suite.build(list(attributes), task="toxicity", max_sources=100_000)
    phrases, negative = identity_phrases(suite, single_words=True), negative_class(labels, name)
    own = phrases["label"].map({"toxic": name, "nontoxic": negative})
    there = set(phrases["term"])  # in small letters
    terms = [term for each in attributes for term in load_terms(each).terms if term.term.lower() in there]
    spelled = term_forms(terms, merge_spellings=False)
    loop = mitigation_loop(
        train,
        general,
        read_texts(pool, text_column),
        phrases.assign(label=own),
        positive=name,
        negative=negative,
        prior=read_prior(prior),
        lengths=numbers(lengths),
        senses=senses,
        held_out=held_out,
        seeds=range(seed + 1, seed + 1 + seeds),
        threshold_on=threshold_on,
        forms=None if exact_words else {term.lower(): forms for term, forms in spelled.items()},
        report=lambda line: typer.echo(line, err=True),
    )
    return _loop_answer(loop, train, corpus.name, pool.name)


def _loop_answer(loop: MitigationLoop, train: LabelledTexts, corpus: str, pool: str) -> Answer:
    """The change of the errors by term, and the texts that were added."""
    from fairness_checklist.extensions.corpora import audit_page
    from fairness_checklist.extensions.corpora.mitigation import augmented
    from fairness_checklist.extensions.corpora.term_bias import scatter_of_runs

    written = {
        "models": loop.table(),
        "term_sets": loop.by_set(),
        "runs_by_term": scatter_of_runs(loop.runs),
        "terms": loop.audit.terms,
        "added_texts": loop.additions.table,
        "control_texts": loop.control,
        "needed_texts": loop.additions.plan,
        "augmented_corpus": augmented(train.texts, train.labels, loop.additions.table, pool=pool),
    }
    notes = [
        *audit_page.audit_notes(loop.audit),
        audit_page.additions_note(loop.additions),
        "Intervals over runs are about training with other seeds. Templates, terms and the added texts are the same in "
        "all runs, so they say nothing about other texts.",
        f"{loop.phrases:,} phrases of {loop.templates:,} templates, of which no model has seen one.",
    ]
    answers = list(filter(None, (loop.sentence(), loop.warning(), loop.additions.sentence())))
    grids = [
        *audit_page.loop_grids(loop),
        *audit_page.addition_grids(loop.additions.plan),
        *audit_page.audit_grids(loop.audit),
    ]
    heat, title = audit_page.audit_heat(loop.audit), f"Mitigation on {corpus}"
    return Answer(
        answers,
        [*loop.findings, *loop.additions.findings, *loop.audit.findings],
        written,
        {"models": written["models"], "term_sets": written["term_sets"]},
        page=lambda: audit_page.audit_page(title, answers, grids=grids, heat=heat, notes=notes, loop=loop),
        shown=grids,
    )
