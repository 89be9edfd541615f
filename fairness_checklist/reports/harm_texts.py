"""The texts of a run that a harm concerns: which of them meet it, and how strongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.replicates import OUTCOME_HARMS
from fairness_checklist.core.tasks import Harm, known_harm
from fairness_checklist.reports.run_view import attribute_view, is_tagging
from fairness_checklist.reports.tagged_run import at_terms, read_tagged_run
from fairness_checklist.reports.worst_pairs import side_columns
from fairness_checklist.tables.run_folder import Results


@dataclass(frozen=True, eq=False)
class HarmTexts:
    """The texts of an attribute that a harm concerns, the unmarked ones included.

    Attributes:
        frame: one row a text: source and term ("" where there is none), group, label, class (of the harm), harmed,
            right (the decision is the gold one, or there is no label) and p (of the harmful answer; NaN where only
            decisions are known).
        side: what is shown of a text beside another one, by their rows; columns that start with a given name.
    """

    frame: pd.DataFrame
    side: Callable[[str, int, int], dict[str, Any]]

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
        frame = self.frame.assign(own=self.frame["group"] == UNMARKED)
        frame["p"] = frame["p"] if frame["p"].notna().all() else frame["harmed"].astype("float64")
        means = frame.groupby(["source", "own"])[["harmed", "p"]].mean().unstack().dropna()
        if not frame["own"].any() or not len(means):
            return {}
        rate, others = (float(means["harmed", own].mean()) for own in (True, False))
        gap = float((means["p", True] - means["p", False]).mean())
        return {"rate": rate, "others_rate": others, "gap": gap, "n": int(frame["own"].sum())}


def harm_texts(results: Results, attribute: str, harm: str) -> HarmTexts | None:
    """The texts that a harm concerns; None where it is the user's own and names no class, or no decision is known."""
    if is_tagging(results):
        return _of_tagger(results, attribute)
    found = OUTCOME_HARMS.get(harm) or known_harm(harm)
    examples = results.examples[results.examples["attribute"] == attribute].reset_index(drop=True)
    if found is None or "predicted" not in examples.columns:
        return None
    label = _column(examples, "label")
    predicted = _column(examples, "predicted")
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
    examples = examples[concerned]

    def side(name: str, own: int, other: int) -> dict[str, Any]:
        of_class = float(p.loc[frame.index[own]])
        shown = side_columns(name, examples.iloc[own], examples.iloc[other], {"p": of_class})
        if found.kind == "outcome" and bool(frame["harmed"].iloc[own]):
            shown[f"{name}_predicted"] = found.label
        return shown

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

    def side(name: str, own: int, _other: int) -> dict[str, Any]:
        shown = tagged.side(int(rows[own]), slots)
        return {f"{name}_{key}": value for key, value in {**shown, "predicted": shown["found"]}.items()}

    return HarmTexts(frame, side)
