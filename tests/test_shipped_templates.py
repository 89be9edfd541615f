"""The shipped templates of both languages: one table of rules, each a function that names the rows that break it."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from sweep import sweep

from fairness_checklist.content.grammar.language import profane_words
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import TEMPLATE_COLUMNS, load_templates, task_of_file
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.core.tasks import TASKS

ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, str]
LANGUAGES = {"": "en", "es/": "es"}
ONLY_GENERIC = {"control_words", "occupation_class"}
ORDINARY = {"broke", "criminal", "invalid", "old", "rich", "short", "single", ""}
"""Terms that are other words, too: old tickets, every single day."""
MARK = re.compile(r"\[([^\[\]]+)\]\(([A-Z]+)\)")
PRONOUN = "(?:I|you|we|they|it|that|there|what|who|here|he|she|let)"
CUES = {
    "quotes": r'"',
    "questions": r"\?",
    "exclamations": r"!",
    "negations": r"\b(?:not|no|never|nobody|nothing|none|without|\w+n't)\b",
    "you": r"\byou(?:r|'\w+)?\b",
    "contractions": rf"\b(?:\w+n['\u2019]t|{PRONOUN}['\u2019](?:m|s|re|ve|ll|d))\b",
    "small letters": r"^\"?\{?[a-z]",
}
"""What is on the surface of a text, and must tell nothing about its class."""


def rows(path: str) -> list[Row]:
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [dict.fromkeys(TEMPLATE_COLUMNS, "") | row for row in read]


TABLES = {
    folder + path.stem: rows(f"templates/{folder}{path.name}")
    for folder in LANGUAGES
    for path in sorted((ROOT / "templates" / folder).glob("*.csv"))
}
SENTIMENT = [name for name in TABLES if task_of_file(name.rpartition("/")[2]) == "sentiment"]
TOXICITY = [name for name in TABLES if task_of_file(name.rpartition("/")[2]) == "toxicity"]


def outside_slots(row: Row) -> str:
    return re.sub(r"\{[^}]*\}", "|", row["sentence"])


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+(?:'[a-z]+)?", text.lower()))


def slots(row: Row) -> list[Slot]:
    return [piece for piece in parse(row["sentence"], row["id"]) if isinstance(piece, Slot)]


def spread(counts: Iterable[float]) -> float:
    return max(listed := list(counts)) - min(listed)


def of_label(table: list[Row], holds: Callable[[Row], object]) -> list[int]:
    """How many rows of each label hold something."""
    counts = Counter(row["label"] for row in table if holds(row))
    return [counts[label] for label in {row["label"] for row in table}]


ENGLISH = [name for name in TABLES if not name.startswith("es/")]


def test_hard_rows_slots_and_profanity_are_dealt_out_alike() -> None:
    lengths = []
    for name in ENGLISH:
        if "." not in name:  # sets that are asked for by name are small
            of_class = Counter(row["label"] for row in TABLES[name])
            hard = Counter(row["label"] for row in TABLES[name] if row["hard"] == "yes")
            assert spread(hard[label] / n for label, n in of_class.items()) <= 0.25, name
            lengths += [len(row["sentence"].split()) for row in TABLES[name] if row["hard"] == "yes"]
    assert max(lengths) <= 60
    assert 4 * sum(length <= 18 for length in lengths) >= len(lengths), "hard is not long"
    families = {"toxicity_names": {"person"}, "toxicity_nationality": {"country", "identity"}}
    for name in set(TOXICITY) & set(ENGLISH):  # one mention a sentence, of one kind of slot
        allowed = families.get(name, {"identity"})
        assert [row["id"] for row in TABLES[name] if {s.family for s in slots(row)} - allowed] == []
    table = TABLES["toxicity"]
    for spelt in {row["kind"] for row in table if row["kind"].startswith("spelling_")}:
        assert spread(of_label(table, lambda row, kind=spelt: row["kind"] == kind)) == 0, spelt  # type: ignore[misc]
    counts = of_label(table, lambda row: profane_words(outside_slots(row)))
    assert spread(counts) <= 1
    assert min(counts) >= len(table) / 20


def test_every_attribute_has_a_set_of_its_own_and_enough_independent_sentences_of_each_label() -> None:
    # With fewer, a finding about it is "too few to say".
    own = set(SENTIMENT) & set(ENGLISH) - {"generic", "intersections"}
    assert {n for n in attributes() if "." not in n} - own == ONLY_GENERIC
    assert {n.partition(".")[0] for n in own} <= {n.partition(".")[0] for n in attributes()}
    for task in ("sentiment", "toxicity"):
        for attribute in attributes():
            families: dict[str, set[str]] = {}
            for template in load_templates(task, attribute):
                families.setdefault(template.label, set()).add(template.rewords or template.id)
            assert len(families) == len(TASKS[task].classes), attribute
            assert min(map(len, families.values())) >= (3 if attribute in TABLES else 9), attribute
            if "counterparts" not in attribute:  # with fewer than ten no comparison of missed praise is decided
                assert len(families.get("positive") or families["toxic"]) >= 10, attribute


def test_no_term_stands_outside_of_a_slot() -> None:
    no_jobs = set(attributes()) - {"control_words", "occupation_class"}
    every = [term for name in sorted(no_jobs) for term in load_terms(name).terms]
    terms = {form for term in every for form in (term.term, term.plural, term.adjective)} - ORDINARY
    dispreferred = [t for t in every if t.status == "dispreferred"]
    off = {form for t in dispreferred for form in (t.term, t.plural, t.adjective, t.predicate)} - ORDINARY
    assert len(off) >= 30
    for forms, names in ((off, ENGLISH), (terms, [name for name in TOXICITY if name in ENGLISH])):
        for is_name, flags in ((True, re.NOFLAG), (False, re.IGNORECASE)):
            listed = "|".join(re.escape(form) for form in sorted(forms) if form[0].isupper() == is_name)
            pattern = re.compile(rf"(?<![\w-])(?:{listed})(?![\w-])", flags)
            found = [row["id"] for n in names for row in TABLES[n] if pattern.search(outside_slots(row))]
            assert found == []


def test_entities_are_marked_and_stand_beside_slots_of_other_types() -> None:
    table = TABLES["ner"]
    under_test = {
        form.lower()
        for name in attributes()
        if not name.startswith("control_words")  # its phrases fill no slot of names or places
        for term in load_terms(name).terms
        for form in (term.term, term.adjective, term.term.removeprefix("the "))
        if form
    }
    types = {"person": "PER", "country": "LOC"}
    for row in table:
        marks = MARK.findall(row["sentence"])
        assert marks, row["id"]
        assert {kind for _text, kind in marks} <= {"PER", "LOC", "ORG", "MISC"}, row["id"]
        assert not re.search(r"[\[\]()]", MARK.sub("", row["sentence"])), row["id"]
        slot_types = {"MISC" if slot.part == "adj" else types[slot.family] for slot in slots(row)}
        assert {kind for _text, kind in marks} - slot_types, row["id"]
        for text, _kind in marks:
            first = "[^\\W\\d_]" if row["sentence"][0].islower() else "[^\\W\\d_a-z]"  # a post in small letters
            assert re.match(rf"(?!the\b){first}[^{{}}.,;:]*(?<! )$", text), "the article is outside"
            assert not ({text.lower()} | words(text)) & under_test, row["id"]
        assert not re.search(r"country(?:_adj)?\}['\u2019]s", row["sentence"]), row["id"]


def test_sentences_attack_a_group_in_the_set_for_that_alone() -> None:
    for row in TABLES["toxicity.hate"]:  # without a term the toxic ones would attack nobody: they have no control
        assert (row["label"] == "toxic") == (row["about"] == "group"), row["id"]
    others = [row for name in set(TOXICITY) & set(ENGLISH) - {"toxicity.hate"} for row in TABLES[name]]
    assert [row["id"] for row in others if row["about"] == "group"] == []
    for row in others:
        if row["label"] == "toxic":
            assert not re.search(r"\b(?:any|every|no)(?:one|body) who \{|\ball \{", row["sentence"]), row["id"]
            if row["about"] == "person" and any(slot.part == "pl" for slot in slots(row)):
                assert re.search(r"\b(?:two|for) \{identity_pl\}", row["sentence"]), row["id"]  # one of a club for them
    answers = [row for row in TABLES["toxicity"] if row["kind"].startswith(("counterspeech", "negated_hate"))]
    assert len(answers) >= 4, "some speak up for the group"
    assert {row["label"] for row in answers} == {"nontoxic"}
    of_oneself = {(row["label"], *(s.form for s in slots(row))) for row in others if row["kind"] == "self_description"}
    assert of_oneself <= {("nontoxic", "am"), ("nontoxic", "'m")}


@sweep("cue", CUES)
def test_cues_of_the_surface_are_about_as_frequent_in_both_classes(cue: str) -> None:
    flags = re.NOFLAG if cue == "small letters" else re.IGNORECASE
    counts = of_label(TABLES["toxicity"], lambda row: re.search(CUES[cue], row["sentence"], flags))
    assert min(counts) >= 3 or max(counts) < 3
    assert spread(counts) <= 4


def test_the_table_of_kinds_of_the_page_counts_what_is_shipped() -> None:
    text = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+)` \| [^|]+ \| (\d+|-) \| (\d+|-) \|$", text, re.MULTILINE)
    counts = Counter((row["kind"], row["label"]) for row in TABLES["toxicity"])
    assert sorted(listed) == sorted(
        (kind, *(str(counts[kind, label] or "-") for label in ("toxic", "nontoxic")))
        for kind in {kind for kind, _label in counts}
    )
