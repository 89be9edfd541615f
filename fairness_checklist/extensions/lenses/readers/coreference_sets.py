"""Coreference sets: WinoBias, Winogender, GAP; and a model's predictions for any published set."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from fairness_checklist.core.errors import TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers.published import (
    PublishedSet,
    Row,
    check_ids,
    number_between,
    one_of,
    read_columns,
    read_json,
    read_text,
)

PRONOUNS = {
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
}
_BRACKETED = re.compile(r"\[([^\[\]]+)\]")
_WINOBIAS = re.compile(r"(pro|anti)_stereotyped_(type[12])\.txt\.(dev|test)")


def winobias(path: Path) -> list[Row]:
    """A line is a sentence with the person and the pronouns that mean that person in brackets; most are numbered.

    The same line of the pro- and of the anti-stereotypical file is the same sentence with another pronoun.
    """
    is_folder = path.is_dir()
    files = sorted(member for member in path.iterdir() if _WINOBIAS.fullmatch(member.name)) if is_folder else [path]
    rows: list[Row] = []
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
                row = {"id": place, "source": f"{kind}.{split}:{number}", "stereotype": side, "type": kind}
                rows.append(row | _bracketed(line, place))
    if not rows:
        remedy = "Its files are named pro_stereotyped_type1.txt.dev and the like."
        raise TableError(f"there are no sentences of WinoBias in {path}.", remedy=remedy)
    return rows


def _bracketed(line: str, place: str) -> Row:
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
    return {
        "text": _BRACKETED.sub(r"\1", raw),
        "label": _without_article(mention),
        "group": PRONOUNS[pronoun.lower()],
        "pronoun": pronoun,
        "start": start,
        "end": end,
        "pronoun_start": pronoun_start,
        "pronoun_end": pronoun_end,
    }


def winogender(row: Row, cells: dict[str, str], place: str, majority: dict[str, str]) -> list[Row]:
    """The id says occupation, participant, who is meant (0 or 1) and the gender: ``technician.customer.1.male.txt``.

    The pronoun of the majority in the occupation follows the stereotype where the occupation is meant, the other where
    the participant is.
    """
    parts = cells["sentid"].split(".")
    if len(parts) != 5 or parts[4] != "txt" or parts[2] not in ("0", "1"):
        raise TableError(
            f"the sentid {cells['sentid']!r} is not as published.",
            place=place,
            remedy="It reads technician.customer.1.male.txt: occupation, participant, answer, gender.",
        )
    group = one_of(parts[3], ("male", "female", "neutral"), "the gender in sentid", place)
    row |= {"source": ".".join(parts[:3]), "label": parts[int(parts[2])], "group": group}
    row |= {"occupation": parts[0], "participant": parts[1]}
    if majority:
        usual = majority[one_of(parts[0], majority, "the occupation in sentid", place)]
        side = "pro" if (group == usual) == (parts[2] == "0") else "anti"
        row["stereotype"] = "" if group == "neutral" else side
    return [row]


def beside_winogender(sentences: Path) -> dict[str, str]:
    """The gender of most people in each occupation; nothing where the statistics are not beside the sentences."""
    path = sentences.with_name("occupations-stats.tsv")
    majorities: dict[str, str] = {}
    columns = ("occupation", "bergsma_pct_female", "bls_pct_female")
    for place, cells in read_columns(path, columns, delimiter="\t") if path.is_file() else ():
        share = number_between(cells["bls_pct_female"], 0, 100, "bls_pct_female", place)
        majorities[cells["occupation"]] = "female" if share > 50 else "male"
    return majorities


def gap(row: Row, cells: dict[str, str], place: str, spans: dict[str, str] | None) -> list[Row]:
    """Label (A, B or neither), group (of the pronoun), ``pronoun_start, a_start, b_start`` and ``name_spans``."""
    for name, column in (("Pronoun", "pronoun_start"), ("A", "a_start"), ("B", "b_start")):
        start = int(number_between(cells[f"{name}-offset"], 0, len(cells["Text"]), f"{name}-offset", place))
        if cells["Text"][start : start + len(cells[name])] != cells[name]:
            raise TableError(
                f"{cells[name]!r} is not at character {start} of the text.",
                place=place,
                remedy="Use the file as it was published; a program that saves it may change quotes.",
            )
        row[column] = start
    meant = _meant(cells, place)
    group = PRONOUNS[one_of(cells["Pronoun"].lower(), PRONOUNS, "Pronoun", place)]
    row |= {"label": "A" if meant == "both" else meant, "group": group}
    if spans is not None:
        if cells["ID"] not in spans:
            raise TableError(
                f"the annotated names have no text {cells['ID']}.",
                place=place,
                remedy="Use the annotation of the same part of GAP.",
            )
        row["name_spans"] = spans[cells["ID"]]
    return [row]


def _meant(cells: dict[str, str], place: str) -> str:
    """Whom the pronoun means: A, B, both or neither."""
    a, b = (one_of(cells[f"{x}-coref"].upper(), ("TRUE", "FALSE"), f"{x}-coref", place) == "TRUE" for x in "AB")
    return "both" if a and b else "A" if a else "B" if b else "neither"


def beside_gap(texts: Path) -> dict[str, str] | None:
    """The annotated names of each text of GAP, ``start-end`` in characters; None where there is no annotation."""
    file = texts.with_name(f"{texts.stem}-name-spans.json")
    if not file.is_file():
        return None
    try:
        return {
            name: " ".join(f"{int(span[0])}-{int(span[1])}" for span in spans)
            for name, spans in read_json(file).items()
        }
    except (AttributeError, TypeError, ValueError, LookupError):
        raise TableError(
            "the file does not hold the names of each text.",
            place=str(file),
            remedy='Use the file as it was published: {"test-1": [[58, 64, "Dehner"], ...], ...}.',
        ) from None


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
    is_gap = data.name == "gap"
    columns = ("id", "A-coref", "B-coref") if is_gap else ("id", "predicted")
    answers: dict[str, str] = {}
    for place, cells in read_columns(Path(path), columns, delimiter="\t" if is_gap else ",", header=not is_gap):
        if cells["id"] in answers:
            raise TableError(f"there is a second answer for {cells['id']}.", place=place, remedy="Keep one of them.")
        answers[cells["id"]] = _meant(cells, place) if is_gap else _without_article(cells["predicted"])
    check_ids(list(data.table["id"]), answers, "answer", "to")
    predicted = data.table["id"].map(answers)
    labels = data.table["label"] if is_gap else data.table["label"].str.lower()
    return replace(data, table=data.table.assign(predicted=predicted, correct=predicted == labels))


def _without_article(mention: str) -> str:
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

    Raises:
        TableError: another column, none of these, an id twice, or a cell that is no number.
        AlignmentError: examples without a prediction, or predictions for no example.
    """
    if data.name in COREFERENCE:
        return read_coreference_predictions(data, path)
    import pandas as pd

    from fairness_checklist.tables.files import read_table

    file, table = Path(path).name, data.table
    predictions = read_table(path)
    for name in map(str, predictions.columns):
        if name not in ("id", *_NAMED) and not name.startswith(("p:", "score:")):
            remedy = f"Known: id, {', '.join(_NAMED)}, p:<class>, score:<name>.{did_you_mean(name, _NAMED)}"
            raise TableError(f"the column {name!r} is not known.", place=f"{file}:1", remedy=remedy)
        numbers = pd.to_numeric(predictions[name], errors="coerce")
        if name not in ("id", "predicted") and numbers.isna().any():
            row = int(numbers.isna().to_numpy().argmax())
            message = f"{name} is {str(predictions[name].iloc[row])!r}, expected a number."
            raise TableError(message, place=f"{file}:{row + 2}")
    if "id" not in predictions.columns or len(predictions.columns) == 1:
        needed = f"It needs id and one of {', '.join(_NAMED[:3])}, p:<class>, score:<name>."
        raise TableError("the table has no ids with predictions.", place=f"{file}:1", remedy=needed)
    predictions["id"] = predictions["id"].astype(str)
    twice = predictions[predictions["id"].duplicated()]
    if len(twice):
        message, place = f"there is a second prediction for {twice['id'].iloc[0]}.", f"{file}:{int(twice.index[0]) + 2}"
        raise TableError(message, place=place, remedy="Keep one of them.")
    if "id" not in table.columns:
        table = table.assign(id=[str(number) for number in range(1, len(table) + 1)])
    ids = table["id"].astype(str).tolist()
    check_ids(sorted(ids), set(predictions["id"]), "prediction", "for")
    ordered = predictions.set_index("id").loc[ids].reset_index(drop=True)
    return replace(data, table=pd.concat([table.reset_index(drop=True), ordered], axis=1))
