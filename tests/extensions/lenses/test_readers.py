"""Readers of published data sets. Headers and layouts are as published; the sentences are written for the tests.

The headers were compared with copies of the published files: EEC (Equity-Evaluation-Corpus.csv), BEC-Pro
(BEC-Pro_EN.tsv and BEC-Pro_DE.tsv), StereoSet (dev.json), Bias in Bios (data card of LabHC/bias_in_bios), WinoBias and
CrowS-Pairs; those of GAP and Winogender with programs that read or write them.
"""

import json
from pathlib import Path

import pytest
from refusals import refusal

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.lenses.readers import READERS, read_published

# The published headers, verbatim
WINOGENDER = "sentid\tsentence"
EEC = "ID,Sentence,Template,Person,Gender,Race,Emotion,Emotion word"
BEC_PRO_GERMAN = (
    "\tSentence\tSent_TM\tSent_AM\tSent_TAM\tTemplate\tPerson\tGender\tProfession\tProf_Gender\tProfession_EN"
)
WINOGENDER_STATISTICS = "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year"
BEC_PRO = "\tSentence\tSent_TM\tSent_AM\tSent_TAM\tTemplate\tPerson\tGender\tProfession\tProf_Gender"
CROWS = ",sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"
CROWS_FIRST = ",id,sent_more,sent_less,stereo_antistereo,bias_type,annotations,anon_writer,anon_annotators"
GAP = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
BIOS = "hard_text,profession,gender"
SIDES = {"stereotype": "early", "anti-stereotype": "late", "unrelated": "fish"}
SENTENCES = [{"id": label, "sentence": f"The baker was {word}.", "gold_label": label} for label, word in SIDES.items()]
CONTEXT = {"id": "c1", "target": "baker", "bias_type": "profession", "context": "The baker was BLANK."}
STEREOSET = {"data": {"intersentence": [], "intrasentence": [{**CONTEXT, "sentences": SENTENCES}]}}
ROWS: dict[str, tuple[str, str, int]] = {  # file, content, rows
    "winobias": (
        "pro_stereotyped_type1.txt.dev",
        "1 [The carpenter] met the nurse because [he] broke [his] saw.\n"
        "2 The carpenter met [the nurse] because [she] came by.\n",
        2,
    ),
    "winogender": (
        "all_sentences.tsv",
        f"{WINOGENDER}\nnurse.patient.0.male.txt\tThe nurse told the patient that his shift was over.\n"
        "nurse.patient.0.female.txt\tThe nurse told the patient that her shift was over.\n",
        2,
    ),
    "gap": (
        "gap-test.tsv",
        f'{GAP}\ntest-1\tAna met Ida and "she" left.\tshe\t17\tAna\t0\tTRUE\tIda\t8\tFALSE\thttp://example.org\n'
        "test-2\tRoy met Tom; he left.\the\t13\tRoy\t0\tFALSE\tTom\t8\tFALSE\thttp://example.org\n",
        2,
    ),
    "crows_pairs": (
        "crows_pairs_anonymized.csv",
        f'{CROWS}\n0,"Old people, they say, are slow.","Young people, they say, are slow.",stereo,age,'
        "\"[['age']]\",a0,\"['a1']\"\n1,The old man ran.,The young man ran.,antistereo,age,[],a0,[]\n",
        4,
    ),
    "stereoset": ("dev.json", json.dumps(STEREOSET), 3),
    "bias_in_bios": ("bios.csv", f"{BIOS}\nShe works at a hospital.,13,1\nHe plays at night.,dj,M\n", 2),
    "eec": (
        "Equity-Evaluation-Corpus.csv",
        f"{EEC}\n2018-En-mystery-1,She feels glad.,<person subject> feels <emotion word>.,she,female,,joy,glad\n"
        "2018-En-mystery-2,He feels glad.,<person subject> feels <emotion word>.,he,male,,joy,glad\n",
        2,
    ),
    "bec_pro": (
        "BEC-Pro_EN.tsv",
        f"{BEC_PRO}\n0\tShe is a nurse.\t[MASK] is a nurse.\tShe is a [MASK].\t[MASK] is a [MASK].\t<person> is a <p>."
        "\tshe\tfemale\tnurse\tfemale\n",
        1,
    ),
}


