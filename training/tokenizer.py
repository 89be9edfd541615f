"""The tokenizer of the bundled models: byte-level BPE inside words, so that nothing is unknown; small letters or cased.

The treebank writes "do n't", "it 's" and "-lrb-" where people write "don't", "it's" and "(": the tokens are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

__all__ = ["LIMIT", "SPECIAL", "train_tokenizer"]

LIMIT = 128  # tokens, [CLS] and [SEP] included
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SPELLINGS = (
    ("[\u2018\u2019\u00b4`]{2}|''|[\u201c-\u201e]", '"'),
    ("[\u2018\u2019\u00b4`]", "'"),
    (r"-lrb-", "("),
    (r"-rrb-", ")"),
    (r"\bca\s*n't\b", "can not"),
    (r"\bwo\s*n't\b", "will not"),
    (r"\s*n't\b", " not"),
)


def train_tokenizer(
    texts: Iterable[str], vocabulary: int, spellings: Sequence[tuple[str, str]] = (), *, cased: bool = False
) -> PreTrainedTokenizerFast:
    """A tokenizer of `vocabulary` entries learned from `texts` (training texts only).

    `spellings` are further replacements (pattern, what is written instead), made before the treebank's. With `cased`
    capitals are kept and no spelling is changed, as names need it; accents go in either case.

    >>> tokenizer = train_tokenizer(["it 's a film", "a filmy film"] * 9, 300)
    >>> tokenizer("It's a FILM")["input_ids"] == tokenizer("it 's a film")["input_ids"]
    True
    >>> tokenizer.unk_token_id in tokenizer("Žižek 你好 🙂")["input_ids"]
    False
    """
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    changed = () if cased else (*spellings, *SPELLINGS)
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKD(),
            normalizers.StripAccents(),
            *([] if cased else [normalizers.Lowercase()]),
            *(normalizers.Replace(Regex(pattern), written) for pattern, written in changed),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.BertPreTokenizer(), pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, SPECIAL.index(token)) for token in ("[CLS]", "[SEP]")],
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    make: Callable[..., PreTrainedTokenizerFast] = PreTrainedTokenizerFast
    return make(tokenizer_object=tokenizer, model_max_length=LIMIT, **dict(zip(names, SPECIAL, strict=True)))
