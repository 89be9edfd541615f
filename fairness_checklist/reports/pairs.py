"""The texts of a run that a harm concerns, and pairs of them that show a finding."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.replicates import OUTCOME_HARMS
from fairness_checklist.core.sentences import read_sentences
from fairness_checklist.core.tasks import TASKS, known_harm
from fairness_checklist.findings.errors import HarmRows, LeftOut, harm_rows
from fairness_checklist.findings.records import OTHERS
from fairness_checklist.reports.run_view import View, attribute_view, predictions_of, text_column
from fairness_checklist.tables.run_folder import TERM_SEPARATOR, Results

_LOOKED_AT = 3
_EACH = ("group", "term", "text", "predicted", "p")
COLUMNS = (
    *("source", "label", "class", "both_wrong"),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in _EACH),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in ("start", "end")),
)
_WORD = re.compile(r"\S+")
Side = Callable[[int, int], dict[str, Any]]  # what is shown of a text beside another one, by their rows


@dataclass(frozen=True, eq=False)
class HarmTexts:
    """The texts of an attribute that a harm concerns, the unmarked ones included."""

    # one row a text: source and term ("" where there is none), group, label, class (of the harm), harmed, right (the
    # decision is the gold one, or there is no label) and p (of the harmful answer, or NaN)
    frame: pd.DataFrame
    side: Side

    @property
    def marked(self) -> pd.DataFrame:
        """Without the unmarked texts."""
        return self.frame[self.frame["group"] != UNMARKED]

    def unmarked(self) -> dict[str, float]:
        """The four numbers of a record, of unmarked texts and all others of their sentences; {} without such texts."""
        control = self.frame[self.frame["group"] == UNMARKED]
        others = self.marked[self.marked["source"].isin(control["source"])]
        if not len(control) or not len(others):
            return {}
        sides = (("", control), ("others_", others))
        columns = (("probability", "p"), ("rate", "harmed"))
        return {f"{side}{name}": float(rows[column].mean()) for name, column in columns for side, rows in sides}


def harm_texts(results: Results, of: str | View, harm: str) -> HarmTexts | None:
    """The texts that a harm concerns; None where it is the user's own and names no class, or no decision is known."""
    return texts_of_harms(results, of, [harm])[harm]


def texts_of_harms(results: Results, of: str | View, harms: Iterable[str]) -> dict[str, HarmTexts | None]:
    """The texts of an attribute, or of its view, that each of several harms concerns, see `harm_texts`."""
    view = attribute_view(results, of) if isinstance(of, str) else of
    texts: dict[str, HarmTexts | None] = dict.fromkeys(harms)
    if "predicted" not in view.examples:
        return texts
    examples, predictions = predictions_of(results, view)
    outcomes, hidden = reduce_to_outcomes(examples, predictions), results.info.get("texts") == "hashes"
    for name in texts:
        found = OUTCOME_HARMS.get(name) or known_harm(name) or (TASKS["ner"].harms[0] if view.tagging else None)
        rows = LeftOut.NO_CLASS if found is None else harm_rows(outcomes, found, unmarked=True)
        if not isinstance(rows, LeftOut):
            texts[name] = _texts_of_rows(rows, outcomes, examples, predictions, hidden=hidden)
    return texts


