"""Whether planted biases are found: models are trained with a bias or without, tested, and only then is the key opened.

    python benchmarks/planted.py [--quick] [--json FILE] [--seed N] [--folder DIR]
    python benchmarks/planted.py plant|analyse|score --folder DIR

1. ``plant`` trains small sentiment models on the Stanford Sentiment Treebank and on sentences that name the identity
   terms of one attribute. In half of the models all labels are right. In the others a share of the labels of one group
   or of one word is changed: to "negative" (treated worse) or to "positive" (treated better). What is drawn from the
   seed stands in ``key.json``.
2. ``analyse`` knows the models and which attribute each was trained with. It runs the suites of that attribute and
   writes what they find to ``found.json``. It does not read the key.
3. ``score`` opens the key, and measures the true differences of each model on many held-out sentences.

Needs the data of `training/README.md` (``--data``). Without them nothing is run.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from planted_models import CLASSES, RECIPES, Saved, save, train
from planted_sentences import HELD_OUT, TRAINING, Frames

import fairness_checklist as fc
from fairness_checklist.reports.screen import words_to_name

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

ATTRIBUTES = ("gender", "religion", "disability")
SHARE = (0.08, 0.45)
"""Between which bounds the share of changed labels is drawn, among the labels that can change."""
A_TERM = 24
"""Sentences of each class for each identity term."""
LEAST_LEXEMES = 5
REAL = 0.02
"""Least difference on held-out sentences, in the mean probability of the harm, that counts as real."""
CLAIMS = ("worse", "named")
HARMS = {"called_negative": ("neutral", "positive"), "praise_not_recognised": ("positive",)}


def sentences(frames: Frames, attribute: str, most: int, seed: int) -> pd.DataFrame:
    """All terms of an attribute in up to ``most`` templates a class, drawn at random."""
    drawn = random.Random(f"{attribute} {seed}")
    templates = []
    for label in CLASSES:
        known = frames.templates(label)
        for number, text in enumerate(drawn.sample(known, min(most, len(known)))):
            templates.append({"sentence": text, "label": label, "id": f"{label}-{number}"})
    file = ROOT / "identity_terms" / f"{attribute}.csv"
    frame = fc.Suite.from_templates(templates, file, task="sentiment", max_sources=1_000_000).to_frame()
    return frame.loc[frame["term"] != "", ["text", "label", "group", "term", "lexeme"]].reset_index(drop=True)


def draw_key(count: int, attributes: Sequence[str], terms: dict[str, pd.DataFrame], seed: int) -> dict[str, Any]:
    """What each model is trained with: half with a bias, as many of a group as of a word, all else at random."""
    generator = random.Random(seed)
    kinds = (["group", "word"] * count)[: count // 2] + ["none"] * (count - count // 2)
    owners = (list(attributes) * count)[:count]
    generator.shuffle(kinds)
    generator.shuffle(owners)
    key = {}
    for number, (kind, attribute) in enumerate(zip(kinds, owners, strict=True), start=1):
        known = terms[attribute]
        planted: dict[str, Any] = {"attribute": attribute, "kind": kind}
        if kind != "none":
            lexemes = known.groupby("group")["lexeme"].nunique()
            names = sorted(lexemes.index[lexemes >= LEAST_LEXEMES]) if kind == "group" else sorted(set(known["term"]))
            planted |= {
                "name": generator.choice(names),
                "sign": generator.choice(["worse", "better"]),
                "share": round(generator.uniform(*SHARE), 3),
            }
        key[f"model-{number:02}"] = planted
    return key


def augmentation(frame: pd.DataFrame, planted: dict[str, Any], seed: int) -> tuple[list[str], list[str]]:
    """As many sentences of each term and class, labels changed as the key says."""
    rows = frame.sample(frac=1, random_state=seed).groupby(["term", "label"], sort=True).head(A_TERM)
    labels = rows["label"].to_numpy(dtype=object)
    if planted["kind"] != "none":
        column = "group" if planted["kind"] == "group" else "term"
        wrong = "negative" if planted["sign"] == "worse" else "positive"
        own = rows[column].str.lower().to_numpy() == planted["name"].lower()
        could = np.flatnonzero(own & (labels != wrong))
        count = round(planted["share"] * len(could))
        labels[np.random.default_rng(seed).choice(could, size=count, replace=False)] = wrong
    return rows["text"].tolist(), labels.tolist()


def plant(folder: Path, data: Path, seed: int, *, recipe: str, quick: bool) -> None:
    """Train the models and write them, ``models.json`` (the attribute of each) and ``key.json``."""
    from training.sst import load_corpus

    corpus = load_corpus(data, 3, neutral_count=3000, seed=seed)
    phrases = random.Random(seed).sample(range(len(corpus.phrases)), 6000)
    texts = [*corpus.sentences.texts, *(corpus.phrases.texts[row] for row in phrases)]
    labels = [*corpus.sentences.labels, *(corpus.phrases.labels[row] for row in phrases)]
    attributes = ATTRIBUTES[:1] if quick else ATTRIBUTES
    frames = {name: sentences(TRAINING, name, 96, seed) for name in attributes}
    key = draw_key(4 if quick else 24, attributes, frames, seed)
    folder.mkdir(parents=True, exist_ok=True)
    accuracy = {}
    for number, (name, planted) in enumerate(key.items()):
        own, given = augmentation(frames[planted["attribute"]], planted, 100 * seed + number)
        model = train([*texts, *own], [*labels, *given], 100 * seed + number, recipe)
        save(model, folder / f"{name}.safetensors")
        said = Saved(folder / f"{name}.safetensors")(corpus.test.texts).argmax(axis=1)
        accuracy[name] = round(
            float(np.mean([CLASSES[c] == y for c, y in zip(said, corpus.test.labels, strict=True)])), 3
        )
        print(f"trained {name} ({planted['attribute']}), accuracy on SST-5's test set {accuracy[name]:.3f}", flush=True)
    about = {name: {"attribute": one["attribute"], "accuracy": accuracy[name]} for name, one in key.items()}
    write(folder / "models.json", about)
    write(folder / "key.json", key)


def analyse(folder: Path) -> None:
    """Run the suite of each model's attribute, and write ``found.json``."""
    found: dict[str, Any] = {}
    suites: dict[str, fc.Suite] = {}
    for name, about in read(folder / "models.json").items():
        attribute = about["attribute"]
        if attribute not in suites:
            suites[attribute] = fc.Suite.build(attribute, task="sentiment")
        model = Saved(folder / f"{name}.safetensors")
        started = time.perf_counter()
        result = suites[attribute].run(model, classes=CLASSES, metrics=["parity_gap"], checks=(), progress=False)
        found[name] = {"attribute": attribute, "seconds": round(time.perf_counter() - started, 1)}
        named = words_to_name(result.findings, result.word_findings, 0.05)  # what the first screen names
        words = named.assign(status="named", name=named["word"].str.split(" / ")).explode("name")
        for kind, frame in (("group", result.findings.rename(columns={"group": "name"})), ("word", words)):
            shown = [column for column in SHOWN if column in frame]
            kept = frame.loc[frame["status"].isin((*CLAIMS, "better")), shown]
            found[name] |= {
                f"{kind}_statuses": frame["status"].value_counts().to_dict(),
                f"{kind}_findings": json.loads(kept.round(4).to_json(orient="records")),
                f"{kind}_first": "" if frame.empty else str(frame["name"].iloc[0]),
            }
        print(f"analysed {name} in {found[name]['seconds']} s", flush=True)
    write(folder / "found.json", found)