def write(folder: Path, name: str, replace: tuple[str, str] = ("", "")) -> Path:
    file, content, _rows = ROWS[name]
    path = folder / file
    path.write_text(content.replace(*replace, 1) if replace[0] else content, encoding="utf-8")
    return path


def test_wrong_columns_and_rows_that_are_cut_are_errors_with_their_line(tmp_path: Path) -> None:
    for name in ROWS.keys() - {"winobias", "stereoset"}:
        header = ROWS[name][1].split("\n")[0]
        last = header.replace("\t", ",").split(",")[-1]
        path = write(tmp_path, name, (header, header[: -len(last)] + "other"))
        with pytest.raises(TableError) as error:
            read_published(name, path)
        text = f"{path.name}:1: the column {last!r} is missing.\n    The published columns "
        assert str(error.value).startswith(text)
        path = write(tmp_path, name)
        with path.open("a", encoding="utf-8") as file:
            file.write("cut\n")
        with pytest.raises(TableError, match=rf"^{path.name}:{ROWS[name][1].count(chr(10)) + 1}: the row has 1 cells"):
            read_published(name, path)


WRONG = [
    ("winobias", ("[he] broke [his]", "he broke his"),
     "pro_stereotyped_type1.txt.dev:1: the line has 1 persons and 0 pronouns in brackets, expected one person"),
    ("winogender", (".male.", ".man."), "all_sentences.tsv:2: the sentid 'nurse.patient.0.man.txt' is not as publ"),
    ("gap", ("\t17\t", "\t16\t"), "gap-test.tsv:2: 'she' is not at the character Pronoun-offset of the text.\n"),
    ("gap", ("\t17\t", "\t-1\t"), "gap-test.tsv:2: Pronoun-offset is '-1', expected a number from 0 to inf."),
    ("gap", ("\tFALSE\thttp", "\tNO\thttp"), "gap-test.tsv:2: B-coref is 'NO', expected one of 'TRUE', 'FALSE'"),
    ("stereoset", ('"bias_type"', '"bias"'), "dev.json: the file has another layout (KeyError: 'bias_type')."),
    ("stereoset", ('"data"', '"data'), "dev.json: the file has another layout (JSONDecodeError: "),
    ("stereoset", ('"gold_label": "unrelated"', '"gold_label": "stereotype"'),
     "dev.json: the file has another layout (ValueError: c1 has the sentences stereotype, anti-stereotype, ster"),
    ("eec", (",joy,", ",glee,"),
     "Equity-Evaluation-Corpus.csv:2: Emotion is 'glee', expected one of '', 'anger', 'fear', 'joy', 'sadness'."
     "\n    Use the file as it was published."),
    ("bias_in_bios", (",13,", ",28,"), "bios.csv:2: profession is '28', expected one of '0', '1', "),
    ("crows_pairs", ("a0,[]", "a0,[],[]"), "crows_pairs_anonymized.csv:3: the row has 9 cells, expected 8: "),
]  # fmt: skip


def test_what_is_not_as_published_is_an_error(tmp_path: Path) -> None:
    for name, change, expected in WRONG:
        assert refusal(TableError, read_published, name, write(tmp_path, name, change)).startswith(expected), name
    path = tmp_path / "BIOS.pkl"
    path.write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    assert refusal(TableError, read_published, "bias_in_bios", path) == (
        f"{path} is a pickle, and pickles can run code when they are read.\n"
        "    Write the table as .csv, .jsonl or .parquet first."
    )


