"""Readers of published data sets in their published layout. None of the sets is shipped: a reader is given a path."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TableError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice

PRONOUNS = {
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
}
_AS_PUBLISHED = "Use the file as it was published."
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_WINOBIAS = re.compile(r"(pro|anti)_stereotyped_(type[12])\.txt\.(dev|test)")
_SENTENCE_ID = r"(\w+)\.(\w+)\.([01])\.(male|female|neutral)\.txt"


@dataclass(frozen=True, eq=False)
class Reader:
    """A published data set that can be read: a table of ``readers.toml``."""

    columns: tuple[str, ...] = ()  # of the published file; none where a function reads it
    delimiter: str = ","
    values: Mapping[str, list[str]] = field(default_factory=dict)  # the values that a column may have
    table: Mapping[str, str] = field(default_factory=dict)  # a column that is made -> its format
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # a column -> what its values stand for


READERS: Mapping[str, Reader] = {
    name: Reader(**entry)
    for name, entry in tomllib.loads(files(__package__).joinpath("readers.toml").read_text(encoding="utf-8")).items()
}
"""The published data sets by id."""


@checks_keywords
def read_published(name: str, path: str | Path) -> pd.DataFrame:
    """Read a published data set from the user's copy: a row an example, with the columns of ``readers.toml``.

    Args:
        name: its id, one of `READERS`.
        path: the published file; of WinoBias its folder, too.

    Raises:
        OptionError: an unknown id.
        TableError: a file in another layout, with ``file:line``.

    >>> read_published("winobais", "wino/data")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: name='winobais' is not known.
        Did you mean winobias? Known: winogender, winobias, gap, crows_pairs, stereoset, bias_in_bios, eec, bec_pro.
    """
    reader, file = READERS[choice("name", name, READERS)], Path(path)
    if not reader.columns:
        table = _FUNCTIONS[name](file)
    else:
        cells = _published_cells(reader, file)
        records = cells.to_dict("records")
        made = {column: [pattern.format_map(row) for row in records] for column, pattern in reader.table.items()}
        table = pd.DataFrame(made, index=cells.index)
        if name in _FUNCTIONS:
            table = _FUNCTIONS[name](table, cells, file)
    if not len(table):
        raise TableError("there are no rows in the file.", place=file.name, remedy=_AS_PUBLISHED)
    return table.reset_index(drop=True)


def _published_cells(reader: Reader, path: Path) -> pd.DataFrame:
    """The cells of the file as text, numbered by line; values that stand for another one are replaced by it."""
    if path.suffix.lower() in (".parquet", ".jsonl"):
        from fairness_checklist.tables.files import read_table

        cells = read_table(path).astype(str)
        cells.index += 1
        _check_columns(list(cells.columns), reader.columns, path.name)
    else:
        cells = _read_columns(path, reader.columns, delimiter=reader.delimiter)
    allowed: dict[str, Iterable[str]] = {**reader.values}
    allowed |= {column: {*values, *values.values()} for column, values in reader.codes.items()}
    for column, values in allowed.items():
        _check_values(cells[column], sorted(values), path)
    return cells.assign(**{column: cells[column].replace(names) for column, names in reader.codes.items()})


# Files


def _read_text(path: Path) -> str:
    if path.suffix.lower() in (".pkl", ".pickle"):
        remedy = "Write the table as .csv, .jsonl or .parquet first."
        raise TableError(f"{path} is a pickle, and pickles can run code when they are read.", remedy=remedy)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        remedy = "Give the path of the published file, in UTF-8."
        raise TableError(f"there is no text to read at {path}: {problem}.", remedy=remedy) from None


def _read_columns(path: Path, columns: Sequence[str], *, delimiter: str = ",") -> pd.DataFrame:
    """The cells of a delimited file as text, with the published columns at least; the index is the line.

    In files with tabs a quote is a character like any other, but for those around a whole cell.
    """
    tabs = delimiter == "\t"
    style: Any = csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL
    reader = csv.reader(io.StringIO(_read_text(path), newline=""), delimiter=delimiter, strict=True, quoting=style)
    rows: dict[int, list[str]] = {}
    try:
        for cells in reader:
            if any(cells):
                rows[reader.line_num] = cells
    except csv.Error as problem:
        place = f"{path.name}:{reader.line_num}"
        raise TableError(f"the row does not parse: {problem}.", place=place, remedy=_AS_PUBLISHED) from None
    names = [name or "unnamed" for name in next(iter(rows.values()), [])]
    _check_columns(names, columns, f"{path.name}:1")
    for line, cells in rows.items():
        if len(cells) != len(names):
            message = f"the row has {len(cells)} cells, expected {len(names)}: {', '.join(names)}."
            raise TableError(message, place=f"{path.name}:{line}", remedy=_AS_PUBLISHED)
    frame = pd.DataFrame(list(rows.values()), index=list(rows), columns=names)[1:]
    if tabs:
        quoted = frame.apply(lambda column: column.str.fullmatch(r'"(?:[^"]|"")*"'))
        frame = frame.mask(quoted, frame.apply(lambda column: column.str[1:-1].str.replace('""', '"', regex=False)))
    return frame


def _check_columns(names: Collection[str], columns: Sequence[str], place: str) -> None:
    missing = [name for name in columns if name not in names]
    if missing:
        remedy = f"The published columns are: {', '.join(columns)}."
        raise TableError(f"the column {missing[0]!r} is missing.", place=place, remedy=remedy)


def _refuse(wrong: pd.Series, path: Path, message: str, remedy: str = _AS_PUBLISHED) -> None:
    """`TableError` at the first line where a column (by line) is wrong; {} in the message is its cell."""
    if len(wrong):
        raise TableError(message.format(repr(wrong.iloc[0])), place=f"{path.name}:{wrong.index[0]}", remedy=remedy)


def _check_values(column: pd.Series, values: Collection[str], path: Path) -> None:
    expected = ", ".join(map(repr, values))
    wrong = column[~column.isin(list(values))]
    near = did_you_mean(wrong.iloc[0], values) if len(wrong) else ""
    _refuse(wrong, path, f"{column.name} is {{}}, expected one of {expected}.", f"{_AS_PUBLISHED}{near}")


def _numbers(column: pd.Series, most: float, path: Path) -> pd.Series:
    values = pd.to_numeric(column, errors="coerce")
    _refuse(column[~values.between(0, most)], path, f"{column.name} is {{}}, expected a number from 0 to {most:g}.")
    return values


# Coreference


def _winobias(path: Path) -> pd.DataFrame:
    """A line is a sentence with the person and the pronouns that mean that person in brackets; most are numbered."""
    is_folder = path.is_dir()
    parts = sorted(member for member in path.iterdir() if _WINOBIAS.fullmatch(member.name)) if is_folder else [path]
    rows = []
    for part in parts:
        named = _WINOBIAS.fullmatch(part.name)
        if not named:
            raise TableError(
                f"the name {part.name!r} does not say which part of WinoBias the file is.",
                place=str(part),
                remedy="Keep the published name, for instance pro_stereotyped_type1.txt.dev.",
            )
        side, kind, split = named.groups()
        for number, line in enumerate(_read_text(part).splitlines(), start=1):
            if line.strip():
                place = f"{part.name}:{number}"
                row = {"id": place, "source": f"{kind}.{split}:{number}", "stereotype": side, "type": kind}
                rows.append(row | _bracketed(line, place))
    return pd.DataFrame(rows)


def _bracketed(line: str, place: str) -> dict[str, Any]:
    raw = re.sub(r"^\d+\s+", "", line.strip())
    # each pair of brackets before a mention takes two characters off the text, and its own one off the start
    spans = [(m.start() - 2 * k, m.end() - 2 * k - 2, m[1].strip()) for k, m in enumerate(_BRACKETED.finditer(raw))]
    people = [span for span in spans if span[2].lower() not in PRONOUNS]
    pronouns = [span for span in spans if span[2].lower() in PRONOUNS]
    if len(people) != 1 or not pronouns:
        raise TableError(
            f"the line has {len(people)} persons and {len(pronouns)} pronouns in brackets, expected one person and a "
            "pronoun.",
            place=place,
            remedy="A line reads: 1 [The developer] argued with the designer because [she] did not like the design.",
        )
    (start, end, mention), (pronoun_start, pronoun_end, pronoun) = people[0], pronouns[0]
    row: dict[str, Any] = {
        "text": _BRACKETED.sub(r"\1", raw),
        "label": re.sub(r"^(?:the|an?)\s+", "", mention.lower()),
        "group": PRONOUNS[pronoun.lower()],
    }
    row |= {"pronoun": pronoun, "start": start, "end": end}
    return row | {"pronoun_start": pronoun_start, "pronoun_end": pronoun_end}


def _winogender(made: pd.DataFrame, cells: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The id says occupation, participant, who is meant (0 or 1) and the gender: ``technician.customer.1.male.txt``.

    The pronoun of the majority in the occupation (``occupations-stats.tsv`` beside the file) follows the stereotype
    where the occupation is meant, the other one where the participant is.
    """
    id_parts = cells["sentid"].str.extract(f"^{_SENTENCE_ID}$")
    remedy = "It reads technician.customer.1.male.txt: occupation, participant, answer, gender."
    _refuse(cells.loc[id_parts[0].isna(), "sentid"], path, "the sentid {} is not as published.", remedy)
    occupation, participant, meant, group = (id_parts[k] for k in range(4))
    source = occupation + "." + participant + "." + meant
    label = occupation.where(meant == "0", participant)
    made = made.assign(source=source, label=label, group=group, occupation=occupation, participant=participant)
    statistics = path.with_name("occupations-stats.tsv")
    if not statistics.is_file():
        return made
    jobs = _read_columns(statistics, ("occupation", "bergsma_pct_female", "bls_pct_female"), delimiter="\t")
    women = dict(zip(jobs["occupation"], _numbers(jobs["bls_pct_female"], 100, statistics) > 50, strict=True))
    _check_values(occupation.rename("the occupation in sentid"), women, path)
    follows = (group == occupation.map(women).map({True: "female", False: "male"})) == (meant == "0")
    return made.assign(stereotype=np.where(group == "neutral", "", np.where(follows, "pro", "anti")))


