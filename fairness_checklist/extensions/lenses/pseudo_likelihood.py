"""Pseudo-log-likelihoods of sentences by a masked language model, and probabilities of target words at a mask."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import bars_if, progress_bar
from fairness_checklist.extensions.lenses.masked_lm import MASK, MaskedLM
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines.local import silence_transformers

MAX_SEQUENCES = 4096  # that are held at once
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
    return _sums(model, sentences, progress), np.array([len(places) for _ids, places in sentences], dtype=np.int64)


def shared_log_likelihoods(
    model: MaskedLM, first: Sequence[str], second: Sequence[str], *, progress: bool = False
) -> tuple[FloatArray, FloatArray]:
    """The pseudo-log-likelihoods of n pairs of sentences over the tokens that both share: CrowS-Pairs' metric.

    sum over shared tokens u of log p(u | the other shared tokens, the tokens of this sentence alone), where a token is
    shared if it is in an "equal" block of ``difflib.SequenceMatcher`` over the tokens of both, as in the code of Nangia
    et al. 2020. Words that differ are never masked: how frequent they are does not count. Back come the sums for the
    first and for the second sentences, (n,) each.
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
                remedy='Leave the pair out, or compare whole sentences: over="all".',
            )
        left, right = (np.array(column, dtype=np.int64) for column in zip(*shared, strict=True))
        sentences += [(ids, left), (other_ids, right)]
    total = _sums(model, sentences, progress)
    return total[::2], total[1::2]


def target_log_probabilities(
    model: MaskedLM, templates: Sequence[str], terms: Sequence[str], targets: Sequence[str], *, prior: bool = True
) -> tuple[FloatArray, FloatArray]:
    """The log-probabilities of W target words at the mask of T templates with K terms, and their priors, (T, K, W).

    See Kurita et al. 2019. A template has one ``{mask}`` for the target word and ``{term}`` for a term of an attribute
    or a profession: "{mask} is a {term}.". The prior of a target is its probability with each token of the term masked.
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
            with_priors = [ids]
            if prior:
                hidden = _term_positions(model, head + term + tail, len(head), len(head) + len(term))
                with_priors.append([mask if position in hidden else token for position, token in enumerate(ids)])
            if spaced and model.is_space_before(ids, place):
                with_priors, place = [[*row[: place - 1], *row[place:]] for row in with_priors], place - 1
            sequences += with_priors
            places += [place] * len(with_priors)
            columns += [[piece[0] for piece in pieces]] * len(with_priors)
    values = np.empty((len(sequences), len(targets)))
    for batch, logs in model.log_probabilities(sequences, np.array(places, dtype=np.int64)):
        for row, line in zip(batch.tolist(), logs, strict=True):
            values[row] = line[columns[row]]
    shaped = values.reshape(len(templates), len(terms), 1 + prior, len(targets))
    return shaped[:, :, 0], shaped[:, :, 1] if prior else np.zeros_like(shaped[:, :, 0])


def _term_positions(model: MaskedLM, text: str, start: int, end: int) -> set[int]:
    """The tokens that write the term, which is at these characters of a text."""
    if not getattr(model.tokenizer, "is_fast", False):
        raise OptionError(
            f"the tokenizer {type(model.tokenizer).__name__} does not give the positions of tokens in the text, which "
            "priors need.",
            remedy="Leave the priors out: prior=False.",
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


def _sums(model: MaskedLM, sentences: Sequence[Masked], progress: bool) -> FloatArray:
    """For each sentence the sum of the log-probabilities of its tokens at the positions, each masked by itself."""
    mask = int(model.tokenizer.mask_token_id)
    owner = np.repeat(np.arange(len(sentences)), [len(positions) for _ids, positions in sentences])
    masked_places = np.concatenate([positions for _ids, positions in sentences])
    value = np.empty(len(owner))
    with bars_if(progress), progress_bar(len(owner), "score", "tokens") as advance:
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