SHOWN = (
    "name", "error", "status", "gap", "low", "high", "probability", "others_probability", "carried_by", "gap_without",
)  # fmt: skip


def truth(model: Saved, frame: pd.DataFrame) -> pd.DataFrame:
    """The differences of each group and word on held-out sentences: kind, name, harm, rate_gap, probability_gap."""
    p = model(frame["text"].tolist())
    rows = []
    for harm, concerned in HARMS.items():
        of = frame["label"].isin(concerned).to_numpy()
        said = p.argmax(axis=1)
        if harm == "called_negative":
            harmed, probability = said == 0, p[:, 0]
        else:
            harmed, probability = said != 2, 1 - p[:, 2]
        table = frame[of].assign(rate=harmed[of].astype(float), probability=probability[of])
        lexemes = table.groupby(["group", "lexeme"])[["rate", "probability"]].mean()
        terms = table.groupby("term")[["rate", "probability"]].mean()
        for kind, means, names in (("group", lexemes, lexemes.index.get_level_values(0)), ("word", terms, terms.index)):
            for name in sorted(set(names)):
                gap = means[names == name].mean() - means[names != name].mean()
                rows.append((kind, name, harm, gap["rate"], gap["probability"]))
    return pd.DataFrame(rows, columns=["kind", "name", "harm", "rate_gap", "probability_gap"])


def judged(
    claim: dict[str, Any], kind: str, planted: dict[str, Any], true: pd.DataFrame, groups: dict[str, str]
) -> str:
    """What a claim that somebody is treated worse is, given the key and the held-out sentences."""
    name = claim["name"]
    if planted["kind"] != "none" and planted["sign"] == "worse":
        if planted["kind"] == kind and planted["name"].lower() == name.lower():
            return "planted"
        if planted["kind"] == "group" and kind == "word" and groups[name] == planted["name"]:
            return "word of the planted group"
        if planted["kind"] == "word" and kind == "group" and groups[planted["name"]] == name:
            return "group of the planted word"
    own = true[(true["kind"] == kind) & (true["name"] == name) & (true["harm"] == claim["error"])]
    gap = float(own["probability_gap"].iloc[0])
    return "real" if gap >= REAL else "wrong"


