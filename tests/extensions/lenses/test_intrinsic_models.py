"""Hidden states of tiny models, the intrinsic report, its verb, and correlations of metrics over models."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Call
from correlations import correlate
from refusals import refusal
from scipy import stats

from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.extensions.lenses.hidden_states import Encoder, load_encoder
from fairness_checklist.extensions.lenses.intrinsic import WARNING, group_vectors, intrinsic, term_pairs
from fairness_checklist.extensions.lenses.intrinsic_measures import MEASURES, GroupVectors, intrinsic_measures
from fairness_checklist.extensions.lenses.metrics.vectors import weat
from fairness_checklist.extensions.lenses.probe_sentences import framed, read_word_sets, term_texts

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}


def save_bert(folder: Path, kind: str = "BertForSequenceClassification", **config: Any) -> Path:
    """A tiny random model that reads letters, so that words have several pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = "abcdefghijklmnopqrstuvwxyz'-.,0123456789"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters)]
    tokenizer: Any = Tokenizer(models.WordPiece({one: at for at, one in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    roles = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), pieces, strict=False))
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles).save_pretrained(folder)
    torch.manual_seed(3)
    options = {"vocab_size": len(pieces), "max_position_embeddings": 320, "initializer_range": 0.3, **SIZES, **config}
    getattr(transformers, kind)(transformers.BertConfig(**options)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> Encoder:
    return load_encoder(folder)


@pytest.mark.parametrize("layer", [0, -1])
def test_vectors_are_those_of_transformers_one_text_at_a_time(folder: Path, encoder: Encoder, layer: int) -> None:
    texts = ["A nurse is here.", "Here is the nurse, and the nurse sings.", "Hm."]
    spans = [[(2, 7)], [(12, 17), (27, 32)], []]
    found = encoder.vectors(texts, spans, layer=layer)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for row, (text, own) in enumerate(zip(texts, spans, strict=True)):
        given = tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        offsets = given.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            states = model(**given, output_hidden_states=True).hidden_states[layer][0].numpy()
        plain = range(1, len(offsets) - 1)
        inside = [at for at in plain if any(start <= offsets[at][0] < end for start, end in own)]
        assert len(inside) == 5 * len(own)  # a piece a letter
        for vectors, kept in zip(found, (inside, [at for at in plain if at not in inside]), strict=True):
            vector = vectors[row]
            if not kept:
                assert np.isnan(vector).all()
                continue
            expected = sum(states[at].astype(float) for at in kept) / len(kept)
            np.testing.assert_allclose(vector, expected, atol=1e-5)


def test_any_head_is_left_out_and_wrong_models_are_errors(tmp_path: Path, encoder: Encoder) -> None:
    masked = load_encoder(save_bert(tmp_path / "masked", "BertForMaskedLM"))  # saved without a pooler
    assert (masked.layers, masked.name) == (2, "masked")
    with pytest.raises(ModelError, match=r"^the model folder .* does not exist\."):
        load_encoder(tmp_path / "no")
    for text, spans, layer, message in (
        ("x", [], 3, "layer=3 is out of range; expected 0 (input embeddings) to 2, or -1, the last."),
        ("x y", [(5, 6)], -1, "no piece of the text 'x y' is in the characters 5 to 6.\n    Give the start"),
        ("x " * 400, [], -1, "the text '"),
    ):
        assert refusal(OptionError, encoder.vectors, [text], [spans], layer=layer).startswith(message)


def test_sentences_around_the_terms_are_the_same_for_all() -> None:
    texts = term_texts("gender", ["women", "men"])
    assert (len(texts.terms), sum(texts.is_left), len(texts.bleached[0])) == (18, 9, 6)
    assert len(texts.neutral[0]) >= 12

    def around(text: Any) -> str:
        (start, end), *_ = text.with_article
        return f"{text.text[:start]}|{text.text[end:]}"

    for of_term in zip(*texts.neutral, strict=True):
        assert len({around(one) for one in of_term if len(one.spans) == 1}) <= 1
        assert not any(" her " in one.text or " his " in one.text for one in of_term)
    assert [texts.terms[at] for at in term_pairs(texts)[0]] == ["woman", "man"]
    assert framed(["tailor"])[0][2].text == "This is the word tailor."


def test_the_report_is_made_of_the_functions(folder: Path, encoder: Encoder) -> None:
    report = intrinsic(folder, groups=["women", "men"], words="work", max_terms=4, draws=99, probe_draws=4, seed=2)
    texts = term_texts("gender", ["women", "men"], max_terms=4, seed=2)
    vectors = group_vectors(encoder, texts, read_word_sets("work"))
    word, _ = encoder.vectors([one.text for one in texts.bleached[0]], [one.spans for one in texts.bleached[0]])
    np.testing.assert_allclose(vectors.terms[0], word.mean(axis=0), atol=1e-6)
    a, b = (np.stack([one.mean(axis=0) for one in each]) for each in (vectors.a, vectors.b))
    seat = weat(vectors.terms[:4], vectors.terms[4:], a, b)
    row = report.measures.iloc[0]

    assert list(report.measures["measure"]) == list(MEASURES)
    assert (row["value"], row["p_value"]) == (seat.effect_size, seat.p_value)
    assert row["ci_low"] <= row["value"] <= row["ci_high"]
    assert (report.terms, report.words) == ((4, 4), ("work", "family"))
    assert len(report.sentence().split()) <= 40
    nothing = replace(report, findings=tuple(replace(one, status="none found") for one in report.findings))
    assert nothing.sentence().endswith(
        " in none of 8 measures (adjusted p at most 0.05). 8 terms: a large difference can go unseen."
    )
    assert {one.note for one in report.findings} == {WARNING}
    assert all(len(one.statement.split()) <= 40 for one in report.findings)
    assert refusal(OptionError, read_word_sets, {"able": ["skilled"]}) == (
        "words= has the sets able; expected two, each with a word or more.\n"
        "    Give two sets of words by their names: {name: words, name: words}."
    )


def planted(rng: np.random.Generator, gap: float, terms: int = 8, contexts: int = 5, width: int = 12) -> GroupVectors:
    """Vectors whose groups, pairs, attribute words and roles share a direction of a given length."""
    line = np.eye(width)[0]
    is_left = np.arange(2 * terms) < terms
    concept = rng.normal(size=(terms, width))
    side = gap * np.where(is_left, 1.0, -1.0)[:, None] * line
    own = np.concatenate([concept, concept]) * (gap > 0) + rng.normal(size=(2 * terms, width)) * (0.3 if gap else 1.0)
    base = own + side
    unit = np.repeat(np.arange(2 * terms), contexts)
    return GroupVectors(
        is_left=is_left,
        terms=base,
        contexts=[one + 0.1 * rng.normal(size=(contexts, width)) for one in base],
        around=rng.normal(size=(len(unit), width)) + (0.8 * rng.normal(size=(2 * terms, width)) + side)[unit],
        around_unit=unit,
        a=[rng.normal(size=(3, width)) + 2 * gap * line for _ in range(6)],
        b=[rng.normal(size=(3, width)) - 2 * gap * line for _ in range(6)],
        roles=rng.normal(size=(10, width)) + 3 * gap * line * rng.choice([-1, 1], size=(10, 1)),
        pairs=np.stack([np.arange(terms), terms + np.arange(terms)], axis=1),
    )


def test_every_measure_finds_a_planted_difference() -> None:
    found = intrinsic_measures(planted(np.random.default_rng(1), 2.5), draws=199, samples=30, probe_draws=19)
    assert (found["p_value"] <= 0.05).all()
    assert (found["value"] > found["null_mean"]).all()


def test_no_measure_claims_more_than_its_level() -> None:
    """Groups without a difference: each measure is below .1 in about 10 of 100 (here of 10, so at most 4)."""
    rng = np.random.default_rng(7)
    p = np.array(
        [
            intrinsic_measures(planted(rng, 0.0, terms=5, contexts=2), draws=59, samples=8, probe_draws=9)["p_value"]
            for _ in range(10)
        ]
    )
    assert ((p <= 0.1).sum(axis=0) <= 4).all()
    assert p.mean() == pytest.approx(0.5, abs=0.12)


def test_the_verb_prints_the_warning_with_every_output(folder: Path, tmp_path: Path, call: Call) -> None:
    verb, out = ("lenses", "intrinsic", "--model", folder), tmp_path / "out"
    few = ("--groups", "women,men", "--max-terms", "3", "--draws", "19", "--words", "ability", "--out", out)
    code, said, errors = call(*verb, *few, "--json")
    record = json.loads(said)
    assert (code, errors, record["warning"], record["words"]) == (0, "", WARNING, ["able", "unable"])
    assert [row["measure"] for row in record["measures"]] == list(MEASURES)
    assert set(pd.read_csv(out / "measures.csv")["warning"]) == {WARNING}
    assert len(pd.read_csv(out / "findings.csv")) == 8
    for option, value, text in (
        ("--groups", "women", "OptionError: --groups women are not two groups.\n    Write --groups women,men.\n"),
        ("--words", "wrok", "OptionError: --words wrok is not a known pair of word sets.\n    Did you mean work?"),
    ):
        code, _, errors = call(*verb, option, value)
        assert (code, errors.startswith(text)) == (2, True), errors


def test_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.normal(size=(6, 3)), columns=["seat", "fped", "fned"])
    found = correlate(table)
    for row in found.table.to_dict("records"):
        one, other = table[row["x"]], table[row["y"]]
        peer = stats.pearsonr(one, other)
        ends = peer.confidence_interval()
        exact = stats.permutation_test(
            (one,),
            lambda x, y=other: abs(stats.pearsonr(x, y).statistic),
            permutation_type="pairings",
            n_resamples=np.inf,
            alternative="greater",
        )
        assert (row["r"], row["r2"]) == pytest.approx((peer.statistic, peer.statistic**2), abs=1e-12)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx((ends.low, ends.high), abs=1e-9)
        assert row["p_value"] == pytest.approx(exact.pvalue)
        without = [stats.pearsonr(one.drop(at), other.drop(at)).statistic ** 2 for at in range(6)]
        assert (row["r2_without_one_low"], row["r2_without_one_high"]) == pytest.approx((min(without), max(without)))
    p = found.table.set_index(found.table["x"] + " and " + found.table["y"])["p_adjusted"]
    assert [one.p_adjusted for one in found.findings] == sorted(p)


def test_a_correlation_between_arms_is_not_one_within_them() -> None:
    """Six arms of five seeds: both metrics move with the arm, and within an arm they have nothing in common."""
    arms = [name for name in "abcdef" for _ in range(5)]
    values = np.repeat(np.arange(6.0), 5) + 0.1 * np.random.default_rng(0).normal(size=(2, 30))
    rows = pd.DataFrame(values.T, columns=["seat", "fped"])
    row = correlate(rows, "seat", "fped", arms=arms).table.iloc[0]
    means = rows.groupby(arms).mean()
    centred = rows - rows.groupby(arms).transform("mean")
    assert (row["n"], row["r"]) == (6, pytest.approx(means["seat"].corr(means["fped"])))
    assert row["r_within"] == pytest.approx(centred["seat"].corr(centred["fped"]))
    assert row["p_within"] > 0.05 > row["p_value"]
