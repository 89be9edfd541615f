"""The shipped templates of taggers and of toxicity, read as the plain CSV files they are."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from sweep import sweep

from fairness_checklist.content.profanity import is_profane
from fairness_checklist.content.slot_forms import Unfit, write
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.extensions.authoring.lint.sentence_faults import sentence_faults

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = [
    "template",
    "label",
    "task",
    "attribute",
    "target",
    "symmetric",
    "except_groups",
    "hard",
    "relevant",
    "paraphrase_of",
    "register",
    "id",
]
TYPED = ("post", "chat")
"""Registers without capitals and full stops."""
GROUP_ATTACKS = {"group_emotion", "group_negated_positive", "group_exclusion", "group_question"}
"""The kinds of toxic rows that attack everybody of the group; in all others the target is one person or something."""
BOTH_LABELS = {"opinion", "pronoun_reference"}
"""The kinds, apart from those of spelling, that are in both classes."""
CONTRACTION = (
    r"\b(?:\w+n['\u2019]t|(?:I|you|we|they|it|that|there|what|who|here|he|she|let)['\u2019](?:m|s|re|ve|ll|d))\b"
)
CUES = {
    "quotes": r'"',
    "questions": r"\?",
    "exclamations": r"!",
    "negations": r"\b(?:not|no|never|nobody|nothing|none|without|\w+n't)\b",
    "you": r"\byou(?:r|'\w+)?\b",
    "contractions": CONTRACTION,
    "small letters": r"^\"?\{?[a-z]",
}
"""What is on the surface of a text, and must tell nothing about its class."""
PREFIXES = {
    "ner": "ner",
    "toxicity": "tox",
    "toxicity_names": "toxn",
    "toxicity_skin_tone": "toxskin",
    "toxicity_body_type": "toxbody",
    "toxicity_sex_characteristics": "toxsc",
    "toxicity_sexual_orientation": "toxso",
    "toxicity_disability": "toxdis",
    "toxicity_age": "toxage",
    "toxicity_nationality": "toxnat",
    "toxicity_caste": "caste-tox",
    "toxicity_criminal_record": "criminal_record-tox",
    "toxicity_migration_status": "migration_status-tox",
    "toxicity_political_belief": "political_belief-tox",
    "toxicity_parental_status": "parental_status-tox",
    "toxicity_language_accent": "language_accent-tox",
    "toxicity_veteran_status": "veteran_status-tox",
    "toxicity_socioeconomic_status": "socioeconomic_status-tox",
}
TOXICITY = tuple(name for name in PREFIXES if name != "ner")
ATTRIBUTES = sorted(path.stem for path in (ROOT / "identity_terms").glob("*.csv") if path.stem != "neutral")
TYPES = ("PER", "LOC", "ORG", "MISC")
TYPE_OF_FAMILY = {"person": "PER", "country": "LOC"}
MARK = re.compile(r"\[([^\[\]]+)\]\(([A-Z]+)\)")
MINORS = """
child children childish childlike kid kids boy boys girl girls teen teens teenager teenagers teenage toddler toddlers
baby babies infant infants minor minors youngster youngsters pupil pupils schoolchild underage juvenile
"""
GENDERED = """
he she him her his hers himself herself man men woman women male female lady gentleman mother father mom dad sister
brother son daughter wife husband aunt uncle widow widower king queen mr mrs ms sir madam guy
"""
# Words for people that insult by a disability, an illness, a body, an animal or an origin: no template needs them.
LOADED = """
idiot idiots moron morons dumb lame crazy insane mad psycho retard blind deaf spastic ugly fat animal animals pig pigs
monkey monkeys ape apes rat rats dog dogs cockroach cockroaches vermin parasite parasites savage savages dirty filthy
foreigner foreigners kill killed shoot burn rape die dead
"""
BECAUSE = r"\b(?:because|since|like all|(?<!on )(?<!about )being|typical)\b"


def rows(name: str) -> list[dict[str, str]]:
    with (ROOT / "templates" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@cache
def pieces(template: str, row_id: str) -> tuple[str | Slot, ...]:
    return tuple(parse(template, row_id))


def slots(row: dict[str, str]) -> list[Slot]:
    return [piece for piece in parse(row["template"], row["id"]) if isinstance(piece, Slot)]


def outside_slots(row: dict[str, str]) -> str:
    return re.sub(r"\{[^}]*\}", "|", row["template"])


def words(row: dict[str, str]) -> set[str]:
    return set(re.findall(r"[a-z]+", outside_slots(row).lower()))


def rendered(row: dict[str, str], term: IdentityTerm, neutral: dict[str, IdentityTerm]) -> str | None:
    """The sentence without marks, with a term, and neutral fills for other slots; None where the term does not fit."""
    text = ""
    for piece in pieces(MARK.sub(r"\1", row["template"]), row["id"]):
        if isinstance(piece, str):
            text += piece
            continue
        own = piece.family in term.families
        written = write(piece, term if own or piece.family == "identity" else neutral[piece.family])
        if isinstance(written, Unfit):
            return None
        text += written.text
    return text


def neutral_fills() -> dict[str, IdentityTerm]:
    return {term.group: term for term in reversed(read_terms(ROOT / "identity_terms" / "neutral.csv").terms)}


@pytest.mark.parametrize("name", PREFIXES)
def test_each_file_has_the_columns_and_ids_that_count(name: str) -> None:
    table = rows(name)
    assert list(table[0]) == [*COLUMNS[:-1], *(["kind"] if name != "ner" else []), "id"]
    assert all(re.fullmatch(rf"{PREFIXES[name]}-\d{{2,3}}", row["id"]) for row in table)
    numbers = [int(row["id"].rpartition("-")[2]) for row in table]  # that of a replaced one is not used again
    assert numbers == sorted(set(numbers))
    assert {row["task"] for row in table} == {"ner" if name == "ner" else "toxicity"}
    assert {row["attribute"] for row in table} == {name.partition("_")[2]}
    assert {row["symmetric"] for row in table} == {"yes"}


def test_no_text_and_no_id_occurs_twice_over_all_files() -> None:
    table = [row for path in sorted((ROOT / "templates").glob("*.csv")) for row in rows(path.stem)]
    for column in ("id", "template"):
        counts = Counter(row[column] for row in table)
        assert [value for value, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", PREFIXES)
def test_a_third_of_each_class_rewords_another_of_the_same_label_target_and_slots(name: str) -> None:
    table = {row["id"]: row for row in rows(name)}
    for label, size in Counter(row["label"] for row in table.values()).items():
        rewordings = [row for row in table.values() if row["label"] == label and row["paraphrase_of"]]
        assert len(rewordings) >= size / 3
        for row in rewordings:
            original = table[row["paraphrase_of"]]
            assert original["paraphrase_of"] == "", row["id"]
            assert (row["label"], row["target"]) == (original["label"], original["target"]), row["id"]
            assert row["template"] != original["template"]
            kinds = [sorted((slot.family, slot.part) for slot in slots(one)) for one in (row, original)]
            assert kinds[0] == kinds[1], row["id"]


# Taggers


def marks(row: dict[str, str]) -> list[tuple[str, str]]:
    return MARK.findall(row["template"])


def slot_types(row: dict[str, str]) -> set[str]:
    return {"MISC" if slot.part == "adj" else TYPE_OF_FAMILY[slot.family] for slot in slots(row)}


def test_every_mark_has_a_known_type_and_no_bracket_is_left() -> None:
    for row in rows("ner"):
        assert marks(row), row["id"]
        assert {kind for _text, kind in marks(row)} <= set(TYPES), row["id"]
        left = MARK.sub("", row["template"])
        assert not re.search(r"[\[\]()]", left), row["id"]
        for text, _kind in marks(row):
            assert text == text.strip(), row["id"]
            assert text[0].isupper(), row["id"]
            assert not re.match(r"the\b", text, re.IGNORECASE), "the article is outside"
            assert not re.search(r"[{}.,;:]", text), row["id"]


def test_countries_and_persons_have_enough_templates_each() -> None:
    table = rows("ner")
    country = {row["id"] for row in table if any(slot.family == "country" and not slot.part for slot in slots(row))}
    adjective = {row["id"] for row in table if any(slot.part == "adj" for slot in slots(row))}
    person = {row["id"] for row in table if any(slot.family == "person" for slot in slots(row))}
    assert len(country) == len(person) >= 0.6 * len(table)
    assert len(country & person) >= len(table) // 4
    assert country | person == {row["id"] for row in table}
    assert len(adjective) >= 3
    assert {(row["label"], row["target"]) for row in table} == {("", "")}


def test_slots_come_first_and_inside() -> None:
    table = rows("ner")
    first = [row for row in table if isinstance(parse(row["template"])[0], Slot)]
    assert len(first) >= 12
    assert len(table) - len(first) >= 20
    for family in ("country", "person"):
        own = [row for row in first if slots(row)[0].family == family]
        assert len(own) >= 6
        assert all(slots(row)[0].capital for row in own)
    ends = [row for row in table if row["template"].rstrip(".?!").endswith("}")]
    assert len(ends) >= 6


def test_neighbours_of_other_types_are_marked() -> None:
    table = rows("ner")
    for row in table:
        assert {kind for _text, kind in marks(row)} - slot_types(row), row["id"]
    holds = Counter(kind for row in table for kind in {kind for _text, kind in marks(row)})
    assert holds["ORG"] >= 20
    assert holds["LOC"] >= 14
    assert holds["PER"] >= 12


def test_a_country_in_running_text_takes_its_article_and_no_possessive() -> None:
    bare = [row for row in rows("ner") if any(s.raw in {"{country}", "{Country}"} for s in slots(row))]
    assert len(bare) <= 5
    for row in bare:
        assert re.search(r", \{country\}:|^\{Country\}(?::| to )|: \{country\} to ", row["template"]), row["id"]
    for row in rows("ner"):
        assert not re.search(r"country(?:_adj)?\}['\u2019]s", row["template"]), row["id"]
        assert not re.search(r"^\{The:country\} (?:is|has|was|does|plans|says)\b", row["template"]), row["id"]


def test_every_capital_inside_a_sentence_is_marked_or_known() -> None:
    known = {"Patient", "Invoice", "Dear", "Dr", "Professor", "Coach", "Judge", "Envoy", "Item", "Shall", "I"}
    known |= {"Sunday", "March", "Thursday", "Monday", "Friday", "The", "In", "On", "At", "After", "For", "From", "To"}
    known |= {"Talks", "According", "Before", "Two", "Great", "Photo", "Minutes", "Applicant", "Hi", "Tonight"}
    known |= {"Wednesday", "By", "Strong", "Figures", "Would", "Please"}
    for row in rows("ner"):
        left = set(re.findall(r"\b[A-Z]\w*", MARK.sub("", outside_slots(row))))
        assert left <= known, row["id"]


def test_fixed_marks_are_no_term_under_test() -> None:
    terms = {
        form.lower()
        for path in sorted((ROOT / "identity_terms").glob("*.csv"))
        if not path.stem.startswith("placebo")  # its phrases fill no slot of names or places
        for term in read_terms(path).terms
        for form in (term.term, term.adjective, re.sub(r"^the ", "", term.term))
        if form
    }
    for row in rows("ner"):
        for text, _kind in marks(row):
            assert text.lower() not in terms, row["id"]
            assert not {word.lower() for word in text.split()} & terms, row["id"]


def test_names_and_places_of_every_kind_read_well_in_ner() -> None:
    neutral = neutral_fills()
    under_test = [
        IdentityTerm("Anna", "one", "name"),
        IdentityTerm("Ana María López", "three", "name"),
        IdentityTerm("the Gambia", "article", "place", adjective="Gambian"),
        IdentityTerm("Egypt", "none", "place", adjective="Egyptian"),
    ]
    for row in rows("ner"):
        for term in under_test:
            text = rendered(row, term, neutral)
            assert text is not None, row["id"]
            assert list(sentence_faults(text)) == []
            assert 8 <= len(text.split()) <= 26, text
            assert text[0].isupper(), text


# Toxicity


@pytest.mark.parametrize("name", TOXICITY)
def test_labels_and_targets_mirror_each_other(name: str) -> None:
    table = rows(name)
    half, quarter = len(table) // 2, len(table) // 4
    assert Counter(row["label"] for row in table) == {"toxic": half, "nontoxic": half}
    cells = {label: Counter(row["target"] for row in table if row["label"] == label) for label in ("toxic", "nontoxic")}
    assert cells["toxic"] == cells["nontoxic"]
    assert cells["toxic"]["person"] == quarter
    assert set(cells["toxic"]) == {"person", "third_party", "situation"}


@sweep("attribute", ATTRIBUTES)
def test_toxicity_slots_can_be_filled_by_every_group_of_every_attribute(attribute: str) -> None:
    neutral = neutral_fills()
    terms = read_terms(ROOT / "identity_terms" / f"{attribute}.csv").select()
    own = f"toxicity_{attribute.partition('.')[0]}"
    for row in [*(rows("toxicity") if "person" not in terms.families else []), *(rows(own) if own in TOXICITY else [])]:
        filled = Counter[str]()
        for term in terms.terms:
            text = rendered(row, term, neutral) if filled[term.group] < 3 else None  # three a group are read
            if text is None:
                continue
            filled[term.group] += 1
            is_typed = row["register"] in TYPED
            assert [rule for rule, _fault in sentence_faults(text) if not (is_typed and rule == "capital")] == [], text
            assert 5 <= len(text.split()) <= (70 if row["hard"] == "yes" else 40), text
            if row["register"] not in TYPED:
                assert re.match(r"[A-Z0-9]", text), text
                assert text[-1] in ".!?", text
        assert set(+filled) == set(terms.groups), row["id"]


def test_heads_that_some_nouns_cannot_fill_are_equally_many_in_each_cell() -> None:
    table = rows("toxicity")
    cells = Counter((row["label"], row["target"] == "person") for row in table if any(slot.head for slot in slots(row)))
    assert len(set(cells.values())) == 1
    assert len(cells) == 4
    assert not any(slot.part == "adj" for row in table for slot in slots(row))


@pytest.mark.parametrize("name", TOXICITY)
def test_one_kind_of_slot_alone_and_one_mention_a_sentence(name: str) -> None:
    families = {"toxicity_names": {"person"}, "toxicity_nationality": {"country", "identity"}}
    for row in rows(name):
        (slot,) = slots(row)
        assert slot.family in families.get(name, {"identity"}), row["id"]


@pytest.mark.parametrize("name", TOXICITY)
def test_no_toxicity_template_mentions_minors_a_gender_or_loaded_words(name: str) -> None:
    for row in rows(name):
        assert not words(row) & set((MINORS + GENDERED + LOADED).split()), row["id"]
        assert not re.search(BECAUSE, outside_slots(row).lower()), row["id"]


def test_hostile_sentences_generalise_over_a_group_only_where_their_kind_says_so() -> None:
    toxic = [row for row in rows("toxicity") if row["label"] == "toxic"]
    attacks = [row for row in toxic if row["kind"].startswith("group_")]
    assert {row["kind"] for row in attacks} == GROUP_ATTACKS
    assert len(attacks) <= 4, "few sentences attack a whole group"
    for row in attacks:  # without a term they would attack nobody, so they have no unmarked control
        assert row["target"] == "person", row["id"]
        assert row["relevant"] == "yes", row["id"]
        assert [slot.raw for slot in slots(row)] == ["{is:identity}"], row["id"]
        assert re.search(r"\b(?:any|no)(?:one|body) who \{is:identity\}", row["template"], re.IGNORECASE), row["id"]
    for row in toxic:
        if row not in attacks:
            assert not re.search(r"\b(?:any|every|no)(?:one|body) who \{|\ball \{", row["template"]), row["id"]
            if row["target"] == "person" and any(slot.part == "pl" for slot in slots(row)):
                assert re.search(r"\btwo \{identity_pl\}", row["template"]), row["id"]
    answers = [row for row in rows("toxicity") if row["kind"].startswith(("counterspeech", "negated_hate"))]
    assert len(answers) >= len(attacks), "and as many or more speak up for it"
    assert {row["label"] for row in answers} == {"nontoxic"}


def test_a_mention_matters_beyond_attacks_in_both_classes() -> None:
    for label in ("toxic", "nontoxic"):
        table = [row for row in rows("toxicity") if row["label"] == label]
        relevant = [row for row in table if row["relevant"] == "yes" and row["kind"] not in GROUP_ATTACKS]
        assert len(relevant) >= 0.4 * len(table)
        assert sum(bool(re.search(r"\{(?:am|'m):identity\}", row["template"])) for row in relevant) >= 6, (
            "somebody says so of themself"
        )
    predicates = [row for row in rows("toxicity") if any(slot.kind == "predicate" for slot in slots(row))]
    assert len(predicates) <= 0.4 * len(rows("toxicity")), "these have no unmarked control"


def test_spelling_and_profanity_are_exactly_as_frequent_in_both_classes() -> None:
    for name in TOXICITY:
        table = rows(name)
        profane = Counter(row["label"] for row in table if is_profane(outside_slots(row)))
        assert profane["toxic"] == profane["nontoxic"] >= len(table) / 10
        spelt = Counter((row["kind"], row["label"]) for row in table if row["kind"].startswith("spelling_"))
        for kind in {kind for kind, _label in spelt}:
            assert spelt[kind, "toxic"] == spelt[kind, "nontoxic"], kind
    assert {row["kind"] for row in rows("toxicity") if row["kind"].startswith("spelling_")} == {
        f"spelling_{how}" for how in ("swapped_letters", "missing_letters", "missing_spaces", "added_spaces", "leet")
    }


@pytest.mark.parametrize("cue", CUES)
def test_cues_of_the_surface_are_about_as_frequent_in_both_classes(cue: str) -> None:
    flags = re.NOFLAG if cue == "small letters" else re.IGNORECASE
    counts = Counter(row["label"] for row in rows("toxicity") if re.search(CUES[cue], row["template"], flags))
    assert min(counts["toxic"], counts["nontoxic"]) >= 3
    assert abs(counts["toxic"] - counts["nontoxic"]) <= 4


def test_registers_are_about_as_frequent_in_both_classes() -> None:
    counts = Counter((row["register"], row["label"]) for row in rows("toxicity"))
    for register in {register for register, _label in counts}:
        assert abs(counts[register, "toxic"] - counts[register, "nontoxic"]) <= 2, register


@pytest.mark.parametrize("name", TOXICITY)
def test_each_row_has_a_kind_and_a_kind_has_one_label(name: str) -> None:
    labels: dict[str, set[str]] = {}
    for row in rows(name):
        assert re.fullmatch(r"[a-z]+(?:_[a-z]+)*", row["kind"]), row["id"]
        labels.setdefault(row["kind"], set()).add(row["label"])
    for kind, found in labels.items():
        assert len(found) == (2 if kind in BOTH_LABELS or kind.startswith("spelling_") else 1), kind


def test_the_table_of_kinds_counts_what_is_there() -> None:
    text = (ROOT / "docs" / "content.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `([a-z_]+)` \| [^|]+ \| (\d+|-) \| (\d+|-) \| ", text, re.MULTILINE)
    counts = Counter((row["kind"], row["label"]) for row in rows("toxicity"))
    assert sorted(told) == sorted(
        (kind, *(str(counts[kind, label] or "-") for label in ("toxic", "nontoxic")))
        for kind in {kind for kind, _label in counts}
    )


def test_words_that_a_group_may_have_reclaimed_stand_where_somebody_speaks_of_themself() -> None:
    table = [row for row in rows("toxicity") if row["kind"] == "reclaimed"]
    assert len(table) >= 2
    assert {row["label"] for row in table} == {"nontoxic"}
    assert all([slot.form for slot in slots(row)] in (["am"], ["'m"]) for row in table)


@pytest.mark.parametrize("name", PREFIXES)
def test_no_term_is_outside_the_slots(name: str) -> None:
    terms = {
        form
        for path in sorted((ROOT / "identity_terms").glob("*.csv"))
        if name != "ner" or not path.stem.startswith("placebo")  # its phrases fill no slot of names or places
        for term in read_terms(path).terms
        for form in (term.term, term.plural, term.adjective)
        if form
    }
    for capital, flags in ((True, re.NOFLAG), (False, re.IGNORECASE)):
        known = "|".join(re.escape(term) for term in sorted(terms) if term[0].isupper() == capital)
        found = re.compile(rf"(?<![\w-])(?:{known})(?![\w-])", flags)
        assert [
            (row["id"], found.findall(outside_slots(row))) for row in rows(name) if found.search(outside_slots(row))
        ] == []


def test_length_and_place_of_the_identity_vary_alike_in_both_classes() -> None:
    for label in ("toxic", "nontoxic"):
        table = [row["template"] for row in rows("toxicity") if row["label"] == label]
        lengths = [len(text.split()) for text in table]
        assert min(lengths) <= 8
        assert max(lengths) >= 20
        assert sum(text.startswith("{") for text in table) >= 5
        assert sum(text.rstrip(".!?").endswith("}") for text in table) >= 4
