"""Czarnowska, Vyas and Shah (2021): fairness metrics in NLP compared, Figures 1 to 3, Tables 5 to 7, and statements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pandas as pd
from czarnowska2021_numbers import KINDS, MEASURES, TOTAL, Numbers, paper_data, published
from czarnowska2021_rules import ATTRIBUTES, FIGURE_1, Judged, statements
from czarnowska2021_run import Experiment, experiment
from czarnowska2021_texts import accuracies, read_valence
from paper import HeatMap, PaperTable, ReproduceOptions, Reproduction, main

from fairness_checklist import __version__
from fairness_checklist.core.formatting import percent

__all__ = ["reproduce"]

CITATION = (
    "Czarnowska, Vyas and Shah (2021): Quantifying Social Biases in NLP: A Generalization and Empirical Comparison of "
    "Extrinsic Fairness Metrics. Transactions of the Association for Computational Linguistics 9, 1249-1267."
)
_SCALE = "Each row has a colour scale of its own: a value by the largest absolute value of the row."
_BY_NUMBER = (("2", ("two-class", "three-class"), ("gender", "names")), ("3", ("tagger",), ("nationality",)))
"""Of the figures by group their number, the kinds of models, and the attributes."""
_BY_GROUP = "Each row is one value: of a metric, an attribute, a group and a model."
_TOTALS = "Each row is one metric, attribute and model; its value is over all groups."
_COLUMNS = (
    "paper: the printed value of the paper's model with the same number of classes. ours, exact: our definitions, over "
    "all combinations of terms. ours, released code: the definitions of the paper's released code, with 100 "
    "combinations a sentence."
)


def reproduce(options: ReproduceOptions) -> Reproduction:
    """The experiment of the core paper, with the user's models or the bundled ones.

    Raises:
        InputError: a model that cannot be loaded, named twice or of another task; data that cannot be read.
    """
    data = None if options.data is None else read_valence(options.data)
    made = experiment(options)
    found = statements(made.exact, made.released, made.chance)
    tables = [*_figure_tables(made), *_table_5(data, made), _table_6(made), _table_7(made)]
    return Reproduction(
        citation=CITATION,
        lines=[*_lines(found, made), *_limits(options)],
        tables=[table for table in tables if len(table.table)],
        figures=[*_figures_1(made), *_figures_by_group(made)],
        statements=[one.statement for one in found],
        unavailable=_unavailable(options, made),
        settings=_settings(options, made),
    )


def _lines(found: Sequence[Judged], made: Experiment) -> list[str]:
    """The answer for a terminal."""
    seen = [one for one in found if one.statement.verdict == "seen here"]
    unseen = [one for one in found if one.statement.verdict == "not seen"]
    of_groups = [one.statement.says for one in seen if not one.by_chance]
    missing = [one.statement.says for one in sorted(unseen, key=lambda one: one.by_chance)]
    differ, n, those = sum(one.differs for one in found), len(seen), len(of_groups)
    lines = [
        f"Of {n + len(unseen)} statements of sections 5 to 7 that can be tested, {n} patterns are there. {those} of "
        f"these {'is' if those == 1 else 'are'} not there when terms are assigned to groups at random: only these say "
        f"something about groups. The other {n - those} are there in more than {len(made.chance) // 2} of "
        f"{len(made.chance)} random assignments. {len(found) - n - len(unseen)} statements cannot be tested."
    ]
    for what, says, most in (("About groups", of_groups, 4), ("Not seen", missing, 3)):
        lines += [f"{what}: {one}" for one in says[:most]]
        lines += [f"{what}: {len(says) - most} more, in the table of statements."] if len(says) > most else []
    asked = (f"{name} {percent(made.accuracy[name])} ({n:,} texts)" for name, n in made.texts.items())
    drawn = (f"{name} {text}" for name, text in made.samples.items() if name in ("age", "names", "nationality, tagger"))
    return [
        *lines,
        f"Models, with the share of labelled texts that they get right (of a tagger all entities): {'; '.join(asked)}.",
        f"Templates and names are random samples: {'; '.join(drawn)}.",
        "Patterns are compared, not values: the paper's models are not available. By the released code's definitions "
        f"{differ} {'verdict differs' if differ == 1 else 'verdicts differ'}.",
    ]


def _limits(options: ReproduceOptions) -> list[str]:
    """A remark on a small version."""
    limits = {"terms a group": options.max_terms, "templates an attribute": options.max_templates}
    given = [f"{most} {what}" for what, most in limits.items() if most is not None]
    return [f"At most {' and '.join(given)}: verdicts can change with more."] if given else []


# Figures 1 to 3


def _paper_model(kind: str) -> str:
    return next(name for name, known in KINDS.items() if known == kind)


def _cells(
    made: Experiment, model: str, attribute: str, measure: str, group: str, totals: str = "figure_2"
) -> dict[str, float]:
    """The three columns of numbers for one value; the paper's totals are those of a figure."""
    theirs = _paper_model(made.exact.kinds[model])
    return {
        "paper": published(totals=totals).value(theirs, attribute, measure, group),
        "ours, exact": made.exact.value(model, attribute, measure, group),
        "ours, released code": made.released.value(model, attribute, measure, group),
    }


