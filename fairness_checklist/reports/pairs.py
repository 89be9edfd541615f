"""The texts of a run side by side: those that show a finding, and those of two groups that differ most."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.replicates import OUTCOME_HARMS
from fairness_checklist.core.tasks import Harm, known_harm
from fairness_checklist.reports.run_view import attribute_view, is_tagging, one_of
from fairness_checklist.reports.tagged_run import Tagged, at_terms, classes_of, read_tagged_run
from fairness_checklist.tables.run_folder import Results

_LOOKED_AT = 3
_SAME_TERMS = 2
_EACH = ("group", "term", "text", "predicted", "p")
COLUMNS = (
    *("source", "label", "class", "both_wrong"),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in _EACH),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in ("start", "end")),
)
_WORD = re.compile(r"\S+")
Side = Callable[[str, int, int], dict[str, Any]]
"""What is shown of a text beside another one, by their rows; columns that start with a given name."""


@dataclass(frozen=True, eq=False)
class HarmTexts:
    """The texts of an attribute that a harm concerns, the unmarked ones included.

    Attributes:
        frame: one row a text: source and term ("" where there is none), group, label, class (of the harm), harmed,
            right (the decision is the gold one, or there is no label) and p (of the harmful answer; NaN where only
            decisions are known).
        side: what is shown of a text.
    """

    frame: pd.DataFrame
    side: Side

    @property
    def marked(self) -> pd.DataFrame:
        """Without the unmarked texts."""
        return self.frame[self.frame["group"] != UNMARKED]

    @property
    def sentences(self) -> int:
        """How many sentences the texts are made from; 0 where that is not known."""
        sources = self.marked["source"]
        return int(sources[sources != ""].nunique())

    def unmarked(self) -> dict[str, float]:
        """The figures of the unmarked texts beside those of all other texts of the same sentences.

        Returns:
            Means over sentences: rate and others_rate (of harmful decisions) and gap (of the probability, else of
            decisions); n, the number of unmarked texts. Empty without such texts.
        """
        frame = self.frame.assign(unmarked=self.frame["group"] == UNMARKED)
        frame["p"] = frame["p"] if frame["p"].notna().all() else frame["harmed"].astype("float64")
        means = frame.groupby(["source", "unmarked"])[["harmed", "p"]].mean().unstack().dropna()
        if not frame["unmarked"].any() or not len(means):
            return {}
        rate, others = (float(means["harmed", unmarked].mean()) for unmarked in (True, False))
        gap = float((means["p", True] - means["p", False]).mean())
        return {"rate": rate, "others_rate": others, "gap": gap, "n": int(frame["unmarked"].sum())}


def harm_texts(results: Results, attribute: str, harm: str) -> HarmTexts | None:
    """The texts that a harm concerns; None where it is the user's own and names no class, or no decision is known."""
    if is_tagging(results):
        return _of_tagger(results, attribute)
    found = OUTCOME_HARMS.get(harm) or known_harm(harm)
    examples = results.examples[results.examples["attribute"] == attribute].reset_index(drop=True)
    if found is None or "predicted" not in examples.columns:
        return None
    label, predicted = _column(examples, "label"), _column(examples, "predicted")
    harmed, concerned = _harmed(examples, found, predicted, label, attribute_view(results, attribute).classes)
    score = f"score:{found.label}" if found.kind == "outcome" else f"p:{found.label}"
    p = examples[score].astype("float64") if score in examples.columns else pd.Series(np.nan, examples.index)
    frame = pd.DataFrame(
        {
            **{name: _column(examples, name) for name in ("source", "group", "term")},
            "label": label,
            "class": found.label,
            "harmed": harmed,
            "right": (predicted == label) | (label == ""),
            "p": 1 - p if found.kind == "missed" else p,
        }
    )[concerned]
    texts, p_of_class = examples[concerned], p[concerned].to_numpy()

    def side(name: str, row: int, other: int) -> dict[str, Any]:
        found_there = side_columns(name, texts.iloc[row], texts.iloc[other], {"p": float(p_of_class[row])})
        if found.kind == "outcome" and bool(frame["harmed"].iloc[row]):
            found_there[f"{name}_predicted"] = found.label
        return found_there

    return HarmTexts(frame.reset_index(drop=True), side) if len(frame) else None


