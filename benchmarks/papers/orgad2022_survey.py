"""The survey of section 5 of Orgad and Belinkov 2022: how many extrinsic metrics papers measure."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from paper import Figure, PaperTable, Series, Statement, paper_numbers, statement

__all__ = ["PAPER", "reviewed", "survey_figure", "survey_statements", "survey_table"]

PAPER = "orgad2022"


def reviewed() -> pd.Series:
    """The extrinsic metrics that each paper of Table 5 measures, as printed."""
    return paper_numbers(PAPER, "Table 5")["extrinsic metrics"].astype(int)


def survey_table(survey: pd.Series) -> PaperTable:
    """Papers by the number of metrics, counted."""
    papers = Counter(survey.tolist())
    table = pd.DataFrame({"extrinsic metrics": sorted(papers), "ours counted": [papers[n] for n in sorted(papers)]})
    caption = f"Papers by the extrinsic metrics that they measure, counted in the printed list of {len(survey)} papers."
    return PaperTable(name="Table 5", caption=caption, table=table)


def survey_figure(survey: pd.Series) -> Figure:
    """Figure 4."""
    papers = Counter(survey.tolist())
    names = [str(n) for n in range(max(papers) + 1)]
    series = Series(name="papers", x=range(len(names)), y=[papers[int(name)] for name in names], kind="bars")
    return Figure(
        name="Figure 4",
        caption=f"Extrinsic metrics measured in the reviewed papers, counted in Table 5 ({len(survey)} papers).",
        series=[series],
        x_name="extrinsic metrics",
        y_name="papers",
        names=names,
    )


def survey_statements(survey: pd.Series) -> list[Statement]:
    """Two statements of section 5."""
    few, none = int((survey <= 3).sum()), int((survey == 0).sum())
    printed = paper_numbers(PAPER, "Section 5")["value"]
    share = 100 * none / len(survey)
    return [
        statement(
            "section 5",
            "About a third of the reviewed papers measure intrinsic metrics only.",
            abs(share - float(printed.iloc[1])) < 5,
            f"{none} of the {len(survey)} papers of Table 5 ({share:.0f} percent; the text says {printed.iloc[0]:.0f} "
            "papers); seen if within 5 points of a third.",
        ),
        statement(
            "section 5",
            "Most of them measure three extrinsic metrics or fewer.",
            few > len(survey) / 2,
            f"{few} of {len(survey)} papers of Table 5.",
        ),
    ]
