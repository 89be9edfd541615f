"""Words that a masked language model suggests for ``{mask}`` in a text, with their log-probabilities."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairness_checklist.core.errors import ModelError, OptionError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import BATCH_TOKENS, items, names, string, whole_number
from fairness_checklist.extensions.preference.masked.mask_search import Partial, check_length, extend, read_options
from fairness_checklist.extensions.preference.masked.word_pieces import WordPieces, read_word_pieces
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines.local import silence_transformers
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, checkpoint_without_labels, fingerprint
from fairness_checklist.models.huggingface.folders import MASKED_LM

MASK = "{mask}"
BEAM = 100
MAX_LOGITS = 2**26  # of a forward pass: a bound on memory

Suggestion = tuple[tuple[str, ...], str, float]


@dataclass(frozen=True, eq=False)
class MaskedLM:
    """A masked language model of transformers with its tokenizer."""

    checkpoint: Checkpoint[None]  # the model; it has no labels
    pieces: WordPieces  # the words that its tokenizer writes as one piece

    @property
    def name(self) -> str:
        """The folder's name or the hub id."""
        return self.checkpoint.name

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the suggestions: weights, configuration, tokenizer, limits."""
        return fingerprint(self.describe())

    def describe(self) -> dict[str, object]:
        """Name, architecture, weights' sha256, limits, versions."""
        return self.checkpoint.describe("masked language model")

    @checks_keywords
    def fill(
        self, texts: Sequence[str], *, n: int = 100, candidates: Sequence[str] | None = None, beam: int | None = None
    ) -> list[Suggestion]:
        """The at most n most probable words for each ``{mask}`` of T texts, the first text with them, and the score.

        A fill-in is a whole word: alphanumeric, and one piece of the vocabulary; with ``candidates``, one of these, of
        as many pieces as it takes. The words for several masks are chosen from left to right: the first, then the
        second given the first, and so on, while the later ones are still masked. With T texts the same words go into
        each, and the score, which is at most 0, is

            mean over texts of sum over masks of log p(word | the text, the words before it),

        where p(word) of a word of several pieces is the product over its pieces from left to right, with as many masks
        as it has pieces at first (a pseudo-likelihood). Words of more pieces have more factors, and so lower scores.
        The average over texts is that of CheckList (``metric="avg"``), of log-probabilities instead of logits.

        With one mask the result is exact: one forward pass a text. With several it is a beam search, which keeps
        ``beam`` fill-ins after each mask (``n``, and at least 100); the scores are exact, and it finds the best ones if
        ``beam`` is as large as the number of words to the power of the number of masks less one.

        The best is first, and words of the same score are sorted.

        Raises:
            OptionError: texts without a mask or with different numbers of them; a text over the model's limit; a
                candidate that the vocabulary cannot write; ``n`` or ``beam`` below 1.
            PredictionError: weights that give NaN.
        """
        return self._fill(texts, n, candidates, beam)

    @checks_keywords
    def replace(
        self, text: str, word: str, *, n: int = 100, candidates: Sequence[str] | None = None, beam: int | None = None
    ) -> list[Suggestion]:
        """The most probable other words in place of a word of a text, as of `fill`.

        Each occurrence as a whole word becomes a ``{mask}``. The word itself is not suggested, in whatever capitals.

        Raises:
            OptionError: the text does not have the word, or has a ``{mask}`` of its own; else as of `fill`.
        """
        string("text", text, empty=False)
        return self._fill([mask_word(text, word)], n, candidates, beam, without=word)

    def _fill(
        self, texts: Sequence[str], n: int, candidates: Sequence[str] | None, beam: int | None, without: str = ""
    ) -> list[Suggestion]:
        n, engine = whole_number("n", n), self.checkpoint.engine
        beam = max(n, BEAM) if beam is None else whole_number("beam", beam)
        parts = split_texts(texts)
        partial = [Partial((), self._sequences(parts), 0.0)]
        chosen = None if candidates is None else names("candidates", candidates)
        last = len(parts[0]) - 2
        for slot in range(last + 1):
            spaced = [self.pieces.is_spaced(_before(pieces, slot)) for pieces in parts]
            options = read_options(self._pieces(spaced, chosen, without), engine)
            partial = extend(engine, partial, options, n if slot == last else beam)
        return [(best.words, fill_parts(parts[0], best.words), best.score) for best in partial]

    def _pieces(
        self, spaced: list[bool], candidates: tuple[str, ...] | None, without: str
    ) -> dict[str, list[tuple[int, ...]]]:
        """The words for one mask, sorted, and the pieces of each in each text."""
        if candidates is None:
            single = self.pieces.single(spaced)
            return {word: single[word] for word in _others(single, without)}
        chosen = sorted(_others(candidates, without))
        split = {side: {word: self.pieces.split(word, spaced=side) for word in chosen} for side in set(spaced)}
        return {word: [split[side][word] for side in spaced] for word in chosen}

    def _sequences(self, parts: list[list[str]]) -> tuple[list[int], ...]:
        """The tokens of each text, special ones included, with a mask token for each ``{mask}``."""
        tokenizer = self.checkpoint.engine.tokenizer
        sequences = []
        for pieces in parts:
            with silence_transformers():
                ids: list[int] = tokenizer(tokenizer.mask_token.join(pieces), truncation=False)["input_ids"]
            shown = f"the text {excerpt(MASK.join(pieces))!r}"
            if ids.count(tokenizer.mask_token_id) != len(pieces) - 1:
                raise OptionError(f"{shown} holds the model's mask token {tokenizer.mask_token}; expected {MASK}.")
            check_length(self.checkpoint.engine, len(ids), shown)
            sequences.append(self._without_spaces(ids, pieces))
        return tuple(sequences)

    def _without_spaces(self, ids: list[int], parts: list[str]) -> list[int]:
        """The tokens without those for a space before a mask, which belongs to the piece that is masked."""
        masks = [at for at, token in enumerate(ids) if token == self.checkpoint.engine.tokenizer.mask_token_id]
        drop = {
            at - 1
            for slot, at in enumerate(masks)
            if at and ids[at - 1] == self.pieces.space and self.pieces.is_spaced(_before(parts, slot))
        }
        return [token for at, token in enumerate(ids) if at not in drop]


