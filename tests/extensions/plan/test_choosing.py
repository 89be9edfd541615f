"""Which metrics are chosen: every branch of the three steps, with what the paper asks of any choice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.extensions.plan.choosing import _STEPS, HARMS, NEEDS_GOLD, Choices
from fairness_checklist.metrics import scores
from fairness_checklist.metrics.metric_forms import METRICS

TWO: dict[str, Any] = {"groups": ["men", "women"]}
MANY: dict[str, Any] = {"groups": 8}
REFERENCE: dict[str, Any] = {"groups": ["men", "women", "non-binary"], "reference": "men"}
FORMS: dict[str, dict[str, Any]] = {"two": TWO, "many": MANY, "reference": REFERENCE}

# Of classifiers, then of taggers where theirs is another choice.
TABLE = [
    ("false_negatives", "two", "tpr_difference avg_eg avg_if_tc", ""),
    ("false_negatives", "many", "fnr_gap avg_eg avg_if_tc fnr_range", ""),
    ("false_negatives", "reference", "fnr_gap avg_eg avg_if_tc", ""),
    ("false_positives", "two", "fpr_gap negative_aeg avg_if bpsn_auc", "f1_difference negative_aeg parity_gap avg_if"),
    (
        "false_positives",
        "many",
        "fpr_gap negative_aeg avg_if bpsn_auc fpr_range",
        "disparity_score_normalised negative_aeg parity_gap avg_if",
    ),
    (
        "false_positives",
        "reference",
        "fpr_gap negative_aeg avg_if bpsn_auc",
        "disparity_score_normalised negative_aeg parity_gap avg_if",
    ),
    (
        "errors",
        "two",
        "accuracy_difference avg_eg pert_ss equalized_odds_difference",
        "f1_difference avg_eg pert_ss tpr_difference",
    ),
    (
        "errors",
        "many",
        "fnr_gap fpr_gap avg_eg pert_ss equalized_odds_difference",
        "disparity_score_normalised avg_eg pert_ss fnr_gap",
    ),
    (
        "errors",
        "reference",
        "fnr_gap fpr_gap avg_eg pert_ss",
        "fnr_gap avg_eg pert_ss disparity_score_normalised",
    ),
    ("selection", "two", "parity_gap avg_score_difference avg_gf impact_ratio", ""),
    ("selection", "many", "parity_gap avg_gf demographic_parity_difference demographic_parity_ratio", ""),
    ("selection", "reference", "avg_gf parity_gap impact_ratio", ""),
    ("change", "two", "answer_difference avg_score_difference changed_answers avg_if", ""),
    ("change", "many", "changed_answers avg_if avg_score_difference pert_sr", ""),
    ("change", "reference", "changed_answers avg_if avg_score_difference", ""),
]
BRANCHES = [
    (task, harm, form, (of_taggers or of_classifiers) if TASKS[task].tagging else of_classifiers)
    for harm, form, of_classifiers, of_taggers in TABLE
    for task in TASKS
]


def _pairs(table: str) -> list[tuple[str, str]]:
    return [(harm, form) for harm, forms in _STEPS[table].items() for form in forms]


def test_the_table_has_every_branch() -> None:
    assert [(harm, form) for harm, form, *_ in TABLE] == _pairs("order")
    assert {(harm, form) for harm, form, _, of_taggers in TABLE if of_taggers} == set(_pairs("order_of_taggers"))
    assert {harm for harm, *_ in TABLE} == set(HARMS)


def test_the_page_has_the_table() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "choosing.md").read_text(encoding="utf-8")
    lines = [line.split("|")[1:-1] for line in page.splitlines() if re.match(r"\| `(?!harm`)", line)]
    rows = [[re.findall(r"`(\w+)`", cell) for cell in line] for line in lines]
    assert [row[0] for row in rows] == [[harm] for harm in HARMS] * 2
    assert "The first three need gold labels." in page
    assert set(list(HARMS)[:3]) == set(NEEDS_GOLD)
    for line, (_, two, many) in zip(lines[len(HARMS) :], rows[len(HARMS) :], strict=True):
        shown = {"two": two, "many": two + many if "the same" in line[2] else many}
        for form, metrics in shown.items():
            assert [f"{' '.join(metrics)}"] == [
                one for harm, of, one, _ in TABLE if (f" `{harm}` ", of) == (line[0], form)
            ]


@sweep(("task", "harm", "form", "expected"), BRANCHES)
def test_each_branch_chooses_these_metrics_in_this_order(task: str, harm: str, form: str, expected: str) -> None:
    chosen = fc.choose(task=task, harm=harm, gold=True, **FORMS[form])

    assert isinstance(chosen, Choices)
    assert chosen.ids == tuple(expected.split())
    assert [choice.id for choice in chosen] == list(chosen.ids)
    assert chosen[0].id == chosen.ids[0]
    assert len(chosen) == len(chosen.ids) <= 5


@sweep(("task", "harm", "form", "expected"), BRANCHES)
@sweep("sources", [True, False])
@sweep("gold", [True, False])
def test_each_choice_can_be_computed_and_asks_decisions_and_probabilities(
    task: str, harm: str, form: str, expected: str, sources: bool, gold: bool
) -> None:
    if (harm in NEEDS_GOLD and not gold) or (harm == "change" and not sources):
        return  # refused: see below
    chosen = fc.choose(task=task, harm=harm, gold=gold, sources=sources, **FORMS[form])
    lines = [METRICS[name] for name in chosen.ids]
    used = [scores.about(score) for line in lines for score in (line.score, line.also) if score is not None]

    assert set(chosen.ids) <= set(expected.split())
    assert gold or not any(score.needs_labels for score in used)
    assert sources or all(line.level == "group" for line in lines)
    assert not (TASKS[task].tagging and any(score.needs_true_negatives for score in used))
    assert not any(score.two_classes or score.needs_score for score in used)
    leading = [scores.about(METRICS[name].score) for name in chosen.primary]
    assert any(score.needs_decisions for score in leading)
    assert any(score.needs_probabilities for score in leading)
    assert len(chosen.primary) <= 4
    for choice in chosen:
        assert choice.reason.endswith(".")
        assert choice.reason.count(";") == 1


def test_no_reason_is_written_for_what_is_never_chosen() -> None:
    orders = [*_STEPS["order"].values(), *_STEPS["order_of_taggers"].values()]
    chosen = [METRICS[name] for forms in orders for names in forms.values() for name in names]
    assert {scores.about(line.score).name for line in chosen} == set(_STEPS["score"])
    assert {line.compare.__name__ for line in chosen} == set(_STEPS["comparison"])


@pytest.mark.parametrize(
    ("task", "harm", "label"),
    [
        ("sentiment", "false_negatives", "positive"),
        ("toxicity", "false_positives", "toxic"),
        ("toxicity", "errors", "*"),
        ("ner", "false_negatives", "*"),
    ],
)
def test_the_class_to_read(task: str, harm: str, label: str) -> None:
    assert fc.choose(task=task, harm=harm, **MANY).label == label


def test_a_choice_in_a_terminal_and_in_a_notebook() -> None:
    chosen = fc.choose(task="toxicity", harm="false_positives", gold=True, **REFERENCE)

    assert repr(chosen) == str(chosen)
    assert str(chosen).splitlines() == [
        "fpr_gap       Each group against men: the share of other classes that is assigned to this one; a difference",
        "              with its sign.",
        "negative_aeg  Each group against men: the class's probabilities where it is wrong, which move before "
        "decisions",
        "              do; the chance of scoring higher, with its sign.",
        "avg_if        Two groups in the same sentence, where nothing else differs: the class's probabilities in all",
        "              examples, which need no label; a distance of two distributions.",
        "bpsn_auc      Each group against men: how examples are ranked, so that no threshold matters; an area under a",
        "              ROC curve for each group.",
        "Read the rows of the class toxic.",
        'Set the background: options=Options(background="group:men").',
        "Of pairs, read those with men.",
        "Read each value together with its scores, its null mean and its p-value.",
        "Report all of these metrics, whether or not they show bias.",
    ]
    assert chosen._repr_html_().count("<tr>") == 4
    assert "group&#x27;" not in chosen._repr_html_()


def test_a_reference_is_the_background_of_the_run() -> None:
    groups = ["women", "men"]
    suite = fc.Suite.build("gender", task="sentiment", groups=groups, max_terms=1, templates=["generic-*-01"])
    for reference, name in (("men", "group:men"), ("unmarked", "unmarked")):
        chosen = fc.choose(task="sentiment", harm="false_positives", groups=groups, reference=reference)
        assert chosen.options.background == chosen.background == name
        result = suite.run(
            lambda texts: [[0.5, 0.25, 0.25] if "woman" in text else [0.25, 0.25, 0.5] for text in texts],
            classes=["negative", "neutral", "positive"],
            metrics=chosen.ids,
            primary=chosen.primary,
            options=chosen.options,
            draws=0,
            progress=False,
        )
        found = result.metrics
        assert set(found["metric"]) == set(chosen.ids)
        assert set(found[found["metric"] == "fpr_gap"]["right"]) == {name}
    assert fc.choose(task="sentiment", harm="change", **REFERENCE).background == ""
    assert fc.choose(task="sentiment", harm="change", **MANY).options.background == ""
    unmarked = fc.choose(task="sentiment", harm="false_negatives", groups=2, reference="unmarked")
    assert unmarked[0].reason.startswith("Each group against the unmarked control: ")
    assert not any("Of pairs" in line for line in unmarked.advice)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"task": "sentimental", "harm": "errors"},
            "the task 'sentimental' is not known.\n    Did you mean sentiment? Known tasks: sentiment, toxicity, ner.",
        ),
        (
            {"task": "sentiment", "harm": "offence"},
            "the harm 'offence' is not known.\n    Known:\n"
            '    "false_negatives": examples of the class are missed more often for some groups\n'
            '    "false_positives": examples of other classes are assigned to the class more often for some groups\n'
            '    "errors": the model is wrong more often for some groups, whichever way\n'
            '    "selection": the class is given out more often for some groups, whatever is right\n'
            '    "change": the answer depends on which group is mentioned',
        ),
        (
            {"task": "toxicity", "harm": "false_positives", "gold": False},
            'harm="false_positives" is about errors, and without gold labels none can be counted.\n'
            '    Label the examples, or ask what needs no label: harm="selection" or harm="change".',
        ),
        (
            {"task": "toxicity", "harm": "change", "sources": False},
            'harm="change" compares the same sentence with each group, and there are no sources.\n'
            '    Build a suite from templates, or choose a group metric: harm="selection".',
        ),
        (
            {"task": "toxicity", "harm": "change", "groups": "women"},
            "groups='women' is neither a number of groups nor their names.\n"
            '    Write groups=8, or groups=["women", "men"].',
        ),
        (
            {"task": "toxicity", "harm": "change", "groups": 1},
            "groups=1: metrics compare groups.\n    Take two groups at least.",
        ),
        (
            {"task": "toxicity", "harm": "change", "groups": ["women", "women"]},
            "groups=['women', 'women']: metrics compare groups.\n    Take two groups at least.",
        ),
        (
            {"task": "toxicity", "harm": "change", "groups": ["women", "men"], "reference": "cis"},
            "the reference 'cis' is none of the groups.\n    Groups: women, men.",
        ),
    ],
)
def test_what_cannot_be_chosen_for_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        fc.choose(**asked)
    assert str(caught.value) == message
