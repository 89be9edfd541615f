"""Worlds that need all of the road from outcomes to statuses: dependence, forms, and tables without terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit
from simulated_families import World
from simulation import CLASSES, crossed

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.examples import Source
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.family import Family, family_of
from fairness_checklist.findings.rule import Status

HARM = parse_harm(f"predicted:{CLASSES[0]}")
SIX_OF_8, SIX_OF_20 = (8,) * 6, (20,) * 6
TOPIC_SD = 0.25
FOUND = 0.91
"""The share of the declared rewordings of the shipped sets that `core.near_duplicates` finds."""


def outcomes_of(world: World, scores: FloatArray, **changed: Any) -> Outcomes:
    """The outcomes of a table of scores (S, L): two classes, the first is the error."""
    n_sources, n_terms = scores.shape
    source, term = np.repeat(np.arange(n_sources), n_terms), np.tile(np.arange(n_terms), n_sources)
    p = expit(scores.ravel())
    gold = np.ones(len(source), dtype=np.int64)
    made = crossed(np.stack([p, 1 - p], axis=1), gold, source, world.group[term], term, len(world.sizes))
    return replace(made, **changed)


def shares(families: Iterator[Family]) -> dict[str, float]:
    """The shares of families in which a group is worse, and better, and in which the lower bounds hold a gap of 0."""
    rows = []
    for family in families:
        [decided] = family.decided
        rows.append([Status.WORSE in decided.status, Status.BETTER in decided.status, not (decided.low > 0).any()])
    return dict(zip(("worse", "better", "low holds"), np.mean(rows, axis=0).tolist(), strict=True))


def dependence(repetitions: int) -> Iterator[dict[str, Any]]:
    """Claims where no group has a gap, by what the run knows about words and sentences."""
    for title, sizes, copies in (
        ("8 = 4 words x 2 variants", SIX_OF_8, 2),
        ("8 = 2 words x 4 variants", SIX_OF_8, 4),
        ("20 = 5 words x 4 variants", SIX_OF_20, 4),
    ):
        world = World(sizes, copies=copies)
        lemmas = tuple(f"word {t // copies}" for t in range(sum(sizes)))
        for known, changed in (("nothing", {}), ("lemma", {"lexemes": lemmas})):
            yield {"design": title, "known": known, **_plain(world, repetitions, changed)}
    for topics in (2, 5, 12):
        world = World(SIX_OF_20, sources=100)
        for known in ("nothing", "topic"):
            yield {"design": f"20 x 6, 100 in {topics} topics", "known": known} | _of_topics(
                world, topics, known == "topic", repetitions
            )
    for sources in (30, 100):
        for known in ("nothing", "found", "declared"):
            yield {"design": f"20 x 6, {sources} in pairs", "known": known} | _in_pairs(
                World(SIX_OF_20, sources=sources // 2), known, repetitions
            )


def _plain(world: World, repetitions: int, changed: dict[str, Any]) -> dict[str, float]:
    random = np.random.default_rng(11)
    runs = (outcomes_of(world, world.scores(random), **changed) for _ in range(repetitions))
    return shares(family_of(run, [HARM], margin=MARGIN) for run in runs)


def _of_topics(world: World, topics: int, known: bool, repetitions: int) -> dict[str, float]:
    """Sentences of a topic have an effect on a group in common."""
    random, topic = np.random.default_rng(12), np.arange(world.sources) % topics
    names = [f"{t}" if known else "" for t in topic]
    sources = tuple(Source(f"s{s}", f"t{s}", topic=name) for s, name in enumerate(names))

    def runs() -> Iterator[Family]:
        for _ in range(repetitions):
            own = TOPIC_SD * random.normal(size=(topics, len(world.sizes)))
            scores = world.scores(random) + own[topic][:, world.group]
            yield family_of(outcomes_of(world, scores, sources=sources), [HARM], margin=MARGIN)

    return shares(runs())


def _in_pairs(world: World, known: str, repetitions: int) -> dict[str, float]:
    """Each sentence is there twice, reworded: only the effects of texts differ."""
    random, quiet = np.random.default_rng(13), replace(world, cells=1e-9)

    def runs() -> Iterator[Family]:
        for _ in range(repetitions):
            scores = np.repeat(quiet.scores(random), 2, axis=0)
            scores += world.cells * random.normal(size=scores.shape)
            joined: BoolArray = np.repeat(random.random(world.sources) < {"found": FOUND}.get(known, 1.0), 2)
            joined &= known != "nothing"
            names = (f"t{s // 2 * 2}" if joined[s] else "" for s in range(len(scores)))
            sources = tuple(Source(f"s{s}", f"t{s}", rewords=name) for s, name in enumerate(names))
            yield family_of(outcomes_of(world, scores, sources=sources), [HARM], margin=MARGIN)

    return shares(runs())


FORMS: dict[str, tuple[str, ...]] = {
    "phrases in one group": ("pp", "noun", "noun", "adj", "adj", "noun"),
    "mixed in all": ("mixed",) * 6,
    "phrases and nouns in two each": ("pp", "pp", "noun", "noun", "adj", "adj"),
}
CONTROLS = (4,) * 30
_MIXED = ("adj", "noun", "pp", "pp")


def forms(repetitions: int) -> Iterator[dict[str, Any]]:
    """Claims where phrases are .4 worse on the logit whatever the group, and the first group has a gap, or none."""
    for name, of_groups in FORMS.items():
        for effect, gap in ((0.4, 0.0), (0.0, 0.0), (0.0, 0.1), (0.4, 0.1)):
            for known in (True, False):
                random, rows = np.random.default_rng(31), []
                for _ in range(repetitions):
                    run = _with_forms(SIX_OF_8, of_groups, effect, gap, random)
                    controls = _with_forms(CONTROLS, ("mixed",) * 30, effect, 0.0, random)
                    [decided] = family_of(run, [HARM], controls=controls if known else None, margin=MARGIN).decided
                    status = decided.status[:1] if gap else decided.status
                    low = decided.low[:1] if gap else decided.low
                    rows.append([Status.WORSE in status, Status.BETTER in status, bool((low > 0).any())])
                names = ("worse", "better", "low above 0 without adjustment")
                design = {"design": name, "phrases": effect, "gap": gap, "controls": "yes" if known else "no"}
                yield design | dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def _with_forms(
    sizes: tuple[int, ...], of_groups: tuple[str, ...], effect: float, gap: float, random: np.random.Generator
) -> Outcomes:
    """A run whose words have forms."""
    world = World(sizes, gap=gap)
    forms_of = [form for form, size in zip(of_groups, sizes, strict=True) for _ in range(size)]
    pos = tuple(_MIXED[at % 4] if form == "mixed" else form for at, form in enumerate(forms_of))
    terms = tuple(f"{'ab' if form == 'adj' else 'abcd'} {at:03}" for at, form in enumerate(pos))
    scores = world.scores(random) + effect * (np.array(pos) == "pp")
    return outcomes_of(world, scores, pos=pos, terms=terms)


def nameless(repetitions: int) -> Iterator[dict[str, Any]]:
    """Claims in tables whose rows name no terms: one text of each group in each source, or texts without sources."""
    for groups in (2, 6):
        for sources in (30, 100):
            for own in (True, False):
                for gap in (0.0, 0.05, 0.1):
                    world = World((1,) * groups, sources=sources, words=0.0, gap=gap)
                    random, rows = np.random.default_rng(14), []
                    for _ in range(repetitions):
                        run = _without_terms(world, world.scores(random), sources=own)
                        [decided] = family_of(run, [HARM], margin=MARGIN).decided
                        status = decided.status[:1] if gap else decided.status
                        rows.append([Status.WORSE in status, Status.BETTER in status, Status.SMALL in status])
                    names = dict(zip(("worse", "better", "small"), np.mean(rows, axis=0).tolist(), strict=True))
                    kind = "sources" if own else "rows"
                    yield {"design": f"{groups} groups, {sources} {kind} each", "gap": gap, **names}


def _without_terms(world: World, scores: FloatArray, *, sources: bool) -> Outcomes:
    run = outcomes_of(world, scores)
    nothing = np.full(len(run), -1, dtype=np.int64)
    run = replace(run, term=nothing, terms=(), term_group=np.zeros(0, dtype=np.int64))
    return run if sources else replace(run, source=nothing, sources=())
