"""Transformers taggers: tiny random models, made on the spot, against a plain loop of one text at a time."""

import functools
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from build_tagger import spans_of
from refusals import refusal
from sweep import sweep
from tag_schemes import encode

from fairness_checklist.core.errors import ModelError, PredictionError
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.tagging import SCHEMES, TagSet, words
from fairness_checklist.models.huggingface.alignment import split_texts
from fairness_checklist.models.huggingface.classifiers import HuggingFaceTagger
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("one_thread")

SUITE = ("PER", "LOC", "ORG", "MISC")
LABELS = ("O", "B-PER", "I-PER", "B-GPE", "I-GPE", "B-ORG", "I-ORG", "B-DATE", "I-DATE")
SENTENCE = (
    "anna ben miller moved to france and guinea bissau with the world bank of north macedonia yesterday writer "
    "met in paris don't isn't u.s. o'brien 1998 zurich"
)
VOCABULARY = SENTENCE.split()
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
KINDS = ("bert", "roberta", "roberta, prefix space", "roberta, untrimmed", "unigram", "unigram, split words")
ODD = [
    "",
    " ",
    "Anna",
    "  Anna  met\tBen . ",
    "Anna's friend O'Brien (Guinea-Bissau) isn't in the U.S., don't you know?",
    "Zürich ﬁnal … ½ “quoted” naïve 日本語 \N{GRINNING FACE} x²",
    "a\u0301b Ἀθῆναι",
    "moved\nto\n\nFrance!!!",
]


def make_texts(n: int, keep_longest: int, seed: int = 0) -> list[str]:
    draw = np.random.default_rng(seed)
    return [" ".join(draw.choice(VOCABULARY, size=draw.integers(1, keep_longest + 1))).title() + "." for _ in range(n)]


def save_tokenizer(folder: Path, kind: str, limit: int) -> int:
    """A small tokenizer of a family; "untrimmed" and "unigram" count the space before a word to it."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    letters = sorted({letter for word in VOCABULARY for letter in word + word.title()} | set(".,!?()'-"))
    whole = [*VOCABULARY[::3], *(word.title() for word in VOCABULARY[::3])]
    pieces = sorted({word[:3] for word in VOCABULARY if word not in whole})
    tokenizer: Any
    if kind == "bert":
        special = ["[CLS]", "[PAD]", "[SEP]", "[UNK]"]
        known = dict.fromkeys([*special, *letters, *(f"##{letter}" for letter in letters), *whole, *pieces, "##er"])
        tokenizer = Tokenizer(models.WordPiece({piece: at for at, piece in enumerate(known)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    elif kind.startswith("roberta"):
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space="prefix" in kind)
        trainer = trainers.BpeTrainer(
            vocab_size=330,
            special_tokens=special,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        tokenizer.train_from_iterator([" ".join(VOCABULARY), " ".join(VOCABULARY).title()], trainer)
    else:
        spaced = [f"\u2581{piece}" for piece in [*whole, *pieces]]
        known = dict.fromkeys([*special, "\u2581", *letters, *spaced, "n't", "er", "\u2581to\u2581France"])
        scores = [(piece, 0.0 if piece in special else -8.0 / len(piece)) for piece in known]
        tokenizer = Tokenizer(models.Unigram(scores, unk_id=3))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split="split" in kind)
    if kind.startswith("roberta"):
        tokenizer.post_processor = processors.RobertaProcessing(
            ("</s>", 2), ("<s>", 0), trim_offsets="untrimmed" not in kind, add_prefix_space="prefix" in kind
        )
    else:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{special[0]} $A {special[2]}", special_tokens=[(special[0], 0), (special[2], 2)]
        )
    names = ("cls_token", "pad_token", "sep_token", "unk_token")
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=limit, **dict(zip(names, special, strict=True))
    ).save_pretrained(folder)
    return int(tokenizer.get_vocab_size())


def save_model(folder: Path, kind: str, labels: tuple[str, ...], limit: int) -> Path:
    """A random tagger of a family with its tokenizer, as save_pretrained writes them."""
    size = save_tokenizer(folder, kind, limit)
    torch.manual_seed(7)
    options = {
        "vocab_size": size,
        "max_position_embeddings": limit + 2,
        "pad_token_id": 1,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: at for at, label in enumerate(labels)},
        "initializer_range": 0.4,
        **SIZES,
    }
    family = {"bert": "Bert", "rober": "Roberta", "unigr": "XLMRoberta"}[kind[:5]]
    config = getattr(transformers, f"{family}Config")(**options)
    model = getattr(transformers, f"{family}ForTokenClassification")(config)
    with torch.inference_mode():
        usual = model.eval()(torch.arange(4, size)[:, None]).logits.mean(dim=(0, 1))
    model.classifier.bias.data -= usual
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Models that are made once and only read."""

    @functools.cache
    def make(kind: str = "bert", labels: tuple[str, ...] = LABELS, limit: int = 128) -> Path:
        return save_model(tmp_path_factory.mktemp("tagger"), kind, labels, limit)

    return make