def _gap(made: pd.DataFrame, cells: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Label (A, B or neither), group (of the pronoun), ``pronoun_start, a_start, b_start``."""
    for name, column in (("Pronoun", "pronoun_start"), ("A", "a_start"), ("B", "b_start")):
        made[column] = _numbers(cells[f"{name}-offset"], float("inf"), path).astype(int)
        places = zip(cells["Text"], cells[name], made[column], strict=True)
        wrong = [not text.startswith(word, start) for text, word, start in places]
        remedy = f"{_AS_PUBLISHED} A program that saves it may change quotes."
        _refuse(cells.loc[wrong, name], path, f"{{}} is not at the character {name}-offset of the text.", remedy)
    pronoun = cells["Pronoun"].str.lower()
    _check_values(pronoun, PRONOUNS, path)
    return made.assign(label=meant(cells, path).replace("both", "A"), group=pronoun.map(PRONOUNS))


def meant(cells: pd.DataFrame, path: Path) -> pd.Series:
    """Whom the pronoun means: A, B, both or neither."""
    named = {}
    for name in ("A", "B"):
        answer = cells[f"{name}-coref"].str.upper()
        _check_values(answer, ("TRUE", "FALSE"), path)
        named[name] = answer == "TRUE"
    a, b = named["A"], named["B"]
    return pd.Series(np.select([a & b, a, b], ["both", "A", "B"], "neither"), index=cells.index)


# Sentences


def _crows_pairs(made: pd.DataFrame, cells: pd.DataFrame, _path: Path) -> pd.DataFrame:
    """``sent_more`` is the more stereotypical sentence of every pair, also where the other contradicts a stereotype."""
    sides = [
        made.assign(id=cells["unnamed"] + f".{name}", text=cells[f"sent_{name}"], stereotype=side)
        for name, side in (("more", "pro"), ("less", "anti"))
    ]
    return pd.concat(sides).sort_index(kind="stable")


def _bec_pro(made: pd.DataFrame, cells: pd.DataFrame, _path: Path) -> pd.DataFrame:
    """Pairs are of one template and profession; professions of the other gender are anti-stereotypical."""
    profession = cells["Profession_EN" if "Profession_EN" in cells else "Profession"]
    mostly = cells["Prof_Gender"]
    side = np.select([mostly == "balanced", mostly == cells["Gender"]], ["", "pro"], "anti")
    return made.assign(source=cells["Template"] + "|" + profession, label=profession, stereotype=side)


def _bias_in_bios(made: pd.DataFrame, _cells: pd.DataFrame, _path: Path) -> pd.DataFrame:
    made.insert(0, "id", [str(number) for number in range(1, len(made) + 1)])
    return made


def _stereoset(path: Path) -> pd.DataFrame:
    """Three rows a context: ``task, text, context, target, label`` (kind of bias)."""
    sides = {"stereotype": "pro", "anti-stereotype": "anti", "unrelated": ""}

    def rows(content: Any) -> list[dict[str, Any]]:
        found = []
        for task in ("intrasentence", "intersentence"):
            for context in content["data"][task]:
                shared = {"source": context["id"], "task": task, "context": context["context"]}
                shared |= {"target": context["target"], "label": context["bias_type"]}
                labels = [sentence["gold_label"] for sentence in context["sentences"]]
                if sorted(labels) != sorted(sides):
                    raise ValueError(f"{context['id']} has the sentences {', '.join(labels)}")
                found += [
                    {"id": sentence["id"], "text": sentence["sentence"], "stereotype": sides[sentence["gold_label"]]}
                    | shared
                    for sentence in context["sentences"]
                ]
        return found

    try:
        return pd.DataFrame(rows(json.loads(_read_text(path))))
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        message = f"the file has another layout ({type(problem).__name__}: {problem})."
        raise TableError(message, place=path.name, remedy=_AS_PUBLISHED) from None


_FUNCTIONS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "winobias": _winobias,
    "winogender": _winogender,
    "gap": _gap,
    "crows_pairs": _crows_pairs,
    "stereoset": _stereoset,
    "bias_in_bios": _bias_in_bios,
    "bec_pro": _bec_pro,
}
"""What the column maps of ``readers.toml`` cannot say."""