def split_texts(texts: Sequence[str]) -> list[list[str]]:
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


def fill_parts(parts: Sequence[str], words: Sequence[str]) -> str:
    """A text with words in place of its masks."""
    return "".join(part + word for part, word in zip(parts, (*words, ""), strict=True))


def mask_word(text: str, word: str) -> str:
    """A text with ``{mask}`` in place of each occurrence of a word as a whole word."""
    word = string("word", word, empty=False)
    if MASK in text:
        raise OptionError(f"the text {excerpt(text)!r} has a {MASK} already.", remedy="Fill it first, or use fill.")
    masked = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", MASK, text)
    if masked == text:
        raise OptionError(f"the text {excerpt(text)!r} does not have the word {word!r}.", remedy="Check its capitals.")
    return masked


def _others(words: Iterable[str], without: str) -> list[str]:
    """The different words, in their order, other than one in whatever capitals."""
    return [word for word in dict.fromkeys(words) if word.casefold() != without.casefold()]


def _before(parts: Sequence[str], slot: int) -> str:
    """What is directly before a mask of a text: "" at the start of the text, another mask as a letter."""
    return parts[slot] or ("x" if slot else "")


@checks_keywords
def load_masked_lm(name: str | Path | MaskedLM, *, device: str | None = None, revision: str | None = None) -> MaskedLM:
    """Load a masked language model, such as BERT or RoBERTa, from a folder (no network) or a hub id ``owner/name``.

    Safetensors only, without code of its own; a model that is loaded already is returned as it is.

    Raises:
        ModelError: there is no such model, or it is incomplete, unsafe, of another kind or without a mask token.
        OptionError: a name that is none, or an unavailable device.
    """
    if isinstance(name, MaskedLM):
        if device is not None or revision is not None:
            raise OptionError("device= and revision= belong to a model that is loaded from files.")
        return name
    if not isinstance(name, (str, os.PathLike)):
        raise OptionError(
            f"name={name!r} is no masked language model.", remedy="Expected a folder, a hub id or a MaskedLM."
        )
    shown = os.fspath(name)
    if shown == "bundled" or shown.startswith("bundled/"):
        raise ModelError(
            f"the bundled models are classifiers and a tagger; {shown} fills no masks.",
            remedy="Give the folder or the hub id of a masked language model.",
        )
    checkpoint = checkpoint_without_labels(shown, MASKED_LM, device=device, revision=revision)
    engine = checkpoint.engine
    if engine.tokenizer.mask_token_id is None:
        raise ModelError(
            f"the tokenizer of the model {shown} has no mask token.",
            remedy="Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder).",
        )
    size = int(engine.model.config.vocab_size)
    engine = replace(engine, batch_tokens=max(1, min(BATCH_TOKENS, MAX_LOGITS // size)))
    return MaskedLM(replace(checkpoint, engine=engine), read_word_pieces(engine.tokenizer, size))
