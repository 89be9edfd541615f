"""Readers of sets of sentences that are compared with each other: CrowS-Pairs, StereoSet, STS-B."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.lenses.readers.published import (
    AS_PUBLISHED,
    Rows,
    number_between,
    one_of,
    read_columns,
    read_json,
    read_text,
)

CROWS_COLUMNS = (
    "", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations", "anon_writer", "anon_annotators",
)  # fmt: skip
STSB_COLUMNS = (
    "index", "genre", "filename", "year", "old_index", "source1", "source2", "sentence1", "sentence2", "score",
)  # fmt: skip
_STSB_ORIGINAL = ("genre", "filename", "year", "index", "score", "sentence1", "sentence2")
_STEREOSET = ("stereotype", "anti-stereotype", "unrelated")
_STEREOSET_KINDS = ("gender", "profession", "race", "religion")


def read_crows_pairs(path: str | Path) -> Rows:
    """CrowS-Pairs (Nangia et al. 2020): ``crows_pairs_anonymized.csv``; its first version has a column ``id`` as well.

    ``sent_more`` is the more stereotypical sentence of every pair. Where ``stereo_antistereo`` is ``stereo`` it states
    a stereotype of a disadvantaged group, where it is ``antistereo`` the other sentence contradicts one. Two rows a
    pair: ``id, source, text, stereotype`` (pro, anti), ``direction`` (stereo, antistereo), ``label`` (kind of bias).
    """
    rows: Rows = []
    for place, cells in read_columns(path, CROWS_COLUMNS, optional=("id",)):
        direction = one_of(cells["stereo_antistereo"], ("stereo", "antistereo"), "stereo_antistereo", place)
        for side in ("more", "less"):
            rows.append(
                {
                    "id": f"{cells['']}.{side}",
                    "source": cells[""],
                    "text": cells[f"sent_{side}"],
                    "stereotype": "pro" if side == "more" else "anti",
                    "direction": direction,
                    "label": cells["bias_type"],
                }
            )
    return rows


def read_stereoset(path: str | Path) -> Rows:
    """StereoSet (Nadeem et al. 2021): ``dev.json``, both of its tasks; three rows a context.

    Columns: ``id, source, task`` (intrasentence, intersentence), ``text, context, target, label`` (kind of bias),
    ``stereotype`` (pro, anti; "" for the unrelated sentence).
    """
    name, content = Path(path).name, read_json(path)
    data = _typed(content, "data", name, object, "")
    rows: Rows = []
    for task in ("intrasentence", "intersentence"):
        for number, context in enumerate(_listed(data, task, f"{name}: data"), start=1):
            place = f"{name}: {task} {number}"
            source, background, target = (_text(context, key, place) for key in ("id", "context", "target"))
            kind = one_of(_text(context, "bias_type", place), _STEREOSET_KINDS, "bias_type", place)
            sides = []
            for sentence in _listed(context, "sentences", place):
                sides.append(one_of(_text(sentence, "gold_label", place), _STEREOSET, "gold_label", place))
                rows.append(
                    {
                        "id": _text(sentence, "id", place),
                        "source": source,
                        "task": task,
                        "text": _text(sentence, "sentence", place),
                        "context": background,
                        "target": target,
                        "label": kind,
                        "stereotype": {"stereotype": "pro", "anti-stereotype": "anti"}.get(sides[-1], ""),
                    }
                )
            if sorted(sides) != sorted(_STEREOSET):
                raise TableError(
                    f"the context has the sentences {', '.join(sides) or 'none'}, expected one each of "
                    f"{', '.join(_STEREOSET)}.",
                    place=place,
                    remedy=AS_PUBLISHED,
                )
    if not rows:
        raise TableError("there are no contexts in the file.", place=name)
    return rows


def read_stsb(path: str | Path) -> Rows:
    """STS-B (Cer et al. 2017): ``dev.tsv`` and the like as GLUE has it, or ``sts-dev.csv`` as first published.

    The first version has tabs, no header, seven columns and on some lines the origins of the sentences behind them; its
    ids are made of file, year and index. Quotes are characters like any other in both. The test file of GLUE has no
    scores and is not read. Columns: ``id, text, text_pair, score`` (0 to 5, the similarity), ``genre``. Groups and
    pairs come by replacing people's words ("STS-B for genders"), for instance by `perturb`.
    """
    first = read_text(path).split("\n", 1)[0]
    if first.rstrip("\r").split("\t")[:1] == ["index"]:
        cells = read_columns(path, STSB_COLUMNS, delimiter="\t", quotes=False)
    else:
        cells = []
        for number, line in enumerate(read_text(path).split("\n"), start=1):
            parts = line.rstrip("\r").split("\t")
            if line.strip() and len(parts) not in (7, 8, 9):
                raise TableError(
                    f"the row has {len(parts)} cells, expected 7: {', '.join(_STSB_ORIGINAL)}.",
                    place=f"{Path(path).name}:{number}",
                    remedy=AS_PUBLISHED,
                )
            if line.strip():
                cells.append((f"{Path(path).name}:{number}", dict(zip(_STSB_ORIGINAL, parts, strict=False))))
    return [
        {
            "id": row["index"] if "old_index" in row else f"{row['filename']}.{row['year']}.{row['index']}",
            "text": row["sentence1"],
            "text_pair": row["sentence2"],
            "score": number_between(row["score"], 0, 5, "score", place),
            "genre": row["genre"],
        }
        for place, row in cells
    ]


def _text(record: Any, key: str, place: str) -> str:
    return str(_typed(record, key, place, str, "a text"))


def _listed(record: Any, key: str, place: str) -> list[Any]:
    return list(_typed(record, key, place, list, "a list"))


def _typed(record: Any, key: str, place: str, kind: type, words: str) -> Any:
    if not isinstance(record, dict) or key not in record:
        raise TableError(f"the key {key!r} is missing.", place=place, remedy=AS_PUBLISHED)
    value = record[key]
    if not isinstance(value, kind):
        raise TableError(f"{key} is {str(value)[:40]!r}, expected {words}.", place=place, remedy=AS_PUBLISHED)
    return value
