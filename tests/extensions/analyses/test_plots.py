"""The figures of `result.plot`: what is drawn, where, and that nothing else changes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from build_findings import scored, tagged
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.reports.finding_text import gap_bounds


def found_in(table: pd.DataFrame, **options: Any) -> fc.Result:
    return fc.evaluate(table, **{"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199, **options})


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12))


def labels(axes: Axes) -> list[str]:
    return [tick.get_text() for tick in axes.get_yticklabels()]


def markers(axes: Axes) -> list[tuple[float, float, str]]:
    """(x, y, marker) of the gaps."""
    drawn = [line for line in axes.lines if line.get_marker() in "oDsx"]
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0]), str(line.get_marker())) for line in drawn]


def titles(figure: Figure) -> list[str]:
    """The texts of a figure but the note."""
    return [text.get_text() for text in figure.texts[:-1]]


def intervals(axes: Axes) -> list[tuple[float, float]]:
    drawn = [line for line in axes.lines if line.get_marker() == "None" and line.get_linestyle() == "-"]
    return [(float(line.get_xdata()[0]), float(line.get_xdata()[1])) for line in drawn]


def dots(axes: Axes) -> list[list[float]]:
    return [sorted(map(float, line.get_xdata())) for line in axes.lines if line.get_marker() == "."]


def test_groups_stand_at_their_gaps_with_their_intervals(result: fc.Result) -> None:
    [axes] = result.plot.findings().axes
    found = result.findings

    assert titles(result.plot.findings()) == ["shift: Called rejected without being so"]
    assert labels(axes) == ['the group "night"', 'the group "day"']
    assert [x for x, _, _ in markers(axes)] == pytest.approx((100 * found["rate_gap"]).tolist())
    assert [(y, shape) for _, y, shape in markers(axes)] == [(0, "o"), (1, "s")]
    ends = (100 * found[["rate_ci_low", "rate_ci_high"]]).to_numpy()  # the strongest finding leads with decisions
    np.testing.assert_allclose(intervals(axes), ends)
    left, right = axes.get_xlim()
    assert left < min(ends.min(), 0)
    assert right > ends.max()
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top


def test_the_line_of_equal_treatment_is_at_0(result: fc.Result) -> None:
    for axes in (*result.plot.findings().axes, *result.plot.terms().axes):
        [line] = [line for line in axes.lines if line.get_linestyle() == "--"]
        assert list(line.get_xdata()) == [0, 0]


def test_terms_of_a_group_are_dots_below_it(result: fc.Result) -> None:
    [axes] = result.plot.findings().axes
    terms = result.term_findings
    expected = [sorted(100 * terms["rate_gap"][terms["group"] == group]) for group in ("night", "day")]

    assert [len(row) for row in dots(axes)] == [6, 6]
    np.testing.assert_allclose(dots(axes), expected)


def test_the_status_and_the_gap_in_the_unit_of_the_plot_stand_beside(result: fc.Result) -> None:
    [axes] = result.plot.findings().axes
    night, day = (row for _, row in result.findings.iterrows())
    assert [text.get_text() for text in axes.texts] == [
        f"clear finding: {gap_bounds(night, rates=True)}",
        gap_bounds(day, rates=True),
    ]
    assert axes.get_xlabel() == "gap in percentage points of decisions"


def test_the_placebo_is_a_band_and_unmarked_texts_have_a_row_of_their_own(result: fc.Result) -> None:
    table = scored(0.12)
    table = pd.concat([table, table[table["term"] == "clerk"].assign(group="unmarked", term="")])
    found = found_in(table, relevant=0.05)
    found = replace(found, findings=found.findings.assign(placebo_rate_gap=[0.04, float("nan")]))
    [axes] = found.plot.findings().axes
    called = (table["p:rejected"] > 0.5).groupby(table["group"] == "unmarked").mean()

    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [pytest.approx((-4, 8))]
    dotted = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert dotted == pytest.approx([-5, 5])
    assert labels(axes)[-1] == "unmarked"
    assert markers(axes)[-1][0] == pytest.approx(100 * (called[True] - called[False]))
    assert len(intervals(axes)) == 2
    assert axes.texts[-1].get_text().endswith(" points in decisions")


def test_terms_are_sorted_by_gap(result: fc.Result) -> None:
    [axes] = result.plot.terms().axes
    ranked = result.term_findings.sort_values("gap", ascending=False)

    assert titles(result.plot.terms()) == ["shift: Called rejected without being so"]
    assert labels(axes) == [f"{term} ({group})" for term, group in zip(ranked["term"], ranked["group"], strict=True)]
    assert [x for x, _, _ in markers(axes)] == pytest.approx((100 * ranked["gap"]).tolist())
    np.testing.assert_allclose(intervals(axes), 100 * ranked[["ci_low", "ci_high"]])


def test_the_terms_with_the_largest_gaps_are_shown(result: fc.Result) -> None:
    [axes] = result.plot.terms("shift", n=3).axes
    assert titles(result.plot.terms("shift", n=3))[0].endswith(" (3 of 12 terms)")
    assert labels(axes) == labels(result.plot.terms(n=None).axes[0])[:3]


def test_a_panel_for_each_attribute_and_harm() -> None:
    tables = [scored(shift, labels=("hired", "rejected")) for shift in (0.12, 0.0)]
    both = pd.concat([tables[0], tables[1].assign(attribute="rota")])
    found = found_in(both, harm=["called:rejected", "missed:rejected"])
    harms = found.findings.drop_duplicates(["attribute", "harm"])
    named = [
        f"{name}: {title[0].upper()}{title[1:]}" for name, title in zip(harms["attribute"], harms["title"], strict=True)
    ]

    assert len(harms) == 4
    assert titles(found.plot.findings()) == named
    assert (
        len(found.plot.findings("rota").axes) == len(found.plot.terms("rota").axes) == sum(harms["attribute"] == "rota")
    )


def test_names_of_a_tagger_are_phrases() -> None:
    found = fc.evaluate(tagged(0.6), task="ner", attribute="names", metrics=["fnr_gap"], draws=99)
    [axes] = found.plot.findings().axes
    assert labels(axes) == ["female names", "male names"]


@pytest.mark.parametrize("kind", ["findings", "terms"])
def test_without_records_a_sentence_is_there_in_place_of_axes(kind: str) -> None:
    figure = getattr(found_in(scored(0.12), draws=0).plot, kind)()
    assert not figure.axes
    assert figure.texts[0].get_text().startswith("shift: ")


@pytest.mark.parametrize("kind", ["findings", "terms", "heatmap"])
def test_an_unknown_attribute_is_an_error(result: fc.Result, kind: str) -> None:
    with pytest.raises(OptionError) as error:
        getattr(result.plot, kind)("shfit")
    assert "the run has no attribute 'shfit'." in str(error.value)
    assert "Did you mean shift?" in str(error.value)


@pytest.mark.parametrize("n", [0, 2.5, True])
def test_a_number_of_terms_that_is_none_is_an_error(result: fc.Result, n: Any) -> None:
    with pytest.raises(OptionError, match="n="):
        result.plot.terms(n=n)


def test_matplotlib_stays_as_it_was_and_a_notebook_gets_a_picture(result: fc.Result) -> None:
    before, backend = dict(mpl.rcParams), mpl.get_backend()
    for figure in (result.plot.findings(), result.plot.terms(), result.plot.heatmap()):
        assert isinstance(figure, Figure)
        assert figure._repr_png_().startswith(b"\x89PNG\r\n\x1a\n")  # type: ignore[attr-defined]
        assert deepcopy(figure).get_figwidth() == figure.get_figwidth()  # by the state that a pickle would hold
    assert dict(mpl.rcParams) == before
    assert mpl.get_backend() == backend
    assert not pyplot.get_fignums()


@pytest.mark.filterwarnings("ignore:Glyph")  # of this test's own measuring: the picture itself is drawn in silence
def test_no_text_leaves_the_picture_or_becomes_a_formula() -> None:
    long = "$x^2$ people whom a name of many words describes, and then a few more words, and an end\nof it"
    words = {
        long: ("nurse", "guard", "baker", "porter", "cleaner"),
        "名": ("clerk", "tailor", "broker", "painter", "lawyer"),
    }
    found = found_in(scored(0.12, words))
    for figure in (found.plot.findings(), found.plot.terms()):
        assert figure._repr_png_()  # type: ignore[attr-defined]
        whole, renderer = figure.bbox.padded(1), figure.canvas.get_renderer()  # type: ignore[attr-defined]
        texts = [text for axes in figure.axes for text in (*axes.get_yticklabels(), *axes.texts, axes.xaxis.label)]
        for text in (*texts, *figure.texts):
            box = text.get_window_extent(renderer)
            assert box.x0 >= whole.x0, text.get_text()
            assert box.x1 <= whole.x1, text.get_text()
            assert box.y0 >= whole.y0, text.get_text()
            assert box.y1 <= whole.y1, text.get_text()
    assert any("$x^2$" in text.get_text().replace("\\", "") for text in found.plot.findings().axes[0].get_yticklabels())