def _groups(numbers: Numbers, model: str, attribute: str) -> list[str]:
    """The groups of an attribute, in the order of the paper, and the total."""
    known = dict.fromkeys(key[3] for key in numbers.values if key[:2] == (model, attribute) and key[3] != TOTAL)
    first = [
        group for name in ("figure_2", "figure_3") for group in paper_data()[name].get(attribute, {}).get("columns", [])
    ]
    return [*(group for group in first if group in known), *(group for group in known if group not in first), TOTAL]


def _measures(figure: str, kind: str) -> list[str]:
    """The measures of Figure 2 or 3, of such a model."""
    attribute = "gender" if figure == "figure_2" else "nationality"
    return list(paper_data()[figure][attribute][_paper_model(kind)])


def _figure_tables(made: Experiment) -> list[PaperTable]:
    """The numbers of Figures 1 to 3."""
    classifiers, taggers = _models(made)
    rows = [
        {"metric": MEASURES[row].title, "attribute": attribute, "model": model}
        | _cells(made, model, attribute, row, TOTAL, "figure_1")
        for row, model, attribute in product(FIGURE_1, classifiers, ATTRIBUTES)
    ]
    tables = [PaperTable(name="Figure 1", caption=f"{_TOTALS} {_COLUMNS}", table=pd.DataFrame(rows))]
    of_gender = [
        entry
        for model, attribute in product(classifiers, ("gender", "names"))
        for entry in _group_rows(made, model, attribute, _measures("figure_2", made.exact.kinds[model]))
    ]
    remark = "The paper's totals of FNED for gender, three classes, are 0.615 here and 0.487 in its Figure 1."
    tables.append(
        PaperTable(name="Figure 2", caption=f"{_BY_GROUP} {_COLUMNS} {remark}", table=pd.DataFrame(of_gender))
    )
    counterfactual = list(paper_data()["figure_3"]["accumulated"]["CoNLL 2003"])
    of_nationality = [
        entry
        for model in taggers
        for entry in _group_rows(made, model, "nationality", [*_measures("figure_3", "tagger"), *counterfactual])
        if entry["group"] == TOTAL or entry["measure"] not in counterfactual
    ]
    about = (
        "The paper's text calls its first sixth, 1q, that of the highest GDP, and so it stands here; in its released "
        "files 1q holds the countries of the lowest GDP. A group's gap: mean over its pairs."
    )
    tables.append(
        PaperTable(name="Figure 3", caption=f"{_BY_GROUP} {_COLUMNS} {about}", table=pd.DataFrame(of_nationality))
    )
    return [
        PaperTable(name=one.name, caption=one.caption, table=one.table.drop(columns="measure", errors="ignore"))
        for one in tables
    ]


