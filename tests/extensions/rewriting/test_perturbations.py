"""Perturbations under CheckList's names: sentences read one by one, laws, and CheckList's own functions where alike."""

import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal
from sweep import sweep

from fairness_checklist.content.term_files import last_names, load_terms
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.rewriting import perturb as pt
from fairness_checklist.extensions.rewriting.perturb.contractions_and_negation import known_verbs

EXPANDED = {
    "It's good, isn't it?": "It is good, is it not?",
    "It's been fun.": "It has been fun.",
    "I'd gone, and I'd go": "I had gone, and I would go",
    "I'M HERE": "I AM HERE",
    "I'd better go.": "I had better go.",
    "I can\u2019t and won\u2019t.": "I cannot and will not.",
    "Don't you like it?": "Do you not like it?",
    "DON'T GO": "DO NOT GO",
    "Let's go.": "Let us go.",
    "She's tired of Anna's dog.": "She is tired of Anna's dog.",
    # both readings are possible, or the end of the subject is not known
    "He's gone.": "He's gone.",
    "I'd put it there.": "I'd put it there.",
    "What's he want?": "What's he want?",
    "Isn't the food good?": "Isn't the food good?",
    "Why don't people like it?": "Why don't people like it?",
    "He ain't here, how'd he go?": "He ain't here, how'd he go?",
}
CONTRACTED = {
    "It is good.": "It's good.",
    "I do not know who he is now.": "I don't know who he is now.",
    "I cannot go and will not.": "I can't go and won't.",
    "She has been there.": "She has been there.",
    "I have a car.": "I have a car.",
    "Yes, it is.": "Yes, it is.",
    "It is NOT good.": "It's NOT good.",
    "IT IS NOT GOOD.": "IT'S NOT GOOD.",
    "My sister and I are here.": "My sister and I are here.",
    "That\u2019s it, and it was not.": "That\u2019s it, and it wasn\u2019t.",
}


def test_contractions_sentence_by_sentence_and_their_laws() -> None:
    assert {text: pt.expand_contractions(text) for text in EXPANDED} == EXPANDED
    assert {text: pt.contract(text) for text in CONTRACTED} == CONTRACTED
    for text in (*EXPANDED, *CONTRACTED):
        expanded, contracted = pt.expand_contractions(text), pt.contract(text)
        assert pt.expand_contractions(expanded) == expanded
        assert pt.contract(contracted) == contracted
        assert pt.contractions(text) == [made for made in (expanded, contracted) if made != text]


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet='ab. !?"()\u201c\u201d\u00e9\u0301', max_size=12), st.integers(1, 4), st.integers(0, 5))
def test_typos_and_punctuation_laws(text: str, typos: int, seed: int) -> None:
    made = pt.add_typos(text, typos, seed=seed)
    bare = pt.strip_punctuation(text)

    assert made is None or (Counter(made) == Counter(text) and made != text)
    swapped = [place for place, pair in enumerate(zip(text, made or text, strict=True)) if len({*pair}) > 1]
    assert typos > 1 or made is None or (len(swapped), swapped[1] - swapped[0]) == (2, 1)
    assert made == pt.add_typos(text, typos, seed=seed)
    assert text.startswith(bare)
    assert pt.strip_punctuation(bare) == bare
    assert text not in pt.punctuation(text)


def test_names_keep_their_gender_and_occurrences() -> None:
    text = "Amanda called. I answered, and Amanda's dog barked."
    texts, replaced = pt.change_names(text, meta=True)  # type: ignore[misc]
    female = {term.term for term in load_terms("names").of_group("female")}

    assert len(set(texts)) == 10
    assert {old for old, _new in replaced} == {"Amanda"}
    assert {new for _old, new in replaced} <= female - {"Amanda"}
    assert texts == [text.replace("Amanda", new) for _old, new in replaced]


NOT_REPLACED: list[tuple[Any, list[str]]] = [
    (pt.change_names, [
        "Will you come?", "Mrs Mary came.", "The table.",
        "Mary Zzyzx came.",  # no last name that we know
        "Mary Keller met Mary Keen.",  # two persons
        "Keen to go, Mary Keen left.",  # the word is no name there, or may be none
    ]),
    (pt.change_location, ["Michael Jordan met the Bank of China.", "Rome is far."]),
    (pt.change_number, [
        "I made this 4 you.", "1 cat", "It opened in 2019.", "3.5 or 1,5 or 10:30", "9 out of 10, 5 stars, 5/5",
        "on May 5 at 5 pm", "Call 555 1234 now.", "Room 12 on the 3rd floor, (281) 55",
        "10 to 12 days in the 80's at 28601 Chagrin Blvd.", "agent 007",
    ]),
]  # fmt: skip


