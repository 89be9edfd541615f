"""A record of findings as a sentence, in `explain` and on the page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import DAY, NIGHT, scored
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.findings.word_family import word_family
from fairness_checklist.reports.first_screen import first_screen
from simulation import crossed

import fairness_checklist as fc
from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.options import RELEVANT
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.extensions.compare import words as words_of_the_gate
from fairness_checklist.findings.family import SCOPES, DecidedGaps, group_family
from fairness_checklist.findings.records import record_of
from fairness_checklist.reports import wording
from fairness_checklist.reports.finding_text import (
    brief_rates,
    finding_sentence,
    harm_rates,
    leads_with_rates,
)
from fairness_checklist.reports.forest import forests
from fairness_checklist.statistics.multiplicity import ALPHA

RECORD: dict[str, Any] = {
    "attribute": "gender",
    "group": "women",
    "harm": "called_negative",
    "title": "called negative without being so",
    "status": "clear",
    "scope": "group",
    "measure": "probability",
    "rate": 0.29,
    "others_rate": 0.11,
    "rate_gap": 0.18,
    "rate_ci_low": 0.07,
    "rate_ci_high": 0.294,
    "gap": 0.15,
    "ci_low": 0.04,
    "ci_high": 0.26,
    "placebo_gap": float("nan"),
    "placebo_rate_gap": float("nan"),
    "n_terms": 7,
    "n_terms_available": 7,
    "n_sources": 40,
    "words": "",
    "reason": "",
    "p_adjusted": 0.13,
    "placebo_percentile": float("nan"),
}
NOT_DECIDED = {"rate_ci_low": -0.02}  # the decisions do not show the gap
SMALL = {"status": "clear but small", "reason": "not relevant", "rate": 0.052, "others_rate": 0.044}
SMALL |= {
    "rate_gap": 0.008,
    "rate_ci_low": 0.001,
    "rate_ci_high": 0.02,
    "gap": 0.0151,
    "ci_low": 0.0002,
    "ci_high": 0.03,
}


def found_in(table: pd.DataFrame, **options: Any) -> fc.Result:
    return fc.evaluate(table, **{"harm": "called:rejected", "metrics": ["fpr_gap"], "draws": 199, **options})


@pytest.fixture(scope="module")
def result() -> fc.Result:
    return found_in(scored(0.12))


SENTENCES: list[tuple[dict[str, Any], bool, str]] = [
    (
        {"placebo_gap": 0.05, "placebo_rate_gap": 0.062, "n_terms_available": 20},
        False,
        "Clear finding: 29 % of the non-negative texts that mention women are called negative, 11 % for the "
        "other groups: 18 points (at least 7, at most 29). Groups of control words differ by up to 6 points. 7 of "
        "20 terms, 40 independent sentences.",
    ),
    (
        {"attribute": "names", "group": "female"} | NOT_DECIDED,
        False,
        "Clear finding: this error is 15 points (at least 4, at most 26) more likely for texts with female "
        "names than for the other groups; in decisions it is less certain: 29 % of the non-negative texts with "
        "female names are called negative, 11 % for the other groups, 18 points (from -2 to 29). 7 terms, 40 "
        "independent sentences.",
    ),
    (
        {"placebo_gap": 0.05, "placebo_rate_gap": 0.18},
        False,
        "Clear finding: this error is 15 points (at least 4, at most 26) more likely for texts that mention "
        "women than for the other groups; in decisions it is less certain: 29 % of the non-negative texts that "
        "mention women are called negative, 11 % for the other groups, 18 points (at least 7, at most 29). Groups "
        "of control words differ by up to 5 points. 7 terms, 40 independent sentences.",
    ),
    (
        {"harm": "praise_not_recognised", "status": "suspected", "reason": "may be chance", "measure": "rate"}
        | NOT_DECIDED,
        False,
        "Suspected: 29 % of the positive texts that mention women are not recognised as positive, 11 % for the "
        "other groups: 18 points (from -2 to 29). 7 terms, 40 independent sentences.",
    ),
    (
        {"harm": "predicted:toxic"},
        False,
        "Clear finding: 29 % of the texts that mention women are called toxic, 11 % for the other groups: 18 "
        "points (at least 7, at most 29). 7 terms, 40 independent sentences.",
    ),
    (
        {"scope": "words", "words": "lady; girl", "status": "suspected"}
        | {"reason": "form not separable", "reason_about": "pp"},
        False,
        'Suspected: 29 % of the non-negative texts that mention women ("lady" and "girl") are called negative, '
        "11 % for the other groups: 18 points (at least 7, at most 29). Not separable from the form of its words: "
        "no other group has phrases. 7 terms, 40 independent sentences.",
    ),
    (
        {"scope": "rows", "n_terms": 0, "measure": "rate"},
        False,
        'Clear finding: 29 % of the non-negative rows of the group "women" are called negative, 11 % for the other '
        "groups: 18 points (at least 7, at most 29). 40 rows.",
    ),
    (
        {"harm": "own", "title": "turned away"},
        False,
        "Clear finding: 29 % of the texts that mention women are turned away, 11 % for the other groups: 18 "
        "points (at least 7, at most 29). 7 terms, 40 independent sentences.",
    ),
    (
        {"harm": "entity_missed", "attribute": "names", "group": "female"},
        True,
        "Clear finding: 29 % of the female names are missed, 11 % for the other groups: 18 points (at least 7, at "
        "most 29). 7 terms, 40 independent sentences.",
    ),
    (
        {"harm": "missed:LOC", "attribute": "nationality", "group": "lowest GDP sixth"} | NOT_DECIDED,
        True,
        "Clear finding: this error is 15 points (at least 4, at most 26) more likely for countries in the lowest "
        "GDP sixth than for the other groups; in decisions it is less certain: 29 % of the countries in the lowest "
        "GDP sixth that are LOC are missed, 11 % for the other groups, 18 points (from -2 to 29). 7 terms, 40 "
        "independent sentences.",
    ),
    (
        SMALL,
        False,
        "Clear but small: 5.2 % of the non-negative texts that mention women are called negative, 4.4 % for "
        "the other groups: 0.8 points (at least 0.1, at most 2). Less than the smallest relevant "
        "gap. 7 terms, 40 independent sentences.",
    ),
    (
        SMALL | NOT_DECIDED,
        False,
        "Clear but small: in probability, not in decisions, this error is 1.5 points (more than 0, at most 3) more "
        "likely for texts that mention women than for the other groups; 5.2 % of the non-negative texts "
        "that mention women are called negative, 4.4 % for the other groups. Less than the smallest relevant gap. "
        "7 terms, 40 independent sentences.",
    ),
    (
        SMALL | {"status": "shown to be small", "reason": "", "gap": -0.004, "ci_low": -0.012, "ci_high": 0.0003},
        False,
        "Shown to be small: 5.2 % of the non-negative texts that mention women are called negative, 4.4 % for "
        "the other groups; the mean probability of this error differs by -0.4 points (from -1.2 to 0). 7 terms, 40 "
        "independent sentences.",
    ),
    (
        {"status": "too few to say", "reason": "few sources", "n_sources": 6, "gap": float("nan")},
        False,
        "Too few to say for women: 6 independent sentences, fewer than 10.",
    ),
    (
        {"term": "lady", "scope": "term", "n_terms": 0},
        False,
        'Clear finding: 29 % of the non-negative texts with "lady" are called negative, 11 % for the other '
        "terms: 18 points (at least 7, at most 29). 40 independent sentences.",
    ),
    (
        {"term": "lady", "scope": "term", "n_terms": 0, "harm": "entity_missed"} | NOT_DECIDED,
        True,
        'Clear finding: this error is 15 points (at least 4, at most 26) more likely for mentions of "lady" than '
        'for the other terms; in decisions it is less certain: 29 % of the mentions of "lady" are missed, 11 % for '
        "the other terms, 18 points (from -2 to 29). 40 independent sentences.",
    ),
]


def test_a_record_in_words() -> None:
    for changes, tagging, expected in SENTENCES:
        assert finding_sentence(RECORD | changes, tagging=tagging) == expected


LATE = ("miner", "sailor", "waiter", "farmer", "actor", "singer")
_GAP, _RATE_GAP = ("gap", "ci_low", "ci_high"), ("rate_gap", "rate_ci_low", "rate_ci_high")
LOW = [parse_harm("predicted:low")]
_BOUNDS = re.compile(
    r"(-?[\d.]+) points? \((?:(?:at least )?(more than 0|[\d.]+), at most ([\d.]+)|from ([-\d.]+) to ([-\d.]+))\)"
)


def random_outcomes(random: np.random.Generator) -> Outcomes:
    """Two to four groups of 1 to 6 words in 9 to 13 sources: any effects and saturation, cells missing, rates only."""
    sizes, sources = random.integers(1, 7, size=random.integers(2, 5)), int(random.integers(9, 14))
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    source, term = (side.ravel() for side in np.indices((sources, len(group_of))))
    noise, of_group, of_word = (
        random.choice([0, 0.05, 0.5, 1.5]),
        random.choice([0, 0.1, 0.5, 2]),
        random.choice([0, 0.3]),
    )
    score = random.choice([0.0, 0.0, -6.0, 6.0]) + noise * (random.normal(size=sources)[source])
    score += (of_group * random.normal(size=len(sizes)))[group_of][term] + of_word * random.normal(size=len(group_of))[
        term
    ]
    p = 1 / (1 + np.exp(-score - noise * random.normal(size=len(term))))
    one = crossed(np.stack([p, 1 - p], axis=1), source % 2, source, group_of[term], term, len(sizes))
    one = replace(one, lexemes=one.terms, pos=tuple(random.choice(["adj", "noun", "pp"], size=len(group_of))))
    if random.random() < 0.3:
        one = replace(one, units=None)
    return select_rows(one, random.random(len(term)) < 0.7) if random.random() < 0.4 else one


def random_records(seed: int) -> list[dict[str, Any]]:
    """The records of the groups of a random table, and of every eighth one those of its terms."""
    one = random_outcomes(np.random.default_rng(seed))
    family = group_family(one, LOW, draws=39)
    [fit], who, found = family.fits, family.who, []
    of_group, scopes = who.term_group[who.term[fit.rows.row]], [SCOPES[at] for at in family.scope]
    tested: list[tuple[DecidedGaps, IntArray, list[str]]] = [(family, of_group, scopes)]
    if seed % 8 == 0:
        tested.append((word_family(family, draws=39), who.term[fit.rows.row], ["term"] * len(who.terms)))
    for gaps, of_row, names in tested:
        for at in np.unique(of_row).tolist():
            evidence: dict[str, Any] = {"scope": names[at], "placebo": float("nan"), "lexemes": 5, "relevant": RELEVANT}
            cells = record_of(one, fit, gaps, (0, at), of_row == at, **evidence)
            named = {"term": "lady"} if names[at] == "term" else {"scope": names[at], "words": "lady; girl"}
            found.append(RECORD | cells | {"attribute": "gender", "group": "women"} | named)
    return found


def test_sign_size_status_and_sentence_agree_in_random_tables() -> None:
    seen: Counter[str] = Counter()
    for row in (row for seed in range(400) for row in random_records(seed)):
        gap, low, high, rate_gap, rate_low, rate_high, rate, others = (
            float(row[name]) for name in (*_GAP, *_RATE_GAP, "rate", "others_rate")
        )
        status, leads = str(row["status"]), leads_with_rates(row)
        seen[status] += 1
        if status == "too few to say":
            continue
        assert rate - others == pytest.approx(rate_gap, abs=1e-9), row
        assert 0 <= rate <= 1, row
        assert 0 <= others <= 1, row
        for ends in ((-1.000001, low, gap, high, 1.000001), (-1.000001, rate_low, rate_gap, rate_high, 1.000001)):
            assert all(before <= after + 1e-12 for before, after in pairwise(ends)), row
        assert (low > 0) == (row["p_adjusted"] <= ALPHA and gap > 0), row
        assert low > 0 or not rate_low > 0, row
        small = all(abs(end) < RELEVANT for end in (low, high, rate_low, rate_high))
        relevant = max(gap, rate_gap if rate_low > 0 else gap) >= RELEVANT
        assert status != "shown to be small" or small, row
        assert status != "clear" or (low > 0 and relevant and not small), row
        assert status != "clear but small" or (low > 0 and (small or not relevant)), row

        texts = [harm_rates(row), *([] if "term" in row else [brief_rates(row)])]
        [bounds] = {match.group() for text in texts for match in _BOUNDS.finditer(text.partition("; in decisions")[0])}
        parts = _BOUNDS.fullmatch(bounds)
        assert parts is not None
        least, most = (parts[2].replace("more than 0", "0"), parts[3]) if parts[2] else (parts[4], parts[5])
        assert float(least) <= float(parts[1]) <= float(most), bounds
        assert bool(parts[2]) == ((rate_low if leads else low) > 0), bounds
        for text in texts:
            assert not re.search(r"-0(\.0)? (%|points)|nan", text), text
            shown = [float(number) for number in re.findall(r"(-?[\d.]+) %", text)]
            if leads:
                assert shown[0] - shown[1] == pytest.approx(float(parts[1])), text
                seen["leads with rates"] += 1
        assert status != "clear" or float(parts[1]) >= 2, bounds
    assert min(seen[name] for name in (*STATUSES, "leads with rates")) > 15, seen


WORDLESS = "other words"


def test_other_words_for_the_reasons_change_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statuses, what leads the first screen, the unit of each bar, the next step's kind and the gate's decisions."""
    cases = [
        found_in(scored(shift, {"night": words, "day": DAY, "late": LATE}, seed=seed))
        for seed, (shift, words) in enumerate(product((0.0, 0.06, -0.12), (NIGHT, NIGHT[:2])))
    ]
    reasons = ["", "better", "only beside", "as placebo", "few sources"]
    for case, code in product(cases[:2], reasons):
        cases.append(replace(case, findings=case.findings.assign(reason=code, reason_about="day", status="none found")))

    def decided(result: fc.Result) -> list[Any]:
        summaries = [(one.status, one.record and one.record["group"]) for one in first_screen(result).attributes]
        plots = [[(row.name, row.at, row.status) for row in plot.rows] for plot in of_run(result)]
        gate = fc.gate(result, 0.05).comparisons
        return [summaries, plots, gate.drop(columns="title").astype(str).to_numpy().tolist()]

    def of_run(result: fc.Result) -> list[Any]:
        return forests(result.findings, result.term_findings)

    before = [decided(case) for case in cases]
    for table in (wording.REASONS, wording.LEFT_OUT, words_of_the_gate.REASONS):
        for code in table:
            monkeypatch.setitem(table, code, WORDLESS)
    assert [decided(case) for case in cases] == before
    few = replace(cases[0], findings=cases[0].findings.assign(status="too few to say", reason="few sources"))
    assert WORDLESS in first_screen(few).as_text()