def _group_rows(made: Experiment, model: str, attribute: str, measures: Sequence[str]) -> list[dict[str, Any]]:
    """The values of each group; cells that are empty for all three columns are left out."""
    rows = [
        {"metric": MEASURES[row].title, "measure": row, "attribute": attribute, "group": group, "model": model}
        | _cells(made, model, attribute, row, group)
        for row in measures
        for group in _groups(made.exact, model, attribute)
    ]
    names = ("paper", "ours, exact", "ours, released code")
    return [row for row in rows if not all(math.isnan(float(row[name])) for name in names)]


def _models(made: Experiment) -> tuple[list[str], list[str]]:
    """The classifiers and the taggers."""
    kinds = made.exact.kinds
    return [name for name in kinds if kinds[name] != "tagger"], [name for name in kinds if kinds[name] == "tagger"]


def _heat_map(
    name: str, caption: str, of: Numbers, rows: Sequence[str], columns: Sequence[tuple[str, str, str]]
) -> HeatMap:
    """Measures by columns of model, attribute and group; totals beside groups are not coloured."""
    by_group = any(group != TOTAL for _, _, group in columns)
    cells = [[of.value(model, attribute, row, group) for model, attribute, group in columns] for row in rows]
    named = ["/".join(column if by_group else column[:2]) for column in columns]
    table = pd.DataFrame(cells, index=[MEASURES[row].title for row in rows], columns=named)
    return HeatMap(
        name=name, caption=caption, table=table, uncoloured=[by_group and group == TOTAL for _, _, group in columns]
    )


def _figures_1(made: Experiment) -> list[HeatMap]:
    """Figure 1 by our definitions, by those of the released code, and as the paper prints it."""
    classifiers, _ = _models(made)
    if not classifiers:
        return []
    sources: list[tuple[str, Numbers, Sequence[str]]] = [
        ("Figure 1, ours, exact", made.exact, classifiers),
        ("Figure 1, ours, released code", made.released, classifiers),
        ("Figure 1, paper", published(), ("SemEval-2", "SemEval-3")),
    ]
    caption = (
        f"Metrics by attribute and model, for the positive class. {_SCALE} (all): for all classes; (P): on "
        "probabilities; (*): correctly normalised; (TC): examples of the class alone."
    )
    return [
        _heat_map(name, caption, of, FIGURE_1, list(product(models, ATTRIBUTES, [TOTAL])))
        for name, of, models in sources
    ]


def _figures_by_group(made: Experiment) -> list[HeatMap]:
    """Figure 2 of the classifiers and Figure 3 of the taggers, by our definitions, each before the paper's."""
    caption = (
        f"{_SCALE} Totals are not coloured. AvgEG is signed: above 0 the group is scored higher than the others. "
        "Ratios are relative, FNED, FPED and gaps absolute. A dash: undefined, or a metric without a total."
    )
    figures: list[HeatMap] = []
    for number, kinds, attributes in _BY_NUMBER:
        mine = [(made.exact, model, "") for model, kind in made.exact.kinds.items() if kind in kinds]
        theirs = [
            (published(totals="figure_2"), _paper_model(kind), "paper, ")
            for kind in kinds
            if kind in made.exact.kinds.values()
        ]
        for of, model, whose in [*mine, *theirs]:
            columns = [(model, name, group) for name in attributes for group in _groups(of, model, name)]
            rows = _measures(f"figure_{number}", of.kinds[model])
            figures.append(_heat_map(f"Figure {number}, {whose}{model}", caption, of, rows, columns))
    return figures


# Tables 5 to 7


