"""The verbs audit (identity terms in a labelled corpus) and mitigate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, STATISTICS, TESTED, option
from fairness_checklist.cli.printed_answers import Answer, answering
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.extensions.corpora import inputs

if TYPE_CHECKING:
    import pandas as pd

_INDEPENDENT = "Texts are taken as independent: several of one author, or repeats, make the intervals too narrow."
_SHOWN = ["term", "n", "share_of_positive", "share_of_all", "share", "share_low", "share_high", "odds_ratio"]
_SHOWN += ["p_adjusted", "status"]
_ASSUMED = "The added texts are assumed to be {}: label the sample label_sample.csv by hand before you rely on it."


@answering
def audit(
    corpus: inputs.Corpus,
    *,
    attribute: inputs.Attributes = None,
    terms: inputs.Terms = None,
    text_column: inputs.TextColumn = "text",
    label_column: inputs.LabelColumn = "label",
    positive: inputs.Positive = None,
    senses: Annotated[
        bool, option(TESTED, "Count words such as straight or black only where they describe a person.", "--senses")
    ] = False,
    distinct: Annotated[bool, option(DATA, "Count texts that repeat, such as retweets, once.", "--distinct")] = False,
    set_column: Annotated[str | None, option(DATA, "Column of sets, within which texts are compared.")] = None,
    pool: Annotated[Path | None, option(DATA, "Table of texts that are assumed to be negative.")] = None,
) -> Answer:
    """Audit a labelled corpus: how often texts with each identity term are positive, by length as well.

    Plurals and other forms of the terms of an attribute count, too. With --pool, negative texts are drawn until each
    bucket meets the prior.

    Example: fairness-checklist audit comments.csv --label-column label --positive toxic --out audits/comments

    Example, with texts to add: fairness-checklist audit comments.csv --pool articles.csv --out audits/balanced
    """
    from fairness_checklist.extensions.corpora import mitigation
    from fairness_checklist.extensions.corpora.audit import audit

    forms = inputs.chosen_terms(attribute, terms)
    spare = [] if pool is None else inputs.read_texts(pool, text_column)
    data = inputs.read_labelled(corpus, text_column, label_column, positive, *filter(None, [set_column]))
    given = {"positive": data.positive, "senses": senses, "distinct": distinct, "set_column": data.sets or None}
    report = audit(data.texts, data.classes, list(forms), forms=forms, **given)  # type: ignore[arg-type]
    answers = [report.sentence(), _INDEPENDENT]
    if report.repeated:
        answers.append(f"{count(report.repeated, 'text')} repeat others: use --distinct.")
    written = {"terms": report.terms, "length_buckets": report.buckets}
    if pool is None:
        needed = mitigation.additions_needed(report)
        answers.append(_needed_sentence(needed))
    else:
        added = mitigation.add_balancing_texts(report, data.texts, spare, label=data.negative, senses=senses)
        needed = added.plan
        written["added_texts"] = added.table
        written["augmented_corpus"] = mitigation.augmented(data.texts, data.labels, added.table, pool=pool.name)
        written["label_sample"] = mitigation.sample_to_label(added.table)
        answers += [added.sentence(), _ASSUMED.format(data.negative)]
    written["needed_texts"] = needed
    in_texts = report.terms[report.terms["n"] > 0].sort_values(["share", "n"], ascending=False)
    return Answer(
        answers,
        report.findings,
        written,
        {name: getattr(report, name) for name in ("n", "n_positive", "repeated", "terms")} | {"needed_texts": needed},
        shown={"terms": in_texts[_SHOWN], "needed_texts": needed[needed["negative"] > 0]},
    )


def _needed_sentence(plan: pd.DataFrame) -> str:
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
    attribute: inputs.Attributes = None,
    text_column: inputs.TextColumn = "text",
    label_column: inputs.LabelColumn = "label",
    positive: inputs.Positive = None,
    seeds: Annotated[int, option(STATISTICS, "Number of runs of each model.")] = 2,
) -> Answer:
    """Balance a corpus, retrain a small model, and measure whether errors by identity term change.

    Three models are trained with each seed: on the corpus, with texts that balance the terms, and with as many random
    ones. They are measured on the shipped templates for toxicity; the threshold is set on a random fifth of the corpus
    that is not trained on. Ten seeds are better than two. It needs scikit-learn.

    Example: fairness-checklist mitigate comments.csv --pool articles.csv --seeds 2 --out audits/mitigation
    """
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.term_files import load_terms
    from fairness_checklist.content.term_forms import term_forms
    from fairness_checklist.extensions.corpora.mitigation_loop import identity_phrases, mitigation_loop, split_corpus

    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is too small.", remedy="Give 1 or more.")
    data = inputs.read_labelled(corpus, text_column, label_column, positive)
    train, general = split_corpus(data.texts, data.classes)
    attributes = arguments.split_commas(attribute) or inputs.ATTRIBUTES
    phrases = identity_phrases(Suite.build(list(attributes), task="toxicity", max_sources=100_000), single_words=True)
    phrased = set(phrases["term"])  # in small letters
    terms = [term for each in attributes for term in load_terms(each).terms if term.term.lower() in phrased]
    loop = mitigation_loop(
        train,
        general,
        inputs.read_texts(pool, text_column),
        phrases.assign(label=phrases["label"].map({"toxic": data.positive, "nontoxic": data.negative})),
        positive=data.positive,
        negative=data.negative,
        seeds=range(1, 1 + seeds),
        forms={term.lower(): forms for term, forms in term_forms(terms, merge_spellings=False).items()},
    )
    models, added = loop.table(), loop.additions
    written = {"models": models, "added_texts": added.table, "control_texts": loop.control, "needed_texts": added.plan}
    printed = {"models": models, "needed_texts": added.plan}
    answers = [*filter(None, (loop.sentence(), loop.warning(), added.sentence()))]
    return Answer(answers, list(loop.findings), written, {"models": models}, shown=printed)
