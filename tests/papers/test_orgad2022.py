"""Orgad and Belinkov 2022: Table 2 and Figures 2 and 5 of a classifier that follows the share of women."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from build_reproductions import table, verdicts
from golden import GOLDEN
from orgad2022 import reproduce
from paper import ReproduceOptions
from scipy.stats import pearsonr
from sklearn.metrics import precision_score, recall_score

SHARES = {"nurse": 0.9, "poet": 0.5, "surgeon": 0.15, "model": 0.8, "rapper": 0.1, "teacher": 0.6}


def write_predictions(folder: Path, names: tuple[str, str, str] = ("gold", "pred", "gender")) -> pd.DataFrame:
    """A classifier that errs in a fifth of the rows towards professions of the row's gender."""
    random = np.random.default_rng(0)
    classes = list(SHARES)
    gold = random.choice(classes, size=1_500)
    gender = np.where(random.random(1_500) < [SHARES[name] for name in gold], "F", "M")
    women = np.array(list(SHARES.values()))
    likely = {"F": women / women.sum(), "M": (1 - women) / (1 - women).sum()}
    other = np.array([random.choice(classes, p=likely[own]) for own in gender])
    table = pd.DataFrame(
        dict(zip(names, (gold, np.where(random.random(1_500) < 0.2, other, gold), gender), strict=True))
    )
    table.to_csv(folder / "predictions.csv", index=False)
    return table


def test_the_metrics_of_the_predictions_are_those_of_scikit_learn_and_scipy(tmp_path: Path) -> None:
    rows = write_predictions(tmp_path)
    found = reproduce(ReproduceOptions(data=tmp_path))
    own = table(found, "Table 2")
    printed = table(found, "Table 4")["paper females"] / 100
    names = sorted(SHARES)
    for metric, score in (("TPR", recall_score), ("Precision", precision_score)):
        women, men = (
            score(rows["gold"][at], rows["pred"][at], average=None, labels=names)
            for at in (rows["gender"] == "F", rows["gender"] == "M")
        )
        gap = women - men
        assert own.loc[f"{metric} (s)", "ours original"] == pytest.approx(np.abs(gap).sum())
        assert own.loc[f"{metric} (p)", "ours original"] == pytest.approx(pearsonr(gap, printed[names]).statistic)
    # by construction: as in the paper
    whole, balanced = own["ours original"], own["ours subsampled"]
    assert float(whole["Precision (p)"]) > 0 > float(balanced["Precision (p)"])
    assert float(balanced["Independence (s)"]) < float(whole["Independence (s)"])
    said = [verdict for _, verdict in verdicts(found)]
    assert (said[0], said[6], said[7]) == ("seen here", "seen here", "not testable")
    assert found.lines[1].endswith("6 professions, from the file predictions.csv; shares of women: Table 4.")
    assert found.lines[-1] == "On both balanced sets the sign of Precision (p) is reversed (paper: reversed)."
    assert len(found.lines) <= 10
    assert table(found, "Table 4").loc["nurse", "ours females"] == pytest.approx(
        100 * (rows["gender"][rows["gold"] == "nurse"] == "F").mean()
    )


def test_without_data_the_survey_is_counted() -> None:
    found = reproduce(ReproduceOptions())
    counted = table(found, "Table 5")["ours counted"]
    assert counted.to_dict() == {0: 13, 1: 9, 2: 7, 3: 6, 6: 1, 10: 1}
    assert [verdict for _, verdict in verdicts(found)] == ["not testable"] * 8 + ["seen here"] * 2
    assert [one.name for one in found.figures] == ["Figure 4"]


def test_the_golden_fixture() -> None:
    golden = json.loads((GOLDEN / "orgad.json").read_text(encoding="utf-8"))
    own = table(reproduce(ReproduceOptions(data=GOLDEN / "orgad_fixture.csv")), "Table 2")
    original = golden["original"]
    for name, key in (("TPR", "tpr"), ("FPR", "fpr"), ("Precision", "precision")):
        assert own.loc[f"{name} (p)", "ours original"] == pytest.approx(original[key]["pearson"], abs=1e-12)
        assert own.loc[f"{name} (s)", "ours original"] == pytest.approx(original[key]["sum_abs"], abs=1e-12)
    for kind in ("separation", "sufficiency", "independence"):
        assert own.loc[f"{kind.capitalize()} (s)", "ours original"] == pytest.approx(original[f"{kind}_kl"]["sum"])
    for way, printed in golden["published_table2"].items():
        for key, value in printed.items():
            name, _, short = key.partition("_")
            row = f"{name.upper() if name in ('tpr', 'fpr') else name.capitalize()} ({short or 's'})"
            assert own.loc[row, f"paper {way}"] == value
