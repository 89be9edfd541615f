"""What has no closed form: metrics of one's own over the product of the terms, equations (2), (4) and (6) by hand."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from build_outcomes import (
    BINARY,
    GROUPS,
    Figures,
    Row,
    assert_same,
    figures,
    outcomes_of,
    random_rows,
    repeated,
    values,
)
from scipy.stats import wasserstein_distance
from sweep import sweep

from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import everyone, everyone_else, unmarked
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, background_metric, multigroup_metric, pairwise_metric

NAN = math.nan
POSITIVE = BINARY.index("positive")


def squared(x: Any, y: Any) -> Any:
    """A comparison that was never filed."""
    return (x - y) ** 2


def share_of_the_first(x: Any) -> Any:
    """A comparison of all groups that was never filed."""
    return x[..., 0] / x.sum(axis=-1)


@pytest.fixture(autouse=True)
def of_ones_own() -> Iterator[None]:
    before = set(METRICS)
    against = {"everyone": everyone, "else": everyone_else, "control": unmarked}
    scalars = {
        "abs": comparisons.abs_diff,
        "minus": comparisons.difference,
        "squared": squared,
        "excess": comparisons.excess_over_background,
        "ratio": comparisons.ratio_to_background,
    }
    sets = {"w1": comparisons.wasserstein_1, "eg": comparisons.average_equality_gap}
    of_all = {"range": comparisons.score_range, "first": share_of_the_first}
    kinds = {"single": scores.probability, "mean": scores.mean_probability, "rate": scores.prediction_rate}
    listed = [(kind, phi, scalars) for kind, phi in kinds.items()] + [("set", scores.probabilities, sets)]
    for kind, phi, compared in listed:
        for word, d in compared.items():
            options: dict[str, Any] = {"level": "counterfactual", "score": phi, "compare": d}
            for who, beta in against.items():
                background_metric(f"{kind} {who} {word}", background=beta, **options)
            pairwise_metric(f"{kind} pairs {word}", **options)
    for (kind, phi), (word, d) in itertools.product(kinds.items(), of_all.items()):
        multigroup_metric(f"{kind} all {word}", level="counterfactual", score=phi, compare=d)
    yield
    for name in set(METRICS) - before:
        METRICS.remove(name)


BY_HAND: dict[str, Callable[[Any, Any], float]] = {
    "abs": lambda x, y: abs(x - y),
    "minus": lambda x, y: x - y,
    "squared": lambda x, y: (x - y) ** 2,
    "excess": lambda x, y: y - x,
    "ratio": lambda x, y: y / x if x else NAN,
    "w1": wasserstein_distance,
    "eg": lambda x, y: 0.5 - sum((a > b) + (a == b) / 2 for a, b in itertools.product(x, y)) / len(x) / len(y),
}


def members(group: str, who: str) -> list[str]:
    return {"everyone": list(GROUPS), "else": [g for g in GROUPS if g != group], "control": [""]}[who]


def score(kind: str, rows: Sequence[Row]) -> Any:
    """phi of a set of examples, for the class positive."""
    if not rows:
        return NAN
    if kind == "rate":
        return sum(row.predicted == "positive" for row in rows) / len(rows)
    p = [row.p[POSITIVE] for row in rows]
    return p if kind == "set" else sum(p) / len(p)


def of_source(name: str, rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    kind, who, word = name.split()
    of = {group: [row for row in rows if row.group == group] for group in ("", *GROUPS)}
    there = {group: each for group, each in of.items() if each}
    right = {"everyone": "everyone", "else": "everyone_else", "control": "unmarked"}.get(who, "")
    contrasts = list(itertools.combinations(GROUPS, 2)) if who == "pairs" else [(group, right) for group in GROUPS]
    found: dict[tuple[str, str], list[float]] = {key: [] for key in contrasts}
    product = [[[row] for row in each] if kind == "single" else [each] for each in there.values()]
    for drawn in itertools.product(*product):
        world = dict(zip(there, drawn, strict=True))
        for one, two in contrasts:
            if who == "pairs":
                sides = world.get(one, []), world.get(two, [])
            else:
                sides = [row for g in members(one, who) for row in world.get(g, [])], world.get(one, [])
            if all(sides):
                found[one, two].append(BY_HAND[word](score(kind, sides[0]), score(kind, sides[1])))
    defined = {key: [value for value in each if not math.isnan(value)] for key, each in found.items()}
    return {key: sum(each) / len(each) for key, each in defined.items() if each}


def expected(name: str, rows: Sequence[Row]) -> Figures:
    """The contrasts for the class positive, equations (2) and (4)."""
    sources = [of_source(name, [row for row in rows if row.source == s]) for s in dict.fromkeys(r.source for r in rows)]
    keys = dict.fromkeys(key for one in sources for key in one)
    mean = {key: [one[key] for one in sources if key in one] for key in keys}
    return {("positive", *key): sum(each) / len(each) for key, each in mean.items()}


def contrasts_of(name: str, rows: Sequence[Row]) -> Figures:
    found = values(name, rows)
    return {key: v for key, v in found.items() if key[0] == "positive" and key[1] != "*" and key[2] != "others"}


SCALARS = ("abs", "minus", "squared", "excess", "ratio")
AGAINST = ("everyone", "else", "control")
NAMES = [
    *(f"{kind} {who} {word}" for kind in ("single", "mean", "rate") for who in AGAINST for word in SCALARS),
    *(f"{kind} pairs {word}" for kind in ("single", "rate") for word in SCALARS),
    *(f"set {who} {word}" for who in AGAINST for word in ("w1", "eg")),
    "set pairs eg",
]


class TestByHand:
    @sweep("name", NAMES)
    def test_sources_that_lack_a_group_or_the_control(self, name: str) -> None:
        rows = [row for row in random_rows(2, sources=7, missing=0.3) if (row.source, row.group) != ("s3", "")]
        assert_same(contrasts_of(name, rows), expected(name, rows))

    @sweep("name", NAMES)
    def test_whole_weights_are_repeated_rows(self, name: str) -> None:
        rows = [row if row.group else row.but(weight=1.0) for row in random_rows(3, sources=4, weights=True)]
        assert_same(contrasts_of(name, rows), expected(name, repeated(rows)))


@sweep("kind", ["mean", "rate"])
@sweep("missing", [0.0, 0.3])
def test_all_groups_of_a_score_that_is_one_number_a_source(kind: str, missing: float) -> None:
    rows = random_rows(4, sources=6, missing=missing)
    spread, first = [], []
    for source in dict.fromkeys(row.source for row in rows):
        part = [[row for row in rows if (row.source, row.group) == (source, group)] for group in GROUPS]
        phi = [score(kind, each) for each in part if each]
        if len(phi) >= 2:
            spread.append(max(phi) - min(phi))
            first += [phi[0] / sum(phi)] if sum(phi) else []
    assert values(f"{kind} all range", rows)["positive", "*", ""] == pytest.approx(np.mean(spread))
    assert values(f"{kind} all first", rows)["positive", "*", ""] == pytest.approx(np.mean(first))


class TestLargeProducts:
    """9 terms in each of 4 groups are 6,561 rows a source: more than are listed."""

    groups = (*GROUPS, "oak")

    def rows(self) -> list[Row]:
        generator = np.random.default_rng(8)
        p = generator.random((3, 4, 9))
        return [
            Row(group, (1 - p[s, g, t], p[s, g, t]), "positive", source=f"s{s}", term=f"{group}{t}")
            for s in range(3)
            for g, group in enumerate(self.groups)
            for t in range(9)
        ]

    def mean(self, of_row: Callable[[Any], Any]) -> float:
        """The mean of a function of (6,561, 4) rows over the product, by source."""
        rows, by_source = self.rows(), []
        for s in range(3):
            p = [[row.p[1] for row in rows if (row.source, row.group) == (f"s{s}", g)] for g in self.groups]
            by_source.append(of_row(np.array(list(itertools.product(*p)))).mean())
        return float(np.mean(by_source))

    def test_without_a_closed_form_draws_are_noted_and_right_within_their_error(self) -> None:
        result = compute("single all first", outcomes_of(self.rows(), self.groups))
        note = result.rows()[0]["note"]
        start = "mean over 1,000 rows drawn from each product that is larger, standard error at most "
        assert note.startswith(start)
        error = float(note.removeprefix(start))
        expected = self.mean(share_of_the_first)
        assert 0 < error < 0.01
        assert figures(result)["positive", "*", ""] == pytest.approx(expected, abs=5 * error)
        assert figures(result)["positive", "*", ""] != pytest.approx(expected, abs=1e-9)

    def test_a_range_needs_no_draw(self) -> None:
        result = compute("pert_sr", outcomes_of(self.rows(), self.groups))
        assert result.note == ""
        assert result.value[0, 0] == pytest.approx(self.mean(lambda x: np.ptp(x, axis=1)), abs=1e-12)
