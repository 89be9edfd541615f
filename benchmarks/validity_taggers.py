"""Does a suite of names say which names a tagger misses in natural sentences? Part of the study of docs/validity.md.

    PYTHONPATH=. python benchmarks/validity_taggers.py --data ../shared/data --model bundled/ner [--model FOLDER ...]

In sentences of Universal NER English EWT (dev and test; no bundled tagger is trained on it) in which one first name
alone is tagged as a person, every shipped name takes its place. The rate at which a tagger misses a name there is
compared with the rate in the suite's sentences.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import fairness_checklist as fc
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.natural.agreement import agreement, rank_correlation

SETS = ("names", "names.origin", "names.asian_pacific")
SENTENCES = 60


def tagged_sentences(path: Path) -> list[tuple[list[str], list[str]]]:
    """The sentences of a file with a token and its IOB2 tag in columns 2 and 3."""
    sentences: list[tuple[list[str], list[str]]] = []
    tokens: list[str] = []
    tags: list[str] = []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        cells = line.split("\t")
        if len(cells) > 2:
            tokens.append(cells[1])
            tags.append(cells[2])
        elif tokens and not line.strip():
            sentences.append((tokens, tags))
            tokens, tags = [], []
    return sentences


def places_of_names(data: Path, names: frozenset[str]) -> list[tuple[list[str], int]]:
    """Sentences of five tokens or more with one person, a first name alone, and where it is."""
    found = []
    for part in ("dev", "test"):
        for tokens, tags in tagged_sentences(data / "ner" / f"en_ewt-ud-{part}.iob2"):
            persons = [at for at, tag in enumerate(tags) if tag.endswith("PER")]
            if len(persons) == 1 and len(tokens) >= 5 and tokens[persons[0]] in names:
                found.append((tokens, persons[0]))
    return found


def missed_in_texts(model: object, places: list[tuple[list[str], int]], names: list[str]) -> np.ndarray:
    """(sentences, names) the probability that the tagger gives the name no person."""
    rows = [" ".join([*tokens[:at], name, *tokens[at + 1 :]]) for tokens, at in places for name in names]
    found = model.predict(rows)  # type: ignore[attr-defined]
    at = np.repeat([len(list(words(" ".join(tokens[:at])))) for tokens, at in places], len(names))
    assert found.probabilities is not None
    person = found.probabilities[found.offset[:-1] + at, found.types.index("PER")]
    return np.asarray(1 - person).reshape(len(places), len(names))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--model", action="append")
    parser.add_argument("--quick", action="store_true", help="the first model alone")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if not (chosen.data and chosen.model):
        print("Nothing is run: name the folder of training/README.md with --data, and a --model.")
        return
    chosen.model = chosen.model[:1] if chosen.quick else chosen.model
    warnings.simplefilter("ignore")
    rows = []
    for attribute in SETS:
        terms = load_terms(attribute).select().terms
        known = frozenset(term.term for term in load_terms("names").terms)
        places = places_of_names(chosen.data, known)[:SENTENCES]
        for source in chosen.model:
            model = fc.load_model(source, task="ner")
            result = fc.Suite.build(attribute, task="ner").run(model, progress=False, checks=())
            texts = result.examples
            texts = texts[texts["term"].notna() & (texts["term"] != "") & (texts["group"] != "unmarked")]
            wrong = pd.Series(
                [
                    1 - p[slot[0][0]][list(classes).index("PER")]
                    for p, slot, classes in zip(texts["p"], texts["slot"], texts["classes"], strict=True)
                ],
                index=texts.index,
            )
            by_term = wrong.groupby(texts["term"]).mean()
            names = [term.term for term in terms if term.term in by_term.index]
            group = pd.Series({term.term: term.group for term in terms})[names]
            missed = missed_in_texts(model, places, names).astype(float)
            suite = by_term[names].to_numpy()
            half = np.arange(len(places)) % 2
            sources = texts["source"].astype(str)
            parity = pd.Series(pd.factorize(sources)[0] % 2, index=texts.index)
            even, odd = (wrong[parity == h].groupby(texts["term"][parity == h]).mean()[names] for h in (0, 1))
            found = agreement(
                suite, missed.mean(axis=0), suite_halves=(even.to_numpy(), odd.to_numpy()),
                text_halves=(missed[half == 0].mean(axis=0), missed[half == 1].mean(axis=0)),
            )  # fmt: skip
            groups = pd.DataFrame({"suite": suite, "texts": missed.mean(axis=0), "group": group.to_numpy()})
            means = groups.groupby("group").mean()
            rows.append({
                "model": source, "names": attribute, "n": len(names), "sentences": len(places),
                "missed_suite": suite.mean(), "missed_texts": missed.mean(), "correlation": found.correlation,
                "low": found.low, "high": found.high, "ceiling": found.ceiling,
                "groups": len(means),
                "of_groups": rank_correlation(means["suite"].to_numpy(), means["texts"].to_numpy()),
                "worst_suite": means["suite"].idxmax(), "worst_texts": means["texts"].idxmax(),
            })  # fmt: skip
            print(pd.DataFrame(rows[-1:]).round(3).to_string(index=False), flush=True)
    if chosen.out:
        pd.DataFrame(rows).to_csv(chosen.out, index=False, float_format="%.4f")


if __name__ == "__main__":
    main()