def test_what_is_not_replaced() -> None:
    for function, texts in NOT_REPLACED:
        assert [function(text) for text in texts] == [None] * len(texts)
    assert pt.change_names("Mary came.", last_only=True) is None


@sweep("last", ["Keen", "Washington"])
def test_a_full_name_is_replaced_by_a_first_and_a_last_name(last: str) -> None:
    """By default as in CheckList; the first name keeps its gender, and stands alone as it stood alone."""
    text = f"Mary {last} was brilliant, and Mary left. It was Mary {last}'s day."
    female = {term.term for term in load_terms("names").of_group("female")}
    texts, replaced = pt.change_names(text, meta=True)  # type: ignore[misc]

    assert len(set(texts)) == 10
    for made, (old, new) in zip(texts, replaced, strict=True):
        first, other = new.split()
        assert old == f"Mary {last}"
        assert first in female - {"Mary"}
        assert other in last_names()[:100]
        assert made == text.replace(last, other).replace("Mary", first)
    firsts, of_first = pt.change_names(text, first_only=True, n=3, meta=True)  # type: ignore[misc]
    assert firsts == [text.replace(old, new) for old, new in of_first]
    assert {old for old, _new in of_first} == {"Mary"}
    lasts, of_last = pt.change_names(text, last_only=True, n=3, meta=True)  # type: ignore[misc]
    assert lasts == [text.replace(old, new) for old, new in of_last]
    assert {old for old, _new in of_last} == {last}
    texts, replaced = pt.change_names("Mary Zzyzx came.", first_only=True, n=3, meta=True)  # type: ignore[misc]
    assert texts == [f"{new} Zzyzx came." for _old, new in replaced]


def test_places() -> None:
    texts, replaced = pt.change_location("From France to France.", meta=True, n=200)  # type: ignore[misc]

    assert ("France", "the Gambia") in replaced
    assert "From the Gambia to the Gambia." in texts
    assert len(set(texts)) == len(texts) > 180
    assert pt.change_location("Rome is far.", places=["Rome", "Oslo"]) == ["Oslo is far."]


@sweep(("text", "values"), [
    ("We waited 5 hours.", ["4", "6"]),
    ("We have 10 cats.", ["8", "9", "11", "12"]),
    ("It is 98% wool.", [str(value) for value in range(79, 101) if value != 98]),
])  # fmt: skip
def test_numbers_within_a_fifth(text: str, values: list[str]) -> None:
    texts, replaced = pt.change_number(text, n=50, meta=True)  # type: ignore[misc]

    assert sorted((new for _old, new in replaced), key=int) == values
    assert texts == [text.replace(old, new) for old, new in replaced]


def test_numbers_with_an_article_or_comma_and_typos_by_seed_and_text() -> None:
    assert sorted(pt.change_number("An 8-year-old won.") or []) == ["A 7-year-old won.", "A 9-year-old won."]
    texts = pt.change_number("It has 1,200 pages.", n=1000)
    assert {len(text) for text in texts or []} == {len("It has 960 pages."), len("It has 1,200 pages.")}  # type: ignore[arg-type]
    assert len({pt.add_typos("An unforgettable evening.", seed=seed) for seed in range(40)}) > 15
    assert pt.add_typos("aaa") is None
    assert pt.add_typos("ab", typos=2) is None


@dataclass
class Document:
    """What a spaCy document has of interest here."""

    text: str


def twice(text: str, meta: bool = False) -> Any:
    if not text:
        return None
    return ([text + "!", text + "?"], ["!", "?"]) if meta else [text + "!", text + "?"]


def test_the_original_is_first_also_of_nested_examples() -> None:
    made = pt.perturb(["Fine.", "Ok"], pt.punctuation)

    assert made.data == [["Fine.", "Fine"], ["Ok", "Ok."]]
    assert pt.perturb(["Fine."], pt.punctuation, keep_original=False).data == [["Fine"]]
    assert dict(made) == {"data": made.data}
    assert pt.perturb(["Fine.", "It's ok."], pt.expand_contractions).data == [["It's ok.", "It is ok."]]
    assert pt.perturb(["a"], lambda text: np.array([text, "b", None, ""], dtype=object)).data == [["a", "b"]]
    pairs: list[Any] = [("A?", Document("Good.")), {"a": "Good.", "n": 1}, ["x", "Good."], ("A?", "...")]

    def last(example: Any) -> Any:
        if isinstance(example, dict):
            return [{**example, "a": one} for one in pt.punctuation(example["a"])]
        kind = type(example)
        found = [kind([example[0], one]) for one in pt.punctuation(example[1])]
        return found or kind([example[0], None])

    assert pt.perturb(pairs, last).data == [
        [("A?", "Good."), ("A?", "Good")],
        [{"a": "Good.", "n": 1}, {"a": "Good", "n": 1}],
        [["x", "Good."], ["x", "Good"]],
    ]


