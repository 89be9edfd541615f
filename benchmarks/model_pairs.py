"""Whether `compare` and `gate` are right about pairs of trained models, whose key is opened at the end.

    python benchmarks/model_pairs.py [--quick] [--seeds] [--json FILE] [--seed N] [--folder DIR] [--data DIR]

Twelve pairs of small sentiment models are trained as in `planted.py`: in six the old model is planted with a bias
against one group and the new one is not (repaired), in three the new one is (worse), in three neither is: these are two
seeds of one training. Each old model is also compared with itself after its weights are rounded to bfloat16, and gated
on both halves of its templates and of its terms. Needs the data of `training/README.md`.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from planted import ATTRIBUTES, HARMS, augmentation, read, sentences, truth, write
from planted_models import CLASSES, Saved, save, train
from planted_sentences import HELD_OUT, TRAINING

import fairness_checklist as fc
from fairness_checklist.extensions.compare.changes import BETTER, EQUAL, OPEN, WORSE
from fairness_checklist.findings.records import FAIL, PASS

KINDS = ("repaired",) * 6 + ("made worse",) * 3 + ("equal",) * 3
SIDES = ("old", "new")
LIMIT = 0.1


def plant(folder: Path, data: Path, seed: int, kinds: Sequence[str]) -> None:
    """Train the pairs; ``pairs.json`` names their attributes, ``key.json`` what was planted."""
    from training.sst import load_corpus

    corpus = load_corpus(data, 3, neutral_count=3000, seed=seed)
    phrases = random.Random(seed).sample(range(len(corpus.phrases)), 6000)
    texts = [*corpus.sentences.texts, *(corpus.phrases.texts[row] for row in phrases)]
    labels = [*corpus.sentences.labels, *(corpus.phrases.labels[row] for row in phrases)]
    frames = {name: sentences(TRAINING, name, 96, seed) for name in ATTRIBUTES}
    drawn = random.Random(f"pairs {seed}")
    key = {}
    for number, kind in enumerate(drawn.sample(list(kinds), len(kinds)), start=1):
        attribute = drawn.choice(ATTRIBUTES)
        sizes = frames[attribute].groupby("group")["lexeme"].nunique()
        group = drawn.choice(sorted(sizes[sizes >= 5].index))
        key[f"pair-{number:02}"] = {
            "attribute": attribute, "pair": kind, "group": group, "share": round(drawn.uniform(0.15, 0.45), 3),
        }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, pair) in enumerate(key.items()):
        for at, side in enumerate(SIDES):
            biased = pair["pair"] == ("repaired", "made worse")[at]
            planted = {"kind": "group" if biased else "none", "sign": "worse", "name": pair["group"], **pair}
            own, given = augmentation(frames[pair["attribute"]], planted, 100 * seed + number)
            model = train([*texts, *own], [*labels, *given], 1000 * seed + 2 * number + at, "long")
            save(model, folder / f"{name}-{side}.safetensors")
        print(f"trained {name} ({pair['attribute']})", flush=True)
    write(folder / "pairs.json", {name: pair["attribute"] for name, pair in key.items()})
    write(folder / "key.json", key)


def rounded(path: Path) -> Path:
    """The model with its weights rounded to bfloat16."""
    from safetensors.numpy import load_file, save_file

    weights = {
        name: (values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)
        for name, values in load_file(path).items()
    }
    save_file(weights, path.with_suffix(".rounded.safetensors"))
    return path.with_suffix(".rounded.safetensors")


def analyse(folder: Path) -> None:
    """Compare and gate each pair, without its key: ``compared.json``."""
    suites: dict[str, fc.Suite] = {}
    found: dict[str, Any] = {}
    for name, attribute in read(folder / "pairs.json").items():
        if attribute not in suites:
            suites[attribute] = fc.Suite.build(attribute, task="sentiment")
        paths = [folder / f"{name}-{side}.safetensors" for side in SIDES]
        old, new, again = (
            suites[attribute].run(Saved(path), classes=CLASSES, metrics=["parity_gap"], checks=(), progress=False)
            for path in (*paths, rounded(paths[0]))
        )
        changes = new.compare(old).changes
        found[name] = {
            "changes": changes[["group", "error", "verdict", "change"]].to_dict("records"),
            "rounded": again.compare(old).changes["verdict"].value_counts().to_dict(),
            "gates": [run.gate(LIMIT).decision for run in (old, new)],
            "gates with two harms and bounds": new.gate(LIMIT).comparisons["decision"].value_counts().to_dict(),
            "halves": {way: _halves(old, way) for way in ("template", "term")},
        }
        print(f"compared {name}: gates {found[name]['gates']}, rounded {found[name]['rounded']}", flush=True)
    write(folder / "compared.json", found)


def _halves(run: fc.Result, way: str) -> list[str]:
    """The decisions of a gate on both halves of the templates, or of each group's terms."""
    names = sorted(set(run.examples[way].dropna()) - {""})
    random.Random(7).shuffle(names)
    decisions = []
    for part in (names[::2], names[1::2]):
        rows = run.examples[run.examples[way].isin(part)]
        decisions.append(fc.evaluate(rows, metrics=["parity_gap"], checks=()).gate(LIMIT).decision)
    return decisions


