"""Kocijan, Camburu and Lukasiewicz 2021, "The Gap on GAP": its tables and figures beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from kocijan2021_data import GapData, bias_table, histogram, kept_percent, largest_mean, read_gap_data, weights_of
from kocijan2021_statements import NO_NAMES, PAPER, bias_statements, data_statements, pair_statements, weight_statements
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

from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal
from fairness_checklist.extensions.balance.weighting import Balance

__all__ = ["reproduce"]

_CITATION = (
    "Kocijan, Camburu and Lukasiewicz 2021. The Gap on GAP: Tackling the Problem of Differing Data Distributions in "
    "Bias-Measuring Datasets. AAAI Conference on Artificial Intelligence."
)
_GENDERS = {"masculine": "M", "feminine": "F"}


def reproduce(options: ReproduceOptions) -> Reproduction:
    """The weights, W-Bias of the baselines and of the user's systems, and the figures, of the user's copy of GAP.

    ``data`` is ``gap-test.tsv`` or a folder with it; see `kocijan2021_data.read_gap_data`. The weights need the paper's
    annotation of names, ``gap-test-name-spans.json``, in the same folder. ``taggers`` find the names for baselines
    beside those of the paper's NER systems.

    Raises:
        OptionError: no data.
        TableError: files that are not there, or in another layout.
    """
    if options.data is None:
        raise OptionError(
            "data= is not given; the reproduction of kocijan2021 needs the user's copy of GAP.",
            remedy="Give gap-test.tsv of github.com/google-research-datasets/gap-coreference, with "
            "gap-test-name-spans.json of github.com/vid-koci/weightingGAP in the same folder.",
        )
    data = read_gap_data(options.data, options.taggers)
    weights = weights_of(data.table) if data.annotated else {}
    own = bias_table(data.baselines, data.table, weights)
    systems = bias_table(data.systems, data.table, weights)
    tables = [_table("Table 1", own, "baseline", _ABOUT)]
    if len(systems):
        about = "A row is a coreference system of the user's; the columns are those of Table 1."
        tables.append(_table("Table 2", systems, "system", about))
    if data.annotated:
        tables += [_section_3_3(data.table), _sections_3_4_and_3_5(weights, len(data.table))]
    statements = [*data_statements(data, weights), *bias_statements(own, systems), *weight_statements(weights)]
    statements += pair_statements(data, weights)
    return Reproduction(
        citation=_CITATION,
        lines=_lines(data, own, statements),
        tables=tables,
        figures=_figures(data.table, weights) if data.annotated else (),
        statements=sorted(statements, key=lambda one: one.place),
        unavailable=_unavailable(data),
        settings={
            "data": "; ".join(data.notes),
            "taggers": ", ".join(options.taggers) or "bundled where texts are given",
        },
    )


_ABOUT = (
    "A row is a baseline: F1 over candidates, accuracy on right names, and their ratios feminine to masculine (1: no "
    "difference), without weights and with. Random of ours is an expectation. Rows of a tagger are ours only."
)


def _table(name: str, ours: pd.DataFrame, row: str, caption: str) -> PaperTable:
    return PaperTable(name=name, caption=caption, table=beside(paper_numbers(PAPER, name), ours, row))


def _section_3_3(table: pd.DataFrame) -> PaperTable:
    printed = paper_numbers(PAPER, "Section 3.3")
    ours = {}
    for words, gender in _GENDERS.items():
        own = table[table["gender"] == gender]
        parts = own["n_names"], own.loc[own["position"] > 0, "position"]
        ours[words] = [float(figure) for part in parts for figure in (part.mean(), part.std(ddof=0))]
    caption = (
        "Names in a text, and the place of the right name by distance to the pronoun, by the gender of the pronoun."
    )
    return PaperTable(
        name="Section 3.3", caption=caption, table=beside(printed, pd.DataFrame(ours, index=printed.index), "figure")
    )


def _sections_3_4_and_3_5(weights: Mapping[str, Balance], n: int) -> PaperTable:
    printed = paper_numbers(PAPER, "Sections 3.4 and 3.5")
    kept = [kept_percent(weights[name], n) for name in ("Wnum", "Wdist", "W")]
    whole, trimmed = weights["W"], weights["Wt"]
    ours = [
        min(kept[:2]),
        kept[2],
        largest_mean(whole, 10),
        int((whole.weight > 4).sum()),
        largest_mean(whole, 1),
        100 * whole.zero_rows.sum() / whole.n,
        trimmed.n,
        largest_mean(trimmed, 10),
        largest_mean(trimmed, 1),
        int(trimmed.zero_rows.sum()),
    ]
    table = pd.DataFrame({"value": np.array(ours, dtype=np.float64)}, index=printed.index)
    caption = (
        "What is kept of all texts in the largest balanced subsample (of the two properties the smaller share), and "
        "the sizes of the weights. W: all texts with a right name; Wt: the trimmed ones."
    )
    return PaperTable(name="Sections 3.4 and 3.5", caption=caption, table=beside(printed, table, "figure"))


def _figures(table: pd.DataFrame, weights: Mapping[str, Balance]) -> list[Figure]:
    figures = []
    for name, form in (("Figure 1", "W"), ("Figure 2", "Wt")):
        bars, out = histogram(weights[form])
        places = [(at + 0.5) / 10 for at in range(bars.shape[1])]
        named = zip(("masculine", "feminine"), bars[::-1], strict=True)
        series = [Series(name=gender, x=places, y=own.tolist(), kind="bars") for gender, own in named]
        caption = f"Weights of {form}-Bias in steps of .1; {count(len(out), 'weight')} above 4 not shown."
        figures.append(Figure(name=name, caption=caption, series=series, x_name="weight", y_name="texts"))
    trimmed = table[table["has_answer"] & (table["n_names"] <= 15) & ~(table["position"] >= 5)]
    for name, rows, column, words in (
        ("Figure 3", table, "n_names", "names in the text"),
        ("Figure 4", table, "position", "position of the right name"),
        ("Figure 5", trimmed, "n_names", "names in the text, trimmed"),
        ("Figure 6", trimmed, "position", "position of the right name, trimmed"),
    ):
        figures.append(_histogram(name, rows[rows[column].notna()], column, words))
    return figures


def _histogram(name: str, rows: pd.DataFrame, column: str, words: str) -> Figure:
    top = int(rows[column].max())
    series = []
    for gender, letter in _GENDERS.items():
        numbers = np.bincount(rows.loc[rows["gender"] == letter, column].astype(int), minlength=top + 1)
        series.append(Series(name=gender, x=range(1, top + 1), y=numbers[1:].tolist(), kind="bars"))
    caption = f"Texts by {words} and gender of the pronoun."
    return Figure(name=name, caption=caption, series=series, x_name=words, y_name="texts")


def _lines(data: GapData, own: pd.DataFrame, statements: Sequence[Statement]) -> list[str]:
    lines = [verdict_line("Kocijan et al. 2021", statements), f"Data: {'; '.join(data.notes)}."]
    printed = paper_numbers(PAPER, "Table 1")
    for name, row in own.to_dict("index").items():
        line = f"{name}: accuracy {decimal(row['accuracy'])}"
        for form in ("acc-Bias", "W-Bias", "Wt-Bias"):
            if form in row:
                paper = f" (paper {decimal(float(printed[form][str(name)]))})" if name in printed.index else ""
                line += f", {form} {decimal(row[form])}{paper}"
        lines.append(f"{line}.")
    return lines[:10]


def _unavailable(data: GapData) -> list[str]:
    missing = ["Table 1, spaCy and Google: the names that they found are not published; a tagger stands beside them."]
    if not data.annotated:
        missing.append(f"Weights, W-Bias, sections 3.3 to 3.5 and all figures: {NO_NAMES}")
    if not any(not math.isnan(one.f1[0]) for one in data.baselines.values()):
        missing.append("F1 and F1-Bias: they need the texts (gap-test.tsv).")
    if not data.systems:
        missing.append(
            "Table 2 and the p-values of section 3.6: the answers of the 16 systems are not published. Answers in the "
            "layout of GAP's scorer "
            "(id, A, B; tabs), one .tsv a system in the folder of data, give its rows."
        )
    return missing


if __name__ == "__main__":
    raise SystemExit(main(reproduce, "taggers", "data"))
