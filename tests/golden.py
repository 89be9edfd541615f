"""Readers of the golden figures of the core paper's released code (see the README beside them)."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.sentences import Sentences, TokenTexts
from fairness_checklist.core.tagging import Spans, TagSet, read_tags
from fairness_checklist.metrics.metric_result import MetricResult

GOLDEN = Path(__file__).resolve().parent / "data" / "golden"


def golden_figures(name: str) -> dict[str, Any]:
    return dict(json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))


def cases(name: str) -> list[dict[str, Any]]:
    return list(golden_figures(name)["cases"])


def read_case(case: dict[str, Any]) -> tuple[ExampleSet, Predictions]:
    """A golden case as an example set and predictions; classes are named by their numbers in the data."""
    groups = tuple(case["groups"])
    three = case.get("data_n_classes") == 3
    rows: list[tuple[int, int, int, list[float], int]] = []
    sources: list[Source] = []
    if case["kind"] == "group":
        for g, group in enumerate(groups):
            data = case["data"][group]
            parallel = zip(data["labels"] or [], data["probs"] or [], data["preds"] or [], strict=True)
            rows += [(-1, g, -1 if label is None else label, p, y) for label, p, y in parallel]
    else:
        for s, example in enumerate(case["source_examples"]):
            sources.append(Source(id=str(s), template=str(s)))
            label = -1 if example["label"] is None else example["label"]
            for g, group in enumerate(groups):
                variations = example["variations"][group]
                rows += [(s, g, label, p, y) for p, y in zip(variations["probs"], variations["preds"], strict=True)]
    source, group_codes, label_codes, decided = (np.array([r[i] for r in rows], dtype=np.int64) for i in (0, 1, 2, 4))
    examples = ExampleSet(
        attribute="golden",
        task="sentiment",
        groups=groups,
        terms=(),
        term_group=np.zeros(0, dtype=np.int64),
        sources=tuple(sources),
        source=source,
        group=group_codes,
        term=np.full(len(rows), -1),
        classes=("negative", "neutral", "positive") if three else ("0", "1"),
        label=label_codes,
        texts=ListedTexts(("",) * len(rows)),
    )
    classes = ("negative", "positive") if three else ("0", "1")
    return examples, Predictions.from_probabilities([r[3] for r in rows], classes, predicted=decided)


def as_golden(result: MetricResult) -> dict[str, dict[str, float]]:
    """A result in the layout of the golden files: {class: {key: value}}."""
    names = {"negative": "0", "positive": "1"}
    found: dict[str, dict[str, float]] = {}
    for row in result.rows():
        if row["right"] == "others":
            continue
        pair = result.metric.family == "pairwise" and row["left"] != "*"
        key = f"{row['left']}|{row['right']}" if pair else row["left"]
        found.setdefault(names.get(row["class"], row["class"]), {})[key] = row["value"]
    return found


def read_tagger_case(case: dict[str, Any]) -> tuple[ExampleSet, TokenPredictions]:
    """A golden case of a tagger: words as they are there, the 17 tags' probabilities summed to types."""
    groups = tuple(case["groups"])
    vocabulary = TagSet.of(case["label_vocab"], "BILOU")
    rows = [
        (s, g, variation)
        for s, example in enumerate(case["source_examples"])
        for g, group in enumerate(groups)
        for variation in example["variations"][group]
    ]
    tokens = [variation["tokens"] for _s, _g, variation in rows]
    gold, codes, offset = read_tags([variation["gold_tags_expanded"] for _s, _g, variation in rows], "BILOU")
    decisions, decided, _ = read_tags([variation["pred_tags"] for _s, _g, variation in rows], "BILOU")
    slot = []
    for s, _g, variation in rows:
        names = [
            f"@{case['source_examples'][s]['identity_key']}@",
            f"@{case['source_examples'][s]['identity_key'].title()}@",
        ]
        for token in case["source_examples"][s]["template_tokens"]:
            slot += [0] * len(variation["term_tokens"]) if token in names else [-1]
    spans, repaired = decisions.decode(decided, offset)
    own = np.array([vocabulary.types.index(kind) for kind in decisions.types], dtype=np.int64)
    spans = Spans(spans.row, spans.start, spans.end, own[spans.type] if len(spans) else spans.type)
    size = len(vocabulary.types)
    summed = np.zeros((len(vocabulary.tags), size + 1))
    summed[np.arange(len(vocabulary.tags)), np.where(vocabulary.type < 0, size, vocabulary.type)] = 1
    probabilities = np.array([row for _s, _g, variation in rows for row in variation["probs"]]) @ summed
    sentences = Sentences(
        tuple(token for line in tokens for token in line),
        offset,
        gold.types,
        gold.decode(codes, offset)[0],
        np.ones(len(rows), dtype=np.bool_),
        np.array(slot, dtype=np.int64),
    )
    examples = ExampleSet(
        attribute="golden",
        task="ner",
        groups=groups,
        terms=(),
        term_group=np.zeros(0, dtype=np.int64),
        sources=tuple(Source(id=str(s), template=str(s)) for s in range(len(case["source_examples"]))),
        source=np.array([s for s, _g, _v in rows], dtype=np.int64),
        group=np.array([g for _s, g, _v in rows], dtype=np.int64),
        term=np.full(len(rows), -1),
        classes=vocabulary.types,
        label=np.full(len(rows), -1),
        texts=TokenTexts(tuple(map(" ".join, tokens)), sentences=sentences),
    )
    return examples, TokenPredictions(vocabulary.types, offset, spans, probabilities, repaired)
