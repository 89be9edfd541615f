"""Transformers classifiers: tiny random models, made on the spot, against a plain loop of one text at a time."""

import functools
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from build_models import WORDS, make_texts, make_tokenizer, save_model
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.models.huggingface.classifiers import HuggingFaceClassifier
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Models that are made once and only read."""

    @functools.cache
    def make(kind: str = "Bert", labels: tuple[str, ...] = ("NEGATIVE", "POSITIVE"), limit: int = 64) -> Path:
        return save_model(tmp_path_factory.mktemp(kind), labels, limit, kind)

    return make


def load(folder: Path, **options: Any) -> HuggingFaceClassifier:
    model = load_model(folder, **options)
    assert isinstance(model, HuggingFaceClassifier)
    return model


def probabilities(model: HuggingFaceClassifier, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    values = model.predict(texts).probabilities
    assert values is not None
    return values


@functools.cache
def plain(folder: Path) -> tuple[Any, Any]:
    return (
        transformers.AutoTokenizer.from_pretrained(folder),
        transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval(),
    )


def reference(folder: Path, texts: list[str], limit: int | None = None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Label probabilities by transformers itself, one text at a time."""
    tokenizer, model = plain(folder)
    rows = []
    with torch.inference_mode():
        for text in texts:
            inputs = tokenizer(text, return_tensors="pt", truncation=limit is not None, max_length=limit)
            rows.append(model(**inputs).logits.softmax(dim=1)[0].numpy())
    return np.array(rows, dtype=np.float64)


def test_the_bytes_depend_neither_on_the_order_nor_on_duplicates(folders: Callable[..., Path]) -> None:
    model = load(folders())
    texts = sorted(set(make_texts(300, 10)))
    first = probabilities(model, texts)
    order = np.random.default_rng(1).permutation(len(texts))
    shuffled = [texts[row] for row in order]
    again = probabilities(model, shuffled + shuffled[:50])
    assert again[: len(texts)].tobytes() == first[order].tobytes()
    assert again[len(texts) :].tobytes() == first[order[:50]].tobytes()
    np.testing.assert_allclose(probabilities(load(folders(), batch_tokens=64), texts), first, rtol=0, atol=1e-5)


