"""Readers of sets of sentences: EEC, BEC-Pro, HolisticBias, BOLD, Bias in Bios; CrowS-Pairs, StereoSet, STS-B."""

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

EEC_COLUMNS = ("ID", "Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word")
_EEC_RACES = ("African-American", "European", "")
_EEC_EMOTIONS = ("anger", "fear", "joy", "sadness", "")
BEC_PRO_COLUMNS = (
    "", "Sentence", "Sent_TM", "Sent_AM", "Sent_TAM", "Template", "Person", "Gender", "Profession", "Prof_Gender",
)  # fmt: skip
HOLISTIC_COLUMNS = (
    "text", "axis", "bucket", "descriptor", "descriptor_gender", "descriptor_preference", "noun", "plural_noun",
    "noun_gender", "noun_phrase", "plural_noun_phrase", "noun_phrase_type", "template", "first_turn_only",
    "must_be_noun",
)  # fmt: skip
BIOS_COLUMNS = ("hard_text", "profession", "gender")
PROFESSIONS = (
    "accountant", "architect", "attorney", "chiropractor", "comedian", "composer", "dentist", "dietitian", "dj",
    "filmmaker", "interior_designer", "journalist", "model", "nurse", "painter", "paralegal", "pastor",
    "personal_trainer", "photographer", "physician", "poet", "professor", "psychologist", "rapper",
    "software_engineer", "surgeon", "teacher", "yoga_teacher",
)  # fmt: skip
"""The 28 professions of Bias in Bios, in the order of their numbers."""


def read_eec(path: str | Path) -> Rows:
    """The Equity Evaluation Corpus (Kiritchenko and Mohammad 2018): ``Equity-Evaluation-Corpus.csv``.

    Columns: ``id, source`` (template, emotion word), ``text, group`` (male, female), ``term, race`` ("" of pronouns and
    family words), ``emotion`` ("" of the neutral sentences). There are no gold labels.
    """
    return [
        {
            "id": cells["ID"],
            "source": f"{cells['Template']}|{cells['Emotion word']}",
            "text": cells["Sentence"],
            "group": one_of(cells["Gender"], ("male", "female"), "Gender", place),
            "term": cells["Person"],
            "race": one_of(cells["Race"], _EEC_RACES, "Race", place),
            "emotion": one_of(cells["Emotion"], _EEC_EMOTIONS, "Emotion", place),
        }
        for place, cells in read_columns(path, EEC_COLUMNS)
    ]


def read_bec_pro(path: str | Path) -> Rows:
    """BEC-Pro (Bartl et al. 2020): ``BEC-Pro_EN.tsv`` or ``BEC-Pro_DE.tsv``, with a first column without a name.

    The German file has a last column ``Profession_EN``: German professions differ by gender (Lehrer, Lehrerin), the
    English name is the same for both and makes the pairs. Columns: ``id, source`` (template and profession), ``text,
    target_masked, attribute_masked, both_masked, group, term, label`` (the profession, in English),
    ``profession_group`` (of the statistics), ``stereotype`` (pro, anti; "" for balanced professions).
    """
    rows: Rows = []
    for place, cells in read_columns(path, BEC_PRO_COLUMNS, optional=("Profession_EN",), delimiter="\t"):
        profession = cells.get("Profession_EN") or cells["Profession"]
        group = one_of(cells["Gender"], ("male", "female"), "Gender", place)
        mostly = one_of(cells["Prof_Gender"], ("male", "female", "balanced"), "Prof_Gender", place)
        rows.append(
            {
                "id": cells[""],
                "source": f"{cells['Template']}|{profession}",
                "text": cells["Sentence"],
                "target_masked": cells["Sent_TM"],
                "attribute_masked": cells["Sent_AM"],
                "both_masked": cells["Sent_TAM"],
                "group": group,
                "term": cells["Person"],
                "label": profession,
                "profession_group": mostly,
                "stereotype": "" if mostly == "balanced" else "pro" if mostly == group else "anti",
            }
        )
    return rows


