"""A masked language model, and the words that it suggests for ``{mask}`` in a text, with their log-probabilities."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError, PredictionError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import BATCH_TOKENS, items, names, whole_number
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines.local import check_vocabulary, position_logits, silence_transformers
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, checkpoint_without_labels
from fairness_checklist.models.huggingface.folders import MASKED_LM

MASK = "{mask}"
BEAM = 100
MAX_LOGITS, MAX_SCORES = 2**26, 2**22  # of a forward pass, and of a step of the search: bounds on memory
_SPACES = ("Ġ", "▁")  # pieces of byte-level BPE and SentencePiece that are a space alone

Suggestion = tuple[tuple[str, ...], str, float]
Pieces = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Partial:
    """Texts whose first masks are filled."""

    words: tuple[str, ...]  # the words for the first masks
    sequences: tuple[list[int], ...]  # the tokens of each of the T texts with these words filled in
    score: float  # the mean over texts of the summed log-probabilities of the words


@dataclass(frozen=True, eq=False)
class _ForwardPass:
    """One forward pass: the pieces that come first, the masks behind them, and what is read at the first of these."""

    first: Pieces  # pieces that several words begin with; none at the beginning
    n_masks: int  # how many masks follow them
    columns: list[int]  # the words that share these first pieces and their number, as positions among all words
    pieces: list[int]  # the next piece of each of these words


@dataclass(frozen=True, eq=False)
class MaskedLM:
    """A masked language model of transformers with its tokenizer."""

    checkpoint: Checkpoint[None]  # the model; it has no labels

    @property
    def name(self) -> str:
        """The folder's name or the hub id."""
        return self.checkpoint.name

    @property
    def tokenizer(self) -> Any:
        """That of transformers."""
        return self.checkpoint.engine.tokenizer

    @checks_keywords
    def fill(self, texts: Sequence[str], *, n: int = BEAM, candidates: Sequence[str] | None = None) -> list[Suggestion]:
        """The at most n most probable words for each ``{mask}`` of T texts, the first text with them, and the score.

        A fill-in is a whole word: alphanumeric, and one piece of the vocabulary; with ``candidates``, one of these, of
        as many pieces as it takes. The words for several masks are chosen from left to right, while the later ones are
        still masked. With T texts the same words go into each, and the score, which is at most 0, is

            mean over texts of sum over masks of log p(word | the text, the words before it),

        where p(word) of a word of several pieces is the product over its pieces from left to right, with as many masks
        as it has pieces at first (a pseudo-likelihood). The average over texts is that of CheckList
        (``metric="avg"``), of log-probabilities instead of logits.

        With one mask the result is exact. With several it is a beam search, which keeps n fill-ins, and at least 100,
        after each mask. The best is first, and words of the same score are sorted.

        Raises:
            OptionError: texts without a mask or with different numbers of them; a text over the model's limit; a
                candidate that the vocabulary cannot write; ``n`` below 1.
            PredictionError: weights that give NaN.
        """
        n = whole_number("n", n)
        parts = _split_texts(texts)
        partial = [_Partial((), tuple(self._masked_tokens(pieces) for pieces in parts), 0.0)]
        chosen = None if candidates is None else names("candidates", candidates)
        last = len(parts[0]) - 2
        for slot in range(last + 1):
            spaced = [self.is_spaced(_before(pieces, slot)) for pieces in parts]
            partial = self._extend(partial, self._word_pieces(spaced, chosen), n if slot == last else max(n, BEAM))
        texts_filled = ["".join(map("".join, zip(parts[0], (*best.words, ""), strict=True))) for best in partial]
        return [(best.words, text, best.score) for best, text in zip(partial, texts_filled, strict=True)]

    def is_spaced(self, before: str) -> bool:
        """Whether a word behind the text ``before`` is written as after a space."""
        return before[-1].isspace() if before else self._starts_spaced

    @cached_property
    def _starts_spaced(self) -> bool:
        return self._ids(["a"]) == self._ids([" a"])

    @cached_property
    def _vocabulary(self) -> dict[bool, dict[str, Pieces]]:
        """The whole words that are one piece, after a space and without one, sorted.

        A piece without a space before it may continue a word; it is a whole word if the word is one after a space, too.
        """
        readable = (self.tokenizer.convert_tokens_to_string([token]).strip() for token in self.tokenizer.get_vocab())
        words = sorted({word for word in readable if word.isalnum()})
        single: dict[bool, dict[str, Pieces]] = {}
        for spaced in (True, False):
            split = zip(words, self._split(words, spaced=spaced), strict=True)
            single[spaced] = {word: pieces for word, pieces in split if len(pieces) == 1 and self._is_written(pieces)}
            words = list(single[spaced])
        return single

    def split(self, word: str, *, spaced: bool) -> Pieces:
        """The pieces of a word, of several words or of whatever else is written in place of a word."""
        pieces = self._split([word], spaced=spaced)[0]
        if not self._is_written(pieces):
            raise OptionError(
                f"the candidate {word!r} cannot be written with the model's vocabulary.", remedy="Leave it out."
            )
        return pieces

    def _split(self, words: Sequence[str], *, spaced: bool) -> list[Pieces]:
        if spaced:
            return self._ids([f" {word}" for word in words])
        bracket = self._ids(["("])[0]
        behind = self._ids([f"({word}" for word in words])
        alone = self._ids(words)  # where the bracket is written as one piece with the word
        pairs = zip(behind, alone, strict=True)
        return [ids[len(bracket) :] if ids[: len(bracket)] == bracket else other for ids, other in pairs]

    def _is_written(self, pieces: Pieces) -> bool:
        return bool(pieces) and set(pieces).isdisjoint(self.tokenizer.all_special_ids)

    def _ids(self, texts: Sequence[str]) -> list[Pieces]:
        with silence_transformers():
            return [tuple(ids) for ids in self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    def _word_pieces(self, spaced: list[bool], candidates: tuple[str, ...] | None) -> dict[str, list[Pieces]]:
        """The words for one mask, sorted, and the pieces of each in each text."""
        if candidates is not None:
            chosen = sorted(set(candidates))
            return {word: [self.split(word, spaced=after_space) for after_space in spaced] for word in chosen}
        single = [self._vocabulary[after_space] for after_space in spaced]
        words = [word for word in single[0] if all(word in pieces for pieces in single[1:])]
        return {word: [pieces[word] for pieces in single] for word in words}

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, special ones included; `OptionError` where the model does not read so many."""
        with silence_transformers():
            ids: list[int] = self.tokenizer(text, truncation=False)["input_ids"]
        self._check_length(len(ids), f"the text {excerpt(text.replace(self.tokenizer.mask_token, MASK))!r}")
        return ids

    def _check_length(self, n_tokens: int, what: str) -> None:
        limit = self.checkpoint.engine.limit
        if limit is not None and n_tokens > limit:
            raise OptionError(
                f"{what} has {n_tokens:,} tokens; expected at most {limit:,}, which is what the model reads.",
                remedy="Shorten it.",
            )

    def _masked_tokens(self, parts: list[str]) -> list[int]:
        """The tokens of a text with a mask token between its parts."""
        ids = self.tokens(self.tokenizer.mask_token.join(parts))
        masks = [place for place, token in enumerate(ids) if token == self.tokenizer.mask_token_id]
        if len(masks) != len(parts) - 1:
            what = f"the text {excerpt(MASK.join(parts))!r}"
            raise OptionError(f"{what} holds the model's mask token {self.tokenizer.mask_token}; expected {MASK}.")
        spaces = {
            place - 1
            for slot, place in enumerate(masks)
            if self.is_space_before(ids, place) and self.is_spaced(_before(parts, slot))
        }
        return [token for place, token in enumerate(ids) if place not in spaces]

    def is_space_before(self, ids: Sequence[int], place: int) -> bool:
        """Whether the token before a mask is a space alone, which belongs to the piece that is masked."""
        return place > 0 and self.tokenizer.convert_ids_to_tokens(ids[place - 1]) in _SPACES

    def _extend(
        self, partial: Sequence[_Partial], pieces_of_words: dict[str, list[Pieces]], keep: int
    ) -> list[_Partial]:
        """At most ``keep`` of the H times W fill-ins with one more word: highest scores first, then by word."""
        words = list(pieces_of_words)
        if not words:
            return []
        texts = list(zip(*pieces_of_words.values(), strict=True))
        for pieces in texts:
            check_vocabulary(self.checkpoint.engine, pieces)
        passes = [plan_passes(pieces) for pieces in texts]
        block = max(1, MAX_SCORES // (len(words) + sum(map(len, passes))))
        best: list[tuple[float, tuple[str, ...], _Partial, int]] = []
        for start in range(0, len(partial), block):
            before = partial[start : start + block]
            scores = np.array([[fill_in.score] for fill_in in before]) + self._mean_scores(before, passes, len(words))
            least = np.partition(scores, -keep, axis=None)[-keep] if keep < scores.size else -np.inf
            for row, column in zip(*np.nonzero(scores >= least), strict=True):
                filled = (*before[row].words, words[column])
                best.append((float(scores[row, column]), filled, before[row], int(column)))
            best = sorted(best, key=lambda entry: (-entry[0], entry[1]))[:keep]
        return [
            _Partial(filled, self._filled(before.sequences, pieces_of_words[words[column]]), score)
            for score, filled, before, column in best
        ]

    def _filled(self, sequences: Sequence[list[int]], pieces: Sequence[Pieces]) -> tuple[list[int], ...]:
        """The tokens of the texts with a word at their first mask."""
        places = [ids.index(self.tokenizer.mask_token_id) for ids in sequences]
        columns = zip(sequences, places, pieces, strict=True)
        return tuple([*ids[:place], *word, *ids[place + 1 :]] for ids, place, word in columns)

    def _mean_scores(
        self, partial: Sequence[_Partial], passes: Sequence[list[_ForwardPass]], n_words: int
    ) -> FloatArray:
        """The log-probabilities (H, W) of W words at the first mask of H partly filled texts, averaged over T texts."""
        mask = int(self.tokenizer.mask_token_id)
        ids: list[list[int]] = []
        read: list[tuple[int, int, _ForwardPass]] = []
        for row, fill_in in enumerate(partial):
            for tokens, text_passes in zip(fill_in.sequences, passes, strict=True):
                place = tokens.index(mask)
                for step in text_passes:
                    ids.append([*tokens[:place], *step.first, *[mask] * step.n_masks, *tokens[place + 1 :]])
                    read.append((row, place + len(step.first), step))
        self._check_length(max(map(len, ids)), "a text with its fill-ins")
        total = np.zeros((len(partial), n_words))
        for batch, values in self.log_probabilities(ids, np.array([place for _row, place, _step in read])):
            for sequence, line in zip(batch.tolist(), values, strict=True):
                row, _place, step = read[sequence]
                total[row, step.columns] += line[step.pieces]
        return total / len(passes)

    def log_probabilities(self, ids: list[list[int]], places: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """For each batch which sequences it holds (b,), and the log-probabilities (b, L) at one place of each.

        Raises:
            PredictionError: they are NaN.
        """
        for batch, logits in position_logits(self.checkpoint.engine, ids, places):
            moved = logits - logits.max(axis=1, keepdims=True)
            if np.isnan(moved).any():
                raise PredictionError(
                    "the masked language model gives log-probabilities that are NaN.",
                    remedy="Check the model's weights.",
                )
            yield batch, np.asarray(moved - np.log(np.exp(moved).sum(axis=1, keepdims=True)), dtype=np.float64)


def plan_passes(words: Sequence[Pieces]) -> list[_ForwardPass]:
    """The forward passes that score words by their pieces: one for each beginning that words of a length share.

    >>> for step in plan_passes([(5,), (6, 7), (6, 8)]):
    ...     print(step.first, step.n_masks, step.columns, step.pieces)
    () 1 [0] [5]
    () 2 [1, 2] [6, 6]
    (6,) 1 [1, 2] [7, 8]
    """
    members: dict[tuple[int, Pieces], list[int]] = {}
    for column, pieces in enumerate(words):
        for start in range(len(pieces)):
            members.setdefault((len(pieces) - start, pieces[:start]), []).append(column)
    return [
        _ForwardPass(first, n_masks, columns, [words[column][len(first)] for column in columns])
        for (n_masks, first), columns in members.items()
    ]


def _split_texts(texts: Sequence[str]) -> list[list[str]]:
    """What is before, between and behind the masks of each text."""
    strings = [str(text) for text in items("texts", texts, (str,), "strings", empty=True)]
    if not strings:
        raise OptionError("texts=[] holds no text; expected one at least.")
    parts = [text.split(MASK) for text in strings]
    for text, pieces in zip(strings, parts, strict=True):
        if len(pieces) == 1:
            raise OptionError(f"the text {excerpt(text)!r} has no {MASK}.", remedy="Write it in place of each word.")
        if len(pieces) != len(parts[0]):
            raise OptionError(
                f"the text {excerpt(text)!r} has {count(len(pieces) - 1, 'mask')}, the first text {len(parts[0]) - 1}; "
                "expected the same number in each."
            )
    return parts


def _before(parts: Sequence[str], slot: int) -> str:
    """What is directly before a mask of a text: "" at the start of the text, another mask as a letter."""
    return parts[slot] or ("x" if slot else "")


@checks_keywords
def load_masked_lm(name: str | Path | MaskedLM, *, device: str | None = None) -> MaskedLM:
    """Load a masked language model, such as BERT or RoBERTa, from a folder (no network) or a hub id ``owner/name``.

    Safetensors only, without code of its own; a model that is loaded already is returned as it is.

    Raises:
        ModelError: there is no such model, or it is incomplete, unsafe, of another kind or without a mask token.
        OptionError: a name that is none, or an unavailable device.
    """
    if isinstance(name, MaskedLM):
        return name
    if not isinstance(name, (str, os.PathLike)):
        raise OptionError(
            f"name={name!r} is no masked language model.", remedy="Expected a folder, a hub id or a MaskedLM."
        )
    checkpoint = checkpoint_without_labels(os.fspath(name), MASKED_LM, device=device, revision=None)
    engine = checkpoint.engine
    if engine.tokenizer.mask_token_id is None:
        raise ModelError(
            f"the tokenizer of the model {os.fspath(name)} has no mask token.",
            remedy="Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder).",
        )
    batch_tokens = max(1, min(BATCH_TOKENS, MAX_LOGITS // int(engine.model.config.vocab_size)))
    return MaskedLM(replace(checkpoint, engine=replace(engine, batch_tokens=batch_tokens)))
