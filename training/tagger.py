"""The bundled tagger as a model: its tokenizer, the part of an encoder it starts from, what it says of sentences."""

from __future__ import annotations

import json
import random
import re
import shutil
import string
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertModel,
    ElectraConfig,
    ElectraForTokenClassification,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from training.ner_data import TAGS, UNLABELLED, Sentence, join_words
from training.ner_own import Row

__all__ = [
    "LIMIT",
    "NO_LABEL",
    "PAD",
    "SPECIAL",
    "UNSAID",
    "CasedEmbedding",
    "Encoded",
    "batches",
    "cut_encoder",
    "cut_tokenizer",
    "drop_units",
    "fit_embeddings",
    "labelled",
    "padded",
    "predict",
    "save",
]

LIMIT = 128  # tokens, [CLS] and [SEP] included
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PAD = 0
NO_LABEL, UNSAID = -100, -1  # of a token that begins no word, and of one whose word has no tag
USUAL = 40  # places of a text whose mean embedding stands for a usual place
FIT_ROWS = 16  # texts a step
STRANGE = "\u2022"  # in the place of letters without a token

ADDRESS = re.compile(r"https?:\S+")

Encoded = tuple[list[int], list[int]]  # token ids (n) and their labels (n), NO_LABEL where none is asked


def pieces_tokenizer(vocabulary: dict[str, int], *, cased: bool) -> Tokenizer:
    """WordPiece over the vocabulary: in small letters, or (`cased`) with the capital that a word begins with.

    A character without a piece is read as `STRANGE`, so that nothing is unknown.
    """
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=1000))
    known = "".join(sorted(piece for piece in vocabulary if len(piece) == 1 and not piece.isspace()))
    escaped = "".join(f"\\x{{{ord(character):x}}}" for character in known)
    inside = [normalizers.Replace(Regex(rf"(?<=\w){letter}"), letter.lower()) for letter in string.ascii_uppercase]
    # capitals that are no letter with an accent have no piece of their own: "Łukasz" is read as "łukasz"
    inside += [normalizers.Replace(letter.upper(), letter) for letter in known if is_other_letter(letter)]
    tokenizer.normalizer = normalizers.Sequence(
        [
            *([normalizers.NFKD(), normalizers.StripAccents(), *inside] if cased else []),
            normalizers.BertNormalizer(lowercase=not cased),
            normalizers.Replace(Regex(rf"[^\s{escaped}]"), STRANGE),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, SPECIAL.index(token)) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def cut_tokenizer(
    encoder: PreTrainedTokenizerBase, texts: Sequence[str], size: int, capitals: int
) -> tuple[PreTrainedTokenizerFast, list[int], list[bool]]:
    """The tokenizer of an encoder with the `size` pieces that are most frequent in the texts (training texts only).

    The first `capitals` of them that begin a word stand in it with a capital, too. The second value holds, for each
    piece, its number in the encoder's own vocabulary; the third, whether it has a capital. Of Latin letters, digits and
    signs all that stand alone are kept, so that every word can be spelled.
    """
    own = encoder.get_vocab()
    ordered = sorted(own, key=own.__getitem__)
    everything = [*SPECIAL, *(piece for piece in ordered if piece not in SPECIAL and not piece.startswith("[unused"))]
    whole = pieces_tokenizer({piece: number for number, piece in enumerate(everything)}, cased=False)
    counts = Counter(
        piece for found in whole.encode_batch([ADDRESS.sub("", text) for text in texts]) for piece in found.tokens
    )
    letters = [piece for piece in everything if len(piece.removeprefix("##")) == 1 and is_kept(piece[-1])]
    small = list(dict.fromkeys([*SPECIAL, STRANGE, *letters, *by_count(everything, counts)]))[:size]
    first = [piece for piece in small if piece[0] in string.ascii_lowercase][:capitals]
    written = [*small, *(piece[0].upper() + piece[1:] for piece in first)]
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=pieces_tokenizer({piece: number for number, piece in enumerate(written)}, cased=True),
        model_max_length=LIMIT,
        **dict(zip(names, SPECIAL, strict=True)),
    )
    numbers = [own.get(piece, own[STRANGE]) for piece in [*small, *first]]
    return tokenizer, numbers, [False] * len(small) + [True] * len(first)


def is_kept(character: str) -> bool:
    """Whether a character stands in the vocabulary however rare it is: Latin letters, digits and signs below U+0250.

    >>> [is_kept(character) for character in "aß9?é你"]
    [True, True, True, True, True, False]
    """
    return ord(character) < 0x250


