"""S, the gaps of a suite: for each term of all attributes how much more often its sentences meet a harm."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tasks import Harm, get_task, known_harm
from fairness_checklist.reports.pairs import harm_texts
from fairness_checklist.reports.run_view import is_tagging
from fairness_checklist.tables.run_folder import Results

_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class SuiteGaps:
    """The terms of a run (T) and their gaps."""

    terms: pd.DataFrame  # a row a term: attribute, group, term
    # (T,) the mean probability of the harm (without probabilities: decisions), sentence effects taken out, less that
    # over all terms; NaN for a term without such a sentence
    gap: FloatArray
    halves: tuple[FloatArray, FloatArray]  # the same from either half of the sentences


def harm_of_run(results: Results, harm: str = "") -> Harm:
    """The harm that is compared: the one named, else the first of the task."""
    if is_tagging(results):
        raise OptionError("the run is of a tagger, and texts are classified.", remedy="Name a run of a classifier.")
    name = harm or get_task(str(results.info["task"])).harms[0].name
    found = known_harm(name)
    if found is None or not found.label:
        raise OptionError(f"the error {name!r} names no class.", remedy="Name one: called:CLASS or missed:CLASS.")
    return found


def suite_gaps(results: Results, harm: Harm) -> SuiteGaps:
    """The gaps of a run's terms. One sentence of several attributes has one effect: it links their terms."""
    frames = []
    for attribute in results.attributes:
        texts = harm_texts(results, attribute, harm.name)
        if texts is not None:
            frames.append(texts.marked.assign(attribute=attribute))
    if not frames:
        raise OptionError(f"the run has no sentence that the error {harm.name} concerns.", remedy="Name another error.")
    rows = pd.concat(frames, ignore_index=True)
    score = rows["p"].where(rows["p"].notna(), rows["harmed"].astype("float64")).to_numpy(np.float64)
    term, terms = _codes(rows[["attribute", "group", "term"]])
    source, sources = _codes(rows[["source"]])
    half = np.random.default_rng(9).permutation(len(sources)) % 2
    first, second = (
        _effects(score[keep], term[keep], source[keep], len(terms)) for keep in (half[source] == 0, half[source] == 1)
    )
    return SuiteGaps(terms, _effects(score, term, source, len(terms)), (first, second))


def _codes(frame: pd.DataFrame) -> tuple[np.ndarray, pd.DataFrame]:
    numbers = frame.groupby(list(frame.columns), sort=False).ngroup().to_numpy()
    return numbers, frame.drop_duplicates().reset_index(drop=True)


def _effects(score: FloatArray, term: np.ndarray, source: np.ndarray, size: int) -> FloatArray:
    """Least squares with an effect a term and an effect a source, by taking turns; centred over terms."""
    rows = np.bincount(term, minlength=size)
    sources = np.bincount(source)
    effect = np.zeros(size)
    for _ in range(_ROUNDS):
        level = np.bincount(source, score - effect[term], minlength=len(sources)) / np.maximum(sources, 1)
        effect = np.bincount(term, score - level[source], minlength=size) / np.maximum(rows, 1)
    found = np.where(rows > 0, effect, np.nan)
    return np.asarray(found - np.nanmean(found), dtype=np.float64)