def _texts_of_rows(
    rows: HarmRows,
    outcomes: Outcomes,
    examples: ExampleSet,
    predictions: Predictions | TokenPredictions,
    *,
    hidden: bool,
) -> HarmTexts:
    found = rows.harm
    label = _names(examples.classes, examples.label[rows.row])
    harmed = rows.harmed > 0
    tagged: TaggedTexts | None = None
    classes: NDArray[np.object_] | str = found.label
    if isinstance(predictions, TokenPredictions):
        tagged, right = TaggedTexts(examples, predictions, hidden=hidden), ~harmed
        classes, of_class = class_of_terms(outcomes.view("slot"), rows.row)
    else:
        decided = _names(predictions.classes, predictions.predicted)
        right, of_class = (decided[rows.row] == label) | (label == ""), _probability(rows, predictions)
    frame = pd.DataFrame(
        {
            "source": _names([source.id for source in examples.sources], examples.source[rows.row]),
            "group": _names(examples.groups, examples.group[rows.row], UNMARKED),
            "term": _names(examples.terms, examples.term[rows.row]),
            "label": label,
            "class": classes,
            "harmed": harmed,
            "right": right,
            "p": 1 - of_class if found.kind == "missed" else of_class,
        }
    )
    texts = examples.render()

    def side(number: int, other: int) -> dict[str, Any]:
        row, term = int(rows.row[number]), str(frame["term"][number])
        if tagged is not None:
            answer, (start, end) = tagged.entities(row), tagged.place_of_term(row)
        else:
            answer, (start, end) = decided[row], find_term(texts[row], term, texts[rows.row[other]])
        no_class = found.kind == "outcome" and harmed[number]
        return {
            "group": frame["group"][number],
            "term": term,
            "text": texts[row],
            "predicted": found.label if no_class else answer,
            "p": float(of_class[number]),
            "start": start,
            "end": end,
        }

    return HarmTexts(frame, side)


def _names(names: Sequence[str], position: IntArray, lacking: str = "") -> NDArray[np.object_]:
    """The names at these positions; of -1 ``lacking``."""
    return np.array([*names, lacking], dtype=object)[position]


def _probability(rows: HarmRows, predictions: Predictions) -> FloatArray:
    """(m,) the probability of the class of a harm, or the share of answers that are none; NaN where unknown."""
    if rows.harm.kind == "outcome":
        return rows.harmed
    if predictions.probabilities is None:
        return np.full(len(rows.row), np.nan)
    return np.asarray(predictions.probabilities[rows.row, predictions.classes.index(rows.harm.label)])


def has_texts(results: Results) -> bool:
    """Whether a run has its texts, and not only their hashes."""
    if results.info.get("texts") == "hashes":
        return False
    examples = results.examples
    return "tokens" in examples or bool(text_column(examples, "text").ne("").any())


def finding_pairs(results: Results, record: Mapping[Any, Any], n: int = 5, view: View | None = None) -> pd.DataFrame:
    """At most n pairs that show a finding, one a source: the group's text meets the harm, and another group's does not.

    The columns are `COLUMNS`: both_wrong says that the other group's answer is no harm, but wrong; p is of the class,
    or the share of answers that are none; start is -1 where the term is not found.
    """
    of = view or str(record["attribute"])
    return pairs_of(harm_texts(results, of, str(record["error"])) if has_texts(results) else None, record, n)


