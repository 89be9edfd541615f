"""GAP for a reproduction of Kocijan et al. 2021: properties, baselines of the names in the texts, systems' answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from paper import find_file, short_names
from scipy.optimize import Bounds, LinearConstraint, milp

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError, TableError, count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.balance.properties import Span, names_by_distance, position_of_answer
from fairness_checklist.extensions.balance.weighted_accuracy import weighted_bias
from fairness_checklist.extensions.balance.weighting import Balance, balance
from fairness_checklist.extensions.balance.weighting_program import WeightedCells
from fairness_checklist.extensions.lenses.readers import meant, read_published
from fairness_checklist.tables.files import read_table

__all__ = [
    "BASELINES",
    "GROUND_TRUTH",
    "Answers",
    "GapData",
    "bias_table",
    "gap_answers",
    "histogram",
    "kept_percent",
    "largest_mean",
    "largest_subsample",
    "read_gap_data",
    "weights_of",
]

BASELINES = ("Random", "Dist-1", "Dist-2", "Dist-3")
GROUND_TRUTH = "Ground-Truth"
_NUMBERS = ("gender", "n_names", "answer", "position")
_RELEASED = {"Random": "ok_rand", **{f"Dist-{k}": f"ok_{k}" for k in (1, 2, 3)}}
_SIDES = ("A", "B")
_BALANCED = {"W": ("n_names", "position"), "Wnum": ("n_names",), "Wdist": ("position",)}
_BALANCED["Wt"] = _BALANCED["W"]


@dataclass(frozen=True, eq=False)
class Answers:
    """What a baseline or system answers.

    Attributes:
        right: (n,) the probability that the right name is answered; NaN for texts without one.
        f1: F1 over both candidates of all texts, of the feminine and of the masculine ones; NaN without the candidates.
    """

    right: FloatArray
    f1: tuple[float, float, float] = (np.nan, np.nan, np.nan)


@dataclass(frozen=True, kw_only=True, eq=False)
class GapData:
    """GAP as far as it is there.

    Attributes:
        table: a row a text: gender (F, M), n_names, position (NaN: none of the names is the right one), has_answer.
        annotated: whether n_names and position are there.
        baselines: by the name of the row in Table 1.
        systems: by the name of the user's file.
        notes: what was read.
    """

    table: pd.DataFrame
    annotated: bool
    baselines: Mapping[str, Answers] = field(default_factory=dict)
    systems: Mapping[str, Answers] = field(default_factory=dict)
    notes: Sequence[str] = ()


def read_gap_data(data: Path, taggers: Sequence[str]) -> GapData:
    """GAP's texts with the paper's annotation, or the numbers alone.

    ``data`` is ``gap-test.tsv`` as published, or a folder with it, with ``gap-test-name-spans.json`` (the annotation)
    and with answers of systems in the layout of GAP's scorer (other ``.tsv``); or ``gap_properties.csv`` with the
    columns gender, n_names, answer, position, and beside it ``gap_baseline_correct.csv``. Taggers, by default the
    bundled one, find names in the texts.
    """
    path = find_file(data, ("gap-test.tsv", "gap-*.tsv", "gap_properties.csv"), "gap-test.tsv")
    assert path is not None
    if path.suffix == ".csv":
        return _numbers(path)
    texts = read_published("gap", path)
    table = pd.DataFrame(
        {"gender": texts["group"].map({"female": "F", "male": "M"}), "has_answer": texts["label"] != "neither"}
    )
    baselines: dict[str, Answers] = {}
    annotation = path.with_name(f"{path.stem}-name-spans.json")
    annotated = annotation.is_file()
    notes = [f"{count(len(texts), 'text')} of {path.name}"]
    if annotated:
        names = json.loads(annotation.read_text(encoding="utf-8"))
        spans = [[(start, end) for start, end, *_name in names[example]] for example in texts["id"]]
        baselines |= gap_answers(texts, spans, GROUND_TRUTH)
        table = table.assign(n_names=[len(own) for own in spans], position=_positions(texts, spans))
    elif (numbers := path.parent / "gap_properties.csv").is_file():
        own = _numbers(numbers)
        table, annotated = _by_id(own.table, numbers).loc[texts["id"]].reset_index(drop=True), True
        right = {name: dict(zip(own.table["id"], one.right, strict=True)) for name, one in own.baselines.items()}
        baselines |= {name: Answers(texts["id"].map(one).to_numpy(dtype=np.float64)) for name, one in right.items()}
    for tagger, name in short_names(taggers or ("bundled",)).items():
        baselines |= gap_answers(texts, _names_found(texts["text"].tolist(), tagger), f"{name} tagger")
    systems = {}
    if data.is_dir():
        files = sorted(file for file in data.glob("*.tsv") if not file.name.startswith("gap-"))
        systems = {file.stem: _system(texts, file) for file in files}
        notes += [f"answers of {join_names(list(systems))}"] if systems else []
    return GapData(table=table, annotated=annotated, baselines=baselines, systems=systems, notes=notes)


def gap_answers(texts: pd.DataFrame, spans: Sequence[Sequence[Span]], names: str) -> dict[str, Answers]:
    """The baselines of section 3.2 from the places of the names in each text.

    Dist-k answers the k-th closest name to the pronoun, and nothing where there are fewer. Random answers each name
    with the same probability: its figures are expectations, in place of means over draws. A name is a candidate where
    the two overlap.

    >>> row = {"text": "Ann told Eve that she won.", "label": "A", "group": "female", "pronoun_start": 18,
    ...        "a": "Ann", "a_start": 0, "b": "Eve", "b_start": 9}
    >>> found = gap_answers(pd.DataFrame([row]), [[(0, 3), (9, 12)]], "All")
    >>> {name: one.right.tolist() for name, one in found.items()}
    {'All Random': [0.5], 'All Dist-1': [0.0], 'All Dist-2': [1.0], 'All Dist-3': [0.0]}
    """
    said = {name: np.zeros((len(texts), 2)) for name in BASELINES}
    for at, (row, own) in enumerate(zip(texts.to_dict("records"), spans, strict=True)):
        ranked = names_by_distance(str(row["text"]), own, int(row["pronoun_start"]))
        for side, name in enumerate(("a", "b")):
            start, end = int(row[f"{name}_start"]), int(row[f"{name}_start"]) + len(str(row[name]))
            hits = [first < end and start < last for first, last in ranked]
            said["Random"][at, side] = sum(hits) / max(len(own), 1)
            for k, hit in enumerate(hits[:3], start=1):
                said[f"Dist-{k}"][at, side] = float(hit)
    return {f"{names} {name}": _answers(texts, one) for name, one in said.items()}


def _answers(texts: pd.DataFrame, said: FloatArray) -> Answers:
    """From the probability (n, 2) that each of the two candidates is answered."""
    gold = np.column_stack([texts["label"] == side for side in _SIDES]).astype(np.float64)
    right = np.where(gold.any(axis=1), (said * gold).sum(axis=1), np.nan)
    groups = [np.ones(len(texts), dtype=bool), *((texts["group"] == name).to_numpy() for name in ("female", "male"))]
    scores = [_f1(said[rows], gold[rows]) for rows in groups]
    return Answers(right, (scores[0], scores[1], scores[2]))


def _f1(said: FloatArray, gold: FloatArray) -> float:
    """F1 over candidates, as GAP's scorer has it: 2 TP / (2 TP + FP + FN)."""
    below = float(said.sum() + gold.sum())
    return 2 * float((said * gold).sum()) / below if below else float("nan")


