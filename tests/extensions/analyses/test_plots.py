"""The figures of `result.plot`: what is drawn, where, and that nothing else changes."""

from copy import deepcopy

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from build_findings import found_in, scored, tagged
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12, controls=True))


def labels(axes: Axes) -> list[str]:
    return [tick.get_text() for tick in axes.get_yticklabels()]


def marks(axes: Axes, shape: str) -> list[float]:
    return [float(x) for line in axes.lines if line.get_marker() in shape for x in line.get_xdata() if not np.isnan(x)]


def titles(figure: Figure) -> list[str]:
    """The texts of a figure but the note."""
    return [text.get_text() for text in figure.texts[:-1]]


def test_groups_stand_at_their_gaps_with_their_bounds_and_words(result: fc.Result) -> None:
    figure = result.plot.findings()
    [axes] = figure.axes
    found = result.findings.sort_values("gap", ascending=False)
    ends = [line.get_xdata() for line in axes.lines if line.get_marker() == "None" and line.get_linestyle() == "-"]

    assert titles(figure) == ["shift: Called rejected without being so"]
    assert labels(axes) == ['the group "night"', 'the group "day"']
    assert marks(axes, "oDs") == pytest.approx((100 * found["gap"]).tolist())
    np.testing.assert_allclose(ends, 100 * found[["low", "high"]])
    assert axes.get_xlim()[0] < np.min(ends) < np.max(ends) < axes.get_xlim()[1]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top
    words = set((100 * result.word_findings["gap"]).round(1))
    assert {round(x, 1) for x in marks(axes, ".")} == words
    assert [text.get_text().split()[-1] for text in axes.texts] == found["status"].tolist()
    assert axes.get_xlabel() == "gap in points of probability, right of 0 worse"
    differ = 100 * result.info["findings"]["shift"]["control_words"]["differ"]["called:rejected"]
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [pytest.approx((-differ, 2 * differ))]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"] == pytest.approx([-5, 5])


def test_words_are_sorted_by_gap_and_the_first_are_shown(result: fc.Result) -> None:
    [axes] = result.plot.terms().axes
    ranked = result.word_findings.sort_values("gap", ascending=False)

    assert labels(axes) == [f'"{word}" ({group})' for word, group in zip(ranked["word"], ranked["group"], strict=True)]
    assert marks(axes, "o") == pytest.approx((100 * ranked["gap"]).tolist())
    three = result.plot.terms("shift", n=3)
    assert titles(three)[0].endswith(" (3 of 12 words)")
    assert labels(three.axes[0]) == labels(axes)[:3]


def test_a_panel_for_each_attribute_and_error() -> None:
    tables = [scored(shift, labels=("hired", "rejected")) for shift in (0.12, 0.0)]
    both = pd.concat([tables[0], tables[1].assign(attribute="rota")])
    found = found_in(both, harm=["called:rejected", "missed:rejected"])

    assert len(found.plot.findings().axes) == 4
    assert [title.partition(":")[0] for title in titles(found.plot.findings())] == ["shift", "shift", "rota", "rota"]
    assert len(found.plot.findings("rota").axes) == len(found.plot.terms("rota").axes) == 2


def test_names_of_a_tagger_are_phrases_and_without_records_a_sentence_is_there() -> None:
    found = fc.evaluate(tagged(0.6), task="ner", attribute="names", metrics=["fnr_gap"], draws=0)
    assert labels(found.plot.findings().axes[0]) == ["female names", "male names"]
    nothing = found_in(scored(0.12), harm=None).plot
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


@pytest.mark.filterwarnings("ignore:Glyph")  # of this test's own measuring: the picture itself is drawn in silence
def test_a_notebook_gets_a_picture_that_no_text_leaves_and_matplotlib_stays_as_it_was() -> None:
    long = "$x^2$ people whom a name of many words describes, and then a few more words, and an end\nof it"
    words = {long: ("nurse", "guard", "baker", "porter"), "名": ("clerk", "tailor", "broker", "painter")}
    found = found_in(scored(0.12, words))
    before, backend = dict(mpl.rcParams), mpl.get_backend()
    for figure in (found.plot.findings(), found.plot.terms(), found.plot.heatmap()):
        assert figure._repr_png_().startswith(b"\x89PNG\r\n\x1a\n")  # type: ignore[attr-defined]
        assert deepcopy(figure).get_figwidth() == figure.get_figwidth()  # by the state that a pickle would hold
        whole, renderer = figure.bbox.padded(1), figure.canvas.get_renderer()  # type: ignore[attr-defined]
        texts = [text for axes in figure.axes for text in (*axes.get_yticklabels(), *axes.texts, axes.xaxis.label)]
        for text in (*texts, *figure.texts):
            box = text.get_window_extent(renderer)
            assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, text.get_text()
            assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, text.get_text()
    assert any("$x^2$" in text.get_text().replace("\\", "") for text in found.plot.findings().axes[0].get_yticklabels())
    assert (dict(mpl.rcParams), mpl.get_backend()) == (before, backend)
    assert not pyplot.get_fignums()
