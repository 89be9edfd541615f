"""The record of options: what Python, the command line and ``fairness.toml`` share, each declared once; and checks.

A field with a `Flag` is an option of the command line, a field of a record with a ``TABLE`` a key of that table. A
check gives the value back as plain Python. Nothing heavy is imported, so that ``--help`` is fast.
"""

import os
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, NamedTuple, get_type_hints

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError

TASK = "sentiment"
LANGUAGE = "en"
MODEL_NAME = "bundled"
TOLERANCE = 0.1  # how far a probability may move in a test of invariance
MAX_SOURCES = 100_000  # sources that the templates of one attribute make at most
UNITS = ("probability", "decisions")
UNIT = "probability"  # of gaps, where the model gives probabilities; or "decisions"
DRAWS = 1000  # assignments of terms to groups
UNLABELLED = ("keep", "drop")  # the first is the default
DENOMINATOR: Final = "true_class"
WEIGHT: Final = "source"
UNDEFINED: Final = "report"
SEED = 0
GROUP_ATTRIBUTE = "group"  # what the groups of a table without a column attribute are groups of
MIN_CELL = 20  # rows of a group that is made from the columns of a table
BATCH_TOKENS = 2048
MARGIN = 0.05  # the largest gap that is called small
LIMIT = 0.1  # of the gaps that a gate lets pass
DTYPE = "float32"

SECTIONS = ("Data", "What is tested", "Model", "Statistics", "Output")  # of the help of a verb: what an option is about
DATA, TESTED, MODEL, STATISTICS, OUTPUT = SECTIONS
MANY = "Separate several with commas, or repeat the option."


class Flag(NamedTuple):
    """What makes a field of a record an option of the command line, in an annotation."""

    section: str  # of the help
    help: str
    names: tuple[str, ...] = ()  # where they are not that of the field


@dataclass(frozen=True, eq=False)
class SourceOptions:
    """Where the texts of a run come from."""

    attribute: Annotated[
        list[str] | None,
        Flag(TESTED, f"Sensitive attribute, for instance gender; see `list`. {MANY}", ("--attribute", "-a")),
    ] = None
    task: Annotated[str, Flag(TESTED, "Task of the model: sentiment, toxicity or ner.")] = TASK
    suite: Annotated[
        Path | None, Flag(TESTED, "Folder of a suite that `build --out` wrote, in place of --attribute and --task.")
    ] = None
    texts: Annotated[
        Path | None, Flag(TESTED, "Table of texts (.csv, .parquet, .jsonl; column text) to use in place of templates.")
    ] = None
    language: Annotated[str, Flag(TESTED, "Language of templates and terms: en or es.")] = LANGUAGE


@dataclass(frozen=True, eq=False)
class TermOptions:
    """Which groups and terms of an attribute are used."""

    groups: Annotated[list[str] | None, Flag(TESTED, f"Use only these groups. {MANY}")] = None
    terms: Annotated[
        list[str] | None,
        Flag(
            TESTED,
            f"Use only these terms; or a folder (./NAME) or CSV file with terms to add to the shipped ones. {MANY}",
        ),
    ] = None
    include_terms: Annotated[list[str] | None, Flag(TESTED, f"Dispreferred terms to include. {MANY}")] = None
    max_terms: Annotated[int | None, Flag(TESTED, "Maximum number of terms per group, drawn at random.")] = None


@dataclass(frozen=True, eq=False)
class ContentOptions(TermOptions):
    """Which terms and templates a suite is built from: the table ``[suite]``."""

    TABLE: ClassVar = "suite"
    templates: Annotated[
        list[str] | None,
        Flag(
            TESTED,
            "Use only these templates (ids, sets, or patterns with *); or a folder (./NAME) or CSV file with templates "
            f"to add to the shipped ones; of both, only these of all templates. {MANY}",
        ),
    ] = None
    lists: Annotated[
        Path | None,
        Flag(TESTED, "Folder with values for user-defined slots: NAME.txt or NAME.csv, one value per line."),
    ] = None
    sample_seed: int = SEED
    terms_per_lexeme: int | None = None
    max_sources: int = MAX_SOURCES
    profanity: bool = True


@dataclass(frozen=True, eq=False)
class ModelOptions:
    """A model, and how it is loaded: the table ``[model]``."""

    TABLE: ClassVar = "model"
    model: Annotated[
        str,
        Flag(
            MODEL,
            "Folder or hub id of a model, or a bundled model: bundled/sentiment, bundled/toxicity, "
            "bundled/ner; bundled is the one for the task. Or Python code of yours, which is run: "
            "package.module:NAME or FILE.py:NAME, a function of a list of texts or an object with predict_proba.",
            ("--model", "-m"),
        ),
    ] = MODEL_NAME
    labels: Annotated[
        list[str] | None,
        Flag(
            MODEL,
            "Mapping from the model's labels to the classes of the task, LABEL_0=negative,LABEL_1=positive; of a "
            f"tagger from its entity types, GPE=LOC. {MANY}",
        ),
    ] = None
    device: Annotated[
        str | None,
        Flag(
            MODEL,
            "Device that the model runs on: cpu, cuda, ...; by default the CPU. Several, cuda:0,cuda:1: a worker each.",
        ),
    ] = None
    workers: Annotated[int, Flag(MODEL, "Number of processes that run the model; the results are the same bytes.")] = 1
    engine: str = "local"
    batch_tokens: int = BATCH_TOKENS
    max_length: int | None = None
    dtype: str = DTYPE
    revision: str | None = None
    scheme: str = ""
    pooling: str = "first"


