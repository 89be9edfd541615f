"""The review of a file of terms by the people whom they name: a sheet of questions."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import load_templates
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import TermList, display_names
from fairness_checklist.core.atomic import atomic_file, check_writable
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.locations import shipped_folder

_SENTENCES = 3
QUESTIONS = {
    "used": "Do people whom this describes use these words about themselves?",
    "prefer": "Would you prefer other words? Which?",
    "offensive": "Would these words offend you, or people you know, in an ordinary text?",
    "plausible": "Does this sound like something a real person might write?",
}
"""The four questions about a term; the last one is asked of each of its sentences."""
_SENTENCE, _PLAUSIBLE = ([f"{name}_{n}" for n in range(1, _SENTENCES + 1)] for name in ("sentence", "plausible"))
COLUMNS = ("sheet", "reader", "member", "group", "term", *_SENTENCE, *list(QUESTIONS)[:3], *_PLAUSIBLE, "comment")


def make_sheet(path: Path, *, seed: int = 0) -> pd.DataFrame:
    """The terms of a file, a row each, with up to three drawn sentences of different templates, neutral or positive."""
    terms = read_terms(path).select()
    sentences = dict(_sentences(terms, path, seed))
    rows = [
        {**dict.fromkeys(COLUMNS, ""), "sheet": terms.attribute, "group": term.group, "term": name}
        | dict(zip(_SENTENCE, sentences.get(name, ()), strict=False))
        for term, name in zip(terms.terms, display_names(terms.terms), strict=True)
    ]
    return pd.DataFrame(rows)


def _sentences(terms: TermList, path: Path, seed: int) -> Iterator[tuple[str, list[str]]]:
    beside = path.resolve().parent.parent / "templates"
    extra = beside if beside.is_dir() and beside != shipped_folder("templates") else None
    templates = load_templates("sentiment", terms.attribute, extra, language=terms.language)
    fit_to_ask = [template for template in templates if template.label in {"neutral", "positive"}]
    examples = expand(fit_to_ask, terms, task="sentiment").examples
    texts = examples.render()
    for term, name in enumerate(examples.terms):
        of_family: dict[str, int] = {}
        rows = np.flatnonzero(examples.term == term).tolist()
        for row in Random(f"{seed} {name}").sample(rows, len(rows)):
            source = examples.sources[examples.source[row]]
            of_family.setdefault(source.rewords or source.template, row)
        yield name, [texts[row] for row in list(of_family.values())[:_SENTENCES]]


def write_sheet(sheet: pd.DataFrame, path: Path) -> None:
    """Write the sheet as CSV for spreadsheets; the questions stand in a first row, whose term is empty."""
    if path.exists():
        remedy = "Name another file, or remove it: answers may be in it."
        raise OptionError(f"{str(path)!r} exists already.", remedy=remedy)
    if path.suffix.lower() != ".csv":
        raise OptionError(f"{path.name} does not end with .csv.", remedy="It is written as CSV, for spreadsheets.")
    check_writable(path, folder=False)
    questions = QUESTIONS | dict.fromkeys(_PLAUSIBLE, QUESTIONS["plausible"])
    first = pd.DataFrame([questions | {"member": "Do you belong to this group?"}], columns=list(COLUMNS))
    with atomic_file(path) as scratch:
        pd.concat([first, sheet]).to_csv(scratch, index=False, encoding="utf-8-sig", lineterminator="\r\n")
