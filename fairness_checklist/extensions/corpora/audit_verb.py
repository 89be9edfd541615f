"""The verb audit: identity terms in a labelled corpus, or in the texts that a model scored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import DATA, MODEL, OUTPUT, STATISTICS, TESTED, option
from fairness_checklist.extensions.corpora import options
from fairness_checklist.extensions.corpora.inputs import (
    chosen_terms,
    column_of_scores,
    negative_class,
    number,
    numbers,
    read_labelled,
    read_prior,
    read_texts,
    scores_of_model,
)
from fairness_checklist.extensions.corpora.outputs import notes_of, notes_on_forms

if TYPE_CHECKING:
    import pandas as pd

_SAMPLE = 1000


@answering
def audit(
    corpus: options.Corpus,
    *,
    attribute: options.Attributes = None,
    terms: options.Terms = None,
    exact_words: options.ExactWords = False,
    text_column: options.TextColumn = "text",
    label_column: options.LabelColumn = "label",
    positive: options.Positive = None,
    lengths: options.Lengths = options.LENGTHS,
    senses: options.Senses = False,
    mine: Annotated[int, option(STATISTICS, "Number of skewed words outside the list, each direction.")] = 0,
    show_words: Annotated[
        bool, option(OUTPUT, "With --mine: print offensive words in full, not their first letter.", "--show-words")
    ] = False,
    distinct: Annotated[bool, option(DATA, "Count texts that repeat, such as retweets, once.", "--distinct")] = (False),
    pool: options.Pool = None,
    prior: options.Prior = "bucket",
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
    forms = chosen_terms(attribute, terms, exact_words=exact_words)
    columns = (text_column, label_column, positive)
    if score or model:
        scores = column_of_scores(score) if model is None else scores_of_model(model, task, labels, text_column)
        return _of_scores(corpus, forms, columns, scores, general, threshold, senses=senses)
    return _of_corpus(
        corpus,
        forms,
        columns,
        {"lengths": numbers(lengths), "senses": senses, "mine": mine, "distinct": distinct},
        (pool, read_prior(prior), seed),
        show_words=show_words,
    )


def _of_corpus(
    corpus: Path,
    forms: dict[str, tuple[str, ...]],
    columns: tuple[str, str, list[str] | None],
    chosen: dict[str, Any],
    drawing: tuple[Path | None, str | float, int],
    *,
    show_words: bool,
) -> Answer:
    """The skew of each term, and the texts that balance it."""
    from fairness_checklist.core.errors import count
    from fairness_checklist.extensions.corpora.audit import audit as run_audit
    from fairness_checklist.extensions.corpora.audit_findings import addition_findings, audit_findings
    from fairness_checklist.extensions.corpora.mitigation import (
        add_balancing_texts,
        additions_needed,
        augmented,
        sample_to_label,
    )
    from fairness_checklist.extensions.corpora.page import (
        addition_grids,
        additions_note,
        audit_grids,
        audit_heat,
        audit_page,
    )

    texts, labels, name, frame = read_labelled(corpus, *columns)
    pool, share, seed = drawing
    spare = [] if pool is None else read_texts(pool, columns[0])
    found = run_audit(texts, labels, list(forms), positive=name, forms=forms, **chosen)
    findings = list(audit_findings(found, show_words=show_words))
    said = 1 + bool(chosen["mine"])
    answers = [one.statement for one in findings[:said]]
    if found.repeated:
        answers.append(f"{count(found.repeated, 'text')} repeat others: the intervals are too narrow. Use --distinct.")
    written: dict[str, Any] = {"terms": found.terms, "length_buckets": found.buckets}
    if chosen["mine"]:
        written["mined_words"] = found.mined
    notes = notes_of(found)
    if pool is None:
        plan = additions_needed(found, prior=share)
        needed = addition_findings(plan, _needed(plan))
    else:
        added = add_balancing_texts(
            found, texts, spare, label=negative_class(labels, name), prior=share, senses=chosen["senses"], seed=seed
        )
        plan, needed = added.plan, added.findings
        notes.append(additions_note(added))
        written["added_texts"] = added.table
        written["augmented_corpus"] = augmented(texts, frame[columns[1]].tolist(), added.table, pool=pool.name)
        written["label_sample"] = sample_to_label(added.table, _SAMPLE, seed=seed)
    answers += [one.statement for one in needed]
    written["needed_texts"] = plan
    figures = {"n": found.n, "n_positive": found.n_positive, "repeated": found.repeated}
    grids = [*audit_grids(found, show_words=show_words), *addition_grids(plan)]
    title = f"Audit of {corpus.name}"
    return Answer(
        answers,
        [*findings, *needed],
        written,
        {**figures, "terms": found.terms, "needed_texts": plan},
        page=lambda: audit_page(title, answers, grids=grids, heat=audit_heat(found), notes=notes),
        shown=grids,
    )


def _of_scores(
    corpus: Path,
    forms: dict[str, tuple[str, ...]],
    columns: tuple[str, str, list[str] | None],
    scores: Callable[[pd.DataFrame], list[float]],
    general: Path | None,
    threshold: str,
    *,
    senses: bool,
) -> Answer:
    """The errors of a model by term."""
    import numpy as np

    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.corpora.mentions import mentioned_terms
    from fairness_checklist.extensions.corpora.page import BIAS_NOTES, audit_page, bias_grids
    from fairness_checklist.extensions.corpora.term_bias import term_bias

    texts, labels, positive, frame = read_labelled(corpus, *columns)
    names = list(forms)
    held = mentioned_terms(texts, names, senses=senses, forms=forms)
    used = np.flatnonzero(held.any(axis=0))
    if not len(used):
        raise OptionError("no text mentions a term.", remedy="Name other terms: --attribute or --terms.")
    there = [names[at] for at in used.tolist()]
    other = None
    if general is not None:
        _, gold, _, table = read_labelled(general, *columns)
        other = (scores(table), [one == positive for one in gold])
    level: float | str = threshold if threshold == "eer" else number(threshold, "--threshold")
    own = [one == positive for one in labels]
    found = term_bias(scores(frame), own, held[:, used], there, threshold=level, general=other)
    keys = ("n", "threshold", "threshold_on", "fpr", "fnr", "auc", "general_auc", "fped", "fned")
    figures = {one: getattr(found, one) for one in (*keys, "pinned_auc_equality_difference")}
    answers, grids = [one.statement for one in found.findings[:2]], bias_grids(found)
    notes = [*notes_on_forms({one: forms[one] for one in there}), *BIAS_NOTES]
    return Answer(
        answers,
        found.findings,
        {"terms": found.table},
        {**figures, "terms": found.table},
        page=lambda: audit_page("Errors by term", answers, grids=grids, notes=notes),
        shown=grids,
    )


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
