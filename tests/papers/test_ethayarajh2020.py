"""Ethayarajh 2020: formulas, and Table 1 of a small file of annotations in MNLI's layout."""

import json
from pathlib import Path

import pytest
from build_reproductions import table, verdicts
from ethayarajh2020 import reproduce
from ethayarajh2020_figures import TABLE_1
from paper import ReproduceOptions


def test_without_data_the_formulas_and_a_synthetic_population_answer() -> None:
    found = reproduce(ReproduceOptions())
    formulas = table(found, "Sections 3.2 and 3.3")
    printed = formulas.dropna()
    assert printed["paper value"].tolist() == [100, 11903, 3.8, 0.0975]
    assert printed["ours value"].tolist() == pytest.approx([100, 11903, 3.767, 0.0974], abs=5e-4)
    assert formulas["ours value"].tolist()[4:] == [3001, 2952]
    assert table(found, "Table 1")["ours difference"].isna().all()
    places = ("section 3.2", "section 3.2, Figure 1", "section 3.3", "section 3.3")
    seen = [*((place, "seen here") for place in places), ("section 2", "not seen"), ("section 3.4", "not seen")]
    assert sorted(verdicts(found)) == sorted(seen)
    assert [one.name for one in found.figures] == ["Figure 1, left", "Figure 1, right", "Figure 2"]
    points = table(found, "Figure 1").reset_index().groupby(["panel", "genre"], sort=False)
    assert points["share of the genre"].nunique().groupby("panel").max()["left"] == 1
    assert points["examples"].nunique().groupby("panel").max()["right"] == 1
    assert len(found.unavailable) == 1
    assert len(found.lines) <= 10


def write_annotations(folder: Path, n: int = 400) -> Path:
    """n rows a genre: of ten rows of the genre letters 2 have one other label of five, of the others 4 have two."""
    for part, genres in {"matched": ("fiction", "letters"), "mismatched": ("travel",)}.items():
        rows = []
        for genre in genres:
            others = {"letters": (1, 2)}.get(genre, (2, 4))
            for at in range(n):
                votes = ["neutral"] * 5
                if at % 10 < others[1]:
                    votes[: others[0]] = ["entailment"] * others[0]
                rows.append({"genre": genre, "gold_label": "neutral", "annotator_labels": votes})
            rows.append({"genre": genre, "gold_label": "-", "annotator_labels": ["neutral", "entailment"]})
        lines = "\n".join(map(json.dumps, rows))
        (folder / f"multinli_1.0_dev_{part}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def test_table_1_and_figure_1_of_the_users_annotations(tmp_path: Path) -> None:
    found = reproduce(ReproduceOptions(data=write_annotations(tmp_path)))
    ours = table(found, "Table 1")
    assert list(ours.index[:10]) == list(TABLE_1)
    for column, value in (("in-genre cost", 0.04), ("out-genre cost", 0.16), ("difference", -0.12)):
        assert ours.loc["letters", f"ours {column}"] == pytest.approx(value)
    assert ours.loc["travel", "ours out-genre cost"] == pytest.approx((0.04 + 0.16) / 2)
    assert ours.loc["letters", "paper in-genre cost"] == 0.105
    assert "3 of 1,203 rows without a gold label are left out." in found.lines
    figure = table(found, "Figure 1").reset_index()
    own = figure[(figure["genre"] == "letters") & (figure["examples"] == 500)]
    assert own["ours true bias"].to_numpy() == pytest.approx(-0.12)
    assert ("section 3.4", "not testable") in verdicts(found)
    assert found.unavailable == []