def _table_5(data: pd.DataFrame | None, made: Experiment) -> list[PaperTable]:
    """Accuracy on the user's copy of the paper's development set."""
    if data is None:
        return []
    classifiers, _ = _models(made)
    known = accuracies(data, {name: made.models[name] for name in classifiers})
    paper = paper_data()["table_5"]
    rows = [
        {"model": model, "texts": n, "paper": paper[_paper_model(made.exact.kinds[model])], "ours": share}
        for model, (n, share) in known.items()
    ]
    caption = "Accuracy on your copy of the development set. Each row is a model; paper: its model of the same kind."
    return [PaperTable(name="Table 5", caption=caption, table=pd.DataFrame(rows))]


def _table_6(made: Experiment) -> PaperTable:
    """The paper's generic phrases beside the shipped templates."""
    return PaperTable(
        name="Table 6",
        caption="The paper's nine generic phrases, with slots that all terms can fill, above the shipped templates of "
        "the class. Each row is a phrase and a model, over all attributes. ours share correct: texts with the right "
        "class; ours PertSS: how far the probability of the right class moves between two groups. The paper prints "
        "no figures.",
        table=pd.DataFrame(made.phrases),
    )


def _table_7(made: Experiment) -> PaperTable:
    """The tests of each attribute and classifier."""
    classifiers, _ = _models(made)
    rows = []
    for attribute, model in product(paper_data()["table_7"]["columns"], classifiers):
        tests, pairs = made.tests.get((model, attribute), ([], {}))
        if not tests:
            continue
        p = {test.test.partition(",")[0]: test.p_value for test in tests}
        rows.append(
            {
                "attribute": attribute,
                "model": model,
                "test": tests[0].test,
                "paper p": published().p_values[_paper_model(made.exact.kinds[model]), attribute],
                "ours p": tests[0].p_value,
                "ours n": tests[0].n,
                "ours p of paired t": p.get("paired t", math.nan),
                **{
                    f"ours pairs below 0.05, {name}": "{} of {}".format(*pairs[name]) if name in pairs else ""
                    for name in ("Wilcoxon", "paired t")
                },
            }
        )
    return PaperTable(
        name="Table 7",
        caption="p-values for differences of the groups' mean probability of the positive class in the same sentences: "
        "Friedman's test, of two groups Wilcoxon's and the paired t-test; of more groups also the pairs for which each "
        "is below 0.05, not adjusted. n: sentences. The tests are about exactly these terms: any two sets of words "
        "differ.",
        table=pd.DataFrame(rows),
    )


def _unavailable(options: ReproduceOptions, made: Experiment) -> list[str]:
    """What of the paper cannot be had here."""
    kinds = set(made.exact.kinds.values())
    missing = [
        "The paper's three RoBERTa models are not available here: other models are measured, so patterns are compared, "
        "not values.",
        "The paper's templates and names are not used, but the shipped ones; of Table 6 the generic phrases are.",
        "CoNLL 2003, the tagger's training and development data, is licensed: its F1 in Table 5 is not computed.",
    ]
    if options.data is None:
        missing.append(
            "The SemEval-2018 texts may not be shipped: Table 5 needs your copy of the development set (--data FILE)."
        )
    wanted = {"two-class": "two-class model", "three-class": "three-class model", "tagger": "tagger"}
    missing += [f"No {what} was named." for kind, what in wanted.items() if kind not in kinds]
    return missing


def _settings(options: ReproduceOptions, made: Experiment) -> dict[str, str]:
    """What a reader needs to repeat it."""
    notes: Mapping[str, str] = {"left out": "; ".join(dict.fromkeys(made.notes))} if made.notes else {}
    return {
        **made.exact.kinds,
        **made.samples,
        "random assignments of terms to groups": str(len(made.chance)),
        "seed": str(options.seed),
        "fairness_checklist": __version__,
        **notes,
    }


if __name__ == "__main__":
    raise SystemExit(main(reproduce, "models", "taggers", "data", "max_terms", "max_templates", "labels"))
