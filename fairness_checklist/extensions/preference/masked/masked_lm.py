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
from fairness_checklist.extensions.preference.masked.mask_search import Partial, extend, read_options
from fairness_checklist.extensions.preference.masked.word_pieces import WordPieces, read_word_pieces
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.engines import silence_transformers
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, fingerprint
from fairness_checklist.models.huggingface.folders import MASKED_LM
from fairness_checklist.models.huggingface.without_labels import checkpoint_without_labels

MASK = "{mask}"
BEAM = 100
MAX_LOGITS = 2**26  # of a forward pass: a bound on memory

Suggestion = tuple[tuple[str, ...], str, float]


@dataclass(frozen=True, eq=False)
class MaskedLM:
    """A masked language model of transformers with its tokenizer.

    Attributes:
        checkpoint: the model; it has no labels.
        pieces: the words that its tokenizer writes as one piece.
    """

    checkpoint: Checkpoint[None]
    pieces: WordPieces

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
        self,
        texts: Sequence[str],
        *,
        n: int = 100,
        candidates: Sequence[str] | None = None,
        beam: int | None = None,
    ) -> list[Suggestion]:
        """The most probable words for each ``{mask}`` of some texts.

        A fill-in is a whole word: alphanumeric, and one piece of the vocabulary; with ``candidates``, one of these, of
        as many pieces as it takes. The words for several masks are chosen from left to right: the first, then the
        second given the first, and so on, while the later ones are still masked. With T texts the same words go into
        each, and the score is

            mean over texts of sum over masks of log p(word | the text, the words before it),

        where p(word) of a word of several pieces is the product over its pieces from left to right, with as many masks
        as it has pieces at first (a pseudo-likelihood). Words of more pieces have more factors, and so lower scores.
        The average over texts is that of CheckList (``metric="avg"``), of log-probabilities instead of logits.

        With one mask the result is exact: one forward pass a text. With several it is a beam search; the scores are
        exact, and it finds the best fill-ins if ``beam`` is as large as the number of words to the power of the number
        of masks less one.

        Args:
            texts: T texts, with the same number of masks each.
            n: the most suggestions to return.
            candidates: the words to choose from; by default all whole words of the vocabulary.
            beam: how many of the partial fill-ins are kept after each mask; by default ``n``, and at least 100.

        Returns:
            at most n tuples: the words, one for each mask; the first text with these words; the score, at most 0. The
            best is first, and words of the same score are sorted.

        Raises:
            OptionError: texts without a mask or with different numbers of them; a text over the model's limit; a
                candidate that the vocabulary cannot write; ``n`` or ``beam`` below 1.
            PredictionError: weights that give NaN.

        A model whose weights are all 0 gives each of its 8 pieces the log-probability -log(8):

        >>> import tempfile, transformers
        >>> vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cook", "##s"]
        >>> tokenizer = transformers.BertTokenizer(vocab={piece: at for at, piece in enumerate(vocabulary)})
        >>> sizes = {"vocab_size": 8, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1}
        >>> bert = transformers.BertForMaskedLM(transformers.BertConfig(**sizes))
        >>> for parameter in bert.parameters():
        ...     _ = parameter.data.zero_()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bert.save_pretrained(folder)
        ...     _ = tokenizer.save_pretrained(folder)
        ...     model = load_masked_lm(folder)
        >>> for words, text, score in model.fill(["the {mask}", "{mask}"]):
        ...     print(words, text, round(score, 4))
        ('cook',) the cook -2.0794
        ('the',) the the -2.0794
        >>> for words, text, score in model.fill(["the {mask}"], candidates=["cook", "cooks"]):
        ...     print(words, text, round(score, 4))
        ('cook',) the cook -2.0794
        ('cooks',) the cooks -4.1589
        """
        return self._fill(texts, n, candidates, beam)

    @checks_keywords
    def replace(
        self, text: str, word: str, *, n: int = 100, candidates: Sequence[str] | None = None, beam: int | None = None
    ) -> list[Suggestion]:
        """The most probable other words in place of a word of a text.

        Each occurrence as a whole word becomes a ``{mask}``, and the text is filled as by `fill`. The word itself is
        not suggested, in whatever capitals.

        Args:
            text: the text.
            word: the word, in the capitals of the text.
            n, candidates, beam: as of `fill`.

        Returns:
            as `fill`.

        Raises:
            OptionError: the text does not have the word, or has a ``{mask}`` of its own; else as `fill`.
            PredictionError: weights that give NaN.
        """
        string("text", text, empty=False)
        return self._fill([mask_word(text, word)], n, candidates, beam, without=word)

    def _fill(
        self,
        texts: Sequence[str],
        n: int,
        candidates: Sequence[str] | None,
        beam: int | None,
        without: str = "",
    ) -> list[Suggestion]:
        n, engine = whole_number("n", n), self.checkpoint.engine
        beam = max(n, BEAM) if beam is None else whole_number("beam", beam)
        parts = split_texts(texts)
        partial = [Partial((), self._sequences(parts), 0.0)]
        chosen = None if candidates is None else names("candidates", candidates)
        last = len(parts[0]) - 2
        for slot in range(last + 1):
            spaced = [self.pieces.is_spaced(_before(one, slot)) for one in parts]
            options = read_options(self._pieces(spaced, chosen, without), engine)
            partial = extend(engine, partial, options, n if slot == last else beam)
        return [(one.words, fill_parts(parts[0], one.words), one.score) for one in partial]

    def _pieces(
        self, spaced: list[bool], candidates: tuple[str, ...] | None, without: str
    ) -> dict[str, list[tuple[int, ...]]]:
        """The words for one mask, sorted, and the pieces of each in each text."""
        if candidates is None:
            found = self.pieces.single(spaced)
            return {word: found[word] for word in _others(found, without)}
        chosen = sorted(_others(candidates, without))
        split = {side: {word: self.pieces.split(word, spaced=side) for word in chosen} for side in set(spaced)}
        return {word: [split[side][word] for side in spaced] for word in chosen}

    def _sequences(self, parts: list[list[str]]) -> tuple[list[int], ...]:
        """The tokens of each text, special ones included, with a mask token for each ``{mask}``."""
        tokenizer, limit = self.checkpoint.engine.tokenizer, self.checkpoint.engine.limit
        sequences = []
        for one in parts:
            with silence_transformers():
                ids: list[int] = tokenizer(tokenizer.mask_token.join(one), truncation=False)["input_ids"]
            shown = repr(excerpt(MASK.join(one)))
            if ids.count(tokenizer.mask_token_id) != len(one) - 1:
                raise OptionError(
                    f"the text {shown} holds the model's mask token {tokenizer.mask_token}; expected {MASK}."
                )
            if limit is not None and len(ids) > limit:
                raise OptionError(
                    f"the text {shown} has {len(ids):,} tokens; expected at most {limit:,}, which is what the model "
                    "reads.",
                    remedy="Shorten it.",
                )
            sequences.append(self._without_spaces(ids, one))
        return tuple(sequences)

    def _without_spaces(self, ids: list[int], parts: list[str]) -> list[int]:
        """The tokens without those for a space before a mask, which belongs to the piece that is masked."""
        masks = [at for at, one in enumerate(ids) if one == self.checkpoint.engine.tokenizer.mask_token_id]
        drop = {
            at - 1
            for slot, at in enumerate(masks)
            if at and ids[at - 1] == self.pieces.space and self.pieces.is_spaced(_before(parts, slot))
        }
        return [one for at, one in enumerate(ids) if at not in drop]


