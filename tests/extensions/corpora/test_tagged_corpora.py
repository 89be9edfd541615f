"""Readers of tagged corpora: columns and schemes are recognised, nothing vanishes silently, errors name their line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tag_schemes import encode

from fairness_checklist.core.errors import LabelError, OptionError, TableError
from fairness_checklist.core.tagging import SCHEMES
from fairness_checklist.extensions.corpora.tagged_corpora import TaggedCorpus, read_tagged

TYPE = "Write the type too, as in B-PER; a word outside of entities is O."
IOB2 = "Its tags start with B-, I-, or are O; schemes: IOB1, IOB2, BILOU, BIOES, BMES, BMEWO, plain."
FORM = "Each line holds a word and its tag, with a tab or spaces between; a blank line ends a sentence."


def written(folder: Path, content: str, name: str = "corpus.conll") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_two_columns_with_tabs(tmp_path: Path) -> None:
    corpus = read_tagged(written(tmp_path, "Ana\tB-PER\nRo\tI-PER\nleft\tO\n\n#\tO\nLima\tB-LOC\n"))
    assert corpus == TaggedCorpus(
        sentences=(("Ana", "Ro", "left"), ("#", "Lima")),
        tags=(("B-PER", "I-PER", "O"), ("O", "B-LOC")),
        spans=(((0, 2, "PER"),), ((1, 2, "LOC"),)),
        texts=("", ""),
        scheme="IOB2",
        types=("LOC", "PER"),
        notes=(),
    )
    assert len(corpus) == 2


def test_columns_that_count_and_annotate_and_comment_lines(tmp_path: Path) -> None:
    content = (
        "# newdoc id = a\n# sent_id = a-1\n# text = In Lima.\n1\tIn\tO\t-\t-\n2\tLima\tB-LOC\t-\tkim\n3\t.\tO\t-\t-\n\n"
        "# text = 7 #\n1\t7\tO\t-\t-\n2\t#\tO\t-\t-\n"
    )
    corpus = read_tagged(written(tmp_path, content))
    assert corpus.sentences == (("In", "Lima", "."), ("7", "#"))
    assert corpus.spans == (((1, 2, "LOC"),), ())
    assert corpus.texts == ("In Lima.", "7 #")


def test_lines_that_join_words_are_left_out_and_noted(tmp_path: Path) -> None:
    content = "1\tVamos\tO\t-\n2-3\tal\t_\t-\n2\ta\tO\t-\n3\tel\tO\t-\n4\tPrado\tB-LOC\t-\n"
    corpus = read_tagged(written(tmp_path, content))
    assert (corpus.sentences, corpus.spans) == ((("Vamos", "a", "el", "Prado"),), (((3, 4, "LOC"),),))
    assert corpus.notes == ("1 lines that join words (3-4) or add one (3.1) were left out.",)


def test_the_last_of_several_columns_of_tags_and_document_lines(tmp_path: Path) -> None:
    content = "-DOCSTART- -X- O O\n\nAna NNP B-NP B-PER\nleft VBD B-VP O\n"
    path = written(tmp_path, content)
    assert read_tagged(path).spans == (((0, 1, "PER"),),)
    assert read_tagged(path, tag_column=2).spans == (((0, 1, "NP"), (1, 2, "VP")),)
    assert read_tagged(path, token_column=1).sentences == (("NNP", "VBD"),)
    assert read_tagged(path, tag_column=-1) == read_tagged(path, tag_column=3)


def test_every_scheme_is_recognised_and_gives_the_same_spans(tmp_path: Path) -> None:
    words = ["Ana", "da", "Ro", "and", "Ida", "saw", "Lima", "Peru"]
    spans = ((0, 3, "PER"), (4, 5, "PER"), (6, 8, "LOC"))
    for scheme in SCHEMES:
        tags = encode(spans, len(words), scheme)
        path = written(tmp_path, "".join(f"{word} {tag}\n" for word, tag in zip(words, tags, strict=True)))
        corpus = read_tagged(path)
        assert (corpus.scheme, corpus.spans) == (scheme, (spans,))
        assert corpus == read_tagged(path, scheme=scheme)


def test_iob1_is_known_by_a_b_between_touching_entities_only(tmp_path: Path) -> None:
    touching = read_tagged(written(tmp_path, "Ana I-PER\nIda B-PER\nleft O\n"))
    assert (touching.scheme, touching.spans, touching.notes) == ("IOB1", (((0, 1, "PER"), (1, 2, "PER")),), ())
    broken = read_tagged(written(tmp_path, "Ana I-PER\nleft O\nLima B-LOC\n"))
    assert broken.scheme == "IOB2"
    assert broken.spans == (((0, 1, "PER"), (2, 3, "LOC")),)
    assert broken.notes == ("1 entities in 1 sentences break the scheme IOB2 and were repaired.",)


GERMEVAL = (
    "#\thttp://de.wikipedia.org/wiki/Lima [2009-10-17]\n1\tAna\tB-PER\tO\n2\tLima\tB-ORGpart\tB-LOC\n3\t#\tO\tO\n\n"
    "#\tn-tv.de vom 26.02.2005 [2005-02-26]\n1\tgut\tO\tO\n"
)


FORMS: list[tuple[str, list[list[str]] | None, list[list[tuple[int, int, str]]] | None]] = [
    ("Ana B-PER\nda M-PER\nRo E-PER\nleft O\n", [["Ana", "da", "Ro", "left"]], [[(0, 3, "PER")]]),
    ("Ana B-PER\nRo I-PER\nleft -\nLima B-LOC\n. O\n", None, [[(0, 2, "PER"), (3, 4, "LOC")]]),
    ("Ana PER\nRo PER\nleft -\nLima LOC\n. O\n", None, [[(0, 2, "PER"), (3, 4, "LOC")]]),
    ("Ana I-PER\nRo I-PER\nleft _\n", None, [[(0, 2, "PER")]]),
    ("-DOCSTART- -X- O\nAna N B-PER\n-DOCSTART- -X- O\nRo N B-PER\n", [["Ana"], ["Ro"]], [[(0, 1, "PER")]] * 2),
    ("#begin document (a); part 0\nAna B-PER\n#end document\nRo B-PER\n", [["Ana"], ["Ro"]], [[(0, 1, "PER")]] * 2),
    ("10\u00a0000 O\nNew\u202fYork B-LOC\n\u00a0\n. O\n", [["10\u00a0000", "New\u202fYork"], ["."]], None),
    ("10\u00a0000\tO\nLima\tB-LOC\n", [["10\u00a0000", "Lima"]], [[(1, 2, "LOC")]]),
    (GERMEVAL, [["Ana", "Lima", "#"], ["gut"]], [[(0, 1, "PER"), (1, 2, "ORGpart")], []]),
    ("#\thttp://a.org/b [2009]\nAna\tB-PER\n#\tO\n", [["Ana", "#"]], [[(0, 1, "PER")]]),
    ("# O\nAna B-PER\n#a=b O\n## O\n#tag O\n", [["#", "Ana", "#a=b", "##", "#tag"]], [[(1, 2, "PER")]]),
    ("# a note here\n# sent_id = 7\n### 95369245\nAna B-PER\n", [["Ana"]], [[(0, 1, "PER")]]),
    ("Ana\tB-PER\t\nleft\tO  \r\nLima\tB-LOC\n", [["Ana", "left", "Lima"]], None),
    ("Ana\tB-PER\t\nleft\tO\t\n", [["Ana", "left"]], [[(0, 1, "PER")]]),
    ("  Ana B-PER \t\nleft   O\n", [["Ana", "left"]], [[(0, 1, "PER")]]),
    ("1990-1995 CD O\n3.1 CD O\nLima NN B-LOC\n", [["1990-1995", "3.1", "Lima"]], [[(2, 3, "LOC")]]),
    ("0\tAna\tB-PER\n1\tleft\tO\n", [["Ana", "left"]], [[(0, 1, "PER")]]),
]


def test_forms_of_files_that_are_read(tmp_path: Path) -> None:
    for content, sentences, spans in FORMS:
        corpus = read_tagged(written(tmp_path, content))
        assert sentences is None or corpus.sentences == tuple(map(tuple, sentences)), content
        assert spans is None or corpus.spans == tuple(map(tuple, spans)), content
    path = tmp_path / "windows.conll"
    path.write_bytes("\ufeffAna\tB-PER\r\nleft\tO\r\n\r\nYes\tO\r\n".encode())
    assert read_tagged(path).sentences == (("Ana", "left"), ("Yes",))


def test_of_several_columns_of_entities_the_first_is_read_and_noted(tmp_path: Path) -> None:
    path = written(tmp_path, GERMEVAL)
    assert read_tagged(path).notes == ("column 2 was read; tags of entities are in column 3 too: see tag_column.",)
    assert read_tagged(path, tag_column=3).spans == (((1, 2, "LOC"),), ())


def test_types_are_mapped_only_on_request_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "Ana\tB-person\nLima\tB-location\nMay\tB-date\nLumo\tB-product\n")
    assert read_tagged(path).types == ("date", "location", "person", "product")
    known = read_tagged(path, types={})
    assert known.spans == (((0, 1, "PER"), (1, 2, "LOC"), (3, 4, "MISC")),)
    assert known.notes == ("Types left out: date (1).",)
    assert known.tags == (("B-person", "B-location", "B-date", "B-product"),)
    own = read_tagged(path, types={"product": "O", "date": "MISC"})
    assert own.types == ("LOC", "MISC", "PER")
    assert own.notes == ("Types left out: product (1).",)
    with pytest.raises(LabelError):
        read_tagged(path, types={"persons": "PER"})
    corpus = read_tagged(written(tmp_path, "Good O\nnight O\n"), types={})
    assert (corpus.spans, corpus.types) == (((),), ())


def test_lines_without_a_word_are_left_out_and_noted(tmp_path: Path) -> None:
    corpus = read_tagged(written(tmp_path, "Ana\tB-PER\n\tO\nleft\tO\n\n\tO\n\nby car\tO\nLima\tB-LOC\n"))
    assert corpus.sentences == (("Ana", "left"), ("by car", "Lima"))
    assert corpus.notes == ("2 lines without a word were left out, the first is line 2.", "1 words hold a space.")


NO_PREFIX = (
    "no column holds only tags: 'X-PER' is not a tag.\n    Tags are O, or a prefix and a type, as in B-PER. Name "
)
WRONG = [
    ("Ana B-PER\nleft\n", "2: the line has 1 columns, and most have 2.\n    " + FORM),
    ("Ana B-PER\nin New York O\nleft O\n", "2: the line has 4 columns, and most have 2.\n    " + FORM),
    ("Ana\nleft\n", "1: the lines have one column only.\n    " + FORM),
    ("\n\n", " there is no tagged word in the file.\n    " + FORM),
    ("Ana B-PER\nRo X-PER\nleft VBD\n", f"2: {NO_PREFIX}the column: tag_column=1 is the second."),
    ("Ana\tB-PER\nleft\t\n", "2: the line has no tag.\n    " + FORM),
    ("Ana B-PER\n#tag\n", "2: the line has 1 columns, and most have 2.\n    " + FORM),
    ("x O\ny O\nAna B\nRo I\n", "3: the tag 'B' names no type of entity.\n    " + TYPE),
    ("x O\ny O\nAna I\n", "3: the tag 'I' names no type of entity.\n    " + TYPE),
    ("x O\nAna PER\ny 0\n", "3: the tag '0' names no type of entity.\n    " + TYPE),
    (
        "Ana N B-NP B-PER\nRo N I-NP X-PER\n. . O O\n",
        "2: the tag 'X-PER' is not a tag of the scheme IOB2.\n    " + IOB2,
    ),
    ("Ana B-PER\nleft 0\n. O\n", "2: the tag '0' is not a tag of the scheme IOB2.\n    " + IOB2),
    ("Ana B-PER\nRo PER\n. O\n", "2: the tag 'PER' is not a tag of the scheme IOB2.\n    " + IOB2),
]


def test_what_cannot_be_read_is_an_error_with_its_line(tmp_path: Path) -> None:
    for content, message in WRONG:
        path = written(tmp_path, content)
        with pytest.raises(TableError) as caught:
            read_tagged(path)
        assert str(caught.value) == f"{path}:{message}", content
    path = written(tmp_path, "Ana B-PER\nLima U-LOC\n")
    with pytest.raises(TableError) as caught:
        read_tagged(path, scheme="IOB2")
    assert str(caught.value) == f"{path}:2: the tag 'U-LOC' is not a tag of the scheme IOB2.\n    {IOB2}"
    path.write_bytes(b"Jos\xe9 B-PER\n")
    with pytest.raises(TableError) as caught:
        read_tagged(path)
    assert str(caught.value) == f"{path}: the file is not UTF-8: invalid continuation byte.\n    Save it as UTF-8."
    with pytest.raises(TableError) as caught:
        read_tagged(tmp_path / "none.conll")
    assert str(caught.value) == (
        f"there is no corpus to read at {tmp_path / 'none.conll'}: No such file or directory.\n"
        "    Give the path of a file of tagged words."
    )
    path = written(tmp_path, "Ana B-PER\n")
    with pytest.raises(OptionError) as wrong:
        read_tagged(path, tag_column=2)
    assert str(wrong.value) == f"{path} has no column 2.\n    It has 2 columns, counted from 0: 0 to 1."
    with pytest.raises(OptionError, match="the tag scheme 'BIX' is not known"):
        read_tagged(path, scheme="BIX")


@pytest.mark.parametrize(
    ("name", "sentences", "words", "scheme", "entities"),
    [
        ("en_ewt-ud-test.iob2", 2077, 25097, "IOB2", {"PER": 449, "LOC": 317, "ORG": 322}),
        ("wikigold.conll", 1696, 39007, "IOB1", None),
        ("btc_h.conll", 2000, 29476, "IOB2", {"PER": 2323, "ORG": 736, "LOC": 309}),
        ("wnut17_dev.conll", 1009, 15733, "IOB2", {"PER": 470, "LOC": 74, "ORG": 73, "MISC": 219}),
    ],
)
def test_the_open_corpora_are_read_whole(
    name: str, sentences: int, words: int, scheme: str, entities: dict[str, int] | None, shared_data: Path
) -> None:
    corpus = read_tagged(shared_data / "ner" / name, types={})
    assert (len(corpus), sum(map(len, corpus.sentences)), corpus.scheme) == (sentences, words, scheme)
    counts = Counter(kind for sentence in corpus.spans for _start, _end, kind in sentence)
    opened = sum(tag.startswith("B-") for sentence in corpus.tags for tag in sentence)
    if entities is None:  # Wikigold: I- only, so an entity is a run of one type
        assert (opened, set(counts)) == (0, {"PER", "LOC", "ORG", "MISC"})
    else:
        assert dict(counts) == entities
        assert sum(counts.values()) == opened
    assert all(corpus.texts) == name.startswith("en_ewt")
    if name == "btc_h.conll":
        assert corpus.notes[0] == "4 lines without a word were left out, the first is line 22918."