def pairs_of(texts: HarmTexts | None, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """The pairs of `finding_pairs` from texts that were read already.

    Sources with a right answer for another group come first, and of these those in which most of the group's texts meet
    the harm and fewest of the others; of each the most probable harm beside the least probable one.
    """
    if texts is None:
        return pd.DataFrame(columns=list(COLUMNS))
    every = texts.frame if str(record["reference"]) == UNMARKED else texts.marked
    frame = every[every["source"] != ""]
    is_word = "word" in record
    names = str(record["word"]).split(TERM_SEPARATOR) if is_word else [str(record["group"])]
    inside = frame["term" if is_word else "group"].isin(names)
    of_record = frame[inside]
    harmed = of_record[of_record["harmed"]]
    outside = ~inside if str(record["reference"]) == OTHERS else frame["group"] == str(record["reference"])
    others = frame[outside & frame["source"].isin(harmed["source"])]
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
        row = _least_shown(first, -first["p"].fillna(0.0), times_shown)
        other = _least_shown(second, second["p"].fillna(0.0), times_shown)
        sides = {"harmed": texts.side(row, other), "spared": texts.side(other, row)}
        pairs.append(
            {"source": source, "label": frame["label"][row], "class": frame["class"][row]}
            | {"both_wrong": not frame["right"][other]}
            | {f"{side}_{name}": value for side, shown in sides.items() for name, value in shown.items()}
        )
    return pd.DataFrame(pairs, columns=list(COLUMNS))


def _least_shown(rows: pd.DataFrame, order: pd.Series[float], times_shown: Counter[str]) -> int:
    """The row whose term was shown least so far, then the first in an order of numbers."""
    times = np.array([times_shown[term] for term in rows["term"]])
    row = int(rows.index.to_numpy()[np.lexsort((order.to_numpy(), times))[0]])
    times_shown[str(rows["term"][row])] += 1
    return row


def find_term(text: str, term: str, other: str) -> tuple[int, int]:
    """[start, end) of the term in a text, as a word whatever its capitals, else where the other text differs.

    (-1, -1) where it is unknown.
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
    return middle[0].start(), middle[-1].start() + max(1, len(middle[-1].group().rstrip(".,;:!?")))


def _shared(mine: list[str], theirs: list[str]) -> int:
    """The number of leading words that two lists share."""
    return [*(a == b for a, b in zip(mine, theirs, strict=False)), False].index(False)


class TaggedTexts:
    """n sentences of a tagger's run; ``hidden`` where only hashes of the texts were kept."""

    def __init__(self, examples: ExampleSet, predictions: TokenPredictions, *, hidden: bool) -> None:
        self.predictions, self.hidden = predictions, hidden
        self.sentences, self.texts = read_sentences(examples.texts), examples.render()

    def borders(self, row: int) -> list[tuple[int, int]]:
        """The characters that each word of a sentence covers in its text; (-1, -1) for one that is not there."""
        text, at = self.texts[row], 0
        spans = []
        offset = self.sentences.offset
        for word in self.sentences.words[offset[row] : offset[row + 1]]:
            start = -1 if self.hidden else text.find(word, at)
            at = at if start < 0 else start + len(word)
            spans.append((start, at) if start >= 0 else (-1, -1))
        return spans

    def entities(self, row: int) -> str:
        """The entities that were found, with their types; "none" without any.

        For texts that were not kept only the types are reported.
        """
        spans, types = self.predictions.spans, self.predictions.types
        borders, text = self.borders(row), self.texts[row]
        parts = []
        for at in sorted(np.flatnonzero(spans.row == row), key=lambda span: spans.start[span]):
            start, end = borders[int(spans.start[at])][0], borders[int(spans.end[at]) - 1][1]
            kind = types[int(spans.type[at])]
            parts.append(f"{text[start:end]} ({kind})" if 0 <= start < end else kind)
        return ", ".join(parts) or "none"

    def place_of_term(self, row: int) -> tuple[int, int]:
        """[start, end) of the term in the text, where it comes first; (-1, -1) where it is unknown."""
        offset = self.sentences.offset
        inside = np.flatnonzero(self.sentences.slot[offset[row] : offset[row + 1]] == 0)
        if not len(inside):
            return -1, -1
        borders = self.borders(row)
        start, end = borders[int(inside[0])][0], borders[int(inside[-1])][1]
        return (start, end) if 0 <= start < end else (-1, -1)


def class_of_terms(slot: Outcomes, row: IntArray) -> tuple[NDArray[np.object_], FloatArray]:
    """(m,) the type that the terms of some sentences have, and its mean probability; NaN where it is not known."""
    kind, n = slot.gold.argmax(axis=1), len(slot)
    probability = np.full(n, np.nan)
    if slot.units is not None:
        of_unit = slot.units.probability[np.arange(len(slot.units.row)), kind[slot.units.row]]
        count = np.bincount(slot.units.row, minlength=n)
        probability = divide(np.bincount(slot.units.row, weights=of_unit, minlength=n), count)
    return np.array(slot.classes, dtype=object)[kind[row]], probability[row]