def read_holistic_bias(path: str | Path) -> Rows:
    """HolisticBias (Smith et al. 2022): ``sentences.csv``, which its generator writes.

    Columns: ``source`` (template and noun), ``text, attribute`` (the axis), ``group`` (the bucket; where that is
    "(none)" the axis), ``term, preference``.
    """
    return [
        {
            "source": f"{cells['template']}|{cells['noun']}",
            "text": cells["text"],
            "attribute": cells["axis"],
            "group": cells["axis"] if cells["bucket"] == "(none)" else cells["bucket"],
            "term": cells["descriptor"],
            "preference": cells["descriptor_preference"],
        }
        for _place, cells in read_columns(path, HOLISTIC_COLUMNS)
    ]


def read_bold(path: str | Path) -> Rows:
    """BOLD prompts (Dhamala et al. 2021): ``gender_prompt.json`` and the like: group, then entity, then prompts.

    Columns: ``id, attribute`` (from the file's name), ``group, term`` (the entity), ``text`` (the prompt).
    """
    name, content = Path(path).name, read_json(path)
    remedy = 'The file reads {"American_actors": {"Jacob_Zachar": ["Jacob Zachar is ", ...]}}.'
    attribute = name.removesuffix(".json").removesuffix("_prompt")
    rows: Rows = []
    for group, entities in content.items() if isinstance(content, dict) else ():
        for entity, prompts in entities.items() if isinstance(entities, dict) else [("", None)]:
            if not isinstance(prompts, list) or not all(isinstance(prompt, str) for prompt in prompts):
                raise TableError(f"the prompts of {group} are not as published.", place=name, remedy=remedy)
            rows += [
                {
                    "id": f"{entity}.{at}",
                    "group": group,
                    "term": entity,
                    "text": prompt.rstrip(),
                    "attribute": attribute,
                }
                for at, prompt in enumerate(prompts, start=1)
            ]
    if not rows:
        raise TableError("there are no prompts in the file.", place=name, remedy=remedy)
    return rows


def read_bias_in_bios(path: str | Path) -> Rows:
    """Bias in Bios (De-Arteaga et al. 2019), as a table: columns ``hard_text, profession, gender``.

    The first release writes a pickle, which is not read: a pickle can run code. The columns are those of the table on
    the Hugging Face hub (``LabHC/bias_in_bios``), as .csv, .jsonl or .parquet: professions by number or name, gender 0
    (male) or 1 (female), or M and F. Columns: ``id, text, label`` (the profession), ``group`` (M, F).
    """
    path = Path(path)
    if path.suffix.lower() in (".parquet", ".jsonl"):
        from fairness_checklist.tables.files import read_table

        frame = read_table(path)
        missing = [name for name in BIOS_COLUMNS if name not in frame.columns]
        if missing:
            raise TableError(
                f"the column {missing[0]!r} is missing.",
                place=path.name,
                remedy=f"The published columns are: {', '.join(BIOS_COLUMNS)}.",
            )
        records: list[dict[Any, Any]] = frame[[*BIOS_COLUMNS]].astype(str).to_dict("records")
        cells = [(f"{path.name}: row {at}", row) for at, row in enumerate(records, start=1)]
    else:
        cells = read_columns(path, BIOS_COLUMNS)
    groups = {"0": "M", "1": "F", "M": "M", "F": "F"}
    numbers = {str(at): name for at, name in enumerate(PROFESSIONS)} | {name: name for name in PROFESSIONS}
    return [
        {
            "id": str(at),
            "text": row["hard_text"],
            "label": numbers[one_of(row["profession"], numbers, "profession", place)],
            "group": groups[one_of(row["gender"], groups, "gender", place)],
        }
        for at, (place, row) in enumerate(cells, start=1)
    ]


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