@dataclass(frozen=True, eq=False)
class MetricOptions:
    """Which metrics, tests and findings are computed, and how: the table ``[run]``."""

    TABLE: ClassVar = "run"
    metrics: Annotated[
        list[str] | None, Flag(STATISTICS, f"Compute only these metrics, see `list metrics`; all for every one. {MANY}")
    ] = None
    threshold: Annotated[
        str | None,
        Flag(
            STATISTICS,
            "Decision threshold in place of the most probable class: 0.7, toxic=0.7,nontoxic=0.3, or eer (equal error "
            "rate).",
        ),
    ] = None
    threshold_on: Annotated[
        Path | None,
        Flag(
            STATISTICS, "Table on which --threshold eer is determined: columns label and text, or label and p:<class>."
        ),
    ] = None
    tolerance: Annotated[
        float,
        Flag(
            STATISTICS,
            "Invariance test: change of probability, 0 to 1, up to which a change of the decision passes. The same "
            "decision passes whatever its probability (the rule of CheckList).",
        ),
    ] = TOLERANCE
    draws: Annotated[
        int, Flag(STATISTICS, "Number of random permutations of terms among groups for null means of metrics; 0: none.")
    ] = DRAWS
    uncertainty: Annotated[
        bool, Flag(STATISTICS, "Bootstrap intervals of metrics and base scores, which take many times as long.")
    ] = False
    harm: Annotated[
        list[str] | None,
        Flag(
            STATISTICS,
            f"Wrong answers that findings are about: called:CLASS, missed:CLASS, or an id of the task. {MANY}",
        ),
    ] = None
    margin: Annotated[float | None, Flag(STATISTICS, "Largest gap that is called small, a share; by default 0.05.")] = (
        None
    )
    reference: Annotated[
        str | None,
        Flag(STATISTICS, "Group that all others are compared with, or unmarked; by default each with all others."),
    ] = None
    unit: str = UNIT
    seed: Annotated[int, Flag(STATISTICS, "Seed of all random draws.")] = SEED
    primary: list[str] | None = None
    denominator: str = DENOMINATOR
    weight: str = WEIGHT
    matching: str = ""
    max_groupings: int | None = None
    background: str = ""
    unlabelled: str = UNLABELLED[0]
    undefined: str = UNDEFINED
    where: str = ""
    by: str = ""


def rare_keys() -> dict[str, str]:
    """The settings that are no options of the command line -> their table of ``fairness.toml``."""
    records: tuple[Any, ...] = (ContentOptions, ModelOptions, MetricOptions)
    hints = {record: get_type_hints(record, include_extras=True) for record in records}
    return {
        spec.name: record.TABLE
        for record in records
        for spec in fields(record)
        if not hasattr(hints[record][spec.name], "__metadata__")
    }


def whole_number(name: str, value: object, *, least: int = 1) -> int:
    """A whole number that is not too small; bools, fractions and NaN are none."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise OptionError(f"{name}={value!r} is not a whole number; expected {least} or more.")
    if value < least:
        raise OptionError(f"{name}={int(value)} is too small; expected {least} or more.")
    return int(value)


def number(name: str, value: object, *, least: float = 0.0, most: float = 1.0) -> float:
    """A number in a range, both ends included; bools and NaN are none."""
    plain = float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
    if plain is None or not least <= plain <= most:
        written = repr(value) if plain is None else f"{plain:g}"
        raise OptionError(f"{name}={written} is not a number from {least:g} to {most:g}.")
    return plain


def flag(name: str, value: object) -> bool:
    """True or False, of Python or NumPy; other values are refused rather than read as one of the two."""
    if type(value).__name__ not in ("bool", "bool_") or value not in (True, False):
        raise OptionError(f"{name}={value!r} is not known.", remedy="Expected True or False.")
    return bool(value)


def nfc(name: str) -> str:
    """A name in Unicode's composed form (NFC), in which names are compared; texts stay as they are written."""
    return unicodedata.normalize("NFC", name)


def string(name: str, value: object, *, empty: bool = True) -> str:
    """A string in NFC, perhaps an empty one."""
    if not isinstance(value, str) or not (value or empty):
        remedy = "Expected a string." if empty else "Expected a string that is not empty."
        raise OptionError(f"{name}={value!r} is not a name.", remedy=remedy)
    return nfc(value)


def choice(name: str, value: object, known: Collection[str]) -> str:
    """One of the known values."""
    if not isinstance(value, str) or value not in known:
        near = did_you_mean(value, known) if isinstance(value, str) and value else ""
        raise OptionError(f"{name}={value!r} is not known.", remedy=f"Known: {', '.join(filter(None, known))}.{near}")
    return str(value)


def names(name: str, value: object, *, empty: bool = False) -> tuple[str, ...]:
    """Several names in NFC; a single string is one name, and never a list of letters."""
    return tuple(nfc(str(item)) for item in items(name, value, (str,), "strings", empty=empty))


def items(name: str, value: object, kinds: tuple[type, ...], what: str, *, empty: bool = False) -> tuple[object, ...]:
    """Several values, each of one of some types; a single one is treated as a list of one."""
    if isinstance(value, kinds):
        value = [value]
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise OptionError(f"{name}={value!r} is not a list of {what}.", remedy=f"Expected {what}: {name}=[...].")
    values = tuple(value)
    for item in values:
        if not isinstance(item, kinds):
            raise OptionError(f"{name} holds {item!r}, which is none of the {what} expected.")
        if isinstance(item, str) and not item.strip():
            raise OptionError(f"{name} holds an empty name.", remedy="Leave it out.")
    if not values and not empty:
        raise OptionError(f"{name}=[] names nothing.", remedy=f"Name one at least, or leave {name} out.")
    return values


def path(name: str, value: object) -> str:
    """A path as a string."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str) or not os.fspath(value):
        raise OptionError(f"{name}={value!r} is not a path.", remedy="Expected a string or a Path.")
    return os.fspath(value)