def split_texts(texts: Sequence[str]) -> list[list[str]]:
    """What is before, between and behind the masks of each text.

    Raises:
        OptionError: no text, one without a mask, or texts with different numbers of masks.

    >>> split_texts(["The {mask} is {mask}."])
    [['The ', ' is ', '.']]
    >>> split_texts(["The {mask} is {mask}.", "A {mask}."])
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the text 'A {mask}.' has 1 mask, the first text 2; expected the same
    number in each.
    """
    found = [str(one) for one in items("texts", texts, (str,), "strings", empty=True)]
    if not found:
        raise OptionError("texts=[] holds no text; expected one at least.")
    parts = [text.split(MASK) for text in found]
    for text, one in zip(found, parts, strict=True):
        if len(one) == 1:
            raise OptionError(f"the text {excerpt(text)!r} has no {MASK}.", remedy="Write it in place of each word.")
        if len(one) != len(parts[0]):
            raise OptionError(
                f"the text {excerpt(text)!r} has {count(len(one) - 1, 'mask')}, the first text {len(parts[0]) - 1}; "
                "expected the same number in each."
            )
    return parts


def fill_parts(parts: Sequence[str], words: Sequence[str]) -> str:
    """A text with words in place of its masks.

    >>> fill_parts(["The ", " is ", "."], ("cook", "here"))
    'The cook is here.'
    """
    return "".join(part + word for part, word in zip(parts, (*words, ""), strict=True))


def mask_word(text: str, word: str) -> str:
    """A text with ``{mask}`` in place of each occurrence of a word as a whole word.

    Raises:
        OptionError: the text does not have the word, or has a mask of its own.

    >>> mask_word("The cook and the cooks: cook!", "cook")
    'The {mask} and the cooks: {mask}!'
    """
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
    """Load a masked language model, such as BERT or RoBERTa: safetensors only, without code of its own.

    Args:
        name: the folder of a transformers model with a head for masked words (no network), or a hub id
            ``owner/name``; a model that is loaded already is returned as it is.
        device: where the model runs, the CPU by default.
        revision: branch, tag or commit of a hub id.

    Returns:
        the model.

    Raises:
        ModelError: there is no such model, it is incomplete, unsafe to open or of another kind, or its tokenizer has
            no mask token.
        OptionError: a name that is none, or an unavailable device.

    >>> load_masked_lm("./no-such-folder")
    Traceback (most recent call last):
    fairness_checklist.core.errors.ModelError: the model folder ./no-such-folder does not exist.
        Give an existing folder or a hub id in the form owner/name.
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
