"""Fill-ins of masked language models: tiny random models, made on the spot, against plain loops over transformers."""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.extensions.checklist.library import import_checklist
from fairness_checklist.extensions.lenses import masked_lm
from fairness_checklist.extensions.lenses.masked_lm import MaskedLM, Suggestion, load_masked_lm

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

WORDS = ["anna", "ben", "cook", "is", "nurse", "sad", "the", "was"]
PIECES = [*WORDS, "un", "##s", "##happy", "##er", ".", "(", ")"]  # WordPiece; all but the last six begin a word
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXT = "anna ben cook is nurse sad the was cooker unhappy (the cook). the nurse was sad. a nurse, a cook is sad."
FAMILIES = ["wordpiece", "bpe", "unigram"]
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "initializer_range": 0.5,
}


def make_tokenizer(family: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if family == "wordpiece":
        vocabulary = {piece: at for at, piece in enumerate([*SPECIAL, *PIECES])}
        tokenizer: Any = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        roles = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
        named: dict[str, Any] = dict(zip(roles, SPECIAL, strict=True))
        return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=24, **named)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    if family == "unigram":
        whole = [(f"▁{word}", -2.0) for word in WORDS]
        inner = [("cook", -2.0), ("nurse", -2.0), ("er", -3.0), ("▁", -4.0), ("▁(", -2.0)]
        letters = [(letter, -6.0) for letter in "abcdehiknoprstuwy.()"]
        tokenizer = Tokenizer(models.Unigram([*((one, 0.0) for one in special), *whole, *inner, *letters], unk_id=3))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer: Any = trainers.BpeTrainer(
            vocab_size=310,
            special_tokens=special,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        tokenizer.train_from_iterator([TEXT] * 9, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    mask = transformers.AddedToken("<mask>", lstrip="without" not in family, special=True)
    names = dict(zip(("bos_token", "pad_token", "eos_token", "unk_token"), special, strict=True))
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token=mask, **names)


def save_masked_lm(folder: Path, family: str) -> Path:
    tokenizer = make_tokenizer(family)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    if family == "wordpiece":
        config = transformers.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=32, **SIZES)
        model = transformers.BertForMaskedLM(config)
    else:
        kind = "XLMRoberta" if family == "unigram" else "Roberta"
        config = getattr(transformers, f"{kind}Config")(
            vocab_size=len(tokenizer), max_position_embeddings=40, pad_token_id=1, **SIZES
        )
        model = getattr(transformers, f"{kind}ForMaskedLM")(config)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Matrices this small lose time with every further thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Models that are made once and only read."""
    return functools.cache(lambda family: save_masked_lm(tmp_path_factory.mktemp("masked"), family))


@pytest.fixture(scope="module")
def peer(folder: Callable[[str], Path]) -> Callable[[str], Peer]:
    return functools.cache(lambda family: Peer(folder(family)))


class Peer:
    """transformers alone, one sequence at a time, in float64, where batches of any size agree."""

    def __init__(self, folder: Path) -> None:
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder, dtype="float64").eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.mask = self.tokenizer.mask_token_id

    def ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer(text.replace("{mask}", self.tokenizer.mask_token))["input_ids"]
        return found

    def log_probabilities(self, ids: Sequence[int], at: int) -> np.ndarray[Any, Any]:
        with torch.no_grad():
            logits = self.model(torch.tensor([list(ids)])).logits[0, at].double()
        found: np.ndarray[Any, Any] = torch.log_softmax(logits, dim=0).numpy()
        return found

    def score(self, text: str, words: Sequence[str]) -> float:
        """The sum over masks, and over the pieces of each word, of log p given what is to its left and the masks."""
        total = 0.0
        for word in words:
            masked, full = self.ids(text), self.ids(text.replace("{mask}", word, 1))
            at = masked.index(self.mask)
            assert full[:at] == masked[:at]
            k = len(full) - len(masked) + 1
            for j in range(k):
                hidden = [*full[: at + j], *[self.mask] * (k - j), *full[at + k :]]
                total += self.log_probabilities(hidden, at + j)[full[at + j]]
            text = text.replace("{mask}", word, 1)
        return total

    def rank(self, texts: Sequence[str], fillings: Iterable[tuple[str, ...]]) -> list[tuple[tuple[str, ...], float]]:
        """Fill-ins with their mean scores over the texts, best first."""
        scored = [(words, float(np.mean([self.score(text, words) for text in texts]))) for words in fillings]
        return sorted(scored, key=lambda one: (-one[1], one[0]))


def load_float64(folder: Path) -> MaskedLM:
    model = load_masked_lm(folder)
    model.checkpoint.engine.model.double()
    return model


def check(found: Sequence[Suggestion], expected: Sequence[tuple[tuple[str, ...], float]], text: str) -> None:
    """The same fill-ins in the same order with the same scores, and the text filled with each."""
    assert [words for words, _text, _score in found] == [words for words, _score in expected]
    np.testing.assert_allclose([one[2] for one in found], [one[1] for one in expected], atol=1e-9, rtol=0)
    for words, filled, _score in found:
        assert filled == text.replace("{mask}", "{}").format(*words)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "texts",
    [
        ["the {mask} was sad."],
        ["{mask} is sad"],
        ["anna is sad ({mask})."],
        ["the {mask} was sad.", "ben is the {mask}", "{mask} was the cook", "the nurse ({mask})"],
    ],
    ids=["after a space", "at the start", "after a bracket", "several texts"],
)
def test_one_mask_is_the_softmax_of_transformers(
    family: str, texts: list[str], folder: Callable[[str], Path], peer: Callable[[str], Peer]
) -> None:
    """Each word as the tokenizer writes it in the text, among all words that the vocabulary holds as one piece."""
    model, other = load_float64(folder(family)), peer(family)
    mark = {"wordpiece": "", "bpe": "Ġ", "unigram": "▁"}[family]
    marked = [piece.removeprefix(mark) for piece in other.tokenizer.get_vocab() if piece.startswith(mark)]
    words = [word for word in marked if word.isascii() and word.isalnum()]
    fits = [w for w in words if all(len(other.ids(t.replace("{mask}", w))) == len(other.ids(t)) for t in texts)]
    found = model.fill(texts, n=10_000)
    check(found, other.rank(texts, [(word,) for word in fits]), texts[0])
    assert len(found) >= 2
    assert model.fill(tuple(texts), n=2) == found[:2]


@pytest.mark.parametrize("family", FAMILIES)
def test_one_mask_is_ranked_as_by_the_pipeline(family: str, folder: Callable[[str], Path]) -> None:
    model = load_masked_lm(folder(family))
    engine = model.checkpoint.engine
    pipeline = transformers.pipeline("fill-mask", model=engine.model, tokenizer=engine.tokenizer, device="cpu")
    output = pipeline(f"the {engine.tokenizer.mask_token} was sad.", top_k=len(engine.tokenizer))
    found = model.fill(["the {mask} was sad."], n=10_000)
    piece = {word: model.split(word, spaced=True)[0] for (word,), _text, _score in found}
    expected = [one for one in output if one["token"] in piece.values()]
    assert [piece[words[0]] for words, _text, _score in found] == [one["token"] for one in expected]
    np.testing.assert_allclose([one[2] for one in found], np.log([one["score"] for one in expected]), rtol=1e-6)


@pytest.fixture
def checklist_generation(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """CheckList's module for masked words; without WordNet, which it would download and which these do not need."""
    import_checklist()
    english = SimpleNamespace(wordnet=None, pluralize=None)
    monkeypatch.setitem(sys.modules, "pattern", SimpleNamespace(en=english))
    monkeypatch.setitem(sys.modules, "pattern.en", english)
    yield importlib.import_module("checklist.text_generation")
    del sys.modules["checklist.text_generation"]


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy:UserWarning")  # in CheckList
def test_several_texts_are_ranked_as_by_checklist(folder: Callable[[str], Path], checklist_generation: Any) -> None:
    """CheckList averages logits, which for one mask differ from log-probabilities by the same number for each word."""
    texts = ["the {mask} was sad.", "ben is the {mask} .", "(anna {mask} the cook)"]
    model = load_masked_lm(folder("bpe"))
    mask = model.checkpoint.engine.tokenizer.mask_token
    peer = checklist_generation.TextGenerator(model_name=str(folder("bpe")))
    words = [words[0] for words, _text, _score in model.fill(texts, n=10_000)]
    output = peer.unmask_multiple([text.replace("{mask}", mask) for text in texts], beam_size=60, candidates=words)
    ranked = [(found, score) for (found,), _text, score in output if found in words]
    ours = model.fill(texts, candidates=words)
    assert [one[0][0] for one in ours] == [found for found, _score in ranked]
    np.testing.assert_allclose(np.diff([one[2] for one in ours]), np.diff([score for _, score in ranked]), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_two_masks_with_a_beam_of_all_words_are_the_brute_force(
    family: str, folder: Callable[[str], Path], peer: Callable[[str], Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, other = load_float64(folder(family)), peer(family)
    texts = ["the {mask} is ({mask}).", "ben {mask} the {mask} was sad"]
    first = [words[0] for words, _text, _score in model.fill(["the {mask} is ("])]
    second = [words[0] for words, _text, _score in model.fill([text.replace("{mask}", "sad", 1) for text in texts])]
    found = model.fill(texts, n=10_000)
    expected = other.rank(texts, itertools.product(first, second))
    check(found, expected, texts[0])
    assert model.fill(texts, n=5) == found[:5]
    monkeypatch.setattr(masked_lm, "MAX_SCORES", 2)
    check(model.fill(texts, n=10_000), expected, texts[0])


@pytest.mark.parametrize("family", FAMILIES)
def test_candidates_of_several_pieces_are_scored_from_left_to_right(
    family: str, folder: Callable[[str], Path], peer: Callable[[str], Peer]
) -> None:
    model, other = load_float64(folder(family)), peer(family)
    candidates = ["nurses", "cook", "unhappy cook", "cookers", "nurse", "cook"]
    texts = ["the {mask} was sad.", "ben (the {mask} is sad)", "the nurse ({mask})"]
    expected = other.rank(texts, [(word,) for word in dict.fromkeys(candidates)])
    assert len({len(other.ids(texts[0].replace("{mask}", word))) for word in candidates}) >= 3
    check(model.fill(texts, candidates=candidates), expected, texts[0])
    texts = ["the {mask} was ({mask}).", "{mask} is the {mask}"]
    expected = other.rank(texts, itertools.product(dict.fromkeys(candidates), repeat=2))
    check(model.fill(texts, candidates=candidates, n=7), expected[:7], texts[0])


def test_a_space_before_a_mask_belongs_to_the_masked_piece(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    """A tokenizer that writes the space before its mask token as a piece gives what one gives that strips it."""
    save_masked_lm(tmp_path, "bpe without lstrip")
    model, other = load_masked_lm(tmp_path), load_masked_lm(folder("bpe"))
    mask = model.checkpoint.engine.tokenizer.mask_token
    assert model.checkpoint.engine.tokenizer.tokenize(f"the {mask}") == ["the", "Ġ", mask]
    assert other.checkpoint.engine.tokenizer.tokenize(f"the {mask}")[0::2] == ["the"]
    texts = ["the {mask} is ({mask}).", "{mask} was {mask}"]
    assert model.fill(texts) == other.fill(texts)


def test_equal_scores_are_sorted_by_word(tmp_path: Path) -> None:
    save_masked_lm(tmp_path, "wordpiece")
    model = load_masked_lm(tmp_path)
    for parameter in model.checkpoint.engine.model.parameters():
        parameter.data.zero_()
    words = sorted([*WORDS, "un"])
    found = model.fill(["{mask} is {mask}"], n=len(words) + 2)
    assert [one[0] for one in found] == [*(("anna", word) for word in words), ("ben", "anna"), ("ben", "ben")]
    np.testing.assert_allclose([one[2] for one in found], -2 * math.log(len(SPECIAL) + len(PIECES)), rtol=1e-12)
    found = model.fill(["{mask} is sad"], candidates=["Anna", "cook", "ANNA", "anna"])
    assert [one[0][0] for one in found] == ["ANNA", "Anna", "anna", "cook"]


def test_padding_on_the_left_does_not_move_the_masks(folder: Callable[[str], Path]) -> None:
    model = load_float64(folder("bpe"))
    texts = ["{mask} is sad", "the nurse was ({mask}) and the cook was sad"]
    right = model.fill(texts, candidates=["cook", "unhappy cook", "nurses"])
    model.checkpoint.engine.tokenizer.padding_side = "left"
    left = model.fill(texts, candidates=["cook", "unhappy cook", "nurses"])
    assert [one[:2] for one in left] == [one[:2] for one in right]
    np.testing.assert_allclose([one[2] for one in left], [one[2] for one in right], atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([], {}, "texts=[] holds no text; expected one at least."),
        (["the cook"], {}, "the text 'the cook' has no {mask}.\n    Write it in place of each word."),
        (
            ["{mask} is {mask}", "{mask} is"],
            {},
            "the text '{mask} is' has 1 mask, the first text 2; expected the same number in each.",
        ),
        (["[MASK] is {mask}"], {}, "the text '[MASK] is {mask}' holds the model's mask token [MASK]; expected {mask}."),
        (
            ["{mask}" + " sad" * 22],
            {},
            f"the text {('{mask}' + ' sad' * 22)[:57] + '...'!r} has 25 tokens; expected at most 24, which is what the "
            "model reads.\n    Shorten it.",
        ),
        (
            ["{mask}" + " sad" * 21],
            {"candidates": ["nurse", "nurses"]},
            "a text with its fill-ins has 25 tokens; expected at most 24, which is what the model reads."
            "\n    Shorten it.",
        ),
        (["{mask}"], {"n": 0}, "n=0 is too small; expected 1 or more."),
        (
            ["{mask}"],
            {"candidates": ["cook", "José"]},
            "the candidate 'José' cannot be written with the model's vocabulary.\n    Leave it out.",
        ),
        (
            ["{mask}"],
            {"candidates": ["[MASK]"]},
            "the candidate '[MASK]' cannot be written with the model's vocabulary.\n    Leave it out.",
        ),
    ],
)
def test_what_cannot_be_filled_is_named(
    texts: list[str], options: dict[str, Any], message: str, folder: Callable[[str], Path]
) -> None:
    with pytest.raises(OptionError) as error:
        load_masked_lm(folder("wordpiece")).fill(texts, **options)
    assert str(error.value) == message


def test_weights_that_give_nan_are_an_error(tmp_path: Path) -> None:
    model = load_masked_lm(save_masked_lm(tmp_path, "wordpiece"))
    model.checkpoint.engine.model.bert.embeddings.word_embeddings.weight.data[:] = math.nan
    with pytest.raises(
        PredictionError, match=r"^the masked language model gives log-probabilities that are NaN\.\n    Check the"
    ):
        model.fill(["the {mask}"])


def save_other_kind(folder: Path, kind: str) -> Path:
    tokenizer = make_tokenizer("wordpiece")
    tokenizer.save_pretrained(folder)
    bert = transformers.BertConfig(vocab_size=len(tokenizer), max_position_embeddings=32, **SIZES)
    if kind == "causal":
        config = transformers.GPT2Config(vocab_size=len(tokenizer), n_positions=32, n_embd=32, n_layer=1, n_head=2)
        model = transformers.GPT2LMHeadModel(config)
    elif kind == "pretraining":
        model = transformers.BertForPreTraining(bert)
    else:
        model = getattr(transformers, {"classifier": "BertForSequenceClassification", "encoder": "BertModel"}[kind])(
            bert
        )
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        ("causal", "a text generator (GPT2LMHeadModel)"),
        ("classifier", "a classifier of whole texts (BertForSequenceClassification)"),
        ("encoder", "an encoder without a classification head (BertModel)"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path: Path, kind: str, what: str) -> None:
    folder = save_other_kind(tmp_path / "other", kind)
    with pytest.raises(ModelError) as error:
        load_masked_lm(folder)
    assert str(error.value) == (
        f"the model {folder} is {what}; expected a masked language model (...ForMaskedLM).\n"
        "    Give a model that was trained to predict masked words."
    )


def test_folders_that_are_incomplete_are_refused_and_loaded_models_returned(
    tmp_path: Path, folder: Callable[[str], Path]
) -> None:
    pretrained = load_masked_lm(save_other_kind(tmp_path / "pretraining", "pretraining"))
    assert len(pretrained.fill(["the {mask} is sad"])) == len(WORDS) + 1
    model = load_masked_lm(str(folder("wordpiece")))
    assert load_masked_lm(model) is model
    with pytest.raises(OptionError, match=r"^name=3 is no masked language model\.\n    Expected a folder, a hub id or"):
        load_masked_lm(3)  # type: ignore[arg-type]
    pickled = save_masked_lm(tmp_path / "pickled", "wordpiece")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"has its weights only as pickle \(pytorch_model\.bin\)"):
        load_masked_lm(pickled)
    unmasked = save_masked_lm(tmp_path / "unmasked", "wordpiece")
    settings = json.loads((unmasked / "tokenizer_config.json").read_text())
    del settings["mask_token"]
    (unmasked / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError) as error:
        load_masked_lm(unmasked)
    assert str(error.value) == (
        f"the tokenizer of the model {unmasked} has no mask token.\n"
        "    Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder)."
    )
