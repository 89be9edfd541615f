"""Ethayarajh 2020, "Is Your Classifier Actually Biased?": its tables and figures beside ours."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from ethayarajh2020_bounds import bernstein_radius
from ethayarajh2020_figures import TABLE_1, SampledInterval, figure_1, figure_2
from paper import (
    Figure,
    PaperTable,
    ReproduceOptions,
    Reproduction,
    Series,
    Statement,
    beside,
    find_file,
    main,
    paper_numbers,
    statement,
)

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import TableError, count, first_ten
from fairness_checklist.core.formatting import decimal, percent
from fairness_checklist.extensions.plan.power import Method, examples_needed
from fairness_checklist.tables.files import ENDINGS, read_table

__all__ = ["genre_costs", "reproduce"]

_PAPER = "ethayarajh2020"
_CITATION = (
    "Ethayarajh 2020. Is Your Classifier Actually Biased? Measuring Fairness under Uncertainty with Bernstein Bounds. "
    "Annual Meeting of the Association for Computational Linguistics (ACL)."
)
WINOBIAS = 3_160
"""Examples of WinoBias, section 3.3."""
_GAP, _SHOWN_GENRE, _FEWEST = 0.05, "government", 100
_COSTS = ("in-genre cost", "out-genre cost", "difference")
_VOTES = tuple(f"label{at}" for at in range(1, 6))
_Costs = Mapping[str, tuple[FloatArray, FloatArray]]


def reproduce(options: ReproduceOptions) -> Reproduction:
    """The formulas, Figures 1 and 2, and Table 1 of the user's annotations.

    ``data`` is the development set of MNLI (``multinli_1.0_dev_*.jsonl``, a ``dev_*.tsv``, or their folder), or a table
    of ``genre, label, predicted``: then the cost is 1 where a classifier is wrong. Without it Figure 1 is of a
    synthetic population with the means of Table 1.

    Raises:
        TableError: a file that is not there or has other columns.
    """
    costs, notes = ({}, []) if options.data is None else _read(options.data)
    genres = list(costs) or list(TABLE_1)
    drawn = {genre: figure_1(genre, costs=costs.get(genre), seed=options.seed) for genre in genres}
    sampled = {genre: points for genre, points in drawn.items() if points}  # without genres of too few rows
    shown = _SHOWN_GENRE if _SHOWN_GENRE in sampled else next(iter(sampled), "")
    synthetic = "" if costs else " Ours is of a synthetic population: only the means of Table 1 are the paper's."
    statements, printed = _statements(sampled, costs), paper_numbers(_PAPER, "Section 3.3")["value"]
    seen = sum(one.verdict == "seen here" for one in statements)
    return Reproduction(
        citation=_CITATION,
        lines=[
            f"Ethayarajh 2020: {seen} of {count(len(statements), 'statement')} seen here.",
            f"A bias of {_GAP} needs {examples_needed(_GAP):,} examples (paper: {printed.iloc[0]:,.0f}), "
            f"{examples_needed(_GAP) / WINOBIAS:.1f} times WinoBias (paper: {printed.iloc[1]:g}).",
            f"The same bound with the cost centred needs {examples_needed(_GAP, method='centred'):,}, Hoeffding's "
            f"{examples_needed(_GAP, method='hoeffding'):,}.",
            f"Intervals of {_population(costs)}: {percent(_coverage(sampled))} hold the true bias.",
            *notes,
        ],
        tables=[_table_1(costs), _formulas(sampled), _figure_1_table(sampled, synthetic)],
        figures=[*_figure_1(sampled.get(shown, ()), shown, synthetic), _figure_2()],
        statements=statements,
        unavailable=[] if costs else [_MISSING],
        settings={"population": _population(costs), "seed": str(options.seed), "runs": "20", "confidence": "0.95"},
    )


_MISSING = (
    "Table 1, our side: MNLI's annotations are not shipped. Give data= the files multinli_1.0_dev_matched.jsonl and "
    "multinli_1.0_dev_mismatched.jsonl of cims.nyu.edu/~sbowman/multinli, or their folder."
)


def _population(costs: _Costs) -> str:
    return "the user's file" if costs else "a synthetic population with the means of Table 1"


def _read(data: Path) -> tuple[_Costs, list[str]]:
    """The costs in and outside each genre, and what was left out."""
    first = find_file(data, ("*dev*.jsonl", "*dev*.tsv", "*dev*.txt", "*.csv"), "MNLI's development set")
    assert first is not None
    paths = [first] if data.is_file() else sorted(data.glob(f"*dev*{first.suffix}")) or [first]
    tables = [read_table(path) if path.suffix in ENDINGS else _read_tabs(path) for path in paths]
    parts = [genre_costs(table, path.name) for table, path in zip(tables, paths, strict=True)]
    whole = pd.concat(parts, ignore_index=True)
    n = sum(map(len, tables))
    gone = n - len(whole)
    costs = {}
    for genre in sorted(set(whole["genre"])):
        inside = (whole["genre"] == genre).to_numpy()
        costs[genre] = whole["cost"].to_numpy()[inside], whole["cost"].to_numpy()[~inside]
    if len(costs) < 2:
        raise TableError(f"all rows have the genre {next(iter(costs), '')!r}, expected two or more.", place=first.name)
    return costs, [f"{gone:,} of {n:,} rows without a gold label are left out."] if gone else []


def _read_tabs(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", quoting=csv.QUOTE_NONE, dtype=str, keep_default_na=False)


def genre_costs(table: pd.DataFrame, place: str = "") -> pd.DataFrame:
    """The cost of each row, in [0, 1], and its genre; rows without a gold label are left out.

    The cost is the share of annotators who do not say the gold label (section 3.1), from the columns ``gold_label`` and
    ``annotator_labels`` or ``label1`` to ``label5``; of the columns ``label, predicted`` 1 where they differ.

    Raises:
        TableError: other columns.

    >>> table = pd.DataFrame({"genre": ["oup"], "gold_label": ["neutral"], "label1": ["neutral"], "label2": ["other"]})
    >>> genre_costs(table).values.tolist()
    [['oup', 0.5]]
    """
    votes = [name for name in _VOTES if name in table.columns]
    if {"genre", "label", "predicted"} <= set(table.columns):
        known = table[table["label"].notna() & table["predicted"].notna()]
        return pd.DataFrame({"genre": known["genre"].astype(str), "cost": (known["label"] != known["predicted"]) * 1.0})
    if not {"genre", "gold_label"} <= set(table.columns) or not (votes or "annotator_labels" in table.columns):
        raise TableError(
            f"the columns are {first_ten(table.columns)}, expected genre, gold_label and annotator_labels or label1 to "
            "label5; or genre, label and predicted.",
            place=place,
            remedy="Use MNLI's development set as it was published (.jsonl).",
        )
    known = table[table["gold_label"].notna() & ~table["gold_label"].isin(["-", ""])]
    given = known["annotator_labels"] if "annotator_labels" in known.columns else known[votes].to_numpy().tolist()
    said = [[vote for vote in own if isinstance(vote, str) and vote not in ("", "-")] for own in given]
    costs = [
        float(np.mean([vote != gold for vote in own])) if own else np.nan
        for own, gold in zip(said, known["gold_label"], strict=True)
    ]
    return pd.DataFrame({"genre": known["genre"].astype(str), "cost": costs}).dropna()


def _table_1(costs: _Costs) -> PaperTable:
    printed = pd.DataFrame.from_dict(TABLE_1, orient="index", columns=list(_COSTS[:2]))
    printed = printed.join(paper_numbers(_PAPER, "Table 1"))
    means = {genre: (own.mean(), other.mean(), own.mean() - other.mean()) for genre, (own, other) in costs.items()}
    ours = pd.DataFrame.from_dict(means, orient="index", columns=list(_COSTS), dtype=float)
    caption = (
        "A row is a genre of MNLI: mean cost in and outside it, and their difference. The cost is the share of "
        "annotators who disagree with the gold label, or of wrong predictions where the user's table has predictions."
    )
    return PaperTable(name="Table 1", caption=caption, table=beside(printed, ours, "genre"))


def _formulas(sampled: Mapping[str, Sequence[SampledInterval]]) -> PaperTable:
    printed = pd.concat([paper_numbers(_PAPER, place) for place in ("Section 3.2", "Section 3.3")])
    values = [100 * _coverage(sampled), examples_needed(_GAP), examples_needed(_GAP) / WINOBIAS]
    own = dict(zip(printed.index, [*values, bernstein_radius(4.0, WINOBIAS)], strict=True))
    more = {f"{printed.index[1]}, {words}": _needed(_GAP, words) for words in _SHARPER}
    caption = (
        "Formulas (3) and (4) at 95 % confidence with groups of equal size and the greatest variance; the first row is "
        f"of samples of {_FEWEST} and more. The last rows are sharper bounds that the paper does not have."
    )
    ours = pd.Series({**own, **more}, dtype=float).to_frame("value")
    return PaperTable(name="Sections 3.2 and 3.3", caption=caption, table=beside(printed, ours, "figure"))


_SHARPER: Mapping[str, Method] = {"cost centred": "centred", "Hoeffding's inequality": "hoeffding"}


def _needed(gap: float, words: str) -> int:
    return examples_needed(gap, method=_SHARPER[words])


def _figure_1_table(sampled: Mapping[str, Sequence[SampledInterval]], synthetic: str) -> PaperTable:
    rows = [
        {"panel": panel, "genre": genre, "examples": one.n, "share of the genre": one.gamma,
         "ours true bias": one.truth, "ours width": one.width, "ours share of intervals that hold it": one.coverage}
        for genre, several in sampled.items()
        for panel, own in zip(("left", "right"), _sides(several), strict=True) for one in own
    ]  # fmt: skip
    caption = (
        "A row is a panel of the figure, a genre, a sample size and a share of the genre in the sample: mean width of "
        f"20 intervals, and how many of them hold the true bias (paper: all).{synthetic}"
    )
    return PaperTable(name="Figure 1", caption=caption, table=pd.DataFrame(rows))


def _figure_1(points: Sequence[SampledInterval], genre: str, synthetic: str) -> list[Figure]:
    figures = []
    axes = ("examples, a tenth of the genre", "share of the genre, 500 examples")
    for side, x_name, own in zip(("left", "right"), axes, _sides(points), strict=True):
        if not own:
            continue
        names = [f"{one.n:,}" if side == "left" else f"{one.gamma:g}" for one in own]
        series = Series(
            name=genre,
            x=range(len(own)),
            y=[one.estimate for one in own],
            low=[one.low for one in own],
            high=[one.high for one in own],
        )
        figures.append(
            Figure(
                name=f"Figure 1, {side}",
                caption=f"Bias of the genre {genre} in one sample with its 95 % interval. Dashed: the true bias."
                f"{synthetic}",
                series=[series],
                x_name=x_name,
                y_name="bias: difference in cost",
                names=names,
                level=points[0].truth,
            )
        )
    return figures


def _sides(points: Sequence[SampledInterval]) -> tuple[list[SampledInterval], list[SampledInterval]]:
    """The points of the left side, by sample size at a share of .1, and of the right one, by share at 500 rows."""
    sizes = [one for one in points if one.gamma == 0.1]
    left = sizes[: next((at for at, (one, other) in enumerate(pairwise(sizes), 1) if other.n <= one.n), len(sizes))]
    return left, [one for one in points if one not in left]


def _figure_2() -> Figure:
    grid = figure_2()
    gaps = [gap for gap, _ in grid]
    series = [Series(name="as printed", x=gaps, y=[n for _, n in grid], kind="line")]
    series += [Series(name=words, x=gaps, y=[_needed(gap, words) for gap in gaps], kind="line") for words in _SHARPER]
    return Figure(
        name="Figure 2",
        caption="Examples that are needed to show a bias with 95 % confidence, formula (4), and two sharper bounds. "
        "Dashed: the size of WinoBias.",
        series=series,
        x_name="bias estimate",
        y_name="examples needed",
        level=WINOBIAS,
    )


def _coverage(sampled: Mapping[str, Sequence[SampledInterval]]) -> float:
    """The mean share of intervals that hold the true bias, of 100 examples and more."""
    shares = [one.coverage for several in sampled.values() for one in several if one.n >= _FEWEST]
    return float(np.mean(shares)) if shares else math.nan


def _statements(sampled: Mapping[str, Sequence[SampledInterval]], costs: _Costs) -> list[Statement]:
    of = f"of {_population(costs)}"
    coverage = _coverage(sampled)
    falls = [
        [all(a.width > b.width for a, b in pairwise(side)) for side in _sides(several)] for several in sampled.values()
    ]
    by_size, by_share = (sum(side[at] for side in falls) for at in (0, 1))
    n, t = examples_needed(_GAP), bernstein_radius(4.0, WINOBIAS)
    other = examples_needed(_GAP, method="hoeffding")
    printed = paper_numbers(_PAPER, "Section 3.3")["value"]
    found = [
        statement(
            "section 3.2",
            "With 100 examples and more all 95 % intervals hold the true bias, as a mean over genres and 20 runs.",
            None if math.isnan(coverage) else coverage == 1.0,
            f"{percent(coverage)} of the intervals {of}; seen if all do.",
        ),
        statement(
            "section 3.2, Figure 1",
            "The interval narrows as the sample grows and as the groups become equal in size.",
            by_size == by_share == len(sampled) if sampled else None,
            f"mean widths fall at every step of the size in {by_size} and of the share in {by_share} of "
            f"{count(len(sampled), 'genre')}.",
        ),
        statement(
            "section 3.3",
            "To claim a bias of .05 with 95 % confidence, 11,903 examples are needed, 3.8 times WinoBias.",
            n == int(printed.iloc[0]) and round(n / WINOBIAS, 1) == float(printed.iloc[1]),
            f"formula (4) gives {n:,}, {n / WINOBIAS:.2f} times {WINOBIAS:,}.",
        ),
        statement(
            "section 3.3",
            "WinoBias shows a bias of .0975 and no smaller one.",
            abs(t - float(printed.iloc[2])) < 0.0005,
            f"formula (3) gives {t:.5f} for {WINOBIAS:,} examples; seen if within .0005.",
        ),
        statement(
            "section 2",
            "Bernstein's bound is tighter here than Hoeffding's.",
            n < other,
            f"in the setting of section 3.3 Bernstein's needs {n:,} examples, Hoeffding's for two means {other:,}; "
            "with the variance of a sample (Figure 1) Bernstein's can be narrower.",
        ),
    ]
    return [*found, *_government(sampled, of)]


def _government(sampled: Mapping[str, Sequence[SampledInterval]], of: str) -> list[Statement]:
    says = "With 500 examples, half of them government, the interval of the genre government is above 0."
    points = [one for one in sampled.get(_SHOWN_GENRE, ()) if one.gamma == 0.5]
    if not points:
        return [statement("section 3.4", says, None, f"no such sample {of}.")]
    one, printed = points[0], paper_numbers(_PAPER, "Section 3.4").iloc[0]
    return [
        statement(
            "section 3.4",
            says,
            one.low > 0,
            f"one sample {of}: {decimal(one.low)} to {decimal(one.high)} (paper: {printed['low']:.1f} to "
            f"{printed['high']:.2f}); the mean width of 20 is {decimal(one.width)} and the true bias "
            f"{decimal(one.truth)}, so it depends on the sample.",
        )
    ]


if __name__ == "__main__":
    raise SystemExit(main(reproduce, "data"))
