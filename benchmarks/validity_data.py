"""The texts of the study of suites and natural texts: nine sets, which of them are harmless, and near-duplicates."""

from __future__ import annotations

import ast
import csv
import gzip
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pandas as pd

from training.davidson import clean
from training.sst import GRADE_CLASS

__all__ = ["NATURAL", "SETS", "keys", "near_duplicates", "read_set"]

TOXICITY = ("hatexplain", "davidson", "reddit", "gab", "wikipedia", "dixon", "toxigen")
SENTIMENT = ("goemotions", "sst")
SETS = (*TOXICITY, *SENTIMENT)
NATURAL = tuple(name for name in SETS if name != "toxigen")
RUN = 8  # words in common that make two texts near-duplicates
_POSITIVE = frozenset(
    [
        "admiration",
        "amusement",
        "approval",
        "caring",
        "desire",
        "excitement",
        "gratitude",
        "joy",
        "love",
        "optimism",
        "pride",
        "relief",
    ]
)
_NEGATIVE = frozenset(
    [
        "anger",
        "annoyance",
        "disappointment",
        "disapproval",
        "disgust",
        "embarrassment",
        "fear",
        "grief",
        "nervousness",
        "remorse",
        "sadness",
    ]
)
_OF_EMOTION = dict.fromkeys(_POSITIVE, "positive") | dict.fromkeys(_NEGATIVE, "negative") | {"neutral": "neutral"}


def _lines(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(gzip.open(path), encoding="utf-8", newline="")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with _lines(path) as file:
        yield from csv.DictReader(file)


def _is_toxic(value: object) -> str:
    return "toxic" if value else "nontoxic"


def _hatexplain(data: Path) -> Iterator[tuple[str, str]]:
    with _lines(data / "natural/hatexplain/hate_dataset.json.gz") as file:
        for row in json.load(file):
            yield row["text"], _is_toxic(row["label"] != "normal")


def _davidson(data: Path) -> Iterator[tuple[str, str]]:
    with (data / "davidson/labeled_data.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield clean(row["tweet"]), _is_toxic(row["class"] != "2")


def _reddit(data: Path) -> Iterator[tuple[str, str]]:
    for row in _rows(data / "natural/misogyny_reddit/final_labels.csv.gz"):
        yield row["body"], _is_toxic(row["level_1"] == "Misogynistic")


def _gab(data: Path) -> Iterator[tuple[str, str]]:
    for part in ("dev", "test"):
        with _lines(data / f"natural/gab_hate_corpus/{part}.jsonl.gz") as file:
            for row in map(json.loads, file):
                yield row["Text"], _is_toxic(row["hd"] or row["cv"] or row["vo"])


def _wikipedia(data: Path) -> Iterator[tuple[str, str]]:
    for part in ("gc", "gn"):
        for row in _rows(data / f"natural/wikipedia_cat/{part}.csv.gz"):
            yield row["text"], _is_toxic(row["label"] == "1")


def _dixon(data: Path) -> Iterator[tuple[str, str]]:
    for row in _rows(data / "natural/dixon_wikipedia/toxicity_nonfuzzed_testset.csv.gz"):
        yield row["comment"], _is_toxic(row["toxic"] == "True")


def _toxigen(data: Path) -> Iterator[tuple[str, str]]:
    for row in _rows(data / "natural/toxigen/toxigen.csv.gz"):
        text = ast.literal_eval(row["text"]).decode("utf-8", "replace") if row["text"][:1] == "b" else row["text"]
        yield text, _is_toxic(float(row["toxicity_human"]) > 2)


def _goemotions(data: Path) -> Iterator[tuple[str, str]]:
    folder = data / "natural/goemotions"
    names = (folder / "labels.txt").read_text(encoding="utf-8").split()
    for part in ("train", "dev", "test"):
        with _lines(folder / f"{part}.tsv.gz") as file:
            for text, numbers, _ in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                poles = {_OF_EMOTION.get(names[int(number)], "") for number in numbers.split(",")}
                if len(poles) == 1 and "" not in poles:
                    yield text, poles.pop()


def _sst(data: Path) -> Iterator[tuple[str, str]]:
    for part in ("train", "dev", "test"):
        for line in (data / f"sst5/stsa.fine.{part}").read_text(encoding="utf-8").splitlines():
            grade, _, text = line.partition(" ")
            yield text, GRADE_CLASS[int(grade)]


_READERS = {
    "hatexplain": _hatexplain,
    "davidson": _davidson,
    "reddit": _reddit,
    "gab": _gab,
    "wikipedia": _wikipedia,
    "dixon": _dixon,
    "toxigen": _toxigen,
    "goemotions": _goemotions,
    "sst": _sst,
}


@cache
def read_set(data: Path, name: str) -> pd.DataFrame:
    """The texts of a set, each once: text, label, and harmless (no class that a harm is about)."""
    rows = [(" ".join(text.split()), label) for text, label in _READERS[name](data)]
    frame = pd.DataFrame(rows, columns=["text", "label"])
    frame = frame[frame["text"].str.count(" ") >= 2]
    frame = frame[~frame["text"].map(_plain).duplicated()].reset_index(drop=True)
    frame["harmless"] = ~frame["label"].isin(["toxic", "negative"])
    frame["set"] = name
    frame["half"] = [hashlib.sha256(text.encode()).digest()[0] % 2 for text in frame["text"]]
    return frame


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def keys(text: str) -> set[str]:
    """What two near-duplicates share one of: the plain text of a short one, each run of eight words of a longer one."""
    words = _plain(text).split()
    return {" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))}


def near_duplicates(texts: Iterable[str], of: Iterable[str]) -> list[bool]:
    """Whether each text is a near-duplicate of one of the others.

    >>> near_duplicates(["So it goes!", "never mind"], ["so it goes"])
    [True, False]
    """
    known = set().union(*map(keys, of))
    return [not known.isdisjoint(keys(text)) for text in texts]
