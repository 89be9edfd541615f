"""Masked language models and their preferences, against loops over tokens with transformers alone, in float64."""

import difflib
import functools
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Call
from scipy import stats

from fairness_checklist.core.errors import InputError, ModelError, OptionError, PredictionError
from fairness_checklist.extensions.lenses.masked_lm import MaskedLM, load_masked_lm, shared_log_likelihoods
from fairness_checklist.extensions.lenses.preference import stereotype_preference, target_word_preference
from fairness_checklist.extensions.lenses.readers import read_published

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

WORDS = ["anna", "ben", "cook", "is", "nurse", "sad", "the", "was"]
PIECES = [*WORDS, "un", "##s", "##happy", "##er", ".", "(", ")"]  # WordPiece; all but the last six begin a word
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXT = "anna ben cook is nurse sad the was cooker unhappy (the cook). the nurse was sad. a nurse, a cook is sad."
FAMILIES = ["wordpiece", "bpe", "unigram"]
SIZES = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, "initializer_range": 0.5}
PAIRS = [
    ("the nurse was sad.", "the cook was sad."),
    ("anna is the cook", "ben is here and the cook"),
    ("the cooks (nurse) was here.", "the cook (nurses) was here!"),
    ("she is sad", "she is sad"),
]


def make_tokenizer(family: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    if family == "wordpiece":
        vocabulary = {piece: number for number, piece in enumerate([*SPECIAL, *PIECES])}
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
        tokenizer = Tokenizer(
            models.Unigram([*((piece, 0.0) for piece in special), *whole, *inner, *letters], unk_id=3)
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
        tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        options: dict[str, Any] = {"vocab_size": 310, "special_tokens": special, "show_progress": False}
        trainer = trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
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
    kind = {"wordpiece": "Bert", "unigram": "XLMRoberta"}.get(family, "Roberta")
    padding = {} if family == "wordpiece" else {"pad_token_id": 1}
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(tokenizer), max_position_embeddings=40, hidden_size=32, **SIZES, **padding
    )
    getattr(transformers, f"{kind}ForMaskedLM")(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Models that are made once and only read."""
    return functools.cache(lambda family: save_masked_lm(tmp_path_factory.mktemp("masked"), family))


class Peer:
    """transformers alone, one sequence at a time, in float64, where batches of any size agree."""

    def __init__(self, folder: Path) -> None:
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder, dtype="float64").eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.mask = self.tokenizer.mask_token_id

    def ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer(text.replace("{mask}", self.tokenizer.mask_token))["input_ids"]
        return found

    def log_probabilities(self, ids: Sequence[int], place: int) -> Any:
        with torch.no_grad():
            logits = self.model(torch.tensor([list(ids)])).logits[0, place].double()
        return torch.log_softmax(logits, dim=0).numpy()

    def sum(self, ids: list[int], places: Sequence[int]) -> float:
        """The sum of the log-probabilities of tokens, each masked by itself."""
        masked = ([*ids[:place], self.mask, *ids[place + 1 :]] for place in places)
        values = (self.log_probabilities(row, place)[ids[place]] for row, place in zip(masked, places, strict=True))
        return float(sum(values))

    def shared(self, text: str, other: str) -> tuple[float, float]:
        """As in the code of CrowS-Pairs: positions of equal blocks, without the first and the last token."""
        a, b = self.ids(text), self.ids(other)
        left: list[int] = []
        right: list[int] = []
        for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, list(map(str, a)), list(map(str, b))).get_opcodes():
            if tag == "equal":
                left += range(i1, i2)
                right += range(j1, j2)
        return self.sum(a, left[1:-1]), self.sum(b, right[1:-1])


def in_float64(folder: Path) -> MaskedLM:
    model = load_masked_lm(folder)
    model.checkpoint.engine.model.double()
    return model


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sums_are_those_of_loops_over_tokens(family: str, folder: Callable[[str], Path]) -> None:
    model, peer = in_float64(folder(family)), Peer(folder(family))
    texts = [text for pair in PAIRS for text in pair]
    ids = [peer.ids(text) for text in texts]
    alone = [peer.sum(row, range(1, len(row) - 1)) for row in ids]
    shared = np.array([peer.shared(*pair) for pair in PAIRS])
    for side in ("right", "left"):
        model.tokenizer.padding_side = side
        np.testing.assert_allclose(shared_log_likelihoods(model, texts, texts)[0], alone, atol=1e-9)
        left, right = shared_log_likelihoods(model, *zip(*PAIRS, strict=True))
        np.testing.assert_allclose(np.column_stack([left, right]), shared, atol=1e-9, rtol=0)
        assert left[3] == pytest.approx(right[3], abs=1e-12)


def many_pairs(n: int) -> list[tuple[str, str]]:
    random = np.random.default_rng(0)
    words = ["the", "nurse", "cook", "was", "sad", "here", "anna", "ben", "is", "she"]
    return [(f"{a} {b} is here {c}", f"{d} {b} is here") for a, b, c, d in random.choice(words, size=(n, 4)).tolist()]


def crows_file(path: Path, pairs: list[tuple[str, str]]) -> Path:
    rows = [
        (number, *pair, "stereo" if number % 3 else "antistereo", ("gender", "age")[number % 2], "[]", "a", "[]")
        for number, pair in enumerate(pairs)
    ]
    names = "sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"
    pd.DataFrame(rows, columns=["", *names.split(",")]).to_csv(path, index=False)
    return path


def test_crows_pairs(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    model, peer = in_float64(folder("wordpiece")), Peer(folder("wordpiece"))
    pairs = many_pairs(44)
    result = stereotype_preference(model, read_published("crows_pairs", crows_file(tmp_path / "c.csv", pairs)))
    scores = np.array([peer.shared(*pair) for pair in pairs])
    difference = scores[:, 0] - scores[:, 1]  # a third of the pairs are antistereo; sent_more is the stereotype in all
    np.testing.assert_allclose(result.rows["difference"], difference, atol=1e-9)
    total = result.table.iloc[0]
    k, ties = int((difference > 1e-12).sum()), int((np.abs(difference) <= 1e-12).sum())
    assert total["value"] == pytest.approx((k + ties / 2) / 44)
    assert total["p_value"] == pytest.approx(stats.binomtest(k, 44 - ties).pvalue)
    if not ties:
        exact = stats.binomtest(k, 44).proportion_ci(method="exact")
        assert [total["ci_low"], total["ci_high"]] == pytest.approx([exact.low, exact.high], abs=1e-9)
    assert result.table["label"].tolist() == ["*", "gender", "age"]
    assert result.table["n"].tolist() == [44, 22, 22]
    low, high = sorted(result.table["p_value"].to_numpy()[1:])
    assert sorted(result.table["p_adjusted"].to_numpy()[1:]) == pytest.approx([min(1, 2 * low), max(2 * low, high)])
    assert result.findings[0].subject == "all kinds"
    assert {finding.n for finding in result.findings} == {44, 22}
    assert "50 % is no preference" in result.findings[0].statement


def test_stereoset_and_tables_with_empty_cells(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    """A sentence of the second task follows its context; sentences without a side are left out."""
    sides = {"stereotype": "she is sad", "anti-stereotype": "she is here", "unrelated": "ben was"}
    sentences = [{"id": side, "sentence": text, "gold_label": side} for side, text in sides.items()]
    shared = {"target": "cook", "bias_type": "gender", "sentences": sentences}
    data = {
        "intrasentence": [{"id": "a", "context": "the BLANK", **shared}],
        "intersentence": [{"id": "b", "context": "anna is here.", **shared}],
    }
    (tmp_path / "dev.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    peer = Peer(folder("wordpiece"))
    published = read_published("stereoset", tmp_path / "dev.json")
    published.to_csv(tmp_path / "pairs.csv", index=False)
    for table in (published, pd.read_csv(tmp_path / "pairs.csv")):
        found = stereotype_preference(in_float64(folder("wordpiece")), table)
        for before, row in zip(("", "anna is here. "), found.rows.itertuples(), strict=True):
            ids = [peer.ids(before + sides[side]) for side in ("stereotype", "anti-stereotype")]
            shared_places = [place for place in range(1, len(ids[0]) - 1) if ids[0][place] == ids[1][place]]
            expected = [peer.sum(tokens, shared_places) for tokens in ids]
            assert [row.pro_score, row.anti_score] == pytest.approx(expected, abs=1e-9)
    rows = [("1", "the cook is sad", "pro", "age"), ("1", "the nurse is sad", "anti", "age")]
    rows += [("1", "the ben is sad", "", "age"), ("2", "she is sad", "", "age")]
    rows += [("3", "the cook is here", "pro", None), ("3", "the nurse is here", "anti", None)]
    neutral = stereotype_preference(
        folder("wordpiece"), pd.DataFrame(rows, columns=["source", "text", "stereotype", "label"])
    )
    assert (neutral.rows["source"].tolist(), neutral.rows["label"].tolist()) == (["1", "3"], ["age", ""])


def test_the_verb(tmp_path: Path, folder: Callable[[str], Path], call: Call) -> None:
    model = folder("wordpiece")
    crows = crows_file(tmp_path / "c.csv", many_pairs(44))
    expected = stereotype_preference(model, read_published("crows_pairs", crows))
    verb = ("lenses", "preference", "--model", model)
    code, printed, _ = call(*verb, "--dataset", "crows_pairs", "--path", crows, "--out", tmp_path / "out")
    assert code == 0
    assert printed.startswith(expected.findings[0].statement)
    assert len(expected.findings[0].statement.split()) <= 40
    files = {file.name for file in (tmp_path / "out").iterdir()}
    assert files == {"preference.csv", "pairs.csv", "findings.csv", "preference.json"}
    words = ["--template", "the {mask} was the {term}.", "--words", "anna,ben"]
    printed = call(*verb, "--targets", "cook,nurse", *words, "--tables")[1]
    found = target_word_preference(model, [words[1]], ["anna", "ben"], left="cook", right="nurse").table.iloc[0]
    more, less = ("cook", "nurse") if found["value"] >= 0 else ("nurse", "cook")
    assert printed.splitlines()[0] == (
        f'{model.name} finds "{more}" {np.exp(abs(found["value"])):.2f} times as probable as "{less}", relative to '
        f"their priors, with 2 terms (log ratio {found['value']:.2f}, 95 % interval {found['ci_low']:.2f} to "
        f"{found['ci_high']:.2f}): too few terms to say."
    )
    for arguments in (
        "", "--dataset stereoset", "--targets she --template {mask}{term} --words cook",
        "--targets she,he --words cook,nurse", "x.csv --path x",
    ):  # fmt: skip
        code, _, errors = call(*verb, *arguments.split())
        assert (code, errors) == (
            2,
            "OptionError: expected either pairs of sentences or two words.\n"
            "    Name a table, or --dataset and --path; or --targets she,he with --template and --words.\n",
        )


@pytest.mark.parametrize("family", [*FAMILIES, "bpe without lstrip"])
def test_target_words_are_the_log_probability_score(family: str, folder: Callable[[str], Path]) -> None:
    """A tokenizer that writes the space before its mask token as a piece gives what one gives that strips it."""
    model, peer = in_float64(folder(family)), Peer(folder(family.partition(" ")[0]))
    templates, terms = ["the {mask} was the {term}.", "the {term} is {mask}"], ["anna", "ben", "anna ben"]
    result = target_word_preference(model, templates, terms, left="cook", right="nurse")
    expected = []
    for term in terms:
        scores = []
        for template in templates:
            ids = peer.ids(template.replace("{term}", term))
            place = ids.index(peer.mask)
            other = peer.ids(template.replace("{term}", "sad"))
            start = next(k for k, (x, y) in enumerate(zip(ids, other, strict=False)) if x != y)
            tail = next(k for k, (x, y) in enumerate(zip(ids[::-1], other[::-1], strict=False)) if x != y)
            p = peer.log_probabilities(ids, place)
            filled = [peer.ids(template.replace("{mask}", word).replace("{term}", term)) for word in ("cook", "nurse")]
            cook, nurse = (row[place] for row in filled)
            hidden = [peer.mask if start <= k < len(ids) - tail else token for k, token in enumerate(ids)]
            q = peer.log_probabilities(hidden, place)
            scores.append(p[cook] - p[nurse] - q[cook] + q[nurse])
        expected.append(np.mean(scores))
    np.testing.assert_allclose(result.rows["difference"], expected, atol=1e-9)
    interval = stats.t.interval(0.95, 2, loc=np.mean(expected), scale=stats.sem(expected))
    assert [result.table["ci_low"][0], result.table["ci_high"][0]] == pytest.approx(list(interval), abs=1e-9)
    assert result.findings[0].status == "too few to say"


def test_pairs_models_templates_and_targets_that_cannot_be_used(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    for rows, text in (
        ([("1", "a", "pro"), ("1", "b", "pro")], "the pair 1 has the sentences pro, pro; expected one anti and one"),
        ([("1", "a", "pro"), ("1", None, "anti")], "1 row of the pairs: the column text is empty.\n    Fill it."),
        ([("1", "a", "")], "no row has the stereotype pro or anti.\n    Fill the column stereotype."),
        ([("1", "anna", "pro"), ("1", "ben", "anti")], 'the sentences of pair 1 share no token, the first is "anna".'),
        ([("1", "the " * 30, "pro"), ("1", "ben", "anti")], "the text 'the the"),
    ):
        with pytest.raises(InputError) as caught:
            stereotype_preference(folder("wordpiece"), pd.DataFrame(rows, columns=["source", "text", "stereotype"]))
        assert str(caught.value).startswith(text)
    model = folder("wordpiece")
    for templates, left, text in (
        (["{mask} is sad"], "anna", "the template '{mask} is sad' has to hold one"),
        (["{mask} {term}"], "cooks", "the target 'cooks' is several tokens of the model; expected one"),
        (["{mask} {term}"], "José", "'José' cannot be written with the model's vocabulary"),
    ):
        with pytest.raises(OptionError) as error:
            target_word_preference(model, templates, ["cook", "nurse"], left=left, right="ben")
        assert str(error.value).startswith(text)
    with pytest.raises(OptionError, match=r"^name=3 is no masked language model\.\n    Expected a folder, a hub id or"):
        load_masked_lm(3)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"SequenceClassification; expected a masked language model"):
        load_masked_lm("bundled/sentiment")
    loaded = load_masked_lm(save_masked_lm(tmp_path, "wordpiece"))
    assert load_masked_lm(loaded) is loaded
    loaded.checkpoint.engine.model.bert.embeddings.word_embeddings.weight.data[:] = math.nan
    with pytest.raises(PredictionError, match=r"^the masked language model gives log-probabilities that are NaN\."):
        shared_log_likelihoods(loaded, ["the cook"], ["the cook"])
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    del settings["mask_token"]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match=r"has no mask token\.\n    Save the tokenizer that the model was trained"):
        load_masked_lm(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"has its weights only as pickle \(pytorch_model\.bin\)"):
        load_masked_lm(tmp_path)