def _column(frame: pd.DataFrame, name: str) -> pd.Series[str]:
    """A column as text, "" where it has no value or the table lacks it."""
    if name not in frame.columns:
        return pd.Series("", frame.index)
    return frame[name].astype("object").fillna("").astype("str")


def _harmed(
    examples: pd.DataFrame, harm: Harm, predicted: pd.Series[str], label: pd.Series[str], classes: tuple[str, ...]
) -> tuple[BoolArray, BoolArray]:
    """Which rows meet the harm, and which it concerns; an outcome that is no class in any of a text's answers."""
    if harm.kind == "outcome":
        column = f"score:{harm.label}"
        share = examples[column].to_numpy(np.float64) if column in examples.columns else np.zeros(len(examples))
        return share > 0, ~np.isnan(share)
    called = (predicted == harm.label).to_numpy()
    if harm.kind == "predicted":
        return called, np.ones(len(examples), dtype=bool)
    if harm.kind == "missed":
        return ~called, (label == harm.label).to_numpy()
    return called, (label.isin(classes) & (label != harm.label)).to_numpy()


def _of_tagger(results: Results, attribute: str) -> HarmTexts | None:
    """The texts with an entity at the term; harmed where it is missed."""
    tagged = read_tagged_run(results, attribute)
    outcomes, slots = tagged.outcomes, at_terms(tagged.outcomes)
    rows = np.flatnonzero((outcomes.group < len(outcomes.groups)) & (slots.type >= 0))
    if not len(rows):
        return None
    sources = [source.id for source in tagged.examples.sources]
    frame = pd.DataFrame(
        {
            "source": [sources[at] if at >= 0 else "" for at in outcomes.source[rows]],
            "group": [outcomes.groups[at] for at in outcomes.group[rows]],
            "term": [tagged.term(int(row)) for row in rows],
            "label": "",
            "class": [outcomes.classes[at] for at in slots.type[rows]],
            "harmed": ~slots.exact[rows],
            "right": slots.exact[rows],
            "p": 1 - slots.probability[rows],
        }
    )

    def side(name: str, row: int, _other: int) -> dict[str, Any]:
        found = tagged.side(int(rows[row]), slots)
        return {f"{name}_{key}": value for key, value in {**found, "predicted": found["found"]}.items()}

    return HarmTexts(frame, side)


def has_texts(results: Results) -> bool:
    """Whether a run has its texts, and not only their hashes."""
    if results.info.get("texts") == "hashes":
        return False
    examples = results.examples
    return "tokens" in examples or ("text" in examples and bool(examples["text"].fillna("").ne("").any()))


def finding_pairs(results: Results, record: Mapping[Any, Any], n: int = 5) -> pd.DataFrame:
    """Pairs that show a finding, one a source: the group's text meets the harm, and another group's does not.

    Sources in which another group's answer is right come first, and of these the source in which most of the group's
    texts meet the harm and fewest of the others. Of a source's texts the one with the most probable harm is shown, and
    the other group's with the least, a right answer if there is any. Terms that were shown already come later, also
    those of the best sources, 3 n of them.

    Returns:
        At most n rows with the columns source, label, class (of the harm; of a tagger the type; "refused" or
        "unparsable" where the finding is about such answers), both_wrong (the other group's answer is no harm, but
        wrong), and for ``harmed_`` and ``spared_`` each group, term, text, predicted, p (of the class, or the share of
        such answers; NaN where it is unknown), start and end (where the term is in the text; -1 where it is unknown).
        No rows where no pair shows it, the run has no texts, or the harm is the user's own and names no class.
    """
    texts = harm_texts(results, str(record["attribute"]), str(record["harm"])) if has_texts(results) else None
    return pairs_of(texts, record, n)