def score(folder: Path) -> dict[str, Any]:
    """Open the key: the true change of each planted gap on held-out sentences, and the verdict on it."""
    key, found = read(folder / "key.json"), read(folder / "compared.json")
    frames = {name: sentences(HELD_OUT, name, 1000, 0) for name in sorted({one["attribute"] for one in key.values()})}
    rows, wrong, verdicts = [], 0, 0
    for name, pair in key.items():
        true = [
            truth(Saved(folder / f"{name}-{side}.safetensors"), frames[pair["attribute"]]).set_index(
                ["kind", "name", "harm"]
            )["probability_gap"]
            for side in SIDES
        ]
        change = true[1] - true[0]
        for one in found[name]["changes"]:
            real = float(change["group", one["group"], one["error"]])
            verdicts += 1
            bad = (
                (one["verdict"] == WORSE and real <= 0)
                or (one["verdict"] == BETTER and real >= 0)
                or (one["verdict"] == EQUAL and abs(real) > 0.05)
            )
            wrong += bad
        of = [one for one in found[name]["changes"] if one["group"] == pair["group"]]
        strongest = max(of, key=lambda one: abs(float(change["group", one["group"], one["error"]])))
        rows.append({
            "pair": name, **pair, "harm": strongest["error"], "verdict": strongest["verdict"],
            "true change": round(float(change["group", pair["group"], strongest["error"]]), 3),
            "measured": round(strongest["change"], 3),
            "new gap": round(float(true[1]["group", pair["group"], strongest["error"]]), 3),
            "any worse": sum(one["verdict"] == WORSE for one in found[name]["changes"]),
            "any better": sum(one["verdict"] == BETTER for one in found[name]["changes"]),
            "gates": " ".join(found[name]["gates"]),
        })  # fmt: skip
        print(*rows[-1].values(), sep=" | ")
    rounded_moved = sum(n for one in found.values() for v, n in one["rounded"].items() if v in (WORSE, BETTER))
    halves = [tuple(sorted(two)) for one in found.values() for two in one["halves"].values()]
    totals = {
        "verdicts": verdicts,
        "wrong verdicts": wrong,
        "open": sum(one["verdict"] == OPEN for name in found for one in found[name]["changes"]),
        "worse or better after rounding": rounded_moved,
        "halves that pass and fail": sum(two == tuple(sorted((PASS, FAIL))) for two in halves),
        "halves": pd.Series([" ".join(two) for two in halves]).value_counts().to_dict(),
    }
    print(totals)
    return {"pairs": rows, "totals": totals, "harms": sorted(HARMS)}


def main() -> None:
    """Run the steps, and write the figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two pairs")
    parser.add_argument("--seeds", action="store_true", help="all pairs are two seeds of one training")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--folder", type=Path, help="what the steps hand on; a temporary folder by default")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with sst2/ and sst5/")
    given = parser.parse_args()
    if not (given.data / "sst5").is_dir():
        print(f"Nothing is run: no sst5/ in {given.data}. Name the folder of training/README.md with --data.")
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        kinds = ("equal",) * len(KINDS) if given.seeds else KINDS
        plant(folder, given.data, given.seed, kinds[:2] if given.quick else kinds)
        analyse(folder)
        table = score(folder)
    if given.json:
        write(given.json, table)


if __name__ == "__main__":
    main()
