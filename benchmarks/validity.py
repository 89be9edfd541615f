"""Does a suite say what a model does with natural texts? The study of docs/validity.md, by its plan validity_plan.md.

    PYTHONPATH=. python benchmarks/validity.py --data ../shared/data --models FOLDER --out TABLES

trains the models that are not in FOLDER, scores what is not yet scored, and writes one CSV a table. ``--quick`` takes
three models and writes no tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
from scipy import sparse
from validity_data import NATURAL, keys, read_set
from validity_models import ATTRIBUTES, MODELS, Trained, terms_and_groups, train_models

import fairness_checklist as fc
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.extensions.natural.own_gaps import without_mention
from fairness_checklist.extensions.natural.suite_gaps import harm_of_run
from fairness_checklist.extensions.rewriting.perturb.surfaces import build_index
from fairness_checklist.reports.pairs import harm_texts

OTHERS = 2500  # texts without a mention, of each set
REWRITTEN = 60  # texts of a term in which the mention is replaced
BUNDLED = (Trained(("bundled/sentiment",), 0), Trained(("bundled/toxicity",), 0))
Floats = np.ndarray


@dataclass(frozen=True, eq=False)
class Texts:
    """The natural texts (n) and what they mention: a column of ``held`` is a term."""

    frame: pd.DataFrame
    terms: list[str]
    held: sparse.csc_array
    leaks: dict[str, Floats]  # for each set, which of the texts are near-duplicates of one of its texts
    rewritten: pd.DataFrame  # term, row, text: mentions replaced

    @property
    def words(self) -> frozenset[str]:
        known = terms_and_groups()
        spelt = [*known, *(form for _, _, more in known.values() for form in more)]
        return frozenset(word for one in spelt for word in one.replace("-", " ").split())


def natural_texts(data: Path, cache_file: Path) -> Texts:
    """The harmless texts of the natural sets with a mention, and some without."""
    known = terms_and_groups()
    terms = list(known)
    forms = {term: more for term, (_, _, more) in known.items() if more}
    frames, parts = [], []
    for name in NATURAL:
        frame = read_set(data, name)
        frame = frame[frame["harmless"]].reset_index(drop=True)
        own = sparse.csr_array(mentioned_terms(frame["text"].tolist(), terms, senses=True, forms=forms))
        some = np.asarray(own.sum(axis=1)) > 0
        without = np.flatnonzero(~some)
        kept = np.sort(np.r_[np.flatnonzero(some), np.random.default_rng(4).permutation(without)[:OTHERS]])
        frames.append(frame.iloc[kept])
        parts.append(own[kept])
    frame = pd.concat(frames, ignore_index=True)
    held = sparse.csc_array(sparse.vstack(parts))
    spelled = [keys(text) for text in frame["text"]]
    sets = {name: set().union(*map(keys, read_set(data, name)["text"])) for name in (*NATURAL, "toxigen")}
    leaks = {name: np.array([not known_keys.isdisjoint(one) for one in spelled]) for name, known_keys in sets.items()}
    if cache_file.is_file():
        rewritten = pd.read_parquet(cache_file)
    else:
        rewritten = _rewritten(frame["text"].tolist(), terms, held)
        rewritten.to_parquet(cache_file)
    return Texts(frame, terms, held, leaks, rewritten)


def _rewritten(texts: list[str], terms: list[str], held: sparse.csc_array) -> pd.DataFrame:
    records: dict[str, IdentityTerm] = {}
    for attribute in ATTRIBUTES:
        for one in load_terms(attribute).select().terms:
            records.setdefault((one.adjective if one.pos == "place" else one.term).casefold(), one)
    rows = []
    for t, term in enumerate(terms):
        known = held.indices[held.indptr[t] : held.indptr[t + 1]]
        if len(known) < 20 or term not in records:
            continue
        chance = Random(term)
        index = build_index(TermList("own", (records[term],)))
        for row in chance.sample(known.tolist(), min(REWRITTEN, len(known))):
            rows += [(t, row, text) for text in without_mention(texts[row], index, chance)]
    return pd.DataFrame(rows, columns=["term", "row", "text"])


@cache
def suite(task: str) -> fc.Suite:
    """The suite: the sentences that all terms can fill."""
    return fc.Suite.build(list(ATTRIBUTES), task=task, templates=["generic"] if task == "sentiment" else None)


def score_model(trained: Trained, source: str, texts: Texts, folder: Path) -> None:
    """What a model says: of the suite, of natural texts, of the rewritten ones, of bare words."""
    if (folder / "natural.npz").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    model = fc.load_model(source, task=trained.task)
    harm = trained.harm
    result = suite(trained.task).run(model, progress=False, metrics=["parity_gap"], checks=())
    named = harm_of_run(result)
    rows = pd.concat(
        texts_of.marked.assign(attribute=attribute)
        for attribute in result.attributes
        if (texts_of := harm_texts(result, attribute, named.name)) is not None
    )
    rows[["attribute", "group", "term", "source", "p", "harmed"]].to_parquet(folder / "suite.parquet")
    result.findings.to_csv(folder / "findings.csv", index=False)
    score = _scorer(model, harm)
    np.savez(
        folder / "natural.npz",
        natural=score(texts.frame["text"].tolist()),
        rewritten=score(texts.rewritten["text"].tolist()),
        bare=score(texts.terms),
    )


def score_placebo(trained: Trained, source: str, folder: Path) -> None:
    """The gaps of placebo words in the sentences of the suite: what differs without any identity."""
    if (folder / "placebo.parquet").is_file():
        return
    model = fc.load_model(source, task=trained.task)
    built = fc.Suite.build(
        "control_words", task=trained.task, templates=["generic"] if trained.task == "sentiment" else None
    )
    result = built.run(model, progress=False, metrics=["parity_gap"], checks=())
    texts_of = harm_texts(result, "placebo", harm_of_run(result).name)
    assert texts_of is not None
    texts_of.marked[["group", "term", "source", "p"]].to_parquet(folder / "placebo.parquet")


def _scorer(model: object, harm: str) -> Callable[[list[str]], Floats]:
    from fairness_checklist.extensions.natural.scored_texts import score_table

    def score(texts: list[str]) -> Floats:
        table = score_table(pd.DataFrame({"text": texts}), model, progress=False)  # type: ignore[arg-type]
        return table[f"p:{harm}"].to_numpy(np.float64)

    return score


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
    models = MODELS[:9:3] if chosen.quick else MODELS
    train_models(chosen.data, chosen.models, models)
    texts = natural_texts(chosen.data, chosen.models / "rewritten.parquet")
    for trained in (*models, *BUNDLED):
        bundled = trained.sets[0].startswith("bundled")
        source = trained.sets[0] if bundled else str(chosen.models / trained.name)
        score_model(trained, source, texts, chosen.models / trained.name.replace("/", "-"))
        score_placebo(trained, source, chosen.models / trained.name.replace("/", "-"))
        print("scored", trained.name, flush=True)
    if chosen.out and not chosen.quick:
        from validity_tables import all_tables

        chosen.out.mkdir(parents=True, exist_ok=True)
        shares = {one.sets: training_shares(chosen.data, one, texts.terms) for one in MODELS}
        for name, table in all_tables(texts, chosen.models, shares):
            table.to_csv(chosen.out / f"{name}.csv", index=False, float_format="%.4f")
            print(f"\n{name}\n{table.round(3).head(40).to_string(index=False)}", flush=True)


def training_shares(data: Path, trained: Trained, terms: list[str]) -> Floats:
    """The share of harmful texts among the training texts with each term, NaN under five."""
    known = terms_and_groups()
    frame = pd.concat([read_set(data, name) for name in trained.sets])
    forms = {term: more for term, (_, _, more) in known.items() if more}
    held = sparse.csc_array(mentioned_terms(frame["text"].tolist(), terms, senses=True, forms=forms))
    n = np.asarray(held.sum(axis=0)).astype(float)
    harmful = (~frame["harmless"].to_numpy()).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n >= 5, harmful @ held / n, np.nan)


if __name__ == "__main__":
    main()