def pairs_of(texts: HarmTexts | None, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """The pairs of `finding_pairs` from texts that were read already."""
    if texts is None:
        return pd.DataFrame(columns=list(COLUMNS))
    frame = texts.marked[texts.marked["source"] != ""]
    name = "term" if "term" in record else "group"
    of_record = frame[frame[name] == str(record[name])]
    harmed = of_record[of_record["harmed"]]
    others = frame[(frame[name] != str(record[name])) & frame["source"].isin(harmed["source"])]
    spared = others[~others["harmed"]]
    each = pd.DataFrame(
        {
            "right": spared.groupby("source")["right"].any(),
            "gap": of_record.groupby("source")["harmed"].mean() - others.groupby("source")["harmed"].mean(),
            "p": of_record.groupby("source")["p"].mean() - others.groupby("source")["p"].mean(),
        }
    ).dropna(subset=["right", "gap"])
    each["right"] = each["right"].astype("bool")
    times_shown: Counter[str] = Counter()
    pairs: list[dict[str, Any]] = []
    ranked = each.sort_values(["right", "gap", "p"], ascending=False, kind="stable").index
    terms = {source: set(rows["term"]) for source, rows in harmed.groupby("source")}
    left = [source for source in ranked[: _LOOKED_AT * n] if source in terms]
    while left and len(pairs) < n:  # of the sources that show it best, one with a term that was not shown yet
        source = min(left, key=lambda at: min(times_shown[term] for term in terms[at]))
        left.remove(source)
        first, second = harmed[harmed["source"] == source], spared[spared["source"] == source]
        second = second[second["right"]] if second["right"].any() else second
        row = _least_shown(first, -_worse(first), times_shown)
        other = _least_shown(second, _worse(second), times_shown)
        pairs.append(
            {"source": source, "label": frame["label"][row], "class": frame["class"][row]}
            | {"both_wrong": not frame["right"][other]}
            | texts.side("harmed", row, other)
            | texts.side("spared", other, row)
        )
    return pd.DataFrame(pairs, columns=list(COLUMNS))


def texts_of(texts: HarmTexts | None, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """The texts of a group that meet the harm, the most probable ones first: what shows a finding without pairs."""
    columns = [name for name in COLUMNS if not name.startswith("spared")]
    if texts is None:
        return pd.DataFrame(columns=columns)
    name = "term" if "term" in record else "group"
    harmed = texts.marked[(texts.marked[name] == str(record[name])) & texts.marked["harmed"]]
    listed = [
        {**harmed.loc[row, ["source", "label", "class"]], "both_wrong": False, **texts.side("harmed", row, row)}
        for row in harmed.index[np.argsort(-_worse(harmed), kind="stable")[:n]]
    ]
    return pd.DataFrame(listed, columns=columns)


def _worse(frame: pd.DataFrame) -> FloatArray:
    return np.asarray(np.nan_to_num(frame["p"].to_numpy(np.float64)))


def _least_shown(rows: pd.DataFrame, order: FloatArray, times_shown: Counter[str]) -> int:
    """The row whose term was shown least so far, then the first in an order of numbers."""
    row = int(rows.index[np.lexsort((order, [times_shown[term] for term in rows["term"]]))[0]])
    times_shown[rows["term"][row]] += 1
    return row


def worst_pairs(results: Results, attribute: str, n: int = 10) -> pd.DataFrame:
    """The pairs of texts of two groups that differ most, one pair a source.

    Inside a source, pairs whose decision differs come first, then the largest change of the probability of any class;
    of a tagger pairs of which one term is found, and the change of its type's probability. So do the n sources that
    are shown. At most two of them show the same two terms, as long as there are others. Sources that are not symmetric
    and the unmarked control take no part.

    Returns:
        At most n rows with the columns source, class (whose probability changes most), change (in [0, 1]; NaN where
        only decisions are known), flips, and for both sides ``left_`` and ``right_`` group, term, text, start and end
        (where the term is in the text; -1 where it is unknown). Of a classifier also label, and a side's predicted and
        ``p:<class>``; of a tagger a side's found (the entities), whole (whether the term is found with all its words
        and its type) and p (of the type). No rows where there is no source.

    Raises:
        OptionError: the run has no such attribute.
    """
    one_of(attribute, results.attributes, "attribute")
    texts = _tagged_candidates(results, attribute) if is_tagging(results) else _candidates(results, attribute)
    best = [(s, *pair) for s, rows in enumerate(texts.by_source()) if (pair := _best_pair(texts, rows)) is not None]
    table = pd.DataFrame(best, columns=["source", "left", "right", "column", "change", "flips"])
    table = table[(table["change"] > 0) | table["flips"]]
    ranked = table.sort_values(["flips", "change", "source"], ascending=[False, False, True], kind="stable")
    listed = []
    for pair in _diverse(ranked, texts.term, n).to_dict("records"):
        left, right = int(pair["left"]), int(pair["right"])
        change = float(pair["change"]) if texts.known else float("nan")
        row = texts.about(left, int(pair["column"])) | {"change": change, "flips": bool(pair["flips"])}
        listed.append(row | texts.side("left", left, right) | texts.side("right", right, left))
    return pd.DataFrame(listed)


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The m texts of which pairs are made."""

    source: IntArray
    group: IntArray
    term: list[str]
    decision: IntArray
    values: FloatArray  # (m, C) the probabilities
    known: bool  # whether these are probabilities, and not decisions
    about: Callable[[int, int], dict[str, Any]]  # what is said of the source of a row, and of a column
    side: Side

    def by_source(self) -> list[IntArray]:
        """The rows of each source."""
        order = np.argsort(self.source, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.source[order])) + 1) if len(order) else []


def _best_pair(texts: _Candidates, rows: IntArray) -> tuple[int, int, int, float, bool] | None:
    """The rows of the worst pair of a source, its column, change and whether it flips; None with one group.

    A pair's change is largest between the extremes of two cells, the rows of a group and decision. Of equal changes the
    last column counts, and in it the first pair.
    """
    cells, cell = np.unique(np.stack([texts.group[rows], texts.decision[rows]]), axis=1, return_inverse=True)
    group, decision = cells
    if (group == group[0]).all():
        return None
    values, columns = texts.values[rows], np.arange(texts.values.shape[1])
    members = [np.flatnonzero(cell.reshape(-1) == at) for at in range(len(group))]
    low = np.array([of_cell[values[of_cell].argmin(axis=0)] for of_cell in members])
    high = np.array([of_cell[values[of_cell].argmax(axis=0)] for of_cell in members])
    change = values[high, columns][:, None, :] - values[low, columns][None, :, :]
    differ = group[:, None] != group[None, :]
    flips = differ & (decision[:, None] != decision[None, :])
    ranked = np.where((flips if flips.any() else differ)[..., None], np.round(change, 12), -np.inf)
    largest = ranked.max(axis=(0, 1))
    column = int(np.flatnonzero(largest == largest.max())[-1])
    first, second = np.unravel_index(ranked[:, :, column].argmax(), differ.shape)
    pair = [int(rows[high[first, column]]), int(rows[low[second, column]])]
    left, right = pair if group[first] < group[second] else pair[::-1]
    return left, right, column, float(change[first, second, column]), bool(flips[first, second])


def _diverse(ranked: pd.DataFrame, terms: list[str], n: int) -> pd.DataFrame:
    """The first n pairs, at most two of the same two terms as long as there are others, in the same order."""
    names = [tuple(sorted((terms[left], terms[right]))) for left, right in ranked[["left", "right"]].to_numpy(int)]
    earlier = pd.DataFrame(names, columns=[0, 1]).groupby([0, 1]).cumcount().to_numpy()
    kept = np.argsort(earlier >= _SAME_TERMS, kind="stable")[:n]
    return ranked.iloc[np.sort(kept)]


def _candidates(results: Results, attribute: str) -> _Candidates:
    """The rows of a classifier's symmetric sources that mention a group."""
    examples = results.examples[results.examples["attribute"] == attribute].dropna(axis="columns", how="all")
    if missing := {"source", "predicted"} - set(examples.columns):
        examples = examples.iloc[:0].assign(**dict.fromkeys(missing, ""))
    symmetric = _column(examples, "symmetric") != "no"
    frame = examples[(examples["group"].astype("str") != UNMARKED) & symmetric].reset_index(drop=True)
    decisions = frame["predicted"].astype("str")
    classes = [*classes_of(frame)]
    names = classes or sorted(set(decisions))
    values = [frame[f"p:{c}"].to_numpy(np.float64) if classes else (decisions == c).to_numpy(float) for c in names]

    def about(row: int, column: int) -> dict[str, Any]:
        told = frame.iloc[row]
        return {"source": str(told["source"]), "label": str(told.get("label", "")), "class": names[column]}

    def side(name: str, row: int, other: int) -> dict[str, Any]:
        told = frame.iloc[row]
        return side_columns(name, told, frame.iloc[other], {f"p:{c}": float(told[f"p:{c}"]) for c in classes})

    return _Candidates(
        source=pd.factorize(frame["source"].astype("str"))[0],
        group=pd.factorize(frame["group"].astype("str"))[0],
        term=_column(frame, "term").tolist() if "term" in frame else [str(row) for row in range(len(frame))],
        decision=pd.factorize(decisions)[0],
        values=np.array(values).T.reshape(len(frame), len(names)),
        known=bool(classes),
        about=about,
        side=side,
    )


def _tagged_candidates(results: Results, attribute: str) -> _Candidates:
    """The rows of a tagger's symmetric sources whose term is an entity; those of one source and type are compared."""
    tagged: Tagged = read_tagged_run(results, attribute)
    outcomes, slots = tagged.outcomes, at_terms(tagged.outcomes)
    kept = (outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)) & (slots.type >= 0)
    kept[kept] = outcomes.symmetric[outcomes.source[kept]]
    rows, known = np.flatnonzero(kept), outcomes.units is not None

    def about(row: int, _column: int) -> dict[str, Any]:
        source = tagged.examples.sources[int(outcomes.source[rows[row]])].id
        return {"source": source, "class": outcomes.classes[int(slots.type[rows[row]])]}

    def side(name: str, row: int, _other: int) -> dict[str, Any]:
        return {f"{name}_{key}": value for key, value in tagged.side(int(rows[row]), slots).items()}

    return _Candidates(
        source=pd.factorize(outcomes.source[rows] * (len(outcomes.classes) + 1) + slots.type[rows])[0],
        group=outcomes.group[rows],
        term=[tagged.term(int(row)) for row in rows],
        decision=slots.exact[rows].astype(np.int64),
        values=(slots.probability[rows] if known else slots.exact[rows].astype(np.float64))[:, None],
        known=known,
        about=about,
        side=side,
    )


def side_columns(
    side: str, row: pd.Series[Any], other: pd.Series[Any], probabilities: Mapping[str, float]
) -> dict[str, Any]:
    """What is shown of a text beside another one of its source."""
    text, term = str(row.get("text", "")), str(row.get("term", ""))
    start, end = find_term(text, term, str(other.get("text", "")))
    told = {"group": str(row["group"]), "term": term, "text": text, "predicted": str(row["predicted"])}
    return {f"{side}_{name}": value for name, value in {**told, **probabilities, "start": start, "end": end}.items()}


def find_term(text: str, term: str, other: str) -> tuple[int, int]:
    """Where the term is in a text: as a word whatever its capitals, else where the other text differs.

    Returns:
        [start, end) in characters; (-1, -1) where it is unknown.
    """
    if term and (match := re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, flags=re.IGNORECASE)):
        return match.span()
    mine, theirs = list(_WORD.finditer(text)), _WORD.findall(other)
    words = [word.group() for word in mine]
    before = _shared(words, theirs)
    after = _shared(words[before:][::-1], theirs[before:][::-1])
    middle = mine[before : len(mine) - after]
    if len(middle) > 1 and middle[0].group().lower() in ("a", "an"):
        middle = middle[1:]
    if not middle:
        return -1, -1
    last = middle[-1].group()
    return middle[0].start(), middle[-1].start() + max(1, len(last.rstrip(".,;:!?")))


def _shared(mine: list[str], theirs: list[str]) -> int:
    """The number of leading words that two lists share."""
    same = [a == b for a, b in zip(mine, theirs, strict=False)]
    return [*same, False].index(False)
