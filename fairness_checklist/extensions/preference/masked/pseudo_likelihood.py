"""Pseudo-log-likelihoods of sentences by a masked language model, and probabilities of target words at a mask."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import bars_if, progress_bar
from fairness_checklist.extensions.preference.masked.mask_search import (
    MAX_SEQUENCES,
    check_finite,
    check_length,
    log_softmax,
)
from fairness_checklist.extensions.preference.masked.masked_lm import MASK, MaskedLM
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines.local import position_logits, silence_transformers

Masked = tuple[list[int], IntArray]
"""The tokens of a sentence, special ones included, and the positions that are masked one at a time."""


def pseudo_log_likelihoods(
    model: MaskedLM, texts: Sequence[str], *, progress: bool = False
) -> tuple[FloatArray, IntArray]:
    """The pseudo-log-likelihood of each of n sentences, in nats, and its tokens (n,): sum of log p(token | all others).

    Each token is masked by itself, so that a sentence takes as many forward passes as it has tokens, special ones not
    counted (Salazar et al. 2020, "Masked language model scoring").
    """
    sentences = [_encoded(model, text) for text in texts]
    return _sums(model, sentences, progress), np.array([len(at) for _ids, at in sentences], dtype=np.int64)


def shared_log_likelihoods(
    model: MaskedLM, first: Sequence[str], second: Sequence[str], *, progress: bool = False
) -> tuple[FloatArray, FloatArray, IntArray]:
    """The pseudo-log-likelihoods of n pairs of sentences over the tokens that both share: CrowS-Pairs' metric.

    sum over shared tokens u of log p(u | the other shared tokens, the tokens of this sentence alone), where a token is
    shared if it is in an "equal" block of ``difflib.SequenceMatcher`` over the tokens of both, as in the code of Nangia
    et al. 2020. Words that differ are never masked: how frequent they are does not count. Back come the sums for the
    first and for the second sentences, (n,) each, and the shared tokens (n,).
    """
    if len(first) != len(second):
        raise OptionError(f"{len(first):,} first sentences and {len(second):,} second ones; expected pairs.")
    sentences: list[Masked] = []
    for row, pair in enumerate(zip(first, second, strict=True)):
        (ids, own), (other_ids, others) = (_encoded(model, text) for text in pair)
        blocks = SequenceMatcher(None, ids, other_ids).get_matching_blocks()
        shared = [(block.a + at, block.b + at) for block in blocks for at in range(block.size)]
        shared = [(a, b) for a, b in shared if a in own and b in others]
        if not shared:
            raise OptionError(
                f'the sentences of pair {row + 1:,} share no token, the first is "{excerpt(pair[0])}".',
                remedy='Leave the pair out, or compare whole sentences: over="all".',
            )
        left, right = zip(*shared, strict=True)
        sentences += [(ids, np.array(left, dtype=np.int64)), (other_ids, np.array(right, dtype=np.int64))]
    total = _sums(model, sentences, progress)
    return total[::2], total[1::2], np.array([len(at) for _ids, at in sentences[::2]], dtype=np.int64)


def target_log_probabilities(
    model: MaskedLM, templates: Sequence[str], terms: Sequence[str], targets: Sequence[str], *, prior: bool = True
) -> tuple[FloatArray, FloatArray]:
    """The log-probabilities of W target words at the mask of T templates with K terms, and their priors, (T, K, W).

    See Kurita et al. 2019. A template has one ``{mask}`` for the target word and ``{term}`` for a term of an attribute
    or a profession: "{mask} is a {term}.". The prior of a target is its probability with each token of the term masked.
    """
    mask, tokenizer = int(model.checkpoint.engine.tokenizer.mask_token_id), model.checkpoint.engine.tokenizer
    sequences: list[list[int]] = []
    places, columns = [], []
    for template in templates:
        if template.count(MASK) != 1 or template.count("{term}") != 1:
            raise OptionError(
                f"the template {template!r} has to hold one {MASK} and one {{term}}.",
                remedy='Write "{mask} is a {term}.".',
            )
        before = template.partition(MASK)[0].replace("{term}", "x")
        spaced = model.pieces.is_spaced(before)
        pieces = [model.pieces.split(word, spaced=spaced) for word in targets]
        long = next((word for word, split in zip(targets, pieces, strict=True) if len(split) > 1), None)
        if long is not None:
            raise OptionError(
                f"the target {long!r} is several tokens of the model; expected one.",
                remedy="Choose words of one token; model.fill(texts, candidates=[...]) scores longer ones.",
            )
        for term in terms:
            head, tail = template.replace(MASK, tokenizer.mask_token).split("{term}")
            ids = _tokens(model, head + term + tail)
            at = ids.index(mask)
            own = [ids]
            if prior:
                term_places = _term_positions(model, head + term + tail, len(head), len(head) + len(term))
                own.append([mask if place in term_places else token for place, token in enumerate(ids)])
            if at and spaced and ids[at - 1] == model.pieces.space:  # the space belongs to the masked piece
                own, at = [[*row[: at - 1], *row[at:]] for row in own], at - 1
            sequences += own
            places += [at] * (1 + prior)
            columns += [[piece[0] for piece in pieces]] * (1 + prior)
    values = np.empty((len(sequences), len(targets)))
    for batch, logits in position_logits(model.checkpoint.engine, sequences, np.array(places, dtype=np.int64)):
        for row, line in zip(batch.tolist(), log_softmax(logits), strict=True):
            values[row] = line[columns[row]]
    check_finite(values)
    shaped = values.reshape(len(templates), len(terms), 1 + prior, len(targets))
    return shaped[:, :, 0], shaped[:, :, 1] if prior else np.zeros_like(shaped[:, :, 0])


def _term_positions(model: MaskedLM, text: str, start: int, end: int) -> set[int]:
    """The tokens that write the term, which is at these characters of a text."""
    tokenizer = model.checkpoint.engine.tokenizer
    if not getattr(tokenizer, "is_fast", False):
        raise OptionError(
            f"the tokenizer {type(tokenizer).__name__} does not give the positions of tokens in the text, which priors "
            "need.",
            remedy="Leave the priors out: prior=False.",
        )
    with silence_transformers():
        where = tokenizer(text, truncation=False, return_offsets_mapping=True)["offset_mapping"]
    return {at for at, (first, last) in enumerate(where) if first < last and first < end and last > start}


def _tokens(model: MaskedLM, text: str) -> list[int]:
    engine = model.checkpoint.engine
    with silence_transformers():
        ids: list[int] = engine.tokenizer(text, truncation=False)["input_ids"]
    check_length(engine, len(ids), f"the text {excerpt(text)!r}")
    return ids


def _encoded(model: MaskedLM, text: str) -> Masked:
    """The tokens of a sentence and the positions of those that are not special."""
    ids = _tokens(model, text)
    special = set(model.checkpoint.engine.tokenizer.all_special_ids)
    special -= {model.checkpoint.engine.tokenizer.unk_token_id}
    positions = np.array([at for at, token in enumerate(ids) if token not in special], dtype=np.int64)
    if not len(positions):
        raise OptionError(f"the text {excerpt(text)!r} has no tokens.", remedy="Leave it out.")
    return ids, positions


def _sums(model: MaskedLM, sentences: Sequence[Masked], progress: bool) -> FloatArray:
    """For each sentence the sum of the log-probabilities of its tokens at the positions, each masked by itself."""
    engine = model.checkpoint.engine
    mask = int(engine.tokenizer.mask_token_id)
    rows_of = np.repeat(np.arange(len(sentences)), [len(positions) for _ids, positions in sentences])
    every = np.concatenate([positions for _ids, positions in sentences]) if sentences else np.zeros(0, dtype=np.int64)
    value = np.empty(len(rows_of))
    with bars_if(progress), progress_bar(len(rows_of), "score", "tokens") as advance:
        for start in range(0, len(rows_of), MAX_SEQUENCES):
            rows, places = rows_of[start : start + MAX_SEQUENCES], every[start : start + MAX_SEQUENCES]
            ids = [list(sentences[at][0]) for at in rows]
            gold = [row[place] for row, place in zip(ids, places, strict=True)]
            for row, place in zip(ids, places, strict=True):
                row[place] = mask
            for batch, logits in position_logits(engine, ids, places):
                columns = [gold[at] for at in batch.tolist()]
                value[start + batch] = log_softmax(logits)[np.arange(len(batch)), columns]
                advance(len(batch))
    check_finite(value)
    return np.bincount(rows_of, weights=value, minlength=len(sentences)).astype(np.float64)