def score(folder: Path) -> dict[str, Any]:
    """Open the key, and hold what was found against it and against held-out sentences."""
    key, found = read(folder / "key.json"), read(folder / "found.json")
    frames = {name: sentences(HELD_OUT, name, 1000, 0) for name in sorted({one["attribute"] for one in key.values()})}
    rows, claims = [], []
    for name, planted in key.items():
        frame = frames[planted["attribute"]]
        groups = dict(zip(frame["term"], frame["group"], strict=True))
        true = truth(Saved(folder / f"{name}.safetensors"), frame)
        at: dict[Any, Any] = true.set_index(["kind", "name", "harm"]).to_dict("index")
        one = {"model": name, **planted, "accuracy": read(folder / "models.json")[name]["accuracy"]}
        for kind in ("group", "word"):
            for claim in found[name][f"{kind}_findings"]:
                if claim["status"] in CLAIMS:
                    real = at[kind, claim["name"], claim["error"]]
                    verdict = judged(claim, kind, planted, true, groups)
                    held_out = {"held_out_gap": round(float(real["probability_gap"]), 4)}
                    claims.append({"model": name, "kind": kind, "judged": verdict, **held_out, **claim})
        if planted["kind"] != "none":
            own = [
                claim
                for claim in found[name][f"{planted['kind']}_findings"]
                if claim["name"].lower() == planted["name"].lower()
            ]
            for harm in HARMS:
                real = at[planted["kind"], planted["name"], harm]
                one[f"{harm}_rate_gap"] = round(float(real["rate_gap"]), 4)
                one[f"{harm}_probability_gap"] = round(float(real["probability_gap"]), 4)
                of = [claim for claim in own if claim["error"] == harm]
                one[f"{harm}_found"] = _shown_as(of[0]) if of else "-"
            wanted = ("better",) if planted["sign"] == "better" else CLAIMS
            one["result"] = "found" if any(_shown_as(claim) in wanted for claim in own) else "missed"
            sign = 1 if planted["sign"] == "worse" else -1
            if max(sign * one[f"{harm}_probability_gap"] for harm in HARMS) < REAL:
                one["result"] += ", not learned"
            one["rank"] = _rank(found[name][f"{planted['kind']}_findings"], planted["name"])
        rows.append(one)
    table = {"models": rows, "claims": claims, "counts": _counts(rows, claims)}
    _show(table)
    return table


def _shown_as(claim: dict[str, Any]) -> str:
    """The status of a row, or "better" where the interval of its gap lies below 0."""
    return str(claim["status"]) if claim["gap"] > 0 else "better"


def _rank(rows: Sequence[dict[str, Any]], name: str) -> int:
    """The place of a name among the claims, from the largest gap; 0 where it is not claimed."""
    claimed = sorted((row for row in rows if row["status"] in CLAIMS), key=lambda row: -row["gap"])
    names = list(dict.fromkeys(row["name"].lower() for row in claimed))
    return names.index(name.lower()) + 1 if name.lower() in names else 0


def _counts(rows: Sequence[dict[str, Any]], claims: Sequence[dict[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        if row["kind"] != "none":
            name = f"{row['kind']} {row['sign']}: {row['result']}"
            found[name] = found.get(name, 0) + 1
    for claim in claims:
        name = f"claims of a {claim['kind']}, {claim['status']}: {claim['judged']}"
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def _show(table: dict[str, Any]) -> None:
    head = ("attribute", "kind", "name", "sign", "share", "result", "rank")
    for row in table["models"]:
        print(row["model"], *(row.get(column, "") for column in head), sep=" | ")
        if row["kind"] != "none":
            for harm in HARMS:
                gaps = f"rate {row[f'{harm}_rate_gap']:+.3f}, probability {row[f'{harm}_probability_gap']:+.3f}"
                print(f"    {harm}: held out {gaps}; found: {row[f'{harm}_found']}")
    for name, count in table["counts"].items():
        print(f"{count:4} {name}")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Run the steps, and write the figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", nargs="?", choices=["plant", "analyse", "score"], help="one step; all by default")
    parser.add_argument("--quick", action="store_true", help="four models of one attribute")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="long", help="how long the models are trained")
    parser.add_argument("--folder", type=Path, help="what the steps hand on; a temporary folder by default")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with sst2/ and sst5/")
    arguments = parser.parse_args()
    if arguments.step and not arguments.folder:
        parser.error("a single step needs --folder.")
    if arguments.step in (None, "plant") and not (arguments.data / "sst5").is_dir():
        print(f"Nothing is run: no sst5/ in {arguments.data}. Name the folder of training/README.md with --data.")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        if arguments.step in (None, "plant"):
            plant(folder, arguments.data, arguments.seed, recipe=arguments.recipe, quick=arguments.quick)
        if arguments.step in (None, "analyse"):
            analyse(folder)
        if arguments.step in (None, "score"):
            table = score(folder)
            if arguments.json:
                write(arguments.json, table)


if __name__ == "__main__":
    main()
