"""The phrases, scores and corpus of a reproduction of Dixon et al. 2018, and the toy of its Table 3."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from paper import ReproduceOptions, find_file, first_column, short_names
from scipy.optimize import brentq
from scipy.stats import norm
from text_cnn import train_text_cnn

from fairness_checklist.cli.arguments import read_labels
from fairness_checklist.cli.python_models import load_named
from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import ModelError, TableError, first_ten
from fairness_checklist.extensions.corpora import inputs
from fairness_checklist.extensions.corpora.audit import Audit, audit
from fairness_checklist.extensions.corpora.mitigation_loop import ARMS, LabelledTexts, identity_phrases, mitigation_loop
from fairness_checklist.extensions.corpora.term_bias_and_pinned_auc import TermBias, term_bias
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.extensions.natural.scored_texts import score_table
from fairness_checklist.tables.files import read_table

__all__ = ["MODELS", "PAPER", "DixonData", "corpus_terms", "read_data", "shipped_phrases", "shown", "toy", "toy_shift"]

PAPER = "dixon2018"
MODELS = ("baseline", "control", "mitigated")
"""The three models of the paper: trained on the corpus, with random articles, with articles that balance the terms."""
GRID = 101  # thresholds that the released code tries for the equal error rate
LOOP_SEEDS = 2
_TEXT, _LABEL = ("text", "phrase", "Text", "comment"), ("label", "toxicity", "Label", "is_toxic")
_TOXIC = frozenset({"toxic", "bad", "1", "1.0", "true"})
_SCORE = re.compile(r"score(?::(?P<model>[^:]+)(?::(?P<run>[^:]+))?)?")
_TABLE = pd.read_csv(Path(__file__).with_name("dixon2018_terms.csv"))


@dataclass(frozen=True, kw_only=True, eq=False)
class DixonData:
    """What was measured.

    Attributes:
        runs: of each model its runs on the phrases.
        phrases: in words, where phrases and scores come from.
        audit: of the training corpus; None without one.
        general: whether the threshold and an AUC are of a general test set.
    """

    runs: dict[str, list[TermBias]] = field(default_factory=dict)
    phrases: str = ""
    audit: Audit | None = None
    general: bool = False


def terms() -> list[str]:
    """The 51 identity terms of the paper's phrases."""
    return [str(term) for term in _TABLE["term"]]


def shown(term: str) -> str:
    """A term as it is shown: those that style guides advise against are counted and not named.

    >>> shown("gay"), shown("elderly")
    ('gay', 'dispreferred term 2')
    """
    avoided = _TABLE.loc[_TABLE["status"] == "dispreferred", "term"].tolist()
    return f"dispreferred term {avoided.index(term) + 1}" if term in avoided else term


def toy_shift(within: float, combined: float) -> tuple[float, float]:
    """The toy of Table 3: normal scores of three groups, of which one is shifted up for both classes.

    Args:
        within: AUC inside each group.
        combined: AUC of all three groups together.

    Returns:
        The distance of the two classes and the shift, in standard deviations, which give these areas.

    >>> [round(figure, 2) for figure in toy_shift(0.93, 0.79)]
    [2.09, 3.13]
    """
    apart = float(norm.ppf(within) * np.sqrt(2))

    def area(shift: float) -> float:
        pairs = norm.cdf((apart + np.array([0.0, shift, -shift])) / np.sqrt(2))
        return float(pairs @ [5, 2, 2]) / 9

    return apart, float(brentq(lambda shift: area(shift) - combined, 0, 20))


def toy(apart: float, shift: float, n: int = 400) -> TermBias:
    """The figures of the toy, of n evenly spaced quantiles of each class in each group.

    >>> [round(area, 2) for area in toy(*toy_shift(0.93, 0.79)).table["pinned_auc"]]
    [0.84, 0.84, 0.79]
    """
    quantiles = norm.ppf((np.arange(n) + 0.5) / n)
    moved = [side * apart + up * shift for up in (0, 0, 1) for side in (0, 1)]
    scores = np.concatenate([quantiles + by for by in moved])
    labels = np.tile(np.repeat([False, True], n), 3)
    held = np.repeat(np.eye(3, dtype=bool), 2 * n, axis=0)
    return term_bias(scores, labels, held, ["tall", "average", "short"], threshold=apart / 2, background="whole")


def read_data(options: ReproduceOptions) -> DixonData:
    """The phrases, scores and corpus that there are: files of the user's, else shipped phrases and models."""
    data = options.data
    folder = data if data is not None and data.is_dir() else None
    corpus = None if folder is None else find_file(folder, ("train.csv", "wiki_train.csv"), "a corpus", needed=False)
    names = ("scored_phrases.csv", "*phrases*.csv", "bias_madlibs*.csv")
    file = None if data is None else find_file(data, names, "scored phrases", needed=corpus is None)
    audited = None
    if corpus is not None and folder is not None:
        train = _labelled(corpus)
        audited = audit(train.texts, train.labels, corpus_terms(), positive="toxic")
        if (folder / "pool.csv").is_file() and (folder / "test.csv").is_file():
            return _loop(folder, train, audited, options.seed)
    if file is None and audited is not None and not options.models:
        return DixonData(audit=audited)
    runs, what, general = _scored(file, folder, options)
    return DixonData(runs=runs, phrases=what, audit=audited, general=general)


def corpus_terms() -> list[str]:
    """The terms that the paper counts in its corpus: those of the phrases, and more of Table 1 and Figure 1."""
    more = ("atheist", "feminist", "islam", "wikipedia", "race", "news", "daughter")
    return [*terms(), *more]


