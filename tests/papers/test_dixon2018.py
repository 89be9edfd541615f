"""Dixon et al. 2018: the toy of Table 3, the released scores, and three models whose bias is known."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dixon2018_data
import numpy as np
import pandas as pd
import pytest
from build_reproductions import table, verdicts
from dixon2018 import reproduce
from golden import GOLDEN
from paper import ReproduceOptions
from sklearn.metrics import roc_auc_score

TERMS = ("gay", "deaf", "sikh", "elderly")
LIFT = {"baseline": 0.4, "control": 0.4, "mitigated": 0.1}


def write_phrases(folder: Path, runs: int = 4) -> Path:
    """Scores of three models: all raise those of phrases with "gay", the mitigated one less; and a general set."""
    random, rows = np.random.default_rng(0), []
    for at in range(800):
        term, toxic = TERMS[at % 4], at % 8 < 4
        row: dict[str, object] = {
            "text": f"This is a {term} neighbour, number {at}.",
            "label": "toxic" if toxic else "nontoxic",
        }
        for model, lift in LIFT.items():
            for run in range(1, runs + 1):
                row[f"score:{model}:{run}"] = 0.3 * toxic + lift * (term == "gay") + 0.3 * random.random()
        rows.append(row)
    pd.DataFrame(rows).to_csv(folder / "scored_phrases.csv", index=False)
    general, noise = pd.DataFrame({"label": ["toxic", "nontoxic"] * 100}), random.random(200)
    for model in LIFT:
        for run in range(1, runs + 1):
            general[f"score:{model}:{run}"] = 0.3 * (general["label"] == "toxic") + 0.4 * noise
    general.to_csv(folder / "scored_general.csv", index=False)
    return folder


def test_three_models_are_compared_as_in_tables_4_and_5(tmp_path: Path) -> None:
    found = reproduce(ReproduceOptions(data=write_phrases(tmp_path)))
    phrases, general = (pd.read_csv(tmp_path / f"scored_{name}.csv") for name in ("phrases", "general"))
    areas = table(found, "Table 4")
    for model in LIFT:
        for name, rows in (("phrases", phrases), ("general", general)):
            expected = np.mean(
                [roc_auc_score(rows["label"] == "toxic", rows[f"score:{model}:{run}"]) for run in range(1, 5)]
            )
            assert areas.loc[model, f"ours {name}"] == pytest.approx(expected)
    sums = table(found, "Table 5")
    assert sums.loc["False positive equality difference", "paper baseline"] == pytest.approx(7.413)
    means = sums["ours baseline"]
    assert float(means.iloc[3]) == pytest.approx(float(means.iloc[0]) / len(TERMS))
    seen = [place for place, verdict in verdicts(found) if verdict == "seen here"]
    assert seen == ["Table 3", "Table 3", "Figure 3", "Table 5", "Table 5", "Figure 4, Table 5", "Table 4", "Table 4"]
    assert verdicts(found)[2:4] == [("Table 1", "not testable"), ("Figure 1", "not testable")]
    by_term = table(found, "Figures 3 to 5")
    assert set(by_term.index) == {"gay", "sikh", "deaf", "dispreferred term 2"}
    shown = json.dumps([found.lines, [repr(one) for one in found.figures], [one.because for one in found.statements]])
    assert "elderly" not in shown


def test_the_three_models_are_trained_on_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model that only knows the share of toxic texts among those with the word."""

    def fit(texts: Sequence[str], positive: Sequence[bool], *, seed: int) -> Any:
        share = np.mean([yes for text, yes in zip(texts, positive, strict=True) if "gay" in text])
        return lambda asked: np.array([("fool" in text) / 2 + share / 2 * ("gay" in text) for text in asked])

    phrases = pd.DataFrame(
        [(f"the {term} {noun}", "toxic" if noun == "fool" else "nontoxic", term, noun) for term in ("gay", "deaf")
         for noun in ("fool", "cook", "king")], columns=["text", "label", "term", "template"])  # fmt: skip
    monkeypatch.setattr(dixon2018_data, "shipped_phrases", lambda: phrases)
    monkeypatch.setattr(dixon2018_data, "train_text_cnn", fit)
    train = [("gay fool", 1), ("gay clown", 1), ("a fool", 1), ("deaf tea", 0), ("warm milk", 0)]
    for name, rows in (("train", train), ("test", [("a fool", 1), ("gay tea", 0)])):
        pd.DataFrame(rows, columns=["text", "label"]).to_csv(tmp_path / f"{name}.csv", index=False)
    pool = ["my gay aunt", "the gay choir", "a cup of tea", "the milk", "more tea"]
    pd.DataFrame({"text": pool}).to_csv(tmp_path / "pool.csv", index=False)
    found = reproduce(ReproduceOptions(data=tmp_path))
    by_term = table(found, "Figures 3 to 5")
    assert list(by_term.columns)[:3] == [f"ours fpr {model}" for model in LIFT]
    general = table(found, "Table 4")["ours general"]
    assert (float(general["baseline"]), float(general["mitigated"])) == (0.5, 1.0)  # "gay" alone is no longer toxic