def _positions(texts: pd.DataFrame, spans: Sequence[Sequence[Span]]) -> list[float]:
    """The place of the right name among the names by distance; NaN where it is none of them."""
    first = texts["label"] == "A"
    answer = texts["a"].where(first, texts["b"]).where(texts["label"] != "neither", "").tolist()
    start = texts["a_start"].where(first, texts["b_start"]).tolist()
    cells = [" ".join(f"{a}-{b}" for a, b in own) for own in spans]
    return position_of_answer(texts["text"].tolist(), texts["pronoun_start"].tolist(), answer, start, cells)


def _names_found(texts: Sequence[str], tagger: str) -> list[list[Span]]:
    """The places of the persons' names that a tagger finds."""
    from fairness_checklist.cli.python_models import load_named

    found = load_named(tagger, "ner").predict(list(texts), progress=True)
    people = [at for at, kind in enumerate(found.types) if kind == "PER"]
    spans: list[list[Span]] = [[] for _ in texts]
    places: dict[int, Sequence[Span]] = {}
    columns = (found.spans.row, found.spans.start, found.spans.end, found.spans.type)
    for row, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
        if kind in people:
            own = places.setdefault(row, words(texts[row]))
            spans[row].append((own[start][0], own[end - 1][1]))
    return spans


def _system(texts: pd.DataFrame, file: Path) -> Answers:
    """The answers in a file of the layout of GAP's scorer: id, whether A is meant, whether B is meant (TRUE, FALSE)."""
    cells = pd.read_csv(file, sep="\t", header=None, names=["id", "A-coref", "B-coref"], dtype=str, index_col="id")
    if missing := sorted(set(texts["id"]) - set(cells.index)):
        raise TableError(f"there is no answer for {missing[0]}.", place=file.name, remedy="Give one for each text.")
    predicted = meant(cells, file).loc[texts["id"]]
    said = np.column_stack([predicted.isin([side, "both"]) for side in _SIDES]).astype(np.float64)
    return _answers(texts, said)