def test_samples_and_seeds() -> None:
    texts = [f"A nice evening with {name}." for name in ("Ana", "Lisa", "Tara", "Jill", "Gina", "Leah")]
    whole = pt.perturb(texts, pt.add_typos, typos=2, seed=3)
    drawn = [pt.perturb([*texts, ""], pt.add_typos, typos=2, nsamples=3, seed=seed) for seed in range(6)]

    places = [[texts.index(case[0]) for case in one.data] for one in drawn]
    assert all(len(one) == 3 and one == sorted(one) for one in places)
    assert len(set(map(tuple, places))) > 1
    assert drawn[3] == pt.perturb([*texts, ""], pt.add_typos, typos=2, nsamples=3, seed=3)
    assert drawn[3].data == [whole.data[place] for place in places[3]]
    assert pt.perturb(texts[::-1], pt.add_typos, typos=2, seed=3).data == whole.data[::-1]
    assert pt.perturb(texts, pt.add_typos, typos=2, seed=4).data != whole.data
    assert len(pt.perturb(texts, pt.add_typos, nsamples=50).data) == 6


TWO_LISTS = "<lambda>() does not return two lists of one length for meta=True.\n    Return (examples, meta), or None"
ERRORS: list[tuple[Any, str]] = [
    (lambda: pt.perturb("text", twice), "the data are of the type str; expected a list of examples.\n    Write per"),
    (lambda: pt.perturb(["a"], "typos"), "function='typos' cannot be called.\n    Write perturb(data, add_typos), for"),
    (lambda: pt.perturb(["a"], lambda text, meta: (["b"], []), meta=True), TWO_LISTS),
    (lambda: pt.perturb(["a"], lambda text, meta: ["b"], meta=True), TWO_LISTS),
    (lambda: pt.change_names("Mary Keen came.", first_only=True, last_only=True),
     "first_only=True and last_only=True exclude each other.\n    Give one of them; neither for both names."),
    (lambda: pt.perturb(["a"], twice, nsamples=0), "nsamples=0 is too small; expected 1 or more."),
    (lambda: pt.add_typos("ab", typos=0), "typos=0 is too small; expected 1 or more."),
    (lambda: pt.change_number("5", seed=-1), "seed=-1 is too small; expected 0 or more."),
    (lambda: pt.perturb([("a", "b")], pt.contract), "contract() takes a text, not a tuple.\n    Say which part of an"),
    (lambda: pt.perturb(["It is good."], pt.add_negation),
     "add_negation() takes a parsed document, not a str.\n    Parse the texts with spaCy: perturb(list(nlp.pipe(text"),
    (lambda: pt.perturb(["a"], twice, meta=True) + pt.perturb(["a"], twice),
     "cases with data, meta cannot be joined to data.\n    Give both the same of labels=, meta= and save=; join lists"),
]  # fmt: skip


@sweep(("call", "message"), ERRORS)
def test_errors(call: Any, message: str) -> None:
    assert refusal(OptionError, call).startswith(message)


def tenses(word: str) -> list[tuple[str, int]]:
    """What ``pattern.en`` says of a verb, as far as it is asked."""
    past = word == "did" or any(word == verb["past"] != verb["base"] for verb in known_verbs().values())
    third = word == "does" or any(word == verb["third"] for verb in known_verbs().values())
    return [("past" if past else "present", 3 if third else 1)]


def conjugate(word: str, tense: str, person: int = 3) -> str:
    if word in {"will", "can"}:
        return word
    verb = next(verb for verb in known_verbs().values() if word in verb.values())
    return verb["past"] if tense == "past" else verb["third"] if (tense, person) == ("present", 3) else verb["base"]


@pytest.fixture(scope="module")
def theirs(checklist_perturb: Any) -> Any:
    english: Any = sys.modules["pattern.en"]
    english.tenses, english.conjugate = tenses, conjugate
    return checklist_perturb


