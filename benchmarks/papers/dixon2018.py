"""Dixon et al. 2018, "Measuring and Mitigating Unintended Bias in Text Classification": its tables beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from dixon2018_data import MODELS, PAPER, DixonData, read_data, shown, toy, toy_shift
from dixon2018_statements import audit_statements, bias_statements, mitigation_statements, toy_statements
from paper import (
    Figure,
    PaperTable,
    ReproduceOptions,
    Reproduction,
    Series,
    Statement,
    beside,
    main,
    paper_numbers,
    verdict_line,
)
from scipy.stats import norm

from fairness_checklist.core.formatting import decimal, percent
from fairness_checklist.extensions.corpora.audit import ALL, Audit
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import DIFFERENCES, TermBias, compare_runs

__all__ = ["reproduce"]

_CITATION = (
    "Dixon, Li, Sorensen, Thain and Vasserman 2018. Measuring and Mitigating Unintended Bias in Text Classification. "
    "AAAI/ACM Conference on AI, Ethics, and Society (AIES)."
)
_PRINTED_RUNS, _PRINTED_TERMS = 10, 50
"""Table 5 prints sums over so many training runs; the notebook that was released with the paper sums over 50 terms."""
_FIGURES = {"Figure 3": ("fpr", "false positive rate"), "Figure 4": ("fnr", "false negative rate")}
_FIGURES["Figure 5"] = ("pinned_auc", "pinned AUC")


def reproduce(options: ReproduceOptions) -> Reproduction:
    """The toy of Table 3, and error rates by identity term on phrases: the user's, else shipped ones.

    ``data`` is a table of phrases (``text, label`` and ``score``, or ``score:MODEL`` for several models, such as
    baseline, control and mitigated), or a folder with ``scored_phrases.csv``, ``scored_general.csv`` (the general test
    set), and ``train.csv`` (the corpus: Table 1 and Figure 1); with ``pool.csv`` and ``test.csv`` the three models of
    the paper are trained on it. Without scores, ``models`` score the phrases.

    Raises:
        TableError: files that are not there or have other columns.

    >>> toy_table(toy(*toy_shift(0.93, 0.79))).loc["short"].round(2).tolist()
    [0.93, 0.79]
    """
    small = toy(*toy_shift(*_printed_toy()))
    data = read_data(options)
    tables = [_table_3(small), *_audit_tables(data.audit), *_model_tables(data.runs)]
    statements = [*toy_statements(small), *audit_statements(data.audit), *bias_statements(data.runs)]
    statements += mitigation_statements(data)
    return Reproduction(
        citation=_CITATION,
        lines=_lines(data, statements),
        tables=sorted(tables, key=lambda one: one.name),
        figures=[*_figure_1(data.audit), _figure_2(), *_term_figures(data.runs)],
        statements=statements,
        unavailable=_unavailable(data),
        settings={"phrases": data.phrases, "threshold": "equal error rate, 101 thresholds", "seed": str(options.seed)},
    )


def _printed_toy() -> tuple[float, float]:
    """AUC inside a group and of all groups, as Table 3 prints them; the pinned areas follow."""
    areas = paper_numbers(PAPER, "Table 3")["AUC"]
    return float(areas["tall"]), float(areas["Combined"])


def toy_table(bias: TermBias) -> pd.DataFrame:
    """Our Table 3: a row a group and one for all together."""
    ours = bias.table.set_index("term")[["subgroup_auc", "pinned_auc"]].set_axis(["AUC", "pinned AUC"], axis=1)
    return pd.concat([pd.DataFrame({"AUC": [bias.auc], "pinned AUC": [math.nan]}, index=["Combined"]), ours])


def _table_3(bias: TermBias) -> PaperTable:
    caption = (
        "A row is a group of the toy of Figure 2; areas under the curve, from 0 to 1. Ours are of normal scores whose "
        "distance and shift are chosen so that the AUC inside a group and that of all groups are as printed."
    )
    return PaperTable(
        name="Table 3", caption=caption, table=beside(paper_numbers(PAPER, "Table 3"), toy_table(bias), "group")
    )


def _audit_tables(audit: Audit | None) -> list[PaperTable]:
    if audit is None:
        return []
    own = audit.terms.set_index("term")
    shares = pd.DataFrame({"toxic": 100 * own["share_of_positive"], "overall": 100 * own["share_of_all"]})
    buckets = audit.buckets.pivot_table(index="term", columns="bucket", values="share", sort=False) * 100
    printed = {place: paper_numbers(PAPER, place) for place in ("Table 1", "Figure 1")}
    about = "A row is a term. The paper's corpus are comments on Wikipedia's talk pages, ours is the user's."
    found = []
    for place, ours, unit in (
        ("Table 1", shares, "Share of toxic comments, and of all comments, that hold the term, in percent."),
        ("Figure 1", buckets, "Percent of the comments of each length, in characters, that are toxic."),
    ):
        paper = printed[place]
        table = beside(paper, ours.reindex(index=paper.index, columns=paper.columns), "term")
        found.append(PaperTable(name=place, caption=f"{unit} {about}", table=_named(table)))
    return found


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(term=[shown(term) for term in table["term"]])


def _model_tables(runs: Mapping[str, Sequence[TermBias]]) -> list[PaperTable]:
    """Tables 4 and 5, and the points of Figures 3 to 5 as a table."""
    if not runs:
        return []
    means = compare_runs(runs).pivot_table(index="model", columns="figure", values="mean", sort=False, dropna=False)
    areas = means[["general_auc", "phrase_auc"]].set_axis(["general", "phrases"], axis=1)
    sums = means[list(DIFFERENCES)].T.set_axis(list(DIFFERENCES.values()))
    printed = paper_numbers(PAPER, "Table 5") / _PRINTED_RUNS
    n_terms = len(next(iter(runs.values()))[0].table)
    by_term = [table.set_axis([f"{name}, mean over terms" for name in table.index]) for table in (printed, sums)]
    whole = pd.concat([printed, by_term[0] / _PRINTED_TERMS]), pd.concat([sums, by_term[1] / n_terms])
    scatter = scatter_of_runs(runs).groupby(["model", "term"], sort=False).mean(numeric_only=True).reset_index()
    points = pd.DataFrame({"term": [shown(term) for term in dict.fromkeys(scatter["term"])]})
    for figure in ("fpr", "fnr", "pinned_auc"):
        for model, own in scatter.groupby("model", sort=False):
            points[f"ours {figure} {model}"] = own[figure].to_numpy()
    several = "Means over training runs."
    return [
        PaperTable(
            name="Table 4",
            caption=f"A row is a model; AUC on the general test set and on the phrases. {several}",
            table=beside(paper_numbers(PAPER, "Table 4"), areas, "model"),
        ),
        PaperTable(
            name="Table 5",
            caption=f"Sums over terms of the distances from the value of all phrases, equations 1, 2 and 5. {several} "
            f"The printed sums are over {_PRINTED_RUNS} runs and are divided by that; ours are over {n_terms} terms.",
            table=beside(*whole, "difference"),
        ),
        PaperTable(
            name="Figures 3 to 5",
            caption=f"A row is a term; its rates and pinned AUC, from 0 to 1. {several} The paper prints no numbers.",
            table=points,
        ),
    ]


def _figure_1(audit: Audit | None) -> list[Figure]:
    if audit is None:
        return []
    names = list(paper_numbers(PAPER, "Figure 1").columns)
    series = []
    for term in (ALL, "gay", "black", "muslim"):
        own = audit.buckets[audit.buckets["term"] == term].set_index("bucket")["share"].reindex(names)
        series.append(Series(name=term.lower(), x=range(len(names)), y=(100 * own).tolist(), kind="line"))
    caption = "Percent of comments labelled toxic at each length, of all comments and of those with a term."
    return [
        Figure(
            name="Figure 1",
            caption=caption,
            x_name="length in characters",
            y_name="percent toxic",
            series=series,
            names=names,
        )
    ]


def _figure_2() -> Figure:
    apart, shift = toy_shift(*_printed_toy())
    x = np.linspace(-3, apart + shift + 3, 121)
    density = {name: (norm.pdf(x - by) + norm.pdf(x - by - apart)) / 2 for name, by in (("tall", 0), ("short", shift))}
    series = [Series(name=name, x=x.tolist(), y=y.tolist(), kind="line") for name, y in density.items()]
    series[0] = Series(name="tall and average", x=series[0].x, y=series[0].y, kind="line")
    return Figure(
        name="Figure 2",
        caption="Scores of the toy of Table 3, half of them of toxic comments. The group short has higher scores for "
        "both classes.",
        series=series,
        x_name="score, in standard deviations of a class",
        y_name="density",
    )


def _term_figures(runs: Mapping[str, Sequence[TermBias]]) -> list[Figure]:
    """Figures 3 to 5: a mark for each term, model and run."""
    if not runs:
        return []
    points = scatter_of_runs(runs)
    names = list(dict.fromkeys(points["term"]))
    figures = []
    for name, (column, words) in _FIGURES.items():
        series = [
            Series(name=str(model), x=[names.index(term) for term in own["term"]], y=own[column].tolist())
            for model, own in points.groupby("model", sort=False)
        ]
        level = float(points[{"pinned_auc": "overall_auc"}.get(column, f"overall_{column}")].mean())
        caption = f"The {words} of each term, a mark for each training run. Dashed: of all phrases (AUC in Figure 5)."
        terms = [shown(term) for term in names]
        figures.append(
            Figure(name=name, caption=caption, x_name="term", y_name=words, series=series, names=terms, level=level)
        )
    return figures


def _lines(data: DixonData, statements: Sequence[Statement]) -> list[str]:
    lines = [verdict_line("Dixon et al. 2018", statements)]
    if data.runs:
        lines.append(f"Measured on {data.phrases}.")
    for model, runs in data.runs.items():
        means = {name: float(np.mean([getattr(run, name) for run in runs])) for name in ("auc", *DIFFERENCES)}
        lines.append(f"{model}: AUC {decimal(means.pop('auc'))}, {_sums([*means.values()], len(runs[0].table))}.")
    printed = paper_numbers(PAPER, "Table 5")["baseline"] / _PRINTED_RUNS
    area = float(paper_numbers(PAPER, "Table 4")["phrases"]["baseline"])
    lines.append(f"The paper's baseline, per run: AUC {decimal(area)}, {_sums([*printed], _PRINTED_TERMS)}.")
    if data.audit is not None:
        lines.append(f"Corpus: {data.audit.n:,} comments, {percent(data.audit.n_positive / data.audit.n)} toxic.")
    return lines[:10]


def _sums(sums: Sequence[float], terms: int) -> str:
    """The sums over terms, each with its share per term."""
    names = ("FPED", "FNED", "pinned AUC equality difference")
    named = zip(names, sums, strict=True)
    shown = [f"{name} {decimal(one, places=2)} ({decimal(one / terms)} per term)" for name, one in named]
    return f"{', '.join(shown)}, over {terms} terms"


def _unavailable(data: DixonData) -> list[str]:
    missing = []
    if data.audit is None:
        missing.append(
            "Table 1 and Figure 1: the 127,820 comments of Wikipedia's talk pages are not shipped; put the training "
            "file of github.com/conversationai/unintended-ml-bias-analysis into the folder of data as train.csv."
        )
    if not set(MODELS) <= set(data.runs):
        missing.append(
            "The mitigated and the control model of Tables 4 and 5 and Figures 3 to 5: their scores are not published. "
            "Give a corpus of your own (train.csv, test.csv, pool.csv) to train small ones."
        )
    missing.append("The models themselves: the paper's networks, their ten runs and their predictions.")
    return missing


def scatter_of_runs(runs: Mapping[str, Sequence[TermBias]]) -> pd.DataFrame:
    """The points of Figures 3 to 5 of Dixon et al. 2018.

    A row a model, run (from 1) and term: fpr, fnr and pinned_auc, NaN where a term has no text of the side; and
    overall_fpr, overall_fnr and overall_auc of all texts of the run, from which FPED, FNED and the pinned AUC equality
    difference follow (equations 1, 2 and 5).
    """
    columns = ["term", "fpr", "fnr", "pinned_auc"]
    tables = [
        run.table[columns].assign(overall_fpr=run.fpr, overall_fnr=run.fnr, overall_auc=run.auc)
        for several in runs.values()
        for run in several
    ]
    keys = [(name, number) for name, several in runs.items() for number in range(1, len(several) + 1)]
    return pd.concat(tables, keys=keys, names=["model", "run"]).reset_index(["model", "run"]).reset_index(drop=True)


if __name__ == "__main__":
    raise SystemExit(main(reproduce, "models", "data", "labels"))