def test_each_text_goes_through_the_model_once(folders: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(folders())
    shapes: list[tuple[int, ...]] = []
    masks: list[bool] = []
    forward = model.engine.model.forward

    def spy(**inputs: Any) -> Any:
        shapes.append(tuple(inputs["input_ids"].shape))
        masks.append("attention_mask" in inputs)
        return forward(**inputs)

    monkeypatch.setattr(model.engine.model, "forward", spy)
    model.predict(["anna is happy ."] * 5 + ["ben is sad ."] * 5)
    assert shapes == [(2, 6)]
    assert masks == [False]
    model.predict(["anna is happy.", "ben is."])
    assert shapes[1:] == [(1, 5), (1, 6)]
    assert not any(masks)


@sweep(("kind", "limit"), [("Bert", 16), ("Roberta", 15)])
def test_long_texts_are_cut_and_counted(kind: str, limit: int, folders: Callable[..., Path]) -> None:
    folder = folders(kind, limit=16)
    long = " ".join(WORDS) + "."
    texts = ["anna is sad.", long, "ben is happy.", long + " " + long, long]
    model = load(folder)
    assert model.engine.limit == limit
    found = model.predict(texts)
    expected = reference(folder, texts, limit)
    np.testing.assert_allclose(np.asarray(found.probabilities), expected, rtol=0, atol=1e-5)
    assert found.notes == (f"3 of 5 texts are longer than the model's {limit} tokens and were cut",)
    assert model.predict(texts[:2]).notes == (f"1 of 2 texts is longer than the model's {limit} tokens and was cut",)


LABEL2ID: tuple[tuple[Any, bool], ...] = (  # and whether it is noted that it contradicts id2label
    ({"neg": 0, "pos": 1}, False),
    ({"Neg": 0, "POS": "1", "negative": 0}, False),  # the same in capitals, and a second name
    ({"LABEL_0": 0, "LABEL_1": 1}, False),  # what transformers fills in
    (None, False),
    ({"pos": 0, "neg": 1}, True),
    ({"neg": 1, "pos": 2}, True),
    ({"neg": 0, "pos": 0}, True),
    ({"positive": 0, "negative": 1}, True),
)


def test_a_label2id_that_contradicts_id2label_is_noted(folders: Callable[..., Path], tmp_path: Path) -> None:
    folder = shutil.copytree(folders(labels=("neg", "pos")), tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    expected = reference(folder, ["anna is sad."])
    note = "the configuration has a label2id that contradicts its id2label, which is used: 0 neg, 1 pos"
    for label2id, noted in LABEL2ID:
        (folder / "config.json").write_text(json.dumps({**config, "label2id": label2id}))
        found = load(folder).predict(["anna is sad."])
        assert found.notes == ((note,) if noted else ()), label2id
        np.testing.assert_allclose(np.asarray(found.probabilities), expected, rtol=0, atol=1e-5)


def test_the_user_may_cut_earlier_but_not_later(folders: Callable[..., Path]) -> None:
    folder = folders()
    texts = make_texts(20, 10)
    found = load(folder, max_length=6)
    np.testing.assert_allclose(probabilities(found, texts), reference(folder, texts, 6), rtol=0, atol=1e-5)
    for max_length in (2, 65):
        assert refusal(OptionError, load, folder, max_length=max_length) == (
            f"max_length={max_length} is out of range; expected 3 to 64 tokens, which is what the model reads."
        )


def test_describe_names_the_model_and_no_path(folders: Callable[..., Path]) -> None:
    folder = folders()
    model = load(folder)
    described = model.describe()
    weights = (folder / "model.safetensors").read_bytes()
    assert described["name"] == folder.name
    assert described["weights_sha256"] == hashlib.sha256(weights).hexdigest()
    assert described["architecture"] == "BertForSequenceClassification"
    assert described["parameters"] == sum(p.numel() for p in model.engine.model.parameters())
    assert described["dtype"] == "float32"
    assert described["max_length"] == 64
    assert described["versions"]["torch"] == torch.__version__  # type: ignore[index]
    assert str(folder.parent) not in json.dumps(described)


def test_objects_are_loaded_as_they_are_and_given_back_as_they_were(folders: Callable[..., Path]) -> None:
    folder = folders()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).train()
    texts = make_texts(20, 8)
    expected = probabilities(load(folder), texts)
    assert probabilities(load_model((model, tokenizer)), texts).tobytes() == expected.tobytes()  # type: ignore[arg-type]
    assert model.training
    prints = {load_model((model, tokenizer)).fingerprint for _ in range(2)}  # type: ignore[attr-defined]
    model.config.hidden_act = "relu"
    prints.add(load_model((model, tokenizer)).fingerprint)  # type: ignore[attr-defined]
    assert len(prints) == 2
    pipeline = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    assert probabilities(load_model(pipeline), texts).tobytes() == expected.tobytes()  # type: ignore[arg-type]
    assert refusal(ModelError, load_model, (model.bert, tokenizer)) == (
        f"the model {folder.name} is of the class BertModel; expected a sequence classifier "
        "(...ForSequenceClassification).\n    Give a model that was trained to classify whole texts; a tagger is one "
        'for task="ner".'
    )


def test_predictions_are_kept_under_all_that_decides_them(tmp_path: Path, folders: Callable[..., Path]) -> None:
    texts = make_texts(40, 30)
    long = load(folders(limit=16))
    store = tmp_path / "predictions.sqlite"
    first = predict_with_store(long, texts, store)
    again = predict_with_store(load(folders(limit=16)), texts[::-1], store)
    assert np.asarray(again.probabilities)[::-1].tobytes() == np.asarray(first.probabilities).tobytes()
    assert again.notes == first.notes
    assert "were cut" in first.notes[0]
    other = shutil.copytree(folders(limit=16), tmp_path / "other")
    prints = {
        long.fingerprint,
        load(folders()).fingerprint,
        load(folders(limit=16), max_length=8).fingerprint,
        load(folders(limit=16), dtype="bfloat16").fingerprint,
        load(folders(limit=16), labels={"NEGATIVE": "positive", "POSITIVE": "negative"}).fingerprint,
    }
    assert len(prints) == 5
    assert load(other).fingerprint == long.fingerprint
    (other / "tokenizer.json").write_text((other / "tokenizer.json").read_text().replace('"anna"', '"hanna"'))
    assert load(other).fingerprint not in prints


def test_loading_prints_nothing(folders: Callable[..., Path], capfd: pytest.CaptureFixture[str]) -> None:
    folder = folders(limit=16)
    capfd.readouterr()  # what the library prints while it saves
    load(folder).predict(make_texts(5, 40), progress=True)
    assert capfd.readouterr() == ("", "")


def remove(*names: str) -> Callable[[Path], None]:
    return lambda folder: [(folder / name).unlink() for name in names] and None


def to_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"never opened")
    (folder / "training_args.bin").write_bytes(b"never opened")


