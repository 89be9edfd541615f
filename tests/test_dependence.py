"""Sources that are not independent: topics, rewordings that are found, and words that share a stem."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from build_findings import found_in, scored
from simulation import crossed

import fairness_checklist as fc
from fairness_checklist.core.examples import Source, families_and_topics
from fairness_checklist.core.near_duplicates import declare_rewordings, find_rewordings, near_duplicates
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.compared import compared
from fairness_checklist.findings.errors import LeftOut, harm_rows
from fairness_checklist.findings.family import family_of, fit_harm
from fairness_checklist.findings.records import find
from fairness_checklist.findings.rule import gaps_of
from fairness_checklist.statistics.two_way import fit_figures, variance_of_levels

HARM = parse_harm("predicted:low")
ASSUMED = "sentences are taken as independent: no topic is declared"


def outcomes(topics: int, sources: int = 40) -> Outcomes:
    random = np.random.default_rng(2)
    source, term = np.repeat(np.arange(sources), 12), np.tile(np.arange(12), sources)
    p = random.uniform(0.1, 0.6, size=len(source))
    gold = np.ones(len(source), dtype=np.int64)
    made = crossed(np.stack([p, 1 - p], axis=1), gold, source, term // 6, term, 2)
    named = (replace(s, topic=f"{at % topics}" if topics else "") for at, s in enumerate(made.sources))
    return replace(made, sources=tuple(named))


def test_ten_topics_are_families_and_their_rewordings_follow_them() -> None:
    listed = [Source(f"{s}", f"t{s}", topic=f"{s % 10}") for s in range(20)]
    reworded = Source("r", "r", rewords="t3")
    assert families_and_topics([*listed, reworded])[0] == [*(f"topic {s % 10}" for s in range(20)), "topic 3"]
    assert families_and_topics(listed)[1] == []


def test_a_few_large_topics_are_few_beside_many_sources_without_one() -> None:
    listed = [Source(f"{s}", f"t{s}", topic=f"{s % 5}" if s < 80 else "") for s in range(100)]
    topics = [*(f"{s % 5}" for s in range(80)), *[""] * 20]
    assert families_and_topics(listed) == ([f"t{s}" for s in range(100)], topics)


def test_few_topics_add_the_variance_clustered_by_topic() -> None:
    run = outcomes(5)
    who = compared(run)
    rows = harm_rows(run, HARM)
    assert not isinstance(rows, LeftOut)
    fit = fit_harm(run, who, rows)
    by_topic = fit_figures(run.source, run.term, run.source % 5, rows.figure[None], run.weight, 12)[0]
    contrast = who.words().contrasts()
    assert variance_of_levels(fit.lexemes.levels, contrast) == pytest.approx(
        np.diag(contrast @ by_topic.covariance @ contrast.T)
    )
    plain, wider = (family_of(outcomes(topics), [HARM], margin=0.05) for topics in (0, 5))
    errors = [gaps_of(family.fits[0].lexemes, who.words()).error for family in (plain, wider)]
    assert (errors[1] > errors[0]).all()
    assert wider.sources.tolist() == plain.sources.tolist() == [[40, 40]]
    assert family_of(outcomes(10), [HARM], margin=0.05).sources.tolist() == [[10, 10]]
    assert "prompt_spread" not in find(run, [HARM]).info


def test_topics_travel_from_templates_to_tables_and_back(tmp_path: Path) -> None:
    texts = {"met": "I met {a:identity.writer}.", "hired": "She hired {a:identity.writer}."}
    terms = {"deaf": ["deaf"], "hearing": ["hearing"]}
    bare = [{"sentence": text, "id": name} for name, text in texts.items()]
    suite = fc.Suite.from_templates([bare[0], bare[1] | {"topic": "work"}], terms=terms)
    assert fc.Suite.load(suite.save(tmp_path / "suite")).parts[0].templates[1].topic == "work"
    without = fc.Suite.from_templates(bare, terms=terms).parts[0].describe()["templates_sha256"]
    assert without != suite.parts[0].describe()["templates_sha256"]
    assert without == "9ee34a9ca5e9732f930ac8148cbcda8ca95434d077056814e093459723dafa68"
    frame = suite.to_frame()
    assert frame["topic"].tolist() == [{"met": "", "hired": "work"}[name] for name in frame["template"]]
    result = fc.evaluate(frame.assign(predicted="positive"), draws=0)
    assert result.examples["topic"].tolist() == frame[frame["group"] != ""]["topic"].tolist()


def test_the_rewordings_of_the_shipped_templates_are_found_and_no_others() -> None:
    examples = fc.Suite.build("gender", max_terms=1).parts[0].examples
    declared = families_and_topics(examples.sources)[0]
    bare = replace(examples, sources=tuple(replace(source, rewords="") for source in examples.sources))
    known, notes = find_rewordings(bare)
    found = families_and_topics(declare_rewordings(bare, known).sources)[0]
    pairs = {
        name: {(i, j) for i in range(len(of)) for j in range(i) if of[i] == of[j]}
        for name, of in (("declared", declared), ("found", found))
    }
    assert pairs["found"] <= pairs["declared"]
    assert len(pairs["found"]) > 0.85 * len(pairs["declared"])
    found_of, note = len({i for pair in pairs["found"] for i in pair}), notes[0]
    assert note.startswith(
        f"{found_of} of {len(examples.sources)} sentences are nearly the same as others and count as "
    )
    assert note.endswith(", such as 'generic-001' and 'generic-002'; a column rewords says otherwise")
    assert notes[1:] == (ASSUMED,)
    assert find_rewordings(examples) == ({}, ())


def test_texts_without_letters_and_of_other_labels_stay_apart() -> None:
    alike = near_duplicates(["", "", "We won.", "We won.", "We won."], ["", "", "a", "b", "a"])
    assert alike.tolist() == [0, 1, 2, 3, 2]
    assert near_duplicates([], []).tolist() == []


def test_a_table_of_rewordings_says_what_it_took_as_one() -> None:
    table = scored(0.12)
    number = table["source"].str[1:].astype(int)
    verbs = [f"verb{n}s{n * 7919}" for n in range(30)]
    texts = [
        f"{word} {verbs[n // 2]} {'again' if n % 2 else ''}." for word, n in zip(table["term"], number, strict=True)
    ]
    found = found_in(table.assign(text=texts))
    assert found.info["notes"]["shift"] == [
        "30 of 30 sentences are nearly the same as others and count as 15, such as 's0' and 's1'; a column "
        "rewords says otherwise",
        ASSUMED,
    ]
    assert set(found.findings["sentences"]) == {15}
    again = found_in(found.examples)
    pd.testing.assert_frame_equal(again.findings, found.findings)
