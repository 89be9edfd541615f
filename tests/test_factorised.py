"""Texts by the chunk: any cut gives the same rows."""

from hypothesis import given
from hypothesis import strategies as st

from fairness_checklist.content.rendering import Column, FactorisedTexts, Frame
from fairness_checklist.content.slot_forms import SlotText

WORDS = st.text(alphabet="ab ", max_size=4)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    n_terms = draw(st.integers(1, 3))
    columns = []
    for _slot in range(draw(st.integers(0, 4))):
        written = []
        for _term in range(n_terms):
            text = draw(WORDS)
            start = draw(st.integers(0, len(text)))
            written.append(SlotText(text, start, draw(st.integers(start, len(text)))))
        columns.append(Column(tuple(written)))
    literals = tuple(draw(WORDS) for _literal in range(len(columns) + 1))
    return Frame(literals, tuple(columns), n_terms, draw(st.none() | WORDS))


def rows_of(frame: Frame) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    """Row by row, as simply as can be."""
    rows: list[tuple[str, tuple[tuple[int, int], ...]]] = []
    if frame.unmarked is not None:
        rows.append((frame.unmarked, ()))
    for row in range(frame.n_terms):
        text, spans = frame.literals[0], []
        for column, literal in zip(frame.columns, frame.literals[1:], strict=True):
            form = column.written[row]
            if form.start < form.end:
                spans.append((len(text) + form.start, len(text) + form.end))
            text += form.text + literal
        rows.append((text, tuple(spans)))
    return rows


@given(st.lists(frames(), max_size=4), st.integers(-2, 20), st.integers(-2, 20))
def test_every_chunk_is_a_cut_of_the_whole(listed: list[Frame], start: int, stop: int) -> None:
    texts = FactorisedTexts(tuple(listed))
    rows = [row for frame in listed for row in rows_of(frame)]
    expected = rows[max(start, 0) : max(stop, 0)]

    assert len(texts) == len(rows)
    assert texts.render(start, stop) == [text for text, _spans in expected]
    assert texts.spans(start, stop) == [spans for _text, spans in expected]
