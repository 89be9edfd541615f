"""Orgad and Belinkov 2022, "Choose Your Lenses: Flaws in Gender Bias Evaluation": its tables beside ours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from orgad2022_compositions import CompositionTest, balanced_rows, composition_tests
from orgad2022_survey import PAPER, reviewed, survey_figure, survey_statements, survey_table
from paper import (
    Figure,
    PaperTable,
    ReproduceOptions,
    Reproduction,
    Series,
    Statement,
    beside,
    find_file,
    first_column,
    main,
    paper_numbers,
    statement,
    verdict_line,
)

from fairness_checklist.core.arrays import FloatArray, divide
from fairness_checklist.core.errors import TableError, count, first_ten
from fairness_checklist.core.formatting import decimal
from fairness_checklist.extensions.lenses.measured import CELL_METRICS, cell_metrics
from fairness_checklist.extensions.lenses.metrics.families import DecisionCells, correlation, decision_cells, rate_parts
from fairness_checklist.tables.files import read_table

__all__ = ["Decisions", "read_decisions", "reproduce"]

_CITATION = (
    "Orgad and Belinkov 2022. Choose Your Lenses: Flaws in Gender Bias Evaluation. Workshop on Gender Bias in Natural "
    "Language Processing (GeBNLP)."
)
_WAYS = {"oversampled": "oversample", "subsampled": "subsample"}
_RATES = {"TPR": "tpr", "FPR": "fpr", "Precision": "precision"}
_METRICS = {
    **{
        f"{name} ({short})": f"{rate} gaps, {part}"
        for name, rate in _RATES.items()
        for short, part in (("p", "Pearson"), ("s", "sum of absolute values"))
    },
    **{f"{kind.capitalize()} (s)": f"{kind}, sum" for kind in ("separation", "sufficiency", "independence")},
}
"""The rows of Table 2, and our metrics."""
_STATISTICAL = [name for name, metric in _METRICS.items() if "gaps" not in metric]
_GAPS = [name for name in _METRICS if name not in _STATISTICAL]
_GENDERS = {"f": "F", "female": "F", "woman": "F", "m": "M", "male": "M", "man": "M"}
_DRAWS, _LEVEL = 200, 0.05
_SAYS = (
    "The correlation of precision gaps with the share of women is above 0 on the test set as it is, and below 0 on "
    "balanced ones.",
    "Balancing raises the sum of absolute precision gaps.",
    "Many of the metrics of gaps do not change with the balance of the test set.",
    "All statistical fairness metrics change with the balance of the test set.",
    "Oversampling shows less bias in all statistical fairness metrics.",
    "Subsampling lowers some statistical fairness metrics and raises others.",
)
_BY_GENDER = (
    "On the test set as it is precision rises with the share of women for women and falls for men; balanced, the "
    "trends are the other way round."
)
_NO_DATA = "needs predictions (gold, pred, gender)."


@dataclass(frozen=True, eq=False)
class Decisions:
    """Predictions of professions.

    Attributes:
        gold, predicted, group: (n,) gold class, decision, and F or M.
        shares: of each class the share of women in training, from 0 to 1.
        source: the file's name.
        printed: whether these shares are those of Table 4; else those of the rows.
    """

    gold: list[str]
    predicted: list[str]
    group: list[str]
    shares: Mapping[str, float]
    source: str
    printed: bool

    def cells(self, rows: Sequence[int] | None = None) -> DecisionCells:
        """The counts of all rows, or of some."""
        at = range(len(self.gold)) if rows is None else rows
        columns = ([column[row] for row in at] for column in (self.gold, self.predicted, self.group))
        return decision_cells(*columns, classes=list(self.shares), groups=["F", "M"])


def reproduce(options: ReproduceOptions) -> Reproduction:
    """Table 2 and Figures 2 and 5 of the user's predictions, and the survey of section 5.

    ``data`` is a table of predictions, or a folder with ``predictions.csv``: the columns ``gold, pred, gender`` (F, M),
    also named ``label, predicted, group``, as of a classifier on Bias in Bios. The share of women of a profession in
    training is that of Table 4, or of the rows where they have other professions.

    Raises:
        OptionError, TableError: options that are not used here; a file that is not there or has other columns.
    """
    survey = reviewed()
    tables, figures = [survey_table(survey)], [survey_figure(survey)]
    tests: dict[str, dict[str, CompositionTest]] = {}
    precision: dict[str, FloatArray] = {}
    decisions = None if options.data is None else read_decisions(options.data)
    if decisions is not None:
        tests = _compositions(decisions, options.seed)
        drawn = balanced_rows(decisions.gold, decisions.group, how="subsample", seed=options.seed)
        cells = {"original": decisions.cells(), "balanced": decisions.cells(drawn.rows.tolist())}
        precision = {name: divide(*rate_parts(own.counts, "precision")) for name, own in cells.items()}
        tables = [_table_2(tests), _table_4(decisions), *tables]
        figures = [_figure_2(decisions, precision), *figures, *_figure_5(decisions, precision)]
    statements = [*_statements(tests, decisions, precision), *survey_statements(survey)]
    return Reproduction(
        citation=_CITATION,
        lines=_lines(tests, decisions, statements),
        tables=tables,
        figures=figures,
        statements=statements,
        unavailable=_unavailable(decisions),
        settings={"draws": str(_DRAWS), "seed": str(options.seed), "shares of women": _shares_are(decisions)},
    )


def read_decisions(data: Path) -> Decisions:
    """The user's predictions.

    Raises:
        TableError: no such file; missing columns, empty cells, a gender that is not F or M, or only one of them.
    """
    path = find_file(data, ("predictions.csv", "*.csv"), "a table of predictions")
    assert path is not None
    table = read_table(path)
    wanted = (("gold", "label"), ("pred", "predicted"), ("gender", "group"))
    named = [first_column(table, names, path.name) for names in wanted]
    empty = table[named].isna().any(axis=1).to_numpy()
    if empty.any():
        row = int(empty.argmax())
        raise TableError(
            f"a cell of {', '.join(named)} is empty.",
            place=f"{path.name}:{row + 2}",
            remedy="Fill it, or drop the row.",
        )
    gold, predicted, gender = (table[name].astype(str).tolist() for name in named)
    group = [_GENDERS.get(one.strip().lower(), "") for one in gender]
    if "" in group or len(set(group)) < 2:
        raise TableError(
            f"the column {named[2]} holds {first_ten(dict.fromkeys(gender))}; expected F and M.",
            place=path.name,
            remedy="Write F or female, M or male; leave other rows out.",
        )
    classes = sorted({*gold, *predicted})
    printed = paper_numbers(PAPER, "Table 4")["females"] / 100
    known = set(classes) <= set(printed.index)
    own = pd.Series([one == "F" for one in group]).groupby(gold).mean()
    shares = {name: float((printed if known else own).get(name, np.nan)) for name in classes}
    return Decisions(gold, predicted, group, shares, path.name, known)


def _compositions(decisions: Decisions, seed: int) -> dict[str, dict[str, CompositionTest]]:
    """The test of each metric of Table 2 for the two ways of balancing."""
    places = [list(CELL_METRICS).index(name) for name in _METRICS.values()]

    def metrics(cells: DecisionCells) -> FloatArray:
        return cell_metrics(cells, ("F", "M"), decisions.shares)[places]

    columns = decisions.gold, decisions.predicted, decisions.group
    found = {}
    for name, how in _WAYS.items():
        tests = composition_tests(*columns, metrics, how=how, draws=_DRAWS, seed=seed)  # type: ignore[arg-type]
        found[name] = dict(zip(_METRICS, tests, strict=True))
    return found


def _table_2(tests: Mapping[str, Mapping[str, CompositionTest]]) -> PaperTable:
    ours = pd.DataFrame({"original": {name: one.value for name, one in tests["oversampled"].items()}})
    for way, own in tests.items():
        ours[way] = {name: one.balanced for name, one in own.items()}
    for way, own in tests.items():
        ours[f"p, {way}"] = {name: one.p_value for name, one in own.items()}
    caption = (
        "A row is a metric: p is Pearson's correlation of the gaps by profession (women less men) with the share of "
        "women in training, s a sum over professions. Ours are of the user's predictions: as they are, and means over "
        f"{_DRAWS} balanced draws. p-values (ours): does it differ from unbalanced draws of the same size?"
    )
    return PaperTable(name="Table 2", caption=caption, table=beside(paper_numbers(PAPER, "Table 2"), ours, "metric"))


def _table_4(decisions: Decisions) -> PaperTable:
    own = pd.Series([100.0 * (one == "F") for one in decisions.group]).groupby(decisions.gold).mean()
    caption = "A row is a profession: percent of women in Bias in Bios (paper), and in the user's rows."
    table = beside(paper_numbers(PAPER, "Table 4"), own.to_frame("females"), "profession")
    return PaperTable(name="Table 4", caption=caption, table=table)


def _figure_2(decisions: Decisions, precision: Mapping[str, FloatArray]) -> Figure:
    x = [100 * share for share in decisions.shares.values()]
    gaps = {name: rows[0] - rows[1] for name, rows in precision.items()}
    slopes = ", ".join(f"{decimal(correlation(gap, np.array(x)), places=2)} ({name})" for name, gap in gaps.items())
    return Figure(
        name="Figure 2",
        caption="Gap in precision of each profession, women less men, against the percentage of women in training: "
        f"test set as it is, and balanced by subsampling (one draw). Correlation: {slopes}.",
        series=[Series(name=name, x=x, y=gap.tolist()) for name, gap in gaps.items()],
        x_name="percent of women in training",
        y_name="gap in precision",
        level=0.0,
    )


def _figure_5(decisions: Decisions, precision: Mapping[str, FloatArray]) -> list[Figure]:
    x = [100 * share for share in decisions.shares.values()]
    figures = []
    for part, (name, own) in zip("ab", precision.items(), strict=True):
        series = [Series(name=words, x=x, y=row.tolist()) for words, row in zip(("women", "men"), own, strict=True)]
        figures.append(
            Figure(
                name=f"Figure 5{part}",
                caption="Precision of women and men by profession against the percentage of women in training, "
                f"{name} set.",
                series=series,
                x_name="percent of women in training",
                y_name="precision",
            )
        )
    return figures


def _statements(
    tests: Mapping[str, Mapping[str, CompositionTest]], decisions: Decisions | None, precision: Mapping[str, FloatArray]
) -> list[Statement]:
    """Section 4.1 and appendix C.4, of the user's predictions."""
    elsewhere = "Measured on another data set, an intrinsic metric no longer correlates with extrinsic ones."
    models = statement("section 4.2", elsewhere, None, "needs the vectors of many fine-tuned models on both sets.")
    if decisions is None:
        missing = [statement("Table 2", text, None, _NO_DATA) for text in _SAYS]
        return [*missing, statement("appendix C.4, Figure 5", _BY_GENDER, None, _NO_DATA), models]
    over, sub = tests["oversampled"], tests["subsampled"]
    p = "Precision (p)"
    moved = {name: _significant(tests, name) for name in _METRICS}
    lower, less = ([name for name in _STATISTICAL if _changed(own[name], -1)] for own in (sub, over))
    higher = [name for name in _STATISTICAL if _changed(sub[name], 1)]
    sums, slopes_of = ([own[name] for own in (over, sub)] for name in ("Precision (s)", p))
    decided = (
        (None if math.isnan(over[p].value) else over[p].value > 0 > max(one.balanced for one in slopes_of)
         and any(one.p_value < _LEVEL for one in slopes_of),
         f"as it is {_two(over[p].value)}, oversampled {_by_p(over[p])}, subsampled {_by_p(sub[p])}; seen if the signs "
         "are so and one p is below .05 (in the paper the subsampled one alone is)."),
        (all(_changed(one, 1) for one in sums),
         f"as it is {_two(sums[0].value)}, oversampled {_by_p(sums[0])}, subsampled {_by_p(sums[1])}; seen if both are "
         "higher with p below .05."),
        (sum(moved[name] for name in _GAPS) <= len(_GAPS),
         f"{sum(moved[name] for name in _GAPS)} of {2 * len(_GAPS)} tests have p below .05; seen if half or fewer."),
        (all(moved[name] == 2 for name in _STATISTICAL),
         f"{sum(moved[name] for name in _STATISTICAL)} of {2 * len(_STATISTICAL)} tests have p below .05, against sets "
         "of the same size; seen if all have."),
        (len(less) == len(_STATISTICAL),
         f"lower with p below .05 in {len(less)} of {len(_STATISTICAL)}: {_changes(over)}."),
        (bool(lower and higher),
         f"with p below .05 lower in {len(lower)} and higher in {len(higher)} of {len(_STATISTICAL)}: "
         f"{_changes(sub)}."),
    )  # fmt: skip
    found = [statement("Table 2", text, *one) for text, one in zip(_SAYS, decided, strict=True)]
    share = np.array(list(decisions.shares.values()))
    slopes = [[correlation(row, share) for row in precision[name]] for name in ("original", "balanced")]
    turned = None if np.isnan(slopes).any() else slopes[0][0] > 0 > slopes[0][1] and slopes[1][0] < 0 < slopes[1][1]
    because = (
        f"correlations of women and men: {_two(slopes[0][0])}, {_two(slopes[0][1])} as it is; {_two(slopes[1][0])}, "
        f"{_two(slopes[1][1])} balanced."
    )
    return [*found, statement("appendix C.4, Figure 5", _BY_GENDER, turned, because), models]