def load(folder: Any, **options: Any) -> HuggingFaceTagger:
    model = load_model(folder, task="ner", **options)
    assert isinstance(model, HuggingFaceTagger)
    return model


def matrix(predicted: TokenPredictions) -> np.ndarray[Any, np.dtype[np.float64]]:
    assert predicted.probabilities is not None
    return predicted.probabilities


@functools.cache
def plain(folder: Path) -> tuple[Any, Any]:
    return (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModelForTokenClassification.from_pretrained(folder).eval(),
    )


def reference(folder: Path, text: str, pooling: str) -> tuple[list[list[float]], list[bool]]:
    """Tag probabilities of each word by transformers itself and loops over characters; which words it sees."""
    tokenizer, model = plain(folder)
    encoded = tokenizer(text, return_tensors="pt", return_offsets_mapping=True, return_special_tokens_mask=True)
    special, offsets = encoded.pop("special_tokens_mask")[0].tolist(), encoded.pop("offset_mapping")[0].tolist()
    with torch.inference_mode():
        rows = model(**encoded).logits[0].double().softmax(dim=1).tolist()
    places = words(text)
    of: list[list[int]] = [[] for _ in places]
    for token, (start, end) in enumerate(offsets):
        if special[token]:
            continue
        covered = [at for at, (left, right) in enumerate(places) if set(range(left, right)) & set(range(start, end))]
        if not covered and tokenizer.convert_ids_to_tokens(encoded.input_ids[0, token].item()) in ("\u2581", "\u0120"):
            covered = [at for at, (left, _right) in enumerate(places) if left == end]
        for at in covered:
            of[at].append(token)
    outside = [float(at == 0) for at in range(len(rows[0]))]
    read = [tokens[:1] if pooling == "first" else tokens for tokens in of]
    means = [np.mean([rows[token] for token in tokens], axis=0).tolist() if tokens else outside for tokens in read]
    return means, [bool(tokens) for tokens in of]


