"""Preferences of a masked language model, against loops over tokens with transformers alone, in float64."""

from __future__ import annotations

import csv
import difflib
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_masked_lm import Peer, save_masked_lm
from typer.testing import CliRunner

from fairness_checklist.cli import app as cli
from fairness_checklist.core.errors import InputError, ModelError
from fairness_checklist.extensions.lenses.masked_lm import MaskedLM, load_masked_lm
from fairness_checklist.extensions.lenses.preference import (
    share_findings,
    share_table,
    stereotype_preference,
    target_word_preference,
)
from fairness_checklist.extensions.lenses.pseudo_likelihood import pseudo_log_likelihoods, shared_log_likelihoods
from fairness_checklist.extensions.lenses.readers import read_published

FAMILIES = ("wordpiece", "bpe", "unigram")
PAIRS = [
    ("the nurse was sad.", "the cook was sad."),
    ("anna is the cook", "ben is here and the cook"),
    ("the cooks (nurse) was here.", "the cook (nurses) was here!"),
    ("she is sad", "she is sad"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    return functools.cache(lambda family: save_masked_lm(tmp_path_factory.mktemp("masked"), family))


def in_float64(folder: Path) -> MaskedLM:
    model = load_masked_lm(folder)
    model.checkpoint.engine.model.double()
    return model


def naive_sum(peer: Peer, ids: list[int], positions: list[int]) -> float:
    return sum(float(peer.log_probabilities([*ids[:at], peer.mask, *ids[at + 1 :]], at)[ids[at]]) for at in positions)


def naive_shared(peer: Peer, one: str, two: str) -> tuple[float, float]:
    """As in the code of CrowS-Pairs: positions of equal blocks, without the first and the last token."""
    a, b = peer.ids(one), peer.ids(two)
    left: list[int] = []
    right: list[int] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, list(map(str, a)), list(map(str, b))).get_opcodes():
        if tag == "equal":
            left += range(i1, i2)
            right += range(j1, j2)
    left, right = left[1:-1], right[1:-1]
    return naive_sum(peer, a, left), naive_sum(peer, b, right)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sums_are_those_of_loops_over_tokens(family: str, folder: Callable[[str], Path]) -> None:
    model, peer = in_float64(folder(family)), Peer(folder(family))
    texts = [text for pair in PAIRS for text in pair]
    found, tokens = pseudo_log_likelihoods(model, texts)
    every = [peer.ids(text) for text in texts]
    np.testing.assert_allclose(found, [naive_sum(peer, ids, list(range(1, len(ids) - 1))) for ids in every], atol=1e-9)
    assert tokens.tolist() == [len(ids) - 2 for ids in every]
    left, right = shared_log_likelihoods(model, *zip(*PAIRS, strict=True))
    expected = np.array([naive_shared(peer, *pair) for pair in PAIRS])
    np.testing.assert_allclose(np.column_stack([left, right]), expected, atol=1e-9, rtol=0)
    assert left[3] == pytest.approx(right[3], abs=1e-12)


def crows_file(path: Path, pairs: list[tuple[str, str]]) -> Path:
    names = ["", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations", "anon_writer"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "anon_annotators"])
        for at, (more, less) in enumerate(pairs):
            kind = "antistereo" if at % 3 == 0 else "stereo"
            writer.writerow([at, more, less, kind, ("gender", "age")[at % 2], "[]", "a", "[]"])
    return path


def many_pairs(n: int) -> list[tuple[str, str]]:
    random = np.random.default_rng(0)
    words = ["the", "nurse", "cook", "was", "sad", "here", "anna", "ben", "is", "she"]
    return [(f"{a} {b} is here {c}", f"{d} {b} is here") for a, b, c, d in random.choice(words, size=(n, 4)).tolist()]


def test_crows_pairs(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    model, peer = in_float64(folder("wordpiece")), Peer(folder("wordpiece"))
    pairs = many_pairs(44)
    result = stereotype_preference(model, read_published("crows_pairs", crows_file(tmp_path / "c.csv", pairs)))
    scores = np.array([naive_shared(peer, *pair) for pair in pairs])
    difference = scores[:, 0] - scores[:, 1]  # a third of the pairs are antistereo; sent_more is the stereotype in all
    np.testing.assert_allclose(result.rows["difference"], difference, atol=1e-9)
    every = result.table.iloc[0]
    k, ties = int((difference > 1e-12).sum()), int((np.abs(difference) <= 1e-12).sum())
    assert every["value"] == pytest.approx((k + ties / 2) / 44)
    assert every["p_value"] == pytest.approx(stats.binomtest(k, 44 - ties).pvalue)
    if not ties:
        exact = stats.binomtest(k, 44).proportion_ci(method="exact")
        assert [every["ci_low"], every["ci_high"]] == pytest.approx([exact.low, exact.high], abs=1e-9)
    assert result.table["label"].tolist() == ["*", "gender", "age"]
    assert result.table["n"].tolist() == [44, 22, 22]
    p = result.table["p_value"].to_numpy()[1:]
    assert result.table["p_adjusted"].to_numpy()[1:] == pytest.approx(_holm(p))
    assert result.findings[0].subject == "all kinds"
    assert {one.n for one in result.findings} == {44, 22}
    assert "50 % is no preference" in result.findings[0].statement


def test_a_kind_is_suspected_by_its_adjusted_p() -> None:
    """18 of 24 pairs: p .023 alone, and .25 among eleven kinds."""
    differences = {"first": [1.0] * 18 + [-1.0] * 6} | {f"kind {at}": [1.0, -1.0] * 12 for at in range(10)}
    rows = pd.DataFrame([(name, one) for name, every in differences.items() for one in every])
    table = share_table(rows.set_axis(["label", "difference"], axis=1))
    found = {one.subject: one for one in share_findings(table, "m")}
    assert (round(found["first"].p_value, 3), round(found["first"].p_adjusted, 2)) == (0.023, 0.25)
    assert found["first"].status == "none found"


def _holm(p: Any) -> Any:
    low, high = min(p), max(p)
    return [min(1, 2 * low) if one == low else min(1, max(2 * low, high)) for one in p]


def stereoset_file(path: Path) -> Path:
    """Contexts of both tasks: three targets of two kinds of bias."""

    def context(name: str, before: str, target: str, kind: str, sentences: list[str]) -> dict[str, Any]:
        kinds = ("stereotype", "anti-stereotype", "unrelated")
        listed = [
            {"id": f"{name}{side}", "sentence": text, "gold_label": side}
            for side, text in zip(kinds, sentences, strict=True)
        ]
        return {"id": name, "context": before, "target": target, "bias_type": kind, "sentences": listed}

    the, after = ["the cook is sad", "the cook is here", "the cook is ben"], ["she is sad", "she is here", "ben was"]
    intra = [context("a", "the BLANK", "cook", "gender", the), context("c", "the BLANK", "anna", "race", the[::-1])]
    inter = [context("b", "anna is here.", "cook", "gender", after), context("d", "ben.", "ben", "race", after[::-1])]
    path.write_text(json.dumps({"data": {"intrasentence": intra, "intersentence": inter}}), encoding="utf-8")
    return path


def test_stereoset_against_a_loop(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    """The three scores as in section 5 of the paper, with the sentences scored by the mean over their tokens."""
    model, peer = in_float64(folder("wordpiece")), Peer(folder("wordpiece"))
    data = read_published("stereoset", stereoset_file(tmp_path / "dev.json"))
    result = stereotype_preference(model, data, over="mean")

    def score(row: Any) -> float:
        ids = peer.ids(f"{row.context} {row.text}" if row.task == "intersentence" else row.text)
        return naive_sum(peer, ids, list(range(1, len(ids) - 1))) / (len(ids) - 2)

    of: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for row in data.table.itertuples():
        of.setdefault((row.label, row.target), {}).setdefault(row.source, {})[row.stereotype] = score(row)
    expected = {}
    for kind in ("*", "gender", "race"):
        lms, ss = [], []
        for (label, _target), pairs in of.items():
            if kind in ("*", label):
                related = [one[side] > one[""] for one in pairs.values() for side in ("pro", "anti")]
                lms.append(100 * sum(related) / len(related))
                ss.append(100 * sum(one["pro"] > one["anti"] for one in pairs.values()) / len(pairs))
        m, s = sum(lms) / len(lms), sum(ss) / len(ss)
        expected[kind] = [len(lms), m, s, m * min(s, 100 - s) / 50]
    found = {row.label: list(row)[2:] for row in result.icat.itertuples()}
    assert found.keys() == expected.keys()
    assert all(found[kind] == pytest.approx(expected[kind]) for kind in expected)
    scores = {source: one for pairs in of.values() for source, one in pairs.items()}
    for row in result.rows.itertuples():
        assert row.pro_score == pytest.approx(scores[str(row.source)]["pro"], abs=1e-9)
    m, s, icat = expected["*"][1:]
    assert result.findings[-1].statement.endswith(
        f": language-model score {m:.1f}, stereotype score {s:.1f}, ICAT {icat:.1f} (100 is best, 50 a model that "
        "guesses)."
    )


def test_tables_with_empty_cells(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    """StereoSet's unrelated sentences survive a CSV file; neutral sentences of other data sets are left out."""
    model = folder("wordpiece")
    data = read_published("stereoset", stereoset_file(tmp_path / "dev.json"))
    data.table.to_csv(tmp_path / "pairs.csv", index=False)
    again = stereotype_preference(model, pd.read_csv(tmp_path / "pairs.csv"))
    pd.testing.assert_frame_equal(again.icat, stereotype_preference(model, data).icat)
    rows = [("1", "the cook is sad", "pro", "age"), ("1", "the nurse is sad", "anti", "age")]
    rows += [("1", "the ben is sad", "", "age"), ("2", "she is sad", "", "age"), ("2", "ben is sad", "", "age")]
    rows += [("3", "the cook is here", "pro", None), ("3", "the nurse is here", "anti", None)]
    table = pd.DataFrame(rows, columns=["source", "text", "stereotype", "label"])
    neutral = stereotype_preference(model, table)
    assert (neutral.rows["source"].tolist(), neutral.rows["label"].tolist()) == (["1", "3"], ["age", ""])
    assert neutral.icat.empty
    some = stereotype_preference(model, table.assign(stereotype=["pro", "anti", "unrelated", "", "", "pro", "anti"]))
    assert some.notes[0] == "no ICAT: 1 of 2 pairs have no unrelated sentence"
    assert some.icat.empty


def run_verb(*arguments: object) -> Any:
    return CliRunner().invoke(cli.app, ["lenses", "preference", *map(str, arguments)])


def test_the_verb(tmp_path: Path, folder: Callable[[str], Path]) -> None:
    model = folder("wordpiece")
    crows = crows_file(tmp_path / "c.csv", many_pairs(44))
    expected = stereotype_preference(model, read_published("crows_pairs", crows))
    said = run_verb("--model", model, "--dataset", "crows_pairs", "--path", crows, "--out", tmp_path / "out")
    assert said.exit_code == 0
    assert said.stdout.startswith(expected.findings[0].statement)
    assert len(expected.findings[0].statement.split()) <= 40
    assert {one.name for one in (tmp_path / "out").iterdir()} == {
        *("preference.csv", "pairs.csv", "findings.csv", "preference.json"),
    }
    stereoset = stereoset_file(tmp_path / "dev.json")
    shown = json.loads(run_verb("-m", model, "--dataset", "stereoset", "--path", stereoset, "--json").stdout)
    assert [one["label"] for one in shown["icat"]] == ["*", "gender", "race"]
    assert {one["status"] for one in shown["findings"]} == {"too few to say", ""}
    words = ["--template", "the {mask} was the {term}.", "--words", "anna,ben"]
    two = run_verb("--model", model, "--targets", "cook,nurse", *words, "--tables")
    found = target_word_preference(model, [words[1]], ["anna", "ben"], left="cook", right="nurse").table.iloc[0]
    more, less = ("cook", "nurse") if found["value"] >= 0 else ("nurse", "cook")
    assert two.stdout.splitlines()[0] == (
        f'{model.name} finds "{more}" {np.exp(abs(found["value"])):.2f} times as probable as "{less}", relative to '
        f"their priors, with 2 terms (log ratio {found['value']:.2f}, 95 % interval {found['ci_low']:.2f} to "
        f"{found['ci_high']:.2f}): too few terms to say."
    )


EITHER = (
    "expected either pairs of sentences or two words.\n"
    "    Name a table, or --dataset and --path; or --targets she,he with --template and --words."
)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", EITHER),
        ("--dataset stereoset", EITHER),
        ("--targets she --template {mask}{term} --words cook", EITHER),
        ("--targets she,he --words cook,nurse", EITHER),
        ("x.csv --path x", EITHER),
        (
            "--dataset winobias --path x",
            "--dataset 'winobias' has no pairs of sentences.\n    Name crows_pairs or stereoset.",
        ),
    ],
)
def test_what_the_verb_refuses(arguments: str, text: str) -> None:
    assert str(run_verb("--model", "x", *arguments.split()).exception) == text


def test_the_file_of_crows_pairs_as_a_table(tmp_path: Path) -> None:
    path = crows_file(tmp_path / "c.csv", many_pairs(2))
    assert str(run_verb(path, "--model", "x").exception) == (
        "c.csv: the table has the columns of CrowS-Pairs.\n"
        f"    Read it as published: --dataset crows_pairs --path {path}"
    )


def test_a_model_that_fills_no_masks() -> None:
    words = ("--targets", "she,he", "--template", "{mask} {term}", "--words", "a,b")
    said = run_verb("--model", "bundled/sentiment-2", *words)
    assert isinstance(said.exception, ModelError)
    assert str(said.exception) == (
        "the model bundled/sentiment-2 is a classifier of whole texts (BertForSequenceClassification); expected a "
        "masked language model (...ForMaskedLM).\n    Give a model that was trained to predict masked words."
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("prior", [True, False])
def test_target_words_are_the_log_probability_score(family: str, prior: bool, folder: Callable[[str], Path]) -> None:
    model, peer = in_float64(folder(family)), Peer(folder(family))
    templates, terms = ["the {mask} was the {term}.", "the {term} is {mask}"], ["anna", "ben", "anna ben"]
    result = target_word_preference(model, templates, terms, left="cook", right="nurse", prior=prior)
    expected = []
    for term in terms:
        scores = []
        for template in templates:
            ids = peer.ids(template.replace("{term}", term))
            at = ids.index(peer.mask)
            other = peer.ids(template.replace("{term}", "sad"))
            start = next(at for at, (x, y) in enumerate(zip(ids, other, strict=False)) if x != y)
            tail = next(at for at, (x, y) in enumerate(zip(ids[::-1], other[::-1], strict=False)) if x != y)
            p = peer.log_probabilities(ids, at)
            filled = [peer.ids(template.replace("{mask}", word).replace("{term}", term)) for word in ("cook", "nurse")]
            cook, nurse = (one[at] for one in filled)
            score = p[cook] - p[nurse]
            if prior:
                hidden = [peer.mask if start <= place < len(ids) - tail else one for place, one in enumerate(ids)]
                q = peer.log_probabilities(hidden, at)
                score -= q[cook] - q[nurse]
            scores.append(score)
        expected.append(np.mean(scores))
    np.testing.assert_allclose(result.rows["difference"], expected, atol=1e-9)
    interval = stats.t.interval(0.95, 2, loc=np.mean(expected), scale=stats.sem(expected))
    assert [result.table["ci_low"][0], result.table["ci_high"][0]] == pytest.approx(list(interval), abs=1e-9)
    assert result.findings[0].status == "too few to say"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([("1", "a", "pro")], "the pair 1 has no sentence with the stereotype anti."),
        (
            [("1", "a", "pro"), ("1", "b", "pro")],
            "the pair 1 has two sentences with the stereotype pro; expected one.",
        ),
        ([("1", "a", "pro"), ("1", None, "anti")], "1 row of the pairs: the column text is empty.\n    Fill it."),
        ([("1", "a", "")], "no row has the stereotype pro or anti.\n    Fill the column stereotype."),
        (
            [("1", "anna", "pro"), ("1", "ben", "anti")],
            'the sentences of pair 1 share no token, the first is "anna".\n'
            '    Leave the pair out, or compare whole sentences: over="all".',
        ),
    ],
)
def test_pairs_that_cannot_be_compared(
    rows: list[tuple[str, str, str]], text: str, folder: Callable[[str], Path]
) -> None:
    with pytest.raises(InputError) as caught:
        stereotype_preference(folder("wordpiece"), pd.DataFrame(rows, columns=["source", "text", "stereotype"]))
    assert str(caught.value) == text


def test_templates_and_targets_that_cannot_be_used(folder: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match="has to hold one"):
        target_word_preference(folder("wordpiece"), ["{mask} is sad"], ["cook", "nurse"], left="anna", right="ben")
    with pytest.raises(InputError, match=r"^the target 'cooks' is several tokens of the model; expected one"):
        target_word_preference(folder("wordpiece"), ["{mask} {term}"], ["cook", "nurse"], left="cooks", right="ben")
