"""Pseudo-log-likelihoods of sentences by a masked language model, and probabilities of target words at a mask."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import BATCH_TOKENS
from fairness_checklist.core.progress import progress_bar
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines.local import position_logits, silence_transformers
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, checkpoint_without_labels
from fairness_checklist.models.huggingface.folders import MASKED_LM

MASK = "{mask}"
MAX_LOGITS = 2**26  # of a forward pass: a bound on memory
MAX_SEQUENCES = 4096  # that are held at once
_SPACES = ("Ġ", "▁")  # pieces of byte-level BPE and SentencePiece that are a space alone

Pieces = tuple[int, ...]
Masked = tuple[list[int], IntArray]
"""The tokens of a sentence, special ones included, and the positions that are masked one at a time."""


@dataclass(frozen=True, eq=False)
class MaskedLM:
    """A masked language model of transformers with its tokenizer."""

    checkpoint: Checkpoint[None]  # the model; it has no labels

    @property
    def name(self) -> str:
        return self.checkpoint.name

    @property
    def tokenizer(self) -> Any:
        return self.checkpoint.engine.tokenizer

    def is_spaced(self, before: str) -> bool:
        """Whether a word behind the text ``before`` is written as after a space."""
        return before[-1].isspace() if before else self._starts_spaced

    @cached_property
    def _starts_spaced(self) -> bool:
        return self._ids("a") == self._ids(" a")

    def split(self, word: str, *, spaced: bool) -> Pieces:
        """The pieces of a word, as they are written after a space or without one."""
        pieces, bracket = self._ids(f" {word}" if spaced else f"({word}"), self._ids("(")
        if not spaced:  # where the bracket is written as one piece with the word, the word alone
            pieces = pieces[len(bracket) :] if pieces[: len(bracket)] == bracket else self._ids(word)
        if not pieces or not set(pieces).isdisjoint(self.tokenizer.all_special_ids):
            raise OptionError(f"{word!r} cannot be written with the model's vocabulary.", remedy="Leave it out.")
        return pieces

    def _ids(self, text: str) -> Pieces:
        with silence_transformers():
            return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, special ones included; `OptionError` where the model does not read so many."""
        with silence_transformers():
            ids: list[int] = self.tokenizer(text, truncation=False)["input_ids"]
        limit = self.checkpoint.engine.limit
        if limit is not None and len(ids) > limit:
            what = f"the text {excerpt(text.replace(self.tokenizer.mask_token, MASK))!r} has {len(ids):,} tokens"
            raise OptionError(f"{what}; expected at most {limit:,}, which is what the model reads.")
        return ids

    def is_space_before(self, ids: Sequence[int], place: int) -> bool:
        """Whether the token before a mask is a space alone, which belongs to the piece that is masked."""
        return place > 0 and self.tokenizer.convert_ids_to_tokens(ids[place - 1]) in _SPACES

    def log_probabilities(self, ids: list[list[int]], places: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
        """For each batch which sequences it holds (b,), and the log-probabilities (b, L) at one place of each."""
        for batch, logits in position_logits(self.checkpoint.engine, ids, places):
            moved = logits - logits.max(axis=1, keepdims=True)
            if np.isnan(moved).any():
                raise PredictionError(
                    "the masked language model gives log-probabilities that are NaN.",
                    remedy="Check the model's weights.",
                )
            yield batch, np.asarray(moved - np.log(np.exp(moved).sum(axis=1, keepdims=True)), dtype=np.float64)


@checks_keywords
def load_masked_lm(name: str | Path | MaskedLM, *, device: str | None = None) -> MaskedLM:
    """Load a masked language model, such as BERT or RoBERTa, from a folder or a hub id; safetensors only.

    `ModelError` for one that is incomplete, unsafe, of another kind or without a mask token.
    """
    if isinstance(name, MaskedLM):
        return name
    if not isinstance(name, (str, os.PathLike)):
        raise OptionError(
            f"name={name!r} is no masked language model.", remedy="Expected a folder, a hub id or a MaskedLM."
        )
    checkpoint = checkpoint_without_labels(os.fspath(name), MASKED_LM, device=device)
    engine = checkpoint.engine
    if engine.tokenizer.mask_token_id is None:
        raise ModelError(
            f"the tokenizer of the model {os.fspath(name)} has no mask token.",
            remedy="Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder).",
        )
    batch_tokens = max(1, min(BATCH_TOKENS, MAX_LOGITS // int(engine.model.config.vocab_size)))
    return MaskedLM(replace(checkpoint, engine=replace(engine, batch_tokens=batch_tokens)))


def shared_log_likelihoods(
    model: MaskedLM, first: Sequence[str], second: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """The pseudo-log-likelihoods (n,) of both sides of n pairs over the tokens that both share (Nangia et al. 2020).

    Those in an "equal" block of ``difflib.SequenceMatcher``, as in their code; words that differ are never masked.
    """
    sentences: list[Masked] = []
    for row, pair in enumerate(zip(first, second, strict=True)):
        (ids, places), (other_ids, other_places) = (_encoded(model, text) for text in pair)
        blocks = SequenceMatcher(None, ids, other_ids).get_matching_blocks()
        shared = [(block.a + offset, block.b + offset) for block in blocks for offset in range(block.size)]
        shared = [(a, b) for a, b in shared if a in places and b in other_places]
        if not shared:
            raise OptionError(
                f'the sentences of pair {row + 1:,} share no token, the first is "{excerpt(pair[0])}".',
                remedy="Leave the pair out.",
            )
        left, right = (np.array(column, dtype=np.int64) for column in zip(*shared, strict=True))
        sentences += [(ids, left), (other_ids, right)]
    total = _sums(model, sentences)
    return total[::2], total[1::2]


def target_log_probabilities(
    model: MaskedLM, templates: Sequence[str], terms: Sequence[str], targets: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """The log-probabilities of W target words at the mask of T templates with K terms, and their priors, (T, K, W).

    The prior of a target is its probability with each token of the term masked as well (Kurita et al. 2019).
    """
    mask = int(model.tokenizer.mask_token_id)
    sequences: list[list[int]] = []
    places, columns = [], []
    for template in templates:
        if template.count(MASK) != 1 or template.count("{term}") != 1:
            raise OptionError(
                f"the template {template!r} has to hold one {MASK} and one {{term}}.",
                remedy='Write "{mask} is a {term}.".',
            )
        spaced = model.is_spaced(template.partition(MASK)[0].replace("{term}", "x"))
        pieces = [model.split(word, spaced=spaced) for word in targets]
        long = next((word for word, split in zip(targets, pieces, strict=True) if len(split) > 1), None)
        if long is not None:
            raise OptionError(
                f"the target {long!r} is several tokens of the model; expected one.",
                remedy="Choose words of one token.",
            )
        head, tail = template.replace(MASK, model.tokenizer.mask_token).split("{term}")
        for term in terms:
            ids = model.tokens(head + term + tail)
            place = ids.index(mask)
            hidden = _term_positions(model, head + term + tail, len(head), len(head) + len(term))
            with_priors = [ids, [mask if position in hidden else token for position, token in enumerate(ids)]]
            if spaced and model.is_space_before(ids, place):
                with_priors, place = [[*row[: place - 1], *row[place:]] for row in with_priors], place - 1
            sequences += with_priors
            places += [place] * 2
            columns += [[piece[0] for piece in pieces]] * 2
    values = np.empty((len(sequences), len(targets)))
    for batch, logs in model.log_probabilities(sequences, np.array(places, dtype=np.int64)):
        for row, line in zip(batch.tolist(), logs, strict=True):
            values[row] = line[columns[row]]
    shaped = values.reshape(len(templates), len(terms), 2, len(targets))
    return shaped[:, :, 0], shaped[:, :, 1]


def _term_positions(model: MaskedLM, text: str, start: int, end: int) -> set[int]:
    """The tokens that write the term, which is at these characters of a text."""
    if not getattr(model.tokenizer, "is_fast", False):
        raise OptionError(
            f"the tokenizer {type(model.tokenizer).__name__} does not give the positions of tokens in the text, which "
            "priors need.",
            remedy="Save a fast tokenizer into the folder: tokenizer.save_pretrained(folder).",
        )
    with silence_transformers():
        offsets = model.tokenizer(text, truncation=False, return_offsets_mapping=True)["offset_mapping"]
    return {position for position, (a, b) in enumerate(offsets) if a < b and a < end and b > start}


def _encoded(model: MaskedLM, text: str) -> Masked:
    """The tokens of a sentence and the positions of those that are not special."""
    ids = model.tokens(text)
    special = set(model.tokenizer.all_special_ids) - {model.tokenizer.unk_token_id}
    positions = np.array([place for place, token in enumerate(ids) if token not in special], dtype=np.int64)
    if not len(positions):
        raise OptionError(f"the text {excerpt(text)!r} has no tokens.", remedy="Leave it out.")
    return ids, positions


def _sums(model: MaskedLM, sentences: Sequence[Masked]) -> FloatArray:
    """For each sentence the sum of the log-probabilities of its tokens at the positions, each masked by itself."""
    mask = int(model.tokenizer.mask_token_id)
    owner = np.repeat(np.arange(len(sentences)), [len(positions) for _ids, positions in sentences])
    masked_places = np.concatenate([positions for _ids, positions in sentences])
    value = np.empty(len(owner))
    with progress_bar(len(owner), "score", "tokens") as advance:
        for start in range(0, len(owner), MAX_SEQUENCES):
            rows, places = owner[start : start + MAX_SEQUENCES], masked_places[start : start + MAX_SEQUENCES]
            ids = [list(sentences[row][0]) for row in rows]
            gold = np.array([row[place] for row, place in zip(ids, places, strict=True)])
            for row, place in zip(ids, places, strict=True):
                row[place] = mask
            for batch, logs in model.log_probabilities(ids, places):
                value[start + batch] = logs[np.arange(len(batch)), gold[batch]]
                advance(len(batch))
    return np.bincount(owner, weights=value, minlength=len(sentences)).astype(np.float64)
