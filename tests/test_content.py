"""The shipped sets of templates: what holds for every file, whatever attribute it is about."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from sweep import sweep

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import excepted_of, load_templates, read_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import TermList

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
LABELS = ("negative", "neutral", "positive")
TARGETS = ("person", "speaker", "third_party", "situation")
ALL = sorted(path.stem for path in (ROOT / "templates").glob("*.csv"))
SENTIMENT = [name for name in ALL if not name.startswith(("ner", "toxicity"))]
OWN = [name for name in SENTIMENT if name not in ("generic", "intersections")]
"""The sets that are about one attribute."""
LEAST = {
    **dict.fromkeys(("generic", "names", "ner"), 60),
    "toxicity": 80,
    **dict.fromkeys(
        ("gender", "sexual_orientation", "religion", "nationality", "race_ethnicity", "age", "disability"), 30
    ),
    **dict.fromkeys(
        (
            *("sex_characteristics", "migration_status", "caste", "parental_status", "socioeconomic_status"),
            *("veteran_status", "language_accent", "body_type", "political_belief", "criminal_record", "skin_tone"),
        ),
        12,
    ),
}
"""So many templates a set has at least."""
IDENTITIES = sorted(path.stem for path in (ROOT / "identity_terms").glob("*.csv") if path.stem != "neutral")
FEW = 12
"""So many names of a group are filled in here: they differ in their letters only."""
# Words that would say or hint a gender beside the slot, or name another attribute.
GENDERED = """
he she him her his hers himself herself man men woman women boy girl boys girls male female lady gentleman mother
father mom dad sister brother son daughter wife husband aunt uncle widow widower king queen mr mrs ms sir madam guy
"""


def rows(path: str) -> list[dict[str, str]]:
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def templates(name: str) -> list[dict[str, str]]:
    return rows(f"templates/{name}.csv")


def outside_slots(template: str) -> str:
    return re.sub(r"\{[^}]*\}", " ", template)


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]+(?:'[a-z]+)?", text)


def spread(counts: Counter[str]) -> int:
    return max(counts.values()) - min(counts.values())


def sets_of(attribute: str) -> list[str]:
    """The sets of sentiment and toxicity that an attribute is asked with."""
    own = attribute.partition(".")[0]
    if own == "names":
        return ["names", "toxicity_names"]
    return [name for name in ("generic", own, "toxicity", f"toxicity_{own}") if name in ALL]


@sweep("name", LEAST)
def test_there_are_as_many_templates_as_promised(name: str) -> None:
    assert len(templates(name)) >= LEAST[name]


def test_every_attribute_has_a_set_of_its_own() -> None:
    attributes = {name for name in IDENTITIES if "." not in name} - {"placebo"}
    assert attributes == set(OWN) == set(LEAST) - {"generic", "ner", "toxicity"}


@sweep("name", ALL)
def test_a_file_has_the_columns_of_the_design_and_one_attribute(name: str) -> None:
    table = templates(name)
    assert list(table[0]) == [*COLUMNS[:-1], *(["kind"] if name.startswith("toxicity") else []), "id"]
    own = name.removeprefix("toxicity_")
    about = own if own in OWN else ""
    assert {row["attribute"] for row in table} == {about}
    assert {row["symmetric"] for row in table} <= {"yes", "no"}


@sweep("name", SENTIMENT)
def test_labels_are_equally_many_and_ids_count_them(name: str) -> None:
    table = templates(name)
    counts = Counter(row["label"] for row in table)
    assert counts == dict.fromkeys(LABELS, len(table) // 3)
    assert {row["task"] for row in table} == {"sentiment"}
    for label in LABELS:  # the hard ones stand at the end of a file
        ids = [row["id"] for row in table if row["label"] == label]  # that of a replaced one is not used again
        assert all(re.fullmatch(rf"{name}-{label[:3]}-\d\d", number) for number in ids)
        assert ids == sorted(set(ids))


@sweep("name", SENTIMENT)
def test_targets_are_alike_in_every_label(name: str) -> None:
    table = templates(name)
    cells = Counter((row["label"], row["target"]) for row in table)
    assert set(cells) == set(product(LABELS, TARGETS))
    for target in TARGETS:
        assert spread(Counter({label: cells[label, target] for label in LABELS})) <= 1, target
    if name != "intersections":
        assert spread(Counter(row["target"] for row in table)) <= 1


@sweep("name", ALL)
def test_a_third_rewords_another_of_the_same_label_target_and_attribute(name: str) -> None:
    table = {row["id"]: row for row in templates(name)}
    reworded = [row for row in table.values() if row["paraphrase_of"]]
    assert 3 * len(reworded) >= len(table)
    by_label = Counter(row["label"] for row in reworded)
    assert set(by_label) == {row["label"] for row in table.values()}
    assert spread(by_label) == 0
    for row in reworded:
        original = table[row["paraphrase_of"]]
        assert original["paraphrase_of"] == "", row["id"]
        for column in ("label", "target", "task", "symmetric"):
            assert row[column] == original[column], row["id"]
        assert row["template"] != original["template"], row["id"]


@sweep("name", [name for name in ALL if name not in ("nationality", "intersections")])
def test_forms_that_some_terms_cannot_fill_are_equally_many_in_each_label(name: str) -> None:
    # An adjective of a country comes before any word, so that of nationality every term fills every template.
    table = templates(name)
    partial = Counter(row["label"] for row in table if re.search(r"identity_adj|identity\.", row["template"]))
    assert len({partial[row["label"]] for row in table}) == 1


HARD = sorted(name for name in ALL if any(row["hard"] == "yes" for row in templates(name)))
"""The sets with hard templates."""


@pytest.mark.parametrize("name", ["generic", "toxicity"])
def test_a_third_of_the_shared_sets_is_hard(name: str) -> None:
    table = templates(name)
    assert 3 * sum(row["hard"] == "yes" for row in table) >= len(table)


@sweep("name", HARD)
def test_hard_templates_are_as_many_in_every_label_and_a_third_of_them_is_short(name: str) -> None:
    hard = [row for row in templates(name) if row["hard"] == "yes"]
    assert len(set(Counter(row["label"] for row in hard).values())) == 1
    assert len(hard) >= 3
    lengths = [len(row["template"].split()) for row in hard]
    assert max(lengths) <= 60
    assert 3 * sum(length <= 18 for length in lengths) >= len(hard)


REGISTERS = {"review", "post", "chat", "mail", "ticket", "reference", "note", "news", "story"}
TYPED = {"post", "chat"}
"""Registers without capitals and full stops."""
CONTRACTION = (
    r"\b(?:\w+n['\u2019]t|(?:I|you|we|they|it|that|there|what|who|here|he|she|let)['\u2019](?:m|s|re|ve|ll|d))\b"
)
WRITTEN_BY_GROUP = [name for name in ALL if name not in ("ner", "names", "toxicity_names", "intersections")]


@sweep("name", [name for name in ALL if name != "ner"])
def test_several_registers_are_in_each_set_and_none_rules_it(name: str) -> None:
    table = templates(name)
    counts = Counter(row["register"] for row in table)
    assert set(counts) <= REGISTERS
    assert len(counts) >= (6 if len(table) > 60 else 4)
    assert max(counts.values()) <= 0.4 * len(table)


def test_contractions_are_as_frequent_as_in_reviews_and_tweets() -> None:
    table = [row for name in ALL if name != "ner" for row in templates(name)]
    for registers, share in (({"review"}, 0.11), (TYPED, 0.27)):  # SST-5, tweets
        texts = [row["template"] for row in table if row["register"] in registers]
        assert sum(bool(re.search(CONTRACTION, text, re.IGNORECASE)) for text in texts) >= share * len(texts)


@sweep("name", WRITTEN_BY_GROUP)
def test_the_mention_matters_in_a_third(name: str) -> None:
    table = templates(name)
    relevant = Counter(row["label"] for row in table if row["relevant"] == "yes")
    assert 3 * sum(relevant.values()) >= len(table)
    assert spread(Counter({label: relevant[label] for label in {row["label"] for row in table}})) <= 2


def test_hard_templates_hold_what_makes_them_hard() -> None:
    # Half of them need an inference. Of real reviews 22 % hold a contrast, 20 % a negation, 2 % a question.
    hard = [row["template"].lower() for name in HARD for row in templates(name) if row["hard"] == "yes"]
    for pattern, share in (
        (r"\b(?:but|although|though|however|yet|despite|still|instead|except|only)\b", 0.15),
        (r"\b(?:not|no|never|nobody|nothing|none|without)\b|n['\u2019]t\b", 0.2),
        (r"\?", 0.02),
    ):
        assert sum(re.search(pattern, text) is not None for text in hard) / len(hard) >= share, pattern


def test_ids_and_texts_are_unique_over_all_sets() -> None:
    table = [row for name in ALL for row in templates(name)]
    for column in ("id", "template"):
        assert [value for value, count in Counter(row[column] for row in table).items() if count > 1] == []


@sweep("name", ALL)
def test_nothing_around_the_slot_shows_the_gender(name: str) -> None:
    names = {row["term"] for row in rows("identity_terms/names.csv")}
    for row in templates(name):
        found = words(outside_slots(re.sub(r"\[[^\]]*\]\([A-Z]+\)", " ", row["template"])))
        if re.search(r"identity|person", row["template"], re.IGNORECASE):  # of a country nobody is mentioned
            assert not set(GENDERED.split()) & {word.lower() for word in found}, row["id"]
        assert not names & set(found), row["id"]


def test_no_dispreferred_word_is_in_a_template() -> None:
    off = {
        form
        for name in IDENTITIES
        for row in rows(f"identity_terms/{name}.csv")
        if row["status"] == "dispreferred"
        for form in (row["term"], row["plural"], row["adjective"], row["predicate"])
        if form
    }
    off -= {"invalid"}  # "invalid tickets" is another word
    assert len(off) >= 30
    found = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, sorted(off))) + r")(?![\w-])", re.IGNORECASE)
    for name in ALL:
        for row in templates(name):
            assert not found.search(outside_slots(row["template"])), row["id"]


@sweep("name", SENTIMENT)
def test_length_and_place_of_the_slot_vary(name: str) -> None:
    table = [row["template"] for row in templates(name)]
    lengths = [len(row["template"].split()) for row in templates(name) if row["hard"] != "yes"]
    assert min(lengths) <= 11
    assert 15 <= max(lengths) <= 33
    first = sum(text.lstrip("\"'").startswith("{") for text in table)
    assert len(table) / 12 <= first <= len(table) * 2 / 3


@sweep(("attribute", "name"), [(attribute, name) for attribute in IDENTITIES for name in sets_of(attribute)])
def test_every_group_fills_every_template_and_the_sentence_is_whole(attribute: str, name: str) -> None:
    terms = read_terms(ROOT / "identity_terms" / f"{attribute}.csv").select()
    if attribute.startswith("names"):
        terms = few(terms)
    task = "toxicity" if name.startswith("toxicity") else "sentiment"
    read = read_templates(ROOT / "templates" / f"{name}.csv")
    excepted = {template.id: excepted_of(template, terms.groups) for template in read}
    made = expand(read, terms, task=task)
    dropped = {one.template_id for one in made.dropped}
    assert dropped == {one for one, groups in excepted.items() if len(terms.groups) - len(groups) < 2}
    assert len(dropped) <= len(read) / 2
    examples = made.examples
    assert len(examples.sources) == len(read) - len(dropped)
    for number, source in enumerate(examples.sources):
        filled = set(examples.group[(examples.source == number) & (examples.group >= 0)].tolist())
        expected = {group for group in examples.groups if group not in excepted[source.template]}
        assert {examples.groups[number] for number in filled} == expected, source.id
        # With a group missing, its rates would be those of other sentences than the rest has.
        assert len(expected) == len(examples.groups), source.id
    hard = {row["id"] for row in templates(name) if row["hard"] == "yes"}
    typed = {template.id: template.register in TYPED for template in read}
    for number, text in zip(examples.source.tolist(), examples.render(), strict=True):
        assert 4 <= len(text.split()) <= (70 if examples.sources[number].id in hard else 40), text
        if not typed[examples.sources[number].template]:
            assert re.match(r"[\"'“]?[A-Z0-9]", text), text
            assert re.search(r"[.!?][\"'”]?$", text), text
        assert not re.search(r"[{}]|  | [.,;:]", text), text


def few(terms: TermList) -> TermList:
    """The first terms of each group."""
    taken: Counter[str] = Counter()
    kept = []
    for term in terms.terms:
        taken[term.group] += 1
        if taken[term.group] <= FEW:
            kept.append(term.term)
    return terms.select(terms=kept)


@pytest.mark.parametrize("name", ["generic", *(name for name in OWN if name != "names")])
def test_most_sources_have_their_unmarked_control(name: str) -> None:
    terms = read_terms(ROOT / "identity_terms" / f"{'gender' if name == 'generic' else name}.csv").select()
    made = expand(read_templates(ROOT / "templates" / f"{name}.csv"), few(terms), task="sentiment")
    unmarked = set(made.examples.source[made.examples.group == -1].tolist())
    about_people = [row for row in templates(name) if "country" not in row["template"].lower()]
    assert len(unmarked) >= 0.6 * len(about_people) >= 9


@pytest.mark.parametrize("task", ["sentiment", "toxicity"])
def test_every_attribute_has_ten_independent_sentences_of_each_label(task: str) -> None:
    # With fewer, a finding about it is "too few to say".
    for attribute in IDENTITIES:
        families: dict[str, set[str]] = {}
        for one in load_templates(task, attribute):
            families.setdefault(one.label, set()).add(one.paraphrase_of or one.id)
        assert len(families) == (3 if task == "sentiment" else 2), attribute
        assert min(map(len, families.values())) >= 10, attribute