def shipped_phrases() -> pd.DataFrame:
    """The shipped labelled phrases that mention a term of the paper: text, label, term, template."""
    from fairness_checklist.api.suite import Suite

    suite = Suite.build(list(inputs.ATTRIBUTES), task="toxicity", max_sources=100_000)
    phrases = identity_phrases(suite)
    return phrases[phrases["term"].isin(terms())].reset_index(drop=True)


def _scored(
    file: Path | None, folder: Path | None, options: ReproduceOptions
) -> tuple[dict[str, list[TermBias]], str, bool]:
    """The runs on the phrases; where they are from; whether a general set gives the threshold."""
    frame = shipped_phrases() if file is None else read_table(file)
    place = "shipped phrases" if file is None else file.name
    text, label = (first_column(frame, names, place) for names in (_TEXT, _LABEL))
    texts = frame[text].fillna("").astype(str).tolist()
    frame = frame.assign(**{text: texts})
    toxic = _toxic(frame[label], place)
    names = terms() if file is not None else [term for term in terms() if term in set(frame["term"])]
    held = mentioned_terms(texts, names)
    known = np.flatnonzero(held.any(axis=0))
    held, names = held[:, known], [names[at] for at in known.tolist()]
    if not names:
        raise TableError("no text mentions one of the 51 terms of the paper.", place=place, remedy="Give its phrases.")
    columns = _score_columns(frame)
    general = None
    if (path := folder / "scored_general.csv" if folder else None) is not None and path.is_file():
        general = read_table(path)
    scores: dict[str, list[tuple[FloatArray, str]]] = {}
    for column, model in columns.items():
        scores.setdefault(model, []).append((np.array(_number_column(frame, column)), column))
    labels = [f"{name}={kind}" for name, kind in (options.labels or {}).items()]
    for model, name in short_names(options.models or (() if columns else ("bundled",))).items():
        found = _scores_of_model(model, labels or None, frame[[text]])
        scores[f"{name} model" if model == "bundled" else name] = [(np.array(found), "")]
    runs = {
        model: [
            term_bias(score, toxic, held, names, grid=GRID, general=_general(general, column)) for score, column in each
        ]
        for model, each in scores.items()
    }
    return (
        runs,
        f"{len(texts):,} {'shipped phrases' if file is None else f'phrases of {place}'}, {len(names)} terms",
        general is not None and bool(columns),
    )


def _score_columns(frame: pd.DataFrame) -> dict[str, str]:
    """The columns of scores and their models: score, score:MODEL or score:MODEL:RUN."""
    found = {str(name): _SCORE.fullmatch(str(name)) for name in frame.columns}
    return {name: match["model"] or "released scores" for name, match in found.items() if match}


def _general(frame: pd.DataFrame | None, column: str) -> tuple[list[float], BoolArray] | None:
    """Scores and labels of the general set for one column of scores."""
    if frame is None or not column:
        return None
    place = "scored_general.csv"
    label = first_column(frame, _LABEL, place)
    return _number_column(frame, column), _toxic(frame[label], place)


def _toxic(labels: pd.Series, place: str) -> BoolArray:
    toxic = labels.astype(str).str.strip().str.lower().isin(_TOXIC).to_numpy()
    if toxic.all() or not toxic.any():
        raise TableError(
            f"{'all' if toxic.all() else 'none'} of the {len(labels):,} labels are toxic; expected both classes.",
            place=place,
            remedy=f"Write toxic and nontoxic, or 1 and 0. Labels: {first_ten(dict.fromkeys(labels.astype(str)))}.",
        )
    return np.asarray(toxic, dtype=np.bool_)


def _labelled(path: Path) -> LabelledTexts:
    frame = read_table(path)
    text, label = (first_column(frame, names, path.name) for names in (_TEXT, _LABEL))
    labels = np.where(_toxic(frame[label], path.name), "toxic", "nontoxic").tolist()
    return LabelledTexts(frame[text].fillna("").astype(str).tolist(), labels)


def _loop(data: Path, train: LabelledTexts, audited: Audit, seed: int) -> DixonData:
    """The three models trained on the user's corpus, and measured on the shipped phrases."""
    phrases = shipped_phrases()
    pool = inputs.read_texts(data / "pool.csv", "text")
    seeds = range(seed + 1, seed + 1 + LOOP_SEEDS)
    test = _labelled(data / "test.csv")
    loop = mitigation_loop(train, test, pool, phrases, seeds=seeds, fit=train_text_cnn)
    runs = {model: loop.runs[arm] for model, arm in zip(MODELS, ARMS, strict=True)}
    what = f"{len(phrases):,} shipped phrases; three models of a small network, {LOOP_SEEDS} runs each"
    return DixonData(runs=runs, phrases=what, audit=audited, general=True)


def _scores_of_model(model: str, labels: list[str] | None, texts: pd.DataFrame) -> list[float]:
    """The probability of being toxic that a model gives the texts of a table with one column."""
    loaded = load_named(model, "toxicity", labels=read_labels(labels))
    scored = score_table(texts, loaded, text_column=str(texts.columns[0]))
    if scored.attrs["failed"]:
        first = scored.attrs["failed"][0]
        raise ModelError(f"the model failed on row {first['source']}: {first['error']}", remedy="Leave it out.")
    return _number_column(scored, "p:toxic")


def _number_column(frame: pd.DataFrame, column: str) -> list[float]:
    """A column of numbers."""
    if column not in frame.columns:
        raise TableError(f"there is no column {column}.", remedy=f"Columns: {', '.join(map(str, frame.columns))}.")
    try:
        return list(map(float, frame[column]))
    except (TypeError, ValueError) as error:
        raise TableError(f"the column {column} holds something else than numbers.") from error
