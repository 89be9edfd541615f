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


def markers(axes: Axes) -> list[tuple[float, str]]:
    """(x, marker) of the gaps, from top to bottom."""
    drawn = [line for line in axes.lines if line.get_marker() in "oDsx"]
    assert [float(line.get_ydata()[0]) for line in drawn] == list(range(len(drawn)))
    return [(float(line.get_xdata()[0]), str(line.get_marker())) for line in drawn]


def intervals(axes: Axes) -> list[tuple[float, float]]:
    drawn = [line for line in axes.lines if line.get_marker() == "None" and line.get_linestyle() == "-"]
    return [(float(line.get_xdata()[0]), float(line.get_xdata()[1])) for line in drawn]


def titles(figure: Figure) -> list[str]:
    """The texts of a figure but the note."""
    return [text.get_text() for text in figure.texts[:-1]]


def test_groups_stand_at_their_gaps_with_their_bounds_and_terms(result: fc.Result) -> None:
    figure = result.plot.findings()
    [axes] = figure.axes
    found, terms = result.findings, result.term_findings
    ends = (100 * found[["rate_ci_low", "rate_ci_high"]]).to_numpy()  # the strongest finding leads with decisions

    assert titles(figure) == ["shift: Called rejected without being so"]
    assert labels(axes) == ['the group "night"', 'the group "day"']
    assert [x for x, _ in markers(axes)] == pytest.approx((100 * found["rate_gap"]).tolist())
    assert [shape for _, shape in markers(axes)] == ["o", "s"]
    np.testing.assert_allclose(intervals(axes), ends)
    assert axes.get_xlim()[0] < min(ends.min(), 0)
    assert axes.get_xlim()[1] > ends.max()
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top
    dots = [sorted(map(float, line.get_xdata())) for line in axes.lines if line.get_marker() == "."]
    for group, drawn in zip(("night", "day"), dots, strict=True):  # terms at the same place share a dot
        np.testing.assert_allclose(drawn, sorted(set((100 * terms["rate_gap"][terms["group"] == group]).round(6))))
    night, day = (row for _, row in found.iterrows())
    assert [text.get_text() for text in axes.texts] == [
        f"clear finding: {gap_bounds(night, rates=True)}",
        gap_bounds(day, rates=True),
    ]
    assert axes.get_xlabel() == "gap in percentage points of decisions"
    [line] = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert list(line.get_xdata()) == [0, 0]


def test_the_placebo_is_a_band_and_unmarked_texts_have_a_row_of_their_own() -> None:
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


def test_terms_are_sorted_by_gap_and_the_first_are_shown(result: fc.Result) -> None:
    figure = result.plot.terms()
    [axes] = figure.axes
    ranked = result.term_findings.sort_values("gap", ascending=False)

    assert titles(figure) == ["shift: Called rejected without being so"]
    assert labels(axes) == [f"{term} ({group})" for term, group in zip(ranked["term"], ranked["group"], strict=True)]
    assert [x for x, _ in markers(axes)] == pytest.approx((100 * ranked["gap"]).tolist())
    np.testing.assert_allclose(intervals(axes), 100 * ranked[["ci_low", "ci_high"]])
    three = result.plot.terms("shift", n=3)
    assert titles(three)[0].endswith(" (3 of 12 terms)")
    assert labels(three.axes[0]) == labels(axes)[:3]


def test_a_panel_for_each_attribute_and_harm() -> None:
    tables = [scored(shift, labels=("hired", "rejected")) for shift in (0.12, 0.0)]
    both = pd.concat([tables[0], tables[1].assign(attribute="rota")])
    found = found_in(both, harm=["called:rejected", "missed:rejected"])
    harms = found.findings.drop_duplicates(["attribute", "harm"])
    heads = zip(harms["attribute"], harms["title"], strict=True)

    assert titles(found.plot.findings()) == [f"{name}: {title[0].upper()}{title[1:]}" for name, title in heads]
    assert len(harms) == 4
    of_rota = sum(harms["attribute"] == "rota")
    assert len(found.plot.findings("rota").axes) == len(found.plot.terms("rota").axes) == of_rota


def test_names_of_a_tagger_are_phrases_and_without_records_a_sentence_is_there() -> None:
    found = fc.evaluate(tagged(0.6), task="ner", attribute="names", metrics=["fnr_gap"], draws=99)
    assert labels(found.plot.findings().axes[0]) == ["female names", "male names"]
    nothing = found_in(scored(0.12), draws=0).plot
    for figure in (nothing.findings(), nothing.terms()):
        assert not figure.axes
        assert figure.texts[0].get_text().startswith("shift: ")


def test_an_unknown_attribute_or_number_is_an_error(result: fc.Result) -> None:
    for draw in (result.plot.findings, result.plot.terms, result.plot.heatmap):
        with pytest.raises(OptionError, match=r"the run has no attribute 'shfit'\.\n    Did you mean shift\?"):
            draw("shfit")
    for n in (0, 2.5, True):
        with pytest.raises(OptionError, match="n="):
            result.plot.terms(n=n)  # type: ignore[arg-type]


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