def configure(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


def headless(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    save_file(
        {name: tensor for name, tensor in tensors.items() if not name.startswith("classifier")},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )


SPOILT: tuple[tuple[Callable[[Path], Any], str], ...] = (  # how a folder is spoilt, and what the message says
    (remove("config.json"), "the model folder {} holds no config.json."),
    (remove("model.safetensors"), "holds no weights: neither model.safetensors nor its shards"),
    (remove("tokenizer.json", "tokenizer_config.json"), "holds no tokenizer: neither tokenizer.json"),
    (to_pickle, "has its weights only as pickle (pytorch_model.bin), which can run code"),
    (
        configure(architectures=["BertForTokenClassification"]),
        "the model {} is of the class BertForTokenClassification; expected a sequence classifier",
    ),
    (configure(architectures=["BertModel"]), "is of the class BertModel; expected"),
    (headless, "lack 2 of its tensors, or hold them in another shape (classifier.bias, classifier.weight)"),
    (configure(intermediate_size=40), "lack 6 of its tensors, or hold them in another shape"),
    (lambda folder: (folder / "config.json").write_text("{"), "config.json in {} is not readable JSON: Exp"),
    (lambda folder: (folder / "config.json").write_text("{}"), "config.json in {} names no model_type;"),
    (
        lambda folder: (folder / "model.safetensors").write_bytes(b"\x08" + bytes(7) + b"not json"),
        "the weights of the model {} cannot be loaded: Error while deserializing header: invalid JSON in header",
    ),
)


def test_a_folder_that_is_no_model_explains_what_is_wrong(tmp_path: Path, folders: Callable[..., Path]) -> None:
    for number, (spoil, text) in enumerate(SPOILT):
        folder = shutil.copytree(folders(), tmp_path / f"model-{number}")
        spoil(folder)
        message, remedy = refusal(ModelError, load_model, str(folder), task="sentiment").split("\n    ")
        assert text.replace("{}", str(folder)) in message
        assert re.match(r"Save|Give a model that was trained to classify whole texts|Convert it once", remedy), text


def test_a_tokenizer_without_words_is_no_tokenizer(tmp_path: Path, folders: Callable[..., Path]) -> None:
    folder = shutil.copytree(folders(), tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    assert refusal(ModelError, load_model, folder) == (
        f"the tokenizer of the model {folder} has no vocabulary: 5 tokens, all of them special ones.\n"
        "    Save it into the folder: tokenizer.save_pretrained(folder)."
    )


def test_a_tokenizer_of_another_model(tmp_path: Path, folders: Callable[..., Path]) -> None:
    folder = shutil.copytree(folders(), tmp_path / "model")
    tokenizer = make_tokenizer(64)
    tokenizer.add_tokens(["zebra"])
    tokenizer.save_pretrained(folder)
    model = load_model(folder)
    size = json.loads((folder / "config.json").read_text())["vocab_size"]
    message, remedy = refusal(ModelError, model.predict, ["the great zebra"]).split("\n")
    assert message.endswith(f", but the model knows {size:,}: they do not belong together.")
    assert remedy == "    Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder)."


def test_nothing_of_the_models_own_is_run(tmp_path: Path, folders: Callable[..., Path]) -> None:
    folder = shutil.copytree(folders(), tmp_path / "model")
    own = {"AutoConfig": "mine.C", "AutoModelForSequenceClassification": "mine.M"}
    configure(model_type="mine", architectures=None, auto_map=own)(folder)
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert refusal(ModelError, load_model, folder).endswith(
        "    Code of a model's own is not run: wrap the model in a function."
    )
    assert not (tmp_path / "ran").exists()


def test_places_that_hold_no_model(tmp_path: Path, folders: Callable[..., Path]) -> None:
    (tmp_path / "my-model").mkdir()
    assert refusal(ModelError, load_model, tmp_path / "my-modle") == (
        f"the model folder {tmp_path / 'my-modle'} does not exist.\n"
        f"    Did you mean {tmp_path / 'my-model'}? Give an existing folder, a hub id in the form owner/name, or "
        '"bundled".'
    )
    file = folders() / "model.safetensors"
    message = refusal(ModelError, load_model, file)
    assert message == f"{file} is a file; expected the folder of a model.\n    Give the folder: {file.parent}"
    assert refusal(ModelError, load_model, 42) == (
        "an object of the type int is no model.\n"
        "    Give a folder, a hub id, a pair (model, tokenizer), a function from texts to probabilities, or an object "
        "with a method predict_proba or predict."
    )


def test_options_are_not_ignored(folders: Callable[..., Path]) -> None:
    pair = plain(folders())[::-1]
    for model, options, text in (
        (folders(), {"classes": ["negative", "positive"]}, "classes= belongs to a function, which"),
        (folders(), {"scheme": "BIO"}, "scheme= belongs to a tagger, which this model is not."),
        (lambda texts: [0.5] * len(texts), {"dtype": "bfloat16", "max_length": 8}, "dtype=, max_length= belong to a"),
        (pair, {"device": "cpu"}, "device= belongs to a model that is loaded from files, which"),
        (folders(), {"batch_tokens": 0}, "batch_tokens=0 is too small; expected 1 or more."),
        (folders(), {"dtype": "int8"}, "dtype='int8' is not known."),
        (folders(), {"device": "abacus"}, 'device="abacus" cannot be used: '),
    ):
        with pytest.raises(OptionError, match=re.escape(text)):
            load_model(model, **options)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The hub's own code without a network; returns its cache."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_model_of_the_hub_that_was_fetched_before(offline: Path, folders: Callable[..., Path]) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = offline / "models--owner--some-model"
    shutil.copytree(folders(), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    model = load_model("owner/some-model")
    assert model.name == "owner/some-model"
    assert model.describe()["revision"] == commit
    texts = make_texts(5, 5)
    assert np.array_equal(np.asarray(model.predict(texts).probabilities), probabilities(load(folders()), texts))


def test_a_hub_that_denies_access(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.errors

    remedy = (
        "Check the spelling, the revision and the connection; for a private model, or one with terms to accept, log in "
        "first (hf auth login)."
    )
    assert refusal(ModelError, load_model, "owner/some-model") == (
        f'"owner/some-model" is no folder here, and the hub does not give it: LocalEntryNotFoundError.\n    {remedy}'
    )

    def refuse(hub_id: str, **options: Any) -> str:
        assert hub_id == "owner/some-model"
        assert options["allow_patterns"] == ["*.json", "*.safetensors", "*.txt", "*.model", "*.bpe"]
        raise huggingface_hub.errors.GatedRepoError("no", response=SimpleNamespace(headers={}, request=None))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    with pytest.raises(ModelError, match=r"does not give it in the revision v9: GatedRepoError"):
        load_model("owner/some-model", revision="v9")