SUBJECTS = {"I": "am", "you": "are", "he": "is", "she": "is", "it": "is", "we": "are", "they": "are"}
SHORT = "isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't"


def test_the_standard_contractions_are_those_of_checklist(theirs: Any) -> None:
    texts = [f"{subject} {be} late" for subject, be in SUBJECTS.items()]
    texts += [f"{subject} {modal} go" for subject in SUBJECTS for modal in ("will", "would")]
    texts += [f"{word} is on fire" for word in ("that", "there", "what", "where", "who", "how", "why", "when")]
    written = [f"Anna {word} go" for word in SHORT.split()]

    missing = {"he will go", "he would go"}  # CheckList expands these, but does not contract them
    assert {text for text in [*texts, "I have seen it"] if pt.contract(text) != theirs.contract(text)} == missing
    assert all(theirs.contract(text) == text for text in missing)
    for text in texts:
        short = pt.contract(text)
        assert "'" in short
        assert pt.expand_contractions(short) == theirs.expand_contractions(short) == text
    for short in written:
        full = pt.expand_contractions(short)
        assert full == theirs.expand_contractions(short) != short
        assert pt.contract(full) == theirs.contract(full) == short
        assert sorted(pt.contractions(full)) == sorted(theirs.contractions(full))


@sweep("text", ["Good.", "Good", "Is it good?", "Good!!", "Good...", "a, b.", "Good;"])
def test_punctuation_is_that_of_checklist(theirs: Any, text: str) -> None:
    spacy_tokens, vocab = pytest.importorskip("spacy.tokens"), pytest.importorskip("spacy.vocab")
    kinds = ["X" if character.isalnum() or character == " " else "PUNCT" for character in text]
    document = spacy_tokens.Doc(vocab.Vocab(), list(text), [False] * len(text), pos=kinds)

    assert pt.strip_punctuation(text) == theirs.strip_punctuation(document)
    assert pt.punctuation(text) == pt.punctuation(document) == theirs.punctuation(document)


def test_perturb_is_that_of_checklist(theirs: Any) -> None:
    data = ["a", "", "b"]
    ours, other = pt.perturb(data, twice, meta=True), theirs.perturb(data, twice, meta=True)

    assert (ours.data, ours.meta) == (other.data, other.meta)
    assert ours.meta == [[None, "!", "?"], [None, "!", "?"]]
    assert (ours + ours).meta == [*ours["meta"], *ours["meta"]]
    pairs = [("a", "b"), ("c", "")]
    for function in (lambda pair: [(pair[0], pair[1] + "!")], lambda pair: (pair[0], pair[1] + "?")):
        assert pt.perturb(pairs, function).data == theirs.perturb(pairs, function).data
        assert pt.perturb(pairs, function, keep_original=False).data == [
            row[1:] for row in theirs.perturb(pairs, function).data
        ]


def parsed(*sentences: str) -> Any:
    """A document of spaCy from tokens such as ``likes|like|VERB|VBZ|ROOT``; "_" before a word is no space.

    Each head is the root of the sentence.
    """
    spacy_tokens, vocab = pytest.importorskip("spacy.tokens"), pytest.importorskip("spacy.vocab")
    rows, heads = [], []
    for sentence in sentences:
        tokens = [token.split("|") for token in sentence.split()]
        root = next(at for at, token in enumerate(tokens) if token[4] == "ROOT")
        heads += [len(rows) + root] * len(tokens)
        rows += tokens
    words, lemmas, pos, tags, deps = (list(column) for column in zip(*rows, strict=True))
    spaces = [*(not word.startswith("_") for word in words[1:]), False]
    return spacy_tokens.Doc(
        vocab.Vocab(), [word.removeprefix("_") for word in words], spaces, lemmas=lemmas, pos=pos, tags=tags,
        heads=heads, deps=deps,
    )  # fmt: skip


