"""Mitigation by balancing: texts of a pool, assumed to be negative, are added for each term and length (Dixon 2018)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, IntArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.corpora.audit import ALL, BUCKETS, LENGTHS, Audit
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms

_TINY = 1e-9


@checks_keywords
def additions_needed(found: Audit, *, terms: Sequence[str] | None = None) -> pd.DataFrame:
    """How many texts of which term (by default all) and length to add so that each bucket meets the prior.

    A row a term and bucket that has texts: term, bucket, n, n_positive, prior (the share of positive texts among all of
    this length), negative (the fewest negative texts after which the share is at most the prior).
    """
    wanted = list(found.names if terms is None else terms)
    for term in wanted:
        if term not in found.names:
            raise OptionError(f"{term} is no term of the audit.", remedy="Audit the corpus with it first.")
    table = found.buckets
    rows = table[(table["n"] > 0) & table["term"].isin(wanted)][["term", "bucket", "n", "n_positive"]].copy()
    rows["prior"] = rows["bucket"].map(table[table["term"] == ALL].set_index("bucket")["share"]).astype(float)
    p, n, k = (rows[name].to_numpy(dtype=np.float64) for name in ("prior", "n", "n_positive"))
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(k > 0, np.ceil(k / p - n - _TINY), 0)
    rows["negative"] = np.where(np.isfinite(needed), np.maximum(needed, 0), 0).astype(np.int64)
    return rows.reset_index(drop=True)


@dataclass(frozen=True, eq=False)
class Additions:
    """Texts drawn from a pool."""

    table: pd.DataFrame  # a row an added text: pool_row, text, label, term and bucket that it was drawn for
    plan: pd.DataFrame  # `additions_needed` with added (texts of this cell), missing (the pool ran dry), share_after
    label: str  # the class that the texts are assumed to have

    def __len__(self) -> int:
        return len(self.table)

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        needed, missing = int(self.plan["negative"].sum()), int(self.plan["missing"].sum())
        if not needed:
            return "No bucket needs additional texts: no term is positive more often than all texts of its length."
        start = f"{count(len(self), 'text')} added for {count(int((self.plan['negative'] > 0).sum()), 'bucket')}"
        if not missing:
            return f"{start} (term and length). Each bucket meets the prior."
        dry = self.plan[self.plan["missing"] > 0]
        return (
            f"{start} (term and length); a text counts for each term in it. The pool ran dry for "
            f"{count(len(dry), 'bucket')}: of {needed:,} needed {missing:,} are missing."
        )


@checks_keywords
def add_balancing_texts(
    found: Audit,
    corpus: Sequence[str],
    pool: Sequence[str],
    *,
    label: str,
    terms: Sequence[str] | None = None,
    senses: bool = False,
    exclude: Sequence[str] = (),
    seed: int = 0,
) -> Additions:
    """Draw the negative texts that a corpus needs from a pool; none of the corpus or of ``exclude``.

    A text is drawn once; it counts for each term that it mentions. Cells that the pool can fill least are filled first,
    and texts that mention no balanced cell in surplus are preferred.
    """
    plan = additions_needed(found, terms=terms)
    rows = _usable(pool, {*corpus, *exclude})
    rows = rows[np.random.default_rng(seed).permutation(len(rows))]
    names = list(dict.fromkeys(plan["term"]))
    cells = list(zip(plan["term"], plan["bucket"], strict=True))
    drawable = [pool[row] for row in rows.tolist()]
    fits = np.zeros((len(cells), len(rows)), dtype=np.bool_)
    if names:
        forms = {term: further for term, further in found.forms.items() if term in names}
        mentions = mentioned_terms(drawable, names, senses=senses, forms=forms)
        bucket = np.array(BUCKETS)[np.digitize([*map(len, drawable)], LENGTHS)]
        fits[:] = [mentions[:, names.index(term)] & (bucket == name) for term, name in cells]
    chosen, drawn_for = _draw(fits, plan["negative"].to_numpy())
    plan["added"] = fits[:, chosen].sum(axis=1)
    plan["missing"] = np.maximum(plan["negative"] - plan["added"], 0)
    plan["share_after"] = plan["n_positive"] / (plan["n"] + plan["added"])
    return Additions(_added(pool, rows[chosen], label, [cells[c] for c in drawn_for]), plan, label)


def _usable(pool: Sequence[str], unwanted: Collection[str]) -> IntArray:
    """The rows of the pool with a text that is new, each text once."""
    if not len(pool):
        raise OptionError("the pool has no texts.", remedy="Give texts that are assumed to be negative.")
    first = dict(zip(reversed(pool), range(len(pool) - 1, -1, -1), strict=True))
    return np.array(sorted(row for text, row in first.items() if text not in unwanted), dtype=np.int64)


def _draw(fits: BoolArray, needed: IntArray) -> tuple[IntArray, list[int]]:
    """The columns (texts) drawn, in the order of drawing, and the row (cell) that each is drawn for."""
    left = needed.astype(np.int64).copy()
    free = np.ones(fits.shape[1], dtype=np.bool_)
    supply = fits.sum(axis=1)
    order = sorted(np.flatnonzero(left > 0).tolist(), key=lambda c: (supply[c] / left[c], c))
    chosen: list[int] = []
    drawn_for: list[int] = []
    for cell in order:
        while left[cell] > 0:
            candidates = np.flatnonzero(fits[cell] & free)
            if not len(candidates):
                break
            surplus = fits[:, candidates][left <= 0].sum(axis=0)
            text = int(candidates[surplus.argmin()])
            free[text] = False
            chosen.append(text)
            drawn_for.append(cell)
            left -= fits[:, text]
    return np.array(chosen, dtype=np.int64), drawn_for


def _added(pool: Sequence[str], rows: IntArray, label: str, cells: Sequence[tuple[str, str]]) -> pd.DataFrame:
    table = pd.DataFrame({"pool_row": rows, "text": [pool[row] for row in rows.tolist()], "label": label})
    return table.assign(term=[term for term, _ in cells], bucket=[bucket for _, bucket in cells])


def random_control(
    size: int, corpus: Sequence[str], pool: Sequence[str], *, label: str, exclude: Sequence[str] = (), seed: int = 0
) -> pd.DataFrame:
    """As many texts drawn from the whole pool at random: the control for adding texts at all."""
    rows = _usable(pool, {*corpus, *exclude})
    chosen = np.random.default_rng([seed, 1]).permutation(len(rows))[:size]
    return _added(pool, rows[chosen], label, [("", "")] * size)


def augmented(texts: Sequence[str], labels: Sequence[str], added: pd.DataFrame, *, pool: str = "pool") -> pd.DataFrame:
    """The augmented training set: text, label, origin ("corpus" or the name of the pool), row in it, term, bucket."""
    columns = {"text": list(texts), "label": list(map(str, labels)), "origin": "corpus", "row": np.arange(len(texts))}
    corpus = pd.DataFrame(columns).assign(term="", bucket="")
    more = added.rename(columns={"pool_row": "row"}).assign(origin=pool)
    return pd.concat([corpus, more[list(corpus.columns)]], ignore_index=True) if len(more) else corpus


def sample_to_label(added: pd.DataFrame, size: int = 1000, *, seed: int = 0) -> pd.DataFrame:
    """A random sample of the added texts, to label by hand without the assumed class: pool_row, text, empty label."""
    rows = np.random.default_rng([seed, 2]).permutation(len(added))[:size]
    return added.iloc[np.sort(rows)][["pool_row", "text"]].assign(label="").reset_index(drop=True)
