"""Readers of sets written from templates or for language models: EEC, BEC-Pro, HolisticBias, BOLD; Bias in Bios."""

from __future__ import annotations

from pathlib import Path

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.lenses.readers.published import Rows, one_of, read_columns, read_json

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
        parts = zip(*(frame[name].astype(str) for name in BIOS_COLUMNS), strict=True)
        records = [dict(zip(BIOS_COLUMNS, row, strict=True)) for row in parts]
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