def test_a_set_in_its_published_layout_is_read_into_its_cells(tmp_path: Path) -> None:
    first = read_published("winobias", write(tmp_path, "winobias")).iloc[0]
    text = "The carpenter met the nurse because he broke his saw."
    assert (first["text"], first["label"], first["group"], first["stereotype"]) == (text, "carpenter", "male", "pro")
    assert text[first["start"] : first["end"]] == "The carpenter"
    assert text[first["pronoun_start"] : first["pronoun_end"]] == "he"

    gap = read_published("gap", write(tmp_path, "gap"))
    assert gap["label"].tolist() == ["A", "neither"]
    assert gap["group"].tolist() == ["female", "male"]
    crows = read_published("crows_pairs", write(tmp_path, "crows_pairs"))
    assert crows["stereotype"].tolist() == ["pro", "anti", "pro", "anti"]
    assert crows["direction"].tolist() == ["stereo", "stereo", "antistereo", "antistereo"]
    assert crows["text"][0] == "Old people, they say, are slow."
    bios = read_published("bias_in_bios", write(tmp_path, "bias_in_bios"))
    assert bios[["label", "group"]].to_numpy().tolist() == [["nurse", "F"], ["dj", "M"]]
    assert read_published("stereoset", write(tmp_path, "stereoset"))["stereotype"].tolist() == ["pro", "anti", ""]
    assert read_published("bec_pro", write(tmp_path, "bec_pro"))["stereotype"].tolist() == ["pro"]
    for name in READERS:
        found = read_published(name, write(tmp_path, name))
        assert len(found) == ROWS[name][2]
        assert all(found["text"].str.len() > 5)


def test_further_published_layouts(tmp_path: Path) -> None:
    """WinoBias without numbers, and its folder; the first CrowS-Pairs; tables as Parquet."""
    write(tmp_path, "winobias")
    (tmp_path / "anti_stereotyped_type1.txt.dev").write_text(
        "[The carpenter] met the nurse because [she] broke [her] saw.\n"
        "The carpenter met [the nurse] because [he] came by.\n",
        encoding="utf-8",
    )
    both = read_published("winobias", tmp_path)
    assert both.groupby("source")["stereotype"].apply(set).tolist() == [{"pro", "anti"}] * 2

    crows = tmp_path / "first.csv"
    crows.write_text(f"{CROWS_FIRST}\n0,1,One.,Two.,stereo,age,[],a0,[]\n", encoding="utf-8")
    assert len(read_published("crows_pairs", crows)) == 2
    read_published("bias_in_bios", write(tmp_path, "bias_in_bios")).rename(
        columns={"text": "hard_text", "label": "profession", "group": "gender"}
    ).to_parquet(tmp_path / "bios.parquet")
    assert read_published("bias_in_bios", tmp_path / "bios.parquet")["label"].tolist() == ["nurse", "dj"]
    german = tmp_path / "BEC-Pro_DE.tsv"
    rows = [
        f"{at}\t{who} ist {job}.\t[MASK] ist {job}.\t{who} ist [MASK].\t[MASK] ist [MASK].\t<person subject> ist "
        f"<profession>.\t{who}\t{gender}\t{job}\tmale\troofer"
        for at, (who, gender, job) in enumerate([("Er", "male", "Dachdecker"), ("Sie", "female", "Dachdeckerin")])
    ]
    german.write_text("\n".join([BEC_PRO_GERMAN, *rows]), encoding="utf-8")
    both = read_published("bec_pro", german)
    assert (both["source"].nunique(), both["label"].tolist()) == (1, ["roofer", "roofer"])
    assert both["stereotype"].tolist() == ["pro", "anti"]

    (tmp_path / "occupations-stats.tsv").write_text(
        f"{WINOGENDER_STATISTICS}\nnurse\t58.2\t90.0\t2015\n", encoding="utf-8"
    )
    with_sides = read_published("winogender", write(tmp_path, "winogender"))
    assert with_sides["stereotype"].tolist() == ["anti", "pro"]
