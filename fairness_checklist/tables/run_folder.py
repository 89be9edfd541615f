"""Results: the tidy tables of a run, and the run folder (text and Parquet only)."""

import hashlib
import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import pandas as pd

from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.atomic import atomic_folder, check_replaceable_folder, restore_folder
from fairness_checklist.core.errors import TableError, without_quotes
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.tables.columns import join_controls, split_controls
from fairness_checklist.tables.texts import hash_texts
from fairness_checklist.tables.tokens import hide_texts

_SCHEMAS = tomllib.loads(files("fairness_checklist.tables").joinpath("run_folder_columns.toml").read_text("utf-8"))
_TEXT, _COUNTS = (frozenset(_SCHEMAS.pop(name)) for name in ("text", "counts"))
SCHEMA_VERSIONS: dict[str, int] = {name: schema["version"] for name, schema in _SCHEMAS.items()}
METRICS_COLUMNS, SCORES_COLUMNS, CHECKS_COLUMNS, CHECKS_BY_GROUP_COLUMNS, FINDING_COLUMNS, WORD_FINDING_COLUMNS = (
    tuple[str, ...](_SCHEMAS[name]["columns"])
    for name in ("metrics", "scores", "checks", "checks_by_group", "findings", "word_findings")
)
LIST_SEPARATOR = "; "  # between the names in a cell of the findings that lists several
TERM_SEPARATOR = " / "  # between the terms of one lexeme in such a cell
_HASHED = ("templates", "terms", "lists", "texts")
_CSV = ("scores", "checks", "checks_by_group")
_FINDINGS = ("findings", "word_findings")
RUN_FILES = frozenset(
    (
        *("run.json", "report.html", "metrics.parquet", "examples.parquet", "tests.csv", "tests.html"),
        *(f"{name}.csv" for name in ("metrics", "interactions", *_CSV, *_FINDINGS)),
    )
)


