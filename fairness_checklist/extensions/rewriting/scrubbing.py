"""Texts without their identity words, and the gaps of a model before and after (Orgad and Belinkov 2022, A.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairness_checklist.content.grammar.english_articles import plural
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.core.formatting import decimal
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.rewriting.perturb.surfaces import GENDERED, build_index, word_set
from fairness_checklist.findings.finding import Finding, figures_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GENDER_WORDS", "SHOWN", "ScrubGaps", "Scrubbed", "scrub", "scrub_gaps"]

GENDER_WORDS = ("he", "him", "his", "himself", "she", "her", "hers", "herself", "mr", "mrs", "ms", "miss", "mx")
"""Pronouns and titles that are removed with the terms of the attribute gender."""
_NO_GENDER = word_set("mr mrs ms miss god lord jesus christ muhammad buddha pope")  # titles, persons


@dataclass(frozen=True)
class Scrubbed:
    """Texts without identity words.

    Attributes:
        texts: the n texts.
        removed: the words that were removed from each, as they stood in it.
    """

    texts: tuple[str, ...]
    removed: tuple[tuple[str, ...], ...]

    @property
    def n_changed(self) -> int:
        """Texts from which something was removed."""
        return sum(bool(words) for words in self.removed)


@checks_keywords
def scrub(
    texts: Iterable[str],
    attribute: str = "gender",
    *,
    words: Sequence[str] | None = None,
    names: Sequence[str] = (),
    replacement: str = "_",
) -> Scrubbed:
    """Replace identity words, whole words in any case; several words of a term are one.

    Every occurrence is replaced, whatever its sense ("a single man", "man the desk"): what is left should say as little
    as possible. Other traces of the group remain (a women's college, a name that is not listed), so a gap that remains
    is no proof of another cause.

    Args:
        texts: any texts.
        attribute: whose shipped terms are removed, in singular and plural, with their adjectives; of gender pronouns,
            titles and nouns that imply it (actress, king, sister), too. Names are people's first names in the attribute
            "names".
        words: the words to remove in place of those of an attribute.
        names: further words to remove, such as the first name of the person in each text.
        replacement: what stands in their place; "_" as in Bias in Bios. With "" the space before goes, too.

    Returns:
        The texts and what was removed from each. Evaluate the model on both, with the same labels and groups: the
        difference of the two gaps is what the words caused.

    Raises:
        OptionError: an unknown attribute, or no words at all.

    >>> scrub(["She thanked her mother.", "Sheila left."]).texts
    ('_ thanked _ _.', 'Sheila left.')
    >>> scrub(["A deaf man met Ann."], words=["deaf"], names=["Ann"]).removed
    (('deaf', 'Ann'),)
    """
    listed = words if words is not None else _attribute_words(attribute)
    known = sorted({word.strip() for word in (*listed, *names) if word.strip()}, key=lambda word: (-len(word), word))
    if not known:
        raise OptionError("there are no words to remove.", remedy="Name an attribute, or give words=.")
    spelled = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in known)
    pattern = re.compile(rf"{' ?' if not replacement else ''}(?<!\w)(?:{spelled})(?!\w)(?!-\w)", re.IGNORECASE)
    given = list(texts)
    removed = tuple(tuple(word.strip() for word in pattern.findall(text)) for text in given)
    return Scrubbed(tuple(pattern.sub(lambda _: replacement, text) for text in given), removed)


def _attribute_words(attribute: str) -> set[str]:
    """The terms of an attribute in all their forms; of gender, pronouns and nouns that imply it as well."""
    terms = load_terms(attribute)
    surfaces = (surface for several in build_index(terms).by_word.values() for surface in several)
    words = {" ".join(surface.words) for surface in surfaces} | {term.term for term in terms.terms}
    if attribute.split(".")[0] != "gender":
        return words
    nouns = (GENDERED["she"] | GENDERED["he"]) - _NO_GENDER
    return words | nouns | {plural(noun) for noun in nouns} | set(GENDER_WORDS)


SHOWN = ("accuracy gap", "tpr gaps, sum of absolute values", "separation, sum")
"""The gaps that are compared: with gold labels. Without them the answers that change are all there is."""


@dataclass(frozen=True, eq=False)
class ScrubGaps:
    """Gaps of a model on the texts as they are and without identity words.

    Attributes:
        table: a row a gap: ``metric, before, after, difference`` (after less before, of absolute values), ``ci_low,
            ci_high`` (95 %, over texts).
        changed: the share of texts whose answer changes.
        n: texts.
        left, right: the groups; gaps are left less right.
        findings: what may be claimed.
    """

    table: pd.DataFrame
    changed: float
    n: int
    left: str
    right: str
    findings: tuple[Finding, ...]


@checks_keywords
def scrub_gaps(
    label: Sequence[str],
    group: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    *,
    left: str = "",
    right: str = "",
    draws: int = 400,
    seed: int = 0,
) -> ScrubGaps:
    """Compare the gaps of a model's answers before and after `scrub`.

    Args:
        label, group: (n,) gold classes and groups.
        before, after: (n,) answers on the texts as they are and as scrubbed.
        left, right: two groups; by default the two that there are.
        draws, seed: of the bootstrap over texts; a text keeps both of its answers.

    Returns:
        The gaps side by side. A gap that remains is no proof of another cause: other traces of the group remain.

    Raises:
        InputError: columns of different lengths.

    >>> gaps = scrub_gaps(["a"] * 4, ["F", "M"] * 2, ["b", "a", "b", "a"], ["a"] * 4, draws=20)
    >>> gaps.table.loc[0, ["before", "after"]].tolist(), gaps.changed
    ([-1.0, 0.0], 0.5)
    """
    import pandas as pd

    from fairness_checklist.extensions.lenses.measured import CELL_METRICS, cell_metrics
    from fairness_checklist.extensions.lenses.metrics.families import decision_cells, two_groups
    from fairness_checklist.extensions.lenses.unit_draws import corrected_interval

    columns = {"label": label, "group": group, "before": before, "after": after}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"columns of different lengths: {sizes}.", remedy="Give one value a text.")
    pair = two_groups(group, left, right)
    kept = [row for row, name in enumerate(group) if name in pair]
    label, group, before, after = ([column[row] for row in kept] for column in columns.values())
    classes = sorted({*label, *before, *after})
    metrics = cell_metrics(pair, dict.fromkeys(classes, 0.5))
    chosen = [list(CELL_METRICS).index(name) for name in SHOWN]

    def values(rows: Sequence[int]) -> FloatArray:
        """The gaps of some texts, before and after (2, metrics)."""
        gold, member = [label[row] for row in rows], [group[row] for row in rows]
        cells = (
            decision_cells(gold, [answers[row] for row in rows], member, classes=classes, groups=pair)
            for answers in (before, after)
        )
        return np.array([metrics(cell)[chosen] for cell in cells])

    size = len(kept)
    whole = values(range(size))
    rng = np.random.default_rng(seed)
    bootstrap = followed(range(draws), "intervals", "draws")
    drawn = np.array([_growth(values(rng.integers(size, size=size).tolist())) for _ in bootstrap])
    differences = _growth(whole)
    ends = [corrected_interval(float(value), drawn[:, at]) for at, value in enumerate(differences)]
    table = pd.DataFrame({"metric": SHOWN, "before": whole[0], "after": whole[1], "difference": differences})
    table[["ci_low", "ci_high"]] = ends
    changed = float(np.mean([old != new for old, new in zip(before, after, strict=True)]))
    return ScrubGaps(
        table, changed, n=size, left=pair[0], right=pair[1], findings=_findings(table, changed, size, pair)
    )


def _growth(values: FloatArray) -> FloatArray:
    """How much larger the gaps became, whatever their direction."""
    larger: FloatArray = np.abs(values[1]) - np.abs(values[0])
    return larger


def _findings(table: pd.DataFrame, changed: float, n: int, pair: tuple[str, str]) -> tuple[Finding, ...]:
    records = []
    for row in table.to_dict("records"):
        low, high = float(row["ci_low"]), float(row["ci_high"])
        clear = low > 0 or high < 0
        ends, status = "no interval", "too few to say"
        if np.isfinite(low):
            status = "clear" if clear else "none found"
            ends = f"95 % interval {decimal(low, signed=True)} to {decimal(high, signed=True)}"
            ends += f"; {'clear' if clear else 'not clear'}"
        records.append(
            Finding(
                question="gap before and after identity words are removed",
                subject=str(row["metric"]),
                status=status,
                statement=f"{row['metric']} ({pair[0]} less {pair[1]}): {decimal(row['before'])} before, "
                f"{decimal(row['after'])} after; change of size {decimal(row['difference'], signed=True)} ({ends}).",
                measure="absolute gap after less before",
                **figures_of(row | {"value": row["difference"], "n": n}),
                scope="texts like these",
                note="95 % interval over texts, not adjusted over the gaps",
            )
        )
    share = f"The answer changes for {100 * changed:.1f} % of {n:,} texts."
    records.append(Finding("answers changed by removing identity words", "all texts", "", share, value=changed, n=n))
    return tuple(records)
