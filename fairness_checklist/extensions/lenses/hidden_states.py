"""Vectors of words and texts from the hidden layers of a transformers model."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.batches_without_padding import plan_batches
from fairness_checklist.models.engines.local import Tokens, model_inputs, silence_transformers
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, checkpoint_without_labels
from fairness_checklist.models.huggingface.folders import ENCODER

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Encoder:
    """A transformers model without its head."""

    checkpoint: Checkpoint[None]

    @property
    def name(self) -> str:
        return self.checkpoint.name

    @property
    def layers(self) -> int:
        """The number of layers; layer 0 is the input embeddings."""
        return int(self.checkpoint.engine.model.config.num_hidden_layers)

    def vectors(
        self, texts: Sequence[str], spans: Sequence[Spans], *, layer: int = -1
    ) -> tuple[FloatArray, FloatArray]:
        """The vectors (n, d) of a word in each text, and of the rest of the text: means over pieces; NaN without any.

        ``spans`` are of each text the characters [start, end) of its word, or several such.
        """
        if not -self.layers - 1 <= layer <= self.layers:
            raise OptionError(
                f"layer={layer} is out of range; expected 0 (input embeddings) to {self.layers}, or -1, the last."
            )
        tokens, word, plain = self._pieces(texts, spans)
        of_word, context = np.full((2, len(texts), int(self.checkpoint.engine.model.config.hidden_size)), np.nan)
        for rows, states in self._forward(tokens, layer):
            for row, of_text in zip(rows.tolist(), states, strict=True):
                for chosen, into in ((word[row], of_word), (plain[row] & ~word[row], context)):
                    if chosen.any():
                        into[row] = of_text[chosen].mean(axis=0)
        return of_word, context

    def _pieces(self, texts: Sequence[str], spans: Sequence[Spans]) -> tuple[Tokens, list[BoolArray], list[BoolArray]]:
        """The tokens of each text, which of them belong to its word, and which are not special."""
        engine = self.checkpoint.engine
        wants_types = "token_type_ids" in engine.tokenizer.model_input_names
        with silence_transformers():
            encoded = engine.tokenizer(
                list(texts),
                truncation=False,
                return_token_type_ids=wants_types,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
        word, plain = [], []
        columns = (texts, spans, encoded["offset_mapping"], encoded["special_tokens_mask"])
        for text, text_spans, offsets, special in zip(*columns, strict=True):
            if engine.limit is not None and len(offsets) > engine.limit:
                raise OptionError(
                    f"the text {excerpt(text)!r} has {len(offsets)} tokens; the model reads {engine.limit}.",
                    remedy="Leave it out, or shorten it.",
                )
            places = np.array(offsets, dtype=np.int64).reshape(-1, 2)
            real = ~np.array(special, dtype=np.bool_)
            inside = np.zeros(len(places), dtype=np.bool_)
            for start, end in text_spans:
                inside |= real & (places[:, 0] < end) & (places[:, 1] > start)
            if text_spans and not inside.any():
                start, end = text_spans[0]
                raise OptionError(
                    f"no piece of the text {excerpt(text)!r} is in the characters {start} to {end}.",
                    remedy="Give the start and the end of a word in the text.",
                )
            word.append(inside)
            plain.append(real)
        return Tokens.of_lists(encoded["input_ids"], encoded["token_type_ids"] if wants_types else None), word, plain

    def _forward(self, tokens: Tokens, layer: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """For each batch its rows (b,) and the states (b, tokens, d) in float64."""
        import torch

        engine = self.checkpoint.engine
        for rows in plan_batches(tokens.lengths, engine.batch_tokens):
            with torch.inference_mode():
                output = engine.model(**model_inputs(engine, tokens, rows), output_hidden_states=True)
                yield rows, output.hidden_states[layer].to(torch.float64).cpu().numpy()


def load_encoder(name: str | Path | Encoder, *, device: str | None = None) -> Encoder:
    """A transformers model without its head, by folder, hub id or bundled name; an encoder is returned as it is."""
    if isinstance(name, Encoder):
        return name
    path = os.fspath(name)
    checkpoint = checkpoint_without_labels(path, ENCODER, device=device)
    engine = checkpoint.engine
    if getattr(engine.model.config, "is_encoder_decoder", False):
        raise ModelError(
            f"the model {path} is an encoder-decoder, which has no single series of layers.",
            remedy="Give an encoder or a decoder: BERT, RoBERTa, DistilBERT, GPT-2.",
        )
    if not getattr(engine.tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer of the model {path} gives no positions of its pieces.",
            remedy="Save a fast tokenizer into the folder: tokenizer.save_pretrained(folder).",
        )
    return Encoder(checkpoint)