def by_type(rows: list[list[float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Over PER, LOC, ORG, O from probabilities over LABELS."""
    p = np.array(rows, dtype=np.float64).reshape(-1, len(LABELS))
    return np.column_stack([p[:, 1] + p[:, 2], p[:, 3] + p[:, 4], p[:, 5] + p[:, 6], p[:, 0] + p[:, 7] + p[:, 8]])


@pytest.mark.parametrize(("kind", "pooling"), [*((kind, "first") for kind in KINDS), ("roberta", "mean")])
def test_words_are_those_of_one_text_at_a_time(kind: str, pooling: str, folders: Callable[..., Path]) -> None:
    folder = folders(kind)
    texts = [*make_texts(15, 12), *ODD]
    predicted = load(folder, batch_tokens=128, pooling=pooling).predict(texts)
    assert predicted.types == ("PER", "LOC", "ORG")
    expected = [reference(folder, text, pooling) for text in texts]
    assert predicted.offset.tolist() == [0, *itertools.accumulate(len(rows) for rows, _ in expected)]
    rows = [row for rows, _ in expected for row in rows]
    assert np.ptp(by_type(rows), axis=0).min() > 0.1
    np.testing.assert_allclose(matrix(predicted), by_type(rows), rtol=0, atol=1e-5)
    tags = TagSet.of(LABELS)
    spans, repaired = tags.decode(np.array(rows).argmax(axis=1), predicted.offset)
    names = {"PER": "PER", "GPE": "LOC", "ORG": "ORG"}
    table = zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), spans.type.tolist(), strict=True)
    mapped = [(*place, names[tags.types[kind]]) for *place, kind in table if tags.types[kind] in names]
    assert len(mapped) > 10
    assert spans_of(predicted) == mapped
    assert predicted.repaired.tolist() == repaired.tolist()
    assert repaired.sum() > 5
    unseen = sum(not seen for _, some in expected for seen in some)
    notes = ["the model has no MISC", "the model's DATE is read as O"]
    if unseen:
        have, are = ("word has", "is") if unseen == 1 else ("words have", "are")
        notes.append(f"{unseen} {have} no sub-word of the model and {are} read as O")
    if pooling == "mean":
        notes.append("a word's probabilities are the mean over its sub-words")
    assert predicted.notes == tuple(notes)


def test_scores_are_those_of_the_pipeline(folders: Callable[..., Path]) -> None:
    folder = folders(labels=("O", "PER", "LOC", "ORG", "MISC"))
    texts = make_texts(10, 10)
    pipeline = transformers.pipeline("token-classification", model=str(folder), device="cpu")
    predicted = load(folder).predict(texts)
    order = ("O", *predicted.types)
    p = matrix(predicted)[:, [4, 0, 1, 2, 3]]
    seen = 0
    for row, text in enumerate(texts):
        tokens = {token["start"]: token for token in pipeline(text, ignore_labels=[])}
        for at, (start, _end) in enumerate(words(text), start=int(predicted.offset[row])):
            assert order[int(p[at].argmax())] == tokens[start]["entity"]
            assert p[at].max() == pytest.approx(tokens[start]["score"], abs=1e-5)
            seen += 1
    assert seen == len(p)
    again = load_model(pipeline, task="ner").predict(texts)
    assert matrix(again).tobytes() == matrix(predicted).tobytes()


def test_the_bytes_depend_neither_on_the_order_nor_on_duplicates(folders: Callable[..., Path]) -> None:
    model = load(folders())
    texts = sorted({*make_texts(150, 10), *ODD})
    first = model.predict(texts)
    order = np.random.default_rng(1).permutation(len(texts))
    again = model.predict([texts[row] for row in [*order, *order[:20]]])
    expected = first.at(np.concatenate([order, order[:20]]))
    assert matrix(again).tobytes() == matrix(expected).tobytes()
    assert spans_of(again) == spans_of(expected)
    assert again.offset.tolist() == expected.offset.tolist()
    assert again.repaired.tolist() == expected.repaired.tolist()
    other = load(folders(), batch_tokens=64).predict(texts)
    np.testing.assert_allclose(matrix(other), matrix(first), rtol=0, atol=1e-5)


def test_texts_without_words_and_words_that_the_tokenizer_drops(folders: Callable[..., Path]) -> None:
    model = load(folders())
    for texts in ([], [""], ["", " "]):
        predicted = model.predict(texts)
        assert (len(predicted), matrix(predicted).shape, len(predicted.spans)) == (len(texts), (0, 4), 0)
    predicted = model.predict(["Anna \u0001 met \N{REPLACEMENT CHARACTER} Ben", "Anna met Ben"])
    assert matrix(predicted)[[1, 3]].tolist() == [[0.0, 0.0, 0.0, 1.0]] * 2
    assert predicted.notes[-1] == "2 words have no sub-word of the model and are read as O"


@pytest.mark.parametrize("kind", ["bert", "roberta", "unigram"])
def test_long_texts_are_split_between_words(kind: str, folders: Callable[..., Path]) -> None:
    folder = folders(kind, limit=24)
    model = load(folder)
    assert model.engine.limit == 24
    long = [*make_texts(4, 60, seed=3), "Zurich-" * 30 + "Paris met Anna"]
    texts = [*make_texts(5, 3), *long]
    parts = split_texts(model.engine.tokenizer, texts, 24)
    assert np.diff(parts.tokens.offset).max() <= 24
    assert parts.split.tolist() == [len(model.engine.tokenizer(text).input_ids) > 24 for text in texts]
    n_split = int(parts.split.sum())
    assert n_split >= 4
    predicted = model.predict(texts)
    assert predicted.offset.tolist() == [0, *itertools.accumulate(len(words(text)) for text in texts)]
    assert f"{n_split} of {len(texts)} texts are longer than the model's 24 tokens and were split" in predicted.notes
    whole = model.engine.tokenizer(texts, add_special_tokens=False).input_ids
    assert parts.tokens.ids[parts.position[~parts.special]].tolist() == [token for row in whole for token in row]
    one = model.predict(long[:1])
    assert "1 of 1 texts is longer than the model's 24 tokens and was split" in one.notes


class ScriptedForTokenClassification(torch.nn.Module):  # type: ignore[misc]
    """A tagger whose logits depend on each token alone: windows must change nothing. Its name says what it is."""

    def __init__(self, config: Any, table: Any) -> None:
        super().__init__()
        self.config = config
        self.table = torch.nn.Parameter(table)
        self.device, self.dtype = self.table.device, self.table.dtype

    def forward(self, input_ids: Any, **_options: Any) -> Any:
        return SimpleNamespace(logits=self.table[input_ids])


def scripted(folder: Path, labels: list[str], table: Any, limit: int | None = None) -> tuple[Any, Any]:
    """(model, tokenizer) whose logits are set by token."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    if limit is not None:
        tokenizer.model_max_length = limit
    config = transformers.PretrainedConfig(id2label=dict(enumerate(labels)), vocab_size=len(tokenizer), pad_token_id=1)
    return ScriptedForTokenClassification(config, table), tokenizer


@sweep("kind", ["bert", "roberta, untrimmed", "unigram", "unigram, split words"])
def test_windows_lose_and_repeat_no_word(kind: str, folders: Callable[..., Path]) -> None:
    folder = folders(kind)
    torch.manual_seed(3)
    table = torch.randn(400, len(LABELS), dtype=torch.float64)
    texts = [*make_texts(30, 40, seed=5), *ODD, "Zurich-" * 20]
    whole = load(scripted(folder, list(LABELS), table, 10**6)).predict(texts)
    assert not any("split" in note for note in whole.notes)
    for limit in (5, 8, 19):
        cut = load(scripted(folder, list(LABELS), table, limit)).predict(texts)
        assert any("were split" in note for note in cut.notes)
        np.testing.assert_allclose(matrix(cut), matrix(whole), rtol=0, atol=1e-12)
        assert spans_of(cut) == spans_of(whole)


def test_windows_overlap_and_words_are_read_inside(folders: Callable[..., Path]) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders("unigram"))
    text = " ".join(["France"] * 60)
    per_word = (len(tokenizer(text).input_ids) - 2) // 60
    limit = 2 + 20 * per_word
    parts = split_texts(tokenizer, [text], limit)
    starts = parts.tokens.offset
    n = len(starts) - 1
    assert np.diff(starts)[:-1].tolist() == [limit] * (n - 1)
    assert n > 3
    for window in range(n):
        inside = (parts.position >= starts[window]) & (parts.position < starts[window + 1])
        here = parts.position[inside] - starts[window]
        if window:
            assert here.min() - 1 >= 2 * per_word
        if window < n - 1:
            assert limit - 1 - here.max() >= 2 * per_word


@sweep("scheme", [*SCHEMES, "BIO"])
def test_schemes(scheme: str, folders: Callable[..., Path]) -> None:
    """A model that tags each word by its number says what the scheme says."""
    spans = [(0, 1, "PER"), (1, 3, "GPE"), (3, 6, "GPE"), (7, 8, "DATE"), (8, 10, "ORG")]
    tags = encode(spans, 11, scheme)
    labels = list(dict.fromkeys(["O", *tags]))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders())
    text = "anna ben miller moved to france and guinea bissau with the"
    table = torch.zeros(len(tokenizer), len(labels), dtype=torch.float64)
    firsts = [tokenizer(word, add_special_tokens=False).input_ids[0] for word in text.split()]
    assert len(set(firsts)) == 11
    for token, tag in zip(firsts, tags, strict=True):
        table[token, labels.index(tag)] = 3.0
    given = "" if scheme != "IOB1" else "IOB1"  # PER has no B-, which says so too
    assert scheme != "IOB1" or load(scripted(folders(), labels, table)).describe()["scheme"] == "IOB1"
    model = load(scripted(folders(), labels, table), scheme=given)
    predicted = model.predict([text])
    expected = [(0, 0, 1, "PER"), (0, 1, 3, "LOC"), (0, 3, 6, "LOC"), (0, 8, 10, "ORG")]
    if scheme == "plain":
        expected[1:3] = [(0, 1, 6, "LOC")]
    assert spans_of(predicted) == expected
    assert predicted.repaired.tolist() == [0]
    assert model.describe()["scheme"] == TagSet.of(labels, scheme).scheme
    share = np.exp(3) / (np.exp(3) + len(labels) - 1)
    gpe, rest = sum(label.endswith("GPE") for label in labels), 1 / (np.exp(3) + len(labels) - 1)
    assert matrix(predicted)[1, 1] == pytest.approx(share + (gpe - 1) * rest)


def test_types_are_mapped_and_named(folders: Callable[..., Path]) -> None:
    model = load(folders(), labels={"GPE": "MISC", "DATE": "LOC"})
    assert model.classes == SUITE
    described = json.loads(json.dumps(model.describe()))
    assert described["types"] == {"PER": "PER", "GPE": "MISC", "ORG": "ORG", "DATE": "LOC"}
    assert (described["scheme"], described["types_missing"]) == ("IOB2", [])
    few = load(folders(), labels={"GPE": "O"})
    few.engine.model.config.label2id = {"O": 1, "B-PER": 0}
    assert few.predict(["Anna"]).notes == (
        "the model has no LOC, MISC",
        "the model's GPE, DATE are read as O",
        f"the configuration has a label2id that contradicts its id2label, which is used: "
        f"{', '.join(f'{code} {label}' for code, label in enumerate(LABELS))}",
    )


def test_labels_that_are_uninformative_need_tags(folders: Callable[..., Path]) -> None:
    folder, texts = folders(labels=("LABEL_0", "LABEL_1", "LABEL_2")), make_texts(5, 5)
    tags = ["B-LOC", "I-LOC", "O"]
    named = {f"LABEL_{at}": tag for at, tag in enumerate(tags)}
    first, *others = (load(folder, labels=labels).predict(texts) for labels in (named, tags, dict(enumerate(tags))))
    assert first.types == ("LOC",)
    for again in others:
        assert matrix(again).tobytes() == matrix(first).tobytes()
        assert spans_of(again) == spans_of(first)
    plain = load(folder, labels={"LABEL_0": "LOC", "LABEL_1": "PER", "LABEL_2": "O"})
    assert (plain.classes, plain.describe()["scheme"]) == (("PER", "LOC"), "plain")


def test_predictions_are_kept_as_they_come(tmp_path: Path, folders: Callable[..., Path]) -> None:
    texts = [*make_texts(40, 30), *ODD]
    folder = folders(limit=24)
    store = tmp_path / "predictions.sqlite"
    whole = load(folder).predict(texts)
    first = predict_with_store(load(folder), texts, store)
    model = load(folder)
    model.engine.model.forward = None
    again = predict_with_store(model, texts[::-1], store)
    backwards = whole.at(np.arange(len(texts))[::-1])
    for predicted, expected in ((first, whole), (again, backwards)):
        assert matrix(predicted).tobytes() == matrix(expected).tobytes()
        assert spans_of(predicted) == spans_of(expected)
        assert predicted.repaired.tolist() == expected.repaired.tolist()
        assert predicted.offset.tolist() == expected.offset.tolist()
        assert predicted.notes == whole.notes
    assert "were split" in "".join(whole.notes)
    options: list[dict[str, Any]] = [{"labels": {"GPE": "MISC"}}, {"scheme": "IOB1"}, {"max_length": 20}]
    options += [{"batch_tokens": 64}, {"dtype": "bfloat16"}]
    prints = {load(folder, **one).fingerprint for one in options}
    assert len({model.fingerprint, load(folders()).fingerprint, *prints}) == 7
    assert load(folder).fingerprint == model.fingerprint


def test_models_that_cannot_tag_are_refused(folders: Callable[..., Path]) -> None:
    tokenizer, model = plain(folders())
    classifier = transformers.BertForSequenceClassification(model.config)
    with pytest.raises(ModelError, match=r"of the class BertForSequenceClassification; expected a token classifier"):
        load((classifier, tokenizer))
    named = transformers.AutoModelForTokenClassification.from_pretrained(folders())
    named.name_or_path = "runs/tagger"
    assert refusal(ModelError, load, (named, SimpleNamespace(is_fast=False))) == (
        "the tokenizer of the model tagger (SimpleNamespace) does not give the positions of sub-words in the text; "
        "expected a fast one, as a tokenizer.json gives.\n"
        "    Convert it, where transformers can: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
        "or wrap the model in a function that returns tags."
    )
    table = torch.full((400, 3), float("nan"), dtype=torch.float64)
    undecided = load(scripted(folders(), ["O", "B-PER", "I-PER"], table))
    assert refusal(PredictionError, undecided.predict, ["", "Anna met Ben"]) == (
        'the text "Anna met Ben": the probabilities of its word 1, "Anna", are none: '
        "the row holds NaN or infinity: PER=nan, O=nan.\n"
        "    Return probabilities, not logits: apply a softmax first, and handle rows that fail."
    )