def is_other_letter(character: str) -> bool:
    """Whether a small letter has a capital that is no plain letter with an accent.

    >>> [is_other_letter(character) for character in "lłøéßı"]
    [False, True, True, False, False, False]
    """
    capital = character.upper()
    if capital.isascii() or len(capital) != 1 or capital == character:  # of a dotless i it is I
        return False
    return unicodedata.normalize("NFKD", capital) == capital


def by_count(pieces: Iterable[str], counts: Counter[str]) -> list[str]:
    """The pieces from the most frequent to the rarest; in the given order (of the large corpus) where they tie."""
    return sorted(pieces, key=lambda piece: -counts[piece])


class CasedEmbedding(torch.nn.Module):  # type: ignore[misc]
    """Embeddings of pieces, in which all that begin with a capital share one vector more, until `plain` adds it."""

    def __init__(self, weight: torch.Tensor, capital: Sequence[bool]) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(weight.clone())
        self.shared = torch.nn.Parameter(torch.zeros(weight.shape[1]))
        self.capital: torch.Tensor
        self.register_buffer("capital", torch.tensor(capital).float())

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        embedded = torch.nn.functional.embedding(ids, self.weight)
        return embedded + self.capital[ids][..., None] * self.shared

    def plain(self) -> torch.nn.Embedding:
        table = self.weight + self.capital[:, None] * self.shared
        return torch.nn.Embedding.from_pretrained(table.detach(), freeze=False, padding_idx=PAD)


def cut_encoder(
    encoder: Path, kept: Sequence[int], counts: torch.Tensor, width: int, layers: Sequence[int], dropout: float
) -> tuple[ElectraForTokenClassification, BertModel]:
    """An encoder as a tagger with these of its pieces and of its layers, and the encoder; the head is untrained.

    The embeddings are `width` wide, as in ELECTRA: the principal components of the encoder's (as its first layer reads
    them), pieces weighted by the square root of their counts (n).
    """
    source = BertModel.from_pretrained(
        encoder, local_files_only=True, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout
    )
    config = ElectraConfig(
        vocab_size=len(kept),
        embedding_size=width,
        hidden_size=source.config.hidden_size,
        num_hidden_layers=len(layers),
        num_attention_heads=source.config.num_attention_heads,
        intermediate_size=source.config.intermediate_size,
        max_position_embeddings=LIMIT,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        id2label=dict(enumerate(TAGS)),
        label2id={tag: number for number, tag in enumerate(TAGS)},
        pad_token_id=PAD,
    )
    model = ElectraForTokenClassification(config)
    with torch.no_grad():
        read, own = source.embeddings, model.electra.embeddings
        words = read.word_embeddings.weight[list(kept)] + read.token_type_embeddings.weight[:1]
        places = read.position_embeddings.weight[:LIMIT]
        usual = places[:USUAL].mean(0)
        seen = read.LayerNorm(words + usual)
        share = (counts + 1).sqrt() / (counts + 1).sqrt().sum()
        middle = (share[:, None] * seen).sum(0)
        _, _, axes = torch.linalg.svd((seen - middle) * share.sqrt()[:, None], full_matrices=False)
        components = (seen - middle) @ axes[:width].T
        own.word_embeddings.weight.copy_(components)
        own.position_embeddings.weight.copy_((places - usual) @ axes[:width].T * (seen.std() / words.std()))
        own.token_type_embeddings.weight.zero_()
        own.LayerNorm.weight.fill_(float((components.square() * share[:, None]).sum().div(width).sqrt()))
        model.electra.embeddings_project.weight.copy_(axes[:width].T)
        model.electra.embeddings_project.bias.copy_(middle)
        for layer, place in zip(model.electra.encoder.layer, layers, strict=True):
            layer.load_state_dict(source.encoder.layer[place].state_dict())
    return model, source


