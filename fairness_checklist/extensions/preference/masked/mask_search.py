"""Beam search for the words of several masks, by the log-probabilities of a masked language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import OptionError, PredictionError
from fairness_checklist.models.engines.local import Engine, check_vocabulary, position_logits

# The scores and the sequences that are held at once, at most: bounds on memory.
MAX_SCORES, MAX_SEQUENCES = 2**22, 4096


@dataclass(frozen=True, eq=False)
class Partial:
    """Texts whose first masks are filled."""

    words: tuple[str, ...]  # the words for the first masks
    # the tokens of each of the T texts, special ones included, with these words filled in
    sequences: tuple[list[int], ...]
    score: float  # the mean over texts of the summed log-probabilities of the words


@dataclass(frozen=True, eq=False)
class ForwardPass:
    """One forward pass: the pieces that come first, the masks behind them, and what is read at the first of these."""

    first: tuple[int, ...]  # pieces that several words begin with; none at the beginning
    n_masks: int  # how many masks follow them
    columns: IntArray  # (c,) the words that share these first pieces and their number, as positions among all words
    pieces: IntArray  # (c,) the next piece of each of these words


@dataclass(frozen=True, eq=False)
class MaskOptions:
    """What one mask may become."""

    mask: int  # the mask token
    words: tuple[str, ...]  # the W words, sorted
    pieces: tuple[Sequence[tuple[int, ...]], ...]  # for each of the W words, its pieces in each of the T texts
    steps: tuple[list[ForwardPass], ...]  # for each of the T texts, the forward passes that score the words in it

    def fill(self, sequences: tuple[list[int], ...], column: int) -> tuple[list[int], ...]:
        """The tokens of the texts with one of the words at their first mask."""
        starts = [ids.index(self.mask) for ids in sequences]
        return tuple(
            [*ids[:at], *pieces, *ids[at + 1 :]]
            for ids, at, pieces in zip(sequences, starts, self.pieces[column], strict=True)
        )


def read_options(pieces: Mapping[str, Sequence[tuple[int, ...]]], engine: Engine) -> MaskOptions:
    """Plan the forward passes that score some words."""
    texts = list(zip(*pieces.values(), strict=True))
    for words in texts:
        check_vocabulary(engine, words)
    planned = {words: plan_steps(words) for words in set(texts)}
    mask = int(engine.tokenizer.mask_token_id)
    return MaskOptions(mask, tuple(pieces), tuple(pieces.values()), tuple(planned[words] for words in texts))


def plan_steps(words: Sequence[tuple[int, ...]]) -> list[ForwardPass]:
    """The forward passes that score words by their pieces: one for each beginning that words of a length share.

    >>> for step in plan_steps([(5,), (6, 7), (6, 8)]):
    ...     print(step.first, step.n_masks, step.columns, step.pieces)
    () 1 [0] [5]
    () 2 [1 2] [6 6]
    (6,) 1 [1 2] [7 8]
    """
    members: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for column, pieces in enumerate(words):
        for at in range(len(pieces)):
            members.setdefault((len(pieces) - at, pieces[:at]), []).append(column)
    return [
        ForwardPass(first, n_masks, np.array(columns), np.array([words[column][len(first)] for column in columns]))
        for (n_masks, first), columns in members.items()
    ]


def extend(engine: Engine, partial: Sequence[Partial], options: MaskOptions, keep: int) -> list[Partial]:
    """At most ``keep`` of the H times W fill-ins with one more word: highest scores first, then by word."""
    if not options.words:
        return []
    n_steps = sum(map(len, options.steps))
    block = max(1, min(MAX_SCORES // len(options.words), MAX_SEQUENCES // n_steps))
    best: list[tuple[float, tuple[str, ...], Partial, int]] = []
    for start in range(0, len(partial), block):
        some = partial[start : start + block]
        scores = np.array([[fill_in.score] for fill_in in some]) + _mean_log_probabilities(engine, some, options)
        for row, column in _largest(scores, keep):
            words = (*some[row].words, options.words[column])
            best.append((float(scores[row, column]), words, some[row], column))
        best = sorted(best, key=lambda row: (-row[0], row[1]))[:keep]
    return [Partial(words, options.fill(before.sequences, column), score) for score, words, before, column in best]


def log_softmax(logits: FloatArray) -> FloatArray:
    """The logarithms of the probabilities of each row, in float64."""
    moved = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(moved - np.log(np.exp(moved).sum(axis=1, keepdims=True)), dtype=np.float64)


def _mean_log_probabilities(engine: Engine, partial: Sequence[Partial], options: MaskOptions) -> FloatArray:
    """The log-probabilities (H, W) of W words at the first mask of H partly filled texts, averaged over T texts."""
    ids: list[list[int]] = []
    places: list[tuple[int, int, ForwardPass]] = []
    for row, fill_in in enumerate(partial):
        for tokens, steps in zip(fill_in.sequences, options.steps, strict=True):
            at = tokens.index(options.mask)
            for step in steps:
                ids.append([*tokens[:at], *step.first, *[options.mask] * step.n_masks, *tokens[at + 1 :]])
                places.append((row, at + len(step.first), step))
    check_length(engine, max(map(len, ids)), "a text with its fill-ins")
    total = np.zeros((len(partial), len(options.words)))
    for batch, logits in position_logits(engine, ids, np.array([position for _row, position, _step in places])):
        for at, values in zip(batch.tolist(), log_softmax(logits), strict=True):
            row, _position, step = places[at]
            total[row, step.columns] += values[step.pieces]
    check_finite(total)
    return total / len(options.steps)


def check_length(engine: Engine, n_tokens: int, shown: str) -> None:
    """Raise `OptionError` for a text of more tokens than the model reads."""
    if engine.limit is not None and n_tokens > engine.limit:
        raise OptionError(
            f"{shown} has {n_tokens:,} tokens; expected at most {engine.limit:,}, which is what the model reads.",
            remedy="Shorten it.",
        )


def check_finite(values: FloatArray) -> None:
    """Raise `PredictionError` for log-probabilities that are NaN."""
    if np.isnan(values).any():
        raise PredictionError(
            "the masked language model gives log-probabilities that are NaN.", remedy="Check the model's weights."
        )


def _largest(scores: FloatArray, keep: int) -> list[tuple[int, int]]:
    """Rows and columns of the ``keep`` largest scores, and of all that equal the smallest of these."""
    flat = scores.ravel()
    least = np.partition(flat, flat.size - keep)[flat.size - keep] if keep < flat.size else -np.inf
    rows, columns = np.divmod(np.flatnonzero(flat >= least), scores.shape[1])
    return list(zip(rows.tolist(), columns.tolist(), strict=True))