I_, SHE, IT, STOP = "I|I|PRON|PRP|nsubj", "She|she|PRON|PRP|nsubj", "it|it|PRON|PRP|dobj", "_.|.|PUNCT|.|punct"
GOOD, NOT, NT = "good|good|ADJ|JJ|acomp", "not|not|PART|RB|neg", "_n't|not|PART|RB|neg"
NEGATED = {
    f"{SHE} is|be|AUX|VBZ|ROOT {GOOD} {STOP}": "She is not good.",
    f"{SHE} _'s|be|AUX|VBZ|ROOT {GOOD} {STOP}": "She's not good.",
    f"{SHE} be|be|AUX|VB|ROOT {GOOD} {STOP}": "She not be good.",
    f"{SHE} likes|like|VERB|VBZ|ROOT {IT} {STOP}": "She doesn't like it.",
    f"{SHE} liked|like|VERB|VBD|ROOT {IT} {STOP}": "She didn't like it.",
    f"{I_} like|like|VERB|VBP|ROOT {IT} {STOP}": "I don't like it.",
    f"{SHE} running|run|VERB|VBG|ROOT home|home|ADV|RB|advmod {STOP}": "She not running home.",
    f"{SHE} can|can|AUX|MD|aux swim|swim|VERB|VB|ROOT {STOP}": "She can't swim.",
    f"{SHE} _'ll|will|AUX|MD|aux swim|swim|VERB|VB|ROOT {STOP}": "She won't swim.",
    f"{I_} _'ve|have|AUX|VBP|aux seen|see|VERB|VBN|ROOT {IT} {STOP}": "I haven't seen it.",
    f"{SHE} _'d|would|AUX|MD|aux swim|swim|VERB|VB|ROOT {STOP}": "She wouldn't swim.",
    f"{I_} _'d|have|AUX|VBD|aux seen|see|VERB|VBN|ROOT {IT} {STOP}": "I hadn't seen it.",
    f"{SHE} may|may|AUX|MD|aux swim|swim|VERB|VB|ROOT {STOP}": "She may not swim.",
    "Do|do|AUX|VBP|aux you|you|PRON|PRP|nsubj swim|swim|VERB|VB|ROOT _?|?|PUNCT|.|punct": "Don't you swim?",
    f"Great|great|ADJ|JJ|ROOT _!|!|PUNCT|.|punct ; {SHE} ran|run|VERB|VBD|ROOT off|off|ADV|RB|advmod": (
        "Great! She didn't run off"
    ),
    f"{SHE} is|be|AUX|VBZ|ROOT {NOT} {GOOD} {STOP}": None,
    "Is|be|AUX|VBZ|ROOT it|it|PRON|PRP|nsubj far|far|ADJ|JJ|acomp _?|?|PUNCT|.|punct": None,
    "How|how|ADV|WRB|advmod did|do|AUX|VBD|aux she|she|PRON|PRP|nsubj run|run|VERB|VB|ROOT _?|?|PUNCT|.|punct": None,
    "I|I|PRON|PRP|nsubj thank|thank|VERB|VBP|ROOT you|you|PRON|PRP|dobj": None,
    "Nice|nice|ADJ|JJ|amod film|film|NOUN|NN|ROOT _!|!|PUNCT|.|punct": None,
}
AFFIRMED = {
    f"{SHE} is|be|AUX|VBZ|ROOT {NOT} {GOOD} {STOP}": "She is good.",
    f"{SHE} does|do|AUX|VBZ|aux {NT} like|like|VERB|VB|ROOT {IT} {STOP}": "She likes it.",
    f"{SHE} did|do|AUX|VBD|aux {NOT} go|go|VERB|VB|ROOT home|home|ADV|RB|advmod {STOP}": "She went home.",
    f"{I_} do|do|AUX|VBP|aux {NT} go|go|VERB|VB|ROOT home|home|ADV|RB|advmod {STOP}": "I go home.",
    f"{SHE} ca|can|AUX|MD|aux {NT} swim|swim|VERB|VB|ROOT {STOP}": "She can swim.",
    f"{SHE} never|never|ADV|RB|neg swims|swim|VERB|VBZ|ROOT {STOP}": "She swims.",
    f"{SHE} likes|like|VERB|VBZ|ROOT {IT} {STOP}": None,
    f"{SHE} is|be|AUX|VBZ|ROOT {NOT} {STOP}": None,
}


@sweep(
    ("function", "tokens", "expected"),
    [("add_negation", *case) for case in NEGATED.items()] + [("remove_negation", *case) for case in AFFIRMED.items()],
)
def test_negation_is_that_of_checklist(theirs: Any, function: str, tokens: str, expected: str | None) -> None:
    """But for spaces, which CheckList doubles and puts before marks."""
    document = parsed(*tokens.split(" ; "))
    their = getattr(theirs, function)(document)

    assert getattr(pt, function)(document) == expected
    assert (their and re.sub(r"^ | (?=[.!? ])", "", their)) == expected


def test_a_verb_without_known_forms_keeps_its_negation() -> None:
    assert pt.remove_negation(parsed(f"{SHE} does|do|AUX|VBZ|aux {NT} grok|grok|VERB|VB|ROOT {IT}")) is None
