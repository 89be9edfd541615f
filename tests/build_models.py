"""Tiny random models of transformers, with a tokenizer that knows some words."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

TEXT = "anna ben is was a the happy sad writer who met yesterday very great terrible and not friend of my ."
WORDS = TEXT.split()
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
BERT = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
SIZES: dict[str, dict[str, Any]] = {
    "Bert": BERT,
    "DistilBert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24},
    "Roberta": BERT,
    "GPT2": {"n_embd": 16, "n_layer": 2, "n_head": 2, "bos_token_id": 2, "eos_token_id": 3},
    "DebertaV2": {**BERT, "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "max_relative_positions": 40},
    "Electra": {**BERT, "embedding_size": 16},
    "Albert": {**BERT, "embedding_size": 16},
    "Llama": {**BERT, "num_key_value_heads": 2, "eos_token_id": 3, "bos_token_id": 2},
    "XLNet": {"d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 24},
    "ConvBert": {**BERT, "embedding_size": 16, "conv_kernel_size": 3},
    "FNet": {"hidden_size": 16, "num_hidden_layers": 2, "intermediate_size": 24},
}


def named(predictions: Any) -> list[str]:
    """The decided class of each text."""
    return [predictions.classes[at] for at in predictions.predicted]


def make_texts(n: int, longest: int, seed: int = 0) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(WORDS, size=draw.integers(1, longest + 1))) for _ in range(n)]


def make_tokenizer(limit: int) -> Any:
    """A tokenizer of words in lower case, which puts a token before and one behind each text."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: code for code, word in enumerate([*SPECIAL, *WORDS])}
    tokenizer: Any = Tokenizer(models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), SPECIAL, strict=True))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=limit, **names)


@functools.cache
def make_model(architecture: str, kind: str, labels: tuple[str, ...], **config: Any) -> Any:
    """A model of random weights for ``kind`` of classification, "Sequence" or "Token"; made once."""
    import torch
    import transformers

    names = {"id2label": dict(enumerate(labels)), "label2id": {name: code for code, name in enumerate(labels)}}
    options = {"vocab_size": len(SPECIAL) + len(WORDS), "pad_token_id": 0, "initializer_range": 0.5}
    torch.manual_seed(1)
    made = getattr(transformers, f"{architecture}Config")(**{**options, **SIZES[architecture], **names, **config})
    return getattr(transformers, f"{architecture}For{kind}Classification")(made).eval()


def save_model(folder: Path, labels: Sequence[str], limit: int = 64, architecture: str = "Bert", **config: Any) -> Path:
    """A classifier with its tokenizer, as ``save_pretrained`` writes them."""
    if architecture != "DistilBert":
        config["max_position_embeddings"] = limit
    make_model(architecture, "Sequence", tuple(labels), **config).save_pretrained(folder)
    make_tokenizer(limit if architecture == "Bert" else 10**30).save_pretrained(folder)
    return folder
