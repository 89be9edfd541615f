"""The columns that all prediction tables share: groups, terms, sources and weights, one example per row."""

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError, TableError, count
from fairness_checklist.core.examples import GROUP_SEPARATOR, RESERVED, UNMARKED, GroupedRows, Source, family_of
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.tables.files import check_has_column
from fairness_checklist.tables.notes import check_column_names, repeated_rows, similar_names, strip_names

INTERSECTION = "intersection"  # the column with the two attributes of one as a JSON list; empty for one attribute
VARIANT = "variant"  # the column that marks the controls of an intersection and control words; empty for other rows
CONTROL_WORD = "control word"  # its value in rows of control words, of the attribute that they are compared with
_AVAILABLE = "terms_available"  # the column with the number of terms that the group was drawn from, if not all are used
LISTS = (list, tuple, np.ndarray)
_WHOLE = re.compile(r"-?\d+(\.0*)?")
Key = TypeVar("Key", bound=Hashable)


def split_control_words(controls: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The second table of `split_controls`: the controls of intersections, and the rows of control words."""
    if not len(controls):
        return controls, controls
    is_control_word = controls[VARIANT] == CONTROL_WORD
    words = controls[is_control_word].drop(columns=VARIANT)
    return controls[~is_control_word].reset_index(drop=True), words.reset_index(drop=True)


def with_available(frame: pd.DataFrame, available: Mapping[str, int]) -> pd.DataFrame:
    """A table of one attribute with the column ``terms_available``, where some group has more terms than are used."""
    used = frame[frame["term"] != ""].groupby("group")["term"].nunique()
    if all(int(used.get(group, 0)) >= n for group, n in available.items()):
        return frame
    return frame.assign(**{_AVAILABLE: frame["group"].map(lambda group: available.get(group, 0))})


def read_available(frame: pd.DataFrame, attribute: str) -> dict[str, dict[str, int]]:
    """Of each attribute of a table the number of terms that each group was drawn from; {} where it is not known."""
    if _AVAILABLE not in frame.columns:
        return {}
    available: dict[str, dict[str, int]] = {}
    names = name_column(frame, "attribute")[0] if "attribute" in frame.columns else [attribute] * len(frame)
    for name, group, n in zip(names, name_column(frame, "group")[0], number_column(frame, _AVAILABLE), strict=True):
        if n > 0:
            available.setdefault(name, {})[group] = int(n)
    return available


def split_controls(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table's rows, and those of them that are controls or control words (their column ``variant`` is filled)."""
    if not all(str(name).isascii() for name in frame.columns):
        frame = frame.rename(columns=lambda name: nfc(name) if isinstance(name, str) else name)
    check_column_names(frame.columns)
    if VARIANT not in frame.columns:
        return frame, pd.DataFrame()
    is_control = np.array(text_column(frame, VARIANT)) != ""
    rows = frame[~is_control].drop(columns=VARIANT).reset_index(drop=True)
    return rows, frame[is_control].reset_index(drop=True)


def read_intersection(frame: pd.DataFrame) -> tuple[str, ...]:
    """The two attributes that the rows of one attribute are an intersection of; empty where they are none."""
    cells = set(text_column(frame, INTERSECTION)) if INTERSECTION in frame.columns else set()
    try:
        parsed = json.loads(cells.pop()) if len(cells) == 1 else []
    except ValueError:  # a column of the user's own
        return ()
    pair = isinstance(parsed, list) and len(parsed) == 2 and all(isinstance(name, str) for name in parsed)
    return tuple(parsed) if pair else ()


def join_controls(rows: pd.DataFrame, controls: pd.DataFrame) -> pd.DataFrame:
    """The two tables of `split_controls` as one again."""
    return pd.concat([rows.assign(**{VARIANT: ""}), controls], ignore_index=True) if len(controls) else rows


def rows_by_attribute(frame: pd.DataFrame, attribute: str) -> Iterator[tuple[str, IntArray]]:
    """Each attribute of a table (its column ``attribute``, else the given name), and the positions of its rows."""
    check_column_names(frame.columns)
    check_has_column(frame, "group")
    if not len(frame):
        raise TableError("the table has no rows.", remedy="Write one row per text under the names of the columns.")
    names = np.array(name_column(frame, "attribute")[0] if "attribute" in frame.columns else [attribute] * len(frame))
    if (names == "").any():
        remedy = "Name the attribute of every row, or leave the column out."
        raise TableError(f"row {int((names == '').argmax()) + 1:,} has no attribute.", remedy=remedy)
    for name in dict.fromkeys(names.tolist()):
        yield name, np.flatnonzero(names == name)


def rows_at(frame: pd.DataFrame, rows: IntArray) -> pd.DataFrame:
    """The rows at these positions as a table of their own."""
    return frame.iloc[rows].reset_index(drop=True)


def read_rows(
    frame: pd.DataFrame, attribute: str, labels: Sequence[str], intersection: tuple[str, ...] = ()
) -> tuple[GroupedRows, list[str], tuple[str, ...]]:
    """Groups, terms, sources and weights of a table of one attribute; the n terms as written, "" where a row has none;
    and what should be questioned about the table. ``labels`` (n,) are the gold classes, or ""."""
    group_names, notes = name_column(frame, "group")
    for name in dict.fromkeys(group_names):
        what = "is empty" if not name else 'is "*", which stands for all groups' if name == "*" else ""
        if name in RESERVED - {UNMARKED} or name.startswith("group:"):
            what = what or f'is "{name}", which has a meaning of its own in the results'
        if what:
            raise TableError(f"the group of row {group_names.index(name) + 1:,} {what}.", remedy="Name its group.")
    categories = frame["group"].cat.categories if isinstance(frame["group"].dtype, pd.CategoricalDtype) else ()
    declared = strip_names([str(name) for name in categories], "group")[0]
    occurring = set(group_names) - {UNMARKED}
    groups, group = _codes(
        ["" if name == UNMARKED else name for name in group_names], [name for name in declared if name in occurring]
    )
    term_names, of_terms = name_column(frame, "term")
    pairs, term = _codes([(g, t) if t else None for g, t in zip(group_names, term_names, strict=True)])
    sources, source, of_sources = _sources(frame, labels)
    weight = number_column(frame, "weight") if "weight" in frame.columns else None
    if weight is not None and not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise TableError("the column weight holds a number that is not finite or is negative.")
    rows = GroupedRows(
        attribute=attribute,
        intersection=intersection,
        groups=groups,
        group=group,
        terms=tuple(name for _group, name in pairs),
        term_group=np.array([-1 if name == UNMARKED else groups.index(name) for name, _term in pairs], dtype=np.int64),
        term=term,
        sources=sources,
        source=source,
        weight=weight,
        concepts=_term_column(frame, "concept", pairs, term),
        lexemes=_term_column(frame, "lexeme", pairs, term),
        pos=_term_column(frame, "pos", pairs, term),
    )
    return rows, term_names, (*notes, *of_terms, *similar_names(groups, "groups"), *of_sources, *repeated_rows(frame))


def text_column(frame: pd.DataFrame, name: str) -> list[str]:
    """A column as strings, "" where a cell is missing; whole numbers that became floats are written as such."""
    column = frame[name]
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    if pd.api.types.is_object_dtype(column):
        for row, cell in enumerate(column):
            if isinstance(cell, (*LISTS, dict)):
                raise TableError(
                    f"the column {name} of row {row + 1:,} holds a list; expected one text.",
                    remedy="Only taggers have lists: in tokens, tags, predicted, classes, p, slot, spans.",
                )
    cells, missing = column.to_numpy(dtype=object), column.isna().to_numpy()
    return list(map(str, (np.where(missing, "", cells) if missing.any() else cells).tolist()))


def name_column(frame: pd.DataFrame, column: str) -> tuple[list[str], tuple[str, ...]]:
    """A column of names without spaces at either end, and a note where there were some; all "" without the column."""
    if column not in frame.columns:
        return [""] * len(frame), ()
    names, notes = strip_names(text_column(frame, column), column)
    if column in ("label", "predicted") and all(_WHOLE.fullmatch(name) for name in names if name):
        names = [name.partition(".")[0] for name in names]  # 1.0 in CSV, as it is of a column of floats
    return names, notes


def _codes(values: Sequence[Key | None], declared: Sequence[Key] = ()) -> tuple[tuple[Key, ...], IntArray]:
    """Distinct values, those of a declared order first, then as they appear, and (n,) positions; -1 for "" and None."""
    position: dict[Key, int] = {name: i for i, name in enumerate(dict.fromkeys(declared))}
    codes = [position.setdefault(value, len(position)) if value else -1 for value in values]
    return tuple(position), np.array(codes, dtype=np.int64)


def _term_column(frame: pd.DataFrame, column: str, pairs: Sequence[tuple[str, str]], term: IntArray) -> tuple[str, ...]:
    """What a column says of each term, ``()`` where it says nothing; ``pairs`` are the terms with their groups."""
    if column not in frame.columns:
        return ()
    of_term = [""] * len(pairs)
    for row, (number, name) in enumerate(zip(term.tolist(), name_column(frame, column)[0], strict=True)):
        if number < 0 or not name:
            continue
        if of_term[number] not in ("", name):
            group, word = pairs[number]
            raise TableError(
                f"row {row + 1:,} gives {word!r} of {group} the {column} {name}, an earlier one {of_term[number]}.",
                remedy=f"Give each term of a group one {column}, or none.",
            )
        of_term[number] = name
    return tuple(of_term) if any(of_term) else ()


def _sources(frame: pd.DataFrame, labels: Sequence[str]) -> tuple[tuple[Source, ...], IntArray, tuple[str, ...]]:
    """The sources, the source of each row, and notes."""
    if "source" not in frame.columns:
        return (), np.full(len(frame), -1, dtype=np.int64), ()
    names, notes = name_column(frame, "source")
    ids, source = _codes(names)
    if (source < 0).any():
        remedy = "Name the source of every row, or leave the column out."
        raise TableError(f"row {int(np.flatnonzero(source < 0)[0]) + 1:,} has no source.", remedy=remedy)
    first = np.unique(source, return_index=True)[1].tolist()
    columns = ("template", "about", "rewords", "topic", "register", "kind", "symmetric")
    cells = {name: name_column(frame, name)[0] for name in columns if name in frame.columns}
    symmetric = cells.pop("symmetric", [""] * len(frame))
    sources = tuple(
        Source(
            id=ids[s],
            label=labels[row],
            symmetric=symmetric[row].lower() not in ("no", "false", "0"),
            **{"template": names[row]} | {name: column[row] for name, column in cells.items()},
        )
        for s, row in enumerate(first)
    )
    family_of([source.template for source in sources], [source.rewords for source in sources], TableError)
    return sources, source, notes


def number_column(frame: pd.DataFrame, name: str) -> FloatArray:
    """A column as numbers (n,), NaN where a cell is missing."""
    numbers = pd.to_numeric(frame[name], errors="coerce").astype("float64")
    wrong = numbers.isna() & frame[name].notna()
    if wrong.any():
        row = int(wrong.argmax())
        raise TableError(
            f"the column {name} of row {row + 1:,} is {str(frame[name].iloc[row])!r}, which is not a number.",
            remedy="Write 0.5; 0,5 is read in tables with semicolons.",
        )
    return np.asarray(numbers, dtype=np.float64)


def grouped_by(frame: pd.DataFrame, columns: Sequence[str], min_cell: int) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """A table with the values of one column as groups, or of two columns and of their pairs ("first+second", "a & b");
    and by attribute what was left out."""
    check_column_names(frame.columns)
    if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
        raise OptionError(
            f"group columns are one column or two different ones, not {', '.join(map(str, columns)) or 'none'}.",
            remedy='Name them: group_columns=["sex", "age"].',
        )
    values: dict[str, NDArray[np.object_]] = {}
    remarks: dict[str, list[str]] = {}
    for name in columns:
        check_has_column(frame, name)
        cells, spaces = strip_names(text_column(frame, name), str(name))
        values[str(name)], remarks[str(name)] = np.array(cells, dtype=object), list(spaces)
        wrong = [cell for cell in cells if GROUP_SEPARATOR in cell]
        if wrong and len(columns) == 2:
            raise TableError(
                f"the value {wrong[0]!r} of the column {name} contains {GROUP_SEPARATOR!r}, which separates groups.",
                remedy="Write it in another way.",
            )
    names = list(values)
    if len(names) == 2:
        first, second = values.values()
        values["+".join(names)] = np.where((first != "") & (second != ""), first + GROUP_SEPARATOR + second, "")
    plain = frame.drop(columns=["attribute", "group", INTERSECTION], errors="ignore")
    parts = []
    for attribute, column in values.items():
        crossed = attribute not in names
        large, notes = large_enough(column, min_cell, " or ".join(names) if crossed else attribute)
        if not large.any():
            raise TableError(f"no group of {attribute} has {min_cell} rows.", remedy="Ask for fewer: min_cell=.")
        rows = plain[large].assign(attribute=attribute, group=column[large].astype(str))
        parts.append(rows.assign(**{INTERSECTION: json.dumps(names)}) if crossed else rows)
        remarks[attribute] = [*remarks.get(attribute, []), *notes]
    return pd.concat(parts, ignore_index=True), remarks


def large_enough(column: NDArray[np.object_], least: int, name: str) -> tuple[BoolArray, list[str]]:
    """The rows of groups that are large enough, and a note on the others."""
    groups, code, size = np.unique(column.astype(str), return_inverse=True, return_counts=True)
    small = (size < least) & (groups != "")
    empty = int((column == "").sum())
    notes = [f"{count(empty, 'row')} without a value of {name}"] if empty else []
    if small.any():
        named = ", ".join(f"{group} ({n})" for group, n in zip(groups[small], size[small], strict=True))
        notes.append(f"left out, fewer than {least:,} rows: {named}")
    return np.asarray(~small[code] & (column != "")), notes
