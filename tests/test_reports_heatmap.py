"""The heat map: its numbers, colours and layout."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from build_results import NAMES, predictions, run
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from fairness_checklist.core.errors import OptionError
from fairness_checklist.reports.heatmap import heat_map, save_heat_map

GREY = to_rgb("#f7f7f7")


@pytest.fixture(scope="module")
def results():
    return run(predictions(), predictions("names", NAMES))


def rows_of(axes):
    """{metric: [(columns, text, fill)]} as drawn."""
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    cells = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    written = {(t.get_position()[0], round(t.get_position()[1] - 0.52)): t.get_text() for t in axes.texts}
    rows = {name: [] for name in names}
    for cell in cells:
        x, y, wide = cell.get_x(), int(cell.get_y()), cell.get_width()
        rows[names[y]].append((wide, written[x + wide / 2, y], cell))
    return rows


def columns(axes):
    return [tick.get_text() for tick in axes.get_xticklabels()]


def test_a_panel_for_group_metrics_and_one_for_counterfactual_metrics(results):
    figure = heat_map(results, "gender")
    assert [text.get_text() for text in figure.texts[:2]] == [
        "gender, class positive: group metrics",
        "gender, class positive: counterfactual metrics",
    ]
    group, counterfactual = figure.axes
    assert columns(group) == columns(counterfactual) == ["women", "men", "cis", "accumulated"]
    assert "fnr_gap" in rows_of(group)
    assert {"cf_gap", "avg_if", "pert_sd (all)"} <= set(rows_of(counterfactual))
    assert not set(rows_of(group)) & set(rows_of(counterfactual))


def test_the_numbers_are_those_of_the_table_and_two_groups_share_that_of_their_pair(results):
    rows = rows_of(heat_map(results, "gender").axes[0])
    assert [text for _, text, _ in rows["fnr_gap"]] == ["-0.375", "-0.375", "0.750"]
    assert [text for _, text, _ in rows["fped"]] == ["0.083", "0.167", "0.083", "0.333"]
    assert [text for _, text, _ in rows["accuracy_gap (all)"]] == ["0.250", "0.188", "0.312", "0.250"]
    rows = rows_of(heat_map(results, "names").axes[0])
    assert [(wide, text) for wide, text, _ in rows["tpr_gap"]] == [(2, "0.500"), (1, "0.500")]
    assert [(wide, text) for wide, text, _ in rows["fnr_gap"]] == [(1, "0.500"), (1, "-0.500")]
    assert [(wide, text) for wide, text, _ in rows["tpr_difference"]] == [(2, "-0.500"), (1, "-0.500")]


def test_the_class_is_that_of_the_largest_primary_gap(results):
    terms = {("a", "x"): (0.9, 0.9, 0.1, 0.1), ("b", "y"): (0.9, 0.8, 0.9, 0.9), ("c", "z"): (0.9, 0.9, 0.2, 0.1)}
    found = run(predictions("letters", terms))
    metrics = found.metrics[(found.metrics["metric"] != "fpr_gap")]
    figure = heat_map(replace(found, metrics=metrics))
    assert figure.texts[0].get_text() == "letters, class negative: group metrics"
    caption = figure.texts[-1].get_text().replace("\n", " ")
    assert caption.endswith("no value by group. The class shown is the one with the largest primary gap.")
    assert "largest primary gap" not in heat_map(results, "gender", "negative").texts[-1].get_text().replace("\n", " ")


def test_colours_are_scaled_by_row_and_totals_take_no_part(results):
    rows = rows_of(heat_map(results, "gender").axes[0])
    red, blue = mpl.colormaps["RdBu_r"](0.92)[:3], mpl.colormaps["RdBu_r"](0.5 - 0.21)[:3]
    fills = [cell.get_facecolor()[:3] for _, _, cell in rows["fnr_gap"]]
    assert fills == [blue, blue, red]
    fills = [cell.get_facecolor()[:3] for _, _, cell in rows["fped"]]
    assert fills[1] == mpl.colormaps["Purples"](0.75)[:3]
    assert fills[3] == GREY


def test_ratios_are_centred_on_one_and_undefined_cells_are_hatched_with_a_dash(results):
    metrics = results.metrics.copy()
    mine = (metrics["metric"] == "fnr_ratio") & (metrics["class"] == "positive") & (metrics["attribute"] == "gender")
    metrics.loc[mine, "value"] = [0.5, 1.0, 2.0]
    rows = rows_of(heat_map(replace(results, metrics=metrics), "gender").axes[0])
    assert [cell.get_facecolor()[:3] for _, _, cell in rows["fnr_ratio"]] == [
        mpl.colormaps["RdBu_r"](0.5 + 0.42 * shade)[:3] for shade in (-0.5, 0.0, 1.0)
    ]
    cells = rows_of(heat_map(results, "gender").axes[0])["fnr_ratio"]
    assert [(text, bool(cell.get_hatch())) for _, text, cell in cells] == [
        ("0.000", False),
        ("0.000", False),
        ("–", True),
    ]


def test_primary_metrics_are_bold_and_signed_metrics_of_pairs_have_no_row_with_more_groups(results):
    axes = heat_map(results, "gender").axes[0]
    bold = {tick.get_text() for tick in axes.get_yticklabels() if tick.get_fontweight() == "bold"}
    assert bold == {"fnr_gap", "fpr_gap"}
    assert "tpr_difference" not in rows_of(axes)


@pytest.mark.parametrize("n", [2, 8])
def test_no_text_overlaps_another_or_leaves_the_picture(n):
    names = ("cis", "assigned female or male at birth", "many-genders", "non-binary", "b", "agender", "women", "men")
    terms = {(name, f"term{k}"): (0.9, 0.1 * k, 0.1, 0.2) for k, name in enumerate(names[:n])}
    figure = heat_map(run(predictions("a rather long name of an attribute", terms)))
    figure.canvas.draw()
    drawn = [text for axes in figure.axes for text in (*axes.get_xticklabels(), *axes.get_yticklabels(), *axes.texts)]
    boxes = [t.get_window_extent().padded(-0.5) for t in (*drawn, *figure.texts) if t.get_text() and t.get_visible()]
    whole = figure.bbox
    assert all(b.x0 >= whole.x0 and b.y0 >= whole.y0 and b.x1 <= whole.x1 and b.y1 <= whole.y1 for b in boxes)
    corners = np.array([b.extents for b in boxes])
    for k, (x0, y0, x1, y1) in enumerate(corners):
        others = np.delete(corners, k, axis=0)
        hit = (others[:, 0] < x1) & (others[:, 2] > x0) & (others[:, 1] < y1) & (others[:, 3] > y0)
        assert not hit.any()


def test_the_picture_holds_all_attributes_and_leaves_matplotlib_as_it_was(results, tmp_path):
    before = dict(mpl.rcParams)
    path = save_heat_map(results, tmp_path / "new" / "heatmap.png")
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert [p.name for p in path.parent.iterdir()] == ["heatmap.png"]
    assert dict(mpl.rcParams) == before
    assert len(heat_map(results).axes) == 4


def test_nothing_is_left_behind_when_drawing_fails(results, tmp_path):
    with pytest.raises(OptionError, match=r"the run has no class 'positiv'\.\n    Did you mean positive\?"):
        save_heat_map(results, tmp_path / "heatmap.png", label="positiv")
    assert list(tmp_path.iterdir()) == []
