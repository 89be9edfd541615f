"""The cells of a CSV file as they are written, and where: for what reading drops, and for mending one in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairness_checklist.delimited import delimiter_of, is_comment, is_separator_line

__all__ = ["Cell", "Raw", "raw"]


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: what stands in it, without quotes.
        start, end: its characters in the file, quotes among them.
        quoted: whether quotes are around it.
    """

    text: str
    start: int
    end: int
    quoted: bool

    def written(self, text: str, delimiter: str) -> str:
        """Another text as this cell would hold it: in quotes where they were or are needed."""
        if self.quoted or delimiter in text or '"' in text or "\n" in text:
            return '"' + text.replace('"', '""') + '"'
        return text


@dataclass(frozen=True, eq=False)
class Raw:
    """A file's header and rows.

    Attributes:
        header: the line of the header, and its columns.
        rows: of each row its line and its cells by column; of those that are too short the columns that they have.
        delimiter: what stands between cells.
        text: the whole file.
    """

    header: tuple[int, tuple[str, ...]]
    rows: dict[int, dict[str, Cell]]
    delimiter: str
    text: str


def raw(path: Path) -> Raw:
    """Read a CSV file that `read_rows` can read, cell by cell.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x.csv"
    >>> _ = path.write_text('# why\\nterm;group\\n"deaf ";hearing\\n')
    >>> found = raw(path)
    >>> found.header, found.rows[3]["term"].text, found.rows[3]["group"].start
    ((2, ('term', 'group')), 'deaf ', 25)
    """
    text = path.read_bytes().decode("utf-8")
    lines = text.splitlines(keepends=True)
    written = [line for line in lines if line.strip("\ufeff \r\n\t") and not is_comment(line)]
    written = written[1:] if written and is_separator_line(written[0]) else written
    delimiter = delimiter_of((written or [""])[0])
    header: tuple[int, tuple[str, ...]] = (0, ())
    rows: dict[int, dict[str, Cell]] = {}
    for line, cells in _records(text, delimiter):
        texts = [cell.text.strip() for cell in cells]
        if not any(texts) or re.fullmatch(r"sep=.?", texts[0].lower()):
            continue
        if not header[0]:
            header = (line, tuple(name.lower() for name in texts))
        else:
            rows[line] = dict(zip(header[1], cells, strict=False))
    return Raw(header, rows, delimiter, text)


def _records(text: str, delimiter: str) -> Iterator[tuple[int, list[Cell]]]:
    """Each record that is no comment, with the line on which it starts."""
    position, line = (1 if text.startswith("\ufeff") else 0), 1
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        if is_comment(text[position:end]):
            position, line = end, line + 1
            continue
        cells, end = _record(text, position, delimiter)
        yield line, cells
        line += text.count("\n", position, end)
        position = end


def _record(text: str, position: int, delimiter: str) -> tuple[list[Cell], int]:
    """The cells of the record that starts there, and where the next one starts."""
    cells: list[Cell] = []
    while True:
        start = position
        quoted = text[position : position + 1] == '"'
        if quoted:
            position += 1
            while position < len(text) and (text[position] != '"' or text[position + 1 : position + 2] == '"'):
                position += 2 if text[position] == '"' else 1
            position = min(position + 1, len(text))
            inside = text[start + 1 : position - 1].replace('""', '"')
        while position < len(text) and text[position] not in f"{delimiter}\r\n":
            position += 1
        cells.append(Cell(inside if quoted else text[start:position], start, position, quoted))
        if text[position : position + 1] != delimiter:
            break
        position += 1
    end = text.find("\n", position)
    return cells, len(text) if end < 0 else end + 1