def test_a_corpus_gives_table_1_and_figure_1(tmp_path: Path) -> None:
    short, long = (
        "you {} fool",
        "the {} choir sings in the garden on Monday, and all of us are very glad about it again",
    )
    rows = [(short.format("gay"), "1")] * 30 + [(short.format("dull"), "1")] * 10
    rows += [(short.format("kind"), "0")] * 5 + [(long.format(word), "0") for word in ("gay", "old", "young")] * 20
    pd.DataFrame(
        [(f"{text} {at:03}", label) for at, (text, label) in enumerate(rows)], columns=["comment", "is_toxic"]
    ).to_csv(tmp_path / "wiki_train.csv", index=False)
    found = reproduce(ReproduceOptions(data=tmp_path))
    own = table(found, "Table 1").loc["gay"]
    assert own["ours toxic"] == pytest.approx(75)
    assert own["ours overall"] == pytest.approx(100 * 50 / 105)
    assert own["paper toxic"] == 3
    figure = table(found, "Figure 1")
    assert figure.loc["gay", "ours 60-119"] == 0
    assert verdicts(found)[2] == ("Table 1", "seen here")
    assert [one.name for one in found.figures] == ["Figure 1", "Figure 2"]


def test_the_released_scores_give_the_golden_sums(shared_data: Path) -> None:
    golden = json.loads((GOLDEN / "dixon.json").read_text(encoding="utf-8"))
    own, found = golden["scored_phrases"], reproduce(ReproduceOptions(data=shared_data / "dixon"))
    sums = table(found, "Table 5")["ours released scores"].tolist()
    assert sums[:2] == pytest.approx([own["fped"], own["fned"]], abs=1e-9)
    assert sums[2] == pytest.approx(own["pinned_auc_ed_weighted_bg"], abs=1e-5)
    by_term = table(found, "Figures 3 to 5")
    assert list(by_term["ours fpr released scores"]) == pytest.approx([one["fpr"] for one in own["terms"].values()])
    toy = table(found, "Table 3")["ours pinned AUC"].tolist()[1:]
    assert toy == pytest.approx(golden["published"]["toy_table3"]["pinned_D_includes_Dt"], abs=0.002)
    printed = table(found, "Table 5")
    for key, row in (("fped", 0), ("fned", 1), ("pinned_auc_ed", 2)):
        for model, name in (("baseline", "baseline"), ("control", "random"), ("mitigated", "debias")):
            value = float(printed[f"paper {model}"].iloc[row])
            assert value == pytest.approx(golden["published"][key][name] / 10, abs=0.001)


def test_without_data_a_model_scores_shipped_phrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "words.py"
    path.write_text(
        "def score(texts):\n"
        "    bad = [min(1.0, 0.3 + 0.5 * ('hate' in text) + 0.6 * ('gay' in text)) for text in texts]\n"
        "    return [{'nontoxic': 1 - p, 'toxic': p} for p in bad]\n",
        encoding="utf-8",
    )
    rows = [(f"I {verb} {term} people.", label, term, verb) for term in TERMS[:3] for verb, label in
            (("hate", "toxic"), ("know", "nontoxic"), ("meet", "nontoxic"))]  # fmt: skip
    phrases = pd.DataFrame(rows, columns=["text", "label", "term", "template"])
    monkeypatch.setattr(dixon2018_data, "shipped_phrases", lambda: phrases)
    found = reproduce(ReproduceOptions(models=[f"{path}:score"]))
    by_term = table(found, "Figures 3 to 5")
    column = "ours fpr words.py:score"
    assert by_term[column].to_dict() == {"gay": 1.0, "deaf": 0.0, "sikh": 0.0}
    assert found.lines[1] == "Measured on 9 shipped phrases, 3 terms."
    assert "FPED 7.41 (0.148 per term)" in found.lines[-1]