def fit_embeddings(
    model: ElectraForTokenClassification,
    source: BertModel,
    kept: Sequence[int],
    rows: Sequence[Sequence[int]],
    generator: random.Random,
    *,
    steps: int,
    rate: float,
) -> float:
    """Teach the narrow embeddings to say what the encoder's say of training texts; what is left of the last ones.

    Half of the pieces are replaced by any of the vocabulary, so that rare ones are learned too.
    """
    model.eval()
    source.eval()
    own, project = model.electra.embeddings, model.electra.embeddings_project
    optimizer = torch.optim.Adam([*own.parameters(), *project.parameters()], lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    numbers, left = torch.tensor(kept), 0.0
    for _ in range(steps):
        ids = padded(generator.sample(rows, FIT_ROWS), PAD)
        asked = ids != PAD
        other = torch.randint(len(SPECIAL), len(kept), ids.shape)
        ids = torch.where(asked & (torch.rand(ids.shape) < 0.5), other, ids)
        with torch.no_grad():
            goal = source.embeddings(input_ids=numbers[ids])
        loss = (project(own(input_ids=ids)) - goal)[asked].square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        left = float(loss.detach())
    return left


def drop_units(model: ElectraForTokenClassification, feed_forward: int, ids: torch.Tensor) -> None:
    """Leave in each layer the `feed_forward` inner units that say most on the batch `ids` (rows x tokens)."""
    model.eval()
    with torch.no_grad():
        said = inner_weights(model, ids, (ids != PAD).long())
        for layer, weights in zip(model.electra.encoder.layer, said, strict=True):
            chosen = weights.topk(feed_forward).indices.sort().values
            inner, outer = layer.intermediate.dense, layer.output.dense
            inner.weight = torch.nn.Parameter(inner.weight[chosen].clone())
            inner.bias = torch.nn.Parameter(inner.bias[chosen].clone())
            outer.weight = torch.nn.Parameter(outer.weight[:, chosen].clone())
            inner.out_features = outer.in_features = feed_forward
    model.config.intermediate_size = feed_forward


def inner_weights(model: ElectraForTokenClassification, ids: torch.Tensor, mask: torch.Tensor) -> list[torch.Tensor]:
    """How much each inner unit of each layer says: its mean size on the batch times the length of what it writes."""
    layers = model.electra.encoder.layer
    sizes: list[torch.Tensor] = []
    hooks = [
        layer.intermediate.register_forward_hook(
            lambda _module, _inputs, out: sizes.append(out[mask.bool()].abs().mean(0))
        )
        for layer in layers
    ]
    model(input_ids=ids, attention_mask=mask)
    for hook in hooks:
        hook.remove()
    return [size * layer.output.dense.weight.norm(dim=0) for size, layer in zip(sizes, layers, strict=True)]


def labelled(tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> list[Encoded]:
    """Token ids and labels of tagged words, joined to running text.

    Labelled is each token that begins a word, or a punctuation mark, whatever rule of words somebody has: with the tag
    of its word, and I- instead of B- where the word has begun before it.
    """
    number = {tag: place for place, tag in enumerate(TAGS)} | {UNLABELLED: UNSAID}
    joined = [join_words(words) for words, _ in rows]
    encodings = tokenizer([text for text, _ in joined], truncation=True).encodings
    encoded: list[Encoded] = []
    for encoding, (_, places), (_, tags) in zip(encodings or [], joined, rows, strict=True):
        labels = [NO_LABEL] * len(encoding.ids)
        word = 0
        for at, (token, (start, end)) in enumerate(zip(encoding.tokens, encoding.offsets, strict=True)):
            while word < len(places) - 1 and places[word][1] <= start:
                word += 1
            if end > start and not token.startswith("##"):
                tag = tags[word]
                labels[at] = number[f"I{tag[1:]}" if len(tag) > 1 and start > places[word][0] else tag]
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


def predict(model: Any, tokenizer: PreTrainedTokenizerFast, sentences: Sequence[Sentence]) -> list[list[str]]:
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


def rounded(model: Any) -> dict[str, torch.Tensor]:
    """The weights as they are stored: matrices in float8 (e4m3), which transformers reads as float32.

    The model's own weights are rounded with them.
    """
    stored = {name: weight.detach().contiguous() for name, weight in model.state_dict().items()}
    stored = {name: each.to(torch.float8_e4m3fn) if each.ndim == 2 else each for name, each in stored.items()}
    model.load_state_dict({name: each.float() for name, each in stored.items()})
    return stored


def save(out: Path, model: Any, tokenizer: PreTrainedTokenizerFast, record: dict[str, Any], card: str) -> None:
    """The finished folder under its name; an older one there is replaced only once the new one is whole."""
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    save_file(rounded(model), partial / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save_pretrained(partial)
    settings = partial / "tokenizer_config.json"  # under the class name that older versions know too
    settings.write_text(settings.read_text(encoding="utf-8").replace("TokenizersBackend", "PreTrainedTokenizerFast"))
    vocabulary = partial / "tokenizer.json"
    read = json.loads(vocabulary.read_text(encoding="utf-8"))
    vocabulary.write_text(json.dumps(read, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    (partial / "model.safetensors").chmod(0o644)
    (partial / "metrics.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    (partial / "README.md").write_text(card, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)
