"""The reader of tagged corpora: schemes are recognised, nothing vanishes silently, errors name their line."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sweep import sweep
from tag_schemes import encode

from fairness_checklist.core.errors import InputError, LabelError
from fairness_checklist.core.tagging import SCHEMES
from fairness_checklist.extensions.corpora.tagged_corpora import TaggedCorpus, read_tagged


def written(folder: Path, content: str) -> Path:
    path = folder / "corpus.conll"
    path.write_bytes(content.encode())
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


def test_columns_are_named_and_comments_hold_the_text(tmp_path: Path) -> None:
    content = (
        "# newdoc id = a\n# sent_id = a-1\n# text = In Lima.\n1\tIn\tO\t-\t-\n2\tLima\tB-LOC\t-\tkim\n3\t.\tO\t-\t-\n\n"
        "# text = 7 #\n1\t7\tO\t-\t-\n1-2\t7#\t_\t-\t-\n2\t#\tO\t-\t-\n"
    )
    corpus = read_tagged(written(tmp_path, content), token_column=1, tag_column=2)
    assert corpus.sentences == (("In", "Lima", "."), ("7", "#"))
    assert corpus.spans == (((1, 2, "LOC"),), ())
    assert corpus.texts == ("In Lima.", "7 #")
    assert corpus.notes == ("1 lines that join words (3-4) or add one (3.1) were left out.",)
    path = written(tmp_path, "-DOCSTART- -X- O O\n\nAna NNP B-NP B-PER\nleft VBD B-VP O\n")
    assert read_tagged(path).spans == (((0, 1, "PER"),),)
    assert read_tagged(path, tag_column=2).spans == (((0, 1, "NP"), (1, 2, "VP")),)
    assert read_tagged(path, token_column=1).sentences == (("NNP", "VBD"),)


def test_every_scheme_is_recognised_and_gives_the_same_spans(tmp_path: Path) -> None:
    words = ["Ana", "da", "Ro", "and", "Ida", "saw", "Lima", "Peru"]
    spans = ((0, 3, "PER"), (4, 5, "PER"), (6, 8, "LOC"))
    for scheme in SCHEMES:
        tags = encode(spans, len(words), scheme)
        path = written(tmp_path, "".join(f"{word} {tag}\n" for word, tag in zip(words, tags, strict=True)))
        corpus = read_tagged(path)
        assert (corpus.scheme, corpus.spans) == (scheme, (spans,))
        assert corpus == read_tagged(path, scheme=scheme)
    touching = read_tagged(written(tmp_path, "Ana I-PER\nIda B-PER\nleft O\n"))
    assert (touching.scheme, touching.spans, touching.notes) == ("IOB1", (((0, 1, "PER"), (1, 2, "PER")),), ())
    broken = read_tagged(written(tmp_path, "Ana I-PER\nleft O\nLima B-LOC\n"))
    assert (broken.scheme, broken.spans) == ("IOB2", (((0, 1, "PER"), (2, 3, "LOC")),))
    assert broken.notes == ("1 entities in 1 sentences break the scheme IOB2 and were repaired.",)


@sweep(("content", "sentences", "spans"), [
    ("Ana B-PER\nRo I-PER\nleft -\nLima B-LOC\n. O\n", None, [[(0, 2, "PER"), (3, 4, "LOC")]]),
    ("-DOCSTART- -X- O\nAna N B-PER\n-DOCSTART- -X- O\nRo N O\n", [["Ana"], ["Ro"]], [[(0, 1, "PER")], []]),
    ("#begin document (a); part 0\nAna B-PER\n#end document\nRo O\n", [["Ana"], ["Ro"]], [[(0, 1, "PER")], []]),
    ("10\u00a0000 O\nNew\u202fYork B-LOC\n\u00a0\n. O\n", [["10\u00a0000", "New\u202fYork"], ["."]], None),
    ("10\u00a0000\tO\nNew York\tB-LOC\n", [["10\u00a0000", "New York"]], [[(1, 2, "LOC")]]),
    ("#\thttp://a.org/b [2009]\nAna\tB-PER\n#\tO\n", [["Ana", "#"]], [[(0, 1, "PER")]]),
    ("# O\nAna B-PER\n#a=b O\n## O\n#tag O\n", [["#", "Ana", "#a=b", "##", "#tag"]], [[(1, 2, "PER")]]),
    ("# a note here\n# sent_id = 7\n### 9 5 3\nAna B-PER\n", [["Ana"]], [[(0, 1, "PER")]]),
    ("Ana\tB-PER\t\nleft\tO  \r\nLima\tB-LOC\n", [["Ana", "left", "Lima"]], None),
    ("1990-1995 CD O\n3.1 CD O\nLima NN B-LOC\n", [["1990-1995", "3.1", "Lima"]], [[(2, 3, "LOC")]]),
    ("\ufeffAna\tB-PER\r\nleft\tO\r\n\r\nYes\tO\r\n", [["Ana", "left"], ["Yes"]], [[(0, 1, "PER")], []]),
])  # fmt: skip
def test_forms_of_files_that_are_read(tmp_path: Path, content: str, sentences: Any, spans: Any) -> None:
    corpus = read_tagged(written(tmp_path, content))
    assert sentences is None or corpus.sentences == tuple(map(tuple, sentences))
    assert spans is None or corpus.spans == tuple(map(tuple, spans))


def test_types_are_mapped_only_on_request_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "Ana\tB-person\nLima\tB-location\n\tO\nMay\tB-date\nLumo\tB-product\n\tO\n")
    assert read_tagged(path).types == ("date", "location", "person", "product")
    mapped = read_tagged(path, types={})
    assert mapped.spans == (((0, 1, "PER"), (1, 2, "LOC"), (3, 4, "MISC")),)
    assert mapped.notes == ("2 lines without a word were left out, the first is line 3.", "Types left out: date (1).")
    assert mapped.tags == (("B-person", "B-location", "B-date", "B-product"),)
    assert read_tagged(path, types={"product": "O", "date": "MISC"}).types == ("LOC", "MISC", "PER")
    with pytest.raises(LabelError):
        read_tagged(path, types={"persons": "PER"})


FORM = "Each line holds a word and its tag, with a tab or spaces between; a blank line ends a sentence."
IOB2 = "Its tags start with B-, I-, or are O; schemes: IOB1, IOB2, BILOU, BIOES, BMES, BMEWO, plain."
TYPE = "Write the type too, as in B-PER; a word outside of entities is O."
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("Ana B-PER\nleft\n", {}, "PATH:2: the line has 1 columns, and most have 2.\n    " + FORM),
    ("Ana\tB-PER\nleft\t\n", {}, "PATH:2: the line has 1 columns, and most have 2.\n    " + FORM),
    ("Ana B-PER\nin New York O\nleft O\n", {}, "PATH:2: the line has 4 columns, and most have 2.\n    " + FORM),
    ("Ana B-PER\n#tag\n", {}, "PATH:2: the line has 1 columns, and most have 2.\n    " + FORM),
    ("Ana\nleft\n", {}, "PATH:1: the lines have one column only.\n    " + FORM),
    ("\n\n", {}, "PATH: there is no tagged word in the file.\n    " + FORM),
    ("x O\ny O\nAna B\nRo I\n", {}, "PATH:3: the tag 'B' names no type of entity.\n    " + TYPE),
    ("Ana B-PER\nRo PER\n. O\n", {}, "PATH:2: the tag 'PER' is not a tag of the scheme IOB2.\n    " + IOB2),
    ("Ana B-PER\nLima U-LOC\n", {"scheme": "IOB2"}, "PATH:2: the tag 'U-LOC' is not a tag of the scheme IOB2.\n"),
    ("Ana B-PER\n", {"scheme": "BIX"}, "the tag scheme 'BIX' is not known.\n"),
    ("Ana B-PER\n", {"tag_column": 2}, "PATH has no column 2.\n    It has 2 columns, counted from 0: 0 to 1."),
]


def test_what_cannot_be_read_is_an_error_with_its_line(tmp_path: Path) -> None:
    for content, options, message in WRONG:
        path = written(tmp_path, content)
        with pytest.raises(InputError) as caught:
            read_tagged(path, **options)
        assert str(caught.value).startswith(message.replace("PATH", str(path))), content
    path.write_bytes(b"Jos\xe9 B-PER\n")
    with pytest.raises(InputError, match=r"the file is not UTF-8: invalid continuation byte\.\n    Save it as UTF-8\."):
        read_tagged(path)
    with pytest.raises(InputError, match=r"there is no corpus to read at .*none\.conll: No such file or directory\."):
        read_tagged(tmp_path / "none.conll")


@pytest.mark.parametrize(("name", "sentences", "words", "scheme", "entities"), [
    ("en_ewt-ud-test.iob2", 2077, 25097, "IOB2", {"PER": 449, "LOC": 317, "ORG": 322}),
    ("wikigold.conll", 1696, 39007, "IOB1", None),
    ("btc_h.conll", 2000, 29476, "IOB2", {"PER": 2323, "ORG": 736, "LOC": 309}),
    ("wnut17_dev.conll", 1009, 15733, "IOB2", {"PER": 470, "LOC": 74, "ORG": 73, "MISC": 219}),
])  # fmt: skip
def test_the_open_corpora_are_read_whole(
    name: str, sentences: int, words: int, scheme: str, entities: dict[str, int] | None, shared_data: Path
) -> None:
    columns = {"token_column": 1, "tag_column": 2} if name.startswith("en_ewt") else {}
    corpus = read_tagged(shared_data / "ner" / name, types={}, **columns)  # type: ignore[arg-type]
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