@by_value
@dataclass(frozen=True, eq=False)
class Results:
    """The results of a run; ``run_folder_columns.toml`` explains the columns of its tables."""

    metrics: pd.DataFrame  # one number a row; NaN with a note where it is undefined
    scores: pd.DataFrame  # every base score by group, term and overall ("*")
    checks: pd.DataFrame  # one test a row, rates in percent
    checks_by_group: pd.DataFrame
    examples: pd.DataFrame  # the texts with the model's predictions: a prediction table
    # One row a comparison, of each attribute worse ones first; and single words, those beyond control words first.
    findings: pd.DataFrame
    word_findings: pd.DataFrame
    info: dict[str, Any] = field(default_factory=dict)  # the content of ``run.json``
    controls: pd.DataFrame = field(default_factory=pd.DataFrame)  # see `split_controls`
    # Of a tagger's run in memory the examples and predictions of each attribute, as ``examples`` has them in cells.
    tagged: Mapping[str, tuple[ExampleSet, TokenPredictions]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes, in order."""
        return tuple(self.metrics["attribute"].unique())

    @property
    def intersections(self) -> tuple[str, ...]:
        """The attributes that are intersections of two, in order, as the run recorded them."""
        return tuple(name for name in self.attributes if name in self.info.get("intersections", ()))

    def without_text(self) -> Self:
        """The same with SHA-256 hashes instead of the texts, and a tagger's words hidden."""
        if not {"text", "tokens"} & set(self.examples.columns):
            return self
        info = {**self.info, "texts": "hashes"}
        if "failed" in info:  # the message of an error may quote the text
            info["failed"] = [
                {**record, "text": hash_texts([record["text"]])[0], "error": without_quotes(str(record["error"]))}
                for record in info["failed"]
            ]
        examples, controls = hide_texts(self.examples), hide_texts(self.controls)
        return replace(self, examples=examples, controls=controls, info=info, tagged={})

    def write_folder(self, folder: str | Path, *, add_files: Callable[[Path], None] | None = None) -> Path:
        """Write the run folder, with what ``add_files`` writes, whole or not at all, in place of an older run."""
        folder = Path(folder)
        check_replaceable(folder)
        with atomic_folder(folder) as scratch:
            for name in ("metrics", *_CSV, *_FINDINGS):
                getattr(self, name).to_csv(scratch / f"{name}.csv", index=False, encoding="utf-8", lineterminator="\n")
            self.metrics.to_parquet(scratch / "metrics.parquet", index=False)
            join_controls(self.examples, self.controls).to_parquet(scratch / "examples.parquet", index=False)
            if add_files is not None:
                add_files(scratch)
            write_record(scratch, {**self.info, "schemas": SCHEMA_VERSIONS})
        return folder

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read a run folder; `TableError` where its record or a table of it was changed, cut or lost after the run."""
        folder = Path(folder)
        restore_folder(folder)
        if not folder.is_dir():
            raise TableError(f"there is no run folder {folder}.", remedy="Name the folder of a run.")
        info = read_record(folder)
        for name, version in info.get("schemas", {}).items():
            if version != (readable := SCHEMA_VERSIONS.get(name, 0)):
                raise TableError(
                    f"{name}.csv was written by {'a newer' if version > readable else 'an older'} version.",
                    place=folder.name,
                    remedy="Evaluate its predictions again: "
                    f"fairness-checklist evaluate {folder.name}/examples.parquet.",
                )
        try:
            tables = {name: _read(folder / f"{name}.csv") for name in _CSV}
            for name in _FINDINGS:
                tables[name] = typed_findings(pd.read_csv(folder / f"{name}.csv", keep_default_na=False))
            tables["metrics"] = pd.read_parquet(folder / "metrics.parquet")
            examples, controls = split_controls(pd.read_parquet(folder / "examples.parquet"))
        except (OSError, ValueError) as error:
            raise TableError(f"a file of the run cannot be read: {error}", place=folder.name) from error
        return cls(examples=examples, controls=controls, info=info, tagged={}, **tables)


def write_record(folder: Path, info: Mapping[str, Any]) -> None:
    """Write ``run.json``: what is known of the run, with the SHA-256 of each table beside it and of that record."""
    tables = {path.name: _hash(path) for path in sorted(folder.iterdir()) if path.suffix in (".csv", ".parquet")}
    record = {**info, "tables_sha256": tables}
    text = json.dumps({**record, "record_sha256": _hash_record(record)}, indent=2, ensure_ascii=False)
    (folder / "run.json").write_text(f"{text}\n", encoding="utf-8")


def read_record(folder: Path) -> dict[str, Any]:
    """The content of ``run.json``, without the hashes, which it and all tables of the folder agree with."""
    again = "Restore the folder from a copy, or run it again."
    try:
        info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _not_whole(folder, "run.json") from None
    except (OSError, ValueError, RecursionError) as error:
        raise TableError(f"run.json cannot be read: {error}", place=folder.name, remedy=again) from error
    if not isinstance(info, dict) or not {"tables_sha256", "record_sha256"} <= set(info):
        raise TableError(
            "run.json records no hashes of the tables: it was cut, or the run was made by an older version.",
            place=folder.name,
            remedy=again,
        )
    changed = [] if info.pop("record_sha256") == _hash_record(info) else ["run.json"]
    for name, recorded in {} if changed else info.pop("tables_sha256").items():
        if not (folder / name).is_file():
            raise _not_whole(folder, name)
        if _hash(folder / name) != recorded:
            changed.append(name)
    if changed:
        raise TableError(f"{changed[0]} was changed after the run.", place=folder.name, remedy=again)
    return info


def _not_whole(folder: Path, name: str) -> TableError:
    return TableError(
        f"{folder.name} is not a whole run folder: it has no {name}.",
        remedy="Run it again, or name the folder of another run.",
    )


def _hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise TableError(f"{path.name} cannot be read: {error.strerror}.", place=path.parent.name) from error


def _hash_record(info: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(info).encode()).hexdigest()


def typed_findings(frame: pd.DataFrame) -> pd.DataFrame:
    """The records of findings with the types of their columns: counts, names, and numbers that may be missing."""
    columns: dict[str, Any] = {}
    counts, text, numbers = map(pd.api.types.pandas_dtype, ("int64", "str", "float64"))  # a name is looked up each time
    for name in frame.columns:
        if name in _COUNTS or name in _TEXT:
            columns[name] = frame[name].astype(counts if name in _COUNTS else text)
        else:
            columns[name] = pd.to_numeric(frame[name], errors="coerce").astype(numbers)
    return pd.DataFrame(columns, columns=frame.columns)


def check_replaceable(folder: Path) -> None:
    """Raise `TableError` unless the folder is absent, empty, or an older run; `OptionError` where none can be made."""
    check_replaceable_folder(folder, "run.json", "a run", TableError, files=RUN_FILES)


def check_same_suite(folder: Path, info: Mapping[str, Any], *, force: bool = False) -> None:
    """Raise `TableError` where a run would replace one of another suite, as far as both are known."""
    check_replaceable(folder)
    try:
        older = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        stored, new = (_parts(record) for record in (older, info))
        titles = [_title(record) for record in (older, info)]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):  # there is none, or it is no record
        return
    if force or not {"suite", "notes"} & set(older):
        return
    pairs = [(stored[attribute], new[attribute]) for attribute in stored.keys() & new.keys()]
    changed = [
        name
        for name in _HASHED
        if any(len({entry.get(f"{name}_sha256") for entry in pair} - {None}) > 1 for pair in pairs)
    ]
    if titles[0] != titles[1]:
        differs = f"holds a run of another suite, {titles[0]}; this run is of {titles[1]}."
    elif changed:
        differs = f"holds a run of {titles[0]} with other {' and '.join(changed)}."
    else:
        return
    raise TableError(
        f"the folder {folder.resolve().name} {differs}", remedy="Name another folder, or replace that run: force=True."
    )


def _parts(info: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The record of each attribute; an empty one for a table of predictions."""
    suite = info.get("suite") or [{"attribute": name} for name in info.get("notes", {})]
    return {str(record.get("attribute")): record for record in suite}


def _title(info: Mapping[str, Any]) -> str:
    title = f"{', '.join(_parts(info))} for {info.get('task', 'an unknown task')}"
    return title if info.get("suite") else f"{title} from a table of predictions"


def _read(path: Path) -> pd.DataFrame:
    numbers = (name for name in (*SCORES_COLUMNS, *CHECKS_COLUMNS, *CHECKS_BY_GROUP_COLUMNS) if name not in _TEXT)
    return pd.read_csv(
        path, dtype=dict.fromkeys(_TEXT, "str"), keep_default_na=False, na_values={name: [""] for name in numbers}
    )
