"""The bundled tagger as a model: words as tokens, embeddings made of parts of words, and what it says of sentences."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers import BertForTokenClassification, PreTrainedTokenizerFast

from training.ner_data import TAGS, Sentence, join_words
from training.ner_own import Row
from training.tokenizer import SPECIAL

__all__ = [
    "PAD",
    "Encoded",
    "PartEmbedding",
    "batches",
    "embed",
    "labelled",
    "look_around",
    "new_embedding",
    "padded",
    "predict",
    "table",
]

PAD = SPECIAL.index("[PAD]")
NO_LABEL = -100
WAVE_SCALE = 0.3  # of the positions' waves; beside it the embeddings of tokens start small
LOOKS_AT = (-1, 1, -2, 2)  # the distance in tokens that each head of a layer starts with
BEGIN = "Ġ"  # how the tokenizer marks a token that begins a word or a punctuation mark

Encoded = tuple[list[int], list[int]]  # token ids (n) and their labels (n), NO_LABEL where none is asked


def parts(token: str) -> list[str]:
    """What a token is made of: its small letters, first and last letters, and shape.

    >>> parts("ĠAna")[:3], parts("b")[0]
    (['shape^Xx', 'word^ana', 'letters ana'], 'shape+x')
    """
    begins = token.startswith(BEGIN)
    letters = token[1:] if begins else token
    small, place = letters.lower(), "^" if begins else "+"
    found = [f"shape{place}{shape(letters)}", f"word{place}{small}", f"letters {small}"]
    for length in range(1, min(len(small), 4) + 1):
        found += [f"first{place}{small[:length]}", f"last {small[-length:]}"]
    return found


def shape(letters: str) -> str:
    """Small, capital, mixed letters, digits by number, or other signs.

    >>> [shape(word) for word in ("ana", "Ana", "A", "ANA", "aNa", "2022", "?")]
    ['x', 'Xx', 'X', 'XX', 'xX', 'd4', '.']
    """
    if letters.isdigit():
        return f"d{min(len(letters), 5)}"
    if not letters.isalpha():
        return "."
    if letters.islower():
        return "x"
    if letters.isupper():
        return "X" if len(letters) == 1 else "XX"
    return "Xx" if letters[1:].islower() else "xX"


@dataclass(frozen=True)
class PartEmbedding:
    """Embeddings of tokens as sums over their parts, so that rare tokens share what common ones taught.

    Only training has them: `table` gives the plain embeddings that the finished model keeps.

    Attributes:
        numbers: the parts of each token of the vocabulary (vocabulary x most parts), 0 for none.
        shared: the embeddings of the parts.
        single: one embedding of each token's own.
    """

    numbers: torch.Tensor
    shared: torch.nn.EmbeddingBag
    single: torch.nn.Embedding

    def weights(self) -> list[torch.nn.Parameter]:
        """What is trained."""
        return [self.shared.weight, self.single.weight]


def new_embedding(tokens: Sequence[str], size: int) -> PartEmbedding:
    """Untrained embeddings, of length `size`, of the tokens of a vocabulary; parts of one token only are left out."""
    rows = [[] if token in SPECIAL else parts(token) for token in tokens]
    counts = Counter(part for row in rows for part in row)
    number: dict[str, int] = {}
    kept = [[number.setdefault(part, len(number) + 1) for part in row if counts[part] > 1] for row in rows]
    shared = torch.nn.EmbeddingBag(len(number) + 1, size, mode="sum", padding_idx=0)
    single = torch.nn.Embedding(len(tokens), size)
    for embedding in (shared, single):
        torch.nn.init.normal_(embedding.weight, std=0.02)
    return PartEmbedding(padded(kept, 0), shared, single)


def wave_lengths(size: int) -> torch.Tensor:
    """The lengths of `size` / 2 waves in tokens, from 6 to 400."""
    return torch.logspace(0.8, 2.6, size // 2)


def waves(positions: int, size: int) -> torch.Tensor:
    """Sines and cosines of the positions (positions x size), in pairs from the shortest wave to the longest.

    >>> waves(2, 4)[0].tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    angles = torch.arange(positions)[:, None] * (2 * math.pi / wave_lengths(size))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def look_around(model: BertForTokenClassification) -> None:
    """Let an untrained model start with heads that look at neighbours: one token before, one after, two before, ...

    Positions start as waves. In the first two layers the keys of a head start as the shorter half of those waves and
    its queries as the same, turned by the distance that the head looks at. All of it is trained on from there.
    """
    size = model.config.hidden_size // model.config.num_attention_heads
    lengths = wave_lengths(model.config.hidden_size)
    with torch.no_grad():
        positions = model.bert.embeddings.position_embeddings.weight
        positions.copy_(WAVE_SCALE * waves(len(positions), model.config.hidden_size))
        for layer in model.bert.encoder.layer[:2]:
            attention = layer.attention.self
            for head in range(model.config.num_attention_heads):
                for row in range(size // 2):
                    pair = row * (len(lengths) // size)
                    turn = 2 * math.pi * LOOKS_AT[head % len(LOOKS_AT)] / float(lengths[pair])
                    sine, cosine = math.sin(turn), math.cos(turn)
                    rows, columns = (
                        slice(head * size + 2 * row, head * size + 2 * row + 2),
                        slice(2 * pair, 2 * pair + 2),
                    )
                    attention.key.weight[rows, columns] += torch.eye(2)
                    attention.query.weight[rows, columns] += torch.tensor([[cosine, sine], [-sine, cosine]])


def embed(embedding: PartEmbedding, ids: torch.Tensor, dropped: float = 0.0) -> torch.Tensor:
    """The embeddings of ids (..., size); a share `dropped` of the tokens is seen by their shared parts only."""
    once, place = torch.unique(ids, return_inverse=True)
    single = embedding.single(once)
    if dropped:
        single = single * (torch.rand(len(once), 1) >= dropped)
    return torch.nn.functional.embedding(place, single + embedding.shared(embedding.numbers[once]))


def table(embedding: PartEmbedding) -> torch.Tensor:
    """The embeddings of all tokens (vocabulary x size), zero for the padding."""
    with torch.no_grad():
        every = embed(embedding, torch.arange(len(embedding.numbers)))
        every[PAD] = 0
    return every


def labelled(tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> list[Encoded]:
    """Token ids and labels of tagged words, joined to running text.

    Labelled is each token that begins a word, or a punctuation mark, whatever rule of words somebody has: with the tag
    of its word, and I- instead of B- where the word has begun before it.
    """
    number = {tag: place for place, tag in enumerate(TAGS)}
    joined = [join_words(words) for words, _ in rows]
    encodings = tokenizer([text for text, _ in joined], truncation=True).encodings
    encoded: list[Encoded] = []
    for encoding, (_, places), (_, tags) in zip(encodings or [], joined, rows, strict=True):
        labels = [NO_LABEL] * len(encoding.ids)
        word = 0
        for at, (token, (start, _)) in enumerate(zip(encoding.tokens, encoding.offsets, strict=True)):
            while word < len(places) - 1 and places[word][1] <= start:
                word += 1
            if token.startswith(BEGIN):
                tag = tags[word]
                labels[at] = number[f"I{tag[1:]}" if tag != "O" and start > places[word][0] else tag]
        encoded.append((encoding.ids, labels))
    return encoded


def first_tokens(offsets: Sequence[tuple[int, int]], words: Sequence[tuple[int, int]]) -> list[int]:
    """For each word the first token that covers some of it; -1 where the text was cut off before it.

    Args:
        offsets: where the tokens stand in the text; those that stand nowhere, like [CLS], are (0, 0).
        words: where the words stand.

    >>> first_tokens([(0, 0), (0, 2), (2, 5), (6, 9), (0, 0)], [(0, 5), (6, 9), (10, 12)])
    [1, 3, -1]
    """
    return [
        next((at for at, (start, end) in enumerate(offsets) if end > first and start < last and end > start), -1)
        for first, last in words
    ]


def batches(lengths: Sequence[int], size: int, generator: random.Random | None) -> list[list[int]]:
    """Row numbers in batches of similar length; in random order if there is a generator."""
    order = list(range(len(lengths)))
    if generator:
        generator.shuffle(order)
    order.sort(key=lambda row: lengths[row])
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    if generator:
        generator.shuffle(chunks)
    return chunks


def padded(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    """Rows of numbers as one tensor (n x longest), filled up behind.

    >>> padded([[5], [6, 7]], 0).tolist()
    [[5, 0], [6, 7]]
    """
    out = torch.full((len(rows), max(map(len, rows))), filler)
    for line, row in enumerate(rows):
        out[line, : len(row)] = torch.tensor(row)
    return out


def predict(
    model: BertForTokenClassification, tokenizer: PreTrainedTokenizerFast, sentences: Sequence[Sentence]
) -> list[list[str]]:
    """The tag of each word of each sentence: that of the word's first token; O behind the model's limit."""
    encoded = tokenizer([sentence.text for sentence in sentences], truncation=True, return_offsets_mapping=True)
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    said: list[list[str]] = [[] for _ in sentences]
    model.train(False)
    with torch.no_grad():
        for chosen in batches([len(row) for row in ids], 64, None):
            inputs = padded([ids[row] for row in chosen], PAD)
            best = model(input_ids=inputs, attention_mask=(inputs != PAD).long()).logits.argmax(dim=-1).tolist()
            for row, numbers in zip(chosen, best, strict=True):
                places = first_tokens(offsets[row], sentences[row].words)
                said[row] = [TAGS[numbers[place]] if place >= 0 else "O" for place in places]
    return said