def _numbers(path: Path) -> GapData:
    """The properties of each text as numbers, and the answers of the ground-truth baselines that follow from them."""
    table = read_table(path)
    missing = [name for name in _NUMBERS if name not in table.columns]
    if missing:
        raise TableError(f"there is no column {missing[0]}.", place=path.name, remedy=f"Needed: {', '.join(_NUMBERS)}.")
    has_answer = table["answer"].notna().to_numpy()
    position = pd.to_numeric(table["position"], errors="coerce").where(lambda places: places > 0).to_numpy()
    right = {"Random": np.where(np.isnan(position), 0.0, 1 / table["n_names"].to_numpy(dtype=np.float64))}
    right |= {f"Dist-{k}": (position == k) * 1.0 for k in (1, 2, 3)}
    released = path.parent / "gap_baseline_correct.csv"
    if released.is_file():  # of one text two annotated names are the right one
        given = _by_id(read_table(released), released)
        right = {name: table["id"].map(given[column]).to_numpy(np.float64) for name, column in _RELEASED.items()}
    own = table.assign(position=position, has_answer=has_answer)
    baselines = {f"{GROUND_TRUTH} {name}": Answers(np.where(has_answer, one, np.nan)) for name, one in right.items()}
    return GapData(
        table=own, annotated=True, baselines=baselines, notes=[f"{count(len(table), 'text')} of {path.name}"]
    )


def _by_id(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    if "id" not in table.columns:
        raise TableError("there is no column id.", place=path.name, remedy="It needs the id of each text of GAP.")
    return table.set_index("id", drop=False)


def weights_of(table: pd.DataFrame) -> dict[str, Balance]:
    """The weights of texts with a right name: W, Wnum (of the names only), Wdist (of the position only), Wt (trimmed).

    >>> table = pd.DataFrame({"gender": list("FFFMMM"), "has_answer": [True] * 6, "n_names": [2, 3, 3, 2, 2, 3],
    ...                       "position": [1, 1, 2, 1, 2, 2]})
    >>> {name: round(float(balanced.weight.sum()), 2) for name, balanced in weights_of(table).items()}
    {'W': 6.0, 'Wnum': 6.0, 'Wdist': 6.0, 'Wt': 6.0}
    """
    kept = table[table["has_answer"]]
    trimmed = kept["gender"].where((kept["n_names"] <= 15) & ~(kept["position"] >= 5))  # section 3.5
    return {
        name: balance(trimmed if name == "Wt" else kept["gender"], kept[list(columns)], between=("F", "M"))
        for name, columns in _BALANCED.items()
    }


def bias_table(answers: Mapping[str, Answers], table: pd.DataFrame, weights: Mapping[str, Balance]) -> pd.DataFrame:
    """Our rows of Tables 1 and 2: F1, accuracy, F1-Bias, acc-Bias, and one column a set of weights."""
    rows = {}
    kept = table["has_answer"].to_numpy()
    women = (table["gender"] == "F").to_numpy()[kept]
    for name, own in answers.items():
        right = own.right[kept]
        row = {
            "F1": own.f1[0],
            "accuracy": float(right.mean()),
            "F1-Bias": float(divide(own.f1[1], own.f1[2])),
            "acc-Bias": float(divide(right[women].mean(), right[~women].mean())),
        }
        for form, weight in weights.items():
            row[f"{form}-Bias"] = weighted_bias(right, weight, draws=0).ratio
        rows[name] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def kept_percent(weights: Balance, n: int) -> float:
    """The largest subsample that is balanced without weights, in percent of n texts, those without an answer too."""
    return 100 * int(largest_subsample(weights.cells)[0].sum()) / n


def largest_subsample(cells: WeightedCells, *, seconds: float = 10.0) -> tuple[IntArray, bool]:
    """(K,) how many rows of each cell the largest balanced subsample keeps (section 3.4), and whether that is proven.

    Balanced: the same number of rows in all groups for every value of every property. Solved as an integer program.
    """
    totals = cells.totals().toarray()
    answer = milp(
        -np.ones(len(cells)),
        constraints=[LinearConstraint(cells.sums(), 0, 0), LinearConstraint(totals[1:] - totals[:1], 0, 0)],
        integrality=np.ones(len(cells), dtype=np.int64),
        bounds=Bounds(0, cells.count),
        options={"time_limit": seconds},
    )
    if answer.x is None:
        raise OptionError(f"no balanced subsample was found in {seconds:g} seconds.", remedy="Give seconds= more.")
    return np.round(answer.x).astype(np.int64), answer.status == 0


def histogram(weights: Balance) -> tuple[IntArray, FloatArray]:
    """Figures 1 and 2: rows (G, B) with a weight in [b / 10, (b + 1) / 10), and the weights above 4."""
    below, n = weights.cell_weight <= 4, weights.cells.count.astype(np.int64)
    bar = np.floor(weights.cell_weight[below] * 10 + 1e-9).astype(np.int64)
    table = np.zeros((len(weights.groups), int(bar.max(initial=0)) + 1), dtype=np.int64)
    np.add.at(table, (weights.cells.group[below], bar), n[below])
    return table, np.sort(np.repeat(weights.cell_weight[~below], n[~below]))


def largest_mean(weights: Balance, n: int) -> float:
    """The mean of the n largest weights."""
    return float(np.sort(weights.weight)[-n:].mean())
