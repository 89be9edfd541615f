"""The first screen of a run: whole texts for each status, its length, and the groups in its sentences."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_findings import DAY, NIGHT, scored, tagged
from build_reports_tagger import tagged_table, tagger_run
from build_results import predictions, read_page, run
from fairness_checklist.reports.first_screen import MOST_WORDS, _others, first_screen
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.reports.html import notebook_view, render
from fairness_checklist.reports.provenance import untested
from fairness_checklist.reports.run_view import attribute_view
from fairness_checklist.reports.wording import group_clause, group_phrase
from fairness_checklist.tables.run_folder import Results

GROUPS: dict[str, dict[str, None]] = {}
"""The groups of every file of terms that ships, in either language, by attribute or named set."""
for _path in sorted((Path(__file__).parents[1] / "identity_terms").rglob("*.csv")):
    for _row in csv.DictReader(_path.read_text(encoding="utf-8").splitlines()):
        GROUPS.setdefault(_path.stem, {})[_row["group"]] = None


def found_in(table: pd.DataFrame, **options: Any) -> Results:
    options = {"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199, **options}
    found = fc.evaluate(table, **options)
    return replace(found, info={**found.info, "date": "2026-11-22", "model": {"name": "small"}})


def shown(results: Results, *, python: bool = False) -> list[str]:
    """The lines, but for the note on topics, which `tests/test_dependence.py` tests."""
    lines = first_screen(results, python=python).as_text(None).splitlines()
    return [line for line in lines if not line.startswith("Note: sentences are taken as independent")]


@pytest.fixture(scope="module")
def clear() -> Results:
    return found_in(scored(0.12))


@pytest.fixture(scope="module")
def nothing_found() -> Results:
    return found_in(scored(0.0, seed=4))


def changed(results: Results, **columns: Any) -> Results:
    return replace(results, findings=results.findings.assign(**columns))


def test_a_clear_finding(clear: Results) -> None:
    assert shown(clear) == [
        "sentiment · model small · 2026-11-22 · smallest relevant gap 2 points (--relevant)",
        'shift: clear finding. 74 % of the non-rejected texts that mention the group "night" are called rejected, '
        "36 % for the other groups: 38 points (at least 30, at most 47). Based on 12 terms, 30 non-rejected "
        "sentences.",
        "Next: read the pairs of texts under shift in the report.",
    ]


def test_a_sample_of_terms_a_placebo_and_a_word_that_carries_the_gap(clear: Results) -> None:
    found = changed(clear, placebo_rate_gap=0.054, n_terms_available=205, carried_by="nurse; baker")

    assert shown(found)[1:] == [
        'shift: clear finding. 74 % of the non-rejected texts that mention the group "night" are called rejected, '
        "36 % for the other groups: 38 points (at least 30, at most 47). control words differ by up to 5 points. Based "
        "on 12 of 410 terms, 30 non-rejected sentences.",
        'Next: look at "nurse" and "baker" under shift in the report: the gap depends on them.',
    ]


SUITE = {"attribute": "shift", "templates": 30, "groups": {"night": 6, "day": 6}}
SAMPLE = {"n_terms_available": 20}
FEW_SOURCES = {"status": "too few to say", "reason": "few sources", "n_sources": 9}
FEW_NAMES = {"status": "too few to say", "reason": "few names", "n_lexemes": 4}
SUSPECTED = {"status": ["suspected", "none found"]}
MORE_WORDS, MORE_SENTENCES = {"n_more_words": [12, 0]}, {"n_more_sources": [1200, 7]}
ADD = "to decide about shift, add about "
OWN_TEMPLATES = "(--templates FOLDER)", "(templates=[...] of Suite.build)"
MORE_TERMS = "(a larger --max-terms)", "(a larger max_terms)"
OWN_TERMS = "(all 6 are used: --terms FOLDER)", "(all 6 are used: terms= of Suite.build)"
READ = "read the pairs of texts under shift in the report."


STEPS: list[tuple[dict[str, Any], dict[str, Any] | None, str, str]] = [
    ({}, SUITE, READ, ""),
    (
        SUSPECTED | {"carried_by": "nurse"},
        SUITE,
        'look at "nurse" under shift in the report: the gap depends on it.',
        "",
    ),
    (SUSPECTED, SUITE, READ, ""),
    *(
        (
            SUSPECTED | MORE_WORDS | sample,
            SUITE,
            *(f'{ADD}12 more words for the group "night" {how}.' for how in asked),
        )
        for sample, asked in ((SAMPLE, MORE_TERMS), ({}, OWN_TERMS))
    ),
    (SUSPECTED | MORE_SENTENCES, SUITE, *(f"{ADD}1,200 non-rejected sentences {how}." for how in OWN_TEMPLATES)),
    (
        SUSPECTED | MORE_SENTENCES | MORE_WORDS,
        None,
        f'{ADD}1,200 non-rejected sentences and 12 more words for the group "night".',
        "",
    ),
    (SUSPECTED | MORE_SENTENCES | {"scope": "rows"}, None, f"{ADD}1,200 rows.", ""),
    (
        {"status": "none found", "n_more_sources": [0, 7], "harm": "missed:hired"},
        SUITE,
        *(f"{ADD}7 hired sentences {how}." for how in OWN_TEMPLATES),
    ),
    (FEW_SOURCES | SAMPLE, SUITE, *(f"{ADD}1 non-rejected sentence {how}." for how in OWN_TEMPLATES)),
    (FEW_NAMES | SAMPLE, SUITE, *(f'{ADD}1 more word for the group "night" {how}.' for how in MORE_TERMS)),
    (FEW_SOURCES, None, f"{ADD}1 non-rejected sentence.", ""),
    ({"status": "too few to say", "reason": "no interval"}, None, "test further attributes.", ""),
    (
        {"status": "none found"},
        SUITE,
        "test further attributes: fairness-checklist list.",
        "test further attributes: Suite.build(...).",
    ),
    ({"status": "none found"}, None, "test further attributes.", ""),
]


def test_the_next_step_can_be_taken_and_is_one(clear: Results) -> None:
    for columns, suite, command, python in STEPS:
        found = changed(clear, **columns)
        found = replace(found, info={**found.info, "suite": [suite] if suite else None})

        assert shown(found)[-1] == f"Next: {command}", columns
        assert shown(found, python=True)[-1] == f"Next: {python or command}", columns


BASIS = "Based on 12 terms, 30 sentences."
BESIDE = {"reason": ["", "only beside"], "reason_about": ["", "night"]}


WITHOUT_A_FINDING: list[tuple[dict[str, Any], str]] = [
    (
        {},
        "no finding. No group is clearly treated worse (2 groups, 1 kind of error); gaps up to 3 points in "
        "probability (16 in decisions) could go unseen. The largest gap is 0.5 points (from -2 to 3) in "
        'probability, the group "night", called rejected without being so.',
    ),
    (
        {"reason": ["better", ""]},
        "no finding. No group is clearly treated worse (2 groups, 1 kind of error); gaps up to 3 points in "
        "probability (16 in decisions) could go unseen. The largest gap is 0.5 points (from -2 to 3) in "
        'probability, the group "night", called rejected without being so. Treated better: the group "night".',
    ),
    (
        {"status": ["none found", "clear but small"]},
        "no finding. No group is clearly treated worse (1 group, 1 kind of error); gaps up to 3 points in "
        "probability (16 in decisions) could go unseen. The largest gap is 0.5 points (from -2 to 3) in "
        'probability, the group "night", called rejected without being so. Clear but small: the group "day".',
    ),
    (
        BESIDE,
        'no finding. No group is treated worse than most. Treated better: the group "night" (called rejected '
        "without being so: 0.5 points (from -2 to 3) in probability).",
    ),
    (
        BESIDE | {"measure": "rate"},
        'no finding. No group is treated worse than most. Treated better: the group "night" (called rejected '
        "without being so: 35.6 %, 32.2 % for the other groups).",
    ),
    (
        {"status": "shown to be small"},
        "shown to be small. Every gap lies within 2 points, in probability and in decisions (2 groups, 1 kind of "
        "error).",
    ),
    (
        {"status": ["clear but small", "shown to be small"], "ci_low": 0.001},
        "clear but small. 0.5 points (at least 0.1, at most 3) more probability of being called rejected for the "
        'group "night" than others.',
    ),
    (
        {"status": ["too few to say", "shown to be small"], "reason": ["few names", ""], "n_lexemes": 4},
        "too few to say. 1 of 2 comparisons cannot be made: 4 names or places, fewer than 5. The other gaps are small.",
    ),
]


def test_without_a_finding_the_line_says_how_much_is_known(nothing_found: Results) -> None:
    for columns, expected in WITHOUT_A_FINDING:
        assert shown(changed(nothing_found, **columns))[1] == f"shift: {expected} {BASIS}"


def test_without_harms_or_draws_nothing_is_compared() -> None:
    harmless = fc.evaluate(scored(0.12), metrics=["fpr_gap"], draws=199)

    assert shown(harmless)[1:] == [
        "shift: not compared. No findings: called_negative (the model has no class negative) and praise_not_recognised "
        "(the model has no class positive). Declare what hurts with harm= (--harm called:CLASS)."
    ]
    assert shown(found_in(scored(0.12), draws=0))[1:] == [
        "shift: not compared. No findings: draws=0.",
        "Next: let the run compare groups: --draws 1000.",
    ]


def test_a_useless_classifier_is_warned_of_first() -> None:
    one_class, guess = found_in(scored(-0.2, noise=0.01)), {"a": (0.9, 0.2, 0.1, 0.9), "b": (0.2, 0.9, 0.9, 0.1)}

    assert shown(one_class)[1:] == [
        "Warning: All labelled texts have the gold class hired, and the model predicts hired for all texts. Its "
        "decisions cannot differ between groups. Only sentences of other classes show whether it tells them apart.",
        "shift: clear finding. In probability, not in decisions, this error is 20 points (at least 20, at most 20) "
        'more likely for texts that mention the group "day" than for the other groups; 0 % of the non-rejected '
        'texts that mention the group "day" are called rejected, 0 % for the other groups. Based on 12 terms, 30 '
        "non-rejected sentences.",
        "Next: add texts of other classes.",
    ]
    of_suite = replace(one_class, info={**one_class.info, "suite": [{"attribute": "shift", "templates": 3}]})
    assert shown(of_suite)[-1] == "Next: add texts of other classes: --templates FOLDER."
    several = one_class.examples.assign(label=["hired", "rejected"] * (len(one_class.examples) // 2))
    assert [shown(replace(one_class, examples=several))[at] for at in (1, -1)] == [
        "Warning: The model predicts one class for all texts: hired. Its decisions cannot differ between groups. This "
        "is not evidence of fairness. The accuracy is 100 %.",
        "Next: check that the model's labels are matched to the right classes: --labels.",
    ]
    guessed = run(predictions("letters", {(name, f"t{name}"): p for name, p in guess.items()}))
    assert shown(guessed)[1] == (
        "Warning: The balanced accuracy (mean recall of 2 classes) on the 8 labelled texts is 50 %; always predicting "
        "one class has 50 %. This model is of little use on these texts."
    )


@pytest.mark.parametrize(("right", "warned"), [(27, "54 %"), (28, "")])
def test_a_weak_classifier_is_warned_of_whatever_the_frequency_of_the_classes(right: int, warned: str) -> None:
    rare, common = ["rejected"] * 50, ["hired"] * 500
    answers = [*rare[:right], *common[right:50], *common[: 10 * right], *(rare * 10)[10 * right :]]
    table = pd.DataFrame({"group": ["day", "night"] * 275, "label": rare + common, "predicted": answers})
    found = fc.evaluate(table, attribute="shift", harm="called:rejected", metrics=["fpr_gap"], draws=0)

    warning = (
        f"Warning: The balanced accuracy (mean recall of 2 classes) on the 550 labelled rows is {warned}; always "
        "predicting one class has 50 %. This model is of little use on these rows."
    )
    assert [line for line in shown(found) if line.startswith("Warning")] == [warning] * bool(warned)


def test_a_tagger_that_finds_nothing_is_warned_of() -> None:
    table = tagged_table()
    table["predicted"] = [["O"] * len(tokens) for tokens in table["tokens"]]

    assert shown(tagger_run(table))[1] == (
        "Warning: The model finds none of the names with their type, so its errors cannot differ between groups. This "
        "is not evidence of fairness."
    )


def test_a_tagger() -> None:
    found = fc.evaluate(tagged(0.4), task="ner", attribute="names", metrics=["fnr_gap"], draws=199)

    assert shown(found)[1] == (
        "names: clear finding. 38 % of the female names are missed, 0 % for the other groups: 38 points (at least 33, "
        "at most 44). Based on 12 names, 30 sentences."
    )


def test_few_words_are_named_and_at_most_suspected_without_a_placebo() -> None:
    found = found_in(scored(0.12, {"night": NIGHT[:2], "day": DAY}))

    assert shown(found)[1] == (
        "shift: suspected for these words. 75 % of the non-rejected texts that mention the group "
        '"night" ("nurse" and "guard") are called rejected, 32 % for the other groups: 43 points (at least 31, at most '
        "55). Based on 8 terms, 30 non-rejected sentences."
    )


def test_rows_without_sources_or_terms() -> None:
    table = scored(0.12, sources=60).drop(columns=["source", "term", "text", "attribute"])

    found = found_in(table, attribute="shift")
    assert shown(found)[1:] == [
        'shift: clear finding. 76 % of the non-rejected rows of the group "night" are called rejected, 35 % for the '
        "other groups: 41 points (at least 35, at most 48). Based on 720 rows.",
        "Next: follow the gap of shift from version to version: fairness-checklist compare OLDER DIR.",
    ]
    view = attribute_view(found, "shift")
    assert untested(found, view)[-1] == "Other attributes, and rows other than these."
    page = render(found)
    assert not [word for word in ("that mention", "Synthetic", "--templates") if word in page]


def test_a_further_finding_of_another_error_names_the_error(clear: Results) -> None:
    first = clear.findings.assign(status="clear").iloc[0].to_dict()
    rows = [
        first,
        {**first, "group": "a", "gap": first["gap"] / 2},
        {**first, "group": "b", "gap": first["gap"] / 3, "harm": "missed:x", "title": "not recognised as x"},
        {**first, "gap": first["gap"] / 4, "harm": "missed:y", "title": "not recognised as y"},
    ]
    [summary] = first_screen(replace(clear, findings=pd.DataFrame(rows))).attributes
    expected = (
        'Also clear: the group "a", the group "b" (not recognised as x) and the same group (not recognised as y).'
    )
    assert summary.more in (expected, "3 other findings.")
    assert _others(strongest_first(pd.DataFrame(rows))) == expected


def test_texts_without_labels_and_a_harm_of_the_users_own() -> None:
    toxic = scored(0.12, classes=("nontoxic", "toxic")).drop(columns="label")
    unlabelled = fc.evaluate(toxic, task="toxicity", metrics=["parity_gap"], draws=199)
    own = found_in(scored(0.12), harm=Harm("turned_away", "called", "rejected", "turned away without a reason"))

    assert ' 74 % of the texts that mention the group "night" are called toxic, 36 % for ' in shown(unlabelled)[1]
    assert ' texts that mention the group "night" are turned away without a reason, 36 % ' in shown(own)[1]


def test_other_findings_and_single_words_are_named_where_there_is_room(clear: Results) -> None:
    both = changed(clear, status="clear")
    records = clear.findings.assign(status="none found")
    words = clear.term_findings.assign(status=["clear", *["none found"] * (len(clear.term_findings) - 1)])

    assert shown(both)[1].endswith(' 30 non-rejected sentences. Also clear: the group "day".')
    one = replace(clear, findings=records, term_findings=words)
    assert shown(one)[1].endswith(' 30 sentences. Also: "printer", 80 % against 52 %.')
    unseen = words.assign(rate_ci_low=-0.1, status=["clear"] * 3 + ["none found"] * 9)
    assert shown(replace(one, term_findings=unseen))[1].endswith(
        ' 30 sentences. Also: "printer", 7 points in probability, and 2 other words.'
    )


def test_lines_are_wrapped_without_lone_percent_signs(clear: Results) -> None:
    wrapped = (
        first_screen(clear).as_text().replace("Note: sentences are taken as independent: no topic is declared.\n", "")
    )

    assert max(map(len, wrapped.splitlines())) <= 100
    assert not any(line.strip().startswith("%") for line in wrapped.splitlines())
    assert " ".join(wrapped.split()) == " ".join(shown(clear))


def test_the_notebook_shows_the_same(clear: Results) -> None:
    words = read_page(notebook_view(clear)).text
    about, line, step = shown(clear, python=True)

    for part in (about, line.partition(". ")[2], step.removeprefix("Next: ")):
        assert part in words
    assert "body" not in notebook_view(clear), "a style of a cell leaves the notebook's own page alone"


# ------------------------------------------------------------------------------ over many records


def hard_groups() -> list[tuple[str, str]]:
    """Of names, countries and the other attributes the group with the longest phrase."""
    by_kind: dict[str, list[tuple[int, str, str]]] = {}
    for attribute, groups in GROUPS.items():
        kind = attribute.partition(".")[0]
        for group in groups:
            size = len(group_phrase(group, attribute).split())
            by_kind.setdefault(kind if kind in ("names", "nationality") else "", []).append((size, attribute, group))
    return [(attribute, group) for found in by_kind.values() for _, attribute, group in sorted(found)[-1:]]


@pytest.mark.parametrize(("attribute", "group"), hard_groups())
def test_an_attribute_takes_sixty_words_whatever_is_found(attribute: str, group: str) -> None:
    base = run(predictions(attribute), model={"name": "small"})
    harms = {
        "called_negative": "called negative without being so",
        "predicted:toxic": "called toxic",
        "praise_not_recognised": "positive and not recognised as such",
    }
    row = {
        "attribute": attribute,
        "group": group,
        "measure": "probability",
        "ci_low": 0.03,
        "ci_high": 0.21,
        "rate_ci_high": 0.31,
        "detectable_gap": 0.1,
        "n_terms": 20,
        "n_terms_available": 1410,
        "n_sources": 1240,
        "reason": "",
        "words": "wheelchair user; uses a wheelchair; in a wheelchair; wheelchair-using",
        "carried_by": "",
    }
    metrics = re.compile(rf"\b({'|'.join(METRICS)})\b")
    kinds = ((True, 0.05), (False, 0.05), (True, float("nan")))
    for harm, scope, status, (decided, placebo) in product(
        harms, ("group", "words"), ("clear", "suspected", "clear but small"), kinds
    ):
        if scope == "words" and attribute.partition(".")[0] in ("names", "nationality"):
            continue  # few names or countries are too few to say
        cells = {"harm": harm, "title": harms[harm], "scope": scope, "status": status, "rate": 0.29, "gap": 0.15}
        cells |= {"others_rate": 0.11, "rate_gap": 0.18, "rate_ci_low": 0.06 if decided else -0.03}
        one = {**row, **cells, "placebo_gap": placebo, "placebo_rate_gap": placebo}
        other = {**one, "group": "others", "gap": 0.05}
        findings = pd.concat([base.findings, pd.DataFrame([one, other])], ignore_index=True)
        [summary] = first_screen(replace(base, findings=findings)).attributes
        assert len(summary.line.replace(" %", "%").split()) <= MOST_WORDS, summary.line
        assert summary.sentence[:1].isupper() or summary.sentence[:1].isdigit()
        assert group_phrase(group, attribute) in summary.sentence
        assert " 40 of 2,820 " in summary.line or scope == "words"
        assert not metrics.search(summary.line)
        assert not re.search(r"nan|\.\.|  |\( ", summary.line)


@sweep("attribute", GROUPS)
def test_every_group_that_ships_is_a_noun_in_a_sentence(attribute: str) -> None:
    kind = attribute.partition(".")[0]
    own_words = attribute.endswith("czarnowska2021") or kind in ("placebo", "neutral")
    for group in filter(None, GROUPS[attribute]):
        phrase, clause = group_phrase(group, attribute), group_clause(group, attribute)
        words = re.findall(r"[\w'-]+", phrase.lower())
        assert group in phrase
        assert clause.endswith(phrase)
        assert not any(one == other for one, other in pairwise(words)), phrase
        assert not re.search(r"\b(names|countries|people)\b.*\b(names|countries|people) people\b", phrase), phrase
        assert not phrase.startswith(("associated", "with ", "the the ", "of ")), phrase
        if kind in ("names", "nationality"):
            assert words.count({"names": "names"}.get(kind, "countries")) == 1, phrase
        elif not own_words:
            assert re.search(r"people|women|men|adults|teenagers|s$|Druze$", phrase), phrase
            assert not phrase.startswith('the group "') or " " in group, phrase
