"""Words and tag schemes: our rules by examples, spans against seqeval, repairs against a plain conlleval."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from seqeval import scheme as theirs
from seqeval.scheme import Entities
from sweep import sweep
from tag_schemes import encode

from fairness_checklist.core.errors import InputError, LabelError
from fairness_checklist.core.tagging import (
    SCHEMES,
    TagError,
    TagSet,
    detect_scheme,
    map_types,
    read_tags,
    split_tag,
    words,
)
from fairness_checklist.core.tagging import encode as iob2

SEQEVAL = {"IOB1": theirs.IOB1, "IOB2": theirs.IOB2, "BILOU": theirs.BILOU, "BIOES": theirs.IOBES}
LETTERS = {"IOB1": "IB", "IOB2": "BI", "BILOU": "BILU", "BIOES": "BIES"}


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in words(text)]


@sweep(("text", "expected"), [
    ("", []),
    ("Alex's.", ["Alex", "'s", "."]),
    ("Alex\u2019s co-worker", ["Alex", "\u2019s", "co-worker"]),
    ("O'Brien don't", ["O'Brien", "don't"]),
    ("C\u00f4te d'Ivoire", ["C\u00f4te", "d'Ivoire"]),
    ("'Sao' 'so'", ["'", "Sao", "'", "'", "so", "'"]),
    ("S\u0061\u0303o Tom\u0065\u0301", ["S\u0061\u0303o", "Tom\u0065\u0301"]),
    ("a - b--c", ["a", "-", "b", "-", "-", "c"]),
    ("#tag @user 3,000", ["#", "tag", "@", "user", "3", ",", "000"]),
    ("\u0939\u093f\u0928\u094d\u0926\u0940 \u65e5\u672c", ["\u0939\u093f\u0928\u094d\u0926\u0940", "\u65e5\u672c"]),
    (")'s", [")", "'s"]),
])  # fmt: skip
def test_words(text: str, expected: list[str]) -> None:
    assert split(text) == expected
    assert "".join(split(text)) == "".join(text.split())


def random_sentences(scheme: str, seed: int, n: int = 300) -> list[list[str]]:
    rng = random.Random(seed)
    tags = ["O", *(f"{letter}-{kind}" for letter in LETTERS[scheme] for kind in ("PER", "LOC"))]
    return [[rng.choice(tags) for _ in range(rng.randrange(9))] for _ in range(n)]


def random_spans(seed: int, *, gap: int = 0, n: int = 300) -> Iterator[list[tuple[int, int, str]]]:
    """Sentences of ten words with entities, ``gap`` words at least between two."""
    rng = random.Random(seed)
    for _ in range(n):
        spans, at = [], 0
        while at < 10:
            start = at + rng.randrange(0, 3) + (gap if spans else 0)
            end = start + rng.randrange(1, 4)
            if end <= 10:
                spans.append((start, end, rng.choice(["PER", "LOC"])))
            at = end
        yield spans


def spans_of(sentences: Sequence[Sequence[str]], scheme: str) -> list[set[tuple[int, int, str]]]:
    tags, codes, offset = read_tags(sentences, scheme)
    spans, _ = tags.decode(codes, offset)
    found: list[set[tuple[int, int, str]]] = [set() for _ in sentences]
    for row, start, end, kind in zip(spans.row, spans.start, spans.end, spans.type, strict=True):
        found[row].add((int(start), int(end), tags.types[kind]))
    return found


@sweep("scheme", SEQEVAL)
def test_spans_of_tags_in_their_scheme_are_those_of_seqeval(scheme: str) -> None:
    for seed in range(5):
        sentences = [encode(spans, 10, scheme) for spans in random_spans(seed)]
        expected = Entities(sentences, scheme=SEQEVAL[scheme]).entities
        assert spans_of(sentences, scheme) == [{(e.start, e.end, e.tag) for e in entities} for entities in expected]


def conlleval(tags: Sequence[str]) -> set[tuple[int, int, str]]:
    """The rules of startOfChunk and endOfChunk, tag by tag."""
    found, opened, before, kind_before = set(), None, "O", ""
    for at, tag in enumerate([*tags, "O"]):
        prefix, _, kind = tag.partition("-")
        prefix = {"U": "S", "L": "E"}.get(prefix, prefix)
        ends = (
            before in ("E", "S")
            or (before in ("B", "I") and prefix in ("B", "S", "O"))
            or (before != "O" and kind_before != kind)
        )
        starts = prefix != "O" and (
            prefix in ("B", "S") or before in ("E", "S", "O") or (before != "O" and kind_before != kind)
        )
        if opened is not None and ends:
            found.add((opened, at, kind_before))
            opened = None
        if starts:
            opened = at
        before, kind_before = prefix, kind
    return found


@sweep("scheme", SEQEVAL)
def test_repaired_spans_are_those_of_conlleval(scheme: str) -> None:
    sentences = random_sentences(scheme, 11)
    assert spans_of(sentences, scheme) == [conlleval(tags) for tags in sentences]


def test_repairs_are_counted_by_sentence_and_no_span_crosses_sentences() -> None:
    assert spans_of([["B-PER"], ["I-PER", "I-PER"]], "IOB2") == [{(0, 1, "PER")}, {(0, 2, "PER")}]
    assert spans_of([[], []], "IOB2") == [set(), set()]
    sentences = [["I-PER", "O"], ["B-PER", "L-PER"], ["L-LOC", "I-LOC", "B-LOC"], []]
    tags, codes, offset = read_tags(sentences, "BILOU")
    _spans, repaired = tags.decode(codes, offset)
    assert repaired.tolist() == [1, 0, 3, 0]
    assert read_tags([["B-PER", "O", "B-PER"]], "IOB1")[0].decode(np.array([1, 0, 1]), np.array([0, 3]))[1].sum() == 0


@sweep("scheme", SCHEMES)
def test_encode_and_decode_are_inverse(scheme: str) -> None:
    for spans in random_spans(5, gap=int(scheme == "plain")):
        assert spans_of([encode(spans, 10, scheme)], scheme) == [set(spans)]
        assert iob2(spans, 10) == encode(spans, 10, "IOB2")


@sweep(("tags", "scheme"), [
    (["O", "B-A", "I-A"], "IOB2"),
    (["I-A"], "IOB1"),
    (["O", "I-PER", "I-ORG", "B-ORG"], "IOB1"),
    (["O", "PER-I", "LOC-B", "LOC-I"], "IOB1"),
    (["B-A", "L-A", "U-A"], "BILOU"),
    (["S-A", "E-A", "B-A", "I-A"], "BIOES"),
    (["B-A", "M-A", "E-A", "S-A"], "BMES"),
    (["W-A", "-", "O"], "BMEWO"),
    (["B-A", "_", "I-A"], "IOB2"),
    (["E-MAIL", "PER", "NAME_M", "NAME_W"], "plain"),
    (["work-of-art", "O"], "plain"),
])  # fmt: skip
def test_detect_scheme(tags: list[str], scheme: str) -> None:
    assert detect_scheme(tags) == TagSet.of(tags).scheme == scheme
    assert TagSet.of(["P", "L", "M", "O"]).types == ("P", "L", "M")  # plain tags may be letters
    for tag, parts in (("B-creative-work", ("B", "creative-work")), ("B_LOC", ("B", "LOC")), ("o", ("", ""))):
        assert split_tag(tag) == parts


@sweep(("tags", "scheme", "message"), [
    (["O", "U-PER"], "BIO", "the tag 'U-PER' is not a tag of the scheme IOB2."),
    (["B-A", "A"], "", "the tag 'A' is not a tag of the scheme IOB2."),
    (["I-A", "I-"], "", "the tag 'I-' is not a tag of the scheme IOB1."),
    (["O", "B", "I"], "", "the tag 'B' names no type of entity."),
    (["B-", "I-"], "", "the tag 'B-' names no type of entity."),
    (["O", "0"], "", "the tag '0' names no type of entity."),
    (["O"], "BILUX", "the tag scheme 'BILUX' is not known."),
])  # fmt: skip
def test_tags_that_are_wrong(tags: list[str], scheme: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        TagSet.of(tags, scheme)
    assert caught.value.message == message
    if isinstance(caught.value, TagError):
        assert repr(caught.value.tag) in message
    else:
        assert caught.value.remedy.startswith("Did you mean BILOU? Known: IOB1, IOB2, BILOU, BIOES, BMES, BMEWO, plain")


def test_map_types() -> None:
    suite = ["PER", "LOC", "ORG", "MISC"]
    wnut = ["person", "location", "corporation", "group", "product", "creative-work"]
    assert map_types(wnut, suite) == dict(zip(wnut, ["PER", "LOC", "ORG", "ORG", "MISC", "MISC"], strict=True))
    assert map_types(["PERSON", "NORP"], ["PER", "LOC"]) == {"PERSON": "PER", "NORP": "O"}
    assert map_types(["X", "PER"], suite, {"X": "ORG"}) == {"X": "ORG", "PER": "PER"}
    wrong: list[tuple[list[str], dict[str, str], str]] = [
        (["LABEL_1"], {}, "the tagger's types LABEL_1 match none of the suite's PER, LOC, ORG, MISC."),
        (["PERS", "LOC"], {"PRES": "PER"}, "the tagger has no type 'PRES'."),
        (["PERS", "LOC"], {"PERS": "PRE"}, "the suite has no type 'PRE'."),
    ]
    for types, given, message in wrong:
        with pytest.raises(LabelError) as caught:
            map_types(types, suite, given)
        assert caught.value.message == message
        assert ('labels={"LABEL_1": "PER"}' if not given else "Did you mean PER") in caught.value.remedy


def test_the_places_of_b_and_i_distinguish_iob1_from_iob2() -> None:
    sentences = [["I-PER", "I-PER", "O"], ["I-LOC", "B-LOC", "O", "I-PER", "B-PER"]]
    tags, codes, offset = read_tags(sentences)
    spans, repaired = tags.decode(codes, offset)
    assert (tags.scheme, repaired.tolist(), len(spans)) == ("IOB1", [0, 0], 5)
    assert read_tags([["B-PER", "I-PER"], ["O", "I-PER"]])[0].scheme == "IOB2"
    assert read_tags([["B-PER", "I-PER"], ["O", "B-PER"]])[0].scheme == "IOB2"
