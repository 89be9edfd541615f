"""Readers of coreference sets: WinoBias, Winogender, GAP; and of a model's predictions for any published set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairness_checklist.core.errors import TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers.published import (
    PublishedSet,
    Rows,
    check_every_id,
    number_between,
    one_of,
    read_columns,
    read_json,
    read_text,
    whole_number,
)

if TYPE_CHECKING:
    import pandas as pd


PRONOUNS = {
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
}
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_WINOBIAS = re.compile(r"(pro|anti)_stereotyped_(type[12])\.txt\.(dev|test)")
GAP_COLUMNS = (
    "ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL",
)  # fmt: skip
WINOGENDER_COLUMNS = ("sentid", "sentence")
WINOGENDER_STATISTICS = ("occupation", "bergsma_pct_female", "bls_pct_female")


def read_winobias(path: str | Path) -> Rows:
    """WinoBias (Zhao et al. 2018): ``{pro,anti}_stereotyped_type{1,2}.txt.{dev,test}``, one of them or their folder.

    A line is a sentence with the person and the pronouns that mean that person in brackets; most files number their
    lines. The same line of the pro- and of the anti-stereotypical file is the same sentence with another pronoun.

    Columns: ``id, source, text, label`` (the occupation), ``group, stereotype`` (pro, anti), ``type, pronoun, start,
    end`` (of the mention), ``pronoun_start, pronoun_end``.
    """
    path = Path(path)
    files = sorted(member for member in path.iterdir() if _WINOBIAS.fullmatch(member.name)) if path.is_dir() else [path]
    if not files:
        raise TableError(
            f"no file of WinoBias is in {path}.",
            remedy="Its files are named pro_stereotyped_type1.txt.dev and the like.",
        )
    rows: Rows = []
    for file in files:
        named = _WINOBIAS.fullmatch(file.name)
        if not named:
            raise TableError(
                f"the name {file.name!r} does not say which part of WinoBias the file is.",
                place=str(file),
                remedy="Keep the published name, for instance pro_stereotyped_type1.txt.dev.",
            )
        side, kind, split = named.groups()
        for number, line in enumerate(read_text(file).splitlines(), start=1):
            if line.strip():
                place = f"{file.name}:{number}"
                named_line = {"id": place, "source": f"{kind}.{split}:{number}"}
                rows.append(named_line | _winobias_line(line, place) | {"stereotype": side, "type": kind})
    if not rows:
        raise TableError("there are no sentences in the file.", place=str(path))
    return rows


def _winobias_line(line: str, place: str) -> dict[str, object]:
    raw = re.sub(r"^\d+\s+", "", line.strip())
    # each pair of brackets before a mention takes two characters off the text, and its own one off the start
    spans = [(m.start() - 2 * at, m.end() - 2 * at - 2, m[1]) for at, m in enumerate(_BRACKETED.finditer(raw))]
    people = [span for span in spans if span[2].strip().lower() not in PRONOUNS]
    pronouns = [span for span in spans if span[2].strip().lower() in PRONOUNS]
    if len(people) != 1 or not pronouns:
        raise TableError(
            f"the line has {len(people)} persons and {len(pronouns)} pronouns in brackets, expected one person and a "
            "pronoun.",
            place=place,
            remedy="A line reads: 1 [The developer] argued with the designer because [she] did not like the design.",
        )
    start, end, mention = people[0]
    word = pronouns[0][2].strip()
    return {
        "text": _BRACKETED.sub(r"\1", raw),
        "label": _bare(mention),
        "group": PRONOUNS[word.lower()],
        "stereotype": "",
        "type": "",
        "pronoun": word,
        "start": start,
        "end": end,
        "pronoun_start": pronouns[0][0],
        "pronoun_end": pronouns[0][1],
    }


def read_winogender(path: str | Path) -> Rows:
    """Winogender schemas (Rudinger et al. 2018): ``all_sentences.tsv``, columns ``sentid, sentence``.

    The id says occupation, participant, which of the two is meant (0: the occupation, 1: the participant) and the
    gender of the pronoun, as in ``technician.customer.1.male.txt``. Which pronoun follows the stereotype is read from
    ``occupations-stats.tsv`` where that stands in the same folder: the pronoun of the majority in the occupation
    (``bls_pct_female``) follows it where the occupation is meant, the other where the participant is.

    Columns: ``id, source, text, label, group`` (male, female, neutral), ``occupation, participant``; with the
    statistics ``stereotype`` (pro, anti; "" for neutral pronouns).
    """
    majority = _majorities(Path(path).parent / "occupations-stats.tsv")
    rows: Rows = []
    for place, cells in read_columns(path, WINOGENDER_COLUMNS, delimiter="\t"):
        parts = cells["sentid"].split(".")
        if len(parts) != 5 or parts[4] != "txt" or parts[2] not in ("0", "1"):
            raise TableError(
                f"the sentid {cells['sentid']!r} is not as published.",
                place=place,
                remedy="It reads technician.customer.1.male.txt: occupation, participant, answer, gender.",
            )
        group = one_of(parts[3], ("male", "female", "neutral"), "the gender in sentid", place)
        rows.append(
            {
                "id": cells["sentid"],
                "source": ".".join(parts[:3]),
                "text": cells["sentence"],
                "label": parts[int(parts[2])],
                "group": group,
                "occupation": parts[0],
                "participant": parts[1],
            }
        )
        if majority:
            usual = majority[one_of(parts[0], majority, "the occupation in sentid", place)]
            side = "pro" if (group == usual) == (parts[2] == "0") else "anti"
            rows[-1]["stereotype"] = "" if group == "neutral" else side
    return rows


def _majorities(path: Path) -> dict[str, str]:
    """The gender of most people in each occupation; nothing where the statistics are not there."""
    majorities: dict[str, str] = {}
    if path.is_file():
        for place, cells in read_columns(path, WINOGENDER_STATISTICS, optional=("bls_year",), delimiter="\t"):
            share = number_between(cells["bls_pct_female"], 0, 100, "bls_pct_female", place)
            majorities[cells["occupation"]] = "female" if share > 50 else "male"
    return majorities


def read_gap(path: str | Path) -> Rows:
    """GAP (Webster et al. 2018): ``gap-development.tsv``, ``gap-test.tsv``, ``gap-validation.tsv``.

    The personal names of each text, as annotated by Kocijan et al. (2021), are read from ``gap-test-name-spans.json``
    where that stands in the same folder.

    Columns: ``id, text, label`` (A, B or neither), ``group`` (of the pronoun), ``pronoun, pronoun_start, a, a_start, b,
    b_start``; with the annotation ``name_spans`` (``start-end`` in characters, separated by spaces).
    """
    rows: Rows = []
    names = _name_spans(Path(path))
    for place, cells in read_columns(path, GAP_COLUMNS, delimiter="\t"):
        places = {}
        for name in ("Pronoun", "A", "B"):
            start = whole_number(cells[f"{name}-offset"], f"{name}-offset", place)
            if cells["Text"][start : start + len(cells[name])] != cells[name]:
                raise TableError(
                    f"{cells[name]!r} is not at character {start} of the text.",
                    place=place,
                    remedy="Use the file as it was published; a program that saves it may change quotes.",
                )
            places[name] = start
        is_a, is_b = _coreferent(cells, place)
        pronoun = one_of(cells["Pronoun"].lower(), PRONOUNS, "Pronoun", place)
        rows.append(
            {
                "id": cells["ID"],
                "text": cells["Text"],
                "label": "A" if is_a else "B" if is_b else "neither",
                "group": PRONOUNS[pronoun],
                "pronoun": cells["Pronoun"],
                "pronoun_start": places["Pronoun"],
                "a": cells["A"],
                "a_start": places["A"],
                "b": cells["B"],
                "b_start": places["B"],
            }
        )
        if names is not None:
            if cells["ID"] not in names:
                raise TableError(
                    f"{Path(path).stem}-name-spans.json has no names of {cells['ID']}.",
                    place=place,
                    remedy="Use the annotation of the same part of GAP.",
                )
            rows[-1]["name_spans"] = names[cells["ID"]]
    return rows


def _coreferent(cells: Mapping[str, str], place: str) -> list[bool]:
    """Whether the pronoun means A, and whether B."""
    names = ("A-coref", "B-coref")
    return [one_of(cells[name].upper(), ("TRUE", "FALSE"), name, place) == "TRUE" for name in names]


def _name_spans(path: Path) -> dict[str, str] | None:
    """The annotated names of each text of GAP; None where the file of the annotation is not there."""
    file = path.with_name(f"{path.stem}-name-spans.json")
    if not file.is_file():
        return None
    try:
        spans = {name: [(int(span[0]), int(span[1])) for span in own] for name, own in read_json(file).items()}
    except (AttributeError, TypeError, ValueError, LookupError):
        raise TableError(
            "the file does not hold the names of each text.",
            place=str(file),
            remedy='Use the file as it was published: {"test-1": [[58, 64, "Dehner"], ...], ...}.',
        ) from None
    return {name: " ".join(f"{start}-{end}" for start, end in own) for name, own in spans.items()}


@checks_keywords
def read_coreference_predictions(data: PublishedSet, path: str | Path) -> PublishedSet:
    """Add a coreference system's answers from a file to WinoBias, Winogender or GAP.

    GAP: the layout of its scorer, tabs and no header: id, whether A is meant, whether B is meant (TRUE, FALSE). The
    others: CSV with the columns ``id, predicted``, the mention that the pronoun is resolved to ("the developer").

    Returns:
        The set with the columns ``predicted`` and ``correct``.

    Raises:
        TableError: a wrong layout, or an id twice.
        AlignmentError: examples without an answer, or answers to no example.
    """
    given: dict[str, str] = {}
    if data.name == "gap":
        rows = read_columns(path, ("id", "A-coref", "B-coref"), delimiter="\t", header=False)
    else:
        rows = read_columns(path, ("id", "predicted"))
    for place, cells in rows:
        name = cells["id"]
        if name in given:
            raise TableError(f"there is a second answer for {name}.", place=place, remedy="Keep one of them.")
        if data.name == "gap":
            a, b = _coreferent(cells, place)
            given[name] = "both" if a and b else "A" if a else "B" if b else "neither"
        else:
            given[name] = _bare(cells["predicted"])
    known = list(data.table["id"])
    check_every_id(known, given, "answer", "to")
    predicted = [given[name] for name in known]
    correct = [
        said == str(label).lower() or said == label for said, label in zip(predicted, data.table["label"], strict=True)
    ]
    return replace(data, table=data.table.assign(predicted=predicted, correct=correct))


def _bare(mention: str) -> str:
    """A mention without its article, in lower case."""
    return re.sub(r"^(?:the|an?)\s+", "", mention.strip().lower())


COREFERENCE = ("winobias", "winogender", "gap")
"""Sets whose predictions are mentions."""
_NAMED = ("predicted", "score", "probability", "prior")


@checks_keywords
def read_set_predictions(data: PublishedSet, path: str | Path) -> PublishedSet:
    """Add a model's predictions from a file to a published set.

    Coreference sets: see `read_coreference_predictions`. The others: a table with ``id`` and what the model gives for
    each example: ``predicted`` (a class), ``p:<class>``, ``score`` or ``score:<name>`` (an intensity, a similarity or a
    log-likelihood), ``probability`` and optionally ``prior`` (of the target word; BEC-Pro).

    Args:
        data: from `read_published`; rows without ids are numbered from 1 (HolisticBias).
        path: .csv, .parquet or .jsonl.

    Returns:
        The set with these columns.

    Raises:
        TableError: another column, none of these, an id twice, or a cell that is no number.
        AlignmentError: examples without a prediction, or predictions for no example.
    """
    if data.name in COREFERENCE:
        return read_coreference_predictions(data, path)
    import pandas as pd

    given = _read(Path(path))
    table, ids = data.table, given["id"]
    if "id" not in table.columns:
        table = table.assign(id=[str(at) for at in range(1, len(table) + 1)])
    known = table["id"].astype(str).tolist()
    check_every_id(sorted(known), set(ids), "prediction", "for")
    ordered = given.set_index("id").loc[known].reset_index(drop=True)
    return replace(data, table=pd.concat([table.reset_index(drop=True), ordered], axis=1))


def _read(path: Path) -> pd.DataFrame:
    """The table of predictions with ids as texts, once each, and numbers in all columns but ``predicted``."""
    import pandas as pd

    from fairness_checklist.tables.files import read_table

    shown = path.name
    given = read_table(path)
    columns = [str(name) for name in given.columns]
    if "id" not in columns:
        raise TableError("the table has no column id.", place=f"{shown}:1", remedy="It needs the id of each example.")
    for name in columns:
        if name not in ("id", *_NAMED) and not name.startswith(("p:", "score:")):
            raise TableError(
                f"the column {name!r} is not known.",
                place=f"{shown}:1",
                remedy=f"Known: id, {', '.join(_NAMED)}, p:<class>, score:<name>.{did_you_mean(name, _NAMED)}",
            )
    if len(columns) == 1:
        raise TableError(
            "the table has ids and no prediction.",
            place=f"{shown}:1",
            remedy=f"It needs one of {', '.join(_NAMED[:3])}, p:<class>, score:<name>.",
        )
    ids = given["id"].astype(str)
    twice = ids[ids.duplicated()]
    if len(twice):
        raise TableError(
            f"there is a second prediction for {twice.iloc[0]}.",
            place=f"{shown}:{int(twice.index[0]) + 2}",
            remedy="Keep one of them.",
        )
    for name in (column for column in columns if column not in ("id", "predicted")):
        numbers = pd.to_numeric(given[name], errors="coerce")
        wrong = numbers.isna()
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            raise TableError(
                f"{name} is {str(given[name].iloc[row])!r}, expected a number.", place=f"{shown}:{row + 2}"
            )
        given[name] = numbers
    return given.assign(id=ids)