def _significant(tests: Mapping[str, Mapping[str, CompositionTest]], name: str) -> int:
    """For how many ways of balancing the metric differs from unbalanced draws of the same size."""
    return sum(own[name].p_value < _LEVEL for own in tests.values())


def _changed(test: CompositionTest, sign: int) -> bool:
    """Whether the metric is lower (-1) or higher (1) on balanced sets, with a p-value below .05."""
    return sign * (test.balanced - test.value) > 0 and test.p_value < _LEVEL


def _two(value: float) -> str:
    return decimal(value, places=2)


def _by_p(test: CompositionTest) -> str:
    return f"{_two(test.balanced)} (p {decimal(test.p_value)})"


def _changes(own: Mapping[str, CompositionTest]) -> str:
    return ", ".join(f"{name} {_two(own[name].value)} to {_by_p(own[name])}" for name in _STATISTICAL)


def _shares_are(decisions: Decisions | None) -> str:
    return "Table 4" if decisions is None or decisions.printed else "the rows themselves"


def _lines(
    tests: Mapping[str, Mapping[str, CompositionTest]], decisions: Decisions | None, statements: Sequence[Statement]
) -> list[str]:
    lines = [verdict_line("Orgad and Belinkov 2022", statements)]
    if decisions is None:
        return [*lines, "Without data= only the survey of section 5 is here: give predictions (gold, pred, gender)."]
    lines.append(
        f"{len(decisions.gold):,} predictions of {count(len(decisions.shares), 'profession')}, from the file "
        f"{decisions.source}; shares of women: {_shares_are(decisions)}."
    )
    lines.append(
        "(p): Pearson's correlation of the gaps with the share of women; (s): sum of absolute gaps, or of a "
        "statistical metric's values."
    )
    printed = paper_numbers(PAPER, "Table 2")
    for name in ("Precision (p)", "Precision (s)", *_STATISTICAL):
        ours = [tests["oversampled"][name].value, *(tests[way][name].balanced for way in _WAYS)]
        paper = ", ".join(map(_two, printed.loc[[name]].to_numpy()[0].tolist()))
        lines.append(f"{name}: {', '.join(map(_two, ours))} (paper: {paper}; original, oversampled, subsampled).")
    slopes = [tests[way]["Precision (p)"] for way in _WAYS]
    turned = "reversed" if all(one.value * one.balanced < 0 for one in slopes) else "not reversed"
    lines.append(f"On both balanced sets the sign of Precision (p) is {turned} (paper: reversed).")
    return lines


def _unavailable(decisions: Decisions | None) -> list[str]:
    missing = [] if decisions is not None else [
        "Tables 2 and 4, Figures 2 and 5: the paper's predictions are not published, and Bias in Bios is not shipped. "
        "Give data= predictions of a classifier of yours on it (github.com/microsoft/biosbias)."
    ]  # fmt: skip
    return [
        *missing,
        "Table 1: `fairness-checklist list --compatible` prints it.",
        "Table 3 and Figure 3: they need many fine-tuned models and their hidden states; `intrinsic` and `lenses` "
        "compute both kinds of metrics for models of yours.",
        "The stars of Table 2: they compare several training runs; ours are tests of one model's test set.",
    ]


if __name__ == "__main__":
    raise SystemExit(main(reproduce, "data"))
